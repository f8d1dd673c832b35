//go:build unix

package files

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSpecialFiles refuses pipes, sockets and devices without waiting for them.
func TestSpecialFiles(t *testing.T) {
	dir := tree(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("pipe", filepath.Join(dir, "to-pipe")); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ dir, name, want string }{{dir, "pipe", "it is a pipe"}, {dir, "to-pipe", "it is a pipe"},
		{"/", "/dev/zero", "it is a device"}, {"/dev", "tty", "it is a device"}, {"/dev", "file:///zero", "it is a device"}}
	if l, err := net.Listen("unix", filepath.Join(dir, "s")); err == nil {
		defer l.Close()
		cases = append(cases, struct{ dir, name, want string }{dir, "s", "it is a socket"})
	}
	for _, c := range cases {
		folder, err := OpenFolder(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if got := read(folder, c.name); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: waited %v", c.name, took)
		}
	}
}

// TestPipeExchanged opens a pipe that took the place of a file after the first look, and does not wait for a writer.
func TestPipeExchanged(t *testing.T) {
	dir := tree(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := folder.Open("pipe")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// TestNoDescriptors leaves no descriptor open, whatever the name.
func TestNoDescriptors(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	dir := tree(t)
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	read(folder, "a.csv") // starts the runtime's poller
	before := count()
	for range 20 {
		for _, name := range []string{"a.csv", "sub", "nothing", "out.csv", "loop", "../x", "file:///a.csv"} {
			read(folder, name)
		}
	}
	if after := count(); after > before+2 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
