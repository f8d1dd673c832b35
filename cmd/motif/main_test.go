package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/motifql/motif"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"motif": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "create": create},
	})
}

// status N COMMAND... runs a command that must end with exit status N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Check(err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// create DB makes a store as a load does that is killed before it publishes.
func create(ts *testscript.TestScript, _ bool, args []string) {
	db, err := motif.Open(ts.MkAbs(args[0]), motif.WithCreate())
	ts.Check(err)
	ts.Check(db.Close())
}

// Arguments that are not UTF-8 come as they are: a query is refused for it, a file is found.
func TestArgumentsAsWritten(t *testing.T) {
	var c cli
	if _, err := newParser(&c).Parse([]string{"query", "d\xff", "RETURN '\xff'", "-p", "a=\xff", "--pattern-file", "f\xff"}); err != nil {
		t.Fatal(err)
	}
	if q := c.Query; q.DB != "d\xff" || q.Text != "RETURN '\xff'" || q.Param[0] != "a=\xff" || q.PatternFile != "f\xff" {
		t.Errorf("%+v", q)
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "4096": 4096, "64MiB": 64 << 20, "64 mib": 64 << 20, "2GB": 2e9, "1.5k": 1536, "3G": 3 << 30} {
		var b byteSize
		if err := b.UnmarshalText([]byte(text)); err != nil || int64(b) != want {
			t.Errorf("%q = %d, %v; want %d", text, b, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "12 parsecs", "-1", "0", "1e", "99999999T", "NaN"} {
		var b byteSize
		if err := b.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %d", text, b)
		}
	}
}

func TestDelimiter(t *testing.T) {
	for text, want := range map[string]rune{"tab": '\t', `\t`: '\t', "|": '|', ";": ';', "comma": ',', " ": ' '} {
		var d delimiter
		if err := d.UnmarshalText([]byte(text)); err != nil || rune(d) != want {
			t.Errorf("%q = %q, %v; want %q", text, d, err, want)
		}
	}
	for _, text := range []string{"", "ab", "\xff"} {
		var d delimiter
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %q", text, d)
		}
	}
}

// TestTextOfInput checks that a query from standard input has a limit, also if the input never ends.
func TestTextOfInput(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = read
	defer func() { os.Stdin = before }()
	go func() {
		zeros := make([]byte, 1<<16)
		for {
			if _, err := write.Write(zeros); err != nil {
				return
			}
		}
	}()
	defer write.Close()
	defer read.Close()
	if text, err := textOf("-", 1<<20); !errors.Is(err, motif.ErrMemory) {
		t.Errorf("read %d bytes, %v", len(text), err)
	}
	if text, err := textOf("RETURN 1", 1); err != nil || text != "RETURN 1" {
		t.Errorf("%q, %v", text, err)
	}
}
