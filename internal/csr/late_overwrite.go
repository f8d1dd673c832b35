package csr

import (
	"errors"
	"math"
	"slices"
)

// overwrites are new values in place of values of the same kind in a chunk. A statement that sets a property of one node makes them, and
// the next such statement adds to them. Nobody copies the chunk before it is read, or before there are mostPatched of them.
type overwrites struct {
	of    *Chunk
	cells []cellAt // in the order of the statements: the last value of a slot counts
	own   *claim   // of cells
	text  uint64   // bytes of the strings in cells
}

// known returns the chunk i that is there without copying or decoding anything: chunk i itself, or the one that it overwrites. It returns
// nil if there is neither.
func (c *Column) known(i int) (*Chunk, *overwrites) {
	if i >= c.NumChunks() {
		return nil, nil
	}
	if chunk := c.chunks[i].Load(); chunk != nil || c.late == nil || c.late[i] == nil {
		return chunk, nil
	}
	if w := c.late[i].writes.Load(); w != nil {
		return w.of, w
	}
	return nil, nil
}

// overwrite sets cells of chunk i that have a value of the same kind already. It reports false, and changes nothing, where the chunk must
// be made at once.
func (c *Column) overwrite(i int, cells []cellAt) bool {
	of, w := c.known(i)
	if of == nil || of.Kind == KindMixed || of.Kind == KindBool || len(cells) > mostPatched/4 {
		return false
	}
	next := &overwrites{of: of}
	if w != nil {
		next.text = w.text
	}
	for k := range cells {
		if cells[k].cell.Kind != of.Kind || k > 0 && cells[k-1].at == cells[k].at {
			return false
		}
		if _, had := of.position(int(cells[k].at % ChunkLen)); !had {
			return false
		}
		next.text += uint64(len(cells[k].cell.Str))
	}
	if next.text > uint64(len(of.Bytes))/4+ChunkLen || next.text+uint64(len(of.Bytes)) > math.MaxUint32 {
		return false
	}
	if w == nil {
		next.cells, next.own = slices.Clone(cells), new(claim)
		next.own.used.Store(uint64(len(cells)))
	} else if len(w.cells)+len(cells) > mostPatched {
		return false
	} else {
		mine := false
		mine, next.own = w.own.take(uint64(len(w.cells)), uint64(len(cells)))
		next.cells = extend(w.cells, cells, mine)
	}
	if c.late == nil {
		c.late = make([]*lateChunk, len(c.chunks))
	}
	c.late[i] = &lateChunk{decode: next.chunk, kind: of.Kind, size: 2*of.bytes() + next.text}
	c.late[i].writes.Store(next)
	c.chunks[i].Store(nil)
	return true
}

// chunk makes the chunk with the new values.
func (w *overwrites) chunk() (*Chunk, error) {
	cells := slices.Clone(w.cells)
	slices.SortStableFunc(cells, func(a, b cellAt) int { return compare(a.at, b.at) })
	n := 0
	for i := range cells {
		if i+1 == len(cells) || cells[i+1].at != cells[i].at {
			cells[n] = cells[i]
			n++
		}
	}
	chunk := w.of.patched(cells[:n])
	if chunk == nil {
		return nil, errors.New("new values do not go into the chunk of their property")
	}
	return chunk, nil
}
