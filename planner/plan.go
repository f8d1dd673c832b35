// Package planner turns a checked statement into a plan. A syntax tree and a snapshot go in, a tree of operators comes out,
// and EXPLAIN prints it. Clauses that can share a pattern become one Match, which makes queries fast; package planner/match decides how
// each pattern is matched. The planner never reads a node or a relationship of the graph: only names and statistics.
package planner

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner/match"
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
	// OnGPU says that a GPU was asked for. Its clique kernel takes only patterns whose nodes all ask for the same.
	OnGPU bool
	// Declared are the procedures that are there beside those of the language.
	Declared *lang.Declared
}

// Plan is a tree of operators. Rows flow from Input to the root; a row is a slice of values, one per slot.
// An operator whose Input is nil reads the one empty row or, in a plan inside of another one, the row that this one is
// run for.
type Plan struct {
	Root    Node
	Slots   []Slot   // what each slot of a row holds
	Columns []string // result columns, in order; the root operator puts column i into slot Out[i]
	Out     []int

	// Again plans the statement once more, for another snapshot of the same graph; slots and operators are the same. It is
	// nil unless the statement writes.
	Again func(context.Context, *csr.Snapshot) (*Plan, error)
	Subs  map[lang.Expr]*SubPlan // of the expressions that need one; shared pointers of the tree's expressions
	// Warnings are about what may take for ever; they have hints.
	Warnings []*lang.Error
	Brute    bool // every row finds its matches by a search of its own

	placed     map[Node][]*SubPlan
	parameters []parameterComparison
}

// SubPlans lists what the expressions of an operator run, in order of the text.
func (p *Plan) SubPlans(n Node) []*SubPlan { return p.placed[n] }

func (p *Plan) place(n Node, sub *SubPlan) {
	if p.placed == nil {
		p.placed = map[Node][]*SubPlan{}
	}
	p.placed[n] = append(p.placed[n], sub)
}

// OneSearch reports whether one search finds everything. Only then the share of its roots that are finished is a share of the work.
func (p *Plan) OneSearch() bool {
	for _, sub := range p.Subs {
		if sub.Hop == nil {
			return false
		}
	}
	searches := 0
	for n := p.Root; n != nil; {
		switch n.(type) {
		case *Match, *Paths, *Call:
			searches++
		case *Apply, *Union, *Unwind:
			return false
		}
		in := n.Inputs()
		if len(in) != 1 {
			break
		}
		n = in[0]
	}
	return searches == 1
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

// Setter is an operator that sets slots and that the function sets does not know by type.
type Setter interface {
	Node
	Sets() []int
}

// Node is an operator: *Match, *Call, *Apply, *Unwind, *Union, *Filter, *Project, *Aggregate, *Distinct, *Sort, *Skip or
// *Limit. Rows come from the first input; the others are run for each row.
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
	Formula   *pattern.Formula   // of a Count: another way to find the number, which the device may take
	Clique    *match.CliqueRoute // the clique kernel answers instead of filter and join
	Why       string             // why this kernel
	Est       float64
	EstSets   []float64       // estimated candidates by query vertex
	Order     pattern.Order   // by estimates; found again from the real candidate sets at run time
	Orders    match.OrderMemo // the order found at run time
	Seeks     []Seek          // what indexes help with
	types     *csr.Dict       // names of relationship types, for EXPLAIN
	notes     matchNotes
	Once      bool // equal rows count once: one match for each choice of the elements that are read is enough
	Grouped   bool // equal rows may come as one with their number, even if the first one comes later for it
	// ReadKeys are, of a Grouped match by query vertex, the properties that the operator above reads of it; nil where it reads more than
	// that, or nothing. Another vertex with the same values may stand for it.
	ReadKeys    [][]string
	EdgeFilters []EdgeFilter // conditions that read one relationship each; nil where others read a relationship, too
	Unequal     []Unequal
	Comparisons []Comparison
	Optional    bool        // a row without matches goes on once, with nulls
	Draft       *DraftMatch // how a statement of a transaction finds the matches in its draft; nil: it does not
	Limit       int64       // rows wanted at most, over all input rows, when > 0 (pushed down SKIP + LIMIT with nothing between)
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

// ApplyKind says what becomes of a row that Inner gives no rows for, and of one that it gives some for.
type ApplyKind uint8

const (
	ApplyRows     ApplyKind = iota // a row goes on as often as Inner gives one
	ApplyOptional                  // likewise; where Inner gives none, once with nulls in Slots
	ApplyUnit                      // a row goes on once, whatever Inner gives
)

// Apply runs a plan for each input row, whose slots that plan shares: OPTIONAL MATCH that takes more than a Match, and
// CALL { }.
type Apply struct {
	Input Node
	Inner Node // nil: the row itself
	Kind  ApplyKind
	Slots []int // that Inner sets
	Est   float64

	Writes bool // Inner changes the graph
	Batch  *Batch
}

// Batch divides the input rows of an Apply that writes. What a batch changes is committed. A batch in which Inner fails is undone, and if
// the statement goes on, so does each row of the batch, once, with nulls in Slots.
type Batch struct {
	Rows    lang.Expr // how many; nil: 1,000
	OnError lang.ErrorRule
	Status  int // the slot of a map about the batch; -1: nobody reads it
}

// Unwind gives each input row once for every element of a list. Null is an empty list.
type Unwind struct {
	Input  Node
	List   lang.Expr
	Slot   int   // -1: nobody reads the element
	At     int   // the slot of its place; -1: nobody reads it
	First  int64 // the place of the first element
	Est    float64
	name   string
	source string
}

// Union gives the rows of one plan after the other, or with another Op some rows of them. All have the same row in common, and put what
// they return into Slots.
type Union struct {
	Op     lang.SetOp
	All    bool // with EXCEPT and INTERSECT, how often a row occurs counts
	Parts  []Node
	Slots  []int
	Writes bool // a part changes the graph
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
	More     []lang.Expr // further arguments
	Slot     int
}

// SortKey is one ORDER BY key.
type SortKey struct {
	Expr       lang.Expr
	Descending bool
	source     string // as Item's
}
