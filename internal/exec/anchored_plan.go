package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// newAnchoredMatch plans an anchoredMatch for a stage that runs for many rows. It returns nil where none can be used, and where each row
// promises so many matches that a search by the device is worth its start.
func newAnchoredMatch(m *matchStage) (*anchoredMatch, error) {
	if !m.inner {
		return nil, nil
	}
	q, err := planAnchored(m, nil)
	if q == nil || err != nil || m.job.Order.Cost/q.narrower >= smallRun {
		return nil, err
	}
	return q, nil
}

// planAnchored plans an anchoredMatch for m that gives its matches to held, if not nil. It returns nil where a scope chooses among the matches.
func planAnchored(m *matchStage, held *heldMatches) (*anchoredMatch, error) {
	p := m.job.Pattern
	if m.job.Snapshot != m.x.s { // the pattern speaks of relationships that a view has made
		return nil, nil
	}
	if m.clique != nil || m.x.plan.Brute || !m.env.Uses(pattern.RowProbe) ||
		slices.ContainsFunc(p.Scopes, func(s pattern.Scope) bool { return s.Distinct || s.Induced }) {
		return nil, nil
	}
	q := &anchoredMatch{held: held, m: m, s: m.x.s, p: p, narrower: 1, vertices: m.job.Vertices, edges: m.job.Edges}
	q.filterRan = len(m.job.Candidates.Tiers) > 0
	q.countOnly = m.plan.Count || m.left == nil && len(m.vertices) == 0 && len(m.edges) == 0
	return q, q.plan()
}

// plan lists the moves: given relationships first, then vertices by the matching order.
func (q *anchoredMatch) plan() error {
	placed, done := make([]bool, len(q.p.Vertices)), make([]bool, len(q.p.Edges))
	for u := range q.p.Vertices {
		placed[u] = q.p.Vertices[u].Bound
	}
	q.finish(&q.upfront, nil, nil, placed, done)
	for e := range q.p.Edges {
		if q.p.Edges[e].Bound {
			if err := q.add(follow, e, q.p.Edges[e].From, q.p.Edges[e].To, placed, done); err != nil {
				return err
			}
		}
	}
	if err := q.close(placed, done); err != nil {
		return err
	}
	for _, step := range q.m.job.Order.Steps {
		u := step.Vertex
		if placed[u] {
			continue
		}
		kind, e, from := scan, -1, -1
		for i := range q.p.Edges {
			x := &q.p.Edges[i]
			if done[i] || x.From == x.To {
				continue
			}
			if w := x.From + x.To - u; (x.From == u || x.To == u) && placed[w] {
				kind, e, from = expand, i, w
				break
			}
		}
		if err := q.add(kind, e, from, u, placed, done); err != nil {
			return err
		}
		if err := q.close(placed, done); err != nil {
			return err
		}
	}
	return nil
}

// close adds a move for every edge between vertices already placed.
func (q *anchoredMatch) close(placed, done []bool) error {
	for i := range q.p.Edges {
		if x := &q.p.Edges[i]; !done[i] && placed[x.From] && placed[x.To] {
			if err := q.add(closes, i, x.From, x.To, placed, done); err != nil {
				return err
			}
		}
	}
	return nil
}

func (q *anchoredMatch) add(kind moveKind, e, from, to int, placed, done []bool) error {
	v := move{kind: kind, edge: e, from: from, to: to}
	before := slices.Clone(placed)
	doneBefore := slices.Clone(done)
	if e >= 0 {
		x := &q.p.Edges[e]
		v.types, v.dir = x.Types, csr.Both
		if !x.Undirected && !x.AtLeastOne {
			if v.dir = csr.Out; from != x.From {
				v.dir = csr.In
			}
		}
		v.ids = kind != follow && !x.AtLeastOne && q.needsID(e)
		if kind != follow {
			if q.held != nil {
				v.late = newLateRows(q.m.x.ctx, q.s, v.types, v.dir, v.ids)
			}
			var err error
			if v.late == nil {
				if v.adj, err = q.s.View(q.m.x.ctx, v.types, v.dir); err != nil {
					return err
				}
			}
		}
		v.fresh = [2]bool{!placed[from], !placed[to]}
		placed[from], done[e] = true, true
	}
	placed[to] = true
	if kind == scan {
		if q.held != nil {
			most := int(q.held.steps) + 1
			v.list, v.cut = q.m.job.Candidates.Sets[to].First(most), q.m.job.Candidates.Sets[to].Len() > most
		} else {
			v.list = q.m.job.Candidates.Sets[to].List()
		}
		var err error
		if v.table, err = q.newTable(to, before); err != nil {
			return err
		}
		if v.table != nil {
			q.narrower *= float64(max(1, len(v.list)))
		}
		for i := range q.p.Predicates {
			if p := &q.p.Predicates[i]; p.Given && p.Seek != nil && p.Vertices[0] == to {
				v.seeks = append(v.seeks, i)
			}
		}
	}
	if set := q.m.job.Candidates.Sets[to]; kind == expand && uint64(set.Len()) < q.s.N() {
		v.set = set
	}
	q.finish(&v.ask, before, doneBefore, placed, done)
	q.moves = append(q.moves, v)
	return nil
}

