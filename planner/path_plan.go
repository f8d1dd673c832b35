package planner

import (
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// Paths extends each input row by the matches of a path pattern of variable length. Its first node is given by the row.
//
// Expressions name the pattern's variables: Vertices and Edges by their numbers. The other names are slots.
type Paths struct {
	Input    Node
	Path     *pattern.Path // Tests[i].Test is nil: Exprs[i] is its expression
	Exprs    []lang.Expr
	Vertices []PathVar
	Edges    []PathVar
	Lists    []PathVar // by hop: all its relationships, where it is a loop
	Lengths  []int     // by hop: the slot for the number of its relationships, where it is a loop; -1: none
	Inner    int       // slot for the list of all nodes but those of Path.Nodes; -1: none
	// Slots of relationships, or lists of them, and of nodes, or lists of them, that the path must not have.
	UsedRels, UsedNodes []int
	Turned              bool // Path runs from the last element of what was written to the first
	Select              pattern.PathSelector
	K                   lang.Expr   // nil: 1
	Accept              []lang.Expr // conditions on a whole path, which choose before Select does
	Once                bool        // equal rows count once
	Count               bool        // emit no elements, only how many matches there are, into CountSlot, one row per input row
	CountSlot           int
	Why                 string
	Est                 float64

	text  string
	pos   lang.Pos
	notes []string
}

// largeGraph is from how many relationships on all paths of any length are worth a warning: their number grows with the
// factorial of the graph.
const largeGraph = 1000

// warnPaths warns of a search for all paths of any length in a large graph.
func (p *Plan) warnPaths(n Node, large bool) {
	if n == nil {
		return
	}
	if x, ok := n.(*Paths); ok && large && !x.Once && x.Select == pattern.AllPaths && x.unbounded() {
		p.Warnings = append(p.Warnings, &lang.Error{Code: "UnboundedPath", Pos: x.pos,
			Msg:  "this asks for every path of any length, and a graph of this size may have more than can ever be listed",
			Hint: "give it an upper bound, ask for ANY SHORTEST or ALL SHORTEST, or RETURN DISTINCT its end, which breadth-first search finds"})
	}
	for _, in := range n.Inputs() {
		p.warnPaths(in, large)
	}
	for _, sub := range p.SubPlans(n) {
		p.warnPaths(sub.Root, large)
	}
}

// unbounded reports whether a path may be of any length, as far as the pattern says.
func (p *Paths) unbounded() bool {
	for i, h := range p.Path.Hops {
		if h.Max < 0 && !p.Lists[i].Given {
			return true
		}
	}
	return false
}

// PathVar is a variable of a path pattern. In a loop it stands for one element at a time, and its slot holds the list of all.
type PathVar struct {
	Name  string // "" if no expression has it
	Slot  int    // -1: nowhere
	Given bool   // the row gives the value, of a list too
}

// Different keeps the rows in which parts of a MATCH that several operators have bound have nothing in common.
type Different struct {
	Input Node
	Rels  [][]int // by part: slots of relationships or lists of them; inside of a part they may repeat
	Nodes []int   // slots of nodes or lists of them, none of which may be another
}

// Inputs, Describe, Estimate and Notes of Paths and Different; Sets of Paths.
func (p *Paths) Inputs() []Node     { return inputs(p.Input) }
func (d *Different) Inputs() []Node { return inputs(d.Input) }

func (p *Paths) Describe() (op, detail string) {
	op = "Paths"
	switch {
	case p.Select == pattern.ShortestPaths || p.Select == pattern.ShortestGroups:
		op = "Shortest paths"
	case p.Count:
		op = "Count paths"
	case p.Once:
		op = "Reach"
	}
	return op, p.text
}

func (d *Different) Describe() (op, detail string) {
	return "Different", "what the parts of the pattern bind"
}

func (p *Paths) Estimate() float64     { return p.Est }
func (d *Different) Estimate() float64 { return inputRows(d.Input) }
func (p *Paths) Notes() []string       { return p.notes }
func (d *Different) Notes() []string   { return nil }

// Sets lists the slots that the operator sets.
func (p *Paths) Sets() (slots []int) {
	for _, vars := range [][]PathVar{p.Vertices, p.Edges, p.Lists} {
		for _, v := range vars {
			if v.Slot >= 0 && !v.Given {
				slots = append(slots, v.Slot)
			}
		}
	}
	for _, slot := range append(p.Lengths[:len(p.Lengths):len(p.Lengths)], p.Inner) {
		if slot >= 0 {
			slots = append(slots, slot)
		}
	}
	if p.Count {
		slots = append(slots, p.CountSlot)
	}
	return slots
}
