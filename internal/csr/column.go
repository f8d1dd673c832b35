package csr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
)

// ChunkLen is how many elements one chunk of a column covers.
const ChunkLen = 4096

const chunkWords = ChunkLen / 64

// Kind is the representation of a property value. The numbers are part of the store's format.
type Kind uint8

const (
	KindInt     Kind = 1
	KindFloat   Kind = 2
	KindBool    Kind = 3
	KindString  Kind = 4
	KindEncoded Kind = 5 // opaque bytes of package value: lists, maps, temporal values
	KindMixed   Kind = 6 // of a chunk only: its cells differ in kind
)

// Cell is one property value. The zero Cell, of no kind, stands for absence.
type Cell struct {
	Kind Kind
	Num  uint64 // int64 or float64 bits, or 0 and 1 for a boolean
	Str  string // KindString and KindEncoded
}

// IntCell, FloatCell, BoolCell and StringCell make cells.
func IntCell(n int64) Cell     { return Cell{Kind: KindInt, Num: uint64(n)} }
func FloatCell(f float64) Cell { return Cell{Kind: KindFloat, Num: math.Float64bits(f)} }
func StringCell(s string) Cell { return Cell{Kind: KindString, Str: s} }
func BoolCell(b bool) Cell {
	if b {
		return Cell{Kind: KindBool, Num: 1}
	}
	return Cell{Kind: KindBool}
}

func (k Kind) text() bool { return k == KindString || k == KindEncoded }

// Chunk holds the cells of ChunkLen elements, packed: the value of the i-th present element stands at
// position i of the slice that Kind selects.
//
//	KindInt                  Ints
//	KindFloat                Floats
//	KindBool                 Bools, a bitmap
//	KindString, KindEncoded  Bytes[Offsets[i]:Offsets[i+1]]
//	KindMixed                Kinds, Nums (zero for text), and Offsets and Bytes (empty for others) if any is text
//
// A chunk put together by hand must pass Init before it is read; New does that.
type Chunk struct {
	Kind    Kind
	Present [chunkWords]uint64
	Ints    []int64
	Floats  []float64
	Bools   []uint64
	Offsets []uint32
	Bytes   string
	Kinds   []Kind
	Nums    []uint64

	rank  [chunkWords]uint16 // present elements before each word
	ready bool
	own   *claim // of the array of values; nil: nobody appends in place
}

// Len is the number of elements present.
func (c *Chunk) Len() int {
	n := 0
	for _, w := range c.Present {
		n += bits.OnesCount64(w)
	}
	return n
}

// Init checks the chunk and makes it readable. A second call does nothing.
func (c *Chunk) Init() error {
	if c.ready {
		return nil
	}
	if err := c.check(c.Len()); err != nil {
		return err
	}
	c.index()
	return nil
}

func (c *Chunk) index() {
	n := 0
	for i, w := range c.Present {
		c.rank[i] = uint16(n)
		n += bits.OnesCount64(w)
	}
	c.ready = true
}

func (c *Chunk) check(n int) error {
	bad := false
	switch c.Kind {
	case KindInt:
		bad = len(c.Ints) != n
	case KindFloat:
		bad = len(c.Floats) != n
	case KindBool:
		bad = len(c.Bools) != (n+63)/64
	case KindString, KindEncoded:
		return c.checkText(n)
	case KindMixed:
		return c.checkMixed(n)
	default:
		return fmt.Errorf("property chunk of unknown kind %d", c.Kind)
	}
	if bad {
		return fmt.Errorf("property chunk of kind %d does not hold %d values", c.Kind, n)
	}
	return nil
}

func (c *Chunk) checkText(n int) error {
	if len(c.Offsets) != n+1 || c.Offsets[0] != 0 || uint64(c.Offsets[n]) != uint64(len(c.Bytes)) || !slices.IsSorted(c.Offsets) {
		return errors.New("property chunk with bad text offsets")
	}
	return nil
}

func (c *Chunk) checkMixed(n int) error {
	if len(c.Kinds) != n || len(c.Nums) != n {
		return fmt.Errorf("mixed property chunk does not hold %d values", n)
	}
	for i, k := range c.Kinds {
		switch {
		case k < KindInt || k >= KindMixed, k == KindBool && c.Nums[i] > 1, k.text() && (c.Offsets == nil || c.Nums[i] != 0):
			return fmt.Errorf("mixed property chunk with a bad value of kind %d", k)
		}
	}
	if c.Offsets == nil {
		return nil
	}
	return c.checkText(n)
}

