package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Cutting all of the work into units of about the same size. The guess of what a vertex number costs need not be good, since units put aside
// what they do not get done.

// Units cuts the work into n boxes of about equal expected work, or fewer. There is at least one, and together they are everything.
func (v *Division) Units(n int) ([]Box, error) {
	sc, vertex := v.Scheme, 0
	domain := csr.VertexID(sc.Domain)
	if sc.Route == pattern.RouteSearch {
		vertex = sc.Order[0]
	}
	if n = max(1, n); sc.Route == pattern.RouteWhole || n == 1 || domain < 2 {
		return []Box{{{Vertex: vertex, Lo: 0, Hi: domain}}}, nil
	}
	weigh, err := v.weights(vertex)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for number := range domain {
		total += weigh(number)
	}
	var boxes []Box
	lo, sum := csr.VertexID(0), 0.0
	for number := range domain {
		sum += weigh(number)
		if sum >= total*float64(len(boxes)+1)/float64(n) && len(boxes)+1 < n && number+1 < domain {
			boxes = append(boxes, Box{{Vertex: vertex, Lo: lo, Hi: number + 1}})
			lo = number + 1
		}
	}
	return append(boxes, Box{{Vertex: vertex, Lo: lo, Hi: domain}}), nil
}

// Cut cuts a box into n boxes or fewer with about as many numbers each, by the first vertex in the order that has more than one. It returns nil
// if there is none.
func (v *Division) Cut(box Box, n int) (boxes []Box) {
	sc, order := v.Scheme, []int{0}
	switch sc.Route {
	case pattern.RouteWhole:
		return nil
	case pattern.RouteSearch:
		order = sc.Order
	}
	for _, u := range order {
		b := box.bound(u)
		lo, hi := uint64(b.Lo), min(uint64(b.Hi), sc.Domain)
		if hi < lo+2 {
			continue
		}
		pieces := min(uint64(max(2, n)), hi-lo)
		for i := range pieces {
			from, to := lo+(hi-lo)*i/pieces, lo+(hi-lo)*(i+1)/pieces
			boxes = append(boxes, inside(sc, box, []pattern.Bound{{Vertex: u, Lo: csr.VertexID(from), Hi: csr.VertexID(to)}}))
		}
		return boxes
	}
	return nil
}

// weights returns a guess of the work for each number.
func (v *Division) weights(vertex int) (func(csr.VertexID) float64, error) {
	r, err := v.take()
	if err != nil {
		return nil, explain(err)
	}
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.idle = append(v.idle, r)
	}()
	if err := r.ready(); err != nil {
		return nil, explain(err)
	}
	m := r.leaf
	p := m.job.Pattern
	if v.Scheme.Route == pattern.RouteCliques {
		a, err := v.device.Answer(r.x.ctx, &pattern.Request{Kind: pattern.KindCliqueWork, Snapshot: v.s, Clique: &m.clique.clique}, &m.env)
		if err != nil {
			return nil, explain(err)
		}
		return func(number csr.VertexID) float64 { return a.Scores[number] }, nil
	}
	var near []*csr.Adjacency
	for i := range p.Edges {
		e := &p.Edges[i]
		if e.From != vertex && e.To != vertex && v.Scheme.Route == pattern.RouteSearch {
			continue
		}
		if a := m.job.Snapshot.Adjacency(e.Types, csr.Both); !slices.Contains(near, a) {
			near = append(near, a)
		}
	}
	in := func(csr.VertexID) bool { return true }
	if v.Scheme.Route == pattern.RouteSearch {
		in = r.all.Sets[vertex].Has
	}
	return func(number csr.VertexID) float64 {
		if !in(number) {
			return 0
		}
		d := 0.0
		for _, a := range near {
			d += float64(a.Degree(number))
		}
		return 1 + d*d
	}, nil
}

// CheckBox reports an error unless b is a box of this division.
func (v *Division) CheckBox(b Box) error {
	search := v.Scheme.Route == pattern.RouteSearch
	if len(b) == 0 || !search && (len(b) != 1 || b[0].Vertex != 0) {
		return errNoBox
	}
	for i, x := range b {
		if search && (x.Vertex < 0 || x.Vertex >= len(v.leaf.Pattern.Vertices)) {
			return fmt.Errorf("%w: the pattern has no node number %d", errNoBox, x.Vertex)
		}
		if x.Lo > x.Hi || uint64(x.Hi) > v.Scheme.Domain {
			return fmt.Errorf("%w: the range %d to %d is not within the %d numbers that there are", errNoBox, x.Lo, x.Hi, v.Scheme.Domain)
		}
		if slices.ContainsFunc(b[:i], func(y pattern.Bound) bool { return y.Vertex == x.Vertex }) {
			return errNoBox
		}
	}
	return nil
}

var errNoBox = errors.New("not a unit of this job")
