//go:build !amd64 || noasm

package sets

func detectSIMD() simdLevel { return simdNone }

func andCountLong(a, b []uint64) int { return andCountTwin(a, b) }

func andIntoLong(dst, a, b []uint64) int { return andIntoTwin(dst, a, b) }

func blockInto[T ~uint32](dst, a, b []T) int { return mergeInto(dst, a, b) }

func blockCount[T ~uint32](a, b []T) int { return mergeCount(a, b) }

func gallopInto[T ~uint32](dst, a, b []T) int { return gallopIntoTwin(dst, a, b) }

func gallopCount[T ~uint32](a, b []T) int { return gallopCountTwin(a, b) }

func filterMarkedLong[T ~uint32](dst, list []T, bitmap []uint64, base T) int {
	return filterMarkedTwin(dst, list, bitmap, base)
}

func countMarkedLong[T ~uint32](list []T, bitmap []uint64, base T) int {
	return countMarkedTwin(list, bitmap, base)
}

func placesMarkedLong(dst, list []uint32, bitmap []uint64) int {
	return placesMarkedTwin(dst, list, bitmap)
}
