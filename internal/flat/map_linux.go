//go:build linux && (amd64 || arm64) && !cuda

package flat

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported reports whether this build maps files. The other builds are those for systems and processors where this was not tried, and those
// that hand memory to the driver of a GPU: a fault in a library of C ends the process.
const Supported = true

// mapFile maps a file of some size into memory that the garbage collector manages: it takes memory of Go's heap and maps the file in its place.
// So slices of the mapping are ordinary slices, and the file stays mapped until nobody refers to any of them. The memory holds no
// pointers, so the collector never looks into it. It goes back to the heap as ordinary memory, by a finalizer.
func mapFile(f *os.File, size int64) ([]byte, error) {
	page := int64(os.Getpagesize())
	length := (size + page - 1) / page * page
	if err := fits(uint64(length + page)); err != nil {
		return nil, err
	}
	first := unwritten(int(length + page))
	shift := -uintptr(first) & uintptr(page-1)
	at := unsafe.Add(first, shift)
	if err := mmap(at, uintptr(length), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED, int(f.Fd())); err != nil {
		unmap(at, uintptr(length), (*byte)(first)) // the system may have taken the memory away all the same
		return nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	lo := uintptr(at)
	ranges.Lock()
	ranges.list = append(ranges.list, addresses{lo, lo + uintptr(length), f.Name()})
	ranges.Unlock()
	runtime.SetFinalizer((*byte)(first), func(first *byte) { unmap(unsafe.Add(unsafe.Pointer(first), shift), uintptr(length), first) })
	return unsafe.Slice((*byte)(at), size), nil
}

// unwritten allocates n bytes that the heap does not clear. It clears a slice unless all its memory is new, which would take as much memory and time as
// if the file were read. A strings.Builder's memory it leaves alone.
func unwritten(n int) unsafe.Pointer {
	var room strings.Builder
	room.Grow(n)
	room.WriteByte(0)
	return unsafe.Pointer(unsafe.StringData(room.String()))
}

// fits returns an error if the system might refuse memory of a size, though none of it would be used: the heap would end the program then.
func fits(size uint64) error {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return os.NewSyscallError("sysinfo", err)
	}
	if total := uint64(info.Totalram) * uint64(info.Unit); size > total {
		return fmt.Errorf("the flat file has %d MiB, this machine has %d MiB of memory", size>>20, total>>20)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err == nil && size > limit.Cur/2 {
		return fmt.Errorf("the flat file has %d MiB, and the process may have addresses for %d MiB", size>>20, limit.Cur>>20)
	}
	if mode, err := os.ReadFile("/proc/sys/vm/overcommit_memory"); err == nil && strings.TrimSpace(string(mode)) == "2" {
		return errors.New("the system promises no memory that it does not have (vm.overcommit_memory is 2)")
	}
	return nil
}

// mmap is the call of the system. unix.MmapPtr would make a pointer of the address that it returns, which the race detector's build refuses inside
// memory of the heap.
func mmap(at unsafe.Pointer, length uintptr, prot, flags, fd int) error {
	if _, _, err := unix.Syscall6(unix.SYS_MMAP, uintptr(at), length, uintptr(prot), uintptr(flags), uintptr(fd), 0); err != 0 {
		return err
	}
	return nil
}

// unmap puts memory in the place of a file.
func unmap(at unsafe.Pointer, length uintptr, first *byte) {
	err := mmap(at, length, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED, -1)
	ranges.Lock()
	defer ranges.Unlock()
	if err != nil {
		stuck = append(stuck, first) // the heap must not use it: it cannot be written to
		return
	}
	lo := uintptr(at)
	ranges.list = slices.DeleteFunc(ranges.list, func(r addresses) bool { return r.lo == lo })
}

// stuck is the memory of files that could not be unmapped.
var stuck []*byte
