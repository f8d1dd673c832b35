package exec

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// projected is a projection as an algorithm sees it: a part of its nodes and relationships.
type projected struct {
	c      *gdsCall
	p      *pattern.Projection
	s      *csr.Snapshot // that of p, or a graph of some of its relationships
	types  csr.TypeSet   // nil: all
	within *pattern.CandidateSet
}

// gdsResult is what an algorithm found: a number for each vertex of the projection, or pairs of vertices with a number.
type gdsResult struct {
	of             *projected
	values         []float64
	whole          bool                      // the values are integers
	kept           func(v csr.VertexID) bool // nil: all
	source, target []csr.VertexID            // of pairs; values has one for each
	about          map[string]value.Value    // by column
}

// gdsAlgorithm runs an algorithm.
type gdsAlgorithm func(g *projected) (*gdsResult, error)

// projected reads which projection the call is for, and which part of it.
func (c *gdsCall) projected() (*projected, error) {
	p, err := c.projection()
	if err != nil {
		return nil, err
	}
	g := &projected{c: c, p: p, s: p.Snapshot}
	if o := c.option("relationshipTypes"); o != nil {
		if g.types, err = g.typesOf(o); err != nil {
			return nil, err
		}
	}
	if o := c.option("nodeLabels"); o != nil {
		err = g.labelled(o)
	}
	return g, err
}

// projection finds the projection that the first argument names, or makes the one that the options describe.
func (c *gdsCall) projection() (*pattern.Projection, error) {
	if len(c.values) > 0 {
		return c.named(c.values[0])
	}
	nodes, rels, of := c.option("nodeProjection"), c.option("relationshipProjection"), projectStored
	if q := c.option("nodeQuery"); q != nil {
		nodes, rels, of = q, c.option("relationshipQuery"), func(c *gdsCall, name string, nodes, rels value.Value) (*pattern.Projection, error) {
			if nodes.Kind() != value.String || rels.Kind() != value.String {
				return nil, c.bad("the queries of a projection are strings", "")
			}
			return projectQueries(c, name, nodes.Str(), rels.Str())
		}
	}
	if nodes == nil || rels == nil {
		return nil, c.bad(c.plan.Procedure.Name+" needs the name of a projection", "CALL gds.graph.project('name', 'Label', 'TYPE') makes one")
	}
	key := nodes.value.String() + "\x00" + rels.value.String()
	if c.kept != nil && c.keptKey == key && c.keptFor == c.x.s && c.option("parameters") == nil {
		return c.kept, nil
	}
	p, err := of(c, "", nodes.value, rels.value)
	c.kept, c.keptKey, c.keptFor = p, key, c.x.s
	return p, err
}

// named finds a projection.
func (c *gdsCall) named(name value.Value) (*pattern.Projection, error) {
	if name.Kind() != value.String {
		return nil, c.bad("the name of a projection is a string, not "+eval.Describe(name), "")
	}
	if p := c.x.pattern.Projections.Find(name.Str()); p != nil {
		return p, nil
	}
	hint := "CALL gds.graph.project('name', 'Label', 'TYPE') makes one; a projection ends with the program that made it"
	if list := c.x.pattern.Projections.List(); len(list) > 0 {
		names := make([]string, len(list))
		for i, p := range list {
			names[i] = value.OfString(p.Name).String()
		}
		hint = "there are " + strings.Join(names, ", ")
	}
	return nil, c.bad(fmt.Sprintf("there is no projection %v", name), hint)
}

// texts returns the strings of an option, which is one or a list.
func (o *option) texts() (list []string, err error) {
	all := []value.Value{o.value}
	if o.value.Kind() == value.List {
		all = o.value.List()
	}
	for _, v := range all {
		if v.Kind() != value.String {
			return nil, o.wrong("a string", v)
		}
		list = append(list, v.Str())
	}
	return list, nil
}

// typesOf finds types of the projection; nil for '*'.
func (g *projected) typesOf(o *option) (csr.TypeSet, error) {
	names, err := o.texts()
	set := csr.TypeSet{}
	for _, name := range names {
		if name == "*" {
			return nil, err
		}
		t, ok := g.s.Types.Lookup(name)
		if !ok {
			return nil, g.lacks(o, "type of relationships", name, g.s.Types.Names())
		}
		set = set.Union(csr.TypeSet{csr.TypeID(t)})
	}
	return set, err
}

