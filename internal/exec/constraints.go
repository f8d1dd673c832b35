package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Codes of errors about indexes and constraints.
const (
	codeNotUnique = "ConstraintValidationFailed.NotUnique"
	codeMissing   = "ConstraintValidationFailed.MissingProperty"
	codeRuleThere = "SchemaError.AlreadyExists"
	codeNoRule    = "SchemaError.NotFound"
	codeRuleForm  = "SchemaError.NotSupported"
)

// commandStage runs a command about the schema.
type commandStage struct {
	*outlet
	plan *planner.Command
}

func (x *execution) newCommand(n *planner.Command, out *outlet) (stage, error) {
	if _, show := n.Command.(*lang.Show); !show && x.writes == nil {
		return nil, &eval.Error{Code: eval.CodeInternal, Msg: "a command that writes outside of a transaction"}
	}
	for _, slot := range n.Slots {
		delete(x.compiler.Live, slot)
	}
	return &commandStage{outlet: out, plan: n}, nil
}

func (c *commandStage) push(uint64) (bool, error) {
	switch cmd := c.plan.Command.(type) {
	case *lang.Show:
		return c.show(cmd.What)
	case *lang.CreateIndex:
		if cmd.Rel {
			return false, &eval.Error{Code: codeRuleForm, Msg: "indexes on relationships are not supported", Pos: cmd.Of.Pos,
				Hint: "Motif finds relationships from their nodes; index those"}
		}
		return true, c.create(csr.RuleIndex, false, cmd.Name, cmd.Of, cmd.Keys, cmd.IfNotExists)
	case *lang.CreateConstraint:
		kind, err := ruleOf(cmd)
		if err != nil {
			return false, err
		}
		if kind == csr.RuleUnique && cmd.Rel {
			return false, &eval.Error{Code: codeRuleForm, Msg: "uniqueness constraints on relationships are not supported", Pos: cmd.Of.Pos}
		}
		return true, c.create(kind, cmd.Rel, cmd.Name, cmd.Of, cmd.Keys, cmd.IfNotExists)
	case *lang.Drop:
		return true, c.drop(cmd)
	}
	return false, &eval.Error{Code: eval.CodeInternal, Msg: fmt.Sprintf("cannot run a %T", c.plan.Command)}
}

// ruleOf is the kind of rule that a constraint is.
func ruleOf(c *lang.CreateConstraint) (csr.RuleKind, error) {
	switch c.Demand {
	case lang.DemandUnique:
		return csr.RuleUnique, nil
	case lang.DemandNotNull:
		return csr.RuleExists, nil
	case lang.DemandKey:
		return 0, &eval.Error{Code: codeRuleForm, Msg: "key constraints are not supported", Pos: c.Of.Pos,
			Hint: "write two constraints: one REQUIREs n.key IS UNIQUE, the other n.key IS NOT NULL"}
	}
	return 0, &eval.Error{Code: codeRuleForm, Msg: "constraints on the types of values are not supported", Pos: c.Of.Pos}
}

// severalKeys refuses an index or a constraint on several properties. Its hint keeps the meaning: one constraint for each
// property would forbid more.
func severalKeys(kind csr.RuleKind, of lang.Name, keys []lang.Name) error {
	e := &eval.Error{Code: codeRuleForm, Msg: "an index or constraint is on one property", Pos: keys[1].Pos}
	property := func(key string) string { return lang.Text(&lang.Property{Of: &lang.Var{Name: "n"}, Key: key}) }
	var names, properties, present []string
	for _, k := range keys {
		p := property(k.Text)
		names, properties, present = append(names, k.Text), append(properties, p), append(present, p+" IS NOT NULL")
	}
	if kind == csr.RuleIndex {
		e.Hint = "index the property with more different values; a query tests the others on the nodes that the index finds"
		return e
	}
	node := lang.Text(&lang.HasLabels{X: &lang.Var{Name: "n"}, Labels: &lang.LabelExpr{Op: lang.LabelName, Name: of.Text}})
	both := property(strings.Join(names, "_"))
	e.Hint = fmt.Sprintf("a constraint on each property would forbid more. Keep the values together: MATCH (%s) WHERE %s SET %s = [%s]; then REQUIRE %s IS UNIQUE",
		node, strings.Join(present, " AND "), both, strings.Join(properties, ", "), both)
	return e
}

