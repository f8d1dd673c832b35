//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"math/bits"
)

// Limits of a sort (sort.cu): bits of a digit, pairs that a block moves at a time, and the most of its chunk; from how many pairs on
// a pass may take so long that the host looks between them.
const (
	digitBits = 8
	sortTile  = 2048
	mostChunk = 32 * sortTile
	sortsLong = 1 << 26
)

// sortBlocks is how many blocks there should be work for. Tests change it.
var sortBlocks = int64(1 << 10)

// sortPairs sorts n pairs by keys up to largest; equal ones keep their order. Without values these are the pairs' numbers. What comes
// back is the task's, and what was given is overwritten.
func (t *task) sortPairs(ctx context.Context, keys, values buffer, n int64, largest uint32) (sorted, carried buffer, err error) {
	if n == 0 {
		return keys, values, nil
	}
	chunk := min((n/sortBlocks/sortTile+1)*sortTile, mostChunk)
	chunks := (n + chunk - 1) / chunk
	width := max(1, bits.Len32(largest))
	passes := (width + digitBits - 1) / digitBits
	digit := (width + passes - 1) / passes
	scratch := &task{d: t.d}
	defer scratch.end()
	s, err := newScan(scratch, chunks<<digit)
	if err != nil {
		return keys, values, err
	}
	counts, err := scratch.alloc(4 * chunks << digit)
	if err != nil {
		return keys, values, err
	}
	places, err := scratch.alloc(8 * (chunks<<digit + 1))
	if err != nil {
		return keys, values, err
	}
	var toKeys, toValues buffer
	for pass := range passes {
		for _, b := range []*buffer{&toKeys, &toValues} {
			if b.at != 0 {
				continue
			}
			if *b, err = t.alloc(4 * n); err != nil {
				return keys, values, err
			}
		}
		shift := pass * digit
		now := min(digit, width-shift)
		grid := t.d.grid(int(chunks), 1)
		if err := t.d.launch("sort_count", grid, 256, 0, keys.arg(), uint64(n), uint64(chunk), uint64(chunks), uint64(shift), uint64(now), counts.arg()); err != nil {
			return keys, values, err
		}
		if err := s.sum(counts, chunks<<now, false, places, buffer{}); err != nil {
			return keys, values, err
		}
		err := t.d.launch("sort_move", grid, 256, 0, keys.arg(), values.arg(), uint64(n), uint64(chunk), uint64(chunks), uint64(shift), uint64(now), places.arg(),
			toKeys.arg(), toValues.arg())
		if err != nil {
			return keys, values, err
		}
		keys, values, toKeys, toValues = toKeys, toValues, keys, values
		if n >= sortsLong {
			if err := t.d.wait("sorting"); err != nil {
				return keys, values, err
			}
		}
		if err := ctx.Err(); err != nil {
			return keys, values, err
		}
	}
	return keys, values, nil
}
