package planner

import (
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// New plans a checked statement for one snapshot. The statement is not changed. Errors are *lang.Error.
func New(stmt *lang.Statement, s *csr.Snapshot, opt Options) (*Plan, error) {
	if err := supported(stmt); err != nil {
		return nil, err
	}
	b := &builder{snap: s, opt: opt, plan: &Plan{}, taken: map[string]bool{}, vars: map[string]*variable{}, slots: map[string]int{}}
	b.reserve(stmt.Query)
	var ret *lang.Return
	for _, c := range stmt.Query.Clauses {
		switch c := c.(type) {
		case *lang.Match:
			if err := b.match(c); err != nil {
				return nil, err
			}
		case *lang.CallClause:
			if err := b.procedure(c); err != nil {
				return nil, err
			}
			if len(stmt.Query.Clauses) == 1 {
				ret = standalone(c)
			}
		case *lang.Return:
			ret = c
		}
	}
	if ret == nil {
		return nil, &lang.Error{Code: "SyntaxError.InvalidClauseComposition", Msg: "the query returns nothing", Hint: "end it with RETURN", Pos: stmt.Pos}
	}
	if err := b.finish(ret); err != nil {
		return nil, err
	}
	return b.plan, nil
}

// builder makes one plan.
type builder struct {
	snap  *csr.Snapshot
	opt   Options
	plan  *Plan
	taken map[string]bool      // names that a new slot or element must not have
	made  int                  // names made up so far
	vars  map[string]*variable // by name as written
	slots map[string]int       // by name
	steps []step
}

// step is what one or several clauses become: a *group or a *callStep.
type step interface {
	node(input Node) Node   // called when it is known which variables are read
	variables() []*variable // in order of first appearance; some may be nil or hidden
}

// variable is a node or relationship variable, a column of a procedure, or an anonymous element that a later operator
// needs.
type variable struct {
	name     string
	kind     SlotKind
	home     *group // where it is bound; nil for a column
	index    int    // vertex or edge there
	read     bool   // needs a slot: something outside its home reads it
	hidden   bool   // made up: RETURN * does not show it
	nullable bool   // it may be null: a MATCH that starts from it has no matches then
}

// reserve notes every name of the query, so that made-up ones differ.
func (b *builder) reserve(q *lang.Query) {
	for _, c := range q.Clauses {
		if call, ok := c.(*lang.CallClause); ok {
			if p := lang.FindProcedure(call.Name); p != nil {
				for _, name := range yielded(p, call) {
					b.taken[name] = true
				}
			}
		}
		m, ok := c.(*lang.Match)
		if !ok {
			continue
		}
		for _, p := range m.Paths {
			for _, n := range p.Nodes {
				b.taken[n.Name] = true
			}
			for _, r := range p.Rels {
				b.taken[r.Name] = true
			}
		}
	}
}

// makeUp returns a name that nothing has.
func (b *builder) makeUp() string {
	for {
		b.made++
		if name := fmt.Sprint("_", b.made); !b.taken[name] {
			b.taken[name] = true
			return name
		}
	}
}

// slot returns the slot of a name, making it at first use.
func (b *builder) slot(name string, kind SlotKind) int {
	if i, ok := b.slots[name]; ok {
		return i
	}
	i := len(b.plan.Slots)
	b.plan.Slots = append(b.plan.Slots, Slot{Name: name, Kind: kind})
	b.slots[name] = i
	b.taken[name] = true
	return i
}

// match adds a clause: to the last group where the two may share a pattern, else to a new one.
func (b *builder) match(m *lang.Match) error {
	alone := b.opt.Brute || m.Distinct || m.Induced
	g := b.lastGroup()
	if g == nil || alone || g.alone || g.binds(m) {
		g = newGroup(b, alone)
		b.steps = append(b.steps, g)
	}
	return g.clause(m)
}

// lastGroup is the last step if that is a group, or nil.
func (b *builder) lastGroup() *group {
	if len(b.steps) == 0 {
		return nil
	}
	g, _ := b.steps[len(b.steps)-1].(*group)
	return g
}

// finish gives every element that is read a slot, chains the groups and puts the operators of RETURN on top.
func (b *builder) finish(ret *lang.Return) error {
	r, err := newReturning(b, ret)
	if err != nil {
		return err
	}
	var top Node
	for _, s := range b.steps {
		top = s.node(top)
	}
	top, err = r.build(top)
	if err != nil {
		return err
	}
	b.plan.Root = top
	b.weigh(top)
	return nil
}
