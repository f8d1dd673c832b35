package dijkstra

import (
	"math"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/network"
)

// buckets keep entries that are too far away for the heap: a bucket for each range of distances. So the heap stays small, and entries that a
// shorter way makes void mostly never enter it. The largest weight spans all buckets, which serve in turn.
type buckets struct {
	now   uint64  // number of the bucket whose entries are in the heap
	scale float64 // distance times scale is the number of a bucket; 0: all entries are in the heap
	list  []waiting
	first [bucketCount]uint32 // by bucket: an entry of list; noEntry: none
	used  [bucketCount / 64]uint64
}

// waiting is an entry and the next one of its bucket.
type waiting struct {
	dist   float64
	vertex csr.VertexID
	after  uint32
}

const (
	bucketCount = 1024
	noEntry     = math.MaxUint32
)

func (b *buckets) start(rows *network.Rows) {
	for i := range b.first {
		b.first[i] = noEntry
	}
	largest := rows.Largest
	if rows.Weights == nil {
		largest = 1
	}
	if m := len(rows.Targets); largest > 0 && m < noEntry {
		b.scale = (bucketCount - 4) / largest // rounding may move an entry by one
	}
	if math.IsInf(b.scale, 1) {
		b.scale = 0
	}
}

// of returns the number of the bucket for a distance. It never falls as the distance rises.
func (b *buckets) of(dist float64) uint64 { return uint64(int64(dist * b.scale)) }

func (b *buckets) add(number uint64, e entry) {
	i := number % bucketCount
	b.list = append(b.list, waiting{e.dist, e.vertex, b.first[i]})
	b.first[i] = uint32(len(b.list) - 1)
	b.used[i>>6] |= 1 << (i & 63)
}

// next empties the next bucket with entries, and returns the first of these.
func (b *buckets) next() (first uint32, ok bool) {
	at := b.now % bucketCount
	word := b.used[at>>6] >> (at & 63) << (at & 63) // the bucket now is empty
	for range len(b.used) + 1 {
		if word != 0 {
			i := at&^63 | uint64(bits.TrailingZeros64(word))
			b.now += (i - b.now) % bucketCount
			first, b.first[i] = b.first[i], noEntry
			b.used[i>>6] &^= 1 << (i & 63)
			return first, true
		}
		at = (at&^63 + 64) % bucketCount
		word = b.used[at>>6]
	}
	return 0, false
}

// clear forgets all entries.
func (b *buckets) clear() {
	b.now, b.list = 0, b.list[:0]
	for w, word := range b.used {
		for ; word != 0; word &= word - 1 {
			b.first[w<<6|bits.TrailingZeros64(word)] = noEntry
		}
		b.used[w] = 0
	}
}
