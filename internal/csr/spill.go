package csr

import (
	"fmt"
	"math"

	"github.com/motifql/motif/internal/spool"
)

// A Builder with a spool keeps few relationships in memory: what exceeds a limit goes to lists on disk, in order of addition. What the
// Builder holds of vertices and of properties stays in memory.

const (
	edgeBytes = 8  // of a relationship in a relList
	runBytes  = 16 // of a run
)

// spill is where a Builder puts relationships that it does not keep in memory.
type spill struct {
	open func() (*spool.Spool, error)
	to   *spool.Spool // nil until it is needed
	at   int          // bytes that relLists may take; 0: no limit
	held int          // bytes that they take
}

// SetSpool makes the Builder hold at most about at bytes of relationships in memory, and half as much again while it builds. The others go to the
// spool that open returns, which the caller closes. Where Spilled is true, BuildSpooled takes the place of Build.
func (b *Builder) SetSpool(open func() (*spool.Spool, error), at int) {
	b.spill.open, b.spill.at = open, max(at, 1)
}

// Spilled reports whether relationships are in the spool.
func (b *Builder) Spilled() bool { return b.spill.to != nil }

// piece is how many of n relationships are added before the Builder looks at what it holds.
func (b *Builder) piece(n int) int {
	if b.spill.at == 0 {
		return n
	}
	return min(n, max(1, b.spill.at/edgeBytes))
}

// pace notes n bytes more of relationships, and moves all of them to the spool if they are too many.
func (b *Builder) pace(n int) {
	if b.spill.held += n; b.spill.at == 0 || b.spill.held < b.spill.at || b.err != nil {
		return
	}
	if b.spill.to == nil {
		var err error
		if b.spill.to, err = b.spill.open(); err != nil {
			b.fail(err)
			return
		}
	}
	for t := range b.rels {
		if err := b.rels[t].move(b.spill.to); err != nil {
			b.fail(err)
			return
		}
	}
	if len(b.rels) > maxSpilledTypes || b.edges > maxSpilledEdges {
		b.fail(fmt.Errorf("%d relationships of %d types are more than a load by temporary files takes", b.edges, len(b.rels)))
	}
	b.spill.held, b.last = 0, TypeID(math.MaxUint32)
}

// move appends the relationships in memory to those in s, and keeps the room.
func (r *relList) move(s *spool.Spool) error {
	if len(r.src) == 0 {
		return nil
	}
	if r.spilled == nil {
		r.spilled, r.marks = s.NewList(), s.NewList()
	}
	for i, src := range r.src {
		if err := r.spilled.Put(uint64(src)<<32 | uint64(r.dst[i])); err != nil {
			return err
		}
	}
	for _, run := range r.runs {
		if err := r.marks.Append(run.pos, run.index); err != nil {
			return err
		}
	}
	r.src, r.dst, r.runs = r.src[:0], r.dst[:0], r.runs[:0]
	return nil
}

// free gives the arrays of r back.
func (b *Builder) free(r *relList) {
	b.charge(-4*int64(cap(r.src)+cap(r.dst)) - runBytes*int64(cap(r.runs)))
	r.src, r.dst, r.runs = nil, nil, nil
}

// indices walks over the indices of the relationships of a list, in order of position.
type indices struct {
	marks    *spool.List
	at       uint64    // of the next mark
	run      [2]uint64 // the mark that counts: position and index
	next     [2]uint64 // the one behind it
	more     bool      // there is one
	position uint64
}

func newIndices(marks *spool.List) (*indices, error) {
	x := &indices{marks: marks}
	if err := x.advance(); err != nil {
		return nil, err
	}
	x.run = x.next
	return x, x.advance()
}

// advance reads the next mark.
func (x *indices) advance() error {
	if x.more = x.at < x.marks.Len(); !x.more {
		return nil
	}
	err := x.marks.Read(x.at, x.next[:])
	x.at += 2
	return err
}

// take returns the index of the next relationship.
func (x *indices) take() (uint64, error) {
	for x.more && x.next[0] <= x.position {
		x.run = x.next
		if err := x.advance(); err != nil {
			return 0, err
		}
	}
	index := x.run[1] + x.position - x.run[0]
	x.position++
	return index, nil
}
