package graphdiff

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// searchWork bounds the search where refinement leaves a choice: vertices and relationships looked at, some ten seconds.
const searchWork = 200_000_000

// byStructure looks for an assignment of the nodes of a to those of b that makes the graphs equal: nodes are coloured
// by what they are, and again and again by the colours of their neighbours; where several share a colour, one is
// singled out in either graph and the colours are refined on.
func byStructure(ctx context.Context, a, b *csr.Snapshot, opt Options) (*Result, error) {
	r := &Result{By: ByStructure, limit: opt.Limit}
	c := &colouring{ctx: ctx, seed: maphash.MakeSeed(), sides: [2]*side{newSide(a), newSide(b)}, work: searchWork}
	for _, s := range c.sides {
		c.start(s)
	}
	c.refine()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !c.alike() {
		c.report(r)
		if r.Total() == 0 {
			r.add(&r.Rels, '~', func() string { return "the relationships differ, though the same nodes are there" })
		}
		return r, nil
	}
	ok, err := c.search()
	if err != nil {
		return nil, err
	}
	if ok {
		r.Equal = true
		return r, nil
	}
	if c.work <= 0 {
		return nil, ErrUndecided
	}
	r.add(&r.Rels, '~', func() string { return "the relationships differ, though nodes and their neighbours look alike" })
	return r, nil
}

// side is one graph of a comparison.
type side struct {
	s      *csr.Snapshot
	colour []uint64
	first  []uint64 // what the nodes are by themselves
	edges  []half   // every relationship at both its ends, by vertex
	at     []uint64 // where the halves of a vertex begin
}

// half is a relationship seen from one end.
type half struct {
	other csr.VertexID
	what  uint64 // type, properties and direction
}

type colouring struct {
	ctx   context.Context
	seed  maphash.Seed
	sides [2]*side
	work  int
}

func newSide(s *csr.Snapshot) *side {
	return &side{s: s, colour: make([]uint64, s.N()), first: make([]uint64, s.N())}
}

// start gives the colours of what nodes and relationships are by themselves.
func (c *colouring) start(s *side) {
	for v := range s.colour {
		id := csr.VertexID(v)
		s.first[v] = maphash.String(c.seed, fmt.Sprintf("%q %s %s", labels(s.s, id), exact(nodeProps(s.s, id)), external(s.s, id)))
		s.colour[v] = s.first[v]
	}
	s.at = make([]uint64, s.s.N()+2)
	for e := range s.s.AllEdges() {
		u, v := s.s.Endpoints(e)
		s.at[u+2]++
		s.at[v+2]++
	}
	for i := 1; i < len(s.at); i++ {
		s.at[i] += s.at[i-1]
	}
	s.edges = make([]half, 2*s.s.M())
	for e := range s.s.AllEdges() {
		u, v := s.s.Endpoints(e)
		text := fmt.Sprintf("%q %s", s.s.Types.Name(uint32(s.s.TypeOf(e))), exact(relProps(s.s, e)))
		out, in := maphash.String(c.seed, "out"+text), maphash.String(c.seed, "in"+text)
		s.edges[s.at[u+1]] = half{v, out}
		s.at[u+1]++
		s.edges[s.at[v+1]] = half{u, in}
		s.at[v+1]++
	}
}

// refine colours until no colour splits further.
func (c *colouring) refine() {
	for count := c.colours(); c.ctx.Err() == nil; {
		for _, s := range c.sides {
			c.step(s)
		}
		n := c.colours()
		if n == count {
			return
		}
		count = n
	}
}

// step colours every vertex by its colour and those of its neighbours.
func (c *colouring) step(s *side) {
	c.work -= len(s.colour) + len(s.edges)
	next := make([]uint64, len(s.colour))
	var around []uint64
	var bytes []byte
	for v := range next {
		around = around[:0]
		for _, h := range s.edges[s.at[v]:s.at[v+1]] {
			around = append(around, c.mix(h.what, s.colour[h.other]))
		}
		slices.Sort(around)
		bytes = binary.LittleEndian.AppendUint64(bytes[:0], s.colour[v])
		for _, x := range around {
			bytes = binary.LittleEndian.AppendUint64(bytes, x)
		}
		next[v] = maphash.Bytes(c.seed, bytes)
	}
	s.colour = next
}

func (c *colouring) mix(a, b uint64) uint64 {
	var buf [16]byte
	binary.LittleEndian.PutUint64(buf[:], a)
	binary.LittleEndian.PutUint64(buf[8:], b)
	return maphash.Bytes(c.seed, buf[:])
}

// colours counts the colours of the first graph.
func (c *colouring) colours() int {
	seen := make(map[uint64]bool)
	for _, x := range c.sides[0].colour {
		seen[x] = true
	}
	return len(seen)
}

// alike reports whether both graphs have every colour as often.
func (c *colouring) alike() bool {
	if len(c.sides[0].colour) != len(c.sides[1].colour) || len(c.sides[0].edges) != len(c.sides[1].edges) {
		return false
	}
	a, b := slices.Sorted(slices.Values(c.sides[0].colour)), slices.Sorted(slices.Values(c.sides[1].colour))
	return slices.Equal(a, b)
}

