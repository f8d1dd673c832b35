package csr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Packed holds the rows of a type in few bytes: the targets of each source, or the sources of each target. It is what a PackedWriter has
// written, and decodes blocks of rows independently of each other. It is immutable.
//
// The bytes are blocks, degrees, a table of the blocks and a tail. Blocks hold whole rows:
//
//	controls  a byte for 4 values: how many bytes each of them takes, less 1, in 2 bits; the first value has the lowest
//	values    1 to 4 bytes each, little-endian; zeros make the last four whole
//
// Degrees are a uvarint a row; after a 0, a uvarint says how many further rows are empty. They lie together, so that who
// wants them alone reads a byte a row.
//
// A value is the first item of a row, or the difference of an item to the one before. The table has 4 numbers of 8 bytes for each block:
// rows, items, bytes of its degrees, its own bytes. The tail has 4 numbers: the vertex of the first row, rows, items, blocks.
//
// Lengths apart from the values let a processor decode without a branch a value: 1.1 ns, where varints of 7 bits took 3 ns. They take
// 8 % more bytes.
type Packed struct {
	b      []byte
	n      uint64 // vertices of the graph
	lo     VertexID
	rows   uint64
	edges  uint64
	blocks []packedBlock // and one more, where they end
	ends   uint64        // where the blocks end and the degrees begin
	check  func(from, to uint64) error
}

// packedBlock is where a block begins.
type packedBlock struct{ row, edge, at, degrees uint64 } // degrees is counted from the first

const (
	packedEntry = 4 * 8
	packedTail  = 4 * 8
	packedRead  = 20 // bytes that decoding four values may look at
)

// NewPacked reads the table of rows in a graph of n vertices. It returns an error unless the table fits the bytes, which nobody may change. check is
// called before bytes [from, to) are read, and its error is that of the reader.
func NewPacked(b []byte, n uint64, check func(from, to uint64) error) (*Packed, error) {
	if len(b) < packedTail {
		return nil, errors.New("rows without an end")
	}
	end := uint64(len(b)) - packedTail
	if err := check(end, uint64(len(b))); err != nil {
		return nil, err
	}
	tail := b[end:]
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(tail[8*i:]) }
	lo, count := number(0), number(3)
	p := &Packed{b: b, n: n, lo: VertexID(lo), rows: number(1), edges: number(2), check: check}
	if p.rows > n || lo > n-p.rows {
		return nil, fmt.Errorf("%d rows from vertex %d on of %d", p.rows, lo, n)
	}
	if count > end/packedEntry {
		return nil, fmt.Errorf("%d blocks of rows in %d bytes", count, len(b))
	}
	table := end - packedEntry*count
	if err := check(table, end); err != nil {
		return nil, err
	}
	p.blocks = make([]packedBlock, count+1)
	var at packedBlock
	for i := range count {
		entry := b[table+packedEntry*i:]
		rows, edges := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		degrees, size := binary.LittleEndian.Uint64(entry[16:]), binary.LittleEndian.Uint64(entry[24:])
		if rows > p.rows-at.row || edges > p.edges-at.edge || size > table-at.at || degrees > table-at.degrees || edges > size {
			return nil, fmt.Errorf("block %d of rows has an impossible length", i)
		}
		p.blocks[i] = at
		at = packedBlock{at.row + rows, at.edge + edges, at.at + size, at.degrees + degrees}
	}
	p.blocks[count], p.ends = at, at.at
	if at.row != p.rows || at.edge != p.edges || at.degrees != table-at.at {
		return nil, errors.New("blocks of rows that do not add up")
	}
	return p, nil
}

// Shape is the vertex of the first row, and how many rows and items there are.
func (p *Packed) Shape() (lo VertexID, rows, edges uint64) { return p.lo, p.rows, p.edges }

