//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/diameter"
)

// manyAtMost is how many searches a mask holds.
const manyAtMost = 64

// Diameter returns the largest distance and a pair of vertices that far apart: by the CPU's bounds, with the searches on the device.
func (d *Device) Diameter(ctx context.Context, s *csr.Snapshot, r *pattern.DiameterRequest, env *pattern.Env) (*pattern.Diameter, error) {
	return diameter.ExactBy(ctx, s, r, env, d)
}

// Farthest runs one search from each of r.Sources, at most 64, in one pass. It returns the largest depth that any of them comes to,
// with its source and a vertex there; -1 where no source may be entered.
func (d *Device) Farthest(ctx context.Context, s *csr.Snapshot, r *pattern.Traversal, env *pattern.Env) (far pattern.Diameter, err error) {
	err = searchMany(ctx, d, s, r, env, func(b *search) error {
		far = b.farthest()
		return nil
	}, nil)
	return far, err
}

func (b *search) farthest() pattern.Diameter {
	if l := b.deepest; l.size > 0 {
		return pattern.Diameter{Length: int32(l.level), From: b.request.Sources[l.source], To: csr.VertexID(l.vertex - 1)}
	}
	return pattern.Diameter{Length: -1, From: csr.NoVertex, To: csr.NoVertex}
}

// searchMany runs up to 64 searches at once; ended sees them then, and looked after each look of the host.
func searchMany(ctx context.Context, d *Device, s *csr.Snapshot, r *pattern.Traversal, env *pattern.Env, ended, looked func(b *search) error) error {
	if len(r.Sources) > manyAtMost {
		return fmt.Errorf("%d sources in one pass of at most %d", len(r.Sources), manyAtMost)
	}
	if err := checkSources(s, r); err != nil {
		return err
	}
	q := *r
	if q.Variant == pattern.EdgeCentric {
		q.Variant = pattern.Auto
	}
	open := openVertices(s, &q, max(1, env.Workers))
	return d.run(ctx, func(t *task) error {
		b, err := newSearch(t, ctx, s, &q, env, open)
		if err != nil {
			return err
		}
		b.looked = looked
		if err := b.beginMany(); err != nil {
			return err
		}
		if err := b.run(); err != nil {
			return err
		}
		if len(q.Sources) > 1 {
			env.Took(pattern.BFSMask, uint64(len(q.Sources)))
		}
		return ended(b)
	})
}

// beginMany makes the sources the first frontier, a search each.
func (b *search) beginMany() error {
	n := int64(b.vertices)
	var err error
	b.masks, err = keep(b.task, b.s, "several searches", func(up *task) (buffer, error) { return up.alloc(16 * n) })
	if err != nil {
		return err
	}
	if err := fill(b.masks, 4*n, 0); err != nil {
		return err
	}
	list, err := upload(b.task, b.request.Sources)
	if err != nil {
		return err
	}
	if err := b.d.launch("many_begin", 1, manyAtMost, 0, b.args(b.masks.arg(), list.arg(), uint64(len(b.request.Sources)))...); err != nil {
		return err
	}
	return b.settle()
}

// settle ends the level in front of the next slot.
func (b *search) settle() error {
	return b.d.launch("many_settle", b.d.grid(b.vertices, 256), 256, 0, b.args(b.masks.arg(), uint64(b.slot))...)
}

func (b *search) launchMany(levels int) error {
	for range levels {
		if err := b.d.launch("many_level", b.blocks(), 256, 0, b.args(b.masks.arg(), b.next())...); err != nil {
			return err
		}
		if err := b.settle(); err != nil {
			return err
		}
	}
	return nil
}
