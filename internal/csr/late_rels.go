package csr

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"
)

// lateRels are the relationships of a type that are decoded when somebody first asks for them. Snapshots that share a type share its
// lateRels.
type lateRels struct {
	once   workgroup.Once
	edges  uint64
	size   uint64 // bytes that decode keeps
	decode func() (offsets []uint64, targets []VertexID, err error)
	check  func(r *Rels) error // set by Data.check
	fault  func(err error) error
	rels   atomic.Pointer[Rels]
}

// LateRels returns relationships whose offsets and targets decode returns when somebody first asks for them. Until then decode keeps size
// bytes. A panic with a *Fault carries the error of decode or of the check, as fault words it.
func LateRels(first EdgeID, lo VertexID, edges, size uint64, decode func() ([]uint64, []VertexID, error), fault func(err error) error) Rels {
	return Rels{First: first, Lo: lo, late: &lateRels{edges: edges, size: size, decode: decode, fault: fault}}
}

// Ready returns the relationships with their offsets and targets.
func (r *Rels) Ready() *Rels {
	if r.late == nil {
		return r
	}
	if ready := r.late.rels.Load(); ready != nil {
		return ready
	}
	return r.late.get(r)
}

func (l *lateRels) get(r *Rels) *Rels {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // decode may return memory of a mapped file, which the check reads
	l.once.Do(func() {
		ready := &Rels{First: r.First, Lo: r.Lo}
		var err error
		ready.Offsets, ready.Targets, err = l.decode()
		if err == nil && uint64(len(ready.Targets)) != l.edges {
			err = fmt.Errorf("%d relationships where %d were announced", len(ready.Targets), l.edges)
		}
		if err == nil && l.check != nil {
			err = l.check(ready)
		}
		if err != nil {
			panic(&Fault{l.fault(err)})
		}
		l.decode, l.check, l.fault = nil, nil, nil
		l.rels.Store(ready)
	})
	return l.rels.Load()
}

// known returns the relationships if they have been decoded, else nil.
func (r *Rels) known() *Rels {
	if r.late == nil {
		return r
	}
	return r.late.rels.Load()
}

// Rels returns the relationships of a type.
func (s *Snapshot) Rels(t TypeID) *Rels { return s.Data.Rels[t].Ready() }

// checkLater has the relationships of type t checked once they are decoded.
func (d *Data) checkLater(t int) {
	n, stats := d.Vertices, d.Stats
	d.Rels[t].late.check = func(r *Rels) error {
		found, err := r.check(context.Background(), n)
		if err == nil && stats != nil {
			err = stats.Types[t].check(found, n)
		}
		return err
	}
}
