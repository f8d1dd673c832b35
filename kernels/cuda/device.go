//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/motifql/motif/kernels/cuda/shim"
)

// Device is one GPU. It is safe for concurrent use: what is to run on it runs one after the other, on a thread of the operating
// system that holds the device's context.
type Device struct {
	info       Info
	sharedMost int // bytes of shared memory that a block may be allowed
	functions  map[string]function
	work       chan func()
	closed     chan struct{}
	close      sync.Once
	memory     memory
	hubDegree  uint64 // of vertices whose edges the whole grid shares
	context    cu.CUContext
	stop       buffer         // a word: kernels end early when it is not 0
	flag       unsafe.Pointer // pinned: two words, 0 and 1, for copies to stop
	aside      cu.Stream      // for those copies, beside whatever runs
	bfs        bfsLimits
}

// hubDegree is how many edges make it worth that all blocks wait for a vertex.
const hubDegree = 4096

// List returns the devices there are, or why there is none.
func List() ([]Info, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	list, errs := make([]Info, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { // it takes a while to start one
			var d *Device
			if d, errs[i] = Open(i); errs[i] == nil {
				list[i] = d.Info()
				d.Close()
			}
		})
	}
	all.Wait()
	return list, errors.Join(errs...)
}

// Count returns how many devices there are, or why there is none.
func Count() (int, error) {
	if why := shim.Reason(); why != "" {
		return 0, errors.New(why)
	}
	n, err := cu.NumDevices()
	if err != nil {
		return 0, failed("cuDeviceGetCount", err)
	}
	if n == 0 {
		return 0, errors.New("the CUDA driver knows no device")
	}
	return n, nil
}

// failed names the driver's function that returned an error.
func failed(call string, err error) error { return fmt.Errorf("%s: %w", call, err) }

// Open starts the device with a number. It should be closed.
func Open(ordinal int) (*Device, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= n {
		return nil, fmt.Errorf("there is no device cuda:%d (there are %d, from cuda:0 on)", ordinal, n)
	}
	d := &Device{hubDegree: hubDegree, bfs: bfsLimits{rowDegree, privateRoom}, functions: make(map[string]function), work: make(chan func()), closed: make(chan struct{})}
	d.memory.device = d
	started := make(chan error)
	go d.serve(ordinal, started)
	if err := <-started; err != nil {
		return nil, err
	}
	return d, nil
}

// serve is the device's thread.
func (d *Device) serve(ordinal int, started chan<- error) {
	runtime.LockOSThread() // not unlocked: the thread, which has the context, ends with the goroutine
	dev, err := d.start(ordinal)
	started <- err
	if err != nil {
		return
	}
	for f := range d.work {
		f()
	}
	d.memory.freeAll()
	d.memory.free(d.stop)
	_ = cu.MemFreeHost(d.flag)
	_ = d.aside.Destroy()
	_ = dev.ReleasePrimaryCtx()
	close(d.closed)
}

func (d *Device) start(ordinal int) (cu.Device, error) {
	dev, err := cu.GetDevice(ordinal)
	if err != nil {
		return dev, failed("cuDeviceGet", err)
	}
	ctx, err := dev.RetainPrimaryCtx()
	if err != nil {
		return dev, failed("cuDevicePrimaryCtxRetain", err)
	}
	if err := cu.SetCurrentContext(ctx); err != nil {
		return dev, failed("cuCtxSetCurrent", err)
	}
	if err := d.describe(ordinal, dev); err != nil {
		return dev, err
	}
	d.context = ctx
	return dev, d.prepareStop()
}

// prepareStop makes what it takes to stop a kernel that runs: a word on the device, which kernels look at often (a word of the
// host's memory would be slow to read), and a stream that does not wait for them.
func (d *Device) prepareStop() error {
	flag, rc := shim.AllocHost(8)
	if rc != 0 {
		return fmt.Errorf("cuMemHostAlloc: error %d", rc)
	}
	d.flag = flag
	*(*[2]uint32)(flag) = [2]uint32{0, 1}
	var err error
	if d.stop, err = d.memory.alloc(8); err != nil {
		return err
	}
	const nonBlocking = cu.StreamFlags(1)
	if d.aside, err = cu.MakeStream(nonBlocking); err != nil {
		return failed("cuStreamCreate", err)
	}
	return nil
}

// optIn is CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, for which the bindings have no name.
const optIn = cu.DeviceAttribute(97)

func (d *Device) describe(ordinal int, dev cu.Device) error {
	name, err := dev.Name()
	if err != nil {
		return failed("cuDeviceGetName", err)
	}
	values := make([]int, 4)
	for i, a := range []cu.DeviceAttribute{cu.MultiprocessorCount, cu.ComputeCapabilityMajor, cu.ComputeCapabilityMinor, optIn} {
		if values[i], err = dev.Attribute(a); err != nil {
			return failed("cuDeviceGetAttribute", err)
		}
	}
	free, total, err := cu.MemInfo()
	if err != nil {
		return failed("cuMemGetInfo", err)
	}
	version := cu.Version()
	d.info = Info{Ordinal: ordinal, Name: strings.TrimRight(name, "\x00"), Memory: total, Free: free, Multiprocessor: values[0],
		Capability: fmt.Sprintf("%d.%d", values[1], values[2]), Driver: fmt.Sprintf("%d.%d", version/1000, version%1000/10)}
	d.sharedMost = values[3]
	d.memory.reserve = free / 8
	d.memory.limit = free - d.memory.reserve
	return nil
}

// Info describes the device.
func (d *Device) Info() Info { return d.info }

// Name is the device as EXPLAIN calls it.
func (d *Device) Name() string { return fmt.Sprintf("cuda:%d", d.info.Ordinal) }

// Close frees what is on the device. It must not be in use.
func (d *Device) Close() {
	d.close.Do(func() {
		close(d.work)
		<-d.closed
	})
}

// do runs f on the device's thread.
func (d *Device) do(f func() error) error {
	done := make(chan error, 1)
	d.work <- func() { done <- f() }
	return <-done
}

// launch runs a kernel over all its blocks, later than what was launched before. Every argument is a device address or a
// number; launch fails where it does not fit the parameter in its place.
func (d *Device) launch(kernel string, grid, block, shared int, args ...uint64) error {
	f, err := d.function(kernel)
	if err != nil {
		return err
	}
	if len(args) != len(f.params) {
		return fmt.Errorf("kernel %s takes %d arguments, not %d", kernel, len(f.params), len(args))
	}
	pointers := make([]unsafe.Pointer, len(args))
	for i := range args {
		if f.params[i] == 4 && args[i] > 1<<32-1 {
			return fmt.Errorf("argument %d of kernel %s does not fit 32 bits", i, kernel)
		}
		pointers[i] = unsafe.Pointer(&args[i])
	}
	if shared > 48<<10 {
		if rc := shim.SetSharedLimit(f.handle(), shared); rc != 0 {
			return fmt.Errorf("cuFuncSetAttribute for %d bytes of shared memory of kernel %s: error %d", shared, kernel, rc)
		}
	}
	if err := f.Launch(max(1, grid), 1, 1, block, 1, 1, shared, cu.Stream{}, pointers); err != nil {
		return failed("cuLaunchKernel of "+kernel, err)
	}
	return nil
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
		return failed("cuCtxSynchronize after "+what, err)
	}
	return nil
}
