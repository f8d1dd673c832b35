//go:build cuda && cgo && linux

package gpubench

import (
	"context"

	"github.com/motifql/motif/kernels/cuda"
)

// Run measures the device with a number.
func Run(ctx context.Context, ordinal int, o Options) error {
	d, err := cuda.Open(ordinal)
	if err != nil {
		return err
	}
	defer d.Close()
	return run(ctx, d, o)
}
