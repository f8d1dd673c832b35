package csr

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"
)

// lateIDs are stable ids that are read and checked when somebody asks for them: the first few one by one, then all.
type lateIDs[T ~uint64] struct {
	once workgroup.Once
	read func() ([]T, error)
	one  func(i uint64) (T, error)
	find func(id T) (i uint64, ok bool, err error)
	ids  []T
	held atomic.Bool // ids are there

	mu     sync.Mutex
	single map[uint64]T // ids read one by one: they stay, whatever becomes of the file
	sought int          // ids looked for one by one
}

// mostSingleIDs is how many ids are read one by one, which takes less time than a page of memory. mostSoughtIDs is how many are looked for one by one,
// which reads all ids each time but keeps nothing.
const (
	mostSingleIDs = 1024
	mostSoughtIDs = 16
)

// bytes is the memory of the ids, if they are there.
func (l *lateIDs[T]) bytes() uint64 {
	if l == nil || !l.held.Load() {
		return 0
	}
	return 8 * uint64(len(l.ids))
}

func (l *lateIDs[T]) get() []T {
	l.once.Do(func() {
		ids, err := l.read()
		if err != nil {
			panic(&Fault{err})
		}
		l.ids = ids
		l.held.Store(true)
	})
	return l.ids
}

// few reports whether n ids are best read one by one.
func (l *lateIDs[T]) few(n int) bool { return n <= mostSingleIDs && !l.held.Load() }

// at returns the i-th id.
func (l *lateIDs[T]) at(i uint64) T {
	if l.held.Load() {
		return l.ids[i]
	}
	if id, ok := l.alone(i); ok {
		return id
	}
	return l.get()[i]
}

// alone returns the i-th id, if it was read by itself or is among the few that are.
func (l *lateIDs[T]) alone(i uint64) (id T, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, ok = l.single[i]; ok || len(l.single) == mostSingleIDs {
		return id, ok
	}
	id, err := l.one(i)
	if err != nil {
		panic(&Fault{err})
	}
	if l.single == nil {
		l.single = make(map[uint64]T)
	}
	l.single[i] = id
	return id, true
}

// seek looks for an id. done is false if an index has to find it.
func (l *lateIDs[T]) seek(id T) (i uint64, ok, done bool) {
	if l.held.Load() || !l.mayAgain() {
		return 0, false, false
	}
	i, ok, err := l.find(id)
	if err != nil {
		panic(&Fault{err})
	}
	return i, ok, true
}

// mayAgain counts another look for one id.
func (l *lateIDs[T]) mayAgain() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sought++
	return l.sought <= mostSoughtIDs
}

// LateIDs reads stable ids. All functions may fail.
type LateIDs[T ~uint64] struct {
	All   func() ([]T, error)
	One   func(i uint64) (T, error)
	Find  func(id T) (i uint64, ok bool, err error)
	Fault func(error) error // puts an error into words
}

// SetLateNodeIDs has the stable ids of d's vertices read when somebody asks for them. NodeIDs stays nil. A panic with a *Fault carries the error of
// reading, or of the ids, in the words of ids.Fault. Vertices and NextNode have their values by then.
func (d *Data) SetLateNodeIDs(ids LateIDs[NodeID]) {
	d.lateNodeIDs = newLateIDs(ids, d.Vertices, uint64(d.NextNode))
}

// SetLateRelIDs is SetLateNodeIDs for relationships.
func (d *Data) SetLateRelIDs(ids LateIDs[RelID]) {
	d.lateRelIDs = newLateIDs(ids, d.Edges, uint64(d.NextRel))
}

// newLateIDs checks n ids, which are below next.
func newLateIDs[T ~uint64](ids LateIDs[T], n, next uint64) *lateIDs[T] {
	return &lateIDs[T]{
		read: func() ([]T, error) {
			list, err := ids.All()
			if err == nil {
				err = checkIDs(context.Background(), list, n, next)
			}
			if err != nil {
				return nil, ids.Fault(err)
			}
			return list, nil
		},
		one: func(i uint64) (T, error) {
			id, err := ids.One(i)
			if err == nil && uint64(id) >= next {
				err = fmt.Errorf("id %d of %d", id, next)
			}
			if err != nil {
				return 0, ids.Fault(err)
			}
			return id, nil
		},
		find: func(id T) (uint64, bool, error) {
			i, ok, err := ids.Find(id)
			if err != nil {
				err = ids.Fault(err)
			}
			return i, ok, err
		},
	}
}

// StoredNodeIDs returns the stable ids by vertex; nil: the number of a vertex is its stable id.
func (d *Data) StoredNodeIDs() []NodeID {
	if d.lateNodeIDs != nil {
		return d.lateNodeIDs.get()
	}
	return d.NodeIDs
}

// StoredRelIDs is StoredNodeIDs for relationships.
func (d *Data) StoredRelIDs() []RelID {
	if d.lateRelIDs != nil {
		return d.lateRelIDs.get()
	}
	return d.RelIDs
}
