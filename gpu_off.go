//go:build !cuda || !cgo || !linux

package motif

import "github.com/motifql/motif/internal/pattern"

// deviceNames are what the knob "device" is offered.
var deviceNames = []string{"auto", "cpu"}

// withGPU is the CPU: this build has no GPU code.
func withGPU(*gpus, deviceChoice) pattern.Device { return cpu{} }
