//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/motifql/motif/kernels/cuda/shim"
)

// withoutAsking is how many bytes of shared memory a launch may give a block without asking for more: 48 KB, less what the kernel itself declares.
const withoutAsking = 32 << 10

// launch runs a kernel over all its blocks, later than what was launched before. Every argument is a device address or a
// number; launch fails where it does not fit the parameter in its place.
func (d *Device) launch(kernel string, grid, block, shared int, args ...uint64) error {
	return launchBy(d, "cuLaunchKernel", shim.Launch, kernel, grid, block, shared, args)
}

// launchTogether is launch of a kernel whose blocks wait for each other, of as many blocks as run at once.
func launchTogether(d *Device, kernel string, block int, args ...uint64) error {
	f, err := d.function(kernel)
	if err != nil {
		return err
	}
	if f.atOnce == 0 {
		n, rc := shim.BlocksAtOnce(f.handle(), block)
		if rc != 0 {
			return d.failed("cuOccupancyMaxActiveBlocksPerMultiprocessor of "+kernel, status(rc))
		}
		f.atOnce = n * d.info.Multiprocessor
	}
	return launchBy(d, "cuLaunchCooperativeKernel", shim.LaunchTogether, kernel, f.atOnce, block, 0, args)
}

// launchBy launches by the function of the driver that call names.
func launchBy(d *Device, call string, by func(function unsafe.Pointer, grid, block, shared int, args []uint64) int, kernel string, grid, block, shared int, args []uint64) error {
	f, err := d.function(kernel)
	if err != nil {
		return err
	}
	if len(args) != len(f.params) {
		return fmt.Errorf("kernel %s takes %d arguments, not %d", kernel, len(f.params), len(args))
	}
	for i, bytes := range f.params {
		if bytes == 4 && args[i] > 1<<32-1 {
			return fmt.Errorf("argument %d of kernel %s does not fit 32 bits", i, kernel)
		}
	}
	if shared > f.shared {
		if rc := shim.SetSharedLimit(f.handle(), shared); rc != 0 {
			return failed(fmt.Sprintf("cuFuncSetAttribute for %d bytes of shared memory of kernel %s", shared, kernel), status(rc))
		}
		f.shared = shared
	}
	end, err := d.times.begin(d, kernel)
	if err != nil {
		return err
	}
	if rc := by(f.handle(), max(1, grid), block, shared, args); rc != 0 {
		return d.failed(call+" of "+kernel, status(rc))
	}
	d.last, d.launched = kernel, d.launched+1
	return end.record()
}

// grid is how many blocks a launch over so many items takes: enough for all of them, and no more than keep the device busy.
func (d *Device) grid(items, perBlock int) int {
	return max(1, min((items+perBlock-1)/perBlock, 8*d.info.Multiprocessor))
}

// handle is the driver's handle of the function: the bindings hold it as their struct's only field.
func (f *function) handle() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&f.Function)) }

// wait returns when all that was launched is done, with the error it ended in.
func (d *Device) wait(what string) error {
	if err := cu.Synchronize(); err != nil {
		return d.failed("cuCtxSynchronize after "+what, err)
	}
	d.launched = 0
	return nil
}

// settle is wait for a copy, if anything was launched.
func settle(d *Device) error {
	if d.launched == 0 {
		return nil
	}
	return d.wait("a launch before a copy")
}

// status is the error of a number that the driver returned.
func status(rc int) error { return numbered(cu.Success, rc) }

// numbered makes a value of a type that the bindings do not export, but its values.
func numbered[R interface {
	~int
	error
}](zero R, rc int) error {
	return zero + R(rc)
}

// failed names the driver's function that returned an error and, on a device's thread, the kernels that it may be of.
func failed(call string, err error) error {
	if d, elsewhere := here(); elsewhere == nil {
		return d.failed(call, err)
	}
	return fmt.Errorf("%s: %w", call, err)
}

