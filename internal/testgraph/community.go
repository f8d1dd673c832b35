package testgraph

import (
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// LabelPropagation follows the definition on a dense matrix.
func (Brute) LabelPropagation(ctx context.Context, s *csr.Snapshot, r *pattern.CommunityRequest) (*pattern.Communities, error) {
	a, members, err := communityMatrix(ctx, s, r)
	if err != nil {
		return nil, err
	}
	label := identity(len(a))
	ties := r.Shuffled(len(a), 0)
	for round := 1; ; round++ {
		changed := false
		for _, v := range r.Shuffled(len(a), round) {
			sum := make([]float64, len(a))
			for w, x := range a[v] {
				sum[label[w]] += x
			}
			if sum[label[v]] == slices.Max(sum) {
				continue
			}
			for _, c := range ties {
				if sum[c] == slices.Max(sum) {
					label[v], changed = int(c), true
					break
				}
			}
		}
		if !changed || r.Unsettled && round == r.MaxIterations {
			found := communitiesOf(s, a, members, label, r.Resolution, round)
			found.Converged = !changed
			return found, nil
		}
		if round == r.MaxIterations {
			return nil, &pattern.NotConvergedError{Iterations: round}
		}
	}
}

// Modular moves one vertex, or merges two communities, wherever that gains most modularity, until nothing gains.
func (Brute) Modular(ctx context.Context, s *csr.Snapshot, r *pattern.CommunityRequest) (*pattern.Communities, error) {
	a, members, err := communityMatrix(ctx, s, r)
	if err != nil {
		return nil, err
	}
	of := identity(len(a))
	for {
		best, most := of, ModularityOf(a, of, r.Resolution)+1e-12
		try := func(next []int) {
			if q := ModularityOf(a, next, r.Resolution); q > most {
				best, most = next, q
			}
		}
		for v := range of {
			for w := range v {
				if of[v] == of[w] {
					continue
				}
				moved, merged := slices.Clone(of), slices.Clone(of)
				moved[v] = of[w]
				for x := range merged {
					if of[x] == of[v] {
						merged[x] = of[w]
					}
				}
				try(moved)
				try(merged)
			}
		}
		if slices.Equal(best, of) {
			return communitiesOf(s, a, members, of, r.Resolution, 0), nil
		}
		of = best
	}
}

// ModularityOf is the share of weight inside of communities, less what is expected of random edges.
func ModularityOf(a [][]float64, of []int, resolution float64) float64 {
	strength, total := make([]float64, len(a)), 0.0
	for v, row := range a {
		for _, x := range row {
			strength[v] += x
		}
		total += strength[v]
	}
	if total == 0 {
		return 0
	}
	sum := 0.0
	for v, row := range a {
		for w, x := range row {
			if of[v] == of[w] {
				sum += x/total - resolution*strength[v]/total*strength[w]/total
			}
		}
	}
	return sum
}

// communityMatrix is the matrix of the vertices that count, and which they are.
func communityMatrix(ctx context.Context, s *csr.Snapshot, r *pattern.CommunityRequest) (a [][]float64, members []int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	n := r.Network
	n.Direction = csr.Both
	all, counts, err := Matrix(s, &n)
	for v := range all {
		if !counts[v] {
			continue
		}
		members = append(members, v)
		var row []float64
		for w := range all {
			if counts[w] {
				row = append(row, math.Max(0, all[v][w]))
			}
		}
		a = append(a, row)
	}
	return a, members, err
}

func identity(n int) []int {
	of := make([]int, n)
	for v := range of {
		of[v] = v
	}
	return of
}

// communitiesOf numbers communities by their smallest vertices.
func communitiesOf(s *csr.Snapshot, a [][]float64, members, of []int, resolution float64, rounds int) *pattern.Communities {
	c := &pattern.Communities{Modularity: ModularityOf(a, of, resolution), Iterations: rounds, Converged: true}
	c.Of = slices.Repeat([]uint32{pattern.NoComponent}, int(s.N()))
	number := map[int]uint32{}
	for i, v := range members {
		if _, ok := number[of[i]]; !ok {
			number[of[i]] = uint32(len(c.Size))
			c.Size = append(c.Size, 0)
		}
		c.Of[v] = number[of[i]]
		c.Size[c.Of[v]]++
	}
	return c
}