func (c *commandStage) create(kind csr.RuleKind, rel bool, name, of lang.Name, keys []lang.Name, ifNotExists bool) error {
	w := c.x.writes
	if len(keys) != 1 {
		return severalKeys(kind, of, keys)
	}
	r := csr.Rule{Kind: kind, OnRel: rel, Name: name.Text, On: of.Text, Key: keys[0].Text}
	if r.Name == "" {
		r.Name = [...]string{csr.RuleIndex: "index", csr.RuleUnique: "unique", csr.RuleExists: "exists"}[kind] + "_" + r.On + "_" + r.Key
	}
	all := slices.Concat(w.draft.Schema().Indexes, w.draft.Schema().Constraints)
	for _, o := range all {
		same := o.Kind == r.Kind && o.OnRel == r.OnRel && o.On == r.On && o.Key == r.Key
		if !same && o.Name != r.Name {
			continue
		}
		if ifNotExists {
			return nil
		}
		return &eval.Error{Code: codeRuleThere, Msg: fmt.Sprintf("there is %s %s already", ruleKind(o.Kind), describeRule(&o)), Pos: of.Pos, Hint: "add IF NOT EXISTS, or drop it first"}
	}
	if err := w.checkGraph(&r); err != nil {
		return eval.At(of.Pos, err)
	}
	if err := w.draft.CreateRule(r); err != nil {
		return w.explain(err)
	}
	if kind == csr.RuleIndex {
		w.changes.IndexesAdded++
	} else {
		w.changes.ConstraintsAdded++
	}
	return nil
}

func ruleKind(k csr.RuleKind) string {
	if k == csr.RuleIndex {
		return "the index"
	}
	return "the constraint"
}

func describeRule(r *csr.Rule) string {
	of := ":" + r.On
	if r.OnRel {
		of = "[:" + r.On + "]"
	}
	text := r.Name + " on " + of + "." + r.Key
	switch r.Kind {
	case csr.RuleUnique:
		text += " IS UNIQUE"
	case csr.RuleExists:
		text += " IS NOT NULL"
	}
	return text
}

func (c *commandStage) drop(cmd *lang.Drop) error {
	w := c.x.writes
	drop, list, count, what := w.draft.DropIndex, w.draft.Schema().Indexes, &w.changes.IndexesRemoved, "index"
	if cmd.Constraint {
		drop, list, count, what = w.draft.DropConstraint, w.draft.Schema().Constraints, &w.changes.ConstraintsRemoved, "constraint"
	}
	is, err := dropped(cmd)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, is)
	if at < 0 {
		if cmd.IfExists {
			return nil
		}
		hint := "there are none"
		if len(list) > 0 {
			names := make([]string, len(list))
			for i, r := range list {
				names[i] = r.Name
			}
			hint = "there are: " + strings.Join(names, ", ")
		}
		e := &eval.Error{Code: codeNoRule, Msg: fmt.Sprintf("there is no %s %s", what, cmd.Name.Text), Pos: cmd.Name.Pos, Hint: hint}
		if cmd.Name.Text == "" {
			e.Msg, e.Pos = "there is no such "+what, cmd.Position()
		}
		return e
	}
	*count++
	return w.explain(drop(list[at].Name))
}

// dropped tells the rule that a DROP names from others.
func dropped(cmd *lang.Drop) (is func(csr.Rule) bool, err error) {
	var want csr.Rule
	switch {
	case cmd.Index != nil:
		want = csr.Rule{Kind: csr.RuleIndex, On: cmd.Index.Of.Text}
		if len(cmd.Index.Keys) > 1 {
			return nil, severalKeys(csr.RuleIndex, cmd.Index.Of, cmd.Index.Keys)
		}
		want.Key = cmd.Index.Keys[0].Text
	case cmd.Rule != nil:
		want = csr.Rule{OnRel: cmd.Rule.Rel, On: cmd.Rule.Of.Text}
		if want.Kind, err = ruleOf(cmd.Rule); err != nil {
			return nil, err
		}
		if len(cmd.Rule.Keys) > 1 {
			return nil, severalKeys(want.Kind, cmd.Rule.Of, cmd.Rule.Keys)
		}
		want.Key = cmd.Rule.Keys[0].Text
	default:
		return func(r csr.Rule) bool { return r.Name == cmd.Name.Text }, nil
	}
	return func(r csr.Rule) bool { r.Name = ""; return r == want }, nil
}

func (c *commandStage) show(what string) (bool, error) {
	schema := c.x.s.Schema
	switch what {
	case "INDEXES":
		for _, r := range schema.Indexes {
			if more, err := c.row(text1(r.Name), entity(&r), text1(r.On), list1(r.Key), value.Value{}); err != nil || !more {
				return more, err
			}
		}
		for _, r := range schema.Constraints {
			if r.Kind != csr.RuleUnique {
				continue
			}
			if more, err := c.row(text1(r.Name), entity(&r), text1(r.On), list1(r.Key), text1(r.Name)); err != nil || !more {
				return more, err
			}
		}
	case "CONSTRAINTS":
		for _, r := range schema.Constraints {
			kind := map[csr.RuleKind]string{csr.RuleUnique: "UNIQUENESS", csr.RuleExists: "EXISTENCE"}[r.Kind]
			if more, err := c.row(text1(r.Name), text1(kind), entity(&r), text1(r.On), list1(r.Key)); err != nil || !more {
				return more, err
			}
		}
	default:
		for i := range lang.Functions {
			f := &lang.Functions[i]
			if more, err := c.row(text1(f.Name), text1(f.Signature), text1(f.Help), value.OfBool(f.Aggregate)); err != nil || !more {
				return more, err
			}
		}
	}
	return true, nil
}

