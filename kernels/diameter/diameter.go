package diameter

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/components"
	"github.com/motifql/motif/kernels/parallel"
)

// Searches are the kernels under ExactBy; a device may have its own. ExactBy asks for weak components only.
type Searches interface {
	BFS(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error)
	Components(ctx context.Context, s *csr.Snapshot, r *pattern.ComponentRequest, env *pattern.Env) (*pattern.Components, error)
	// Farthest runs one search from each of t.Sources, at most 64. It returns the largest depth, with its source and a vertex there; -1
	// and NoVertex if no source is in t.Within.
	Farthest(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (pattern.Diameter, error)
}

// cpuSearches are the kernels of packages bfs and components.
type cpuSearches struct{}

func (cpuSearches) BFS(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error) {
	return bfs.Search(ctx, s, t, env)
}

func (cpuSearches) Components(ctx context.Context, s *csr.Snapshot, r *pattern.ComponentRequest, env *pattern.Env) (*pattern.Components, error) {
	return components.Find(ctx, s, r, env)
}

func (cpuSearches) Farthest(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (far pattern.Diameter, err error) {
	far = pattern.Diameter{Length: -1, From: csr.NoVertex, To: csr.NoVertex}
	err = bfs.Many(ctx, s, t, env, func(depth int32, v csr.VertexID, sources uint64) (bool, error) {
		if depth > far.Length {
			far = pattern.Diameter{Length: depth, From: t.Sources[bits.TrailingZeros64(sources)], To: v}
		}
		return true, nil
	})
	return far, err
}

// Exact returns the largest finite distance in s and two vertices at that distance. It fails with pattern.ErrMemory or the context's
// error.
func Exact(ctx context.Context, s *csr.Snapshot, r *pattern.DiameterRequest, env *pattern.Env) (*pattern.Diameter, error) {
	return ExactBy(ctx, s, r, env, cpuSearches{})
}

// ExactBy is Exact on the given searches.
func ExactBy(ctx context.Context, s *csr.Snapshot, r *pattern.DiameterRequest, env *pattern.Env, by Searches) (*pattern.Diameter, error) {
	d := &diameter{by: by, DiameterRequest: r, ctx: ctx, s: s, tally: env.Tally, best: pattern.Diameter{Length: -1, From: csr.NoVertex, To: csr.NoVertex}}
	if d.together = 1; env.Uses(pattern.BFSMask) {
		d.together = bfs.MaxSources
	}
	var pass func()
	d.env, pass = parallel.Nested(env)
	defer pass()
	err := d.charge(bytesOfDiameter * int64(s.N()))
	defer func() { env.Memory.Release(d.charges) }()
	if err != nil {
		return nil, err
	}
	if r.Direction == csr.Both && env.Uses(pattern.DiameterBound) {
		err = d.sweep()
	} else {
		err = d.everywhere()
	}
	if err != nil {
		return nil, err
	}
	d.best.Length = max(d.best.Length, 0)
	return &d.best, nil
}

// bytesOfDiameter is the memory of components and order, by vertex. The searches charge their own.
const bytesOfDiameter = 4 + 4 + 4

type diameter struct {
	*pattern.DiameterRequest
	by       Searches
	ctx      context.Context
	s        *csr.Snapshot
	env      *pattern.Env // of the searches
	tally    *pattern.Tally
	best     pattern.Diameter
	order    []csr.VertexID // sources
	together int            // in one pass
	charges  int64
}

func (d *diameter) charge(n int64) error {
	d.charges += n
	return d.env.Memory.Charge(n)
}

// everywhere searches from every vertex.
func (d *diameter) everywhere() error {
	for v := range csr.VertexID(d.s.N()) {
		if d.Within == nil || d.Within.Has(v) {
			d.order = append(d.order, v)
		}
	}
	return d.from(func(int) bool { return true })
}

// from computes eccentricities of d.order, 64 in a pass, while goes(i) holds for the next position i.
func (d *diameter) from(goes func(i int) bool) error {
	d.units(len(d.order), 0)
	for i := 0; i < len(d.order) && goes(i); i += d.together {
		t := &pattern.Traversal{Sources: d.order[i:min(i+d.together, len(d.order))], Types: d.Types, Direction: d.Direction,
			MaxDepth: -1, Within: d.Within}
		far, err := d.by.Farthest(d.ctx, d.s, t, d.env)
		if err != nil {
			return err
		}
		if far.Length > d.best.Length {
			d.best = far
		}
		d.units(0, len(t.Sources))
	}
	return nil
}

func (d *diameter) units(all, done int) {
	if d.tally != nil {
		d.tally.Units.Add(uint64(all))
		d.tally.UnitsDone.Add(uint64(done))
	}
}

// sweep runs iFUB.
func (d *diameter) sweep() error {
	c, err := d.by.Components(d.ctx, d.s, &pattern.ComponentRequest{Types: d.Types, Within: d.Within}, d.env)
	if err != nil {
		return err
	}
	adj, err := d.s.View(d.ctx, d.Types, csr.Both)
	if err != nil {
		return err
	}
	middle := densest(adj, c)
	for range 2 {
		l, err := d.search(middle)
		if err != nil {
			return err
		}
		ends := d.farthest(c, l, middle)
		if l, err = d.search(ends); err != nil {
			return err
		}
		middle = d.halfway(c, l, ends)
	}
	l, err := d.search(middle)
	if err != nil {
		return err
	}
	depth := l.Depth
	for v, far := range depth {
		if far > 0 && 2*far > d.best.Length {
			d.order = append(d.order, csr.VertexID(v))
		}
	}
	slices.SortStableFunc(d.order, func(v, w csr.VertexID) int { return cmp.Compare(depth[w], depth[v]) })
	sources := 0
	err = d.from(func(i int) bool {
		goes := 2*depth[d.order[i]] > d.best.Length
		if goes {
			sources = min(i+d.together, len(d.order))
		}
		return goes
	})
	d.env.Took(pattern.DiameterBound, d.s.N()-uint64(sources))
	return err
}

// search runs one search from all the sources.
func (d *diameter) search(sources []csr.VertexID) (*pattern.Levels, error) {
	d.units(1, 0)
	defer d.units(0, 1)
	return d.by.BFS(d.ctx, d.s, &pattern.Traversal{Sources: sources, Types: d.Types, Direction: csr.Both, MaxDepth: -1, Within: d.Within}, d.env)
}

// densest returns a vertex of largest degree in every component.
func densest(adj *csr.Adjacency, c *pattern.Components) []csr.VertexID {
	best := slices.Repeat([]csr.VertexID{csr.NoVertex}, len(c.Size))
	for v, k := range c.Of {
		if k != pattern.NoComponent && (best[k] == csr.NoVertex || adj.Degree(csr.VertexID(v)) > adj.Degree(best[k])) {
			best[k] = csr.VertexID(v)
		}
	}
	return best
}

// farthest returns the deepest vertex in every component. Depths are distances, so it also updates the best.
func (d *diameter) farthest(c *pattern.Components, l *pattern.Levels, sources []csr.VertexID) []csr.VertexID {
	ends := slices.Clone(sources)
	for v, k := range c.Of {
		if k == pattern.NoComponent || l.Depth[v] <= l.Depth[ends[k]] {
			continue
		}
		ends[k] = csr.VertexID(v)
	}
	for k, v := range ends {
		if l.Depth[v] > d.best.Length {
			d.best = pattern.Diameter{Length: l.Depth[v], From: sources[k], To: v}
		}
	}
	return ends
}

// halfway returns, for every component, the middle of the path from its source to its deepest vertex.
func (d *diameter) halfway(c *pattern.Components, l *pattern.Levels, sources []csr.VertexID) []csr.VertexID {
	ends := d.farthest(c, l, sources)
	for k, v := range ends {
		for range l.Depth[v] / 2 {
			v = l.Parent[v]
		}
		ends[k] = v
	}
	return ends
}
