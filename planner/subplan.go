package planner

import (
	"strings"

	"maps"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// SubKind says what an expression makes of the rows of a sub-plan.
type SubKind uint8

const (
	SubExists  SubKind = iota // whether there is one
	SubCount                  // how many there are
	SubValue                  // the value of a slot in the only one
	SubCollect                // the list of the values of a slot
)

// SubPlan is a plan that an expression runs for every row that it is evaluated for: EXISTS { }, COUNT { }, COLLECT { }, a
// pattern comprehension or a pattern as a predicate. It starts from that row, whose slots it shares.
type SubPlan struct {
	Kind   SubKind
	Root   Node
	Slot   int      // of SubValue and SubCollect
	Reads  []string // the variables outside that it reads
	Locals []Local
	Same   bool // it gives the same for all rows, as long as the graph is the same
	Hop    *Hop // set: the same, found without a plan
	text   string
}

// Local is a variable that the expression around a sub-plan binds, as a list comprehension does, and the slot in which the
// sub-plan reads it.
type Local struct {
	Name string
	Slot int
}

// Hop is a pattern of one relationship, of which one end is given, or both: to ask for it is to look it up in the adjacency.
type Hop struct {
	From, To  string // variables; To may be "" for any node
	Types     csr.TypeSet
	Direction csr.Direction     // seen from From
	Labels    [2]*pattern.Label // that the ends must have; nil: any
}

// Inputs, Describe, Estimate and Notes of SubPlan, which EXPLAIN shows below the operator that runs it.
func (s *SubPlan) Inputs() []Node {
	if s.Root == nil {
		return nil
	}
	return []Node{s.Root}
}

func (s *SubPlan) Describe() (op, detail string) {
	return [...]string{SubExists: "Exists", SubCount: "Count rows", SubValue: "Value", SubCollect: "Collect"}[s.Kind], s.text
}

func (s *SubPlan) Estimate() float64 { return 1 }

func (s *SubPlan) Notes() []string {
	if s.Hop != nil {
		return []string{"looked up in the adjacency of " + s.Hop.From}
	}
	return nil
}

// subquery plans the subquery or pattern that x is, for the copy that it returns.
func (b *builder) subquery(x lang.Expr) lang.Expr {
	sub := &SubPlan{text: text(x)}
	var y lang.Expr
	var q *lang.Query
	switch x := x.(type) {
	case *lang.PatternExpr:
		if x.Path.Function != lang.NoPathFunction {
			return b.pathValue(x)
		}
		c := *x
		y, q = &c, matching(x.Pos, x.Path, nil)
	case *lang.PatternComprehension:
		c := *x
		y, q = &c, matching(x.Pos, x.Path, x.Where)
		q.Clauses = append(q.Clauses, &lang.Return{Pos: x.Pos, Items: []*lang.ReturnItem{{Pos: x.Pos, Expr: x.Map, Name: "value"}}})
		sub.Kind = SubCollect
	case *lang.Subquery:
		c := *x
		y, q = &c, x.Query
		switch {
		case x.Kind == "collect":
			sub.Kind = SubCollect
		case x.Kind == "count" && !returns(q):
			sub.Kind = SubValue
			q = &lang.Query{Clauses: append(q.Clauses[:len(q.Clauses):len(q.Clauses)],
				&lang.Return{Pos: x.Pos, Items: []*lang.ReturnItem{{Pos: x.Pos, Expr: &lang.CountStar{Pos: x.Pos}, Name: "count"}}})}
		case x.Kind == "count":
			sub.Kind = SubCount
		}
	}
	b.plan.Subs[y] = sub
	if sub.Kind == SubExists && !b.opt.Brute && sub.singleHop(b, q) {
		return y
	}
	outer := b.enter()
	sub.importLocals(b)
	b.scope.base = b.scope.inner().names
	cols, err := b.query(q)
	if err != nil && b.err == nil {
		b.err = err
	}
	sub.Root = b.top
	if len(cols) > 0 && (sub.Kind == SubCollect || sub.Kind == SubValue) {
		sub.Slot = b.slots[cols[0].slot]
	}
	if m, ok := sub.Root.(*Match); ok && sub.Kind == SubExists && !m.Count && !m.Optional {
		m.Limit = 1
	}
	if sub.Kind == SubExists && !b.opt.Brute {
		countOnce(sub.Root)
	}
	sub.Reads = b.leave(outer)
	sub.trim(b)
	sub.Same = len(sub.Reads)+len(sub.Locals) == 0 && !strings.Contains(strings.ToLower(sub.text), "rand")
	if sub.Root != nil {
		b.estimator().plan(sub.Root)
	}
	return y
}

// pathValue plans shortestPath(...) and allShortestPaths(...) as values: a path or null, and a list of paths.
func (b *builder) pathValue(x *lang.PatternExpr) lang.Expr {
	name := b.fresh("path")
	path := *x.Path
	path.Name, path.NamePos = name, x.Pos
	list := b.subquery(&lang.PatternComprehension{Pos: x.Pos, Path: &path, Map: &lang.Var{Pos: x.Pos, Name: name}})
	if x.Path.Function == lang.AllShortestPaths {
		return list
	}
	return &lang.Index{Pos: x.Pos, Of: list, At: &lang.Literal{Pos: x.Pos, Value: int64(0)}}
}

// matching is the query that MATCH path WHERE where is.
func matching(pos lang.Pos, path *lang.PathPattern, where lang.Expr) *lang.Query {
	return &lang.Query{Clauses: []lang.Clause{&lang.Match{Pos: pos, Paths: []*lang.PathPattern{path}, Where: where}}}
}

// returns reports whether a query ends with RETURN.
func returns(q *lang.Query) bool {
	if len(q.Clauses) == 0 {
		return false
	}
	_, ok := q.Clauses[len(q.Clauses)-1].(*lang.Return)
	return ok
}

// finishes reports whether a query ends with FINISH.
func finishes(q *lang.Query) bool {
	_, ok := q.Clauses[len(q.Clauses)-1].(*lang.Finish)
	return ok
}

// importLocals gives the variables of the expressions around a sub-plan slots.
func (sub *SubPlan) importLocals(b *builder) {
	slots := map[string]string{} // by variable
	imported := func(v *lang.Var) lang.Expr {
		if b.vars[v.Name] != nil {
			return v // bound by the row
		}
		in := slots[v.Name]
		if in == "" {
			in = b.fresh(v.Name)
			slots[v.Name] = in
			b.declare(in, ValueSlot, nil, 0).nullable = true
			b.scope.outer[in] = true
			sub.Locals = append(sub.Locals, Local{Name: v.Name, Slot: b.slot(in, ValueSlot)})
		}
		return &lang.Var{Pos: v.Pos, Name: in}
	}
	for _, name := range slices.Sorted(maps.Keys(b.scope.names)) { // in order: see Plan.Again
		if strings.HasPrefix(name, alreadyPlanned) {
			continue // one repetition of a loop, which no subquery sees by this name
		}
		switch x := b.scope.names[name].(type) {
		case *lang.Var:
			b.scope.names[name] = imported(x)
		case *lang.Call: // a path, perhaps of one repetition of a loop
			b.scope.names[name] = rewrite(x, func(x lang.Expr) lang.Expr {
				if v, ok := x.(*lang.Var); ok {
					return imported(v)
				}
				return nil
			})
		}
	}
}

// trim leaves those locals that are read, which are none of the variables that the row has; where the expression around is
// itself in a sub-plan, they may be that one's.
func (s *SubPlan) trim(b *builder) {
	var locals []Local
	for _, l := range s.Locals {
		for i, name := range s.Reads {
			if slot, has := b.slots[name]; has && slot == l.Slot && b.vars[name] != nil {
				locals = append(locals, l)
				s.Reads = append(s.Reads[:i:i], s.Reads[i+1:]...)
				break
			}
		}
	}
	s.Locals = locals
}

// singleHop makes a look-up of a pattern of one relationship between given nodes, or from one.
func (sub *SubPlan) singleHop(b *builder, q *lang.Query) bool {
	if len(q.Clauses) != 1 || len(q.Unions) > 0 {
		return false
	}
	m, ok := q.Clauses[0].(*lang.Match)
	if !ok || m.Optional || m.Mode != lang.DifferentRelationships || m.Distinct || m.Induced || m.Where != nil || len(m.Paths) != 1 {
		return false
	}
	p := m.Paths[0]
	if p.Name != "" || p.Function != 0 || p.Mode != 0 || p.Selector.Kind != 0 || len(p.Rels) != 1 {
		return false
	}
	r := p.Rels[0]
	if r.Name != "" || r.Length != nil || r.Group != nil || r.Props != nil || r.Where != nil {
		return false
	}
	h := &Hop{Types: b.dict.relTypes(r), Direction: [...]csr.Direction{lang.Undirected: csr.Both, lang.Right: csr.Out, lang.Left: csr.In}[r.Direction]}
	var ends [2]string
	for i, n := range p.Nodes {
		if n.Props != nil || n.Where != nil {
			return false
		}
		if n.Labels != nil {
			h.Labels[i] = b.dict.label(n.Labels)
		}
		x := b.scope.find(n.Name)
		given := x != nil
		if v, ok := x.(*lang.Var); given && ok && b.vars[v.Name] != nil {
			ends[i] = v.Name
		} else if given {
			return false
		}
	}
	if ends[0] == "" && p.Nodes[0].Name != "" && p.Nodes[0].Name == p.Nodes[1].Name {
		return false // a loop
	}
	if ends[0] == "" {
		ends[0], ends[1] = ends[1], ends[0]
		h.Labels[0], h.Labels[1] = h.Labels[1], h.Labels[0]
		h.Direction = h.Direction.Reverse()
	}
	if ends[0] == "" {
		return false
	}
	h.From, h.To = ends[0], ends[1]
	sub.Hop = h
	for _, name := range ends {
		if name != "" {
			sub.Reads = append(sub.Reads, name)
		}
	}
	b.scope.note(sub.Reads)
	return true
}

// planned reports whether x has a part that needs a sub-plan to be run.
func (b *builder) planned(x lang.Expr) bool {
	found := false
	walk(x, func(x lang.Expr) bool {
		sub := b.plan.Subs[x]
		found = found || sub != nil && sub.Hop == nil
		return !found
	})
	return found
}