// lacks is the error for a name that the projection does not have.
func (g *projected) lacks(o *option, what, name string, has []string) error {
	e := &eval.Error{Code: eval.CodeArgumentValue, Pos: o.pos, Msg: fmt.Sprintf("the projection has no %s %s", what, value.OfString(name))}
	if len(has) > 0 {
		e.Hint = "it has " + strings.Join(has, ", ")
	}
	return e
}

// labelled limits g to nodes with one of some labels.
func (g *projected) labelled(o *option) error {
	names, err := o.texts()
	if err != nil || slices.Contains(names, "*") {
		return err
	}
	bitmap := make([]uint64, (g.s.N()+63)/64)
	for _, name := range names {
		l, ok := g.s.Labels.Lookup(name)
		if !ok {
			return g.lacks(o, "label", name, g.s.Labels.Names())
		}
		for i := range g.s.Classes {
			if class := &g.s.Classes[i]; slices.Contains(class.Labels, csr.LabelID(l)) {
				for v := class.Lo; v < class.Hi; v++ {
					bitmap[v>>6] |= 1 << (v & 63)
				}
			}
		}
	}
	g.within = pattern.CandidateSetOf(bitmap)
	return g.c.account.Charge(12 * int64(len(bitmap)) * 8)
}

// has reports whether v counts.
func (g *projected) has(v csr.VertexID) bool { return g.within == nil || g.within.Has(v) }

// size is how many vertices count.
func (g *projected) size() int {
	if g.within == nil {
		return int(g.s.N())
	}
	return g.within.Len()
}

// network is g for an algorithm that reads weights. Parallel relationships without a weight add up, too.
func (g *projected) network() (n pattern.Network, err error) {
	n = pattern.Network{Types: g.types, Direction: csr.Out, Within: g.within, Weight: &pattern.Weight{Absent: true, Default: 1}}
	if o := g.c.option("relationshipWeightProperty"); o != nil {
		if o.value.Kind() != value.String {
			return n, o.wrong("a string", o.value)
		}
		key, ok := g.s.Keys.Lookup(o.value.Str())
		if !ok {
			return n, g.lacks(o, "property of relationships", o.value.Str(), g.s.Keys.Names())
		}
		n.Weight = &pattern.Weight{Key: csr.KeyID(key), Default: math.NaN()}
	}
	return n, nil
}

// ask has the device answer r and says in the words of projections what went wrong.
func (g *projected) ask(r *pattern.Request) (pattern.Answer, error) {
	r.Snapshot = g.s
	a, err := g.c.ask(r)
	var weight *pattern.WeightError
	var slow *pattern.NotConvergedError
	switch {
	case errors.As(err, &weight):
		from, to := g.s.Endpoints(weight.Edge)
		err = g.c.bad(fmt.Sprintf("the weight of a relationship of the projection, from node %d to node %d, %s", g.s.NodeID(from), g.s.NodeID(to), weight.Reason),
			"a weight is a number from 0 to 1e100; in a projection, {property: 'key', defaultValue: 1} stands for missing ones")
	case errors.Is(err, pattern.ErrWeightRange):
		err = g.c.bad(err.Error(), "")
	case errors.As(err, &slow) && r.Kind == pattern.KindLabels:
		err = unsettled(g.c.callStage, slow)
	case errors.As(err, &slow):
		err = g.c.bad(unconverged(g.c.callStage, slow),
			"without cycles of relationships, eigenvectors exist for UNDIRECTED projections only")
	}
	return a, err
}

// ranks returns an algorithm that scores nodes by those that lead to them.
func ranks(kind pattern.RequestKind) gdsAlgorithm {
	return func(g *projected) (*gdsResult, error) {
		r := &pattern.ScoreRequest{Tolerance: 1e-12, MaxIterations: 100_000}
		var err error
		if r.Network, err = g.network(); err != nil {
			return nil, err
		}
		if r.Damping, err = g.c.float("dampingFactor", 0.85, 0, 0.999); err != nil {
			return nil, err
		}
		if o := g.c.option("sourceNodes"); o != nil {
			if r.Sources, err = g.vertices(o); err != nil {
				return nil, err
			}
		}
		if kind == pattern.KindEigenvector {
			r.Tolerance = 1e-10
		}
		a, err := g.ask(&pattern.Request{Kind: kind, Scores: r})
		if err == nil && kind == pattern.KindPageRank {
			err = g.rescale(a.Scores, r)
		}
		return g.centrality(a.Scores, "ranIterations", value.Value{}, "didConverge", value.OfBool(true)), err
	}
}

