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
	codeWrongType = "ConstraintValidationFailed.WrongType"
	codeRuleThere = "SchemaError.AlreadyExists"
	codeNoRule    = "SchemaError.NotFound"
)

// commandStage runs a command about the schema.
type commandStage struct {
	*outlet
	plan *planner.Command
}

func (x *execution) newCommand(n *planner.Command, out *outlet) (stage, error) {
	if x.writes == nil {
		return nil, &eval.Error{Code: eval.CodeInternal, Msg: "a command that writes outside of a transaction"}
	}
	return &commandStage{outlet: out, plan: n}, nil
}

func (c *commandStage) push(uint64) (bool, error) {
	switch cmd := c.plan.Command.(type) {
	case *lang.CreateIndex:
		name, err := ruleName(c.x, cmd.Name, cmd.NameParam)
		if err != nil || cmd.Form.Text == "LOOKUP" {
			return err == nil, err
		}
		return true, c.create(indexRule(cmd), name, cmd.Of, cmd.IfNotExists)
	case *lang.CreateConstraint:
		name, err := ruleName(c.x, cmd.Name, cmd.NameParam)
		if err != nil {
			return false, err
		}
		return true, c.create(constraintRule(cmd), name, cmd.Of, cmd.IfNotExists)
	case *lang.Drop:
		return true, c.drop(cmd)
	}
	return false, &eval.Error{Code: eval.CodeInternal, Msg: fmt.Sprintf("cannot run a %T", c.plan.Command)}
}

// ruleName is the name of an index or a constraint, which a parameter may give.
func ruleName(x *execution, name lang.Name, param *lang.Param) (lang.Name, error) {
	if param == nil {
		return name, nil
	}
	v := x.compiler.Params[param.Name]
	if v.Kind() != value.String || v.Str() == "" {
		return name, &eval.Error{Code: eval.CodeArgumentType, Msg: "the name of an index or a constraint is a string that is not empty, not " + eval.Describe(v), Pos: param.Pos}
	}
	return lang.Name{Pos: param.Pos, Text: v.Str()}, nil
}

// indexRule is the rule that an index is, without a name.
func indexRule(c *lang.CreateIndex) csr.Rule {
	return csr.Rule{Kind: csr.RuleIndex, OnRel: c.Rel, On: c.Of.Text, Keys: keyTexts(c.Keys)}
}

// constraintRule is the rule that a constraint is, without a name.
func constraintRule(c *lang.CreateConstraint) csr.Rule {
	kinds := [...]csr.RuleKind{lang.DemandUnique: csr.RuleUnique, lang.DemandNotNull: csr.RuleExists, lang.DemandKey: csr.RuleKey, lang.DemandType: csr.RuleType}
	r := csr.Rule{Kind: kinds[c.Demand], OnRel: c.Rel, On: c.Of.Text, Keys: keyTexts(c.Keys)}
	if c.Type != nil {
		r.Type = c.Type.String()
	}
	return r
}

func keyTexts(names []lang.Name) (keys []string) {
	for _, n := range names {
		keys = append(keys, n.Text)
	}
	return keys
}

// ruleNames begin the names of rules that were given none.
var ruleNames = [...]string{csr.RuleIndex: "index", csr.RuleUnique: "unique", csr.RuleExists: "exists", csr.RuleKey: "key", csr.RuleType: "type"}

func (c *commandStage) create(r csr.Rule, name, of lang.Name, ifNotExists bool) error {
	w := c.x.writes
	all := slices.Concat(w.draft.Schema().Indexes, w.draft.Schema().Constraints)
	if r.Name = name.Text; r.Name == "" {
		r.Name = freeName(&r, all)
	}
	for _, o := range all {
		if !o.Same(&r) && o.Name != r.Name {
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
	if r.Kind == csr.RuleIndex {
		w.changes.IndexesAdded++
	} else {
		w.changes.ConstraintsAdded++
	}
	return nil
}

// freeName is a name for a rule that was given none. Other rules do not have it.
func freeName(r *csr.Rule, all []csr.Rule) string {
	plain := ruleNames[r.Kind] + "_" + r.On + "_" + strings.Join(r.Keys, "_")
	name := plain
	for i := 2; slices.ContainsFunc(all, func(o csr.Rule) bool { return o.Name == name && !o.Same(r) }); i++ {
		name = fmt.Sprintf("%s_%d", plain, i)
	}
	return name
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
	keys := r.Keys[0]
	if len(r.Keys) > 1 {
		keys = "(" + strings.Join(r.Keys, ", ") + ")"
	}
	return r.Name + " on " + of + "." + keys + [...]string{csr.RuleIndex: "", csr.RuleUnique: " IS UNIQUE", csr.RuleExists: " IS NOT NULL",
		csr.RuleKey: " IS KEY", csr.RuleType: " IS :: " + r.Type}[r.Kind]
}

func (c *commandStage) drop(cmd *lang.Drop) error {
	w := c.x.writes
	drop, list, count, what := w.draft.DropIndex, w.draft.Schema().Indexes, &w.changes.IndexesRemoved, "index"
	if cmd.Constraint {
		drop, list, count, what = w.draft.DropConstraint, w.draft.Schema().Constraints, &w.changes.ConstraintsRemoved, "constraint"
	}
	name, err := ruleName(c.x, cmd.Name, cmd.NameParam)
	if err != nil {
		return err
	}
	is := func(r csr.Rule) bool { return r.Name == name.Text }
	if cmd.Index != nil || cmd.Rule != nil {
		var want csr.Rule
		if cmd.Index != nil {
			want = indexRule(cmd.Index)
		} else {
			want = constraintRule(cmd.Rule)
		}
		is = func(r csr.Rule) bool { return r.Same(&want) }
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
		e := &eval.Error{Code: codeNoRule, Msg: fmt.Sprintf("there is no %s %s", what, name.Text), Pos: name.Pos, Hint: hint}
		if name.Text == "" {
			e.Msg, e.Pos = "there is no such "+what, cmd.Position()
		}
		return e
	}
	*count++
	return w.explain(drop(list[at].Name))
}
