package gpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/cuda"
	"github.com/motifql/motif/planner/match"
)

// labels is how many labels the nodes of labelled graphs are dealt.
const labels = 5

// labelOf is the label of a vertex of a labelled graph.
func labelOf(v uint32) int { return int(mix(uint64(v)^42) % labels) }

// query is a pattern whose vertices ask for a label each, in turn, and must differ.
type query struct {
	name  string
	edges [][2]int
}

// queries are the shapes that GpSI and others are compared on, small ones first.
var queries = []query{
	{"path of 4", [][2]int{{0, 1}, {1, 2}, {2, 3}}},
	{"triangle", [][2]int{{0, 1}, {0, 2}, {1, 2}}},
	{"cycle of 4", [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}},
	{"diamond", [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}},
	{"4-clique", [][2]int{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}},
	{"5-clique", [][2]int{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}},
}

// pattern is the query for a labelled graph.
func (q *query) pattern() *pattern.Pattern {
	p := &pattern.Pattern{}
	scope := pattern.Scope{Mode: pattern.DifferentNodes}
	for i, e := range q.edges {
		for _, u := range e {
			for len(p.Vertices) <= u {
				v := len(p.Vertices)
				p.Vertices = append(p.Vertices, pattern.Vertex{Name: fmt.Sprint("v", v),
					Labels: &pattern.Label{Op: pattern.LabelName, ID: csr.LabelID(v % labels), Name: fmt.Sprint("L", v%labels)}})
				scope.Vertices, scope.Order = append(scope.Vertices, v), append(scope.Order, v)
			}
		}
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
		scope.Edges, scope.Order = append(scope.Edges, i), append(scope.Order, ^i)
	}
	p.Scopes = []pattern.Scope{scope}
	return p
}

// sift filters by all there is.
func sift(c *course) error {
	type run func(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) (*pattern.Candidates, error)
	var works []*work
	for i, q := range slices.Concat(queries, longer) {
		p := q.pattern()
		on := func(f run) request {
			return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
				env.Filter = pattern.FilterRefine
				found, err := f(ctx, c.g.s, p, env)
				return func() answer { return candidates(found, c.g.vertices) }, err
			}
		}
		works = append(works, &work{variant: q.name, key: "filter " + q.name, gpu: on(c.d.Filter), cpu: on(filter.Run), unit: "nodes/s",
			bytes: int64(len(p.Vertices)) * int64(c.g.vertices) / 8, ablate: c.g.largest && i == 3, depends: true, builds: true})
	}
	return c.each(works)
}

// candidates is the answer of a filter: the sets, and how many of their elements each tier leaves.
func candidates(found *pattern.Candidates, vertices int) answer {
	sum := [2]uint64{}
	for u, set := range found.Sets {
		for _, v := range set.List() {
			h := mix(uint64(u)<<32 | uint64(v))
			sum[0] += h
			sum[1] += mix(h)
		}
	}
	var tiers []string
	for _, t := range found.Tiers {
		left := 0
		for _, n := range t.Sizes {
			left += n
		}
		tiers = append(tiers, fmt.Sprintf("%s %d", t.Name, left))
	}
	return answer{value: sum, text: strings.Join(tiers, ", "), amount: float64(vertices * len(found.Sets))}
}

// longer are queries of which there are too many matches to go through one by one.
var longer = []query{
	{"house", [][2]int{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}}},
	{"bow tie", [][2]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {2, 4}}},
	{"cycle of 5", [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}},
}

// formulas counts the matches of queries by their formulas.
func formulas(c *course) error {
	return c.formulas("formula ", slices.Concat(queries, longer), 2, (*query).pattern)
}

// unlabelled counts, by their formulas, the matches of queries that ask for no labels.
func unlabelled(c *course) error {
	list := slices.DeleteFunc(slices.Clone(queries), func(q query) bool { return q.name != "cycle of 4" && q.name != "diamond" })
	for i := range list {
		plain := func(q *query) *pattern.Pattern {
			p := q.pattern()
			for v := range p.Vertices {
				p.Vertices[v].Labels = nil
			}
			return p
		}
		if err := c.formulas("unlabelled ", list[i:i+1], 0, plain); err != nil {
			return err
		}
	}
	return nil
}

// formulas measures the formulas of queries. One of them is measured without its techniques, too.
func (c *course) formulas(key string, list []query, ablated int, ask func(q *query) *pattern.Pattern) error {
	var works []*work
	for i, q := range list {
		j, err := c.job(ask(&q))
		if err != nil {
			return c.skip(q.name, err)
		}
		if j.Formula == nil || strings.HasSuffix(q.name, "-clique") { // those are left to a search
			continue
		}
		on := func(by join.Counter) request {
			return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
				n, done, err := join.FormulaOnly(ctx, j, env, by)
				if err == nil && !done {
					err = fmt.Errorf("%w: it has no formula", cuda.ErrDeclined)
				}
				return func() answer { return answer{value: n, text: n.String(), amount: n.Float64()} }, err
			}
		}
		works = append(works, &work{variant: q.name, key: key + q.name, gpu: on(c.d), cpu: on(join.CPUCounter{}), unit: "matches/s", ablate: c.g.largest && i == ablated,
			builds: true})
	}
	return c.each(works)
}

// matches counts the matches of queries by a search, whose candidates are there. Where that takes the CPU too long, the answer is
// compared with its count by a formula.
func matches(c *course) error {
	type run func(ctx context.Context, j *pattern.Job, env *pattern.Env) (pattern.Count128, error)
	var works []*work
	for i, q := range queries {
		j, err := c.job(q.pattern())
		if err != nil {
			return c.skip(q.name, err)
		}
		search := *j
		search.Formula = nil
		on := func(f run, j *pattern.Job) request {
			return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
				n, err := f(ctx, j, env)
				return func() answer { return answer{value: n, text: n.String(), amount: n.Float64()} }, err
			}
		}
		w := &work{variant: q.name, key: "join " + q.name, gpu: on(c.d.Count, &search), cpu: on(join.Count, &search), unit: "matches/s", ablate: c.g.largest && i == 3,
			builds: true}
		if j.Formula != nil {
			w.check = on(join.Count, j)
		}
		works = append(works, w)
	}
	return c.each(works)
}

// job is the count of a pattern, in the order that the planner chooses.
func (c *course) job(p *pattern.Pattern) (*pattern.Job, error) {
	env := &pattern.Env{Workers: c.o.Workers, Memory: new(pattern.Memory), Tally: new(pattern.Tally), Filter: pattern.FilterRefine}
	found, err := filter.Run(c.ctx, c.g.s, p, env)
	if err != nil {
		return nil, err
	}
	sizes := make([]float64, len(found.Sets))
	for u, set := range found.Sets {
		sizes[u] = float64(set.Len())
	}
	j := &pattern.Job{Snapshot: c.g.s, Pattern: p, Candidates: found, Order: match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: c.g.s, Sizes: sizes}).Order}
	j.Formula, _ = match.CountFormula(p, c.g.s, nil, math.Inf(1))
	return j, nil
}
