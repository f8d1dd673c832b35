//go:build unix

package suite

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime is the processor time that the process has taken, all threads together.
func processTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
