//go:build !cuda || !cgo || !linux

package device

import "github.com/motifql/motif/internal/pattern"

// Names are the values that the knob "device" offers.
var Names = []string{"auto", "cpu"}

// withGPU returns the CPU: this build has no GPU code.
func (*Pool) withGPU(Choice, int) pattern.Device { return CPU{} }

// Explain returns nothing: there is only the CPU.
func Explain(pattern.Device, func() []*pattern.Request) []string { return nil }

// Answers returns nothing: there is only the CPU.
func Answers(*pattern.Tally) []string { return nil }
