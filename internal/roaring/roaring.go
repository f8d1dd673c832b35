// Package roaring reads and writes sets of numbers in the portable format of roaring bitmaps.
//
// In go ranges, sorted and apart; out come the bytes that every roaring library reads, and back. A set is kept as ranges
// because the sets of this program are few long ones: nothing here unions, intersects or looks up. Encode chooses the
// smallest container for every 65536 numbers. Decode trusts nothing it reads: a payload that breaks the format is an error.
//
// The format is at https://github.com/RoaringBitmap/RoaringFormatSpec.
package roaring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// Range is the half-open range [Lo, Hi) of numbers; it is never empty in a set.
type Range struct{ Lo, Hi uint32 }

// Len counts the numbers of a set.
func Len(set []Range) (n uint64) {
	for _, r := range set {
		n += uint64(r.Hi - r.Lo)
	}
	return n
}

// A file starts with a cookie. One says that run containers occur, and holds the number of containers too; the other says
// that all are arrays and bitmaps.
const (
	cookieRuns  = 12347
	cookiePlain = 12346
)

const (
	containerLen = 1 << 16
	maxArray     = 4096 // numbers an array container holds at most; a bitmap has more
	bitmapBytes  = containerLen / 8
	minOffsets   = 4 // from so many containers on, a file with runs says where each begins
)

// container is the numbers of a set whose upper 16 bits are key. The numbers in its ranges have lost these bits.
type container struct {
	key    uint16
	ranges []Range
	count  int
	runs   bool // whether it is stored as runs
}

// Encode returns the bytes of a set. The ranges must be sorted, and between two of them a number must be missing.
func Encode(set []Range) []byte {
	all := cut(set)
	dst, anyRuns := []byte(nil), false
	for i := range all {
		anyRuns = anyRuns || all[i].runs
	}
	if anyRuns {
		dst = binary.LittleEndian.AppendUint32(dst, cookieRuns|uint32(len(all)-1)<<16)
		flags := make([]byte, (len(all)+7)/8)
		for i := range all {
			if all[i].runs {
				flags[i/8] |= 1 << (i % 8)
			}
		}
		dst = append(dst, flags...)
	} else {
		dst = binary.LittleEndian.AppendUint32(dst, cookiePlain)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(all)))
	}
	for i := range all {
		dst = binary.LittleEndian.AppendUint16(dst, all[i].key)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(all[i].count-1))
	}
	if !anyRuns || len(all) >= minOffsets {
		at := len(dst) + 4*len(all)
		for i := range all {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(at))
			at += all[i].size()
		}
	}
	for i := range all {
		dst = all[i].append(dst)
	}
	return dst
}

// cut cuts a set into containers.
func cut(set []Range) (all []container) {
	for _, r := range set {
		for lo := r.Lo; lo < r.Hi; {
			hi := min(uint64(r.Hi), (uint64(lo)/containerLen+1)*containerLen)
			key := uint16(lo / containerLen)
			if n := len(all); n == 0 || all[n-1].key != key {
				all = append(all, container{key: key})
			}
			c := &all[len(all)-1]
			first := uint32(key) * containerLen
			c.ranges = append(c.ranges, Range{lo - first, uint32(hi - uint64(first))})
			c.count += int(hi - uint64(lo))
			lo = uint32(hi)
		}
	}
	for i := range all {
		all[i].runs = runsSize(len(all[i].ranges)) < plainSize(all[i].count)
	}
	return all
}

func runsSize(runs int) int { return 2 + 4*runs }

// plainSize is the size of a container of count numbers that is not stored as runs.
func plainSize(count int) int {
	if count > maxArray {
		return bitmapBytes
	}
	return 2 * count
}

func (c *container) size() int {
	if c.runs {
		return runsSize(len(c.ranges))
	}
	return plainSize(c.count)
}

// append appends the bytes of the container to dst.
func (c *container) append(dst []byte) []byte {
	if c.runs {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(c.ranges)))
		for _, r := range c.ranges {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(r.Lo))
			dst = binary.LittleEndian.AppendUint16(dst, uint16(r.Hi-r.Lo-1))
		}
		return dst
	}
	if c.count <= maxArray {
		for _, r := range c.ranges {
			for x := r.Lo; x < r.Hi; x++ {
				dst = binary.LittleEndian.AppendUint16(dst, uint16(x))
			}
		}
		return dst
	}
	var words [containerLen / 64]uint64
	for _, r := range c.ranges {
		for x := r.Lo; x < r.Hi; x++ {
			words[x/64] |= 1 << (x % 64)
		}
	}
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

var (
	errShort    = errors.New("the bitmap ends too early")
	errTrailing = errors.New("bytes after the end of the bitmap")
)

