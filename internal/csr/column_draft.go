package csr

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// fewCells is how many cells a chunk keeps in a list before it gets a slot for every element.
const fewCells = 256

// chunkDraft is one chunk of a column that is being set. A chunk with few cells keeps them in a list. So a column
// takes memory by its cells: a file of 200,000 columns and one row needs no 200,000 arrays of ChunkLen slots.
type chunkDraft struct {
	few  []slotCell // in order of setting; nil once full is set
	full *draft
}

// slotCell is the cell of one element of a chunk.
type slotCell struct {
	slot uint16
	cell Cell
}

// put is Set; it returns by how many bytes the column has grown. The text of cells does not count.
func (c *Column) put(i uint64, cell Cell) (grown int64) {
	at := i / ChunkLen
	if n := uint64(len(c.drafts)); n <= at {
		before := cap(c.drafts)
		c.drafts = slices.Grow(c.drafts, int(at+1-n))[:at+1]
		grown = int64(cap(c.drafts)-before) * int64(unsafe.Sizeof(chunkDraft{}))
	}
	d := &c.drafts[at]
	if d.full == nil && d.few == nil && at > 0 && c.drafts[at-1].full != nil {
		d.full = new(draft) // the column is dense, so this chunk will be
		grown += int64(unsafe.Sizeof(draft{}))
	}
	if d.full == nil {
		return grown + d.add(slotCell{uint16(i % ChunkLen), cell})
	}
	texts := d.full.strs == nil
	d.full.set(int(i%ChunkLen), cell)
	if texts && d.full.strs != nil {
		grown += ChunkLen * int64(unsafe.Sizeof(""))
	}
	return grown
}

// add appends a cell to the list, or moves the list to slots if it is full.
func (d *chunkDraft) add(x slotCell) (grown int64) {
	before := cap(d.few)
	if len(d.few) < fewCells {
		d.few = append(d.few, x)
		return int64(cap(d.few)-before) * int64(unsafe.Sizeof(x))
	}
	d.full = d.slots()
	d.full.set(int(x.slot), x.cell)
	d.few = nil
	return d.bytes() - int64(before)*int64(unsafe.Sizeof(x))
}

// slots is the chunk with a slot for every element.
func (d *chunkDraft) slots() *draft {
	full := new(draft)
	for _, x := range d.few {
		full.set(int(x.slot), x.cell)
	}
	return full
}

func (d *chunkDraft) get(slot int) (Cell, bool) {
	if d.full != nil {
		return d.full.get(slot)
	}
	for i := len(d.few) - 1; i >= 0; i-- {
		if int(d.few[i].slot) == slot {
			return d.few[i].cell, d.few[i].cell.Kind != 0
		}
	}
	return Cell{}, false
}

// bytes is the memory of the draft but for the text of its cells.
func (d *chunkDraft) bytes() int64 {
	size := int64(cap(d.few)) * int64(unsafe.Sizeof(slotCell{}))
	if d.full != nil {
		size += int64(unsafe.Sizeof(*d.full)) + int64(len(d.full.strs))*int64(unsafe.Sizeof(""))
	}
	return size
}

// draftBytes is the memory of a column that is being set, but for the text of its cells.
func (c *Column) draftBytes() int64 {
	size := int64(cap(c.drafts)) * int64(unsafe.Sizeof(chunkDraft{}))
	for i := range c.drafts {
		size += c.drafts[i].bytes()
	}
	return size
}

// each calls fn for every cell that was set, in order.
func (d *chunkDraft) each(fn func(slot int, cell Cell)) {
	if d.full == nil {
		for _, x := range d.sorted() {
			fn(int(x.slot), x.cell)
		}
		return
	}
	for slot, k := range d.full.kinds {
		if k != 0 {
			cell, _ := d.full.get(slot)
			fn(slot, cell)
		}
	}
}

// sorted is the list by rising slot: of each slot the cell that was set last, unless that removed it.
func (d *chunkDraft) sorted() []slotCell {
	if d.few == nil {
		return nil
	}
	all := slices.Clone(d.few)
	slices.SortStableFunc(all, func(a, b slotCell) int { return int(a.slot) - int(b.slot) })
	kept := all[:0]
	for i, x := range all {
		if (i+1 == len(all) || all[i+1].slot != x.slot) && x.cell.Kind != 0 {
			kept = append(kept, x)
		}
	}
	return kept
}

// seal packs the draft into a chunk, nil if it has no cell.
func (d *chunkDraft) seal() (*Chunk, error) {
	if d.full != nil {
		return d.full.seal()
	}
	cells := d.sorted()
	if len(cells) == 0 {
		return nil, nil
	}
	c, size, text := &Chunk{Kind: cells[0].cell.Kind}, uint64(0), false
	for _, x := range cells {
		k := x.cell.Kind
		if k >= KindMixed {
			return nil, fmt.Errorf("property value of unknown kind %d", k)
		}
		if k != c.Kind {
			c.Kind = KindMixed
		}
		c.Present[x.slot>>6] |= 1 << (x.slot & 63)
		if k.text() {
			size, text = size+uint64(len(x.cell.Str)), true
		}
	}
	if size > math.MaxUint32 {
		return nil, tooMuchText(len(cells), size)
	}
	c.packFew(cells, int(size), text)
	c.index()
	return c, nil
}

// packFew copies cells with size bytes of text into c, whose Kind and Present are set.
func (c *Chunk) packFew(cells []slotCell, size int, text bool) {
	var blob strings.Builder
	if text {
		blob.Grow(size)
		c.Offsets = make([]uint32, 1, len(cells)+1)
	}
	c.allocate(len(cells))
	for i, x := range cells {
		num := x.cell.Num
		if x.cell.Kind.text() {
			num = 0
		}
		c.put(i, x.cell.Kind, num)
		if text {
			if x.cell.Kind.text() {
				blob.WriteString(x.cell.Str)
			}
			c.Offsets = append(c.Offsets, uint32(blob.Len()))
		}
	}
	c.Bytes = blob.String()
}

func tooMuchText(n int, size uint64) error {
	return fmt.Errorf("the text of %d property values takes %d bytes; at most 4 GiB fit", n, size)
}

// fill gives every chunk with cells a slot for each element, and returns by how many bytes that makes the column larger.
func (c *Column) fill() (grown uint64) {
	before := c.draftBytes()
	for i := range c.drafts {
		if d := &c.drafts[i]; d.few != nil {
			d.full, d.few = d.slots(), nil
		}
	}
	return uint64(c.draftBytes() - before)
}
