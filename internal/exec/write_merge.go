package exec

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// mergeStage is MERGE. It emits a row for every match of the path, also in what earlier rows created. Without a match it
// creates the path.
type mergeStage struct {
	*outlet
	path     *pathMaker
	onCreate []*setItem
	onMatch  []*setItem
	search   mergeSearch
}

func (x *execution) newMerge(n *planner.Merge, out *outlet) (stage, error) {
	m := &mergeStage{outlet: out}
	var err error
	if m.onCreate, err = x.setItems(n.OnCreate); err != nil {
		return nil, err
	}
	if m.onMatch, err = x.setItems(n.OnMatch); err != nil {
		return nil, err
	}
	if m.path, err = x.newPathMaker(&n.Path); err != nil {
		return nil, err
	}
	m.path.free(x.compiler.Live)
	m.search = mergeSearch{pathMaker: m.path}
	m.search.prepare()
	return m, nil
}

func (m *mergeStage) push(mult uint64) (bool, error) {
	for range mult {
		if more, err := m.merge(); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

func (m *mergeStage) merge() (bool, error) {
	found, err := m.search.find()
	if err != nil {
		return false, err
	}
	if len(found) == 0 {
		if err := m.path.make(); err != nil {
			return false, err
		}
		m.path.fill()
		if err := applyItems(m.onCreate, &m.x.input); err != nil {
			return false, err
		}
		return m.emitSampled(1)
	}
	for _, match := range found {
		copy(m.path.vertices, match.vertices)
		copy(m.path.edges, match.edges)
		m.path.fill()
		if err := applyItems(m.onMatch, &m.x.input); err != nil {
			return false, err
		}
		if more, err := m.emitSampled(1); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

// found is a match of a path.
type found struct {
	vertices []csr.VertexID
	edges    []csr.EdgeID
}

// mergeSearch finds the matches of a path in the draft. It tries all relationships of a node that is given or looked up.
type mergeSearch struct {
	*pathMaker
	order      []int // positions of the nodes: the first, then each next to an earlier one
	wantNodes  [][]csr.Prop
	wantRels   [][]csr.Prop
	wantLabels [][]string
	wantTypes  []string
	fromRow    []bool // by node: the row gives its vertex
	matches    []found
	space      []csr.EdgeID
}

// prepare chooses where the search starts: at a node from the row, else at the node with the most conditions.
func (m *mergeSearch) prepare() {
	start, best := 0, -1
	for i := range m.plan.Nodes {
		n := &m.plan.Nodes[i]
		known := 2*len(m.nodes[i].keys) + len(n.Labels)
		if n.Bound {
			known = 1000
			if m.alias(i) >= 0 {
				known = -1
			}
		}
		if known > best {
			start, best = i, known
		}
	}
	for i := start; i < len(m.plan.Nodes); i++ {
		m.order = append(m.order, i)
	}
	for i := start - 1; i >= 0; i-- {
		m.order = append(m.order, i)
	}
	m.fromRow = make([]bool, len(m.plan.Nodes))
	m.wantNodes, m.wantRels = make([][]csr.Prop, len(m.plan.Nodes)), make([][]csr.Prop, len(m.plan.Rels))
	m.wantLabels, m.wantTypes = make([][]string, len(m.plan.Nodes)), make([]string, len(m.plan.Rels))
}

// alias returns the other place in the path where node i is bound; -1 if there is none.
func (m *mergeSearch) alias(i int) int {
	n := &m.plan.Nodes[i]
	if !n.Bound {
		return -1
	}
	return slices.IndexFunc(m.plan.Nodes, func(o planner.WriteNode) bool { return !o.Bound && o.Slot == n.Slot })
}

// find lists the matches for the current row.
func (m *mergeSearch) find() ([]found, error) {
	m.matches = nil
	for i := range m.plan.Nodes {
		if m.fromRow[i] = m.plan.Nodes[i].Bound && m.alias(i) < 0; m.fromRow[i] {
			v, ok, err := m.bound(i)
			if err != nil || !ok {
				return nil, err // creating the path reports what is wrong with a null
			}
			m.vertices[i] = v
		}
		var err error
		if m.wantNodes[i], err = m.wanted(&m.nodes[i]); err != nil {
			return nil, err
		}
		if m.wantLabels[i], err = m.labelsOf(i); err != nil {
			return nil, err
		}
	}
	for i := range m.plan.Rels {
		var err error
		if m.wantRels[i], err = m.wanted(&m.rels[i]); err != nil {
			return nil, err
		}
		if m.wantTypes[i], err = m.typeOf(i); err != nil {
			return nil, err
		}
	}
	start := m.order[0]
	if m.fromRow[start] {
		return m.matches, m.extend(1)
	}
	candidates, err := m.x.writes.lookUp(m.wantLabels[start], m.wantNodes[start])
	if err != nil {
		return nil, err
	}
	for _, v := range candidates {
		m.vertices[start] = v
		if err := m.extend(1); err != nil {
			return nil, err
		}
	}
	return m.matches, nil
}

// wanted evaluates the properties that a match must have. None may be null: no later MERGE would find such an element.
func (m *mergeSearch) wanted(p *propsMaker) ([]csr.Prop, error) {
	props, err := p.props(&m.x.input)
	if err != nil {
		return nil, err
	}
	if p.all == nil && len(props) < len(p.fns) {
		for i, key := range p.keys {
			if v, _ := p.fns[i](&m.x.input); v.IsNull() {
				return nil, &eval.Error{Code: codeMergeNull, Pos: key.Pos, Msg: fmt.Sprintf("MERGE cannot look for the property %s: it is null", key.Text),
					Hint: "leave out the rows without it, or set it with ON CREATE SET"}
			}
		}
	}
	return props, nil
}

// extend assigns the nodes from position k of the order.
func (m *mergeSearch) extend(k int) error {
	if k == len(m.order) {
		m.matches = append(m.matches, found{slices.Clone(m.vertices), slices.Clone(m.edges)})
		return nil
	}
	i := m.order[k]
	rel, from := i-1, i-1 // comes from the left
	if i < m.order[0] {
		rel, from = i, i+1
	}
	for _, e := range m.incident(rel, from, i) {
		if m.used(e, k) || !has(target{w: m.x.writes, isRel: true, e: e}, m.wantRels[rel]) {
			continue
		}
		src, dst := m.x.writes.draft.Endpoints(e)
		v := dst
		if v == m.vertices[from] {
			v = src
		}
		if !m.fits(i, v, k) {
			continue
		}
		m.vertices[i], m.edges[rel] = v, e
		if err := m.extend(k + 1); err != nil {
			return err
		}
	}
	return nil
}

// incident lists the relationships that may be number rel, between the nodes from and to.
func (m *mergeSearch) incident(rel, from, to int) []csr.EdgeID {
	r, d := &m.plan.Rels[rel], m.x.writes.draft
	out := (from < to) != r.Left // it leaves the node already assigned
	v := m.vertices[from]
	if m.fromRow[to] {
		src, dst := v, m.vertices[to]
		if !out {
			src, dst = dst, src
		}
		m.space = d.Between(m.space[:0], src, dst, m.wantTypes[rel])
		if r.Undirected && src != dst {
			m.space = d.Between(m.space, dst, src, m.wantTypes[rel])
		}
		return slices.Clone(m.space)
	}
	dir := csr.In
	switch {
	case r.Undirected:
		dir = csr.Both
	case out:
		dir = csr.Out
	}
	return d.Rels(nil, v, dir, []string{m.wantTypes[rel]})
}

// used reports whether e is in the path already, whose nodes up to position k are assigned.
func (m *mergeSearch) used(e csr.EdgeID, k int) bool {
	for j := 1; j < k; j++ {
		i := m.order[j]
		rel := i - 1
		if i < m.order[0] {
			rel = i
		}
		if m.edges[rel] == e {
			return true
		}
	}
	return false
}

// fits reports whether vertex v can be node i, given the nodes before position k of the order.
func (m *mergeSearch) fits(i int, v csr.VertexID, k int) bool {
	n := &m.plan.Nodes[i]
	if m.fromRow[i] {
		return v == m.vertices[i]
	}
	for _, j := range m.order[:k] {
		if n.Slot >= 0 && m.plan.Nodes[j].Slot == n.Slot && m.vertices[j] != v {
			return false
		}
	}
	return m.x.writes.isA(v, m.wantLabels[i]) && has(target{w: m.x.writes, v: v}, m.wantNodes[i])
}

// isA reports whether v has all labels.
func (w *writing) isA(v csr.VertexID, labels []string) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { return !w.draft.HasLabel(v, l) })
}

// has reports whether an element has properties equal to these.
func has(el target, props []csr.Prop) bool {
	for _, p := range props {
		c, ok := el.prop(p.Key)
		if !ok || !sameCell(c, p.Value) {
			return false
		}
	}
	return true
}

func sameCell(a, b csr.Cell) bool {
	if a.Kind == b.Kind && a.Kind != csr.KindFloat && a.Kind != csr.KindEncoded {
		return a == b
	}
	eq, known := value.Equal(value.OfCell(a), value.OfCell(b))
	return eq && known
}
