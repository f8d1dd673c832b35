package csr

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// What a snapshot derives on demand (adjacency views, indexes, what other packages keep through Derived) takes time that
// the query which asks first has to wait for. The log says how much, by name, so that PROFILE can tell it from the
// query's own work.

// Derivation is the time spent so far on deriving what has one name.
type Derivation struct {
	Name string
	Time time.Duration
}

// derivations is a snapshot's log. While several things are derived at once, also one for another, time counts for the
// one that was begun last: no moment counts twice.
type derivations struct {
	mu     sync.Mutex
	byName map[string]int // index into list
	list   []Derivation
	copied []Derivation // of list, for Derivations; nil: list has changed since
	active []*int       // those under way, in order of their beginning; an index into list
	last   time.Time
	total  atomic.Int64
}

// Deriving notes that something is being derived until done is called.
func (s *Snapshot) Deriving(name string) (done func()) {
	d := &s.log
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pass()
	i, ok := d.byName[name]
	if !ok {
		if d.byName == nil {
			d.byName = make(map[string]int)
		}
		i = len(d.list)
		d.byName[name] = i
		d.list, d.copied = append(d.list, Derivation{Name: name}), nil
	}
	mine := &i
	d.active = append(d.active, mine)
	return func() {
		s.grown.Store(true)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.pass()
		d.active = slices.DeleteFunc(d.active, func(x *int) bool { return x == mine })
	}
}

// pass counts the time since the last call for the youngest of those under way.
func (d *derivations) pass() {
	now := time.Now()
	if n := len(d.active); n > 0 {
		took := now.Sub(d.last)
		d.list[*d.active[n-1]].Time += took
		d.copied = nil
		d.total.Add(int64(took))
	}
	d.last = now
}

// Derivations lists what has been derived so far, for all queries together, in order of the first beginning. The list is
// shared: nobody may change it.
func (s *Snapshot) Derivations() []Derivation {
	d := &s.log
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.copied == nil {
		d.copied = slices.Clone(d.list)
	}
	return d.copied
}

// DerivationTime returns the sum of the times of Derivations. Work still under way may not be in it yet.
func (s *Snapshot) DerivationTime() time.Duration { return time.Duration(s.log.total.Load()) }

type derivation struct {
	use
	get  func() any
	done atomic.Value // what get returned, unless it does not count; see Sized
}

// FindDerived returns the result of Derived for key if it has been built, else nil. A caller that is in a hurry asks here first, since a
// call of Derived makes a function.
func FindDerived(s *Snapshot, key any) any {
	x, ok := s.derived.Load(key)
	if !ok {
		return nil
	}
	d := x.(*derivation)
	d.note(s)
	return d.get()
}

// Derived returns the result of build for key. It calls build once per snapshot, however many callers ask at the same time.
// Other packages keep signatures and the like here. A key must be comparable and of a type of its own; its String method
// names the result for PROFILE. Derived does not keep a nil result: the next call builds again.
func (s *Snapshot) Derived(key any, build func() any) any {
	x, ok := s.derived.Load(key)
	if !ok {
		x, _ = s.derived.LoadOrStore(key, newDerivation(s, key, build))
	}
	d := x.(*derivation)
	d.note(s)
	got := d.get()
	if got == nil {
		s.derived.CompareAndDelete(key, x)
	}
	return got
}

// newDerivation calls build when its result is first asked for.
func newDerivation(s *Snapshot, key any, build func() any) *derivation {
	d := &derivation{}
	d.get = sync.OnceValue(func() any {
		defer s.Deriving(fmt.Sprint(key))()
		built := false
		defer func() {
			if !built { // a panic: the next call builds again
				s.derived.Delete(key)
			}
		}()
		got := build()
		built = true
		if x, ok := got.(Sized); ok {
			d.done.Store(x)
		}
		return got
	})
	return d
}
