//go:build !cuda || !cgo || !linux

package motif

import "github.com/motifql/motif/internal/pattern"

// deviceNames are what the knob "device" is offered.
var deviceNames = []string{"auto", "cpu"}

// gpus are the devices of a database: there is nothing to choose from in this build.
type gpus struct{ devices }

// withGPU is the CPU: this build has no GPU code.
func withGPU(*gpus, deviceChoice, int) pattern.Device { return cpu{} }

// answers lists which device answered what: there is but one.
func answers(*pattern.Tally) []string { return nil }
