package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// checkGraph returns an error for the first element of the graph that breaks a constraint. The draft must have no changes.
func (w *writing) checkGraph(r *csr.Rule) error {
	if r.Kind == csr.RuleIndex {
		return nil
	}
	held := eval.NewAccount(w.x.pattern.Memory, "constraints")
	defer held.Release()
	c, err := w.constraint(r, held)
	if err != nil {
		return err
	}
	if r.OnRel {
		return c.eachRel(nil)
	}
	broken := (&lookup{base: w.draft.Base(), labels: []string{r.On}}).each(w, func(v csr.VertexID) {
		if err == nil {
			err = c.node(v)
		}
	})
	if broken != nil {
		return broken
	}
	return err
}

// constraint checks one constraint.
type constraint struct {
	*writing
	rule *csr.Rule
	typ  *lang.ValueType   // of RuleType
	seen map[string]uint64 // ids of elements by the values that have to be unique
	held *eval.Account
}

func (w *writing) constraint(r *csr.Rule, held *eval.Account) (*constraint, error) {
	c := &constraint{writing: w, rule: r, seen: map[string]uint64{}, held: held}
	if r.Kind == csr.RuleType {
		t, err := lang.ParseType(r.Type)
		if err != nil {
			return nil, err
		}
		c.typ = t
	}
	return c, nil
}

// node checks a node that has the label, and remembers its values.
func (c *constraint) node(v csr.VertexID) error {
	cells, err := c.values("node", uint64(c.draft.NodeID(v)), func(key string) (csr.Cell, bool) { return c.draft.NodeProp(v, key) })
	if err != nil || cells == nil {
		return err
	}
	return c.first("nodes", uint64(c.draft.NodeID(v)), cells)
}

// rel checks a relationship of the type, and remembers its values.
func (c *constraint) rel(e csr.EdgeID) error {
	id := uint64(c.draft.RelID(e))
	cells, err := c.values("relationship", id, func(key string) (csr.Cell, bool) { return c.draft.RelProp(e, key) })
	if err != nil || cells == nil {
		return err
	}
	return c.first("relationships", id, cells)
}

// eachRel checks the relationships of the type: those of the draft's base, and further ones.
func (c *constraint) eachRel(more []csr.EdgeID) error {
	base, n := c.draft.Base(), 0
	if typ, known := base.Types.Lookup(c.rule.On); known {
		for e := range base.AllEdges() {
			if n++; n%4096 == 0 && c.x.ctx.Err() != nil {
				return c.x.ctx.Err()
			}
			if base.TypeOf(e) != csr.TypeID(typ) || !c.draft.HasRel(e) {
				continue
			}
			if err := c.rel(e); err != nil {
				return err
			}
		}
	}
	for _, e := range more {
		if err := c.rel(e); err != nil {
			return err
		}
	}
	return nil
}

// values returns the values of an element that have to be unique; nil if none have to.
func (c *constraint) values(what string, id uint64, prop func(string) (csr.Cell, bool)) ([]csr.Cell, error) {
	cells := make([]csr.Cell, 0, 4)
	for _, key := range c.rule.Keys {
		cell, ok := prop(key)
		switch {
		case ok && c.rule.Kind == csr.RuleType && !eval.IsOfType(value.OfCell(cell), c.typ):
			v := value.OfCell(cell)
			return nil, &eval.Error{Code: codeWrongType, Msg: fmt.Sprintf("the constraint %s: %s %d has %v, a %s", describeRule(c.rule), what, id, v, eval.TypeOf(v)),
				Hint: "give it a value of the type, or none"}
		case !ok && (c.rule.Kind == csr.RuleExists || c.rule.Kind == csr.RuleKey):
			return nil, &eval.Error{Code: codeMissing, Msg: fmt.Sprintf("the constraint %s: %s %d has no %s", describeRule(c.rule), what, id, key), Hint: "give every one a value"}
		case !ok:
			return nil, nil
		}
		cells = append(cells, cell)
	}
	if c.rule.Kind != csr.RuleUnique && c.rule.Kind != csr.RuleKey {
		return nil, nil
	}
	return cells, nil
}

