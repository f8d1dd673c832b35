package hugepages

import (
	"syscall"
	"unsafe"
)

// size is the size of a huge page on the machines that have one.
const size = 2 << 20

// advise asks the system for huge pages behind a new array, before anybody writes to it. The system may decline; the array is the same.
func advise[T any](list []T) {
	at := unsafe.Pointer(unsafe.SliceData(list))
	bytes, skip := uintptr(len(list))*unsafe.Sizeof(*new(T)), -uintptr(at)%size
	if bytes < skip+size {
		return
	}
	_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Add(at, skip)), (bytes-skip)/size*size), syscall.MADV_HUGEPAGE)
}
