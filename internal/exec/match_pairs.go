package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
	"github.com/motifql/motif/planner/match"
)

// pairs says how to count the matches by two vertices, if the operators above read no more; else it is nil.
func (m *matchStage) pairs(cost float64) *pattern.Pairs {
	if len(m.vertices) != 2 || len(m.edges) > 0 || m.plan.Optional || m.left != nil || m.env.Order != pattern.OrderAuto || !m.env.Uses(pattern.PairSums) {
		return nil
	}
	read := [2]int{m.vertices[0].element, m.vertices[1].element}
	p, _ := match.Pairs(m.job.Pattern, m.job.Snapshot, read, cost)
	if p == nil {
		return nil
	}
	var comparisons []planner.Comparison
	for _, c := range m.plan.Comparisons {
		if !slices.Contains(read[:], c.Of[0]) || !slices.Contains(read[:], c.Of[1]) {
			continue
		}
		test := &m.plan.Pattern.Predicates[c.Predicate] // a simpler pattern has other numbers
		if c.Predicate = slices.IndexFunc(m.job.Pattern.Predicates, func(q pattern.Predicate) bool {
			return q.Text == test.Text && slices.Equal(q.Vertices, test.Vertices)
		}); slices.Contains(p.Conditions, c.Predicate) {
			comparisons = append(comparisons, c)
			p.Apart = p.Apart || c.Keys[0] == c.Keys[1] && (c.Op == "<" || c.Op == ">" || c.Op == "<>")
		}
	}
	if len(comparisons) > 0 {
		p.Compare = func() ([]pattern.Comparison, error) { return m.comparisons(p, comparisons) }
	}
	return p
}

// comparisons reads the numbers of the vertices that comparisons compare. It leaves out those of other values than integers.
func (m *matchStage) comparisons(p *pattern.Pairs, list []planner.Comparison) (found []pattern.Comparison, err error) {
	account := m.x.newAccount("numbers of nodes", m.outlet)
	type column struct {
		vertex int
		key    string
	}
	known := map[column][]int64{}
	for _, c := range list {
		x := pattern.Comparison{Predicate: c.Predicate, Less: c.Op == "<" || c.Op == "<=" || c.Op == "<>", Equal: c.Op == "<=" || c.Op == ">=" || c.Op == "=",
			Greater: c.Op == ">" || c.Op == ">=" || c.Op == "<>"}
		for side := range c.Of {
			at := column{c.Of[side], c.Keys[side]}
			if _, ok := known[at]; !ok {
				if err := account.Charge(8 * int64(m.x.s.N())); err != nil {
					return nil, err
				}
				known[at] = m.integers(at.vertex, at.key)
			}
			place := side
			if c.Of[0] != p.Read[0] {
				place = 1 - side
			}
			x.Numbers[place] = known[at]
		}
		if c.Of[0] != p.Read[0] {
			x.Less, x.Greater = x.Greater, x.Less
		}
		if x.Numbers[0] != nil && x.Numbers[1] != nil {
			found = append(found, x)
		}
	}
	return found, m.x.ctx.Err()
}

// integers returns the values of a property, or the ids, of the candidates of u. It returns nil if some are not integers.
func (m *matchStage) integers(u int, key string) []int64 {
	s, list := m.x.s, m.job.Candidates.Sets[u].List()
	out := make([]int64, s.N())
	if key == "" {
		for _, v := range list {
			out[v] = int64(s.NodeID(v))
		}
		return out
	}
	id, ok := s.Keys.Lookup(key)
	if !ok || int(id) >= len(s.VertexProps) {
		return nil
	}
	kinds, nums := make([]csr.Kind, maxBatchRows), make([]uint64, maxBatchRows)
	for len(list) > 0 {
		part := list[:min(len(list), maxBatchRows)]
		list = list[len(part):]
		csr.Gather(s.VertexProps[id], part, kinds, nums)
		for i, v := range part {
			if kinds[i] != csr.KindInt {
				return nil
			}
			out[v] = int64(nums[i])
		}
	}
	return out
}

// gathers reports whether a stage, or one above it, takes all rows before it passes the first on.
func gathers(s stage) bool {
	switch s := s.(type) {
	case *aggregate, *fullSort, *top:
		return true
	case *filter:
		return gathers(s.next)
	case *project:
		return gathers(s.next)
	case *distinct:
		return gathers(s.next)
	}
	return false
}

// distinctKeys finds out whether columns tell apart all that a match finds.
type distinctKeys struct {
	x     *execution
	m     *planner.Match
	exprs []lang.Expr
	known map[int]bool // by slot of a node: some column differs from node to node
}

// newDistinctKeys returns distinctKeys for columns with the values exprs of rows that come from input; nil if that is no match.
func newDistinctKeys(x *execution, exprs []lang.Expr, input planner.Node) *distinctKeys {
	for {
		switch n := input.(type) {
		case *planner.Filter:
			input = n.Input
			continue
		case *planner.Match:
			return &distinctKeys{x: x, m: n, exprs: exprs, known: map[int]bool{}}
		}
		return nil
	}
}

// hold reports whether the rows of the batch at hand have different values in the columns, from each other and from those of other batches.
func (k *distinctKeys) hold() bool {
	if k == nil || !k.x.distinctRows {
		return false
	}
	for slot := range k.x.columns {
		switch c := &k.x.columns[slot]; {
		case c.Kind == ConstantColumn:
		case c.Kind != NodeColumn || !k.differs(slot):
			return false
		}
	}
	return true
}

// differs reports whether some column has another value for each node of a slot.
func (k *distinctKeys) differs(slot int) bool {
	if is, ok := k.known[slot]; ok {
		return is
	}
	u, is := slices.Index(k.m.VertexSlot, slot), false
	for _, e := range k.exprs {
		if u >= 0 && !is && nodeOf(k.x, e) == slot {
			is = k.tells(u, e)
		}
	}
	k.known[slot] = is
	return is
}

// tells reports whether e, which reads vertex u alone, has another value for each node.
func (k *distinctKeys) tells(u int, e lang.Expr) bool {
	switch e := e.(type) {
	case *lang.Var:
		return true
	case *lang.Call:
		_, ok := e.Args[0].(*lang.Var)
		return ok && e.Name == "id" && len(e.Args) == 1
	case *lang.Property:
		key, ok := k.x.s.Keys.Lookup(e.Key)
		if _, isVar := e.Of.(*lang.Var); !ok || !isVar {
			return false
		}
		labels := k.m.Pattern.Vertices[u].Labels
		return csr.DistinctValues(k.x.s, csr.KeyID(key), func(of []csr.LabelID) bool { return labels.Admits(of) })
	}
	return false
}

// valued reports whether e tells apart the nodes of one vertex: it is null for none of them.
func (k *distinctKeys) valued(e lang.Expr) bool {
	u := slices.Index(k.m.VertexSlot, nodeOf(k.x, e))
	return u >= 0 && k.tells(u, e)
}
