//go:build cuda && cgo && linux

package gpu

import (
	"context"

	"github.com/motifql/motif/kernels/cuda"
)

// Run measures the device with a number, and how all of them share where there are more.
func Run(ctx context.Context, ordinal int, o Options) error {
	d, err := cuda.Open(ordinal)
	if err != nil {
		return err
	}
	defer d.Close()
	n, err := cuda.Count()
	if err != nil {
		return err
	}
	devices := []*cuda.Device{d}
	for i := range n {
		if i == ordinal || !o.wants("deal") {
			continue
		}
		other, err := cuda.Open(i)
		if err != nil {
			return err
		}
		defer other.Close()
		devices = append(devices, other)
	}
	return run(ctx, d, together{cuda.NewGroup(devices...), len(devices)}, o)
}
