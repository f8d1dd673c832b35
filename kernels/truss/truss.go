package truss

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/parallel"
)

// Decompose returns the trussness of every edge (K = 0), the edges of the K-truss, or the edges of the truss of the largest k
// that has edges (K = pattern.KMax). The order of the edges is arbitrary, but the same for any number of workers. Decompose
// charges its scratch to env.Memory, and not the result. It fails with pattern.ErrMemory or the context's error.
func Decompose(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, env *pattern.Env) (*pattern.Trusses, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	adj, err := s.View(ctx, r.Types, csr.Both)
	if err != nil {
		return nil, err
	}
	t := &trussSearch{TrussRequest: r, ctx: ctx, env: env, s: s, adj: adj, n: s.N()}
	defer t.release()
	switch r.K {
	case 0:
		p, err := t.peel(t.joined(), 2, true)
		if err != nil {
			return nil, err
		}
		return p.trusses(0), nil
	case pattern.KMax:
		return t.largest()
	}
	k := max(r.K, 2)
	kept, err := t.around(k)
	if err != nil {
		return nil, err
	}
	p, err := t.peel(kept, k, false)
	if err != nil {
		return nil, err
	}
	return p.stayed(k), nil
}

// trussSearch is one call of Decompose.
type trussSearch struct {
	*pattern.TrussRequest
	ctx     context.Context
	env     *pattern.Env
	s       *csr.Snapshot
	adj     *csr.Adjacency
	n       uint64
	charges int64
}

func (t *trussSearch) charge(n int64) error {
	t.charges += n
	return t.env.Memory.Charge(n)
}

func (t *trussSearch) release() {
	t.env.Memory.Release(t.charges)
	t.charges = 0
}

// decompose runs a core decomposition of the graph; for one k-core if k is not 0.
func (t *trussSearch) decompose(k uint32) (*pattern.Cores, error) {
	env, pass := parallel.Nested(t.env)
	defer pass()
	return core.Decompose(t.ctx, t.s, &pattern.CoreRequest{Types: t.Types, Direction: csr.Both, Within: t.Within, K: k}, env)
}

// cores returns the coreness of every vertex, which stays charged.
func (t *trussSearch) cores() (core []uint32, degeneracy uint32, err error) {
	c, err := t.decompose(0)
	if err != nil {
		return nil, 0, err
	}
	return c.Core, c.Degeneracy, t.charge(4 * int64(t.n))
}

// around lists the vertices of the (k-1)-core, which contains the k-truss.
func (t *trussSearch) around(k uint32) ([]csr.VertexID, error) {
	if !t.env.Uses(pattern.TrussCore) {
		return t.joined(), nil
	}
	c, err := t.decompose(k - 1)
	if err != nil {
		return nil, err
	}
	t.env.Took(pattern.TrussCore, t.n-uint64(len(c.Members)))
	return c.Members, t.charge(4 * int64(len(c.Members)))
}

// joined lists the vertices that have neighbours.
func (t *trussSearch) joined() (kept []csr.VertexID) {
	for v := range csr.VertexID(t.n) {
		if t.adj.Degree(v) > 0 && (t.Within == nil || t.Within.Has(v)) {
			kept = append(kept, v)
		}
	}
	return kept
}

// coreOf lists the vertices of at least a coreness, by rising number.
func coreOf(core []uint32, least uint32) (kept []csr.VertexID) {
	n := 0
	for _, c := range core {
		if c >= least {
			n++
		}
	}
	kept = make([]csr.VertexID, 0, n)
	for v, c := range core {
		if c >= least {
			kept = append(kept, csr.VertexID(v))
		}
	}
	return kept
}

