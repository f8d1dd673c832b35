package storage

import (
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/roaring"
)

// labelChunk is how many vertices one label block covers. Its payload is a roaring bitmap of the vertices that carry the
// label, counted from the first of the chunk. The class table says the same. The bitmaps serve readers that want one label,
// and Check compares the two.
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

// allLabelRanges is labelRanges of the first n labels, in one pass over the classes.
func allLabelRanges(classes []csr.Class, n int) [][]csr.Range {
	all := make([][]csr.Range, n)
	for i := range classes {
		for _, l := range classes[i].Labels {
			if int(l) >= n {
				continue
			}
			if k := len(all[l]); k > 0 && all[l][k-1].Hi == classes[i].Lo {
				all[l][k-1].Hi = classes[i].Hi
			} else {
				all[l] = append(all[l], classes[i].Range)
			}
		}
	}
	return all
}

// labelSets cuts ranges into chunks. A chunk without vertices is missing.
func labelSets(ranges []csr.Range) map[uint32][]roaring.Range {
	chunks := make(map[uint32][]roaring.Range)
	for _, r := range ranges {
		for lo := uint64(r.Lo); lo < uint64(r.Hi); {
			chunk := lo / labelChunk
			first := chunk * labelChunk
			hi := min(uint64(r.Hi), first+labelChunk)
			chunks[uint32(chunk)] = append(chunks[uint32(chunk)], roaring.Range{Lo: uint32(lo - first), Hi: uint32(hi - first)})
			lo = hi
		}
	}
	return chunks
}

// decodeLabel decodes a label block.
func decodeLabel(payload []byte) ([]roaring.Range, error) {
	set, err := roaring.Decode(payload, labelChunk)
	if err != nil {
		return nil, fmt.Errorf("not a roaring bitmap: %w", err)
	}
	return set, nil
}
