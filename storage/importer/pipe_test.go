//go:build unix

package importer

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"
)

// TestLoadPipe interrupts a load that waits for a pipe without a writer.
func TestLoadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	start := time.Now()
	if _, _, err := Load(ctx, Spec{Files: []string{path}, Format: FormatEdges}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the load took %v to end", took)
	}
	if w, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // lets the abandoned load go
		w.Close()
	}
}

// TestLoadFromPipe loads what comes through a pipe and through Spec.Stdin: files that a load reads once, twice or whole,
// compressed too, in small pieces.
func TestLoadFromPipe(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, "a,b\n1,2\n2,3\n")
	z.Close()
	for name, test := range map[string]struct {
		text, format string
		n, m         uint64
	}{
		"integers": {"1 2\n2 3\n", FormatEdges, 3, 2},
		"text":     {"1 2\n2 x\n", FormatEdges, 3, 2},
		"gzip":     {zipped.String(), FormatCSV, 3, 2},
		"METIS":    {"3 2\n2\n1 3\n2\n", FormatMETIS, 3, 2},
		"long":     {strings.Repeat("1 2\n", 200_000) + "2 x\n", FormatEdges, 3, 2},
	} {
		check := func(way string, spec Spec) {
			total := uint64(1)
			s, r, err := Load(t.Context(), spec, func(p Progress) { total = p.Total })
			if err != nil {
				t.Errorf("%s, %s: %v", name, way, err)
			} else if s.N() != test.n || s.M() != test.m || r.Format != test.format || total != 0 {
				t.Errorf("%s, %s: %d nodes, %d relationships, %s, total %d", name, way, s.N(), s.M(), r.Format, total)
			}
		}
		check("Stdin", Spec{Files: []string{"-"}, Stdin: iotest.HalfReader(strings.NewReader(test.text))})
		check("Stdin and FS", Spec{Files: []string{"-"}, Stdin: strings.NewReader(test.text), FS: memory(nil)})
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			io.WriteString(w, test.text)
			w.Close()
		}()
		check("pipe", Spec{Files: []string{fmt.Sprintf("/dev/fd/%d", r.Fd())}})
		r.Close()
	}
	failing := io.MultiReader(strings.NewReader("1 2\n"), iotest.ErrReader(errors.New("the line is dead")))
	checkErrorOf(t, Spec{Files: []string{"-"}, Stdin: failing}, "-: the line is dead")
	checkErrorOf(t, Spec{Files: []string{"-"}}, "-: cannot open: no such file or directory")
}

func checkErrorOf(t *testing.T, spec Spec, want string) {
	t.Helper()
	if _, _, err := Load(t.Context(), spec, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