// failed names also the device, and the kernels that the error may be of: kernels fail after their launch, at what is called next.
func (d *Device) failed(call string, err error) error {
	if isFatal(err) {
		d.broken = err
	}
	if d.ready {
		call = d.Name() + ": " + call
	}
	switch d.launched {
	case 0:
		return fmt.Errorf("%s: %w", call, err)
	case 1:
		return fmt.Errorf("%s, after kernel %s: %w", call, d.last, err)
	}
	return fmt.Errorf("%s, after %d kernels, %s last: %w", call, d.launched, d.last, err)
}

// isFatal tells whether an error leaves a context that fails every call from then on.
func isFatal(err error) bool {
	for _, fatal := range []error{cu.IllegalAddress, cu.LaunchTimeout, cu.Assert, cu.HardwareStackError, cu.IllegalInstruction, cu.MisalignedAddress,
		cu.InvalidAddressSpace, cu.InvalidPc, cu.LaunchFailed, cu.EccUncorrectable, cu.NvlinkUncorrectable, cu.ContextIsDestroyed, cu.Unknown} {
		if errors.Is(err, fatal) {
			return true
		}
	}
	return false
}

// times are those of kernels, by events, while somebody wants them.
type times struct {
	on    bool
	spans []span // launches whose times are not read yet
	free  []cu.Event
	sums  map[string]*KernelTime
}

// span is one launch, between two events.
type span struct {
	kernel   string
	from, to cu.Event
	d        *Device
}

// spansAtMost is how many launches wait for their times to be read.
const spansAtMost = 256

// begin notes that a kernel starts; record of what it returns, that it ends.
func (t *times) begin(d *Device, kernel string) (end span, err error) {
	if !t.on {
		return span{}, nil
	}
	if len(t.spans) >= spansAtMost {
		if err := t.read(d); err != nil {
			return span{}, err
		}
	}
	end = span{kernel: kernel, d: d}
	for _, e := range []*cu.Event{&end.from, &end.to} {
		if n := len(t.free); n > 0 {
			*e, t.free = t.free[n-1], t.free[:n-1]
		} else if *e, err = cu.MakeEvent(cu.DefaultEvent); err != nil {
			return span{}, failed("cuEventCreate", err)
		}
	}
	if err := end.from.Record(cu.Stream{}); err != nil {
		return span{}, d.failed("cuEventRecord", err)
	}
	return end, nil
}

func (s span) record() error {
	if s.d == nil {
		return nil
	}
	if err := s.to.Record(cu.Stream{}); err != nil {
		return s.d.failed("cuEventRecord", err)
	}
	s.d.times.spans = append(s.d.times.spans, s)
	return nil
}

// read adds up the launches so far, for which it waits.
func (t *times) read(d *Device) error {
	if err := d.wait("timing kernels"); err != nil {
		return err
	}
	for _, s := range t.spans {
		ms, err := s.from.Elapsed(s.to)
		if err != nil {
			return failed("cuEventElapsedTime", err)
		}
		k := t.sums[s.kernel]
		if k == nil {
			k = &KernelTime{Kernel: s.kernel}
			t.sums[s.kernel] = k
		}
		k.Launches++
		k.Time += time.Duration(ms * float64(time.Millisecond))
		t.free = append(t.free, s.from, s.to)
	}
	t.spans = t.spans[:0]
	return nil
}

func (t *times) release() {
	for _, s := range t.spans {
		t.free = append(t.free, s.from, s.to)
	}
	for i := range t.free {
		_ = cu.DestroyEvent(&t.free[i]) // the device is closed, or has failed
	}
	*t = times{}
}

// TimeKernels begins to measure how long kernels take on the device, from nothing, or ends that. Two events a launch are what
// it costs.
func (d *Device) TimeKernels(on bool) error {
	return d.do(func() error {
		if err := d.times.read(d); err != nil {
			return err
		}
		d.times.on, d.times.sums = on, make(map[string]*KernelTime)
		return nil
	})
}

// KernelTimes returns what each kernel has taken since TimeKernels, the most first.
func (d *Device) KernelTimes() (list []KernelTime, err error) {
	err = d.do(func() error {
		if err := d.times.read(d); err != nil {
			return err
		}
		for _, k := range d.times.sums {
			list = append(list, *k)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b KernelTime) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Kernel, b.Kernel)) })
	return list, err
}
