//go:build cuda && cgo && linux

package shim

/*
#cgo CFLAGS: -I${SRCDIR}/include
#cgo LDFLAGS: -L${SRCDIR}/stub -ldl
#include <stdlib.h>
#include <cuda.h>
const char *motif_cuda_reason(void);

static __thread long long thread_number;
static void set_thread(long long n) { thread_number = n; }
static long long get_thread(void) { return thread_number; }

#cgo noescape launch
#cgo nocallback launch
static int launch(CUfunction f, unsigned grid, unsigned block, unsigned shared, unsigned long long *args, int n, int together)
{
	void *at[64];
	if (n > 64)
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < n; i++)
		at[i] = &args[i];
	if (together)
		return cuLaunchCooperativeKernel(f, grid, 1, 1, block, 1, 1, shared, 0, at);
	return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, 0, at, 0);
}
*/
import "C"

import "unsafe"

// Reason says why there is no driver; "" means there is one.
func Reason() string { return C.GoString(C.motif_cuda_reason()) }

// SetSharedLimit allows the function, a CUfunction, up to so many bytes of dynamic shared memory a block: beyond 48 KiB it has
// to be asked for. It returns the driver's status. The bindings lack it.
func SetSharedLimit(function unsafe.Pointer, bytes int) int {
	return int(C.cuFuncSetAttribute(C.CUfunction(function), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes)))
}

// AllocHost returns pinned memory of the host, which copies run from and to at full speed and beside kernels, and the driver's
// status. The bindings lack it, too.
func AllocHost(bytes int) (unsafe.Pointer, int) {
	var p unsafe.Pointer
	rc := C.cuMemHostAlloc(&p, C.size_t(bytes), 0)
	return p, int(rc)
}

// RegisterHost pins memory of the host, as AllocHost's is, and UnregisterHost ends that. They return the driver's status.
func RegisterHost(p unsafe.Pointer, bytes int) int {
	return int(C.cuMemHostRegister_v2(p, C.size_t(bytes), 0))
}

// UnregisterHost ends RegisterHost.
func UnregisterHost(p unsafe.Pointer) int { return int(C.cuMemHostUnregister(p)) }

// Launch runs a kernel, a CUfunction, on the main stream: so many blocks of so many threads, with so many bytes of dynamic shared
// memory. Each argument is in a word of its own, of which the driver reads what the parameter takes, before Launch returns. It
// returns the driver's status. The bindings' own way allocates at every launch.
func Launch(function unsafe.Pointer, grid, block, shared int, args []uint64) int {
	return int(C.launch(C.CUfunction(function), C.uint(grid), C.uint(block), C.uint(shared), (*C.ulonglong)(unsafe.SliceData(args)), C.int(len(args)), 0))
}

// LaunchTogether is Launch of a kernel whose blocks wait for each other: the driver runs all at once, or returns an error where they do not fit.
func LaunchTogether(function unsafe.Pointer, grid, block, shared int, args []uint64) int {
	return int(C.launch(C.CUfunction(function), C.uint(grid), C.uint(block), C.uint(shared), (*C.ulonglong)(unsafe.SliceData(args)), C.int(len(args)), 1))
}

// BlocksAtOnce is how many blocks of so many threads a multiprocessor runs at once, and the driver's status.
func BlocksAtOnce(function unsafe.Pointer, block int) (n, rc int) {
	var blocks C.int
	rc = int(C.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, C.CUfunction(function), C.int(block), 0))
	return int(blocks), rc
}

// SetThread gives the thread that runs a number, and Thread returns it, 0 without one. They are for goroutines that are locked to
// their thread.
func SetThread(n int64) { C.set_thread(C.longlong(n)) }

// Thread returns the number that SetThread gave.
func Thread() int64 { return int64(C.get_thread()) }
