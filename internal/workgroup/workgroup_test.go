package workgroup

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

// A panic of a worker goes on in Wait, with the stack of its origin, after the other workers were told to stop and have ended.
func TestGroupPassesPanics(t *testing.T) {
	wrong := errors.New("wrong")
	var stop atomic.Bool
	var ended atomic.Int32
	g := Group{Stop: func() { stop.Store(true) }}
	for range 3 {
		g.Go(func() {
			for !stop.Load() {
			}
			ended.Add(1)
		})
	}
	g.Go(func() { origin(wrong) })
	defer func() {
		p, ok := recover().(*Panic)
		if !ok || !errors.Is(p, wrong) || !strings.Contains(string(p.Stack), "workgroup.origin") || !strings.Contains(p.Error(), "panic: wrong") {
			t.Errorf("Wait passes on %v", p)
		}
		if ended.Load() != 3 {
			t.Errorf("%d workers have ended", ended.Load())
		}
		if value, stack := Origin(p); value != wrong || string(stack) != string(p.Stack) {
			t.Errorf("the origin is %v", value)
		}
	}()
	g.Wait()
}

//go:noinline
func origin(err error) { panic(err) }

// The panic of an inner group keeps its value and its stack through the outer group.
func TestGroupsNest(t *testing.T) {
	p := Catch(func() {
		var outer Group
		outer.Do(func() {
			var inner Group
			inner.Go(func() { panic("inner") })
			inner.Wait()
		})
		outer.Wait()
	})
	if p == nil || p.Value != "inner" {
		t.Errorf("%v", p)
	}
	if p = Catch(func() {}); p != nil {
		t.Errorf("no panic is %v", p)
	}
}

// A call that panicked does not count for Once.
func TestOnceTriesAgain(t *testing.T) {
	var o Once
	if Catch(func() { o.Do(func() { panic("first") }) }) == nil {
		t.Error("the panic is gone")
	}
	calls := 0
	for range 3 {
		o.Do(func() { calls++ })
	}
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// OnStart reaches every worker.
func TestOnStart(t *testing.T) {
	var n atomic.Int32
	OnStart(func() { n.Add(1) })
	var g Group
	g.Go(func() {})
	g.Do(func() {})
	g.Wait()
	OnStart(nil)
	g.Do(func() {})
	if n.Load() != 2 {
		t.Errorf("%d workers", n.Load())
	}
}
