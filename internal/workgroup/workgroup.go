// Package workgroup starts the goroutines of the engine, so that a panic in one of them does not end the program.
//
// Functions go in; nothing comes out but the end of all of them. A panic in one of them goes on in the goroutine that waits, as
// a *Panic with the stack of its origin. That goroutine belongs to a call of the module root, which makes it an error.
//
// It costs nothing beside a sync.WaitGroup until something panics.
//
// It never decides how many goroutines there are, and never stops one: Group.Stop asks them to end.
package workgroup

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Panic is a panic that was caught in one goroutine and goes on in another.
type Panic struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

// Error describes the panic.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n\n%s", p.Value, p.Stack) }

// Unwrap returns the value of the panic if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Origin returns the value and the stack of a panic, given what recover returned. Call it in the deferred function.
func Origin(recovered any) (value any, stack []byte) {
	if p, ok := recovered.(*Panic); ok {
		return p.Value, p.Stack
	}
	return recovered, debug.Stack()
}

// Catch runs fn and returns its panic, or nil. A read of mapped memory that fails is a panic, too, and does not end the program.
func Catch(fn func()) (p *Panic) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			value, stack := Origin(v)
			p = &Panic{Value: value, Stack: stack}
		}
	}()
	if h := hook.Load(); h != nil {
		(*h)()
	}
	fn()
	return nil
}

// hook is called at the start of every worker, in tests.
var hook atomic.Pointer[func()]

// OnStart calls fn at the start of every worker, or nothing if fn is nil. It is for tests, which make workers panic.
func OnStart(fn func()) {
	if fn == nil {
		hook.Store(nil)
		return
	}
	hook.Store(&fn)
}

// Group is a sync.WaitGroup whose Wait passes on a panic. The zero Group is ready. A Group must not be copied.
type Group struct {
	Stop func() // called once when a worker panics, to end the others; may be nil

	wait  sync.WaitGroup
	first atomic.Pointer[Panic]
}

// Go runs fn in a goroutine of its own.
func (g *Group) Go(fn func()) { g.wait.Go(func() { g.Do(fn) }) }

// Do runs fn in this goroutine, as a worker of the group. It keeps a panic for Wait.
func (g *Group) Do(fn func()) {
	if p := Catch(fn); p != nil && g.first.CompareAndSwap(nil, p) && g.Stop != nil {
		g.Stop()
	}
}

// Wait waits for all workers, and then panics if one of them has.
func (g *Group) Wait() {
	g.wait.Wait()
	if p := g.first.Load(); p != nil {
		panic(p)
	}
}

// Once is a sync.Once that does not count a call that panicked: the next one tries again.
type Once struct {
	mu   sync.Mutex
	done atomic.Bool
}

// Do calls fn unless a call has returned before. It waits for a call at work.
func (o *Once) Do(fn func()) {
	if o.done.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done.Load() {
		fn()
		o.done.Store(true)
	}
}

// GrowStack gives a new goroutine room for a deep stack at once. Otherwise the runtime grows the stack in several steps, and each
// step copies and adjusts all frames: a seventh of the instructions of a query of 40 us. What asks for the room is the size of
// the frame alone. touch must be false: the frame is cleared only to be used.
//
//go:noinline
func GrowStack(touch bool) {
	if touch {
		var room [stackRoom]byte
		keep(&room)
	}
}

const stackRoom = 12 << 10

//go:noinline
func keep(room *[stackRoom]byte) { room[0]++ }
