//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// Group is devices that share requests: the roots of a count are dealt to them one by one, the heavy ones first, each device
// counts its part with a copy of the graph of its own, and what they count is added up. It is safe for concurrent use.
type Group struct{ devices []*Device }

// NewGroup makes a group of one device or more, which are not its own: it need not be closed.
func NewGroup(devices ...*Device) *Group {
	g := &Group{devices: slices.Clone(devices)}
	slices.SortFunc(g.devices, func(a, b *Device) int { return cmp.Compare(a.info.Ordinal, b.info.Ordinal) })
	return g
}

// Name lists the devices as EXPLAIN does: cuda:0, cuda:0-3, cuda:0-1,3.
func (g *Group) Name() string {
	var runs []string
	for i := 0; i < len(g.devices); {
		first := g.devices[i].info.Ordinal
		last := first
		for i++; i < len(g.devices) && g.devices[i].info.Ordinal == last+1; i++ {
			last++
		}
		if last > first {
			runs = append(runs, fmt.Sprintf("%d-%d", first, last))
		} else {
			runs = append(runs, fmt.Sprint(first))
		}
	}
	return "cuda:" + strings.Join(runs, ",")
}

// CountCliques is Device.CountCliques on all devices.
func (g *Group) CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (total pattern.Count128, err error) {
	counts, err := deal(ctx, g, env, func(ctx context.Context, d *Device, p part) (pattern.Count128, error) {
		return cliquesOf(ctx, d, s, c, env, p)
	})
	for _, n := range counts {
		sum, over := total.Add(n)
		if over != nil {
			return total, over
		}
		total = sum
	}
	return total, err
}

// Triangles is Device.Triangles on all devices.
func (g *Group) Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (total uint64, by []uint64, err error) {
	type counts struct {
		total uint64
		by    []uint64
	}
	parts, err := deal(ctx, g, env, func(ctx context.Context, d *Device, p part) (counts, error) {
		n, by, err := trianglesOf(ctx, d, s, types, perNode, env, p)
		return counts{n, by}, err
	})
	for i, n := range parts {
		total += n.total // fewer than edges times vertices: 64 bits hold them
		if i == 0 {
			by = n.by
			continue
		}
		for v, t := range n.by {
			by[v] += t
		}
	}
	return total, by, err
}

// CountHoms is Device.CountHoms on all devices, where no pass needs what another one finds for each pivot.
func (g *Group) CountHoms(ctx context.Context, s *csr.Snapshot, h *hom.Counter, env *pattern.Env) ([]pattern.Count128, error) {
	return h.CountBy(func(p *hom.Program) (sums []pattern.Count128, err error) {
		if slices.ContainsFunc(p.Passes, func(p hom.Pass) bool {
			return slices.ContainsFunc(p.Outs, func(o hom.Output) bool { return o.Keep })
		}) {
			return homSums(ctx, g.devices[0], s, p, env, whole)
		}
		parts, err := deal(ctx, g, env, func(ctx context.Context, d *Device, of part) ([]pattern.Count128, error) {
			return homSums(ctx, d, s, p, env, of)
		})
		if err != nil {
			return nil, err
		}
		sums = parts[0]
		for _, more := range parts[1:] {
			for i := range sums {
				if sums[i], err = sums[i].Add(more[i]); err != nil {
					return nil, err
				}
			}
		}
		return sums, nil
	})
}

// Pays says how many of so many devices a request over a graph of so many edges gains by: each needs the graph first.
func Pays(devices int, edges uint64) int { return int(min(uint64(devices), 1+edges>>22)) }
