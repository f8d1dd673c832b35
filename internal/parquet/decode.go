package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/motifql/motif/internal/value"
)

var unzstd = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecoderConcurrency(1))
})

// unpack decompresses a page of size bytes.
func unpack(codec int64, data []byte, size int64) (out []byte, err error) {
	if size < 0 {
		return nil, damaged("a page of %d bytes", size)
	}
	switch codec {
	case codecNone:
		out = data
	case codecSnappy:
		if n, lenErr := s2.DecodedLen(data); lenErr != nil || int64(n) != size {
			return nil, damaged("a page does not unpack to its %d bytes", size)
		}
		out, err = s2.Decode(nil, data)
	case codecGzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			out, err = io.ReadAll(io.LimitReader(z, size+1))
		}
	case codecZstd:
		var d *zstd.Decoder
		if d, err = unzstd(); err == nil {
			out, err = d.DecodeAll(data, nil)
		}
	default:
		names := map[int64]string{3: "LZO", 4: "Brotli", 5: "LZ4", 7: "LZ4"}
		name := names[codec]
		if name == "" {
			return nil, damaged("compression %d", codec)
		}
		return nil, fmt.Errorf("it is compressed with %s; write it with Snappy, Zstd or Gzip", name)
	}
	if err != nil {
		return nil, damaged("a page does not unpack: %v", err)
	}
	if int64(len(out)) != size {
		return nil, damaged("a page unpacks to %d bytes, not %d", len(out), size)
	}
	return out, nil
}

// hybrid reads a mix of runs and bit-packed groups.
type hybrid struct {
	data   []byte
	width  int
	left   int // of the run
	value  uint64
	packed bitReader
}

func (h *hybrid) next() (uint64, error) {
	for h.left == 0 {
		head, n := binary.Uvarint(h.data)
		if n <= 0 {
			return 0, damaged("levels or indices end too early")
		}
		h.data = h.data[n:]
		if head&1 == 1 {
			if head>>1 > 1<<28 {
				return 0, damaged("a run of %d values", head>>1)
			}
			size := head >> 1 * uint64(h.width)
			size = min(size, uint64(len(h.data))) // the last group may be cut
			h.packed = bitReader{h.data[:size], 0}
			h.data, h.left = h.data[size:], int(head>>1)*8
			h.value = packedRun
			continue
		}
		size := (h.width + 7) / 8
		if len(h.data) < size || head>>1 > math.MaxInt32 {
			return 0, damaged("levels or indices end too early")
		}
		h.value = 0
		for i := range size {
			h.value |= uint64(h.data[i]) << (8 * i)
		}
		h.data, h.left = h.data[size:], int(head>>1)
	}
	h.left--
	if h.value != packedRun {
		return h.value, nil
	}
	return h.packed.take(h.width)
}

const packedRun = math.MaxUint64

// bitReader reads numbers of some bits, the lowest bit first.
type bitReader struct {
	data []byte
	at   int // bit
}

func (b *bitReader) take(width int) (uint64, error) {
	if b.at+width > 8*len(b.data) {
		return 0, damaged("packed numbers end too early")
	}
	var n uint64
	for got := 0; got < width; {
		i, off := b.at/8, b.at%8
		k := min(8-off, width-got)
		n |= uint64(b.data[i]>>off&(1<<k-1)) << got
		got += k
		b.at += k
	}
	return n, nil
}

// decoder returns a function that gives the values of a page one by one.
func (c *columnReader) decoder(encoding int64, data []byte) (func() (value.Value, error), error) {
	switch encoding {
	case encPlain:
		return c.plain(data)
	case encDictionary, encPlainDictionary:
		return c.indices(data)
	case encRLE:
		if c.phys != physBool || len(data) < 4 {
			break
		}
		h := &hybrid{data: data[4:], width: 1}
		return func() (value.Value, error) {
			n, err := h.next()
			return value.OfBool(n != 0), err
		}, nil
	case encDelta:
		if c.phys != physInt32 && c.phys != physInt64 {
			break
		}
		d, err := newDelta(&data)
		return func() (value.Value, error) {
			n, err := d.next()
			if err != nil {
				return value.Value{}, err
			}
			if c.phys == physInt32 {
				n = int64(int32(n))
			}
			return c.logical.integer(n)
		}, err
	case encDeltaLength, encDeltaBytes:
		if c.phys != physBytes && c.phys != physFixed {
			break
		}
		return c.deltaBytes(encoding, data)
	case encSplit:
		return c.split(data)
	}
	return nil, fmt.Errorf("values in encoding %d cannot be read", encoding)
}

