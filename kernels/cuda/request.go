//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
)

// run does one request on the device. If ctx ends meanwhile, the kernels stop at their next look. It declines a request that the
// device has too little memory for.
func (d *Device) run(ctx context.Context, f func(t *task) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := d.doWithin(ctx, func() error {
		if err := d.stop.resume(d); err != nil {
			return err
		}
		halted := make(chan struct{})
		unwatch := context.AfterFunc(ctx, func() { d.stop.halt(d.context); close(halted) })
		defer func() {
			if !unwatch() {
				<-halted // or it would stop the next request
				d.stop.halted = true
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
