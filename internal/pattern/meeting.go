package pattern

import (
	"errors"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// A predicate may raise an error for elements that are in no match, for a search tests it as soon as it knows these elements. Such an
// error must not end a query. So whoever gets an error asks whether some match has the elements. If none has, the predicate might as well
// be false for them.

// Meeting returns a job whose matches are those of j with the elements of predicate i from vertices and edges, whether i holds there or not.
// There is a match if and only if j has a match that meets the predicate with these elements. A DISTINCT scope chooses among the matches of
// j after predicates have been tested, so the job has none.
func (j *Job) Meeting(i int, vertices []csr.VertexID, edges []csr.EdgeID) *Job {
	out := j.plain()
	p := out.Pattern
	q := &p.Predicates[i]
	for _, u := range q.Vertices {
		p.Vertices[u].Bound, out.Vertices[u] = true, vertices[u]
	}
	for _, e := range q.Edges {
		p.Edges[e].Bound, out.Edges[e] = true, edges[e]
	}
	*q = Predicate{Text: q.Text, Scope: q.Scope, Test: holdsAlways}
	return out.inOrder()
}

func holdsAlways([]csr.VertexID, []csr.EdgeID) (bool, error) { return true, nil }

// Failing returns a job whose matches are those of j for which predicate i is an error.
func (j *Job) Failing(i int) *Job {
	out := j.plain()
	q := &out.Pattern.Predicates[i]
	test := q.Test
	*q = Predicate{Text: q.Text, Vertices: q.Vertices, Edges: q.Edges, Scope: q.Scope, Given: q.Given, Test: func(vertices []csr.VertexID, edges []csr.EdgeID) (bool, error) {
		_, err := test(vertices, edges)
		if errors.Is(err, ErrMemory) {
			return false, err
		}
		return err != nil, nil
	}}
	return out.inOrder()
}

// plain returns a copy of j whose pattern may change. No scope is DISTINCT, and the copy has no order.
func (j *Job) plain() *Job {
	p := *j.Pattern
	p.Vertices, p.Edges, p.Predicates, p.Scopes = slices.Clone(p.Vertices), slices.Clone(p.Edges), slices.Clone(p.Predicates), slices.Clone(p.Scopes)
	out := &Job{Snapshot: j.Snapshot, Pattern: &p, Candidates: j.Candidates, Vertices: make([]csr.VertexID, len(p.Vertices)), Edges: make([]csr.EdgeID, len(p.Edges))}
	copy(out.Vertices, j.Vertices) // a job without bound elements may have none
	copy(out.Edges, j.Edges)
	if j.Share != nil && j.Share.All != nil {
		all := *j.Candidates
		all.Sets = j.Share.All
		out.Candidates = &all
	}
	for s := range p.Scopes {
		if sc := &p.Scopes[s]; sc.Distinct {
			sc.Distinct, sc.Mode = false, DifferentNodes
		}
	}
	return out
}

// inOrder gives j an order.
func (j *Job) inOrder() *Job {
	n := len(j.Pattern.Scopes)
	j.Order = Order{Steps: StepsOf(j.Pattern, j.bySize()), Symmetric: make([]bool, n), Chains: make([]Chain, n)}
	return j
}

// bySize lists the query vertices: bound ones first, then always one with the fewest candidates among those that an edge joins with
// vertices before it.
func (j *Job) bySize() (seq []int) {
	p := j.Pattern
	placed := make([]bool, len(p.Vertices))
	place := func(u int) {
		seq = append(seq, u)
		placed[u] = true
	}
	for u := range p.Vertices {
		if p.Vertices[u].Bound {
			place(u)
		}
	}
	size := func(u int) int {
		if j.Candidates == nil {
			return 0
		}
		return j.Candidates.Sets[u].Len()
	}
	joined := func(u int) bool {
		return slices.ContainsFunc(p.Edges, func(e Edge) bool { return e.From == u && placed[e.To] || e.To == u && placed[e.From] })
	}
	for len(seq) < len(p.Vertices) {
		best := -1
		for u := range p.Vertices {
			if !placed[u] && (best < 0 || joined(u) && !joined(best) || joined(u) == joined(best) && size(u) < size(best)) {
				best = u
			}
		}
		place(best)
	}
	return seq
}

// AnyMatch is a sink that takes one match and reads nothing of it.
type AnyMatch struct{ Found bool }

// NeedEdges implements Sink.
func (*AnyMatch) NeedEdges() bool { return false }

// Emit implements Sink.
func (f *AnyMatch) Emit([]Embedding) (more bool, err error) {
	f.Found = true
	return false, nil
}