// Get returns the cell of the element at slot, which must be below ChunkLen.
func (c *Chunk) Get(slot int) (Cell, bool) {
	if c.Kind == KindInt && len(c.Ints) == ChunkLen { // all are present
		return Cell{Kind: KindInt, Num: uint64(c.Ints[slot])}, true
	}
	i, ok := c.position(slot)
	if !ok {
		return Cell{}, false
	}
	switch c.Kind {
	case KindInt:
		return Cell{Kind: KindInt, Num: uint64(c.Ints[i])}, true
	case KindFloat:
		return FloatCell(c.Floats[i]), true
	case KindBool:
		return Cell{Kind: KindBool, Num: c.Bools[i>>6] >> (i & 63) & 1}, true
	case KindMixed:
		cell := Cell{Kind: c.Kinds[i], Num: c.Nums[i]}
		if cell.Kind.text() {
			cell.Str = c.Bytes[c.Offsets[i]:c.Offsets[i+1]]
		}
		return cell, true
	}
	return Cell{Kind: c.Kind, Str: c.Bytes[c.Offsets[i]:c.Offsets[i+1]]}, true
}

// position returns how many elements are present before a slot, and whether the one at the slot is.
func (c *Chunk) position(slot int) (before int, present bool) {
	word, bit := c.Present[slot>>6], uint(slot&63)
	return int(c.rank[slot>>6]) + bits.OnesCount64(word&(1<<bit-1)), word>>bit&1 == 1
}

func (c *Chunk) bytes() uint64 {
	fixed := uint64(unsafe.Sizeof(*c))
	return fixed + 8*uint64(len(c.Ints)+len(c.Floats)+len(c.Bools)+len(c.Nums)) + 4*uint64(len(c.Offsets)) + uint64(len(c.Bytes)+len(c.Kinds))
}

// Column holds one property key of all vertices or all relationships. Chunk i covers the elements
// [i*ChunkLen, (i+1)*ChunkLen); a nil chunk, like one past the end, has none of them. A nil Column is empty.
type Column struct {
	chunks []chunkPointer
	late   []*lateChunk // by chunk, where chunks of a stored graph may still have to be decoded; else nil
	drafts []chunkDraft // while the column is being set
}

type chunkPointer = atomic.Pointer[Chunk]

// draft is a chunk under construction: one slot an element, so that cells may be set in any order.
type draft struct {
	kinds [ChunkLen]Kind
	nums  [ChunkLen]uint64
	strs  []string // nil until the first text
}

// NewColumn returns an empty column with room for n elements. Set extends it as needed.
func NewColumn(n uint64) *Column {
	return &Column{drafts: make([]chunkDraft, (n+ChunkLen-1)/ChunkLen)}
}

// Set puts the cell of element i, or removes it if cell has no kind. The column must not be frozen.
func (c *Column) Set(i uint64, cell Cell) { c.put(i, cell) }

func (d *draft) set(slot int, cell Cell) {
	d.kinds[slot], d.nums[slot] = cell.Kind, cell.Num
	if cell.Kind.text() {
		if d.strs == nil {
			d.strs = make([]string, ChunkLen)
		}
		d.nums[slot], d.strs[slot] = 0, cell.Str
	} else if d.strs != nil {
		d.strs[slot] = ""
	}
}

func (d *draft) get(slot int) (Cell, bool) {
	cell := Cell{Kind: d.kinds[slot], Num: d.nums[slot]}
	if cell.Kind.text() {
		cell.Str = d.strs[slot]
	}
	return cell, cell.Kind != 0
}

// Get returns the cell of element i. The string of a cell shares the column's memory.
func (c *Column) Get(i uint64) (Cell, bool) {
	if c == nil {
		return Cell{}, false
	}
	at := i / ChunkLen
	if at < uint64(len(c.chunks)) {
		if chunk := c.Chunk(int(at)); chunk != nil {
			return chunk.Get(int(i % ChunkLen))
		}
	}
	if at < uint64(len(c.drafts)) {
		return c.drafts[at].get(int(i % ChunkLen))
	}
	return Cell{}, false
}

// Freeze packs the cells set so far; the column is read-only from then on. It fails if the text of one chunk
// passes 4 GiB.
func (c *Column) Freeze() error {
	if c.drafts == nil {
		return nil
	}
	c.chunks = make([]chunkPointer, len(c.drafts))
	for i := range c.drafts {
		chunk, err := c.drafts[i].seal()
		if err != nil {
			return err
		}
		c.SetChunk(i, chunk)
		c.drafts[i] = chunkDraft{}
	}
	c.drafts = nil
	return nil
}

