package exec

import (
	"math"
	"math/bits"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// traversal reads the arguments common to procedures that follow relationships: the sources and the options.
func (c *callStage) traversal() (t *pattern.Traversal, err error) {
	t = &pattern.Traversal{}
	if t.Sources, err = c.vertices(0); err != nil {
		return nil, err
	}
	if t.Types, err = c.types(); err != nil {
		return nil, err
	}
	if t.Direction, err = c.direction(); err != nil {
		return nil, err
	}
	if t.Within, err = c.labelled(); err != nil {
		return nil, err
	}
	if t.Blocked, err = c.avoided(); err != nil {
		return nil, err
	}
	depth, err := c.number("maxDepth", 0, -1)
	t.MaxDepth = int(min(depth, math.MaxInt32))
	return t, err
}

func bfs(c *callStage) (source, error) {
	t, err := c.traversal()
	if err != nil {
		return nil, err
	}
	word, err := c.word("variant", "auto", "push", "pull", "switching", "edge-centric")
	if err == nil && word != "" {
		t.Variant, err = pattern.ParseVariant(word)
	}
	if err != nil {
		return nil, err
	}
	if c.slots[2] < 0 { // nobody reads the parent
		t.Read = pattern.ReadDepths
		if c.slots[0] < 0 {
			t.Read = pattern.ReadSizes
		}
	}
	t.Returned = true
	a, err := c.ask(&pattern.Request{Kind: pattern.KindBFS, Snapshot: c.x.s, Traversal: t})
	if err != nil {
		return nil, err
	}
	l := a.Levels
	c.lent = &l.Loan
	if t.Read == pattern.ReadSizes {
		sizes := l.SizesOf()
		return func() (bool, error) {
			return each(len(sizes), func(d int) (bool, error) {
				return giveTimes(c, sizes[d], value.Value{}, value.OfInt(int64(d)), value.Value{})
			})
		}, c.charge(len(sizes), 8*int64(len(l.Depth)))
	}
	if err := c.charge(len(l.Depth), 8*int64(len(l.Depth))); err != nil {
		return nil, err
	}
	list, err := verticesWhere(c, len(l.Depth), func(v csr.VertexID) bool { return l.Depth[v] >= 0 })
	return vertexRows(c, len(l.Depth), list, intsOf(func(v csr.VertexID) int64 { return int64(l.Depth[v]) }), nodesOf(l.Parent)), err
}

// giveTimes gives a row n times.
func giveTimes(c *callStage, n uint64, row ...value.Value) (more bool, err error) {
	if n == 0 {
		return true, nil
	}
	hi, times := bits.Mul64(c.mult, n)
	if hi != 0 {
		return false, eval.Overflow("the number of equal rows")
	}
	before := c.mult
	c.mult = times
	more, err = c.give(row...)
	c.mult = before
	return more, err
}

// subgraphNodes is bfs with the options of APOC.
func subgraphNodes(c *callStage) (source, error) {
	var filter value.Value
	var at lang.Pos
	if o := c.option("relationshipFilter"); o != nil {
		if o.value.Kind() != value.String {
			return nil, o.wrong("a string", o.value)
		}
		filter, at = o.value, o.pos
	}
	least, err := c.number("minLevel", 0, 0)
	if err != nil {
		return nil, err
	}
	if least > 1 {
		return nil, eval.At(c.option("minLevel").pos, eval.Errorf(eval.CodeArgumentValue, "the option `minLevel` is 0 or 1, not %d", least))
	}
	depth, err := c.number("maxLevel", -1, -1)
	if err != nil {
		return nil, err
	}
	return nodesAround(c, filter, at, least, depth)
}

// nodesToHop is subgraphNodes without the first nodes, and with arguments in place of options.
func nodesToHop(c *callStage) (source, error) {
	var filter value.Value
	var at lang.Pos
	depth := int64(1)
	if len(c.values) > 1 {
		filter, at = c.values[1], c.plan.Args[1].Position()
	}
	if len(c.values) > 2 && !c.values[2].IsNull() {
		depth = max(c.values[2].Int(), 0)
	}
	return nodesAround(c, filter, at, 1, depth)
}

// nodesAround gives the nodes at a distance of least to depth from those of the first argument; a negative depth is no limit.
func nodesAround(c *callStage, filter value.Value, at lang.Pos, least, depth int64) (source, error) {
	t := &pattern.Traversal{Direction: csr.Both, MaxDepth: int(min(depth, math.MaxInt32)), Read: pattern.ReadDepths}
	var err error
	if t.Sources, err = c.vertices(0); err != nil {
		return nil, err
	}
	if !filter.IsNull() {
		if err = filterRelationships(c, t, filter.Str(), at); err != nil {
			return nil, err
		}
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindBFS, Snapshot: c.x.s, Traversal: t})
	if err != nil {
		return nil, err
	}
	levels := a.Levels.Depth
	if err := c.charge(len(levels), 8*int64(len(levels))); err != nil {
		return nil, err
	}
	list, err := verticesWhere(c, len(levels), func(v csr.VertexID) bool { return int64(levels[v]) >= least })
	return vertexRows(c, len(levels), list), err
}