// indices reads values as indices into the dictionary.
func (c *columnReader) indices(data []byte) (func() (value.Value, error), error) {
	if c.dict == nil {
		return nil, damaged("indices without a dictionary")
	}
	if len(data) == 0 {
		return func() (value.Value, error) { return value.Value{}, damaged("a page ends too early") }, nil
	}
	if data[0] > 32 {
		return nil, damaged("indices of %d bits", data[0])
	}
	h := &hybrid{data: data[1:], width: int(data[0])}
	return func() (value.Value, error) {
		n, err := h.next()
		if err != nil || n >= uint64(len(c.dict)) {
			return value.Value{}, damaged("an index beyond the dictionary")
		}
		return c.dict[n], nil
	}, nil
}

// width is how many bytes a value of a fixed size takes, 0 for others.
func (l *leaf) width() int {
	switch l.phys {
	case physInt32, physFloat:
		return 4
	case physInt64, physDouble:
		return 8
	case physInt96:
		return 12
	case physFixed:
		return l.length
	}
	return 0
}

// fixed is the value of so many bytes.
func (l *leaf) fixed(b []byte) (value.Value, error) {
	switch l.phys {
	case physInt32:
		return l.logical.integer(int64(int32(binary.LittleEndian.Uint32(b))))
	case physInt64:
		return l.logical.integer(int64(binary.LittleEndian.Uint64(b)))
	case physFloat:
		return value.OfFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))), nil
	case physDouble:
		return value.OfFloat(math.Float64frombits(binary.LittleEndian.Uint64(b))), nil
	case physInt96:
		return int96(b)
	}
	return l.logical.bytes(b)
}

// plain reads values as they are.
func (c *columnReader) plain(data []byte) (func() (value.Value, error), error) {
	short := damaged("a page ends too early")
	if c.phys == physBool {
		b := &bitReader{data, 0}
		return func() (value.Value, error) {
			n, err := b.take(1)
			return value.OfBool(n != 0), err
		}, nil
	}
	if w := c.width(); w > 0 {
		return func() (value.Value, error) {
			if len(data) < w {
				return value.Value{}, short
			}
			b := data[:w]
			data = data[w:]
			return c.fixed(b)
		}, nil
	}
	return func() (value.Value, error) {
		if len(data) < 4 {
			return value.Value{}, short
		}
		n := binary.LittleEndian.Uint32(data)
		if uint64(n) > uint64(len(data)-4) {
			return value.Value{}, short
		}
		b := data[4 : 4+n]
		data = data[4+n:]
		return c.logical.bytes(b)
	}, nil
}

// split reads values whose first bytes come all before their second bytes, and so on.
func (c *columnReader) split(data []byte) (func() (value.Value, error), error) {
	w := c.width()
	if w == 0 || w == 12 || len(data)%w != 0 {
		return nil, damaged("a page of split values")
	}
	n, i := len(data)/w, 0
	b := make([]byte, w)
	return func() (value.Value, error) {
		if i >= n {
			return value.Value{}, damaged("a page ends too early")
		}
		for k := range w {
			b[k] = data[k*n+i]
		}
		i++
		return c.fixed(b)
	}, nil
}

// delta reads integers that are packed as differences.
type delta struct {
	data    *[]byte
	block   int
	minis   int
	left    uint64 // values
	last    int64
	first   bool
	min     int64
	widths  []byte
	mini    int // miniblock of the block
	inMini  int // values left in it
	numbers bitReader
}

