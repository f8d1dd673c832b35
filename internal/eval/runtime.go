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
}

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

// pollEvery is the number of steps of a loop between two checks for cancellation.
const pollEvery = 1024

// poll returns an error if the query is cancelled. It checks at every pollEvery-th step.
func (rt *Runtime) poll(i int) error {
	if i%pollEvery != pollEvery-1 || rt.Ctx == nil {
		return nil
	}
	return context.Cause(rt.Ctx)
}

// room returns an error if the memory budget has no room for a value of n bytes.
func (rt *Runtime) room(n int64) error {
	err := rt.Memory.Charge(n)
	rt.Memory.Release(n)
	if errors.Is(err, pattern.ErrMemory) || n > maxValue {
		return tooLarge(n)
	}
	return err
}

// maxValue limits the bytes of one value, and maxJoined those of a result of +. A query that doubles a value again and
// again so stops before it costs a second.
const (
	maxValue  = 1 << 34
	maxJoined = 1 << 28
)

// roomToJoin is room for a result of +. It does not check short ones.
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

// grown polls and checks at some steps that a growing list of n values still has room.
func (rt *Runtime) grown(step, n int) error {
	if step%pollEvery != pollEvery-1 {
		return nil
	}
	if err := rt.room(24 * int64(n)); err != nil {
		return err
	}
	return rt.poll(step)
}