// filterRelationships reads types with directions, such as KNOWS>|LIKES> or <KNOWS.
func filterRelationships(c *callStage, t *pattern.Traversal, filter string, at lang.Pos) error {
	for i, part := range strings.Split(filter, "|") {
		name := strings.Trim(strings.TrimSpace(part), "<>")
		dir := csr.Both
		switch out, in := strings.HasSuffix(strings.TrimSpace(part), ">"), strings.HasPrefix(strings.TrimSpace(part), "<"); {
		case out && !in:
			dir = csr.Out
		case in && !out:
			dir = csr.In
		}
		if i > 0 && (dir != t.Direction || (name == "") != (t.Types == nil)) {
			return eval.At(at, eval.Errorf(eval.CodeArgumentValue, "the types of %s have one direction, and all have a name", c.plan.Procedure.Name))
		}
		t.Direction = dir
		if name == "" {
			continue
		}
		if t.Types == nil {
			t.Types = csr.TypeSet{}
		}
		if id, ok := c.x.s.Types.Lookup(name); ok {
			t.Types = t.Types.Union(csr.TypeSet{csr.TypeID(id)})
		}
	}
	return nil
}

// shortestPath finds one path. Two nodes are joined by a search from both sides, lists of nodes by a search from the first
// list.
func shortestPath(c *callStage) (source, error) {
	t, err := c.traversal()
	if err != nil {
		return nil, err
	}
	targets, err := c.vertices(1)
	if err != nil {
		return nil, err
	}
	var nodes []csr.VertexID
	switch {
	case len(t.Sources) == 0 || len(targets) == 0:
	case len(t.Sources) == 1 && len(targets) == 1:
		r := &pattern.PathRequest{From: t.Sources[0], To: targets[0], Types: t.Types, Direction: t.Direction, MaxDepth: t.MaxDepth,
			Within: t.Within, Blocked: t.Blocked}
		var a pattern.Answer
		a, err = c.ask(&pattern.Request{Kind: pattern.KindShortestPath, Snapshot: c.x.s, Path: r})
		nodes = a.Vertices
	default:
		nodes, err = c.nearest(t, targets)
	}
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return func() (bool, error) { return true, nil }, nil
	}
	p := c.path(nodes, t)
	return func() (bool, error) { return c.give(p, value.OfInt(int64(len(nodes)-1))) }, c.charge(1, p.Bytes())
}

// nearest returns a shortest path from the sources of t to the nearest target, nil if there is none. Among equally near
// targets the smallest id wins.
func (c *callStage) nearest(t *pattern.Traversal, targets []csr.VertexID) ([]csr.VertexID, error) {
	a, err := c.ask(&pattern.Request{Kind: pattern.KindBFS, Snapshot: c.x.s, Traversal: t})
	if err != nil {
		return nil, err
	}
	l := a.Levels
	best := csr.NoVertex
	for _, v := range targets {
		if d := l.Depth[v]; d >= 0 && (best == csr.NoVertex || d < l.Depth[best] || d == l.Depth[best] && c.x.s.NodeID(v) < c.x.s.NodeID(best)) {
			best = v
		}
	}
	if best == csr.NoVertex {
		return nil, nil
	}
	return l.Path(best), nil
}

// path joins nodes by relationships that t may follow. Among several the smallest id wins.
func (c *callStage) path(nodes []csr.VertexID, t *pattern.Traversal) value.Value {
	p := &value.PathValue{Nodes: nodes}
	var between []csr.EdgeID
	for i := 1; i < len(nodes); i++ {
		between = c.x.s.Relationships(between[:0], nodes[i-1], nodes[i], t.Types, t.Direction)
		best := between[0]
		for _, e := range between[1:] {
			if c.x.s.RelID(e) < c.x.s.RelID(best) {
				best = e
			}
		}
		p.Rels = append(p.Rels, best)
	}
	return value.OfPath(p)
}

// diameter gives the largest distance and two nodes that far apart.
func diameter(c *callStage) (source, error) {
	r := &pattern.DiameterRequest{}
	var err error
	if r.Types, err = c.types(); err != nil {
		return nil, err
	}
	if r.Direction, err = c.direction(); err != nil {
		return nil, err
	}
	if r.Within, err = c.labelled(); err != nil {
		return nil, err
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindDiameter, Snapshot: c.x.s, Diameter: r})
	d := a.Diameter
	if err != nil || d.From == csr.NoVertex {
		return func() (bool, error) { return true, nil }, err
	}
	return func() (bool, error) {
		return c.give(value.OfInt(int64(d.Length)), value.OfNode(d.From), value.OfNode(d.To))
	}, nil
}
