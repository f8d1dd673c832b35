package csr

import (
	"math/bits"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"
)

// Fault is the panic of a part of a stored graph that does not decode when somebody first asks for it.
type Fault struct{ Err error }

func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// lateChunk is a chunk that is decoded when somebody first asks for it. Columns that share a chunk share its lateChunk.
type lateChunk struct {
	once   workgroup.Once
	decode func() (*Chunk, error)
	kind   Kind   // of the chunk
	size   uint64 // bytes that decode keeps
	chunk  *Chunk
	writes atomic.Pointer[overwrites] // what decode will put into another chunk; nil: it reads a store, or has been called
}

func (l *lateChunk) get() *Chunk {
	l.once.Do(func() {
		chunk, err := l.decode()
		if err == nil {
			err = chunk.Init()
		}
		if err != nil {
			panic(&Fault{err})
		}
		l.chunk, l.decode = chunk, nil
		l.writes.Store(nil)
	})
	return l.chunk
}

// End is the slot after the last present element.
func (c *Chunk) End() int {
	for w := chunkWords - 1; w >= 0; w-- {
		if c.Present[w] != 0 {
			return w*64 + bits.Len64(c.Present[w])
		}
	}
	return 0
}

// NewChunkColumn returns a column of n elements without chunks, for SetChunk and SetLateChunk.
func NewChunkColumn(n uint64) *Column {
	chunks := (n + ChunkLen - 1) / ChunkLen
	return &Column{chunks: make([]chunkPointer, chunks), late: make([]*lateChunk, chunks)}
}

// SetChunk sets chunk i. Other chunks may be set at the same time.
func (c *Column) SetChunk(i int, chunk *Chunk) { c.chunks[i].Store(chunk) }

// SetLateChunk has chunk i decoded when somebody first asks for it. The caller knows its kind and the bytes that decode keeps. A panic
// with a *Fault carries the error of decode. Other chunks may be set at the same time.
func (c *Column) SetLateChunk(i int, kind Kind, size uint64, decode func() (*Chunk, error)) {
	c.late[i] = &lateChunk{decode: decode, kind: kind, size: size}
}

// NumChunks is the number of chunks, empty ones included.
func (c *Column) NumChunks() int {
	if c == nil {
		return 0
	}
	return len(c.chunks)
}

// Chunk returns chunk i, which is nil if it is empty.
func (c *Column) Chunk(i int) *Chunk {
	if chunk := c.chunks[i].Load(); chunk != nil || c.late == nil {
		return chunk
	}
	return c.lateChunk(i)
}

// lateChunk is Chunk of a chunk that has not been asked for.
func (c *Column) lateChunk(i int) *Chunk {
	l := c.late[i]
	if l == nil {
		return nil
	}
	chunk := l.get()
	c.chunks[i].Store(chunk)
	return chunk
}

// HasChunk reports whether chunk i is set. It decodes nothing.
func (c *Column) HasChunk(i int) bool {
	return c.chunks[i].Load() != nil || c.late != nil && c.late[i] != nil
}

// kindOf returns the kind of chunk i, or 0. It decodes nothing.
func (c *Column) kindOf(i int) Kind {
	switch chunk := c.chunks[i].Load(); {
	case chunk != nil:
		return chunk.Kind
	case c.late != nil && c.late[i] != nil:
		return c.late[i].kind
	}
	return 0
}

// empty reports whether the column has no chunk.
func (c *Column) empty() bool {
	for i := range c.chunks {
		if c.HasChunk(i) {
			return false
		}
	}
	return true
}

// clone returns a column with the chunks of c and room for n of them at least. It decodes nothing.
func (c *Column) clone(n int) *Column {
	n = max(n, c.NumChunks())
	out := &Column{chunks: make([]chunkPointer, n)}
	if c == nil {
		return out
	}
	for i := range c.chunks {
		out.chunks[i].Store(c.chunks[i].Load())
	}
	if c.late != nil {
		out.late = make([]*lateChunk, n)
		copy(out.late, c.late)
	}
	return out
}

// replace sets chunk i, which may be nil, in place of what was there or would be decoded.
func (c *Column) replace(i int, chunk *Chunk) {
	c.chunks[i].Store(chunk)
	if c.late != nil {
		c.late[i] = nil
	}
}