// seal packs the draft into a chunk, nil if it has no cell.
func (d *draft) seal() (*Chunk, error) {
	c := new(Chunk)
	n, size := 0, uint64(0)
	for slot, k := range d.kinds {
		if k == 0 {
			continue
		}
		if k >= KindMixed {
			return nil, fmt.Errorf("property value of unknown kind %d", k)
		}
		c.Present[slot>>6] |= 1 << (slot & 63)
		if n++; n == 1 {
			c.Kind = k
		} else if c.Kind != k {
			c.Kind = KindMixed
		}
		if k.text() {
			size += uint64(len(d.strs[slot]))
		}
	}
	if n == 0 {
		return nil, nil
	}
	if size > math.MaxUint32 {
		return nil, tooMuchText(n, size)
	}
	d.pack(c, n, int(size))
	c.index()
	return c, nil
}

// pack copies n cells with size bytes of text into c, whose Kind and Present are set.
func (d *draft) pack(c *Chunk, n, size int) {
	text := c.Kind.text() || c.Kind == KindMixed && d.strs != nil
	var blob strings.Builder
	if text {
		blob.Grow(size)
		c.Offsets = make([]uint32, 1, n+1)
	}
	c.allocate(n)
	i := 0
	for slot, k := range d.kinds {
		if k == 0 {
			continue
		}
		c.put(i, k, d.nums[slot])
		if text {
			if k.text() {
				blob.WriteString(d.strs[slot])
			}
			c.Offsets = append(c.Offsets, uint32(blob.Len()))
		}
		i++
	}
	c.Bytes = blob.String()
}

func (c *Chunk) allocate(n int) {
	switch c.Kind {
	case KindInt:
		c.Ints = make([]int64, n)
	case KindFloat:
		c.Floats = make([]float64, n)
	case KindBool:
		c.Bools = make([]uint64, (n+63)/64)
	case KindMixed:
		c.Kinds, c.Nums = make([]Kind, n), make([]uint64, n)
	}
}

func (c *Chunk) put(i int, k Kind, num uint64) {
	switch c.Kind {
	case KindInt:
		c.Ints[i] = int64(num)
	case KindFloat:
		c.Floats[i] = math.Float64frombits(num)
	case KindBool:
		c.Bools[i>>6] |= num & 1 << (i & 63)
	case KindMixed:
		if k == KindBool {
			num &= 1
		}
		c.Kinds[i], c.Nums[i] = k, num
	}
}

// check makes every chunk readable, and returns an error if a cell lies at n or beyond.
func (c *Column) check(ctx context.Context, n uint64) error {
	if c == nil {
		return nil
	}
	if c.drafts != nil {
		return errors.New("property column that is not frozen")
	}
	for i := range c.chunks {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		chunk := c.chunks[i].Load()
		if chunk == nil { // one that is decoded late is checked then
			continue
		}
		if err := chunk.Init(); err != nil {
			return err
		}
		if uint64(i)*ChunkLen+uint64(chunk.End()) > n {
			return fmt.Errorf("property value past the last of %d elements", n)
		}
	}
	return nil
}

func (c *Column) bytes() uint64 {
	if c == nil {
		return 0
	}
	size := 8 * uint64(len(c.chunks)+len(c.late))
	for i := range c.chunks {
		if chunk := c.chunks[i].Load(); chunk != nil {
			size += chunk.bytes()
		} else if c.late != nil && c.late[i] != nil {
			size += c.late[i].size
		}
	}
	return size
}

// HasText reports whether a value of the column may be text.
func (c *Column) HasText() bool {
	for i := range c.chunks {
		if kind := c.kindOf(i); kind.text() || kind == KindMixed && c.Chunk(i).Offsets != nil {
			return true
		}
	}
	return c.drafts != nil
}

// HasEncoded reports whether a value of the column may be an encoded one.
func (c *Column) HasEncoded() bool {
	if c == nil {
		return false
	}
	for i := range c.chunks {
		if kind := c.kindOf(i); kind == KindEncoded || kind == KindMixed && c.Chunk(i).Offsets != nil {
			return true
		}
	}
	return c.drafts != nil
}

// Int returns the integer of element i; ok is false if it has another value or none.
func (c *Column) Int(i uint64) (n int64, ok bool) {
	if c == nil || i/ChunkLen >= uint64(len(c.chunks)) {
		return 0, false
	}
	chunk := c.Chunk(int(i / ChunkLen))
	if chunk == nil || chunk.Kind != KindInt {
		return 0, false
	}
	word, bit := chunk.Present[i%ChunkLen>>6], i&63
	if word>>bit&1 == 0 {
		return 0, false
	}
	return chunk.Ints[int(chunk.rank[i%ChunkLen>>6])+bits.OnesCount64(word&(1<<bit-1))], true
}
