//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"time"

	"gorgonia.org/cu"
)

// CopyBandwidth measures how many bytes a second the device moves when it copies its own memory: those read and those written.
// It is what kernels that are bound by memory are measured against.
func (d *Device) CopyBandwidth() (bytesPerSecond float64, err error) {
	const copies = 10
	size := min(1<<30, d.memory.limit/16)
	err = d.run(context.Background(), func(t *task) error {
		from, err := t.filled(size/4, 1)
		if err != nil {
			return err
		}
		to, err := t.filled(size/4, 2)
		if err != nil {
			return err
		}
		best := time.Duration(0)
		for range 3 {
			if err := d.wait("filling"); err != nil {
				return err
			}
			began := time.Now()
			for range copies {
				if err := cu.MemcpyDtoD(to.at, from.at, size); err != nil {
					return failed("cuMemcpyDtoD", err)
				}
			}
			if err := d.wait("copying"); err != nil {
				return err
			}
			if took := time.Since(began); best == 0 || took < best {
				best = took
			}
		}
		bytesPerSecond = float64(2*copies*size) / best.Seconds()
		return nil
	})
	return bytesPerSecond, err
}

// Evict frees the graphs that stay on the device.
func (d *Device) Evict() error {
	return d.do(func() error {
		for d.memory.evict() {
		}
		return nil
	})
}