// peel peels the subgraph on the kept vertices, see peeling.run.
func (t *trussSearch) peel(kept []csr.VertexID, least uint32, rest bool) (*peeling, error) {
	ends := 0 // at least as many as there are
	for _, v := range kept {
		ends += min(t.adj.Degree(v), len(kept)-1)
	}
	workers := max(1, t.env.Workers)
	bytes := 4*int64(t.n) + edgeGraphBytes(len(kept), ends/2) + peelBytes(len(kept), ends/2, workers)
	if !t.env.Uses(pattern.TrussBuffers) {
		bytes += 4 * int64(ends/2)
	}
	if err := t.charge(bytes); err != nil {
		return nil, err
	}
	g, err := newEdgeGraph(t.ctx, t.adj, kept, t.n)
	if err != nil {
		return nil, err
	}
	p := newPeeling(g, t.env)
	return p, p.run(t.ctx, least, rest)
}

// largest finds the truss of the largest k, kmax.
//
// A k-truss lies in the (k-1)-core. So the trusses of any core give a lower bound k for kmax. Once the core contains the
// (k-1)-core, its trusses from k on are those of the whole graph. largest peels the densest core first, then wider ones (see wider),
// each from the bound on.
func (t *trussSearch) largest() (*pattern.Trusses, error) {
	if !t.env.Uses(pattern.TrussBound) {
		p, err := t.peel(t.joined(), 2, true)
		if err != nil || p.g.size() == 0 {
			return new(pattern.Trusses), err
		}
		return p.trusses(p.level + 2), nil
	}
	core, degeneracy, err := t.cores()
	if err != nil {
		return nil, err
	}
	ends := t.endsByCore(core, degeneracy)
	for c, bound := max(degeneracy, 1), uint32(2); ; c = wider(ends, c, bound-1) {
		p, err := t.peel(coreOf(core, c), bound, true)
		if err != nil {
			return nil, err
		}
		if p.g.size() == 0 {
			return new(pattern.Trusses), nil
		}
		t.env.Took(pattern.TrussBound, 1)
		if bound = p.level + 2; c <= bound-1 {
			return p.trusses(bound), nil
		}
		t.release()
		if err := t.charge(4 * int64(t.n)); err != nil { // core
			return nil, err
		}
	}
}

// endsByCore sums up the degrees of the vertices of at least each coreness.
func (t *trussSearch) endsByCore(core []uint32, degeneracy uint32) []uint64 {
	ends := make([]uint64, degeneracy+2)
	for v, c := range core {
		ends[c] += uint64(t.adj.Degree(csr.VertexID(v)))
	}
	for c := degeneracy; c > 0; c-- {
		ends[c-1] += ends[c]
	}
	return ends
}

// wider returns the coreness to try after c: the first with 16 times as many edges, but not below least. The densest core mostly has
// the right bound already, and a step in between finds nothing new, so it must be cheap.
func wider(ends []uint64, c, least uint32) uint32 {
	const growth = 16
	next := c - 1
	for next > least && ends[next] < growth*ends[c] {
		next--
	}
	return next
}

// trusses returns the result of a full peeling: the edges of trussness least or more.
func (p *peeling) trusses(least uint32) *pattern.Trusses {
	return p.result(func(e int) (uint32, bool) { return p.support[e] + 2, p.support[e]+2 >= least })
}

// stayed returns the result of a peeling up to k: the edges that were not removed.
func (p *peeling) stayed(k uint32) *pattern.Trusses {
	return p.result(func(e int) (uint32, bool) { return k, p.state[e] == stays })
}

func (p *peeling) result(truss func(e int) (k uint32, wanted bool)) *pattern.Trusses {
	n := 0
	for e := range p.g.size() {
		if _, wanted := truss(e); wanted {
			n++
		}
	}
	r := &pattern.Trusses{Source: make([]csr.VertexID, 0, n), Target: make([]csr.VertexID, 0, n), Truss: make([]uint32, 0, n)}
	for e := range p.g.size() {
		if k, wanted := truss(e); wanted {
			v, w := p.g.vertex[p.g.hub[e]], p.g.vertex[p.g.leaf[e]]
			r.Source, r.Target, r.Truss = append(r.Source, min(v, w)), append(r.Target, max(v, w)), append(r.Truss, k)
			r.KMax = max(r.KMax, k)
		}
	}
	return r
}
