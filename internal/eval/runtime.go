package eval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Runtime is what expressions need of the execution that they are part of. The closures of one Compiler share it.
type Runtime struct {
	Snapshot *csr.Snapshot
	Reader   GraphReader // reads nodes and relationships for a writing clause; nil: Snapshot does
	Params   map[string]value.Value
	Row      []value.Value   // that workers evaluate expressions over
	Ctx      context.Context // ends long loops; nil for never
	Memory   *pattern.Memory // bounds single values; nil for no bound
	Now      time.Time       // of the statement; the zero Time: of the first question
	Plans    Subplans        // nil: expressions have no subqueries
}

// Subplans runs the subqueries in expressions.
type Subplans interface {
	// Subplan returns the plan of x; nil if the execution's plan lacks one.
	Subplan(x lang.Expr) *planner.SubPlan
	// Subquery compiles the run of sub, the plan of x. Variables of c are visible inside.
	Subquery(c *Compiler, sub *planner.SubPlan, x lang.Expr) (Func, error)
}

// graph returns what nodes and relationships are read through.
func (rt *Runtime) graph() GraphReader {
	if rt.Reader != nil {
		return rt.Reader
	}
	return settled{rt.Snapshot}
}

// clock is the time of the statement, the same wherever it is asked.
func (rt *Runtime) clock() time.Time {
	if rt.Now.IsZero() {
		rt.Now = time.Now()
	}
	return rt.Now
}

// pollEvery is how many steps of a loop are made between two looks at whether the query has been cancelled.
const pollEvery = 1024

// poll returns an error at some steps of a loop if the query has been cancelled.
func (rt *Runtime) poll(i int) error {
	if i%pollEvery != pollEvery-1 || rt.Ctx == nil {
		return nil
	}
	return context.Cause(rt.Ctx)
}

// room tells whether a value of n bytes has room in the memory budget.
func (rt *Runtime) room(n int64) error {
	err := rt.Memory.Charge(n)
	rt.Memory.Release(n)
	if errors.Is(err, pattern.ErrMemory) || n > maxValue {
		return tooLarge(n)
	}
	return err
}

// maxValue is how many bytes one value may take at most, and maxJoined how many one that + makes: what a query doubles again and
// again is stopped before it has taken a second.
const (
	maxValue  = 1 << 34
	maxJoined = 1 << 28
)

// roomToJoin is room for what + makes; short ones are not asked for.
func (rt *Runtime) roomToJoin(n int) error {
	switch {
	case n < 1<<16:
		return nil
	case n > maxJoined:
		return tooLarge(int64(n))
	}
	return rt.room(int64(n))
}

func tooLarge(n int64) error {
	return &Error{Code: CodeMemory, Err: pattern.ErrMemory, Msg: fmt.Sprintf("%v: one value takes about %s", pattern.ErrMemory, byteSize(n)),
		Hint: "make shorter lists and strings, or raise the memory budget"}
}

// grown polls, and looks whether a list of n values, which grows, still has room.
func (rt *Runtime) grown(step, n int) error {
	if step%pollEvery != pollEvery-1 {
		return nil
	}
	if err := rt.room(24 * int64(n)); err != nil {
		return err
	}
	return rt.poll(step)
}
