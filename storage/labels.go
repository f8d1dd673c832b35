package storage

import (
	"bytes"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/motifql/motif/internal/csr"
)

// labelChunk is how many vertices one label block covers. Its payload is a roaring bitmap in its portable form, of
// the vertices that carry the label, counted from the first of the chunk. The class table says the same; the
// bitmaps are for readers that want one label, and Check compares the two.
const labelChunk = 1 << 19

// labelRanges lists the ranges of vertices that carry label l.
func labelRanges(classes []csr.Class, l csr.LabelID) []csr.Range {
	var ranges []csr.Range
	for i := range classes {
		for _, have := range classes[i].Labels {
			if have != l {
				continue
			}
			if n := len(ranges); n > 0 && ranges[n-1].Hi == classes[i].Lo {
				ranges[n-1].Hi = classes[i].Hi
			} else {
				ranges = append(ranges, classes[i].Range)
			}
		}
	}
	return ranges
}

// labelBitmaps are the bitmaps of ranges by chunk; a chunk without vertices is missing.
func labelBitmaps(ranges []csr.Range) map[uint32]*roaring.Bitmap {
	chunks := make(map[uint32]*roaring.Bitmap)
	for _, r := range ranges {
		for lo := uint64(r.Lo); lo < uint64(r.Hi); {
			chunk := lo / labelChunk
			hi := min(uint64(r.Hi), (chunk+1)*labelChunk)
			if chunks[uint32(chunk)] == nil {
				chunks[uint32(chunk)] = roaring.New()
			}
			chunks[uint32(chunk)].AddRange(lo-chunk*labelChunk, hi-chunk*labelChunk)
			lo = hi
		}
	}
	for _, b := range chunks {
		b.RunOptimize()
	}
	return chunks
}

// decodeLabel decodes a label block.
func decodeLabel(payload []byte) (b *roaring.Bitmap, err error) {
	defer func() {
		if r := recover(); r != nil { // roaring trusts what it reads
			b, err = nil, fmt.Errorf("not a roaring bitmap: %v", r)
		}
	}()
	b = roaring.New()
	n, err := b.ReadFrom(bytes.NewReader(payload))
	if err != nil {
		return nil, fmt.Errorf("not a roaring bitmap: %w", err)
	}
	if int(n) != len(payload) {
		return nil, errTrailing
	}
	if err := b.Validate(); err != nil {
		return nil, fmt.Errorf("not a roaring bitmap: %w", err)
	}
	if !b.IsEmpty() && b.Maximum() >= labelChunk {
		return nil, fmt.Errorf("vertex %d in a chunk of %d", b.Maximum(), labelChunk)
	}
	return b, nil
}
