package eval

import (
	"context"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Runtime holds what expressions read of their execution. All closures of one Compiler share it.
type Runtime struct {
	Snapshot *csr.Snapshot
	Reader   GraphReader // reads elements for a writing clause; nil: Snapshot does
	Params   map[string]value.Value
	Row      []value.Value   // the row that workers evaluate expressions over
	Ctx      context.Context // cancels long loops; nil: never
	Memory   *pattern.Memory // limits single values; nil: no limit
	Now      time.Time       // the time of the statement; zero: the time of the first call
	Plans    Subplans        // runs subqueries; nil: expressions have none

	Projections *pattern.Projections

	folded *Input // evaluates constant expressions; their values stay charged until Release
}

// Release gives back what the constants of the query took.
func (rt *Runtime) Release() { rt.Settle(rt.folded, 0) }

// Subplans runs the subqueries in expressions.
type Subplans interface {
	// Subplan returns the plan of x, nil if the execution's plan lacks one.
	Subplan(x lang.Expr) *planner.SubPlan
	// Subquery compiles sub, the plan of x, to a function that runs it. The variables of c are visible inside.
	Subquery(c *Compiler, sub *planner.SubPlan, x lang.Expr) (Func, error)
}

// graph returns the reader of nodes and relationships.
func (rt *Runtime) graph() GraphReader {
	if rt.Reader != nil {
		return rt.Reader
	}
	return settled{rt.Snapshot}
}

// clock returns the time of the statement, the same at every call.
func (rt *Runtime) clock() time.Time {
	if rt.Now.IsZero() {
		rt.Now = time.Now()
	}
	return rt.Now
}
