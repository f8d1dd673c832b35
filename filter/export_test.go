package filter

import "github.com/motifql/motif/internal/csr"

// FewBuckets makes different labels share the buckets of signatures laid out from now on.
func FewBuckets() (restore func()) {
	words, least, most := maxWords, minWidth, maxWidth
	maxWords, minWidth, maxWidth = [partKinds]int{1, 1, 1}, [partKinds]int{30, 30, 30}, [partKinds]int{30, 30, 30}
	return func() { maxWords, minWidth, maxWidth = words, least, most }
}

// LongRows decomposes patterns of all sizes as if they were large.
func LongRows() (restore func()) {
	maxDepthRows = 0
	return func() { maxDepthRows = 64 }
}

// GatherOften gathers neighbours also where that pays little.
func GatherOften() (restore func()) {
	gatherRatio = 1
	return func() { gatherRatio = 32 }
}

// AlwaysMark makes bitmaps of all sets.
func AlwaysMark() (restore func()) {
	sparseRatio = 1 << 60
	return func() { sparseRatio = 64 }
}

// TrussesCost is how many list elements a decomposition of s is taken to cost.
func TrussesCost(s *csr.Snapshot) uint64 { return trussesCost(s, nil) }
