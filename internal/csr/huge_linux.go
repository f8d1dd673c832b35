package csr

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a huge page on the machines that have one.
const hugePage = 2 << 20

// huge asks the system for huge pages behind a new array, before anybody writes to it. Then 2 MiB cost one page fault, not 512. The system may
// decline; the array is the same.
func huge[T any](list []T) []T {
	bytes := uintptr(len(list)) * unsafe.Sizeof(*new(T))
	at := uintptr(unsafe.Pointer(unsafe.SliceData(list)))
	skip := -at % hugePage
	if bytes < skip+hugePage {
		return list
	}
	whole := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(list)), skip)), (bytes-skip)/hugePage*hugePage)
	_ = syscall.Madvise(whole, syscall.MADV_HUGEPAGE)
	return list
}
