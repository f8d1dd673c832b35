package large

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestRollup reads what Linux says of a process's memory.
func TestRollup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says what memory a process holds")
	}
	got, ok := held(os.Getpid())
	if !ok || got.Anonymous < 100<<10 || got.File < 1<<20 || got.Resident < got.Anonymous {
		t.Errorf("this process has %+v, %v", got, ok)
	}
	block := bytes.Repeat([]byte{1}, 64<<20)
	if more, _ := held(os.Getpid()); more.Anonymous < got.Anonymous+60<<20 {
		t.Errorf("with 64 MiB more it has %+v, before %+v", more, got)
	}
	runtime.KeepAlive(block)
	if m, ok := held(1 << 30); ok {
		t.Errorf("a process that does not exist has %+v", m)
	}
}

// fake is a program in place of motif: a query prints 7, and only the load fails where the folder's name ends in 5.
const fake = `#!/bin/sh
case "$*" in
gen*) for last; do :; done; echo "0 1" > "$last" ;;
load*/5/store*) echo first >&2; echo no room >&2; exit 1 ;;
load*) mkdir -p "$4"; echo 12345 > "$4/file"; echo "loaded 2 nodes and 7 relationships in 1ms" >&2 ;;
*kcore*) sleep 60 ;;
*) echo n; echo 7 ;;
esac
`

// TestRun wants a row for each step, also where a load or a query fails, and nothing left behind.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no sh, which runs the program in place of motif")
	}
	dir, program := t.TempDir(), filepath.Join(t.TempDir(), "motif")
	if err := os.WriteFile(program, []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh, which runs the program in place of motif, is not here: ", err)
	}
	var table, file bytes.Buffer
	o := Options{Scales: []int{5, 14}, Edges: 16, Timeout: time.Second, Dir: dir, Program: program, Table: &table, CSV: &file, Note: func(string) {}}
	if err := Run(t.Context(), o); err != ErrFailed {
		t.Errorf("the run ends with %v", err)
	}
	for _, want := range []string{"large/load-5,5,0,0,failed,", ",no room\n", "large/load-14,14,7,0,ok,", "large/open-14,14,7,0,ok,", "large/triangles-14,14,7,0,failed,",
		"the answer is WRONG: 7", "large/cores-14,14,7,0,failed,", "more than 1s", "large/bfs-14,14,7,0,ok,"} {
		if !strings.Contains(file.String(), want) {
			t.Errorf("no %q in\n%s", want, file.String())
		}
	}
	if n := strings.Count(table.String(), "\n"); n != 1+1+7 {
		t.Errorf("%d lines:\n%s", n, table.String())
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := Run(ctx, o); err == nil {
		t.Error("a run that was stopped has no error")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
