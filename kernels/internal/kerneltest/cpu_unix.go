//go:build unix

package kerneltest

import (
	"syscall"
	"testing"
	"time"
)

// ReportCPU adds the processor time that the benchmark takes from now on: on a busy machine it says more than the
// clock on the wall.
func ReportCPU(b *testing.B) (done func()) {
	start := cpuTime(b)
	return func() { b.ReportMetric(float64((cpuTime(b)-start)/time.Microsecond)/1000/float64(b.N), "cpu-ms/op") }
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
