//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// joinSteps is the most query vertices of a join on the device.
const joinSteps = 16

// joinPlan is a job in terms of what the kernel does step by step.
type joinPlan struct {
	job      *pattern.Job
	pos      []int // step of each query vertex
	steps    []joinStep
	weighted bool                               // an edge may stand for several relationships
	lengths  bool                               // the last step may be counted by the lengths of lists
	counted  int                                // the first step that is, once the plan is laid
	sets     map[*pattern.CandidateSet]onDevice // as far as they are there
}

// joinStep extends partial matches by query vertex u. Steps are given as bits.
type joinStep struct {
	u             int
	differ        uint16 // steps whose vertex this one's must differ from
	less, greater uint16 // steps whose vertex must be smaller, greater
	sources       []joinSource
	checks        []joinCheck
}

// joinSource says that the vertex is among the neighbours of that of a step (its own, for a loop).
type joinSource struct {
	step int
	view joinView
}

// joinView is adjacency by its types and direction.
type joinView struct {
	types csr.TypeSet
	dir   csr.Direction
}

func (v joinView) same(w joinView) bool { return v.dir == w.dir && sameTypes(v.types, w.types) }

func sameTypes(a, b csr.TypeSet) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// joinCheck asks for a number of relationships between a step's vertex and another one (CHECK_ in join.cu).
type joinCheck struct {
	kind   uint64
	step   int
	view   joinView
	number int
	pairs  []uint64 // edges that may coincide with this one: the steps to compare, in two ways
}

const (
	checkWeight uint64 = iota
	checkNumber
	checkAbsent
)

// leavesLast puts vertices that only one edge leads to behind all others, where they can be counted by the lengths of lists. It is for
// counts, and for orders without constraints by symmetry.
func leavesLast(j *pattern.Job) *pattern.Job {
	degree := make([]int, len(j.Pattern.Vertices))
	for i := range j.Pattern.Edges {
		degree[j.Pattern.Edges[i].From]++
		degree[j.Pattern.Edges[i].To]++
	}
	var inner, leaves []int
	for _, st := range j.Order.Steps {
		if len(st.Less)+len(st.Greater) > 0 {
			return j
		}
		if degree[st.Vertex] == 1 {
			leaves = append(leaves, st.Vertex)
		} else {
			inner = append(inner, st.Vertex)
		}
	}
	if len(inner) == 0 || len(leaves) == 0 {
		return j
	}
	own := *j
	own.Order.Steps = nil
	seq := append(inner, leaves...)
	for k, u := range seq {
		st := pattern.Step{Vertex: u}
		for i := range j.Pattern.Edges {
			if e := &j.Pattern.Edges[i]; max(slices.Index(seq, e.From), slices.Index(seq, e.To)) == k {
				st.Backward = append(st.Backward, i)
			}
		}
		own.Order.Steps = append(own.Order.Steps, st)
	}
	return &own
}

func declined(why string) error { return fmt.Errorf("%w: %s", ErrDeclined, why) }

// planJoin makes the plan of a job, if the device can do it exactly.
func planJoin(j *pattern.Job) (*joinPlan, error) {
	p := &joinPlan{job: j, pos: make([]int, len(j.Pattern.Vertices))}
	if why := p.beyond(); why != "" {
		return nil, declined(why)
	}
	for k, st := range j.Order.Steps {
		p.pos[st.Vertex] = k
	}
	var closed []int // edges with a relationship of their own, of this step and earlier ones
	for k, st := range j.Order.Steps {
		s := joinStep{u: st.Vertex, less: p.stepsOf(st.Less), greater: p.stepsOf(st.Greater)}
		for _, i := range st.Backward {
			if why := p.closeEdge(&s, i, closed); why != "" {
				return nil, declined(why)
			}
			if !j.Pattern.Edges[i].AtLeastOne {
				closed = append(closed, i)
			}
		}
		for w, at := range p.pos {
			if at < k && p.mustDiffer(s.u, w) && !p.apart(s.u, w) {
				s.differ |= 1 << at
			}
		}
		p.induced(&s)
		p.absent(&s)
		p.steps = append(p.steps, s)
	}
	return p, nil
}

