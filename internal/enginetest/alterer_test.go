package enginetest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
)

// alterer changes a backup as damage and attackers do.
type alterer struct {
	*rand.Rand
	*backupFile
	what []string
}

func (x *alterer) note(i int, format string, args ...any) {
	x.what = append(x.what, fmt.Sprintf("block %x (%d bytes): ", x.blocks[i].key, len(x.blocks[i].payload))+fmt.Sprintf(format, args...))
}

// alter makes one change. Most are to a payload, since those to keys are found by the number of blocks.
func (x *alterer) alter() {
	i := x.IntN(len(x.blocks))
	b := &x.blocks[i]
	switch x.IntN(14) {
	case 0, 1:
		x.bit(i)
	case 2, 3:
		x.byte(i)
	case 4, 5, 6, 7:
		x.number(i)
	case 8:
		n := x.IntN(len(b.payload) + 1)
		x.note(i, "cut to %d", n)
		b.payload = b.payload[:n]
	case 9:
		n := 1 + x.IntN(9)
		x.note(i, "%d bytes more", n)
		for range n {
			b.payload = slices.Insert(b.payload, x.IntN(len(b.payload)+1), byte(x.Uint32()))
		}
	case 10:
		j := x.sameKind(i)
		x.note(i, "swapped with %x", x.blocks[j].key)
		b.payload, x.blocks[j].payload = x.blocks[j].payload, b.payload
	case 11:
		j := x.sameKind(i)
		x.note(i, "the payload of %x", x.blocks[j].key)
		b.payload = slices.Clone(x.blocks[j].payload)
	case 12:
		x.wholeBlock(i)
	default:
		x.piece(i)
	}
}

// sameKind is another block of the kind of block i, if there is one.
func (x *alterer) sameKind(i int) int {
	for range 50 {
		if j := x.IntN(len(x.blocks)); j != i && x.blocks[j].key[0] == x.blocks[i].key[0] {
			return j
		}
	}
	return i
}

func (x *alterer) bit(i int) {
	if p := x.blocks[i].payload; len(p) > 0 {
		at, bit := x.IntN(len(p)), x.IntN(8)
		p[at] ^= 1 << bit
		x.note(i, "bit %d of byte %d", bit, at)
	}
}

func (x *alterer) byte(i int) {
	if p := x.blocks[i].payload; len(p) > 0 {
		at := x.IntN(len(p))
		p[at] = []byte{0, 1, 2, 0x7f, 0x80, 0xff, byte(x.Uint32())}[x.IntN(7)]
		x.note(i, "byte %d is %x", at, p[at])
	}
}

// number puts another number in place of the uvarint at some byte.
func (x *alterer) number(i int) {
	b := &x.blocks[i]
	if len(b.payload) == 0 {
		return
	}
	at := x.IntN(min(len(b.payload), []int{8, 64, 1 << 20}[x.IntN(3)]))
	old, size := binary.Uvarint(b.payload[at:])
	if size <= 0 {
		return
	}
	value := []uint64{0, old + 1, old - 1, 2 * old, 2*old + 1, 1 << 20, 1<<27 + 3, 1<<31 - 1, 1<<32 - 2, 1<<32 - 1, 1 << 40, 1<<63 - 1, 1 << 63, 1<<64 - 1}[x.IntN(14)]
	b.payload = slices.Concat(b.payload[:at], binary.AppendUvarint(nil, value), b.payload[at+size:])
	x.note(i, "number %d at %d is %d", old, at, value)
}

// wholeBlock drops a block, repeats it, or moves it to another key.
func (x *alterer) wholeBlock(i int) {
	switch x.IntN(4) {
	case 0:
		x.note(i, "gone")
		x.blocks = slices.Delete(x.blocks, i, i+1)
	case 1:
		x.note(i, "twice")
		x.blocks = append(x.blocks, x.blocks[i])
	case 2:
		at := 13 + x.IntN(len(x.blocks[i].key)-13)
		x.note(i, "byte %d of the key", at)
		x.blocks[i].key[at] ^= byte(1 << x.IntN(3))
	default:
		j := x.IntN(2)
		x.note(i, "byte %d of the head", j)
		x.blocks[i].head[j] ^= byte(1 << x.IntN(3))
	}
}

// piece copies a piece of the payload over another place of it.
func (x *alterer) piece(i int) {
	p := x.blocks[i].payload
	if len(p) < 2 {
		return
	}
	n := 1 + x.IntN(min(len(p)-1, 16))
	from, to := x.IntN(len(p)-n+1), x.IntN(len(p)-n+1)
	copy(p[to:to+n], slices.Clone(p[from:from+n]))
	x.note(i, "%d bytes at %d are those at %d", n, to, from)
}
