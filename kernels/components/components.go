package components

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Find returns the component of every vertex of s, NoComponent outside of r.Within. It charges its scratch to env.Memory, and not
// the result. It fails with pattern.ErrMemory or the context's error.
func Find(ctx context.Context, s *csr.Snapshot, r *pattern.ComponentRequest, env *pattern.Env) (*pattern.Components, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &components{ComponentRequest: r, ctx: ctx, s: s, env: env, n: int(s.N()), workers: max(1, env.Workers)}
	bytes := int64(4 * c.n)
	if r.Strong {
		bytes = strongBytes * int64(c.n)
	}
	defer func() { env.Memory.Release(bytes) }()
	if err := env.Memory.Charge(bytes); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { c.stop.Store(true) })()
	c.of = make([]uint32, c.n)
	if r.Strong {
		c.strong()
	} else {
		c.weak()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Strong {
		return c.number(), ctx.Err()
	}
	return c.numberTrees(), ctx.Err()
}

type components struct {
	*pattern.ComponentRequest
	ctx        context.Context
	s          *csr.Snapshot
	env        *pattern.Env
	n, workers int
	of         []uint32 // by vertex: a name of its component
	stop       atomic.Bool
}

func (c *components) has(v csr.VertexID) bool { return c.Within == nil || c.Within.Has(v) }

func (c *components) units(all, done int) {
	if t := c.env.Tally; t != nil {
		t.Units.Add(uint64(all))
		t.UnitsDone.Add(uint64(done))
	}
}

// number renumbers the components by their smallest vertices. Old names are below n.
func (c *components) number() *pattern.Components {
	out := &pattern.Components{Of: c.of}
	number := make([]uint32, c.n) // by name: 1 + the number
	for v, name := range c.of {
		if !c.has(csr.VertexID(v)) {
			c.of[v] = pattern.NoComponent
			continue
		}
		if number[name] == 0 {
			out.Size = append(out.Size, 0)
			number[name] = uint32(len(out.Size))
		}
		c.of[v] = number[name] - 1
		out.Size[c.of[v]]++
	}
	return out
}

// numberTrees is number for trees in which every vertex points to a smaller one, which has its number already, or is a root. So it needs
// no names.
func (c *components) numberTrees() *pattern.Components {
	out := &pattern.Components{Of: c.of}
	for v, above := range c.of {
		switch {
		case !c.has(csr.VertexID(v)):
			c.of[v] = pattern.NoComponent
		case int(above) == v:
			c.of[v] = uint32(len(out.Size))
			out.Size = append(out.Size, 1)
		default:
			c.of[v] = c.of[above]
			out.Size[c.of[v]]++
		}
	}
	return out
}

// weak makes a tree of every component, with the smallest vertex as its root.
func (c *components) weak() {
	for v := range c.of {
		c.of[v] = uint32(v)
	}
	c.units(2*c.n, 0)
	rest := 0
	if c.workers > 1 && c.env.Uses(pattern.ComponentFirst) { // a single worker joins fast without
		rest = 1
		c.links(0, 1)
		c.flatten()
	}
	c.units(0, c.n)
	joined := c.links(rest, math.MaxInt)
	if rest > 0 {
		c.env.Took(pattern.ComponentFirst, joined)
	}
	c.units(0, c.n)
}

// links links every vertex with the places from first to last of its row. It returns how many edges had both ends below one root before.
func (c *components) links(first, last int) uint64 {
	const chunk = 512
	var joined atomic.Uint64
	link := c.linkRow
	if c.workers == 1 {
		link = c.linkRowAlone
	}
	rels := c.s.FlatRels(c.Types)
	for t := range rels {
		r := &rels[t]
		if !c.Types.Has(csr.TypeID(t)) || len(r.Targets) == 0 {
			continue
		}
		parallel.For(c.workers, len(r.Offsets)-1, chunk, &c.stop, func(_, lo, hi int) {
			n := 0
			for i := lo; i < hi; i++ {
				v := r.Lo + csr.VertexID(i)
				row := r.Targets[r.Offsets[i]:r.Offsets[i+1]]
				if len(row) > first && c.has(v) && !c.stop.Load() {
					n += link(v, row[first:min(last, len(row))])
				}
			}
			joined.Add(uint64(n))
		})
	}
	return joined.Load()
}

func (c *components) linkRow(v csr.VertexID, row []csr.VertexID) (joined int) {
	for _, w := range row {
		if !c.has(w) {
			continue
		}
		if atomic.LoadUint32(&c.of[w]) == atomic.LoadUint32(&c.of[v]) || !c.link(uint32(v), uint32(w)) { // mostly the former
			joined++
		}
	}
	return joined
}