// report lists the nodes that differ by themselves, or else those whose surroundings do.
func (c *colouring) report(r *Result) {
	a, b := c.sides[0], c.sides[1]
	for _, what := range []struct {
		a, b []uint64
		note string
	}{{a.first, b.first, ""}, {a.colour, b.colour, ", or its surroundings,"}} {
		count := make(map[uint64]int)
		for _, x := range what.b {
			count[x]++
		}
		for _, v := range order(a.s) {
			if count[what.a[v]]--; count[what.a[v]] < 0 {
				r.add(&r.Nodes, '-', func() string { return Node(a.s, v) + surroundings(what.note) })
			}
		}
		clear(count)
		for _, x := range what.a {
			count[x]++
		}
		for _, w := range order(b.s) {
			if count[what.b[w]]--; count[what.b[w]] < 0 {
				r.add(&r.Nodes, '+', func() string { return Node(b.s, w) + surroundings(what.note) })
			}
		}
		if r.Total() > 0 {
			return
		}
	}
}

func surroundings(note string) string {
	if note == "" {
		return ""
	}
	return ": no node of the other graph has the same relationships around it"
}

// search singles out a vertex of the smallest colour that several share, tries every partner, and refines; at the end it
// checks the assignment relationship by relationship.
func (c *colouring) search() (bool, error) {
	if err := c.ctx.Err(); err != nil {
		return false, err
	}
	if c.work <= 0 {
		return false, nil
	}
	if c.twins(); !c.alike() {
		return false, nil
	}
	v, partners := c.choice()
	if partners == nil {
		return c.verify(), nil
	}
	before := [2][]uint64{c.sides[0].colour, c.sides[1].colour}
	for _, w := range partners {
		for i, s := range c.sides {
			s.colour = slices.Clone(before[i])
		}
		mark := c.mix(before[0][v], uint64(len(partners))<<1|1)
		c.sides[0].colour[v], c.sides[1].colour[w] = mark, mark
		c.refine()
		if c.alike() {
			if ok, err := c.search(); ok || err != nil {
				return ok, err
			}
		}
		if c.work <= 0 {
			return false, nil
		}
	}
	return false, nil
}

// twins singles out at once all vertices of a colour that have the very same neighbours: which of them is which of the
// other graph's cannot matter.
func (c *colouring) twins() {
	c.work -= len(c.sides[0].colour) + len(c.sides[0].edges)
	var cells [2]map[uint64][]csr.VertexID
	for i, s := range c.sides {
		cells[i] = make(map[uint64][]csr.VertexID)
		for v, x := range s.colour {
			cells[i][x] = append(cells[i][x], csr.VertexID(v))
		}
	}
	for x, cell := range cells[0] {
		other := cells[1][x]
		if len(cell) < 2 || len(cell) != len(other) || !c.same(c.sides[0], cell) || !c.same(c.sides[1], other) {
			continue
		}
		for i := range cell {
			mark := c.mix(x, uint64(i)<<1)
			c.sides[0].colour[cell[i]], c.sides[1].colour[other[i]] = mark, mark
		}
	}
}

// same reports whether all vertices of a cell have the same neighbours.
func (c *colouring) same(s *side, cell []csr.VertexID) bool {
	var want, have []half
	for i, v := range cell {
		have = append(have[:0], s.edges[s.at[v]:s.at[v+1]]...)
		slices.SortFunc(have, func(a, b half) int {
			if a.other != b.other {
				return cmp.Compare(a.other, b.other)
			}
			return cmp.Compare(a.what, b.what)
		})
		if i == 0 {
			want = slices.Clone(have)
		} else if !slices.Equal(want, have) {
			return false
		}
	}
	return true
}

// choice is a vertex of the first graph whose colour others share, and the vertices of the second with this colour.
func (c *colouring) choice() (v csr.VertexID, partners []csr.VertexID) {
	count := make(map[uint64]int)
	for _, x := range c.sides[0].colour {
		count[x]++
	}
	best := 0
	for u, x := range c.sides[0].colour {
		if n := count[x]; n > 1 && (best == 0 || n < best) {
			best, v = n, csr.VertexID(u)
		}
	}
	if best == 0 {
		return 0, nil
	}
	for w, x := range c.sides[1].colour {
		if x == c.sides[0].colour[v] {
			partners = append(partners, csr.VertexID(w))
		}
	}
	return v, partners
}

// verify checks the assignment that colours say, now that every vertex has its own.
func (c *colouring) verify() bool {
	a, b := c.sides[0], c.sides[1]
	at := make(map[uint64]csr.VertexID, len(b.colour))
	for w, x := range b.colour {
		at[x] = csr.VertexID(w)
	}
	var here, there [][2]uint64
	for v := range a.colour {
		w, ok := at[a.colour[v]]
		if !ok || a.first[v] != b.first[w] {
			return false
		}
		here, there = here[:0], there[:0]
		for _, h := range a.edges[a.at[v]:a.at[v+1]] {
			here = append(here, [2]uint64{h.what, a.colour[h.other]})
		}
		for _, h := range b.edges[b.at[w]:b.at[w+1]] {
			there = append(there, [2]uint64{h.what, b.colour[h.other]})
		}
		for _, l := range [][][2]uint64{here, there} {
			slices.SortFunc(l, func(x, y [2]uint64) int { return slices.Compare(x[:], y[:]) })
		}
		if !slices.Equal(here, there) {
			return false
		}
	}
	return true
}
