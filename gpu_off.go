//go:build !cuda || !cgo || !linux

package motif

import "github.com/motifql/motif/internal/pattern"

// withGPU is the CPU: this build has no GPU code.
func withGPU(*gpus, deviceChoice) pattern.Device { return cpu{} }