func text1(s string) value.Value { return value.OfString(s) }
func list1(s string) value.Value { return value.OfList([]value.Value{value.OfString(s)}) }

func entity(r *csr.Rule) value.Value {
	if r.OnRel {
		return text1("RELATIONSHIP")
	}
	return text1("NODE")
}

func (c *commandStage) row(values ...value.Value) (bool, error) {
	for i, v := range values {
		c.x.row[c.plan.Slots[i]] = v
	}
	return c.emitSampled(1)
}

// checkGraph returns an error for the first element of the graph that breaks a constraint. The draft must have no changes.
func (w *writing) checkGraph(r *csr.Rule) (err error) {
	if r.Kind == csr.RuleIndex {
		return nil
	}
	if r.OnRel {
		for e := range w.draft.Base().AllEdges() {
			if w.draft.RelType(e) == r.On {
				if err := w.checkRel(r, e); err != nil {
					return err
				}
			}
		}
		return nil
	}
	seen := map[string]csr.VertexID{}
	all := &lookup{w: w, base: w.draft.Base(), labels: []string{r.On}}
	broken := all.each(func(v csr.VertexID) {
		if err != nil {
			return
		}
		c, ok := w.draft.NodeProp(v, r.Key)
		if !ok {
			if r.Kind == csr.RuleExists {
				err = w.missing(r, "node", uint64(w.draft.NodeID(v)))
			}
			return
		}
		if r.Kind == csr.RuleUnique {
			key := string(value.AppendKey(nil, value.OfCell(c)))
			if o, twice := seen[key]; twice {
				err = w.notUnique(r, c, o, v)
			}
			seen[key] = v
		}
	})
	if broken != nil {
		return broken
	}
	return err
}

// checkConstraints checks the constraints for all changes of the draft after the first since.
func (w *writing) checkConstraints(since int) error {
	rules := w.draft.Schema().Constraints
	if len(rules) == 0 {
		return nil
	}
	held := eval.NewAccount(w.x.pattern.Memory, "constraints")
	defer held.Release()
	for i, c := range w.draft.Changes()[since:] {
		if i%1024 == 0 {
			if err := w.x.ctx.Err(); err != nil {
				return err
			}
		}
		for j := range rules {
			if err := w.checkChange(&rules[j], &c, held); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkChange checks a constraint for the element that c changed, as it is now.
func (w *writing) checkChange(r *csr.Rule, c *csr.Change, held *eval.Account) error {
	key := func(p csr.Prop) bool { return p.Key == r.Key }
	switch {
	case r.OnRel && (c.Kind == csr.CreateRel && c.Name == r.On || c.Kind == csr.SetRelProps && slices.ContainsFunc(c.Props, key)):
		if e, ok := w.draft.RelByID(csr.RelID(c.ID)); ok && w.draft.RelType(e) == r.On {
			return w.checkRel(r, e)
		}
		return nil
	case r.OnRel:
		return nil
	case c.Kind == csr.CreateNode && slices.Contains(c.Labels, r.On), c.Kind == csr.AddLabel && c.Name == r.On,
		c.Kind == csr.SetNodeProps && slices.ContainsFunc(c.Props, key):
	default:
		return nil
	}
	v, ok := w.draft.NodeByID(csr.NodeID(c.ID))
	if !ok || !w.draft.HasLabel(v, r.On) {
		return nil
	}
	cell, ok := w.draft.NodeProp(v, r.Key)
	switch {
	case !ok && r.Kind == csr.RuleExists:
		return w.missing(r, "node", c.ID)
	case !ok || r.Kind != csr.RuleUnique:
		return nil
	}
	same, err := w.lookUp([]string{r.On}, []csr.Prop{{Key: r.Key, Value: cell}}, held)
	if err != nil {
		return err
	}
	for _, o := range same {
		if o != v {
			return w.notUnique(r, cell, o, v)
		}
	}
	return nil
}

func (w *writing) checkRel(r *csr.Rule, e csr.EdgeID) error {
	if _, ok := w.draft.RelProp(e, r.Key); !ok {
		return w.missing(r, "relationship", uint64(w.draft.RelID(e)))
	}
	return nil
}

func (w *writing) missing(r *csr.Rule, what string, id uint64) error {
	return &eval.Error{Code: codeMissing, Msg: fmt.Sprintf("the constraint %s: %s %d has no %s", describeRule(r), what, id, r.Key), Hint: "give every one a value"}
}

func (w *writing) notUnique(r *csr.Rule, c csr.Cell, a, b csr.VertexID) error {
	return &eval.Error{Code: codeNotUnique, Msg: fmt.Sprintf("the constraint %s: nodes %d and %d both have %v", describeRule(r), w.draft.NodeID(a), w.draft.NodeID(b), value.OfCell(c)),
		Hint: "MERGE finds the node that exists"}
}
