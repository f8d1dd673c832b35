//go:build unix

package temporal

import (
	"syscall"
	"time"
)

// processTime is the time of processors that this process has used.
func processTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
