//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"time"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// part is one of several equal parts of a request, whose items are dealt like cards: it has the items 0, 1, 2 ... that leave the
// remainder at when divided by of. Items come by falling size, so that every part gets its share of the heavy ones.
type part struct{ at, of int }

// whole is all of a request.
var whole = part{0, 1}

// from returns the part's first item from i on.
func (p part) from(i int) int { return i + (p.at-i%p.of+p.of)%p.of }

// count returns how many items of [first, last) the part has, where first is one of them or last is not above it.
func (p part) count(first, last int) int { return max(0, (last-first+p.of-1)/p.of) }

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
	all := workgroup.Group{Stop: stop}
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
		if list[i].Count, err = cliquesOf(ctx, d, s, c, env, part{i, parts}); err != nil {
			return nil, err
		}
		list[i].Work, list[i].Elapsed = uint64(env.Tally.Units.Load()-before), time.Since(began)
	}
	return list, nil
}