// Decode reads a set of numbers below limit. What it returns is sorted, and between two ranges a number is missing.
func Decode(payload []byte, limit uint32) ([]Range, error) {
	d := decoder{rest: payload, limit: limit}
	all, offsets := d.header()
	for i := range all {
		if at := len(payload) - len(d.rest); d.err == nil && offsets != nil && int(binary.LittleEndian.Uint32(offsets[4*i:])) != at {
			d.fail("container %d is said to begin elsewhere than at byte %d", i, at)
		}
		d.container(&all[i])
	}
	if d.err == nil && len(d.rest) > 0 {
		d.err = errTrailing
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.set, nil
}

// decoder reads a payload from its start; after its first mistake it reads zeros.
type decoder struct {
	rest  []byte
	limit uint32
	set   []Range
	err   error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// take returns the next n bytes, nil if they are not there.
func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.rest) {
		d.err = errShort
	}
	if d.err != nil {
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uint16() uint16 {
	if b := d.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// header reads what stands before the containers. offsets is nil where the payload has none.
func (d *decoder) header() (all []container, offsets []byte) {
	n, flags := 0, []byte(nil)
	switch cookie := d.uint32(); {
	case cookie&0xffff == cookieRuns:
		n = int(cookie>>16) + 1
		flags = d.take((n + 7) / 8)
	case cookie == cookiePlain:
		n = int(min(d.uint32(), containerLen+1))
	default:
		d.fail("it begins with %d, which is no roaring bitmap", cookie)
	}
	if limit := (uint64(d.limit) + containerLen - 1) / containerLen; uint64(n) > limit {
		d.fail("%d containers where numbers are below %d", n, d.limit)
	}
	if d.err != nil {
		return nil, nil
	}
	all = make([]container, n)
	for i := range all {
		c := &all[i]
		c.key, c.count = d.uint16(), int(d.uint16())+1
		c.runs = flags != nil && flags[i/8]>>(i%8)&1 == 1
		if i > 0 && c.key <= all[i-1].key {
			d.fail("container %d is out of order", i)
		}
	}
	if flags == nil || n >= minOffsets {
		offsets = d.take(4 * n)
	}
	return all, offsets
}

// container reads the numbers of c into the set.
func (d *decoder) container(c *container) {
	first := uint64(c.key) * containerLen
	switch {
	case c.runs:
		d.runs(first, c.count)
	case c.count <= maxArray:
		d.array(first, d.take(2*c.count))
	default:
		d.bitmap(first, c.count, d.take(bitmapBytes))
	}
}

// add adds the numbers [lo, hi) to the set, which must be behind all it has.
func (d *decoder) add(lo, hi uint64) {
	if d.err != nil {
		return
	}
	n := len(d.set)
	switch {
	case hi > uint64(d.limit):
		d.fail("number %d is not below %d", hi-1, d.limit)
	case n > 0 && lo < uint64(d.set[n-1].Hi):
		d.fail("number %d is out of order", lo)
	case n > 0 && lo == uint64(d.set[n-1].Hi):
		d.set[n-1].Hi = uint32(hi)
	default:
		d.set = append(d.set, Range{uint32(lo), uint32(hi)})
	}
}

func (d *decoder) runs(first uint64, count int) {
	end := uint64(0)
	for i := range d.uint16() {
		lo, more := uint64(d.uint16()), uint64(d.uint16())
		switch {
		case lo+more >= containerLen:
			d.fail("a run of %d numbers from %d on leaves its container", more+1, lo)
		case i > 0 && lo <= end:
			d.fail("run %d of container %d is not apart from the one before", i, first/containerLen)
		}
		end = lo + more + 1
		d.add(first+lo, first+lo+more+1)
		count -= int(more) + 1
	}
	if count != 0 {
		d.fail("the runs of container %d have other numbers than it counts", first/containerLen)
	}
}

func (d *decoder) array(first uint64, b []byte) {
	for ; len(b) > 0; b = b[2:] {
		x := first + uint64(binary.LittleEndian.Uint16(b))
		d.add(x, x+1)
	}
}

func (d *decoder) bitmap(first uint64, count int, b []byte) {
	for at := uint64(0); len(b) > 0; at, b = at+64, b[8:] {
		w := binary.LittleEndian.Uint64(b)
		count -= bits.OnesCount64(w)
		for w != 0 {
			lo := bits.TrailingZeros64(w)
			n := bits.TrailingZeros64(^(w >> lo))
			d.add(first+at+uint64(lo), first+at+uint64(lo+n))
			if lo+n == 64 {
				break
			}
			w &^= 1<<(lo+n) - 1
		}
	}
	if count != 0 {
		d.fail("the bitmap of container %d has other numbers than it counts", first/containerLen)
	}
}
