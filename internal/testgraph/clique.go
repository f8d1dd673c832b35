package testgraph

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// CountCliques counts the cliques that ListCliques sends.
func (b Brute) CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (total pattern.Count128, err error) {
	err = b.ListCliques(ctx, s, c, env, func([]csr.VertexID) (bool, error) {
		total, err = total.Add(pattern.Count(1))
		return err == nil, err
	})
	return total, err
}

// ListCliques tries every way to choose c.Sizes[i] vertices from c.Sets[i], in rising order.
func (Brute) ListCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, _ *pattern.Env, emit func([]csr.VertexID) (bool, error)) error {
	var groupOf []int // by place in the clique
	for i, size := range c.Sizes {
		groupOf = append(groupOf, slices.Repeat([]int{i}, size)...)
	}
	if len(groupOf) != c.K {
		return fmt.Errorf("group sizes %v of a clique of %d", c.Sizes, c.K)
	}
	clique := make([]csr.VertexID, 0, c.K)
	var extend func() error
	extend = func() error {
		k := len(clique)
		if k == c.K {
			if more, err := emit(clique); err != nil || !more {
				return cmp.Or(err, errStop)
			}
			return nil
		}
		for v := range vertices(s) {
			if err := ctx.Err(); err != nil {
				return err
			}
			set := c.Sets[groupOf[k]]
			rising := k == 0 || groupOf[k-1] != groupOf[k] || clique[k-1] < v
			joined := func(w csr.VertexID) bool { return v != w && len(s.Relationships(nil, v, w, c.Types, csr.Both)) > 0 }
			if set != nil && !set.Has(v) || !rising || slices.ContainsFunc(clique, func(w csr.VertexID) bool { return !joined(w) }) {
				continue
			}
			clique = append(clique, v)
			if err := extend(); err != nil {
				return err
			}
			clique = clique[:k]
		}
		return nil
	}
	if err := extend(); err != errStop {
		return err
	}
	return nil
}
