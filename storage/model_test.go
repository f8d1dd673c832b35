package storage

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// model is a graph kept as plainly as can be, by stable ids: what a store should hold.
type model struct {
	nodes             map[uint64]modelNode
	rels              map[uint64]modelRel
	nextNode, nextRel uint64
	rules             []csr.Rule
}

type modelNode struct {
	labels map[string]bool
	props  map[string]csr.Cell
}

type modelRel struct {
	typ      string
	from, to uint64
	props    map[string]csr.Cell
}

func newModel() *model {
	return &model{nodes: make(map[uint64]modelNode), rels: make(map[uint64]modelRel)}
}

func (m *model) clone() *model {
	c := &model{maps.Clone(m.nodes), maps.Clone(m.rels), m.nextNode, m.nextRel, slices.Clone(m.rules)}
	for id, n := range c.nodes {
		c.nodes[id] = modelNode{maps.Clone(n.labels), maps.Clone(n.props)}
	}
	for id, r := range c.rels {
		r.props = maps.Clone(r.props)
		c.rels[id] = r
	}
	return c
}

func setProps(props map[string]csr.Cell, changed []csr.Prop) {
	for _, p := range changed {
		if p.Value.Kind == 0 {
			delete(props, p.Key)
		} else {
			props[p.Key] = p.Value
		}
	}
}

// apply makes a change that fits.
func (m *model) apply(c *csr.Change) {
	switch c.Kind {
	case csr.CreateNode:
		n := modelNode{make(map[string]bool), make(map[string]csr.Cell)}
		for _, l := range c.Labels {
			n.labels[l] = true
		}
		setProps(n.props, c.Props)
		m.nodes[c.ID], m.nextNode = n, max(m.nextNode, c.ID+1)
	case csr.CreateRel:
		r := modelRel{c.Name, uint64(c.From), uint64(c.To), make(map[string]csr.Cell)}
		setProps(r.props, c.Props)
		m.rels[c.ID], m.nextRel = r, max(m.nextRel, c.ID+1)
	case csr.DeleteNode:
		delete(m.nodes, c.ID)
	case csr.DeleteRel:
		delete(m.rels, c.ID)
	case csr.SetNodeProps:
		setProps(m.nodes[c.ID].props, c.Props)
	case csr.SetRelProps:
		setProps(m.rels[c.ID].props, c.Props)
	case csr.AddLabel:
		m.nodes[c.ID].labels[c.Name] = true
	case csr.RemoveLabel:
		delete(m.nodes[c.ID].labels, c.Name)
	case csr.CreateIndex, csr.CreateConstraint:
		m.rules = append(m.rules, *c.Rule)
	case csr.DropIndex, csr.DropConstraint:
		m.rules = slices.DeleteFunc(m.rules, func(r csr.Rule) bool {
			return r.Name == c.Name && (r.Kind == csr.RuleIndex) == (c.Kind == csr.DropIndex)
		})
	}
}

// modelOf reads a snapshot.
func modelOf(s *csr.Snapshot) *model {
	m := newModel()
	m.nextNode, m.nextRel = uint64(s.NextNode), uint64(s.NextRel)
	d := s.Draft()
	for v := range csr.VertexID(s.N()) {
		if !d.HasNode(v) {
			continue
		}
		c := csr.Change{Kind: csr.CreateNode, ID: uint64(s.NodeID(v)), Labels: d.Labels(v), Props: d.NodeProps(v)}
		m.apply(&c)
		for _, e := range d.Rels(nil, v, csr.Out, nil) {
			src, dst := d.Endpoints(e)
			c := csr.Change{Kind: csr.CreateRel, ID: uint64(d.RelID(e)), Name: d.RelType(e), From: d.NodeID(src), To: d.NodeID(dst), Props: d.RelProps(e)}
			m.apply(&c)
		}
	}
	m.rules = append(slices.Clone(s.Schema.Indexes), s.Schema.Constraints...)
	return m
}

// String lists the graph in an order of its own, so that two are the same if their texts are.
func (m *model) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, "next", m.nextNode, m.nextRel)
	for _, id := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[id]
		fmt.Fprintln(&b, "node", id, slices.Sorted(maps.Keys(n.labels)), propText(n.props))
	}
	for _, id := range slices.Sorted(maps.Keys(m.rels)) {
		r := m.rels[id]
		fmt.Fprintln(&b, "rel", id, r.typ, r.from, r.to, propText(r.props))
	}
	rules := slices.Clone(m.rules)
	slices.SortFunc(rules, func(a, b csr.Rule) int { return strings.Compare(a.Name, b.Name) })
	fmt.Fprintln(&b, "rules", rules)
	return b.String()
}

