//go:build cuda && cgo && linux

// Package shim defines the functions of the CUDA driver that gorgonia.org/cu refers to, and loads the driver when the program
// runs (shim.c). It must be linked into every program that imports the bindings.
package shim

/*
#cgo CFLAGS: -I${SRCDIR}/include
#cgo LDFLAGS: -L${SRCDIR}/stub -ldl
#include <stdlib.h>
#include <cuda.h>
const char *motif_cuda_reason(void);
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
