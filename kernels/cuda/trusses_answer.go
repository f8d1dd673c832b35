//go:build cuda && cgo && linux

package cuda

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"

	"gorgonia.org/cu"
)

// trussEnds are the ends of all edges on their way to a loan, while the edges are peeled: their order is known before.
type trussEnds struct {
	loan   *loan // nil: they come last, with the trussness
	stream cu.Stream
}

// sendEnds begins to copy the ends of all edges, if there is a loan for the answer.
func (p *trussPeeling) sendEnds() error {
	n, q := int(p.g.edges), p.q
	x := q.loan(q.r.Returned, 3*n, q.env)
	if x == nil {
		return nil
	}
	q.ends.loan = x
	ends, err := q.alloc(8 * int64(n))
	if err != nil {
		return err
	}
	if err := p.g.gatherTo(p.task, buffer{}, int64(n), buffer{}, ends, buffer{ends.at + cu.DevicePtr(4*n), int64(4 * n)}, buffer{}); err != nil {
		return err
	}
	if q.ends.stream, err = p.d.loans.beside(); err != nil {
		return err
	}
	if err := settle(p.d); err != nil {
		return err
	}
	return x.fetch(p.d, 0, 2*n, ends, q.ends.stream)
}

// rest brings the trussness of all edges to the loan, and waits for the ends.
func (p *trussPeeling) rest() (*pattern.Trusses, error) {
	n, x := int(p.g.edges), p.q.ends.loan
	if p.gone != p.g.edges {
		return nil, errLost
	}
	ks, err := p.alloc(4 * int64(n))
	if err != nil {
		return nil, err
	}
	if err := p.g.gatherTo(p.task, buffer{}, int64(n), p.support, buffer{}, buffer{}, ks); err != nil {
		return nil, err
	}
	if err := settle(p.d); err != nil {
		return nil, err
	}
	if err := x.fetch(p.d, 2*n, n, ks, p.q.ends.stream); err != nil {
		return nil, err
	}
	if err := p.q.ends.arrive(p.d); err != nil {
		return nil, err
	}
	p.q.ends.loan = nil
	return &pattern.Trusses{Source: wordsAs[csr.VertexID](x.words[:n]), Target: wordsAs[csr.VertexID](x.words[n : 2*n]), Truss: x.words[2*n : 3*n],
		KMax: p.level + 2, Loan: pattern.Loan{Back: p.d.loans.back(x)}}, nil
}

// arrive waits for all copies.
func (e *trussEnds) arrive(d *Device) error {
	if err := e.stream.Synchronize(); err != nil {
		return d.failed("cuStreamSynchronize after a copy of edges", err)
	}
	return nil
}

// takeBack ends a loan that nobody gets, once nothing is copied to it any more.
func (q *trussSearch) takeBack() {
	if q.ends.loan == nil {
		return
	}
	if q.ends.stream != (cu.Stream{}) {
		_ = q.ends.arrive(q.d) // the request has failed
	}
	q.d.loans.back(q.ends.loan)()
	q.ends.loan = nil
}

// trusses takes the edges of at least a trussness to the host, after all have gone.
func (p *trussPeeling) trusses(least uint32) (*pattern.Trusses, error) {
	if p.g.edges == 0 {
		return &pattern.Trusses{}, nil
	}
	if p.gone != p.g.edges {
		return nil, errLost
	}
	list, n := buffer{}, p.g.edges
	if least > 2 {
		set, err := p.atLeast(p.support, int(p.g.edges), least-2)
		if err != nil {
			return nil, err
		}
		if list, err = p.list(set); err != nil {
			return nil, err
		}
		n = int64(set.members)
	}
	out := &pattern.Trusses{}
	var err error
	if out.Source, out.Target, out.Truss, err = p.g.gather(p.task, list, n, p.support); err == nil && n > 0 {
		out.KMax = p.level + 2
	}
	return out, err
}

// stayed takes the edges to the host that have not gone, as those of the k-truss.
func (p *trussPeeling) stayed(k uint32) (*pattern.Trusses, error) {
	list, n := buffer{}, p.g.edges
	if p.gone > 0 {
		set, err := p.atLeast(p.support, int(p.g.edges), k-2)
		if err != nil {
			return nil, err
		}
		if list, err = p.list(set); err != nil {
			return nil, err
		}
		n = int64(set.members)
	}
	if n != p.g.edges-p.gone {
		return nil, errLost
	}
	out := &pattern.Trusses{}
	var err error
	if out.Source, out.Target, out.Truss, err = p.g.gather(p.task, list, n, buffer{}); err != nil || n == 0 {
		return out, err
	}
	out.KMax = k
	for i := range out.Truss {
		out.Truss[i] = k
	}
	return out, nil
}