func propText(props map[string]csr.Cell) (text string) {
	for _, key := range slices.Sorted(maps.Keys(props)) {
		text += fmt.Sprintf(" %s=%d/%d/%q", key, props[key].Kind, props[key].Num, props[key].Str)
	}
	return text
}

// modelDifference is the first line in which two graphs differ, empty if there is none.
func modelDifference(want, have *model) string {
	a, b := strings.Split(want.String(), "\n"), strings.Split(have.String(), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("want %q, have %q", a[i], b[i])
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d lines and %d", len(a), len(b))
	}
	return ""
}

// randomValue is a property value of any kind.
func randomValue(rng *rand.Rand) csr.Cell {
	switch rng.IntN(6) {
	case 0:
		return csr.IntCell(int64(rng.Uint64()))
	case 1:
		return csr.FloatCell(rng.NormFloat64())
	case 2:
		return csr.BoolCell(rng.IntN(2) == 0)
	case 3:
		return csr.StringCell(strings.Repeat("é", rng.IntN(300)))
	case 4:
		return csr.Cell{Kind: csr.KindEncoded, Str: "\x06\x01\x03\x02"}
	}
	return csr.IntCell(int64(rng.IntN(3)))
}

func randomProps(rng *rand.Rand) (props []csr.Prop) {
	for range rng.IntN(3) {
		props = append(props, csr.Prop{Key: string(rune('p' + rng.IntN(4))), Value: randomValue(rng)})
	}
	return props
}

func pick[T any](rng *rand.Rand, from []T) (x T, ok bool) {
	if len(from) == 0 {
		return x, false
	}
	return from[rng.IntN(len(from))], true
}

// randomChange makes one change of a draft, of any kind that is possible.
func randomChange(t testing.TB, rng *rand.Rand, d *csr.Draft, m *model) {
	t.Helper()
	label := func() string { return string(rune('A' + rng.IntN(4))) }
	nodeID, hasNode := pick(rng, slices.Sorted(maps.Keys(m.nodes)))
	relID, hasRel := pick(rng, slices.Sorted(maps.Keys(m.rels)))
	v, _ := d.NodeByID(csr.NodeID(nodeID))
	e, _ := d.RelByID(csr.RelID(relID))
	before, err := len(d.Changes()), error(nil)
	switch k := rng.IntN(20); {
	case k < 4 || !hasNode:
		_, err = d.CreateNode(slices.Compact(slices.Sorted(slices.Values([]string{label(), label()}))), randomProps(rng))
	case k < 9:
		other, _ := pick(rng, slices.Sorted(maps.Keys(m.nodes)))
		w, _ := d.NodeByID(csr.NodeID(other))
		_, err = d.CreateRel([]string{"R", "S"}[rng.IntN(2)], v, w, randomProps(rng))
	case k == 9:
		_, err = d.DetachDelete(v)
	case k < 13:
		err = d.SetNodeProps(v, csr.Prop{Key: "p", Value: randomValue(rng)}, csr.Prop{Key: "q"})
	case k == 13:
		_, err = d.AddLabel(v, label())
	case k == 14:
		_, err = d.RemoveLabel(v, label())
	case k == 15 && len(m.rules) < 4:
		r := csr.Rule{Kind: csr.RuleKind(1 + rng.IntN(2)*2), Name: fmt.Sprint("rule", m.nextNode, len(m.rules), before), On: label(), Keys: []string{"zz" + label()}}
		switch rng.IntN(6) {
		case 0:
			r.Kind, r.Keys = csr.RuleKey, append(r.Keys, "second")
		case 1:
			r.Kind, r.Type, r.OnRel = csr.RuleType, "INTEGER", rng.IntN(2) == 0
		}
		err = d.CreateRule(r)
	case k == 16 && len(m.rules) > 0:
		if r := m.rules[rng.IntN(len(m.rules))]; r.Kind == csr.RuleIndex {
			err = d.DropIndex(r.Name)
		} else {
			err = d.DropConstraint(r.Name)
		}
	case !hasRel:
	case k < 18:
		err = d.DeleteRel(e)
	default:
		err = d.SetRelProps(e, csr.Prop{Key: "r", Value: randomValue(rng)})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Changes()[before:] {
		m.apply(&c)
	}
}
