// Package planner turns a checked syntax tree into a plan: it builds the pattern graph, estimates, finds the matching
// order, breaks symmetry, routes complete patterns to the clique kernel, and prints plans.
package planner

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// Options are the choices of one planning.
type Options struct {
	// Brute switches every rewrite off: one Match per MATCH clause, its WHERE left as predicates of the pattern
	// whatever they say, no clique route, no count-only match, no pushed LIMIT. Such a plan is the oracle's.
	Brute bool
	// Order is how matching orders are chosen, here from estimates; the execution chooses them again by its own.
	Order pattern.OrderStrategy
	// Kernel says who may answer complete patterns.
	Kernel pattern.KernelChoice
}

// Plan is a tree of operators. Rows flow from Input to the root; a row is a slice of values, one per slot.
// An operator whose Input is nil reads the one empty row.
type Plan struct {
	Root    Node
	Slots   []Slot   // what each slot of a row holds
	Columns []string // result columns, in order; the root operator puts column i into slot Out[i]
	Out     []int
}

// SlotKind says what a slot holds at run time.
type SlotKind uint8

const (
	NodeSlot SlotKind = iota
	RelSlot
	ValueSlot
)

// Slot is one place of a row. Name is the variable or column, or a made-up name; it is never empty, and no two
// slots of a plan share one. Every lang.Var in an operator's expressions is the name of a slot.
type Slot struct {
	Name string
	Kind SlotKind
}

// Node is an operator: *Match, *Call, *Filter, *Project, *Aggregate, *Distinct, *Sort, *Skip or *Limit.
type Node interface {
	Inputs() []Node
	Describe() (op, detail string) // one line of EXPLAIN
	Estimate() float64             // rows out
	Notes() []string               // further lines of EXPLAIN
}

// Match extends each input row (or the one empty row, if Input is nil) by the matches of a pattern.
type Match struct {
	Input   Node
	Pattern *pattern.Pattern // Predicates[i].Test is nil: Exprs[i] is its expression
	// Exprs[i] is the expression of Predicates[i]. A lang.Var in it is the Name of a vertex or an edge of Pattern,
	// not a slot: an element that only a predicate reads has no slot. Names that are not "" are unique among all
	// vertices and edges of a Pattern, and an element that has a slot has the slot's name (an edge that repeats
	// a relationship variable of an earlier Match excepted: it has a made-up name and that variable's slot).
	Exprs []lang.Expr
	// VertexSlot and EdgeSlot say where each query vertex and edge goes (or, if Bound, comes from); -1: nowhere.
	VertexSlot []int
	EdgeSlot   []int
	// Count: emit no elements, only how many matches there are, into CountSlot, one row per input row. Over an
	// Input an Aggregate adds the counts up with sum().
	Count     bool
	CountSlot int
	Formula   *pattern.Formula // of a Count: another way to find the number, which the device may take
	Clique    *CliqueRoute     // the clique kernel answers instead of filter and join
	Why       string           // why this kernel
	Est       float64
	EstSets   []float64     // estimated candidates by query vertex
	Order     pattern.Order // by estimates; found again from the real candidate sets at run time
	types     *csr.Dict     // names of relationship types, for EXPLAIN
	notes     []string
	Once      bool  // equal rows count once: one match for each choice of the elements that are read is enough
	Limit     int64 // rows wanted at most, over all input rows, when > 0 (pushed down SKIP + LIMIT with nothing between)
}

// Call extends each input row (or the one empty row) by the rows of a procedure.
type Call struct {
	Input     Node
	Procedure *lang.Procedure
	Pos       lang.Pos    // of its name
	Args      []lang.Expr // a map of options is the *lang.MapLit at the end
	Columns   []int       // the columns of the procedure that are yielded
	Slots     []int       // where each goes; -1: nowhere
	Est       float64
	names     []string // the variables, by column, for EXPLAIN
}

// CliqueRoute says how a pattern maps onto the clique kernel.
type CliqueRoute struct {
	Groups [][]int // query vertices with the same candidates, in order of first appearance
	// Factor is how many matches each clique stands for: the product of the groups' factorials, or 1 in a
	// Distinct scope.
	Factor uint64
	// Ordered: every permutation inside the groups is a match of its own. Else, in a Distinct scope, only the one
	// with the smallest stable ids in the scope's order is.
	Ordered bool
}

// The row operators. Their expressions refer to slots by name.
type (
	// Filter keeps the rows for which Cond is true.
	Filter struct {
		Input Node
		Cond  lang.Expr
		Est   float64
	}
	// Project computes items into slots.
	Project struct {
		Input Node
		Items []Item
	}
	// Aggregate groups by Keys and computes Aggs.
	Aggregate struct {
		Input Node
		Keys  []Item
		Aggs  []Agg
		Est   float64
	}
	// Distinct keeps the first of equal rows, compared on Slots.
	Distinct struct {
		Input Node
		Slots []int
	}
	// Sort orders by Keys.
	Sort struct {
		Input Node
		Keys  []SortKey
		Top   lang.Expr // SKIP + LIMIT above it, if known: keep only so many; may be nil
	}
	// Skip and Limit cut.
	Skip struct {
		Input Node
		N     lang.Expr
	}
	Limit struct {
		Input Node
		N     lang.Expr
	}
)

// Item computes an expression into a slot.
type Item struct {
	Expr   lang.Expr
	Slot   int
	source string // as the query has it, where that differs; for EXPLAIN
}

// Agg is one aggregate call. Func is "count", "sum", "min", "max", "avg" or "collect"; Arg is nil for count(*).
type Agg struct {
	Func     string
	Distinct bool
	Arg      lang.Expr
	Slot     int
}

// SortKey is one ORDER BY key.
type SortKey struct {
	Expr       lang.Expr
	Descending bool
	source     string // as Item's
}
