//go:build !cuda || !cgo || !linux

package gpu

import (
	"context"

	"github.com/motifql/motif/kernels/cuda"
)

// Run says how to build a motif that can measure a GPU: this one cannot.
func Run(_ context.Context, ordinal int, _ Options) error {
	_, err := cuda.Open(ordinal)
	return err
}
