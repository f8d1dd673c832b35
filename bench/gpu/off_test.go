//go:build !cuda

package gpu

import (
	"strings"
	"testing"
)

// A build without GPU support says how to make one.
func TestOff(t *testing.T) {
	if err := Run(t.Context(), 0, Options{}); err == nil || !strings.Contains(err.Error(), "make -C kernels/cuda") {
		t.Error(err)
	}
}
