package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// A column block holds one chunk of a column. Its payload:
//
//	kind       1 byte    csr.Kind of the chunk
//	presence   1 byte, then
//	           0  runs: uvarint lengths of absent and present runs in turn, absent first, up to the last present one;
//	              preceded by their number
//	           1  bitmap of csr.ChunkLen bits
//	values, of the present elements in order
//	  int      appendInts
//	  float    8 bytes each, little-endian
//	  bool     bitmap, 8 values a byte
//	  text     uvarint lengths, then the bytes
//	  mixed    a byte of kind for each, then by kind: numbers as zigzag varints, floats 8 bytes, booleans a byte,
//	           text as length and bytes
const (
	presenceRuns   byte = 0
	presenceBitmap byte = 1
)

var errColumn = errors.New("the column block is malformed")

func encodeChunk(c *csr.Chunk) ([]byte, error) {
	dst := appendPresence([]byte{byte(c.Kind)}, &c.Present)
	switch c.Kind {
	case csr.KindInt:
		return appendInts(dst, c.Ints), nil
	case csr.KindFloat:
		for _, f := range c.Floats {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
		}
		return dst, nil
	case csr.KindBool:
		return appendBits(dst, c.Bools, c.Len()), nil
	case csr.KindString, csr.KindEncoded:
		for i := 1; i < len(c.Offsets); i++ {
			dst = binary.AppendUvarint(dst, uint64(c.Offsets[i]-c.Offsets[i-1]))
		}
		return append(dst, c.Bytes...), nil
	case csr.KindMixed:
		return appendMixed(dst, c)
	}
	return nil, fmt.Errorf("property chunk of unknown kind %d", c.Kind)
}

func appendPresence(dst []byte, present *[csr.ChunkLen / 64]uint64) []byte {
	runs, count := []byte(nil), uint64(0)
	for at := 0; at < csr.ChunkLen && len(runs) <= csr.ChunkLen/8; count += 2 {
		lo := nextBit(present, at, 1)
		if lo == csr.ChunkLen {
			break
		}
		hi := nextBit(present, lo, 0)
		runs = binary.AppendUvarint(binary.AppendUvarint(runs, uint64(lo-at)), uint64(hi-lo))
		at = hi
	}
	if len(runs) > csr.ChunkLen/8 {
		dst = append(dst, presenceBitmap)
		return appendBits(dst, present[:], csr.ChunkLen)
	}
	dst = binary.AppendUvarint(append(dst, presenceRuns), count)
	return append(dst, runs...)
}

// nextBit is the first position from at on whose bit is value, or csr.ChunkLen.
func nextBit(words *[csr.ChunkLen / 64]uint64, at int, value uint64) int {
	for at < csr.ChunkLen {
		word := words[at>>6]
		if value == 0 {
			word = ^word
		}
		if word >>= at & 63; word != 0 {
			return at + bits.TrailingZeros64(word)
		}
		at = at&^63 + 64
	}
	return csr.ChunkLen
}

// appendBits appends the first n bits of words, the lowest first.
func appendBits(dst []byte, words []uint64, n int) []byte {
	for i := 0; i < n; i += 8 {
		b := byte(words[i>>6] >> (i & 63))
		if n-i < 8 {
			b &= 1<<(n-i) - 1
		}
		dst = append(dst, b)
	}
	return dst
}

func readBits(c *cursor, words []uint64, n int) {
	packed := c.take(uint64(n+7) / 8)
	if c.err != nil {
		return
	}
	for i, b := range packed {
		words[i>>3] |= uint64(b) << (i & 7 * 8)
	}
	if n&7 != 0 && packed[len(packed)-1]>>(n&7) != 0 {
		c.fail(errColumn) // bits past the last value
	}
}

func appendMixed(dst []byte, c *csr.Chunk) ([]byte, error) {
	for _, k := range c.Kinds {
		dst = append(dst, byte(k))
	}
	for i, k := range c.Kinds {
		switch k {
		case csr.KindInt:
			dst = appendVarint(dst, int64(c.Nums[i]))
		case csr.KindFloat:
			dst = binary.LittleEndian.AppendUint64(dst, c.Nums[i])
		case csr.KindBool:
			dst = append(dst, byte(c.Nums[i]))
		case csr.KindString, csr.KindEncoded:
			dst = appendString(dst, c.Bytes[c.Offsets[i]:c.Offsets[i+1]])
		default:
			return nil, fmt.Errorf("property value of unknown kind %d", k)
		}
	}
	return dst, nil
}

