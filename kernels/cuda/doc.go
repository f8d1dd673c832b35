// Package cuda answers requests on NVIDIA GPUs.
//
// A pattern.Request goes in, the CPU's answer comes out, or ErrDeclined: then the CPU is to answer, and nothing was sent. It is fast because the
// graph stays on the card between requests, launches are enqueued before the host looks, and warps share uneven work. It never gives an
// approximate answer, and it never needs NVIDIA's toolkit: it talks to the driver alone.
//
// The kernels are CUDA C++ in src. generate.sh compiles them to PTX by clang; the binary embeds that, and the driver compiles it for the
// card. The program looks for the driver when it runs (shim), so that one binary serves machines with a GPU and without. Builds without
// the tag cuda have no GPU code at all: List and Open then say so.
//
// cost_model.go estimates whether a GPU or the CPU answers a request sooner, and deferral.go what repeated requests have lost; both are
// part of every build.
package cuda

import (
	"errors"
	"time"

	"github.com/motifql/motif/internal/pattern"
)

//go:generate ./generate.sh

// ErrDeclined says that a request is not for this device: the CPU answers it.
var ErrDeclined = errors.New("left to the CPU")

// KernelTime is how long the launches of a kernel took on the device.
type KernelTime struct {
	Kernel   string
	Launches int
	Time     time.Duration
}

// Info describes a device.
type Info struct {
	Ordinal        int    // as in cuda:N
	Name           string // of the card
	Memory         int64  // bytes
	Free           int64  // bytes, when it was asked
	Multiprocessor int    // how many there are
	Capability     string // such as 9.0
	Driver         string // version of the driver's interface, such as 12.8
}

// PartCount is what a device counts that has one of several equal parts of a request.
type PartCount struct {
	Count   pattern.Count128
	Work    uint64 // as it is foreseen, in no unit
	Elapsed time.Duration
}

// Active is how many lanes had work when their warp took a step of the search, and how many could have had (KCMiner figure 8).
type Active struct{ Lanes, Slots uint64 }

// PerWarp is the mean number of lanes with work, up to 32.
func (a Active) PerWarp() float64 { return 32 * float64(a.Lanes) / float64(max(1, a.Slots)) }
