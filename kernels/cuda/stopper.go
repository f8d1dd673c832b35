//go:build cuda && cgo && linux

package cuda

import (
	"runtime"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/motifql/motif/kernels/cuda/shim"
)

// stopper ends kernels while they run: they look often at a word on the device (a word of the host's memory would be slow to read),
// and a stream that does not wait for them writes it.
type stopper struct {
	word   buffer         // kernels end early when it is not 0
	halted bool           // the word may not be 0: a request was stopped, or the device is new
	flag   unsafe.Pointer // pinned: the 1 that is copied to word
	aside  cu.Stream      // for that copy, beside whatever runs
}

// arg is the word as an argument of a kernel.
func (s *stopper) arg() uint64 { return s.word.arg() }

// prepare allocates the word, its source and the stream. The device's thread calls it.
func (s *stopper) prepare(m *memory) error {
	flag, rc := shim.AllocHost(4)
	if rc != 0 {
		return failed("cuMemHostAlloc", status(rc))
	}
	s.flag, s.halted = flag, true
	*(*uint32)(flag) = 1
	var err error
	if s.word, err = m.alloc(8); err != nil {
		return err
	}
	const nonBlocking = cu.StreamFlags(1)
	if s.aside, err = cu.MakeStream(nonBlocking); err != nil {
		return failed("cuStreamCreate", err)
	}
	return nil
}

func (s *stopper) release(m *memory) {
	m.free(s.word)
	if s.flag != nil {
		_ = cu.MemFreeHost(s.flag)
	}
	if s.aside != (cu.Stream{}) {
		_ = s.aside.Destroy()
	}
	*s = stopper{halted: s.halted}
}

// resume lets kernels run again after a halt. It waits for those that the halt was for, and this request cannot be halted before: a
// halt does not wait for launches.
func (s *stopper) resume(d *Device) error {
	if !s.halted {
		return nil
	}
	if err := fill(s.word, 1, 0); err != nil {
		return err
	}
	err := d.wait("clearing the word that stops kernels")
	s.halted = err != nil
	return err
}

// halt tells the kernels that run to end, from any thread.
func (s *stopper) halt(context cu.CUContext) {
	runtime.LockOSThread() // the driver's context is the thread's
	defer runtime.UnlockOSThread()
	if cu.SetCurrentContext(context) == nil {
		_ = cu.MemcpyHtoDAsync(s.word.at, s.flag, 4, s.aside) // if it fails, the request takes longer
		_ = s.aside.Synchronize()
	}
}