// first returns an error unless an element is the first with these values.
func (c *constraint) first(what string, id uint64, cells []csr.Cell) error {
	var key []byte
	for _, cell := range cells {
		key = value.AppendKey(key, value.OfCell(cell))
	}
	if o, twice := c.seen[string(key)]; twice {
		return c.notUnique(what, o, id, cells)
	}
	c.seen[string(key)] = id
	return c.held.Charge(eval.EntryBytes + int64(len(key)))
}

func (c *constraint) notUnique(what string, a, b uint64, cells []csr.Cell) error {
	var values []string
	for _, cell := range cells {
		values = append(values, value.OfCell(cell).String())
	}
	hint := "MERGE finds the node that exists"
	if c.rule.OnRel {
		hint = "MERGE finds the relationship that exists between two nodes"
	}
	return &eval.Error{Code: codeNotUnique, Msg: fmt.Sprintf("the constraint %s: %s %d and %d both have %s", describeRule(c.rule), what, a, b, strings.Join(values, ", ")), Hint: hint}
}

// checkConstraints checks the constraints for all changes of the draft after the first since.
func (w *writing) checkConstraints(since int) error {
	rules := w.draft.Schema().Constraints
	if len(rules) == 0 {
		return nil
	}
	held := eval.NewAccount(w.x.pattern.Memory, "constraints")
	defer held.Release()
	for i := range rules {
		c, err := w.constraint(&rules[i], held)
		if err != nil {
			return err
		}
		if err := c.changes(w.draft.Changes()[since:]); err != nil {
			return err
		}
	}
	return nil
}

// changes checks the elements that changes are about, as they are now.
func (c *constraint) changes(list []csr.Change) error {
	touched := false
	var fresh []csr.EdgeID
	for i := range list {
		if i%1024 == 0 {
			if err := c.x.ctx.Err(); err != nil {
				return err
			}
		}
		if !c.concerns(&list[i]) {
			continue
		}
		if !c.rule.OnRel {
			if err := c.changedNode(csr.NodeID(list[i].ID)); err != nil {
				return err
			}
			continue
		}
		e, ok := c.draft.RelByID(csr.RelID(list[i].ID))
		if !ok || c.draft.RelType(e) != c.rule.On {
			continue
		}
		touched = true
		if list[i].Kind == csr.CreateRel {
			fresh = append(fresh, e)
		}
		if _, err := c.values("relationship", list[i].ID, func(key string) (csr.Cell, bool) { return c.draft.RelProp(e, key) }); err != nil {
			return err
		}
	}
	if touched && (c.rule.Kind == csr.RuleUnique || c.rule.Kind == csr.RuleKey) {
		return c.eachRel(fresh)
	}
	return nil
}

// concerns reports whether a change may break the constraint.
func (c *constraint) concerns(ch *csr.Change) bool {
	sets := func() bool {
		return slices.ContainsFunc(ch.Props, func(p csr.Prop) bool { return slices.Contains(c.rule.Keys, p.Key) })
	}
	if c.rule.OnRel {
		return ch.Kind == csr.CreateRel && ch.Name == c.rule.On || ch.Kind == csr.SetRelProps && sets()
	}
	return ch.Kind == csr.CreateNode && slices.Contains(ch.Labels, c.rule.On) || ch.Kind == csr.AddLabel && ch.Name == c.rule.On ||
		ch.Kind == csr.SetNodeProps && sets()
}

// changedNode checks a node, and looks up others with its values.
func (c *constraint) changedNode(id csr.NodeID) error {
	r := c.rule
	v, ok := c.draft.NodeByID(id)
	if !ok || !c.draft.HasLabel(v, r.On) {
		return nil
	}
	cells, err := c.values("node", uint64(id), func(key string) (csr.Cell, bool) { return c.draft.NodeProp(v, key) })
	if err != nil || cells == nil {
		return err
	}
	props := make([]csr.Prop, len(cells))
	for i, cell := range cells {
		props[i] = csr.Prop{Key: r.Keys[i], Value: cell}
	}
	same, err := c.lookUp([]string{r.On}, props)
	if err != nil {
		return err
	}
	for _, o := range same {
		if o != v {
			return c.notUnique("nodes", uint64(c.draft.NodeID(o)), uint64(id), cells)
		}
	}
	return nil
}
