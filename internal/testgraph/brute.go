package testgraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Brute is the device that follows the definitions in package pattern to the letter. It tries every assignment of
// vertices, and for each every choice of relationships. It is the oracle of the tests and of the flag --brute.
type Brute struct{}

var _ pattern.Device = Brute{}

// Name returns "brute force".
func (Brute) Name() string { return "brute force" }

// Answer answers r.
func (b Brute) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	s := r.Snapshot
	switch r.Kind {
	case pattern.KindFilter:
		a.Candidates, err = b.Filter(ctx, s, r.Pattern, env)
	case pattern.KindCount:
		a.Count, err = b.Count(ctx, r.Job, env)
	case pattern.KindMatch:
		err = b.Match(ctx, r.Job, env, r.Sink)
	case pattern.KindTriangles:
		var n uint64
		n, a.ByVertex, err = b.Triangles(ctx, s, r.Triangles.Types, r.Triangles.PerNode, env)
		a.Count = pattern.Count(n)
	case pattern.KindCores:
		a.Cores, err = b.Cores(ctx, s, r.Cores, env)
	case pattern.KindTrusses:
		a.Trusses, err = b.Trusses(ctx, s, r.Trusses, env)
	case pattern.KindBFS:
		a.Levels, err = b.BFS(ctx, s, r.Traversal, env)
	case pattern.KindComponents:
		a.Components, err = b.Components(ctx, s, r.Components, env)
	case pattern.KindShortestPath:
		a.Vertices, err = b.ShortestPath(ctx, s, r.Path, env)
	case pattern.KindPathSearch:
		a.PathSearch, err = b.PathSearch(ctx, r.PathJob, env)
	case pattern.KindDiameter:
		a.Diameter, err = b.Diameter(ctx, s, r.Diameter, env)
	case pattern.KindPageRank, pattern.KindArticleRank, pattern.KindEigenvector, pattern.KindDegree:
		a.Scores, err = b.Scores(ctx, s, r.Kind, r.Scores)
	case pattern.KindCloseness:
		a.Scores, err = b.Closeness(ctx, s, r.Scores)
	case pattern.KindDistances:
		a.Distances, err = b.Distances(ctx, s, r.WeightedPath)
	case pattern.KindWeightedPaths, pattern.KindAStar:
		a.WeightedPaths, err = b.WeightedPaths(ctx, s, r.WeightedPath)
	case pattern.KindSimilarity:
		a.Similarities, err = b.Similar(ctx, s, r.Similarity)
	case pattern.KindLabels:
		a.Communities, err = b.LabelPropagation(ctx, s, r.Community)
	case pattern.KindLouvain:
		a.Communities, err = b.Modular(ctx, s, r.Community)
	case pattern.KindBetweenness:
		a.Scores, err = b.Betweenness(ctx, s, r.Scores)
	default:
		return b.subgraphs(ctx, r, env)
	}
	return a, err
}

// subgraphs answers the requests for cliques and graphlets.
func (b Brute) subgraphs(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	s := r.Snapshot
	switch r.Kind {
	case pattern.KindCliqueCount:
		a.Count, err = b.CountCliques(ctx, s, r.Clique, env)
	case pattern.KindCliqueList:
		err = b.ListCliques(ctx, s, r.Clique, env, r.Emit)
	case pattern.KindCliqueSizes:
		a.Counts, err = b.AllCliques(ctx, s, r.Subgraph, r.Size, env)
	case pattern.KindCliquesPerVertex:
		a.Counts, err = b.CliquesPerVertex(ctx, s, r.Clique)
	case pattern.KindCliquesPerEdge:
		a.EdgeCounts, err = b.CliquesPerEdge(ctx, s, r.Subgraph, r.Size, env)
	case pattern.KindMaximalCliques:
		err = b.MaximalCliques(ctx, s, r.Subgraph, r.Size, env, r.Emit)
	case pattern.KindMaximumClique:
		a.Vertices, err = b.MaximumClique(ctx, s, r.Subgraph, env)
	case pattern.KindOrbits:
		a.Orbits, err = b.Orbits(ctx, s, r.Subgraph, r.Size)
	case pattern.KindMotifs:
		a.Counts, err = b.Motifs(ctx, s, r.Subgraph, r.Size, r.Induced)
	case pattern.KindTriads:
		a.Counts, err = b.Triads(ctx, s, r.Subgraph)
	default:
		err = fmt.Errorf("brute force cannot answer a request of kind %d", r.Kind)
	}
	return a, err
}

// Filter returns all vertices for every query vertex.
func (Brute) Filter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, _ *pattern.Env) (*pattern.Candidates, error) {
	all := pattern.NewCandidateSet(s.N(), slices.Collect(vertices(s)))
	return &pattern.Candidates{Sets: slices.Repeat([]*pattern.CandidateSet{all}, len(p.Vertices))}, ctx.Err()
}

func vertices(s *csr.Snapshot) func(func(csr.VertexID) bool) {
	return func(yield func(csr.VertexID) bool) {
		for v := csr.VertexID(0); uint64(v) < s.N() && yield(v); v++ {
		}
	}
}

// Count counts the matches that Match sends.
func (b Brute) Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (total pattern.Count128, err error) {
	err = b.Match(ctx, j, env, emitter(func(batch []pattern.Embedding) (bool, error) {
		total, err = total.Add(pattern.Count(1))
		return err == nil, err
	}))
	return total, err
}

// emitter is a sink that wants no edges.
type emitter func(batch []pattern.Embedding) (bool, error)

func (emitter) NeedEdges() bool                                { return false }
func (e emitter) Emit(batch []pattern.Embedding) (bool, error) { return e(batch) }

