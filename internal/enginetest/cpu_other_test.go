//go:build !unix

package enginetest

import (
	"testing"
	"time"
)

// cpuOf returns how long fn takes, where the system does not tell the CPU time.
func cpuOf(_ testing.TB, fn func()) time.Duration {
	began := time.Now()
	fn()
	return time.Since(began)
}
