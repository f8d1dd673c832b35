package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// program runs motif with args and returns what it prints.
func program(args ...string) (out, msgs string, err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"motif"}, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.String(), e.String(), err
}

// pipedShell is a shell whose input comes line by line.
type pipedShell struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func openPipedShell(t *testing.T, args ...string) *pipedShell {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"motif"}, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return &pipedShell{t, cmd, in, bufio.NewScanner(out)}
}

// ask runs input and returns the last line of an answer of two lines: a header and a row.
func (s *pipedShell) ask(input string) string {
	s.t.Helper()
	if _, err := io.WriteString(s.in, input+"\n"); err != nil {
		s.t.Fatal(err)
	}
	for range 2 {
		if !s.out.Scan() {
			s.t.Fatalf("no answer to %s", input)
		}
	}
	return s.out.Text()
}

// A shell, three readers and a writer share a store: nobody waits for one that only reads, and all see what was committed.
func TestShellBesideOthers(t *testing.T) {
	db := filepath.Join(t.TempDir(), "my.db")
	const people = "MATCH (p:Person) RETURN count(*) AS n"
	sh := openPipedShell(t, "shell", db, "-o", "csv")
	if n := sh.ask(people + ";"); n != "0" {
		t.Fatalf("%s people in a new store", n)
	}
	if _, msgs, err := program("query", db, "CREATE (:Place)"); err != nil { // readers refuse a store that was never written to
		t.Fatalf("%v\n%s", err, msgs)
	}
	const writes = 8
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for range 5 {
				if _, msgs, err := program("query", db, people); err != nil {
					t.Errorf("a reader: %v\n%s", err, msgs)
				}
			}
		})
	}
	group.Go(func() {
		for i := range writes {
			if _, msgs, err := program("query", db, fmt.Sprintf("CREATE (:Person {n: %d})", i)); err != nil {
				t.Errorf("the writer: %v\n%s", err, msgs)
			}
		}
	})
	group.Wait()
	if n := sh.ask(people + ";"); n != fmt.Sprint(writes) {
		t.Errorf("the shell sees %s people of %d", n, writes)
	}
	if n := sh.ask("CREATE (:Person); " + people + ";"); n != fmt.Sprint(writes+1) {
		t.Errorf("the shell sees %s people after its own write", n)
	}
	if _, msgs, err := program("query", db, "CREATE (:Person)"); err != nil {
		t.Errorf("a writer after the shell's write: %v\n%s", err, msgs)
	}
	if n := sh.ask("BEGIN; CREATE (:Person); " + people + ";"); n != fmt.Sprint(writes+3) {
		t.Errorf("the shell sees %s people in its transaction", n)
	}
	if out, msgs, err := program("query", db, "-o", "csv", people); err != nil || out != fmt.Sprintf("n\n%d\n", writes+2) {
		t.Errorf("a reader beside the transaction: %q, %v\n%s", out, err, msgs)
	}
	_, msgs, err := program("query", db, "CREATE (:Person)")
	if holder := fmt.Sprintf("process %d (", sh.cmd.Process.Pid); err == nil || !strings.Contains(msgs, holder) || !strings.Contains(msgs, "is writing to the store, since 2") {
		t.Errorf("a writer beside the transaction: %v\n%s", err, msgs)
	}
	if n := sh.ask("COMMIT; " + people + ";"); n != fmt.Sprint(writes+3) {
		t.Errorf("the shell sees %s people after its transaction", n)
	}
	sh.in.Close()
	if err := sh.cmd.Wait(); err != nil {
		t.Error(err)
	}
}