// needsID reports whether the match must know the relationship of edge e, not only how many there are.
func (q *anchoredMatch) needsID(e int) bool {
	if slices.ContainsFunc(q.m.edges, func(p place) bool { return p.element == e }) {
		return true
	}
	for i := range q.p.Predicates {
		if slices.Contains(q.p.Predicates[i].Edges, e) {
			return true
		}
	}
	for f := range q.p.Edges {
		if how, may := q.mayClash(e, f); may && how == byID {
			return true
		}
	}
	return false
}

// mayClash reports whether edges e and f must differ, and how to test it.
func (q *anchoredMatch) mayClash(e, f int) (how clashKind, may bool) {
	x, y := &q.p.Edges[e], &q.p.Edges[f]
	if e == f || x.Scope != y.Scope || x.AtLeastOne || y.AtLeastOne || !x.Types.Overlaps(y.Types) {
		return 0, false
	}
	switch q.p.Scopes[x.Scope].Mode {
	case pattern.RepeatableElements:
		return 0, false
	case pattern.DifferentNodes:
		if min(x.From, x.To) != min(y.From, y.To) || max(x.From, x.To) != max(y.From, y.To) {
			return 0, false
		}
	}
	same := (x.Types == nil) == (y.Types == nil) && slices.Equal(x.Types, y.Types) && x.Undirected == y.Undirected
	switch {
	case same && x.Undirected && !q.repeats(x.Types, csr.Both):
		return byPair, true
	case same && !x.Undirected && !q.repeats(x.Types, csr.Out):
		return byEnds, true
	}
	return byID, true
}

// repeats reports whether a neighbour may stand for several relationships.
func (q *anchoredMatch) repeats(types csr.TypeSet, dir csr.Direction) bool {
	if q.held != nil {
		if rows := csr.RowsByType(q.m.x.ctx, q.s, types, dir); rows != nil {
			return len(rows) > 1 || rows[0].Repeats()
		}
	}
	return q.s.Adjacency(types, dir).Counts != nil
}

// finish gives a move the tests that it makes possible: those whose elements are complete now and were not before.
func (q *anchoredMatch) finish(a *ask, before, doneBefore, placed, done []bool) {
	complete := func(vertices, edges []int) bool {
		return all(placed, vertices) && all(done, edges) && (before == nil || !all(before, vertices) || !all(doneBefore, edges))
	}
	apart := slices.Clone(q.p.Different)
	for i := range q.p.Scopes {
		if s := &q.p.Scopes[i]; s.Mode == pattern.DifferentNodes {
			for j, u := range s.Vertices {
				for _, w := range s.Vertices[:j] {
					apart = append(apart, [2]int{u, w})
				}
			}
		}
	}
	for _, d := range apart {
		if complete(d[:], nil) {
			a.apart = append(a.apart, d)
		}
	}
	for u := range q.p.Vertices {
		if v := &q.p.Vertices[u]; v.Labels != nil && (v.Bound || !q.filterRan) && complete([]int{u}, nil) {
			a.labels = append(a.labels, u)
		}
	}
	for e := range q.p.Edges {
		for f := range e {
			if how, may := q.mayClash(e, f); may && complete(nil, []int{e, f}) {
				a.clashes = append(a.clashes, clash{e, f, how})
			}
		}
	}
	for i := range q.p.Predicates {
		t := &q.p.Predicates[i]
		if u, single := t.Single(); single && q.filterRan && !q.p.Vertices[u].Bound && !slices.Contains(q.m.job.Candidates.Deferred, i) {
			continue // the filter tested it
		}
		if complete(t.Vertices, t.Edges) {
			a.tests, a.preds = append(a.tests, t.Test), append(a.preds, i)
		}
	}
}

func all(set []bool, items []int) bool {
	for _, i := range items {
		if !set[i] {
			return false
		}
	}
	return true
}
