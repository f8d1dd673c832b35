package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// Expressions make values, and the values take memory until their row is done. This file charges them: an Input counts
// what its expressions have made, and takes it from the query's budget. A loop such as reduce() drops what a step has made
// and keeps only the step's result. See Input.Mark and Runtime.settle.
//
// The same counter decides when to look whether the query is cancelled: after so many steps, and bytes count as steps.

const (
	pollEvery = 1024 // steps between two looks at the context
	stepBytes = 64   // bytes made or read that count as a step
	slack     = 4096 // bytes that an Input makes before it takes them from the budget

	// maxValue limits the bytes of one value, maxNested those of a list or a map that is written out, and maxJoined those of
	// a result of +. So a query that doubles a value again and again stops before it costs a second, also without a budget.
	// [s, s] takes little memory, but whoever walks through a value doubled so would never end.
	maxValue  = 1 << 34
	maxNested = 1 << 32
	maxJoined = 1 << 28

	// maxDepth limits how deep lists and maps nest in each other: whoever walks through a value calls itself as often, and no
	// program survives the end of its stack.
	maxDepth = 10_000
)

// Mark returns what the Input has made so far. A caller that drops the values made since gives the mark to Settle.
func (e *Input) Mark() int64 {
	if e == nil {
		return 0
	}
	return e.made
}

// Settle drops the values made since the mark.
func (rt *Runtime) Settle(e *Input, mark int64) {
	if e.made != mark {
		_ = rt.settle(e, mark) // less than before always has room
	}
}

// settle says that the values of e take made bytes now, and takes them from the budget.
func (rt *Runtime) settle(e *Input, made int64) error {
	if e == nil {
		return nil
	}
	e.made = made
	switch more := made - e.granted; {
	case more >= slack:
		e.granted = made
		return rt.tooMuch(rt.Memory.Charge(more), made)
	case more <= -slack, made == 0 && more != 0:
		e.granted = made
		rt.Memory.Release(-more)
	}
	return nil
}

// charge takes n bytes for a value that e has made, and counts the work.
func (rt *Runtime) charge(e *Input, n int64) error {
	if e == nil {
		return rt.room(n)
	}
	if err := rt.work(e, n); err != nil {
		return err
	}
	return rt.settle(e, e.made+n)
}

// keep drops everything made since the mark but v, the result of an expression that has read so many bytes.
func (rt *Runtime) keep(e *Input, mark, read int64, v value.Value) error {
	n := v.Bytes() - 24
	if e == nil {
		return rt.room(n)
	}
	if err := rt.work(e, n+read); err != nil {
		return err
	}
	if e.made == mark+n {
		return nil
	}
	return rt.settle(e, mark+n)
}

// contain charges a list or a map for n bytes of its own. Its elements are charged already; but it must not be larger,
// all in all, than a query may hold.
func (rt *Runtime) contain(e *Input, n int64, v value.Value) error {
	if v.Depth() > maxDepth {
		return tooDeep()
	}
	if size := v.Bytes(); size > rt.largest() {
		return tooLarge(size)
	}
	return rt.charge(e, n)
}

// largest returns the size of the largest value that the query may make.
func (rt *Runtime) largest() int64 {
	if rt.Memory != nil && rt.Memory.Limit > 0 {
		return min(rt.Memory.Limit, maxNested)
	}
	return maxNested
}

// step counts a step of a loop.
func (rt *Runtime) step(e *Input) error {
	if e == nil {
		return nil
	}
	if e.steps--; e.steps < 0 {
		return rt.look(e)
	}
	return nil
}

// work counts the steps of an operation that reads or writes n bytes.
func (rt *Runtime) work(e *Input, n int64) error {
	if n < stepBytes || e == nil {
		return nil
	}
	if e.steps -= int(n / stepBytes); e.steps < 0 {
		return rt.look(e)
	}
	return nil
}

// look reports whether the query is cancelled.
func (rt *Runtime) look(e *Input) error {
	e.steps = pollEvery
	if rt.Ctx == nil {
		return nil
	}
	return context.Cause(rt.Ctx)
}

// poll is step for a loop inside one function, by the number of the step.
func (rt *Runtime) poll(i int) error {
	if i%pollEvery != pollEvery-1 || rt.Ctx == nil {
		return nil
	}
	return context.Cause(rt.Ctx)
}

// room returns an error if the memory budget has no room for a value of n bytes.
func (rt *Runtime) room(n int64) error {
	if n < slack {
		return nil
	}
	if n > maxValue {
		return tooLarge(n)
	}
	err := rt.Memory.Charge(n)
	rt.Memory.Release(n)
	return rt.tooMuch(err, n)
}

// roomToJoin is room for a result of +.
func (rt *Runtime) roomToJoin(n int64) error {
	if n > maxJoined {
		return tooLarge(n)
	}
	return rt.room(n)
}

// grow makes room for one more element of a list that e is making. The old list stays charged while the new one is filled.
func (rt *Runtime) grow(list []value.Value) ([]value.Value, error) {
	if len(list) < cap(list) {
		return list, nil
	}
	n := nextCap(cap(list))
	if err := rt.room(24 * int64(n)); err != nil {
		return nil, err
	}
	return append(make([]value.Value, 0, n), list...), nil
}

// nextCap returns the capacity that follows n: twice as much for short lists, a quarter more for long ones.
func nextCap(n int) int {
	switch {
	case n < 4:
		return 4
	case n < 1024:
		return 2 * n
	}
	return n + n/4
}

func (rt *Runtime) tooMuch(err error, n int64) error {
	if errors.Is(err, pattern.ErrMemory) {
		return tooLarge(n)
	}
	return err
}

func tooDeep() error {
	return &Error{Code: CodeNesting, Msg: fmt.Sprintf("the value nests lists and maps more than %d levels deep", maxDepth)}
}

func tooLarge(n int64) error {
	return &Error{Code: CodeMemory, Err: pattern.ErrMemory, Msg: fmt.Sprintf("%v: one value takes about %s", pattern.ErrMemory, byteSize(n)),
		Hint: "make shorter lists and strings, or raise the memory budget"}
}
