//go:build unix

package enginetest

import (
	"syscall"
	"testing"
	"time"
)

// cpuOf returns the CPU time that fn takes.
func cpuOf(t testing.TB, fn func()) time.Duration {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	fn()
	return used() - before
}