// rescale turns page ranks that add up to 1 into those of the other definition: a node has 1-d, or nothing if it is no source, and d times
// what leads to it, and nodes that lead nowhere pass nothing on. One is a multiple of the other: both solve x = c + d Ax, with another c.
func (g *projected) rescale(scores []float64, r *pattern.ScoreRequest) error {
	a, err := g.ask(&pattern.Request{Kind: pattern.KindDegree, Scores: &pattern.ScoreRequest{Network: r.Network}})
	if err != nil {
		return err
	}
	lost, starts := 0.0, float64(g.size())
	for v, x := range scores {
		if a.Scores[v] == 0 {
			lost += x
		}
	}
	if r.Sources != nil {
		starts = float64(len(r.Sources))
	}
	if factor := (1 - r.Damping) * starts / (1 - r.Damping + r.Damping*lost); starts > 0 {
		for v := range scores {
			scores[v] *= factor
		}
	}
	return nil
}

// vertices reads nodes of an option as vertices of the projection, each once.
func (g *projected) vertices(o *option) ([]csr.VertexID, error) {
	stored, err := g.c.nodesOf(o.value, "the option `"+o.name+"`")
	if err != nil {
		return nil, eval.At(o.pos, err)
	}
	list := make([]csr.VertexID, 0, len(stored))
	for _, v := range stored {
		id := g.c.x.s.NodeID(v)
		w, ok := g.s.VertexByNodeID(id)
		if !ok || !g.has(w) {
			return nil, eval.At(o.pos, eval.Errorf(eval.CodeArgumentValue, "node %d is not in the projection", id))
		}
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list, nil
}

// centrality is what an algorithm found that scores nodes. about has columns and values in turn.
func (g *projected) centrality(scores []float64, about ...any) *gdsResult {
	f := &gdsResult{of: g, values: scores, about: map[string]value.Value{}}
	for i := 0; i+1 < len(about); i += 2 {
		f.about[about[i].(string)] = about[i+1].(value.Value)
	}
	if scores != nil {
		f.about["centralityDistribution"] = distribution(f.list())
	}
	return f
}

// list returns the values of the vertices that count.
func (f *gdsResult) list() []float64 {
	list := make([]float64, 0, f.of.size())
	for v, x := range f.values {
		if f.of.has(csr.VertexID(v)) {
			list = append(list, x)
		}
	}
	return list
}

// degrees counts the relationships that leave each node.
func degrees(g *projected) (*gdsResult, error) {
	n, err := g.network()
	if err != nil {
		return nil, err
	}
	word, err := g.c.word("orientation", "NATURAL", "REVERSE", "UNDIRECTED")
	if err != nil {
		return nil, err
	}
	of := map[string]csr.Direction{"REVERSE": csr.In, "UNDIRECTED": csr.Both}
	n.Direction = csr.Out
	if d, ok := of[word]; ok {
		n.Direction = d
	}
	a, err := g.ask(&pattern.Request{Kind: pattern.KindDegree, Scores: &pattern.ScoreRequest{Network: n}})
	return g.centrality(a.Scores), err
}

// between counts the shortest paths through each node. In an undirected graph a path and its reverse are one.
func between(g *projected) (*gdsResult, error) {
	r := new(pattern.ScoreRequest)
	var err error
	if r.Network, err = g.network(); err != nil {
		return nil, err
	}
	if lengths(&r.Network, true); g.c.option("relationshipWeightProperty") == nil {
		r.Weight = nil
	}
	if o := g.c.option("samplingSize"); o != nil {
		if r.Sources, err = g.sample(); err != nil {
			return nil, err
		}
	}
	a, err := g.ask(&pattern.Request{Kind: pattern.KindBetweenness, Scores: r})
	if err == nil && g.undirected() {
		for v := range a.Scores {
			a.Scores[v] /= 2
		}
	}
	return g.centrality(a.Scores), err
}

// undirected reports whether every relationship that counts is there in both directions.
func (g *projected) undirected() bool {
	for t, name := range g.s.Types.Names() {
		if (g.types == nil || slices.Contains(g.types, csr.TypeID(t))) && !g.p.Undirected[name] {
			return false
		}
	}
	return true
}

// sample draws nodes at random.
func (g *projected) sample() ([]csr.VertexID, error) {
	n, err := g.c.number("samplingSize", 1, 1)
	if err != nil {
		return nil, err
	}
	seed, err := g.c.number("samplingSeed", math.MinInt64, 0)
	if err != nil {
		return nil, err
	}
	all := make([]csr.VertexID, 0, g.size())
	for v := range csr.VertexID(g.s.N()) {
		if g.has(v) {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(v, w csr.VertexID) int { return int(int64(g.s.NodeID(v)) - int64(g.s.NodeID(w))) }) // numbers may differ where ids do not
	rand.New(rand.NewPCG(uint64(seed), 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, int64(len(all)))], g.c.account.Charge(4 * int64(len(all)))
}

// Options of GDS that have no honest meaning here.
func (c *gdsCall) refuse(option, hint string) error {
	o := c.option(option)
	if o == nil || o.value.Kind() == value.Bool && !o.value.Bool() {
		return nil
	}
	return &eval.Error{Code: eval.CodeArgumentValue, Pos: o.pos, Msg: "the option `" + option + "` is not supported", Hint: hint}
}

// trianglesOf counts the triangles of each node.
func trianglesOf(g *projected) (*gdsResult, error) {
	most, err := g.c.number("maxDegree", 2, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	left := map[csr.VertexID]bool{}
	if most < math.MaxInt64 {
		if left, err = g.above(most); err != nil {
			return nil, err
		}
	}
	by, err := g.c.trianglesByVertex(&graph{s: g.s, Subgraph: pattern.Subgraph{Types: g.types, Within: g.within}})
	if err != nil {
		return nil, err
	}
	f := &gdsResult{of: g, values: make([]float64, g.s.N()), whole: true}
	total := 0.0
	for v := range f.values {
		if x := csr.VertexID(v); left[x] {
			f.values[v] = -1
		} else if g.has(x) {
			f.values[v] = by(x)
			total += f.values[v]
		}
	}
	f.about = map[string]value.Value{"globalTriangleCount": value.OfInt(int64(total / 3)), "nodeCount": value.OfInt(int64(g.size()))}
	return f, g.c.account.Charge(8 * int64(len(f.values)))
}

// above lists the nodes with more relationships than most, and takes these relationships out of g.
func (g *projected) above(most int64) (map[csr.VertexID]bool, error) {
	n := pattern.Network{Types: g.types, Direction: csr.Out, Within: g.within, Weight: &pattern.Weight{Absent: true, Default: 1}}
	a, err := g.ask(&pattern.Request{Kind: pattern.KindDegree, Scores: &pattern.ScoreRequest{Network: n}})
	if err != nil {
		return nil, err
	}
	left := map[csr.VertexID]bool{}
	for v, x := range a.Scores {
		if x > float64(most) {
			left[csr.VertexID(v)] = true
		}
	}
	s := g.s
	g.s, err = g.c.part(s, func(e csr.EdgeID) (bool, error) {
		from, to := s.Endpoints(e)
		return !left[from] && !left[to], nil
	})
	return left, err
}

// clusteringOf is the share of pairs of neighbours of each node that are joined.
func clusteringOf(g *projected) (*gdsResult, error) {
	n := pattern.Network{Types: g.types, Direction: csr.Both, Within: g.within}
	a, err := g.ask(&pattern.Request{Kind: pattern.KindDegree, Scores: &pattern.ScoreRequest{Network: n}})
	if err != nil {
		return nil, err
	}
	by, err := g.trianglesGiven()
	if err != nil {
		return nil, err
	}
	total := 0.0
	for v, d := range a.Scores {
		if a.Scores[v] = 0; d > 1 && g.has(csr.VertexID(v)) {
			a.Scores[v] = by(csr.VertexID(v)) / (d * (d - 1) / 2)
			total += a.Scores[v]
		}
	}
	f := &gdsResult{of: g, values: a.Scores, about: map[string]value.Value{"nodeCount": value.OfInt(int64(g.size())), "averageClusteringCoefficient": value.OfFloat(total / max(1, float64(g.size())))}}
	return f, nil
}

// trianglesGiven counts the triangles of each node, or reads them from a property of the projection.
func (g *projected) trianglesGiven() (func(csr.VertexID) float64, error) {
	o := g.c.option("triangleCountProperty")
	if o == nil {
		return g.c.trianglesByVertex(&graph{s: g.s, Subgraph: pattern.Subgraph{Types: g.types, Within: g.within}})
	}
	if o.value.Kind() != value.String {
		return nil, o.wrong("a string", o.value)
	}
	list := g.p.Scores[o.value.Str()]
	if list == nil {
		return nil, g.lacks(o, "property of nodes", o.value.Str(), nil)
	}
	return func(v csr.VertexID) float64 { return list[v] }, nil
}