func newDelta(data *[]byte) (*delta, error) {
	d := &delta{data: data, first: true}
	block, err := d.uvarint()
	minis, err2 := d.uvarint()
	count, err3 := d.uvarint()
	last, err4 := d.uvarint()
	if err != nil || err2 != nil || err3 != nil || err4 != nil || minis == 0 || minis > 1<<16 || block > 1<<20 || block%minis != 0 || block/minis%8 != 0 || block == 0 {
		return nil, damaged("numbers packed as differences")
	}
	d.block, d.minis, d.left, d.last = int(block), int(minis), count, int64(last>>1)^-int64(last&1)
	return d, nil
}

func (d *delta) uvarint() (uint64, error) {
	n, k := binary.Uvarint(*d.data)
	if k <= 0 {
		return 0, damaged("numbers packed as differences end too early")
	}
	*d.data = (*d.data)[k:]
	return n, nil
}

func (d *delta) next() (int64, error) {
	if d.left == 0 {
		return 0, damaged("numbers packed as differences end too early")
	}
	d.left--
	if d.first {
		d.first = false
		return d.last, nil
	}
	if d.inMini == 0 {
		if err := d.miniblock(); err != nil {
			return 0, err
		}
	}
	d.inMini--
	n, err := d.numbers.take(int(d.widths[d.mini]))
	if err != nil {
		return 0, err
	}
	d.last = int64(uint64(d.last) + uint64(d.min) + n)
	return d.last, nil
}

// miniblock begins the next miniblock, and the next block where it is due.
func (d *delta) miniblock() error {
	if d.mini++; d.widths == nil || d.mini == d.minis {
		n, err := d.uvarint()
		if err != nil || len(*d.data) < d.minis {
			return damaged("numbers packed as differences end too early")
		}
		d.min, d.mini = int64(n>>1)^-int64(n&1), 0
		d.widths, *d.data = (*d.data)[:d.minis], (*d.data)[d.minis:]
	}
	w := int(d.widths[d.mini])
	size := d.block / d.minis * w / 8
	if w > 64 {
		return damaged("numbers of %d bits", w)
	}
	size = min(size, len(*d.data))
	d.numbers = bitReader{(*d.data)[:size], 0}
	*d.data = (*d.data)[size:]
	d.inMini = d.block / d.minis
	return nil
}

// all reads the numbers that are left, which leaves data behind them; most bounds how many.
func (d *delta) all(most int) ([]int64, error) {
	var out []int64
	for d.left > 0 {
		n, err := d.next()
		if err != nil {
			return nil, err
		}
		if n < 0 || n > int64(most) || len(out) > maxPage/8 {
			return nil, damaged("a length of %d", n)
		}
		out = append(out, n)
	}
	return out, nil
}

// deltaBytes reads texts whose lengths, and with encDeltaBytes what they share with the one before, come first.
func (c *columnReader) deltaBytes(encoding int64, data []byte) (func() (value.Value, error), error) {
	var shared []int64
	if encoding == encDeltaBytes {
		d, err := newDelta(&data)
		if err != nil {
			return nil, err
		}
		if shared, err = d.all(maxPage); err != nil {
			return nil, err
		}
	}
	d, err := newDelta(&data)
	if err != nil {
		return nil, err
	}
	lengths, err := d.all(len(data))
	if err != nil {
		return nil, err
	}
	if encoding == encDeltaBytes && len(shared) != len(lengths) {
		return nil, damaged("%d prefixes of %d texts", len(shared), len(lengths))
	}
	i, total := 0, 0
	var last []byte
	return func() (value.Value, error) {
		if i >= len(lengths) || lengths[i] > int64(len(data)) || shared != nil && shared[i] > int64(len(last)) {
			return value.Value{}, damaged("a page ends too early")
		}
		b := data[:lengths[i]]
		data = data[lengths[i]:]
		if shared != nil {
			b = append(append(make([]byte, 0, int(shared[i])+len(b)), last[:shared[i]]...), b...)
			if total += len(b); total > maxPage {
				return value.Value{}, damaged("a page of more than %d bytes", maxPage)
			}
			last = b
		}
		i++
		if c.phys == physFixed && len(b) != c.length {
			return value.Value{}, damaged("a value of %d bytes, not %d", len(b), c.length)
		}
		return c.logical.bytes(b)
	}, nil
}
