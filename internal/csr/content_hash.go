package csr

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// contentKey is the key of the content hash among a snapshot's derived data.
type contentKey struct{}

// String names it for PROFILE.
func (contentKey) String() string { return "content hash" }

// ContentHash returns the SHA-256 of all that a query can read of s, with the numbers of vertices and relationships. Snapshots with equal hashes
// answer queries alike, and a vertex number means the same in them. The first call reads the whole graph, and the snapshot keeps the hash.
func ContentHash(ctx context.Context, s *Snapshot) ([sha256.Size]byte, error) {
	sum, _ := s.Derived(contentKey{}, func() any {
		w := &contentWriter{ctx: ctx, hash: sha256.New(), room: make([]byte, 0, 1<<16)}
		w.snapshot(s)
		w.flush()
		if ctx.Err() != nil {
			return nil
		}
		return [sha256.Size]byte(w.hash.Sum(nil))
	}).([sha256.Size]byte)
	return sum, ctx.Err()
}

// KnowContentHash says what the ContentHash of s is, so that nobody need read s for it.
func KnowContentHash(s *Snapshot, sum [sha256.Size]byte) {
	s.Derived(contentKey{}, func() any { return sum })
}

// contentWriter hashes what it is given.
type contentWriter struct {
	ctx  context.Context
	hash hash.Hash
	room []byte
}

func (w *contentWriter) flush() {
	w.hash.Write(w.room)
	w.room = w.room[:0]
}

func (w *contentWriter) word(n uint64) {
	if len(w.room)+8 > cap(w.room) {
		w.flush()
	}
	w.room = binary.LittleEndian.AppendUint64(w.room, n)
}

func (w *contentWriter) text(s string) {
	w.word(uint64(len(s)))
	w.flush()
	w.hash.Write([]byte(s))
}

// snapshot writes all parts of s, each behind its length.
func (w *contentWriter) snapshot(s *Snapshot) {
	for _, d := range []*Dict{s.Labels, s.Types, s.Keys} {
		w.word(uint64(d.Len()))
		for _, name := range d.Names() {
			w.text(name)
		}
	}
	w.word(s.N())
	w.word(s.M())
	w.word(uint64(len(s.Classes)))
	for i := range s.Classes {
		c := &s.Classes[i]
		w.word(uint64(c.Lo)<<32 | uint64(c.Hi))
		w.word(uint64(len(c.Labels)))
		for _, l := range c.Labels {
			w.word(uint64(l))
		}
	}
	for v := range VertexID(s.N()) {
		if w.stopped(uint64(v)) {
			return
		}
		w.word(uint64(s.NodeID(v)))
	}
	for e := range s.AllEdges() {
		if w.stopped(uint64(e)) {
			return
		}
		src, dst := s.Endpoints(e)
		w.word(uint64(e)<<16 ^ uint64(s.TypeOf(e)))
		w.word(uint64(src)<<32 | uint64(dst))
		w.word(uint64(s.RelID(e)))
	}
	w.columns(s.VertexProps, s.N())
	w.columns(s.EdgeProps, s.edgeBound())
}

// columns writes the cells of the first n elements.
func (w *contentWriter) columns(list []*Column, n uint64) {
	w.word(uint64(len(list)))
	for _, c := range list {
		if c == nil {
			w.word(0)
			continue
		}
		w.word(1)
		for i := range n {
			if w.stopped(i) {
				return
			}
			cell, ok := c.Get(i)
			if !ok {
				continue
			}
			w.word(i)
			w.word(uint64(cell.Kind))
			w.word(cell.Num)
			if cell.Str != "" {
				w.text(cell.Str)
			}
		}
		w.word(^uint64(0))
	}
}

// stopped looks at the context now and then; i counts up.
func (w *contentWriter) stopped(i uint64) bool { return i%(1<<16) == 0 && w.ctx.Err() != nil }
