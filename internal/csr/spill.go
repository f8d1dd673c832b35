package csr

import (
	"github.com/motifql/motif/internal/spool"
)

// A Builder with a spool keeps few relationships in memory: beyond a limit, all go to lists on disk, in order of addition. What the
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
	held int          // bytes that they take, or would without a spool
}

// SetSpool makes the Builder hold at most about at bytes of relationships in memory, also while it builds. If there are more, all go to the spool
// that open returns, which the caller closes. Where Spilled is true, BuildSpooled takes the place of Build.
func (b *Builder) SetSpool(open func() (*spool.Spool, error), at int) {
	b.spill.open, b.spill.at = open, max(at, 1)
}

// Spilled reports whether relationships are in the spool.
func (b *Builder) Spilled() bool { return b.spill.to != nil }

// pace notes n bytes more of relationships, which are about to be added. If they are too many, it moves all to the spool; those that follow go
// straight there.
func (b *Builder) pace(n int) {
	if b.spill.held += n; b.spill.at == 0 || b.spill.held < b.spill.at || b.Spilled() || b.err != nil {
		return
	}
	var err error
	if b.spill.to, err = b.spill.open(); err != nil {
		b.fail(err)
		return
	}
	for t := range b.rels {
		if err := b.rels[t].move(b.spill.to); err != nil {
			b.fail(err)
			return
		}
		b.free(&b.rels[t])
	}
}

// spillEdges appends relationships of a type to those in the spool.
func (b *Builder) spillEdges(r *relList, src, dst []uint32) {
	r.open(b.spill.to)
	for i, v := range src {
		if err := r.spilled.Put(uint64(v)<<32 | uint64(dst[i])); err != nil {
			b.fail(err)
			return
		}
	}
	b.edges += uint64(len(src))
}

// begin says that the next relationship of r has the index b.edges.
func (b *Builder) begin(r *relList) {
	if !b.Spilled() {
		r.runs = append(grow(b, r.runs, 1), run{uint64(len(r.src)), b.edges})
		b.spill.held += runBytes
		return
	}
	r.open(b.spill.to)
	if err := r.marks.Append(r.spilled.Len(), b.edges); err != nil {
		b.fail(err)
	}
}

// open makes the lists of r in s.
func (r *relList) open(s *spool.Spool) {
	if r.spilled == nil {
		r.spilled, r.marks = s.NewList(), s.NewList()
	}
}

// move writes the relationships in memory to s.
func (r *relList) move(s *spool.Spool) error {
	if len(r.runs) == 0 {
		return nil
	}
	r.open(s)
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