// linkRowAlone is linkRow where nobody else changes the trees. It keeps the root of v at hand.
func (c *components) linkRowAlone(v csr.VertexID, row []csr.VertexID) (joined int) {
	of, within := c.of, c.Within
	root := rootOf(of, uint32(v))
	for _, w := range row {
		if of[w] == root { // mostly; then w counts, too
			joined++
			continue
		}
		if within != nil && !within.Has(w) {
			continue
		}
		switch other := rootOf(of, uint32(w)); {
		case other == root:
			joined++
		case other < root:
			of[root], root = other, other
		default:
			of[other] = root
		}
		of[w] = root
	}
	of[v] = root
	return joined
}

// rootOf halves the path from v to its root.
func rootOf(of []uint32, v uint32) uint32 {
	for of[v] != v {
		of[v] = of[of[v]]
		v = of[v]
	}
	return v
}

// link joins the trees of v and w, with the larger root below the smaller, and reports whether they were apart.
func (c *components) link(v, w uint32) (linked bool) {
	a, b := atomic.LoadUint32(&c.of[v]), atomic.LoadUint32(&c.of[w])
	for linked = a != b; a != b; {
		high, low := max(a, b), min(a, b)
		above := atomic.LoadUint32(&c.of[high])
		if above == low || above == high && atomic.CompareAndSwapUint32(&c.of[high], high, low) {
			break
		}
		a, b = atomic.LoadUint32(&c.of[atomic.LoadUint32(&c.of[high])]), atomic.LoadUint32(&c.of[low])
	}
	return linked
}

// flatten points every vertex to its root.
func (c *components) flatten() {
	const chunk = 1 << 12
	parallel.For(c.workers, c.n, chunk, &c.stop, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			root := atomic.LoadUint32(&c.of[v])
			for {
				above := atomic.LoadUint32(&c.of[root])
				if above == root {
					break
				}
				root = above
			}
			atomic.StoreUint32(&c.of[v], root)
		}
	})
}

// strongBytes is the memory of strong, by vertex: the result, the stack, and a frame for a path through all vertices.
const strongBytes = 4 + 4 + 16

// frame is a vertex that the search has entered and not left.
type frame struct {
	at    uint64 // position in the view's targets
	v     csr.VertexID
	index uint32 // assigned when the search enters v
}

// tarjan is a depth-first search. of[v] is 0 before the search enters v. Then it is the least index known to be reachable from v among
// vertices without a component. In the end it is the name of v's component: names count down from n and exceed all indices.
type tarjan struct {
	*components
	adj         *csr.Adjacency
	path        []frame
	stack       []csr.VertexID // vertices that the search has left, in no component yet
	index, name uint32
	reads       int // entries of rows so far; a poll comes every PollEvery
}

func (c *components) strong() {
	adj, err := c.s.View(c.ctx, c.Types, csr.Out)
	if err != nil {
		return // Components returns the same error
	}
	t := &tarjan{components: c, adj: adj, index: 1, name: uint32(c.n)}
	c.units(c.n, 0)
	for v := range csr.VertexID(c.n) {
		if c.of[v] == 0 && c.has(v) {
			t.search(v)
		}
		if c.stop.Load() {
			return
		}
	}
	for v := range c.of {
		if c.of[v] > 0 {
			c.of[v]-- // names were 1 to n
		}
	}
}

func (t *tarjan) enter(v csr.VertexID) {
	at, _ := t.adj.Row(v)
	t.of[v] = t.index
	t.path = append(t.path, frame{at, v, t.index})
	t.index++
}

func (t *tarjan) search(v csr.VertexID) {
	t.enter(v)
	for len(t.path) > 0 {
		if t.reads++; t.reads%parallel.PollEvery == 0 && t.stop.Load() {
			return
		}
		if !t.descend(&t.path[len(t.path)-1]) {
			t.leave()
		}
	}
}

// descend follows f's row to the next vertex to enter, and reports whether it found one.
func (t *tarjan) descend(f *frame) bool {
	_, end := t.adj.Row(f.v)
	least := t.of[f.v]
	for ; f.at < end; f.at++ {
		w := t.adj.Targets[f.at]
		if !t.has(w) {
			continue
		}
		if t.of[w] == 0 {
			t.of[f.v] = least
			t.enter(w) // at stays: after leaving w the search reads w's index here
			return true
		}
		least = min(least, t.of[w])
	}
	t.of[f.v] = least
	return false
}

// leave pops the last vertex v of the path. If v reaches no vertex entered before it, v and the vertices on the stack since then
// make a component.
func (t *tarjan) leave() {
	f := t.path[len(t.path)-1]
	t.path = t.path[:len(t.path)-1]
	if t.of[f.v] < f.index {
		t.stack = append(t.stack, f.v)
		return
	}
	done := 1
	for n := len(t.stack); n > 0 && t.of[t.stack[n-1]] >= f.index; n-- {
		t.of[t.stack[n-1]] = t.name
		t.stack = t.stack[:n-1]
		done++
	}
	t.of[f.v] = t.name
	t.name--
	t.index -= uint32(done)
	t.units(0, done)
}
