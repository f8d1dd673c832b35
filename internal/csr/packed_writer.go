package csr

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
)

// packedItems and packedRows are after how many items or rows a block ends: few enough to stay in a core's own cache.
const (
	packedItems = 1 << 14
	packedRows  = 1 << 16
)

// PackedWriter writes rows that Packed reads. It holds one block, and all degrees.
type PackedWriter struct {
	to    io.Writer
	tail  [4]uint64 // first vertex, rows, items, blocks
	table []byte

	degrees []byte // of all blocks
	first   int    // where those of the block begin
	rows    uint64 // of the block
	idle    uint64 // of them, empty ones at its end that degrees does not have yet
	values  []uint32
	packed  []byte // controls and values, to be used again
}

// NewPackedWriter writes rows that begin with the one of vertex lo.
func NewPackedWriter(to io.Writer, lo VertexID) *PackedWriter {
	return &PackedWriter{to: to, tail: [4]uint64{uint64(lo)}}
}

// Row writes the row of the next vertex, whose items rise or repeat.
func (w *PackedWriter) Row(items []VertexID) error {
	if uint64(len(items)) > math.MaxUint32 {
		return errors.New("a node has too many relationships of one type for a flat file")
	}
	w.rows++
	if len(items) == 0 {
		w.idle++
	} else {
		w.endIdle()
		w.degrees = binary.AppendUvarint(w.degrees, uint64(len(items)))
	}
	last := VertexID(0)
	for _, x := range items {
		w.values = append(w.values, uint32(x-last))
		last = x
	}
	if len(w.values) >= packedItems || w.rows >= packedRows {
		return w.flush()
	}
	return nil
}

func (w *PackedWriter) endIdle() {
	if w.idle > 0 {
		w.degrees = binary.AppendUvarint(append(w.degrees, 0), w.idle-1)
		w.idle = 0
	}
}

func (w *PackedWriter) flush() error {
	w.endIdle()
	w.packed = appendPacked(w.packed[:0], w.values)
	for _, x := range [...]uint64{w.rows, uint64(len(w.values)), uint64(len(w.degrees) - w.first), uint64(len(w.packed))} {
		w.table = binary.LittleEndian.AppendUint64(w.table, x)
	}
	w.tail[1], w.tail[2], w.tail[3] = w.tail[1]+w.rows, w.tail[2]+uint64(len(w.values)), w.tail[3]+1
	_, err := w.to.Write(w.packed)
	w.first, w.rows, w.values = len(w.degrees), 0, w.values[:0]
	return err
}

// Close writes the last block, the degrees and the table.
func (w *PackedWriter) Close() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if _, err := w.to.Write(w.degrees); err != nil {
		return err
	}
	for _, x := range w.tail {
		w.table = binary.LittleEndian.AppendUint64(w.table, x)
	}
	_, err := w.to.Write(w.table)
	return err
}

// appendPacked appends the controls and the values of a block.
func appendPacked(dst []byte, values []uint32) []byte {
	first := len(dst)
	dst = append(dst, make([]byte, (len(values)+3)/4)...)
	for i := range 4 * (len(dst) - first) {
		x := uint32(0)
		if i < len(values) {
			x = values[i]
		}
		size := (bits.Len32(x|1) + 7) / 8
		dst[first+i/4] |= byte(size-1) << (i % 4 * 2)
		var four [4]byte
		binary.LittleEndian.PutUint32(four[:], x)
		dst = append(dst, four[:size]...)
	}
	return dst
}