// beyond says what in the job the device has no way for.
func (p *joinPlan) beyond() string {
	j := p.job
	n := len(j.Pattern.Vertices)
	switch {
	case j.Candidates == nil || len(j.Order.Steps) != n:
		return "no candidates"
	case n < 2:
		return "one vertex"
	case n > joinSteps:
		return fmt.Sprintf("more than %d vertices", joinSteps)
	case j.Snapshot.N() >= 1<<27:
		return "more than 2^27 nodes"
	case j.DistinctPrefix > 0:
		return "one match of each kind is enough"
	}
	for _, v := range j.Pattern.Vertices {
		if v.Bound {
			return "given nodes"
		}
	}
	for _, e := range j.Pattern.Edges {
		if e.Bound {
			return "given relationships"
		}
	}
	for i, sc := range j.Pattern.Scopes {
		if sc.Distinct && (i >= len(j.Order.Symmetric) || !j.Order.Symmetric[i]) {
			return "DISTINCT match by match"
		}
	}
	for i := range j.Pattern.Predicates {
		q := &j.Pattern.Predicates[i]
		if _, single := q.Single(); (!single || slices.Contains(j.Candidates.Deferred, i)) && q.Absent == nil {
			return "the condition " + q.Text
		}
	}
	return ""
}

func (p *joinPlan) stepsOf(vertices []int) (set uint16) {
	for _, u := range vertices {
		set |= 1 << p.pos[u]
	}
	return set
}

// closeEdge adds what edge i, whose other end is known, asks of s. closed lists the edges that may take its relationship.
func (p *joinPlan) closeEdge(s *joinStep, i int, closed []int) (beyond string) {
	e := &p.job.Pattern.Edges[i]
	from := e.From + e.To - s.u
	view := joinView{e.Types, csr.Out}
	if from != s.u {
		view.dir = seenFrom(e, from)
	}
	source := joinSource{p.pos[from], view}
	if !slices.ContainsFunc(s.sources, func(o joinSource) bool { return o.step == source.step && o.view.same(view) }) {
		s.sources = append(s.sources, source)
	}
	if e.AtLeastOne {
		if from == s.u {
			return "a relationship of a node with itself that joins different ones"
		}
		return ""
	}
	check := joinCheck{kind: checkWeight, step: source.step, view: view}
	for _, f := range closed {
		pair, coincide, why := p.coincide(i, f)
		if why != "" {
			return why
		}
		if coincide {
			check.pairs = append(check.pairs, pair)
		}
	}
	several := p.adjacency(view).Counts != nil
	p.weighted = p.weighted || several
	if several || len(check.pairs) > 0 {
		s.checks = append(s.checks, check)
	}
	return ""
}

// seenFrom is the direction of e as seen from its end u.
func seenFrom(e *pattern.Edge, u int) csr.Direction {
	switch {
	case e.Undirected:
		return csr.Both
	case e.From == u:
		return csr.Out
	}
	return csr.In
}

func (p *joinPlan) adjacency(v joinView) *csr.Adjacency {
	return p.job.Snapshot.Adjacency(v.types, v.dir)
}

// never marks a way in which two edges cannot coincide.
const never = 0xff

// coincide tells how edges i and f may be matched to the same pair of vertices, so that they must share its relationships. Edges
// that ask for the same take them one by one: each has as many to choose from as those before it have left. For edges that
// ask for different ones that overlap, the device counts only where a pair never has more than one relationship.
func (p *joinPlan) coincide(i, f int) (pair uint64, may bool, beyond string) {
	a, b := &p.job.Pattern.Edges[i], &p.job.Pattern.Edges[f]
	scope := &p.job.Pattern.Scopes[a.Scope]
	if a.Scope != b.Scope || modeOf(scope) == pattern.RepeatableElements || !a.Types.Overlaps(b.Types) {
		return 0, false, ""
	}
	straight := p.way([2]int{a.From, b.From}, [2]int{a.To, b.To})
	crossed := uint64(never)
	if a.Undirected || b.Undirected {
		crossed = p.way([2]int{a.From, b.To}, [2]int{a.To, b.From})
	}
	if modeOf(scope) == pattern.DifferentNodes && !sameEnds(a, b) || straight == never && crossed == never {
		return 0, false, ""
	}
	alike := a.Undirected == b.Undirected && sameTypes(a.Types, b.Types)
	if !alike && !p.job.Snapshot.Stats.SimpleUnion(a.Types.Union(b.Types)) {
		return 0, false, "relationships that only some edges of the pattern can take"
	}
	return straight | crossed<<32, true, ""
}

