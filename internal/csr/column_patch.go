package csr

import (
	"math"
	"slices"
	"strings"
)

// mostPatched is how many cells of a chunk may change for the chunk to be patched. More are packed anew.
const mostPatched = 256

// chunkEdit is a change of one slot of a chunk.
type chunkEdit struct {
	at   int // the position of the slot among the elements present
	had  bool
	cell Cell // without kind: the element loses its value
}

// patched returns the successor of a chunk with some cells, by rising slot. It copies the values in between as they are, and appends in
// place where no other successor has. It returns nil if the chunk must be packed anew.
func (c *Chunk) patched(cells []cellAt) *Chunk {
	if c == nil || c.Kind == KindMixed || c.Kind == KindBool || len(cells) > mostPatched {
		return nil
	}
	out := &Chunk{Kind: c.Kind, Present: c.Present}
	edits, n := make([]chunkEdit, len(cells)), c.count()
	appends := true
	for i := range cells {
		x := &cells[i]
		if x.cell.Kind != c.Kind && x.cell.Kind != 0 || i > 0 && cells[i-1].at == x.at {
			return nil
		}
		slot := int(x.at % ChunkLen)
		at, had := c.position(slot)
		edits[i] = chunkEdit{at, had, x.cell}
		appends = appends && at == n && x.cell.Kind != 0
		if x.cell.Kind != 0 {
			out.Present[slot>>6] |= 1 << (slot & 63)
		} else {
			out.Present[slot>>6] &^= 1 << (slot & 63)
		}
	}
	out.index()
	if out.count() == 0 {
		return nil
	}
	mine := false
	if appends {
		mine, out.own = c.own.take(uint64(n), uint64(len(edits)))
	}
	switch c.Kind {
	case KindInt:
		out.Ints = splice(c.Ints, edits, appends, mine, func(c Cell) int64 { return int64(c.Num) })
	case KindFloat:
		out.Floats = splice(c.Floats, edits, appends, mine, func(c Cell) float64 { return math.Float64frombits(c.Num) })
	default:
		if !out.spliceText(c, edits) {
			return nil
		}
	}
	return out
}

// count is Len of a chunk that is ready.
func (c *Chunk) count() int {
	at, had := c.position(ChunkLen - 1)
	if had {
		at++
	}
	return at
}

// splice returns old with edits. If all of them append, they may do so in place where mine says so.
func splice[T any](old []T, edits []chunkEdit, appends, mine bool, value func(Cell) T) []T {
	if appends {
		more := make([]T, len(edits))
		for i := range edits {
			more[i] = value(edits[i].cell)
		}
		return extend(old, more, mine)
	}
	if !slices.ContainsFunc(edits, func(e chunkEdit) bool { return !e.had || e.cell.Kind == 0 }) {
		out := slices.Clone(old) // which clears no memory before it copies
		for i := range edits {
			out[edits[i].at] = value(edits[i].cell)
		}
		return out
	}
	out, from := make([]T, 0, len(old)+len(edits)), 0
	for i := range edits {
		e := &edits[i]
		out = append(out, old[from:e.at]...)
		if from = e.at; e.had {
			from++
		}
		if e.cell.Kind != 0 {
			out = append(out, value(e.cell))
		}
	}
	return append(out, old[from:]...)
}

// spliceText fills in Offsets and Bytes from those of old. It reports false if the text is too long for a chunk.
func (c *Chunk) spliceText(old *Chunk, edits []chunkEdit) bool {
	size := uint64(len(old.Bytes))
	for i := range edits {
		size += uint64(len(edits[i].cell.Str))
	}
	if size > math.MaxUint32 {
		return false
	}
	var text strings.Builder
	text.Grow(int(size))
	c.Offsets = make([]uint32, 1, len(old.Offsets)+len(edits))
	keep := func(from, to int) {
		moved := uint32(text.Len()) - old.Offsets[from]
		for _, end := range old.Offsets[from+1 : to+1] {
			c.Offsets = append(c.Offsets, end+moved)
		}
		text.WriteString(old.Bytes[old.Offsets[from]:old.Offsets[to]])
	}
	from := 0
	for i := range edits {
		e := &edits[i]
		keep(from, e.at)
		if from = e.at; e.had {
			from++
		}
		if e.cell.Kind != 0 {
			text.WriteString(e.cell.Str)
			c.Offsets = append(c.Offsets, uint32(text.Len()))
		}
	}
	keep(from, len(old.Offsets)-1)
	c.Bytes = text.String()
	return true
}
