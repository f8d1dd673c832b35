//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/pattern"
)

// rmatSize is an RMAT graph to measure, and what stood behind its size.
type rmatSize struct {
	scale, factor int
	options       string
}

func (z rmatSize) String() string { return fmt.Sprintf("%dx%d", z.scale, z.factor) }

// rmatSizes reads scales and edge factors from a variable of the environment, such as 20x16,21x48; without it the test is skipped.
func rmatSizes(t *testing.T, variable string) (list []rmatSize) {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		t.Skipf("a measurement: %s names no graphs", variable)
	}
	for item := range strings.SplitSeq(text, ",") {
		var z rmatSize
		if _, err := fmt.Sscanf(item, "%dx%d", &z.scale, &z.factor); err != nil {
			t.Fatalf("%s: %q: %v", variable, item, err)
		}
		z.options = strings.TrimPrefix(item, z.String())
		list = append(list, z)
	}
	return list
}

// allCores is an Env for the CPU's side of a measurement.
func allCores() *pattern.Env {
	return &pattern.Env{Workers: runtime.NumCPU(), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
}

// quickest runs f some times and returns its last answer, the time of the first run, in which the graph goes to the device, and the
// least of all.
func quickest[T any](t *testing.T, runs int, f func() (T, error)) (answer T, first, least time.Duration) {
	t.Helper()
	for i := range runs {
		began := time.Now()
		x, err := f()
		took := time.Since(began)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first, least = took, took
		}
		answer, least = x, min(least, took)
	}
	return answer, first, least
}