// way is what has to be equal, by steps; never if it is known not to be.
func (p *joinPlan) way(x, y [2]int) uint64 {
	for _, q := range [][2]int{x, y} {
		if q[0] != q[1] && (p.mustDiffer(q[0], q[1]) || p.apart(q[0], q[1])) {
			return never
		}
	}
	return uint64(p.pos[x[0]]) | uint64(p.pos[x[1]])<<8 | uint64(p.pos[y[0]])<<16 | uint64(p.pos[y[1]])<<24
}

func sameEnds(e, f *pattern.Edge) bool {
	return e.From == f.From && e.To == f.To || e.From == f.To && e.To == f.From
}

// modeOf is the mode of a scope, with what Induced and Distinct imply.
func modeOf(sc *pattern.Scope) pattern.Mode {
	if sc.Induced || sc.Distinct {
		return pattern.DifferentNodes
	}
	return sc.Mode
}

// mustDiffer reports whether a scope's mode, a Different pair or an edge of the AtLeastOne kind keeps u and w apart.
func (p *joinPlan) mustDiffer(u, w int) bool {
	pat := p.job.Pattern
	for i := range pat.Scopes {
		sc := &pat.Scopes[i]
		if modeOf(sc) == pattern.DifferentNodes && slices.Contains(sc.Vertices, u) && slices.Contains(sc.Vertices, w) {
			return true
		}
	}
	for _, d := range pat.Different {
		if d == [2]int{u, w} || d == [2]int{w, u} {
			return true
		}
	}
	return slices.ContainsFunc(pat.Edges, func(e pattern.Edge) bool {
		return e.AtLeastOne && (e.From == u && e.To == w || e.From == w && e.To == u)
	})
}

// apart reports whether no match can give u and w the same vertex: an edge without loops joins them, or their candidates differ.
func (p *joinPlan) apart(u, w int) bool {
	for i := range p.job.Pattern.Edges {
		e := &p.job.Pattern.Edges[i]
		if (e.From == u && e.To == w || e.From == w && e.To == u) && p.adjacency(joinView{e.Types, seenFrom(e, e.From)}).Loops == 0 {
			return true
		}
	}
	a, b := p.job.Candidates.Sets[u], p.job.Candidates.Sets[w]
	if a == b {
		return a.Len() == 0
	}
	for i, x := range a.Bits() {
		if x&b.Bits()[i] != 0 {
			return false
		}
	}
	return true
}

// induced adds what INDUCED asks of the vertex of s and earlier ones: as many relationships, in either direction, as the scope
// has edges between the two. An AtLeastOne edge allows any number, and where a pair has one at most, an edge has found it.
func (p *joinPlan) induced(s *joinStep) {
	for i := range p.job.Pattern.Scopes {
		sc := &p.job.Pattern.Scopes[i]
		if !sc.Induced || !slices.Contains(sc.Vertices, s.u) {
			continue
		}
		view := joinView{sc.InducedTypes, csr.Both}
		for _, w := range sc.Vertices {
			if p.pos[w] >= p.pos[s.u] {
				continue
			}
			edges, several := 0, false
			for _, e := range sc.Edges {
				if q := &p.job.Pattern.Edges[e]; q.From == w && q.To == s.u || q.From == s.u && q.To == w {
					edges++
					several = several || q.AtLeastOne
				}
			}
			if several || edges == 1 && p.adjacency(view).Counts == nil {
				continue
			}
			s.checks = append(s.checks, joinCheck{kind: checkNumber, step: p.pos[w], view: view, number: edges})
		}
	}
}

// absent adds the conditions that two vertices, of which that of s is the later one, are not joined.
func (p *joinPlan) absent(s *joinStep) {
	for i := range p.job.Pattern.Predicates {
		e := p.job.Pattern.Predicates[i].Absent
		if e == nil || e.From == e.To || e.From != s.u && e.To != s.u {
			continue
		}
		if w := e.From + e.To - s.u; p.pos[w] < p.pos[s.u] {
			s.checks = append(s.checks, joinCheck{kind: checkAbsent, step: p.pos[w], view: joinView{e.Types, seenFrom(e, w)}})
		}
	}
}
