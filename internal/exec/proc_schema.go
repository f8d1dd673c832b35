package exec

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// texts is a list of strings.
func texts(list []string) value.Value {
	values := make([]value.Value, len(list))
	for i, s := range list {
		values[i] = value.OfString(s)
	}
	return value.OfList(values)
}

// orNull is a string, or null for "".
func orNull(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.OfString(s)
}

func entity(r *csr.Rule) string {
	if r.OnRel {
		return "RELATIONSHIP"
	}
	return "NODE"
}

func listFunctions(c *callStage) (source, error) {
	kind, err := shownKind(c)
	n := len(lang.Functions)
	if kind == "USER DEFINED" {
		n = 0
	}
	return func() (bool, error) {
		return each(n, func(i int) (bool, error) {
			f := &lang.Functions[i]
			return c.give(value.OfString(f.Name), value.OfString(f.Signature), value.OfString(f.Help), value.OfBool(f.Aggregate), value.OfString(f.Group), value.OfBool(true))
		})
	}, err
}

// shownKind is the option type of a procedure that SHOW calls; "" if it has none.
func shownKind(c *callStage) (string, error) {
	return c.word("type", c.plan.Procedure.Option("type").Words...)
}

// indexes lists the indexes, and the constraints that are indexes.
func indexes(c *callStage) (source, error) {
	rules := slices.Clone(c.x.s.Schema.Indexes)
	n := len(rules)
	for _, r := range c.x.s.Schema.Constraints {
		if !r.OnRel && (r.Kind == csr.RuleUnique || r.Kind == csr.RuleKey) {
			rules = append(rules, r)
		}
	}
	kind, err := shownKind(c)
	if kind != "" && kind != "RANGE" { // there is one kind of index
		rules = nil
	}
	return func() (bool, error) {
		return each(len(rules), func(i int) (bool, error) {
			r, owner, statement := &rules[i], "", ruleStatement(&rules[i])
			if i >= n {
				owner = r.Name
			}
			return c.give(value.OfString(r.Name), value.OfString("RANGE"), value.OfString(entity(r)), texts([]string{r.On}), texts(r.Keys), value.OfString("ONLINE"), orNull(owner),
				value.OfInt(int64(i+1)), value.OfFloat(100), value.OfString("motif"), value.Value{}, value.Value{}, value.Value{}, value.OfMap(&value.MapValue{}), value.OfString(""),
				value.OfString(statement))
		})
	}, err
}

// ruleStatement is the statement that makes an index or a constraint.
func ruleStatement(r *csr.Rule) string {
	name, of := lang.Name{Text: r.Name}, lang.Name{Text: r.On}
	keys := make([]lang.Name, len(r.Keys))
	for i, k := range r.Keys {
		keys[i].Text = k
	}
	if r.Kind == csr.RuleIndex {
		return (&lang.CreateIndex{Name: name, Form: lang.Name{Text: "RANGE"}, Rel: r.OnRel, Of: of, Keys: keys}).String()
	}
	demands := [...]lang.Demand{csr.RuleUnique: lang.DemandUnique, csr.RuleExists: lang.DemandNotNull, csr.RuleKey: lang.DemandKey, csr.RuleType: lang.DemandType}
	x := &lang.CreateConstraint{Name: name, Rel: r.OnRel, Of: of, Keys: keys, Demand: demands[r.Kind]}
	if t, err := lang.ParseType(r.Type); err == nil {
		x.Type = t
	}
	return x.String()
}

// constraintTypes are the types of constraints on nodes.
var constraintTypes = [...]string{csr.RuleUnique: "UNIQUENESS", csr.RuleExists: "NODE_PROPERTY_EXISTENCE", csr.RuleKey: "NODE_KEY", csr.RuleType: "NODE_PROPERTY_TYPE"}

// relConstraintTypes are the types of constraints on relationships.
var relConstraintTypes = [...]string{csr.RuleUnique: "RELATIONSHIP_UNIQUENESS", csr.RuleExists: "RELATIONSHIP_PROPERTY_EXISTENCE", csr.RuleKey: "RELATIONSHIP_KEY",
	csr.RuleType: "RELATIONSHIP_PROPERTY_TYPE"}

func constraints(c *callStage) (source, error) {
	rules := c.x.s.Schema.Constraints
	kind, err := shownKind(c)
	return func() (bool, error) {
		return each(len(rules), func(i int) (bool, error) {
			r, index := &rules[i], ""
			typ := constraintTypes[r.Kind]
			if r.OnRel {
				typ = relConstraintTypes[r.Kind]
			} else if r.Kind == csr.RuleUnique || r.Kind == csr.RuleKey {
				index = r.Name
			}
			if !isShown(kind, typ, r.OnRel) {
				return true, nil
			}
			return c.give(value.OfString(r.Name), value.OfString(typ), value.OfString(entity(r)), texts([]string{r.On}), texts(r.Keys), orNull(r.Type),
				value.OfInt(int64(i+1)), orNull(index), value.OfMap(&value.MapValue{}), value.OfString(ruleStatement(r)))
		})
	}, err
}