// decodeChunk decodes a column block. The chunk it returns has passed Init, and its encoded values decode.
func decodeChunk(payload []byte) (*csr.Chunk, error) {
	c := cursor{b: payload}
	chunk := &csr.Chunk{Kind: csr.Kind(c.byte())}
	readPresence(&c, &chunk.Present)
	n := chunk.Len()
	if c.err == nil && n == 0 {
		c.fail(errColumn)
	}
	if c.err != nil {
		return nil, c.err
	}
	switch chunk.Kind {
	case csr.KindInt:
		chunk.Ints = make([]int64, n)
		readInts(&c, chunk.Ints)
	case csr.KindFloat:
		chunk.Floats = make([]float64, n)
		for i := range chunk.Floats {
			chunk.Floats[i] = math.Float64frombits(c.uint64())
		}
	case csr.KindBool:
		chunk.Bools = make([]uint64, (n+63)/64)
		readBits(&c, chunk.Bools, n)
	case csr.KindString, csr.KindEncoded:
		readText(&c, chunk, n)
	case csr.KindMixed:
		readMixed(&c, chunk, n)
	default:
		return nil, fmt.Errorf("property values of unknown kind %d", chunk.Kind)
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	if err := chunk.Init(); err != nil {
		return nil, err
	}
	return chunk, checkEncoded(chunk, value.Check)
}

// checkEncoded hands the encoded values of a chunk to check.
func checkEncoded(c *csr.Chunk, check func(string) error) error {
	if c.Kind != csr.KindEncoded && (c.Kind != csr.KindMixed || c.Offsets == nil) {
		return nil
	}
	for i := 1; i < len(c.Offsets); i++ {
		if c.Kind == csr.KindMixed && c.Kinds[i-1] != csr.KindEncoded {
			continue
		}
		if err := check(c.Bytes[c.Offsets[i-1]:c.Offsets[i]]); err != nil {
			return fmt.Errorf("value %d: %w", i-1, err)
		}
	}
	return nil
}

func readPresence(c *cursor, present *[csr.ChunkLen / 64]uint64) {
	switch mode := c.byte(); mode {
	case presenceBitmap:
		readBits(c, present[:], csr.ChunkLen)
	case presenceRuns:
		at, numbers := uint64(0), c.count()
		if numbers%2 != 0 {
			c.fail(errColumn)
		}
		for range numbers / 2 {
			lo := at + c.limited(csr.ChunkLen-at, "elements of a chunk")
			hi := lo + c.limited(csr.ChunkLen-lo, "elements of a chunk")
			for at = lo; at < hi; at++ {
				present[at>>6] |= 1 << (at & 63)
			}
		}
	default:
		c.fail(errColumn)
	}
}

func readText(c *cursor, chunk *csr.Chunk, n int) {
	chunk.Offsets = make([]uint32, n+1)
	end := uint64(0)
	for i := 1; i <= n; i++ {
		end += c.limited(uint64(len(c.b)), "bytes of text")
		chunk.Offsets[i] = uint32(min(end, math.MaxUint32))
	}
	if end > math.MaxUint32 {
		c.fail(errColumn)
	}
	chunk.Bytes = string(c.take(end))
}

func readMixed(c *cursor, chunk *csr.Chunk, n int) {
	kinds := c.take(uint64(n))
	if c.err != nil {
		return
	}
	chunk.Kinds, chunk.Nums = make([]csr.Kind, n), make([]uint64, n)
	var text []byte
	offsets, texts := make([]uint32, 1, n+1), false
	for i, k := range kinds {
		chunk.Kinds[i] = csr.Kind(k)
		switch csr.Kind(k) {
		case csr.KindInt:
			chunk.Nums[i] = uint64(c.varint())
		case csr.KindFloat:
			chunk.Nums[i] = c.uint64()
		case csr.KindBool:
			chunk.Nums[i] = uint64(c.byte())
		case csr.KindString, csr.KindEncoded:
			text = append(text, c.take(c.uvarint())...)
			texts = true
		default:
			c.fail(errColumn)
		}
		if len(text) > math.MaxUint32 {
			c.fail(errColumn)
			return
		}
		offsets = append(offsets, uint32(len(text)))
	}
	if texts {
		chunk.Offsets, chunk.Bytes = offsets, string(text)
	}
}
