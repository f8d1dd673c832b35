package join

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// DISTINCT SUBGRAPHS. Two matches are alike if they bind the same set of vertices and the same set of relationships inside the scope, and
// agree outside it: each is a rearrangement of the other. The search gives one of them.
//
// Where the matching order's constraints leave one match of each kind (Order.Symmetric), it is counted, or its smallest image
// under the scope's automorphisms is given in its place. Elsewhere the search finds every match, and decides by itself which
// to give. It lays the match's vertices and relationships out anew along the scope's order, smallest stable ids first.
// The first layout that is a match is the smallest of its kind, and only that is given.

// rearrangement is a scope that needs a look at every match.
type rearrangement struct {
	order []int // the elements that may move, as in pattern.Scope.Order
	preds []*pattern.Predicate
}

// symmetric reports whether the constraints of the order leave one match of each kind in scope i.
func (c *program) symmetric(i int) bool {
	return i < len(c.job.Order.Symmetric) && c.job.Order.Symmetric[i]
}

// planDistinct lists the scopes that need a look at every match, and those that give a representative.
func (c *compiler) planDistinct() {
	for i := range c.p.Scopes {
		sc := &c.p.Scopes[i]
		switch {
		case !sc.Distinct:
			continue
		case c.symmetric(i):
			if c.emit {
				c.replace = append(c.replace, i)
			}
			continue
		}
		r := &rearrangement{}
		for _, x := range slices.Concat(sc.Order, sc.Vertices, complements(sc.Edges)) {
			if c.moves(x) && !slices.Contains(r.order, x) {
				r.order = append(r.order, x)
			}
		}
		for j := range c.p.Predicates {
			if !c.settled(j) {
				r.preds = append(r.preds, &c.p.Predicates[j])
			}
		}
		c.distinct = append(c.distinct, r)
	}
}

// complements returns edges as elements of a scope's order.
func complements(edges []int) []int {
	out := make([]int, len(edges))
	for i, e := range edges {
		out[i] = ^e
	}
	return out
}

// moves reports whether element x of a scope's order is free: the job does not bind it.
func (c *compiler) moves(x int) bool {
	if x >= 0 {
		return !c.p.Vertices[x].Bound
	}
	return !c.p.Edges[^x].Bound && !c.p.Edges[^x].AtLeastOne
}

// settled reports whether the filter has tested predicate i on the candidates.
func (c *compiler) settled(i int) bool {
	u, single := c.p.Predicates[i].Single()
	return single && !c.p.Vertices[u].Bound && !slices.Contains(c.job.Candidates.Deferred, i)
}

// rearranger is one worker's search for the smallest layout.
type rearranger struct {
	*rearrangement
	w         *worker
	vertices  []csr.VertexID // the layout
	edges     []csr.EdgeID
	hasVertex []bool // by query vertex
	hasEdge   []bool // by query edge
	pool      []csr.VertexID
	rels      []csr.EdgeID
	usedV     []bool
	usedE     []bool
}

func newRearranger(w *worker, r *rearrangement) *rearranger {
	nv, ne := len(w.p.Vertices), len(w.p.Edges)
	return &rearranger{rearrangement: r, w: w, vertices: make([]csr.VertexID, nv), edges: make([]csr.EdgeID, ne),
		hasVertex: make([]bool, nv), hasEdge: make([]bool, ne), usedV: make([]bool, nv), usedE: make([]bool, ne)}
}

