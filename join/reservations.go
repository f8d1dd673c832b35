package join

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/sets"
)

// Reservations. Some query vertices still to come are neighbours of a matched one, the hub, and all must differ: each needs a vertex of its
// own among the hub's neighbours (Hall's condition). A vertex between the two steps that takes one of these neighbours may leave too few.
// The search would only notice at the last of them, after it has gone through everything in between. So it counts at each step how
// many are taken, and leaves a vertex out that would take one too many.
//
// Most hubs have plenty of neighbours. A hub whose neighbours cannot run short costs one comparison a step.

// reservation says which query vertices need neighbours of a hub.
type reservation struct {
	hub    int            // step
	need   int            // how many vertices are wanted
	rivals uint64         // steps up to the last of these that may take one of their vertices, but must not share it
	view   *csr.Adjacency // from the hub
	bits   []uint64       // the candidates of those that need one
}

// hubState is the state of a reservation under a partial embedding.
type hubState struct {
	version uint64         // of the hub's step that the rest is for
	safe    bool           // there are enough for all
	list    []csr.VertexID // the hub's neighbours that are candidates
	signs   uint64         // a bit for each of them, which other vertices may share
}

// reservations are a worker's.
type reservations struct {
	plan   []reservation
	state  []hubState
	byStep [][]int // the reservations to look at when a step has its vertex; nil: there are none, or they are given up
	looks  int     // vertices of which some reservation had to be asked, since the last shortfall
}

// init plans the reservations of the worker's program.
func (r *reservations) init(w *worker) {
	c := w.program
	c.reserveOnce.Do(func() { c.reservations = reservationPlanner{&compiler{program: c}}.plan() })
	if r.plan = c.reservations; len(r.plan) == 0 {
		return
	}
	r.state, r.byStep = make([]hubState, len(r.plan)), make([][]int, len(c.steps))
	for i := range r.plan {
		p := &r.plan[i]
		for k := p.hub; k < len(c.steps); k++ {
			if k == p.hub || p.rivals>>k&1 != 0 {
				r.byStep[k] = append(r.byStep[k], i)
			}
		}
	}
}

// leave reports whether step k, which has just taken v, leaves enough vertices for every hub. If not, the reasons are in worker.failure.
func (r *reservations) leave(w *worker, k int, v csr.VertexID) bool {
	if r.byStep == nil {
		return true
	}
	for _, i := range r.byStep[k] {
		p, s := &r.plan[i], &r.state[i]
		if at := w.versions[p.hub]; s.version != at {
			s.version = at
			s.look(w, p)
		} else if s.safe || s.signs>>(v&63)&1 == 0 {
			continue
		}
		if r.looks++; !s.safe && !r.enough(w, k, p, s) {
			w.shortfalls++
			r.looks = 0
			return false
		}
	}
	if r.looks > reservationsTrial {
		r.byStep = nil
		w.guards.drop()
	}
	return true
}

// reservationsTrial is how many looks without a shortfall end all reservations.
const reservationsTrial = 1 << 20

// enough counts the vertices that rivals up to step k have taken.
func (r *reservations) enough(w *worker, k int, p *reservation, s *hubState) bool {
	rivals := p.rivals & (2<<k - 1)
	left, by := len(s.list)-p.need, uint64(0)
	for _, v := range s.list {
		if owners := w.ownersAmong(rivals, v); owners != 0 {
			by |= owners
			left--
		}
	}
	if left < 0 {
		w.failure = by | 1<<p.hub
	}
	return left >= 0
}

// look finds the vertices around the hub, which has a new vertex.
func (s *hubState) look(w *worker, p *reservation) {
	near := p.view.Neighbours(w.match[w.steps[p.hub].u])
	w.spend(len(near))
	most := p.need + bits.OnesCount64(p.rivals)
	if s.safe = w.countMarked(near, p.bits, 0) >= most; s.safe {
		return
	}
	s.list, s.signs = w.filter(s.list[:0], near, p.bits, 0), 0
	for _, v := range s.list {
		s.signs |= 1 << (v & 63)
	}
}

// reservationPlanner finds the reservations of a program.
type reservationPlanner struct{ *compiler }

// plan finds them hub by hub. Query vertices that a hub reaches by the same view make a reservation if they have candidates in common.
func (c reservationPlanner) plan() (list []reservation) {
	for hub := range c.steps {
		views := map[*csr.Adjacency][]int{}
		for i := range c.p.Edges {
			e, x := &c.p.Edges[i], &c.ends[i]
			if e.Bound || e.From == e.To || x.from != c.steps[hub].u {
				continue
			}
			if u := e.From + e.To - x.from; !c.p.Vertices[u].Bound && !slices.Contains(views[x.view], u) {
				views[x.view] = append(views[x.view], u)
			}
		}
		for i := range c.p.Edges { // in an order that does not change from run to run
			view := c.ends[i].view
			for us := views[view]; len(us) > 0; {
				var r reservation
				r, us = c.reserve(hub, view, us)
				if r.rivals != 0 {
					list = append(list, r)
				}
			}
			delete(views, view)
		}
	}
	return list
}

// reserve makes the reservation of the first of us and those that share candidates with it. It returns the others.
func (c reservationPlanner) reserve(hub int, view *csr.Adjacency, us []int) (reservation, []int) {
	r := reservation{hub: hub, view: view, bits: slices.Clone(c.bitsOf(us[0]))}
	members, rest := us[:1:1], us[1:]
	for again := true; again; {
		again = false
		var others []int
		for _, u := range rest {
			apart := slices.ContainsFunc(members, func(m int) bool { return !c.mustDiffer(u, m) })
			if b := c.bitsOf(u); !apart && overlap(r.bits, b) {
				members, again = append(members, u), true
				for i := range r.bits {
					r.bits[i] |= b[i]
				}
			} else {
				others = append(others, u)
			}
		}
		rest = others
	}
	r.need = len(members)
	last, own := 0, uint64(0)
	for _, u := range members {
		last = max(last, c.pos[u])
		own |= 1 << c.pos[u]
	}
	for k := range last {
		u := c.steps[k].u
		fits := own>>k&1 == 0 && k != hub && !slices.ContainsFunc(members, func(m int) bool { return !c.mustDiffer(u, m) })
		if fits && overlap(r.bits, c.bitsOf(u)) {
			r.rivals |= 1 << k
		}
	}
	return r, rest
}

// bitsOf returns the bitmap of the candidates of u.
func (c reservationPlanner) bitsOf(u int) []uint64 {
	st := &c.steps[c.pos[u]]
	if st.bound {
		b := make([]uint64, (c.s.N()+63)/64)
		sets.Mark(b, 0, []csr.VertexID{st.lo})
		return b
	}
	return st.set.Bits()
}

// overlap reports whether two bitmaps have a bit in common.
func overlap(a, b []uint64) bool {
	for i := range a {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}
