//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

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
		return d.cliquesOf(ctx, s, c, env, p)
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
		n, by, err := d.trianglesOf(ctx, s, types, perNode, env, p)
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
			return g.devices[0].homSums(ctx, s, p, env, whole)
		}
		parts, err := deal(ctx, g, env, func(ctx context.Context, d *Device, of part) ([]pattern.Count128, error) {
			return d.homSums(ctx, s, p, env, of)
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

// deal has every device do its part at the same time. A part that fails ends the others and is the error of all.
func deal[T any](ctx context.Context, g *Group, env *pattern.Env, f func(ctx context.Context, d *Device, p part) (T, error)) ([]T, error) {
	n := len(g.devices)
	if n == 1 || !env.Uses(pattern.GPUDeal) {
		answer, err := f(ctx, g.devices[0], whole)
		return []T{answer}, err
	}
	env.Took(pattern.GPUDeal, uint64(n))
	working, stop := context.WithCancel(ctx)
	defer stop()
	answers, errs := make([]T, n), make([]error, n)
	var all sync.WaitGroup
	for i, d := range g.devices {
		all.Go(func() {
			if answers[i], errs[i] = f(working, d, part{i, n}); errs[i] != nil {
				stop()
			}
		})
	}
	all.Wait()
	if err := firstOf(ctx, errs); err != nil {
		return nil, err
	}
	return answers, nil
}

// firstOf chooses the error that the others follow from: the end of ctx, or a failure, or that a device declined.
func firstOf(ctx context.Context, errs []error) (first error) {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, err := range errs {
		switch {
		case err == nil:
		case first == nil, errors.Is(first, context.Canceled), errors.Is(first, ErrDeclined) && !errors.Is(err, context.Canceled):
			first = err
		}
	}
	return first
}

// CliqueParts counts the cliques in as many parts as so many devices would share, one after the other on this device. The longest
// time over the mean is the imbalance of that many devices (KCMiner's figure 10).
func (d *Device) CliqueParts(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, parts int, env *pattern.Env) ([]PartCount, error) {
	list := make([]PartCount, parts)
	for i := range list {
		before, began := env.Tally.Units.Load(), time.Now()
		var err error
		if list[i].Count, err = d.cliquesOf(ctx, s, c, env, part{i, parts}); err != nil {
			return nil, err
		}
		list[i].Work, list[i].Elapsed = uint64(env.Tally.Units.Load()-before), time.Since(began)
	}
	return list, nil
}

// Pays says how many of so many devices a request over a graph of so many edges gains by: each needs the graph first.
func Pays(devices int, edges uint64) int { return int(min(uint64(devices), 1+edges>>22)) }