// smallest reports whether no rearrangement of the given match is a match with smaller ids.
func (r *rearranger) smallest(vertices []csr.VertexID, edges []csr.EdgeID) bool {
	s := r.w.s
	copy(r.vertices, vertices)
	copy(r.edges, edges)
	r.pool, r.rels = r.pool[:0], r.rels[:0]
	for u := range r.hasVertex {
		r.hasVertex[u] = true
	}
	for e := range r.hasEdge {
		r.hasEdge[e] = true
	}
	for _, x := range r.order {
		if x >= 0 {
			r.pool, r.hasVertex[x] = append(r.pool, vertices[x]), false
		} else {
			r.rels, r.hasEdge[^x] = append(r.rels, edges[^x]), false
		}
	}
	slices.SortFunc(r.pool, func(a, b csr.VertexID) int { return cmp.Compare(s.NodeID(a), s.NodeID(b)) })
	slices.SortFunc(r.rels, func(a, b csr.EdgeID) int { return cmp.Compare(s.RelID(a), s.RelID(b)) })
	r.lay(0)
	for i := range r.pool {
		r.usedV[i] = false
	}
	for i := range r.rels {
		r.usedE[i] = false
	}
	return slices.Equal(r.vertices, vertices) && slices.Equal(r.edges, edges)
}

// lay places the elements of the order from the i-th on and reports whether that is a match.
func (r *rearranger) lay(i int) bool {
	if i == len(r.order) {
		return r.matches()
	}
	if r.w.halted() {
		return false
	}
	x := r.order[i]
	if x < 0 {
		return r.layEdge(i, ^x)
	}
	set := r.w.steps[r.w.pos[x]].set
	if share := r.w.job.Share; share != nil { // the rearrangement may be a match of another share
		set = share.All[x]
	}
	for k, v := range r.pool {
		if r.usedV[k] || !set.Has(v) {
			continue
		}
		r.vertices[x], r.hasVertex[x], r.usedV[k] = v, true, true
		if r.holds(x) && r.lay(i+1) {
			return true
		}
		r.hasVertex[x], r.usedV[k] = false, false
	}
	return false
}

// layEdge is lay where the i-th element is edge e.
func (r *rearranger) layEdge(i, e int) bool {
	for k, rel := range r.rels {
		if r.usedE[k] {
			continue
		}
		r.edges[e], r.hasEdge[e], r.usedE[k] = rel, true, true
		if r.joins(e) && r.lay(i+1) {
			return true
		}
		r.hasEdge[e], r.usedE[k] = false, false
	}
	return false
}

// holds reports whether the chosen edges at u agree with its vertex.
func (r *rearranger) holds(u int) bool {
	for e := range r.w.p.Edges {
		if q := &r.w.p.Edges[e]; r.hasEdge[e] && (q.From == u || q.To == u) && !r.joins(e) {
			return false
		}
	}
	return true
}

// joins reports whether the relationship of e has one of its types and joins those of its ends that are placed. An AtLeastOne edge needs
// some relationship.
func (r *rearranger) joins(e int) bool {
	q := &r.w.p.Edges[e]
	from, to := r.vertices[q.From], r.vertices[q.To]
	if q.AtLeastOne {
		return !r.hasVertex[q.From] || !r.hasVertex[q.To] || from != to && r.w.between(e, r.vertices) > 0
	}
	if !q.Types.Has(r.w.s.TypeOf(r.edges[e])) {
		return false
	}
	src, dst := r.w.s.Endpoints(r.edges[e])
	fits := func(src, dst csr.VertexID) bool {
		return (!r.hasVertex[q.From] || from == src) && (!r.hasVertex[q.To] || to == dst)
	}
	return fits(src, dst) || q.Undirected && fits(dst, src)
}

// matches checks what lay does not: rules between vertices, and predicates.
func (r *rearranger) matches() bool {
	w := r.w
	for k := range w.steps {
		st := &w.steps[k]
		for _, x := range st.differ {
			if r.vertices[st.u] == r.vertices[x] {
				return false
			}
		}
		if st.breaks(r.vertices[st.u], r.vertices) != nil {
			return false
		}
	}
	for _, q := range r.preds {
		ok, err := q.Test(r.vertices, r.edges)
		if err != nil {
			ok = raise(w, q, r.vertices, r.edges, err)
		}
		if !ok {
			return false
		}
	}
	return true
}
