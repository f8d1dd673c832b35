package graphlet

import (
	"context"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Motifs returns the number of each graphlet of size vertices, 3 to 5, in the order of pattern.Graphlets: of its induced subgraphs, or of all
// its subgraphs. It fails as Orbits does.
func Motifs(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, size int, induced bool, env *pattern.Env) ([]pattern.Count128, error) {
	rows, err := Orbits(ctx, s, sub, size, env)
	if err != nil {
		return nil, err
	}
	var found []pattern.Count128
	var graphlets []*pattern.Graphlet
	for i := range pattern.Graphlets {
		g := &pattern.Graphlets[i]
		if g.Size() != size {
			continue
		}
		var sum pattern.Count128
		for _, n := range rows[g.Orbit[0]] {
			if sum, err = sum.Add(pattern.Count(n)); err != nil {
				return nil, err
			}
		}
		each := uint64(g.Members(g.Orbit[0]))
		hi, rest := sum.Hi/each, sum.Hi%each
		lo, _ := bits.Div64(rest, sum.Lo, each)
		found, graphlets = append(found, pattern.Count128{Hi: hi, Lo: lo}), append(graphlets, g)
	}
	if induced {
		return found, nil
	}
	all := make([]pattern.Count128, len(found))
	for i, g := range graphlets {
		for j, h := range graphlets {
			n, err := found[j].Mul(equations().spanning(g, h))
			if err == nil {
				all[i], err = all[i].Add(n)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// spanning returns how many subgraphs of h on all its vertices are like g.
func (x *system) spanning(g, h *pattern.Graphlet) (n uint64) {
	for _, o := range h.Orbit {
		n += x.sub[g.Orbit[0]][o]
	}
	return n / uint64(g.Members(g.Orbit[0]))
}
