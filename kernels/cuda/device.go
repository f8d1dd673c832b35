//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"

	"gorgonia.org/cu"

	"github.com/motifql/motif/kernels/cuda/shim"
)

// Device is one GPU. It is safe for concurrent use: requests run one after the other, on a thread of the operating system that holds
// the device's context.
type Device struct {
	info       Info
	sharedMost int // bytes of shared memory that a block may be allowed
	functions  map[string]*function
	work       chan func()
	closed     chan struct{}
	close      sync.Once
	memory     memory
	limits
	active       Active
	context      cu.CUContext
	stop         stopper
	staging      staging
	loans        loans
	times        times
	last         string // the kernel launched last
	launched     int    // kernels since somebody waited
	ready        bool   // it has started
	starts       int    // how often: a start loses what lay on the device before
	orientations int    // that were made
	broken       error  // a failure that the context does not survive: the next request makes a new one
}

// List returns the devices that start. The error says why others do not, or why the list is empty.
func List() ([]Info, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	list, errs := make([]Info, n), make([]error, n)
	var all workgroup.Group
	for i := range n {
		all.Go(func() { // it takes a while to start one
			list[i].Ordinal = i
			var d *Device
			if d, errs[i] = Open(i); errs[i] != nil {
				errs[i] = fmt.Errorf("cuda:%d does not start: %w", i, errs[i])
				return
			}
			list[i] = d.Info()
			d.Close()
		})
	}
	all.Wait()
	return slices.DeleteFunc(list, func(i Info) bool { return errs[i.Ordinal] != nil }), errors.Join(errs...)
}

// Count returns how many devices there are. The error says why there are none.
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

// Open starts the device with a number. It should be closed.
func Open(ordinal int) (*Device, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= n {
		return nil, fmt.Errorf("there is no device cuda:%d (there are %d, from cuda:0 on)", ordinal, n)
	}
	d := &Device{limits: defaultLimits(), work: make(chan func()), closed: make(chan struct{})}
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
	id := lastThread.Add(1)
	shim.SetThread(id)
	threads.Store(id, d)
	defer threads.Delete(id)
	dev, err := cu.GetDevice(ordinal)
	if err != nil {
		started <- failed("cuDeviceGet", err)
		return
	}
	if err := d.start(ordinal, dev); err != nil {
		started <- err
		return
	}
	started <- nil
	for f := range d.work {
		if d.broken != nil {
			d.restart(ordinal, dev)
		}
		f()
	}
	d.release(dev)
	close(d.closed)
}

// lastThread numbers the threads of devices.
var lastThread atomic.Int64

// start makes the device's context and all that the device needs in it. If it fails, it leaves nothing behind.
func (d *Device) start(ordinal int, dev cu.Device) (err error) {
	ctx, err := dev.RetainPrimaryCtx()
	if err != nil {
		return failed("cuDevicePrimaryCtxRetain", err)
	}
	defer func() {
		if err != nil {
			d.release(dev)
		}
	}()
	d.context, d.functions = ctx, make(map[string]*function)
	if err := cu.SetCurrentContext(ctx); err != nil {
		return failed("cuCtxSetCurrent", err)
	}
	if err := d.describe(ordinal, dev); err != nil {
		return err
	}
	if err := d.staging.prepare(); err != nil {
		return err
	}
	if err := d.stop.prepare(&d.memory); err != nil {
		return err
	}
	d.ready = true
	d.starts++
	return nil
}

// release frees all that the device holds. It ignores errors: the context frees the rest when it ends.
func (d *Device) release(dev cu.Device) {
	d.ready = false
	if d.context == (cu.CUContext{}) {
		return
	}
	d.memory.freeAll()
	d.times.release()
	d.loans.release()
	d.staging.release()
	d.stop.release(&d.memory)
	_ = dev.ReleasePrimaryCtx()
	d.context, d.last, d.launched = cu.CUContext{}, "", 0
	d.memory.used, d.memory.failure = 0, nil
}

// restart makes a new context after a kernel has spoilt the old one by its failure. If that fails, too, the next request tries again:
// by then other holders of the context in this process must have noticed the failure and let it go.
func (d *Device) restart(ordinal int, dev cu.Device) {
	d.release(dev)
	if err := d.start(ordinal, dev); err != nil {
		d.broken = fmt.Errorf("it does not start again after a failure: %w", err)
		return
	}
	d.broken = nil
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
func (d *Device) do(f func() error) error { return d.doWithin(context.Background(), f) }

// doWithin is do, unless ctx ends while others are at work on the device.
func (d *Device) doWithin(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	var panicked *workgroup.Panic
	work := func() {
		if d.broken != nil {
			done <- fmt.Errorf("%s: %w", d.Name(), d.broken)
			return
		}
		var err error
		if panicked = workgroup.Catch(func() { err = f() }); panicked != nil {
			d.broken = panicked // what it has left on the device goes with the context
		}
		done <- err
	}
	select {
	case d.work <- work:
		err := <-done
		if panicked != nil {
			panic(panicked)
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
