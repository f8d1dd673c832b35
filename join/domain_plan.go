package join

import (
	"slices"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// domainPlan is what forward checking needs to know of a program. All workers share it.
type domainPlan struct {
	universe  []csr.VertexID   // the candidates of all query vertices, rising
	words     int              // of a bitmap over the universe
	views     []*csr.Adjacency // that the relations name by their number
	vertices  []domainVertex   // by query vertex
	free      []uint64         // by number of steps taken: the query vertices still to come, as bits
	numbered  uint64           // steps that are taken by the number of their choices, as bits
	until     int              // the last step at which the search may begin
	bytes     int              // of the domains of all levels
	rowsBytes int              // of all rows
}

// domainVertex is a query vertex with its domain. The domain is a part of a bitmap over the universe.
type domainVertex struct {
	first, words int      // the part
	all          []uint64 // its candidates
	size         int32    // how many these are
	degree       uint32   // query vertices that must be its neighbours
	relations    []relation
	preds        []domainPredicate
	clashes      []domainClash
}

// relation says what a matched query vertex asks of another one.
type relation struct {
	to           int
	near, far    []int // views: the vertex must, or must not, be among the neighbours
	differ       bool  // it must be another vertex
	above, below bool  // it must have a higher or a lower number
}

// domainPredicate is a predicate on the query vertices given as bits.
type domainPredicate struct {
	pred              *pattern.Predicate
	vertices, reasons uint64
}

// domainClash says that not all pairs of query vertices may be equal. The vertices are given as bits, too.
type domainClash struct {
	pairs             [][2]int
	vertices, reasons uint64
}

// domainPlanner makes the plan of a program.
type domainPlanner struct{ *compiler }

// plan returns the plan, or nil if the program asks for what domains do not know, such as weights, or has too many candidates.
func (c domainPlanner) plan() *domainPlan {
	if c.root > 0 || len(c.segments) != 1 || len(c.steps) > 64 || c.enumerate || c.tail >= 0 || c.job.DistinctPrefix > 0 || len(c.distinct)+len(c.replace) > 0 {
		return nil
	}
	c.views = filter.ViewsOf(c.s)
	p := &domainPlan{vertices: make([]domainVertex, len(c.steps)), until: len(c.steps), free: make([]uint64, len(c.steps)+1)}
	if !c.addCandidates(p) {
		return nil
	}
	for k := len(c.steps) - 1; k >= 0; k-- {
		st := &c.steps[k]
		if !c.knows(st) {
			return nil
		}
		p.free[k] = p.free[k+1] | 1<<st.u
		if st.countable && st.noDependents {
			p.numbered |= 1 << k
			if c.subtracted(p, k) {
				p.until = k
			}
		}
		for earlier := range k {
			c.relate(p, c.steps[earlier].u, st.u)
		}
		c.addConditions(p, st)
	}
	p.rowsBytes = len(p.views) * len(p.universe) * (8*p.words + 24)
	return p
}

// knows reports whether domains can express all that a step asks for.
func (c domainPlanner) knows(st *step) bool {
	if len(st.multi)+len(st.loops)+len(st.boundEdges)+len(st.edgeTests) > 0 || st.weighs || st.memo.kind != memoNone {
		return false
	}
	weighs := func(x clash) bool { return !x.kill }
	byValue := func(s source) bool { return s.from < 0 || s.values != nil }
	counts := func(r inducedRule) bool { return r.edges > 0 }
	if slices.ContainsFunc(st.clashes, weighs) || slices.ContainsFunc(st.sources, byValue) || slices.ContainsFunc(st.inducedRules, counts) {
		return false
	}
	relationships := func(sc pattern.Scope) bool { return mode(&sc) == pattern.DifferentRelationships }
	return st.subtract == 0 || !slices.ContainsFunc(c.p.Scopes, relationships) // else clashes may have been taken off the step
}

// subtracted reports whether a later step subtracts the vertex of step k from the number of its choices. Domains would have to know it.
func (c domainPlanner) subtracted(p *domainPlan, k int) bool {
	return slices.ContainsFunc(c.steps[k+1:], func(st step) bool {
		return c.mustDiffer(st.u, c.steps[k].u) && p.share(st.u, c.steps[k].u)
	})
}

// addCandidates makes the universe and the domains. It reports false if they are too large.
func (c domainPlanner) addCandidates(p *domainPlan) bool {
	for k := range c.steps {
		list := c.steps[k].set.List()
		if len(list) > maxDomain {
			return false
		}
		p.universe = append(p.universe, list...)
	}
	slices.Sort(p.universe)
	p.universe = slices.Compact(p.universe)
	if len(p.universe) > maxDomain {
		return false
	}
	p.words = (len(p.universe) + 63) / 64
	for k := range c.steps {
		v, list := &p.vertices[c.steps[k].u], c.steps[k].set.List()
		row := make([]uint64, p.words)
		p.mark(row, list)
		v.first = p.placeOf(list[0]) >> 6
		v.words = p.placeOf(list[len(list)-1])>>6 + 1 - v.first
		v.all, v.size = row[v.first:v.first+v.words], int32(len(list))
		p.bytes += 8 * v.words * len(c.steps)
	}
	return true
}

// placeOf returns the place of a candidate in the universe.
func (p *domainPlan) placeOf(v csr.VertexID) int { return sets.LowerBound(p.universe, v) }

// mark sets the bits of the vertices of list that are in the universe.
func (p *domainPlan) mark(row []uint64, list []csr.VertexID) {
	at := 0
	for _, v := range list {
		at += sets.LowerBound(p.universe[at:], v)
		if at == len(p.universe) {
			return
		}
		if p.universe[at] == v {
			row[at>>6] |= 1 << (at & 63)
		}
	}
}

// relate notes what the query vertices u and x ask of each other. The step of x comes later.
func (c domainPlanner) relate(p *domainPlan, u, x int) {
	there, back := relation{to: x}, relation{to: u}
	for i := range c.p.Edges {
		if e := &c.p.Edges[i]; e.From == u && e.To == x || e.From == x && e.To == u {
			there.near = append(there.near, c.viewOf(p, e.Types, seenFrom(e, u)))
			back.near = append(back.near, c.viewOf(p, e.Types, seenFrom(e, x)))
		}
	}
	st := &c.steps[c.pos[x]]
	for _, r := range st.inducedRules {
		if r.from == u {
			there.far = append(there.far, p.number(r.view))
		}
	}
	back.far = there.far // INDUCED looks in both directions
	there.differ = c.mustDiffer(u, x) && p.share(u, x)
	back.differ = there.differ
	there.above, there.below = slices.Contains(st.less, u), slices.Contains(st.greater, u)
	back.above, back.below = there.below, there.above
	if len(there.near) > 0 {
		p.vertices[u].degree++
		p.vertices[x].degree++
	}
	if len(there.near)+len(there.far) > 0 || there.differ || there.above || there.below {
		p.vertices[u].relations = append(p.vertices[u].relations, there)
		p.vertices[x].relations = append(p.vertices[x].relations, back)
	}
}

// viewOf returns the number of a view.
func (c domainPlanner) viewOf(p *domainPlan, types csr.TypeSet, dir csr.Direction) int {
	return p.number(c.views.Of(types, dir))
}

// number returns the number of a view.
func (p *domainPlan) number(view *csr.Adjacency) int {
	at := slices.Index(p.views, view)
	if at < 0 {
		at, p.views = len(p.views), append(p.views, view)
	}
	return at
}

// share reports whether two query vertices have a candidate in common.
func (p *domainPlan) share(u, x int) bool {
	a, b := &p.vertices[u], &p.vertices[x]
	lo, hi := max(a.first, b.first), min(a.first+a.words, b.first+b.words)
	return lo < hi && overlap(a.all[lo-a.first:hi-a.first], b.all[lo-b.first:hi-b.first])
}

// addConditions adds what a step asks of several vertices at once.
func (c domainPlanner) addConditions(p *domainPlan, st *step) {
	for _, q := range st.preds {
		d := domainPredicate{pred: q, reasons: c.reasonsOf(q)}
		for _, u := range q.Vertices {
			d.vertices |= 1 << u
		}
		for _, u := range q.Vertices {
			p.vertices[u].preds = append(p.vertices[u].preds, d)
		}
	}
	for _, x := range st.clashes {
		pairs := slices.Clone(x.when)
		if x.x >= 0 {
			pairs = append(pairs, [2]int{st.u, x.x})
		}
		if len(pairs) == 1 {
			a, b := pairs[0][0], pairs[0][1]
			p.vertices[a].relations = append(p.vertices[a].relations, relation{to: b, differ: true})
			p.vertices[b].relations = append(p.vertices[b].relations, relation{to: a, differ: true})
			continue
		}
		d := domainClash{pairs: pairs}
		for _, pair := range pairs {
			d.vertices |= 1<<pair[0] | 1<<pair[1]
			d.reasons |= 1<<c.pos[pair[0]] | 1<<c.pos[pair[1]]
		}
		for u := range p.vertices {
			if d.vertices>>u&1 != 0 {
				p.vertices[u].clashes = append(p.vertices[u].clashes, d)
			}
		}
	}
}
