//go:build cuda && cgo && linux

package gpubench

import (
	"os"
	"testing"

	"github.com/motifql/motif/kernels/cuda"
)

// All parts run on a GPU or the emulator, and give the CPU's answers.
func TestRun(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		if os.Getenv("MOTIF_NEED_GPU") != "" {
			t.Fatal(err)
		}
		t.Skip("no GPU: ", err)
	}
	defer d.Close()
	said, table, rows, err := measured(t, t.Context(), d, func(o *Options) { o.Runs, o.Scales = 1, []int{7} })
	if err != nil || len(rows) < 30 {
		t.Errorf("%d rows, %v\n%s%s", len(rows), err, said, table)
	}
}
