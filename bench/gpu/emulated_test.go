//go:build cuda && cgo && linux

package gpu

import (
	"bytes"
	"os"
	"strings"
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
	d.Close()
	var said, table, rows bytes.Buffer
	o := small(&said, &table, &rows)
	o.Runs, o.Scales = 1, []int{7}
	err = Run(t.Context(), 0, o)
	if n := strings.Count(rows.String(), "\n"); err != nil || n < 80 {
		t.Errorf("%d rows, %v\n%s%s", n, err, &said, &table)
	}
}
