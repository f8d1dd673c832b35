//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// firstPlaces is how many edges of each vertex are linked before the others.
const firstPlaces = 2

// Components returns the weak component of every vertex; strong ones are left to the CPU.
func (d *Device) Components(ctx context.Context, s *csr.Snapshot, r *pattern.ComponentRequest, env *pattern.Env) (c *pattern.Components, err error) {
	if r.Strong {
		return nil, ErrDeclined
	}
	if s.N() == 0 {
		return &pattern.Components{}, nil
	}
	err = d.run(ctx, func(t *task) error {
		k := &componentTask{task: t, request: r, env: env, n: int(s.N())}
		if k.graph, err = adjacencyOf(t, s, r.Types, csr.Both); err != nil {
			return err
		}
		if r.Within != nil {
			if k.open, err = upload(t, r.Within.Bits()); err != nil {
				return err
			}
		}
		if k.of, err = t.alloc(4 * int64(k.n)); err != nil {
			return err
		}
		if err := k.link(); err != nil {
			return err
		}
		c, err = k.name()
		return err
	})
	return c, err
}

// componentTask is a request at work.
type componentTask struct {
	*task
	request  *pattern.ComponentRequest
	env      *pattern.Env
	graph    *adjacent
	n        int
	open, of buffer
}

// link makes trees of the components, of which every vertex is the root or right below it.
func (k *componentTask) link() error {
	n, blocks := uint64(k.n), k.d.grid(k.n, 256)
	flatten := func() error { return k.d.launch("components_flatten", blocks, 256, 0, k.of.arg(), n) }
	if err := k.d.launch("components_begin", blocks, 256, 0, k.of.arg(), n); err != nil {
		return err
	}
	place, hub := uint64(0), uint64(^uint32(0))
	if k.env.Uses(pattern.ComponentFirst) {
		for ; place < firstPlaces; place++ {
			err := k.d.launch("components_first", blocks, 256, 0, k.graph.offsets.arg(), k.graph.targets.arg(), k.open.arg(), k.of.arg(), n, place)
			if err != nil {
				return err
			}
		}
		if err := flatten(); err != nil {
			return err
		}
		hub = 0 // vertices stand by falling degree
		if w := k.request.Within; w != nil && w.Len() > 0 {
			hub = uint64(w.List()[0])
		}
	}
	joined, err := k.zeros(2)
	if err != nil {
		return err
	}
	err = k.d.launch("components_rest", blocks, 256, 0, k.graph.offsets.arg(), k.graph.targets.arg(), k.open.arg(), k.of.arg(), n, place, hub,
		k.d.bfs.row, joined.arg())
	if err != nil {
		return err
	}
	if err := flatten(); err != nil {
		return err
	}
	var needless [1]uint64
	if err := download(joined, needless[:]); err != nil {
		return err
	}
	if k.env.Uses(pattern.ComponentFirst) {
		k.env.Took(pattern.ComponentFirst, needless[0])
	}
	return nil
}

// name numbers the components by their smallest vertices, and counts.
func (k *componentTask) name() (*pattern.Components, error) {
	words := int64(k.n+31) / 32
	roots, err := k.alloc(4 * words)
	if err != nil {
		return nil, err
	}
	if err := k.d.launch("components_roots", k.d.grid(k.n, 256), 256, 0, k.of.arg(), k.open.arg(), uint64(k.n), roots.arg()); err != nil {
		return nil, err
	}
	ranks, count, err := k.scanBits(roots, words)
	if err != nil {
		return nil, err
	}
	sizes, err := k.zeros(int64(count))
	if err != nil {
		return nil, err
	}
	err = k.d.launch("components_name", k.d.grid(k.n, 256), 256, 0, k.of.arg(), k.open.arg(), uint64(k.n), roots.arg(), ranks.arg(), sizes.arg())
	if err != nil {
		return nil, err
	}
	c := &pattern.Components{Of: uncleared[uint32](k.n)}
	if count > 0 {
		c.Size = make([]uint32, count)
	}
	if err := download(sizes, c.Size); err != nil {
		return nil, err
	}
	return c, download(k.of, c.Of)
}