// isShown reports whether the words before CONSTRAINTS admit a type: NODE KEY admits NODE_KEY, KEY also RELATIONSHIP_KEY.
func isShown(kind, typ string, onRel bool) bool {
	side, rest, both := strings.Cut(kind, " ")
	if both && (side == "NODE" || side == "RELATIONSHIP") {
		if (side == "RELATIONSHIP") != onRel {
			return false
		}
		kind = rest
	}
	return strings.HasSuffix(typ, strings.ReplaceAll(kind, " ", "_"))
}

func databases(c *callStage) (source, error) {
	return func() (bool, error) {
		return c.give(value.OfString("graph"), value.OfString("online"), value.OfBool(true), value.OfBool(true))
	}, nil
}

func programVersion(c *callStage) (source, error) {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return func() (bool, error) {
		return c.give(value.OfString("Motif"), texts([]string{version}), value.OfString("community"))
	}, nil
}

// propertyUse is what the values of a property are, among some elements.
type propertyUse struct {
	n     uint64 // elements with a value
	types map[string]bool
}

// note counts a value.
func (u *propertyUse) note(c csr.Cell) {
	if u.types == nil {
		u.types = map[string]bool{}
	}
	u.n++
	u.types[eval.KindOf(value.OfCell(c))] = true
}

// propertyRows calls row for each property of n elements; once with nulls if they have none.
func propertyRows(uses []propertyUse, n uint64, keys *csr.Dict, row func(key, types value.Value, mandatory bool) (bool, error)) (bool, error) {
	any := false
	for k := range uses {
		u := &uses[k]
		if u.n == 0 {
			continue
		}
		any = true
		var names []string
		for name := range u.types {
			names = append(names, name)
		}
		slices.Sort(names)
		if more, err := row(value.OfString(keys.Name(uint32(k))), texts(names), u.n == n); err != nil || !more {
			return more, err
		}
	}
	if !any {
		return row(value.Value{}, value.Value{}, false)
	}
	return true, nil
}

// nodeTypeProperties goes through the nodes of each class.
func nodeTypeProperties(c *callStage) (source, error) {
	s := c.x.s
	return func() (bool, error) {
		byLabels := map[string]int{}
		var sets []labelSet
		for i := range s.Classes {
			class := &s.Classes[i]
			names := make([]string, len(class.Labels))
			for j, l := range class.Labels {
				names[j] = s.Labels.Name(uint32(l))
			}
			slices.Sort(names)
			at, ok := byLabels[labelText(names)]
			if !ok {
				at = len(sets)
				byLabels[labelText(names)] = at
				sets = append(sets, labelSet{names: names, uses: make([]propertyUse, s.Keys.Len())})
			}
			set := &sets[at]
			for v := class.Lo; v < class.Hi; v++ {
				if v%4096 == 0 && c.x.ctx.Err() != nil {
					return false, c.x.ctx.Err()
				}
				set.n++
				for k := range set.uses {
					if cell, ok := s.VertexProp(v, csr.KeyID(k)); ok {
						set.uses[k].note(cell)
					}
				}
			}
		}
		for i := range sets {
			set := &sets[i]
			if set.n == 0 {
				continue
			}
			more, err := propertyRows(set.uses, set.n, s.Keys, func(key, types value.Value, mandatory bool) (bool, error) {
				return c.give(value.OfString(labelText(set.names)), texts(set.names), key, types, value.OfBool(mandatory))
			})
			if err != nil || !more {
				return more, err
			}
		}
		return true, nil
	}, nil
}

// labelSet is the nodes with the same labels.
type labelSet struct {
	names []string
	n     uint64
	uses  []propertyUse // by key
}

// labelText writes labels as in a pattern: :`A`:`B`.
func labelText(names []string) (text string) {
	for _, n := range names {
		text += ":`" + strings.ReplaceAll(n, "`", "``") + "`"
	}
	return text
}

// relTypeProperties goes through the relationships once.
func relTypeProperties(c *callStage) (source, error) {
	s := c.x.s
	return func() (bool, error) {
		uses, counts := make([][]propertyUse, s.Types.Len()), make([]uint64, s.Types.Len())
		n := 0
		for e := range s.AllEdges() {
			if n++; n%4096 == 0 && c.x.ctx.Err() != nil {
				return false, c.x.ctx.Err()
			}
			t := s.TypeOf(e)
			if uses[t] == nil {
				uses[t] = make([]propertyUse, s.Keys.Len())
			}
			counts[t]++
			for k := range uses[t] {
				if cell, ok := s.EdgeProp(e, csr.KeyID(k)); ok {
					uses[t][k].note(cell)
				}
			}
		}
		for t := range uses {
			if counts[t] == 0 {
				continue
			}
			more, err := propertyRows(uses[t], counts[t], s.Keys, func(key, types value.Value, mandatory bool) (bool, error) {
				return c.give(value.OfString(labelText([]string{s.Types.Name(uint32(t))})), key, types, value.OfBool(mandatory))
			})
			if err != nil || !more {
				return more, err
			}
		}
		return true, nil
	}, nil
}
