package paths

import (
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Breadth-first search over a path pattern. A state is a vertex, a hop, and the number of finished repetitions of the hop, as
// far as it matters. The search ignores the path mode. So its lengths are exact for walks that may repeat anything, and lower bounds
// for other modes. For a plain pattern they are exact in all modes, because a shortest walk repeats nothing.
//
// Input: a program and a start. What makes it fast: it visits each state once.

// product is one such search from a vertex; it can be continued to greater lengths.
type product struct {
	*walker   // whose macro is set: a repetition is one step here
	rule      stateRule
	unit      bool                    // every repetition is one relationship: the search finds states in order of length, and marks them at once
	visits    map[[2]int]*vertexMarks // by hop and repetitions done
	bound     []vertexDistances       // by hop: the first length at which a repetition of it may begin or end
	endLength vertexDistances         // by vertex: the length of the shortest walk that completes the pattern there
	buckets   [][]productState        // by length
	level     int                     // buckets before it are empty
	length0   int                     // of the walk to the state at hand
	arrive    func(v csr.VertexID) (more bool, err error)
	charges   int64
}

type productState struct {
	v          csr.VertexID
	hop, count int32 // count: repetitions of the hop so far
}

// stateRule says which numbers of repetitions are different states.
type stateRule uint8

const (
	exactCounts     stateRule = iota // all numbers, up to the minimum in a hop without a maximum
	saturatedCounts                  // numbers up to the minimum; the length keeps to the maximum
)

type vertexMarks struct {
	bits    []uint64
	members []csr.VertexID
}

func (m *vertexMarks) has(v csr.VertexID) bool { return m.bits[v>>6]>>(v&63)&1 != 0 }

func (m *vertexMarks) add(v csr.VertexID) {
	m.bits[v>>6] |= 1 << (v & 63)
	m.members = append(m.members, v)
}

// vertexDistances are lengths by vertex; -1 for unknown ones.
type vertexDistances struct {
	dist    []int32
	members []csr.VertexID
}

// set records a length, and reports whether v had none.
func (d *vertexDistances) set(v csr.VertexID, length int, n uint64) bool {
	if d.dist == nil {
		d.dist = slices.Repeat([]int32{-1}, int(n))
	}
	was := d.dist[v]
	if was < 0 {
		d.members = append(d.members, v)
	}
	if was < 0 || int(was) > length {
		d.dist[v] = int32(length)
	}
	return was < 0
}

func (d *vertexDistances) get(v csr.VertexID) int32 {
	if d.dist == nil {
		return -1
	}
	return d.dist[v]
}

func (d *vertexDistances) reset() {
	for _, v := range d.members {
		d.dist[v] = -1
	}
	d.members = d.members[:0]
}

func newProduct(w *walker) *product {
	p := &product{walker: w, visits: map[[2]int]*vertexMarks{}, bound: make([]vertexDistances, len(w.hops))}
	w.free, w.macro = true, p.repetition
	p.rule = saturatedCounts
	p.unit = !slices.ContainsFunc(w.hops, func(h progHop) bool { return len(h.steps) > 1 })
	if w.loops > 1 {
		for _, h := range w.hops {
			if h.max != math.MaxInt && h.max != h.min {
				p.rule = exactCounts
			}
		}
	}
	return p
}

// reset prepares the search from start.
func (p *product) reset(q *pattern.PathQuery, start csr.VertexID) error {
	for _, m := range p.visits {
		for _, v := range m.members {
			m.bits[v>>6] &^= 1 << (v & 63)
		}
		m.members = m.members[:0]
	}
	for i := range p.bound {
		p.bound[i].reset()
	}
	p.endLength.reset()
	p.buckets, p.level, p.length0 = p.buckets[:0], 0, 0
	p.begin(q, start, nil)
	_, err := p.enter(0, start, 0)
	return err
}

// charge charges the search's approximate memory.
func (p *product) charge() error {
	n := int64(p.s.N())
	bytes := (n/8)*int64(len(p.visits)) + 4*n*int64(len(p.bound)+1)
	if bytes <= p.charges {
		return nil
	}
	grow := bytes - p.charges
	p.charges = bytes
	return p.env.Memory.Charge(grow)
}

func (p *product) release() {
	p.env.Memory.Release(p.charges)
	p.charges = 0
	p.end()
}

// enter records that a walk of the given length matches up to the pattern's node i at v.
func (p *product) enter(i int, v csr.VertexID, length int) (more bool, err error) {
	if length > p.most {
		return true, nil
	}
	n := &p.walker.program.nodes[i]
	if !p.admits(n, v) {
		return true, nil
	}
	if n.slot >= 0 {
		was := p.vertices[n.slot]
		if given := p.q.Vertices[n.slot]; given != csr.NoVertex && given != v {
			return true, nil
		}
		p.vertices[n.slot] = v
		defer func() { p.vertices[n.slot] = was }()
	}
	if ok, err := p.holds(n.tests); err != nil || !ok {
		return err == nil, err
	}
	if i == len(p.hops) {
		if p.endLength.set(v, length, p.s.N()) && p.arrive != nil {
			return p.arrive(v)
		}
		return true, nil
	}
	return p.push(i, v, 0, length)
}

// push records that a walk of the given length ends at v after done repetitions of a hop.
func (p *product) push(hop int, v csr.VertexID, done, length int) (more bool, err error) {
	h := &p.hops[hop]
	p.bound[hop].set(v, length, p.s.N())
	if done == 0 && h.min == 0 {
		if more, err = p.enter(hop+1, v, length); err != nil || !more {
			return false, err
		}
	}
	if done >= h.max {
		return true, nil
	}
	if p.rule == saturatedCounts || h.max == math.MaxInt {
		done = min(done, h.min)
	}
	key := [2]int{hop, done}
	m := p.visits[key]
	if m == nil {
		m = &vertexMarks{bits: make([]uint64, (p.s.N()+63)/64)}
		p.visits[key] = m
		if err := p.charge(); err != nil {
			return false, err
		}
	}
	if m.has(v) {
		return true, nil
	}
	if p.unit {
		m.add(v)
	}
	for len(p.buckets) <= length {
		p.buckets = append(p.buckets, nil)
	}
	p.buckets[length] = append(p.buckets[length], productState{v, int32(hop), int32(done)})
	return true, nil
}

// repetition receives the end of the walk when one repetition of a hop is complete.
func (p *product) repetition(hop, done int) (more bool, err error) {
	h, v := &p.hops[hop], p.nodes[len(p.nodes)-1]
	length := p.length0 + len(h.steps)
	if length > p.most {
		return true, nil
	}
	p.bound[hop].set(v, length, p.s.N())
	if done >= h.min {
		if more, err = p.enter(hop+1, v, length); err != nil || !more {
			return false, err
		}
	}
	if done < h.max {
		return p.push(hop, v, done, length)
	}
	return true, nil
}

// exhausted reports whether no state is left.
func (p *product) exhausted() bool { return p.level >= len(p.buckets) }

// advance finds all states up to a length. It stops early when arrive wants no more.
func (p *product) advance(ctx context.Context, length int) (more bool, err error) {
	for ; p.level < len(p.buckets) && p.level < length; p.level++ {
		for i := 0; i < len(p.buckets[p.level]); i++ {
			st := p.buckets[p.level][i]
			if i&255 == 0 {
				if err := ctx.Err(); err != nil {
					return false, err
				}
			}
			if m := p.visits[[2]int{int(st.hop), int(st.count)}]; !p.unit {
				if m.has(st.v) {
					continue
				}
				m.add(st.v)
			}
			p.length0 = p.level
			p.nodes = append(p.nodes[:0], st.v)
			if more, err = p.repeat(int(st.hop), int(st.count)); err != nil || !more {
				return false, err
			}
		}
		p.buckets[p.level] = p.buckets[p.level][:0]
	}
	return true, nil
}

// endsOnly reports whether the end of every walk of the product is the end of a match, except for the walk back to the start. The
// caller tests the conditions on both ends.
func (p *product) endsOnly() bool {
	for i := range p.hops {
		if p.listOf(i) != nil {
			return false
		}
	}
	slots := map[int]bool{}
	for i, n := range p.walker.program.nodes {
		if n.slot >= 0 && slots[n.slot] && p.q.Vertices[n.slot] == csr.NoVertex || !decidable(n.tests) {
			return false
		}
		slots[n.slot] = true
		if i < len(p.hops) {
			for _, st := range p.hops[i].steps {
				if !decidable(st.tests) {
					return false
				}
			}
		}
	}
	if p.mode == pattern.WalkMode {
		return true
	}
	return len(p.hops) == 1 && len(p.hops[0].steps) == 1 && p.hops[0].min <= 1
}

// decidable reports whether every test reads one element, or the ends of the pattern alone.
func decidable(tests []progTest) bool {
	for _, t := range tests {
		if !t.local && !t.ends {
			return false
		}
	}
	return true
}