// errStop ends a search whose sink wants no more.
var errStop = errors.New("stop")

// Match sends one embedding of weight 1 for each match, with edges only if the sink needs them. For a Distinct scope it
// collects all matches first and charges them to env.Memory.
func (Brute) Match(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	m := &matcher{ctx: ctx, Job: j, env: env, sink: sink, pat: j.Pattern, snap: j.Snapshot}
	m.v = make([]csr.VertexID, len(m.pat.Vertices))
	m.e = make([]csr.EdgeID, len(m.pat.Edges))
	m.found = m.send
	if slices.ContainsFunc(m.pat.Scopes, func(s pattern.Scope) bool { return s.Distinct }) {
		m.found = m.keep
	}
	err := ctx.Err()
	if err == nil {
		err = m.vertex(0)
	}
	if err == nil {
		err = m.representatives()
	}
	if m.charged > 0 {
		env.Memory.Release(m.charged)
	}
	if err == errStop {
		return nil
	}
	return err
}

type matcher struct {
	*pattern.Job
	ctx     context.Context
	env     *pattern.Env
	sink    pattern.Sink
	pat     *pattern.Pattern
	snap    *csr.Snapshot
	v       []csr.VertexID // the assignment
	e       []csr.EdgeID
	found   func() error
	kept    []match // matches, for Distinct scopes
	charged int64
	tried   uint64
}

// vertex assigns query vertex u and all after it.
func (m *matcher) vertex(u int) error {
	if u == len(m.pat.Vertices) {
		return m.edge(0)
	}
	q := &m.pat.Vertices[u]
	for v := range vertices(m.snap) {
		if err := m.tick(); err != nil {
			return err
		}
		if q.Bound && v != m.Vertices[u] || !q.Labels.Admits(m.snap.LabelsOf(v)) {
			continue
		}
		m.v[u] = v
		if err := m.vertex(u + 1); err != nil {
			return err
		}
	}
	return nil
}

// tick counts a step and checks the context at some of them.
func (m *matcher) tick() error {
	const often = 1024
	if m.tried++; m.tried%often != 0 {
		return nil
	}
	if m.env.Tally != nil {
		m.env.Tally.Partial.Add(often)
	}
	return m.ctx.Err()
}

// edge assigns query edge i and all after it.
func (m *matcher) edge(i int) error {
	if i == len(m.pat.Edges) {
		return m.complete()
	}
	q := &m.pat.Edges[i]
	dir := csr.Out
	if q.Undirected {
		dir = csr.Both
	}
	v, w := m.v[q.From], m.v[q.To]
	choices := m.snap.Relationships(nil, v, w, q.Types, dir)
	if q.AtLeastOne {
		if v == w || len(choices) == 0 {
			return nil
		}
		choices = []csr.EdgeID{csr.NoEdge}
	}
	for _, e := range choices {
		if err := m.tick(); err != nil {
			return err
		}
		if q.Bound && e != m.Edges[i] {
			continue
		}
		m.e[i] = e
		if err := m.edge(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// complete tests the conditions between several elements, once every element is assigned.
func (m *matcher) complete() error {
	for i := range m.pat.Scopes {
		if !m.scope(&m.pat.Scopes[i]) {
			return nil
		}
	}
	for _, d := range m.pat.Different {
		if m.v[d[0]] == m.v[d[1]] {
			return nil
		}
	}
	var failed error // what is false rules an assignment out, even if something else raises an error
	for i := range m.pat.Predicates {
		p := &m.pat.Predicates[i]
		if p.Test == nil {
			return fmt.Errorf("predicate %q has no test", p.Text)
		}
		ok, err := p.Test(m.v, m.e)
		if err == nil && !ok {
			return nil
		}
		failed = cmp.Or(failed, err)
	}
	if failed != nil {
		return failed
	}
	return m.found()
}

// scope reports whether the assignment satisfies a scope's mode, and is induced if the scope says so.
func (m *matcher) scope(s *pattern.Scope) bool {
	nodes := s.Mode == pattern.DifferentNodes || s.Induced || s.Distinct
	for i, u := range s.Vertices {
		for _, w := range s.Vertices[:i] {
			if nodes && m.v[u] == m.v[w] || s.Induced && !m.induced(s, u, w) {
				return false
			}
		}
	}
	for i, e := range s.Edges {
		for _, f := range s.Edges[:i] {
			if (nodes || s.Mode == pattern.DifferentRelationships) && m.e[e] == m.e[f] && m.e[e] != csr.NoEdge {
				return false
			}
		}
	}
	return true
}

// induced reports whether the scope's edges bind every relationship of the induced types between the vertices of u and w.
// An AtLeastOne edge between them allows any number.
func (m *matcher) induced(s *pattern.Scope, u, w int) bool {
	var bound []csr.EdgeID
	for _, e := range s.Edges {
		q := &m.pat.Edges[e]
		if q.From == u && q.To == w || q.From == w && q.To == u {
			bound = append(bound, m.e[e])
		}
	}
	for _, e := range m.snap.Relationships(nil, m.v[u], m.v[w], s.InducedTypes, csr.Both) {
		if !slices.Contains(bound, e) && !slices.Contains(bound, csr.NoEdge) {
			return false
		}
	}
	return true
}

func (m *matcher) send() error {
	emb := pattern.Embedding{Vertices: m.v, Weight: 1}
	if m.sink.NeedEdges() {
		emb.Edges = m.e
	}
	if m.env.Tally != nil {
		m.env.Tally.Embeddings.Add(1)
	}
	more, err := m.sink.Emit([]pattern.Embedding{emb})
	if err == nil && !more {
		return errStop
	}
	return err
}
