package csr

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
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
	packed PackedRows // instead of decode
	fault  func(err error) error
	rels   atomic.Pointer[Rels]

	mu     sync.Mutex
	single map[uint64][2]VertexID // ends of relationships asked for before that, by position: they stay, whatever becomes of the file

	n     uint64    // vertices, set by Data.checkLater as is stat
	stat  *TypeStat // nil: nothing to compare with
	found relsShape // what decoding packed rows has found
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
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // decode may read memory of a mapped file
	l.once.Do(func() {
		ready := &Rels{First: r.First, Lo: r.Lo}
		if err := l.read(ready); err != nil {
			panic(&Fault{l.fault(err)})
		}
		l.decode = nil
		l.rels.Store(ready)
	})
	return l.rels.Load()
}

// read decodes and checks the relationships.
func (l *lateRels) read(r *Rels) error {
	if l.packed.Out != nil {
		return l.readPacked(r)
	}
	var err error
	r.Offsets, r.Targets, err = l.decode()
	if err != nil {
		return err
	}
	found, err := r.check(context.Background(), l.n)
	if err != nil {
		return err
	}
	return l.compare(found)
}

// compare returns an error unless a pass over all relationships found what was announced.
func (l *lateRels) compare(found relsShape) error {
	if found.edges != l.edges {
		return fmt.Errorf("%d relationships where %d were announced", found.edges, l.edges)
	}
	if l.stat == nil {
		return nil
	}
	return l.stat.check(found, l.n)
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
	late := d.Rels[t].late
	if late.n = d.Vertices; d.Stats != nil {
		late.stat = &d.Stats.Types[t]
	}
}