// degrees reads where the rows of block i end. ends has a place for each of them.
func (p *Packed) degrees(i int, ends []uint64) error {
	at, next := p.blocks[i], p.blocks[i+1]
	lo, hi := p.ends+at.degrees, p.ends+next.degrees
	if err := p.check(lo, hi); err != nil {
		return err
	}
	b, edge := p.b[lo:hi], at.edge
	for k := 0; k < len(ends); k++ {
		degree, size := uint64(0), 1
		if len(b) > 0 && b[0] < 0x80 {
			degree = uint64(b[0])
		} else if degree, size = binary.Uvarint(b); size <= 0 || degree > math.MaxUint32 {
			return errPacked
		}
		b = b[size:]
		if degree > next.edge-edge {
			return errPacked
		}
		edge += degree
		ends[k] = edge
		if degree > 0 {
			continue
		}
		more, size := binary.Uvarint(b)
		if size <= 0 || more > uint64(len(ends)-1-k) {
			return errPacked
		}
		b = b[size:]
		for ; more > 0; more-- {
			k++
			ends[k] = edge
		}
	}
	if edge != next.edge || len(b) > 0 {
		return errPacked
	}
	return nil
}

var errPacked = errors.New("a block of rows that is not what its lengths say")

// items decodes the items of block i. ends is what degrees has read, and items has a place for each item.
func (p *Packed) items(i int, ends []uint64, items []VertexID) (relsShape, error) {
	at, next := p.blocks[i], p.blocks[i+1]
	found := relsShape{edges: uint64(len(items))}
	controls := (uint64(len(items)) + 3) / 4
	if controls > next.at-at.at {
		return found, errPacked
	}
	if err := p.check(at.at, next.at); err != nil {
		return found, err
	}
	from := at.at + controls
	if unpack4(p.b[at.at:from], p.b[from:], items) != int(next.at-from) {
		return found, errPacked
	}
	lo := uint64(0)
	for k, end := range ends {
		hi := end - at.edge
		if row := items[lo:hi]; len(row) > 0 {
			v := uint64(p.lo) + at.row + uint64(k)
			last, total, special := sumUp(row, v)
			if last >= p.n {
				return found, fmt.Errorf("vertex %d of %d in the row of vertex %d", last, p.n, v)
			}
			found.products += (v + 1) * (total + uint64(len(row)))
			if special {
				loops := count(row, VertexID(v))
				found.loops += uint64(loops)
				found.parallel = found.parallel || distinctLen(row) < len(row)
			}
		}
		lo = hi
	}
	return found, nil
}

// sumUp turns the differences of the row of v into items. It returns the last, past which no later one can come back, and the sum of all. special
// is whether an item repeats or is v. A row has less than 2^32 differences, so last does not wrap.
func sumUp(row []VertexID, v uint64) (last, total uint64, special bool) {
	last = uint64(row[0])
	total = last
	zero := (last ^ v) - 1 // its top bit says that something was 0 before 1 was taken off
	for i := 1; i < len(row); i++ {
		x := uint64(row[i])
		last += x
		total += last
		zero |= (x - 1) | ((last ^ v) - 1)
		row[i] = VertexID(last)
	}
	return last, total, zero>>63 != 0
}

// packedMasks keep the bytes of a value of 1 to 4 bytes.
var packedMasks = [4]uint32{0xff, 0xffff, 0xffffff, 0xffffffff}

// packedEnds says for each control byte where its four values end.
var packedEnds = func() (ends [256][4]uint8) {
	for c := range ends {
		end := uint8(0)
		for k := range ends[c] {
			end += uint8(c>>(2*k))&3 + 1
			ends[c][k] = end
		}
	}
	return ends
}()

// unpack4 decodes four values for each control byte, up to the last of items, and returns how many bytes they take: -1 if b ends near them.
func unpack4(controls, b []byte, items []VertexID) int {
	at := 0
	for len(items) >= 4 && len(controls) > 0 {
		if at > len(b)-packedRead {
			return -1
		}
		c := controls[0]
		q, ends := (*[packedRead]byte)(b[at:]), &packedEnds[c]
		items[0] = VertexID(binary.LittleEndian.Uint32(q[:]) & packedMasks[c&3])
		items[1] = VertexID(binary.LittleEndian.Uint32(q[ends[0]&15:]) & packedMasks[c>>2&3])
		items[2] = VertexID(binary.LittleEndian.Uint32(q[ends[1]&15:]) & packedMasks[c>>4&3])
		items[3] = VertexID(binary.LittleEndian.Uint32(q[ends[2]&15:]) & packedMasks[c>>6])
		at += int(ends[3])
		controls, items = controls[1:], items[4:]
	}
	if len(items) == 0 {
		return at
	}
	var four [4]VertexID
	size := unpack4(controls, b[at:], four[:])
	if size < 0 {
		return -1
	}
	copy(items, four[:])
	return at + size
}
