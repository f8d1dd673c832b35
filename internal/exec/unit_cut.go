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
	if n = max(1, n); n == 1 || domain < 2 {
		return []Box{{{Vertex: vertex, Lo: 0, Hi: domain}}}, nil
	}
	weights, numbers, err := v.weights(vertex)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	var boxes []Box
	lo, sum, share := csr.VertexID(0), 0.0, total/float64(n)
	for i, w := range weights {
		if sum += w; sum < share*float64(len(boxes)+1) || len(boxes)+1 == n {
			continue
		}
		number := csr.VertexID(i)
		if numbers != nil {
			number = numbers[i]
		}
		if number+1 < domain {
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
	if sc.Route == pattern.RouteSearch {
		order = sc.Bounded()
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

// weights returns a guess of the work up to each of some numbers, which rise, from the one before. Beyond the last one there is none. nil: these
// are all numbers.
func (v *Division) weights(vertex int) (weights []float64, numbers []csr.VertexID, err error) {
	r, err := v.take()
	if err != nil {
		return nil, nil, explain(err)
	}
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.idle = append(v.idle, r)
	}()
	if err := r.ready(); err != nil {
		return nil, nil, explain(err)
	}
	m := r.leaf
	switch v.Scheme.Route {
	case pattern.RouteCliques:
		a, err := v.device.Answer(r.x.ctx, &pattern.Request{Kind: pattern.KindCliqueWork, Snapshot: v.s, Clique: &m.clique.clique}, &m.env)
		return a.Scores, nil, explain(err)
	case pattern.RouteSearch:
	default:
		weights, numbers = blockWeights(nearby(m, vertex, false), v.Scheme.Domain)
		return weights, numbers, nil
	}
	numbers = r.all.Sets[vertex].List()
	bytes := 8 * int64(len(numbers))
	defer m.env.Memory.Release(bytes)
	if err := m.env.Memory.Charge(bytes); err != nil {
		return nil, nil, explain(err)
	}
	weights = make([]float64, len(numbers))
	for _, a := range nearby(m, vertex, true) {
		for i, w := range numbers {
			weights[i] += float64(a.Degree(w))
		}
	}
	for i, d := range weights {
		weights[i] = 1 + d*d
	}
	return weights, numbers, nil
}

// weightBlock is how many numbers blockWeights takes together.
const weightBlock = 64

// blockWeights guesses the work of the numbers below domain: for each of them, the square of its degree in all of views. It reads few of the degrees:
// only where a block of numbers has many neighbours, one of these numbers may have most of them.
func blockWeights(views []*csr.Adjacency, domain uint64) (weights []float64, numbers []csr.VertexID) {
	blocks := make([]uint64, (domain+weightBlock-1)/weightBlock) // their degrees
	mean := uint64(0)
	for i := range blocks {
		lo, hi := i*weightBlock, min(int(domain), (i+1)*weightBlock)
		for _, a := range views {
			blocks[i] += a.Degrees(csr.VertexID(lo), csr.VertexID(hi))
		}
		mean += blocks[i]
	}
	mean /= uint64(max(1, len(blocks)))
	for i, d := range blocks {
		lo, hi := uint64(i)*weightBlock, min(domain, uint64(i+1)*weightBlock)
		if d <= 8*mean {
			weights = append(weights, float64(hi-lo)+float64(d)*float64(d)/float64(hi-lo))
			numbers = append(numbers, csr.VertexID(hi-1))
			continue
		}
		for w := lo; w < hi; w++ {
			degree := uint64(0)
			for _, a := range views {
				degree += uint64(a.Degree(csr.VertexID(w)))
			}
			weights = append(weights, 1+float64(degree)*float64(degree))
			numbers = append(numbers, csr.VertexID(w))
		}
	}
	return weights, numbers
}

// nearby lists the views of the pattern's edges from both of their ends, or only those at one of its vertices.
func nearby(m *matchStage, vertex int, only bool) (views []*csr.Adjacency) {
	p := m.job.Pattern
	add := func(e *pattern.Edge, u int, dir csr.Direction) {
		if only && u != vertex {
			return
		}
		if e.Undirected {
			dir = csr.Both
		}
		if a := m.job.Snapshot.Adjacency(e.Types, dir); !slices.Contains(views, a) {
			views = append(views, a)
		}
	}
	for i := range p.Edges {
		e := &p.Edges[i]
		add(e, e.From, csr.Out)
		add(e, e.To, csr.In)
	}
	return views
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
		if search && v.Scheme.Told > 0 && !slices.Contains(v.Scheme.Bounded(), x.Vertex) {
			return fmt.Errorf("%w: it has a part of a group", errNoBox)
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
