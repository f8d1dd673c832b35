//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"gorgonia.org/cu"
)

// run does one request on the device. Where ctx ends meanwhile the kernels stop at their next look; a request for which the
// device is too small is declined.
func (d *Device) run(ctx context.Context, f func(t *task) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := d.doWithin(ctx, func() error {
		if err := d.resume(); err != nil {
			return err
		}
		halted := make(chan struct{})
		unwatch := context.AfterFunc(ctx, func() { d.halt(); close(halted) })
		defer func() {
			if !unwatch() {
				<-halted // or it would stop the next request
				d.halted = true
			}
		}()
		t := &task{d: d}
		err := f(t)
		t.end()
		if err == nil {
			err = d.memory.failure
		}
		d.memory.failure = nil
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, errNoRoom) {
		return fmt.Errorf("%w (%w)", ErrDeclined, err)
	}
	return err
}

// resume lets kernels run again after a halt: not before those that it was for have ended, and not later than this request can be
// halted, which does not wait for what is launched.
func (d *Device) resume() error {
	if !d.halted {
		return nil
	}
	if err := fill(d.stop, 1, 0); err != nil {
		return err
	}
	err := d.wait("clearing the word that stops kernels")
	d.halted = err != nil
	return err
}

// halt tells the kernels that run to end, from any thread.
func (d *Device) halt() {
	runtime.LockOSThread() // the driver's context is the thread's
	defer runtime.UnlockOSThread()
	if cu.SetCurrentContext(d.context) == nil {
		_ = cu.MemcpyHtoDAsync(d.stop.at, d.flag, 4, d.aside) // if it fails, the request takes longer
		_ = d.aside.Synchronize()
	}
}
