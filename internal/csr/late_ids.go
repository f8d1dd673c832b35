package csr

import (
	"context"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"
)

// lateIDs are stable ids that are read when somebody first asks for one. They are checked then.
type lateIDs[T ~uint64] struct {
	once workgroup.Once
	read func() ([]T, error)
	ids  []T
	held atomic.Bool // ids are there
}

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
		l.ids, l.read = ids, nil
		l.held.Store(true)
	})
	return l.ids
}

// SetLateNodeIDs has the stable ids of d's vertices read when somebody first asks for one. NodeIDs stays nil. A panic with a *Fault carries the error of
// read, or of the ids, in the words of fault. Vertices and NextNode have their values by then.
func (d *Data) SetLateNodeIDs(read func() ([]NodeID, error), fault func(error) error) {
	n, next := d.Vertices, uint64(d.NextNode)
	d.lateNodeIDs = &lateIDs[NodeID]{read: func() ([]NodeID, error) { return checkedIDs(read, fault, n, next) }}
}

// SetLateRelIDs is SetLateNodeIDs for relationships.
func (d *Data) SetLateRelIDs(read func() ([]RelID, error), fault func(error) error) {
	n, next := d.Edges, uint64(d.NextRel)
	d.lateRelIDs = &lateIDs[RelID]{read: func() ([]RelID, error) { return checkedIDs(read, fault, n, next) }}
}

func checkedIDs[T ~uint64](read func() ([]T, error), fault func(error) error, n, next uint64) ([]T, error) {
	ids, err := read()
	if err == nil {
		err = checkIDs(context.Background(), ids, n, next)
	}
	if err != nil {
		return nil, fault(err)
	}
	return ids, nil
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
