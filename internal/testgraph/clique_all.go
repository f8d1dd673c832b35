package testgraph

import (
	"cmp"
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// eachClique calls visit for every clique of g, whose vertices rise. A clique comes before those it is the start of.
func eachClique(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, visit func(clique []csr.VertexID, maximal bool) (bool, error)) error {
	joined := func(v, w csr.VertexID) bool { return v != w && len(s.Relationships(nil, v, w, g.Types, csr.Both)) > 0 }
	var extend func(clique []csr.VertexID) error
	extend = func(clique []csr.VertexID) error {
		var later []csr.VertexID
		maximal := true
		for v := range vertices(s) {
			if g.Within != nil && !g.Within.Has(v) || slices.ContainsFunc(clique, func(w csr.VertexID) bool { return !joined(v, w) }) {
				continue
			}
			maximal = false
			if len(clique) == 0 || v > clique[len(clique)-1] {
				later = append(later, v)
			}
		}
		if len(clique) > 0 {
			if more, err := visit(clique, maximal); err != nil || !more {
				return cmp.Or(err, errStop)
			}
		}
		for _, v := range later {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := extend(append(slices.Clone(clique), v)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := extend(nil); err != errStop {
		return err
	}
	return nil
}

var one = pattern.Count(1)

// AllCliques counts by visiting every clique.
func (Brute) AllCliques(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, upTo int, _ *pattern.Env) (counts []pattern.Count128, err error) {
	err = eachClique(ctx, s, g, func(clique []csr.VertexID, _ bool) (more bool, err error) {
		k := len(clique)
		if upTo != 0 && k > upTo {
			return true, nil
		}
		for len(counts) <= k {
			counts = append(counts, pattern.Count128{})
		}
		counts[k], err = counts[k].Add(one)
		return true, err
	})
	return counts, err
}

// CliquesPerVertex counts by visiting every clique.
func (Brute) CliquesPerVertex(ctx context.Context, s *csr.Snapshot, c *pattern.Clique) ([]pattern.Count128, error) {
	counts := make([]pattern.Count128, s.N())
	err := eachClique(ctx, s, &pattern.Subgraph{Types: c.Types, Within: c.Sets[0]}, func(clique []csr.VertexID, _ bool) (bool, error) {
		for _, v := range clique {
			if len(clique) == c.K {
				counts[v], _ = counts[v].Add(one) // brute force cannot visit enough cliques to overflow
			}
		}
		return true, nil
	})
	return counts, err
}

// CliquesPerEdge counts by visiting every clique.
func (Brute) CliquesPerEdge(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, k int, _ *pattern.Env) (*pattern.EdgeCounts, error) {
	at := make(map[[2]csr.VertexID]int)
	c := new(pattern.EdgeCounts)
	err := eachClique(ctx, s, g, func(clique []csr.VertexID, _ bool) (bool, error) {
		for j, w := range clique {
			for _, v := range clique[:j] {
				if len(clique) != k {
					continue
				}
				i, known := at[[2]csr.VertexID{v, w}]
				if !known {
					i = len(c.Count)
					at[[2]csr.VertexID{v, w}] = i
					c.Source, c.Target, c.Count = append(c.Source, v), append(c.Target, w), append(c.Count, pattern.Count128{})
				}
				c.Count[i], _ = c.Count[i].Add(one)
			}
		}
		return true, nil
	})
	return c, err
}

// MaximalCliques sends the cliques that no vertex extends.
func (Brute) MaximalCliques(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, minSize int, _ *pattern.Env, emit func([]csr.VertexID) (bool, error)) error {
	return eachClique(ctx, s, g, func(clique []csr.VertexID, maximal bool) (bool, error) {
		if maximal && len(clique) >= minSize {
			return emit(clique)
		}
		return true, nil
	})
}

// MaximumClique returns the first of the largest cliques, in the order of eachClique.
func (Brute) MaximumClique(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, _ *pattern.Env) (best []csr.VertexID, err error) {
	err = eachClique(ctx, s, g, func(clique []csr.VertexID, _ bool) (bool, error) {
		if len(clique) > len(best) {
			best = slices.Clone(clique)
		}
		return true, nil
	})
	return best, err
}
