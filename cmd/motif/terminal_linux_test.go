package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with the shell on it.
type terminal struct {
	t    *testing.T
	file *os.File
	mu   sync.Mutex
	seen bytes.Buffer
	from int // where the next expect begins
}

// openTerminal starts motif with args on a terminal of 100 columns.
func openTerminal(t *testing.T, env []string, args ...string) (*terminal, *exec.Cmd) {
	t.Helper()
	return openTerminalOf(t, 100, env, args...)
}

// openTerminalOf starts motif with args on a terminal of some columns and 40 rows.
func openTerminalOf(t *testing.T, columns int, env []string, args ...string) (*terminal, *exec.Cmd) {
	t.Helper()
	file, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { file.Close() })
	n, err := unix.IoctlGetInt(int(file.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(file.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(file.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: uint16(columns)})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer tty.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Args = append([]string{"motif"}, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, file: file}
	go term.read()
	return term, cmd
}

// read collects the output.
func (term *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := term.file.Read(buf)
		if err != nil {
			return
		}
		term.mu.Lock()
		term.seen.Write(buf[:n])
		term.mu.Unlock()
	}
}

// send types.
func (term *terminal) send(text string) {
	term.t.Helper()
	if _, err := term.file.WriteString(text); err != nil {
		term.t.Fatal(err)
	}
}

// expect waits until text has come after what was expected before.
func (term *terminal) expect(text string) {
	term.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		term.mu.Lock()
		i := strings.Index(term.seen.String()[term.from:], text)
		if i >= 0 {
			term.from += i + len(text)
		}
		term.mu.Unlock()
		if i >= 0 {
			return
		}
	}
	term.mu.Lock()
	defer term.mu.Unlock()
	term.t.Fatalf("%q did not come; since the last match:\n%q", text, term.seen.String()[term.from:])
}

// prompt waits until the line editor is ready.
func (term *terminal) prompt() {
	term.t.Helper()
	term.expect("motif> ")
	term.expect("\x1b[?25h")
}

// A person at a terminal: prompt, several lines, completion, a mistake, letters beyond ASCII, a query stopped, history.
func TestTerminal(t *testing.T) {
	state := t.TempDir()
	term, cmd := openTerminal(t, []string{"XDG_STATE_HOME=" + state, "TERM=xterm", "INPUTRC=/dev/null", "NO_COLOR=1"}, "demo", "--repl")
	term.expect("End queries with ;")
	term.prompt()
	term.send("MATCH (é:Pers\t) // über\r")
	term.expect("Person")
	term.send("RETURN count(é) AS n;\r")
	term.expect("222")
	term.expect("1 row in ")
	term.prompt()
	term.send("MATCH (a RETURN a;\r")
	term.expect("SyntaxError")
	term.expect("^")
	term.prompt()
	term.send("MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE id(a) + id(g) = -1 RETURN count(*) AS never;\r")
	term.expect("Ctrl-C stops")
	term.send("\x03")
	term.expect("stopped after")
	term.prompt()
	term.send("BEGIN;\r")
	term.expect("motif*> ")
	term.expect("\x1b[?25h")
	term.send("CREATE (:Draft);\r")
	term.expect("1 node created")
	term.expect("motif*> ")
	term.expect("\x1b[?25h")
	term.send("MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE id(a) + id(g) = -1 CREATE (:Never);\r")
	term.expect("Ctrl-C stops")
	term.send("\x03")
	term.expect("stopped after")
	term.expect("motif*> ")
	term.expect("\x1b[?25h")
	term.send("MATCH (d:Draft) RETURN 'still' + 'there';\r")
	term.expect("stillthere")
	term.expect("motif*> ")
	term.expect("\x1b[?25h")
	term.send("ROLLBACK;\r")
	term.prompt()
	term.send(":stats\r")
	term.expect("3447")
	term.send("exit\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the shell ended with %v", err)
	}
	history, err := os.ReadFile(filepath.Join(state, "motif", "history"))
	if err != nil || !strings.Contains(string(history), `MATCH (é:Person) // über\nRETURN count(é) AS n;`) {
		t.Errorf("history: %v\n%s", err, history)
	}
	info, err := os.Stat(filepath.Join(state, "motif", "history"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("history file: %v, %v", info.Mode(), err)
	}
}

// Commands that take the terminal: a query that repeats until Ctrl-C, and the user's editor.
func TestTerminalCommands(t *testing.T) {
	dir := t.TempDir()
	editor := filepath.Join(dir, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho 'RETURN 40 + 2 AS answer' >\"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	term, cmd := openTerminal(t, []string{"XDG_STATE_HOME=" + dir, "TERM=xterm", "INPUTRC=/dev/null", "NO_COLOR=1", "VISUAL=", "EDITOR=" + editor}, "demo", "--repl")
	term.prompt()
	term.send(":watch 0.2 MATCH (p:Person) RETURN count(*) + 1000;\r")
	for range 3 {
		term.expect("every 200ms, last at")
		term.expect("1222")
	}
	term.send("\x03")
	term.prompt()
	term.send(":edit\r")
	term.expect("RETURN 40 + 2 AS answer")
	term.expect("42")
	term.prompt()
	term.send(":set timeout 200ms\r")
	term.expect("timeout is 200ms")
	term.prompt()
	term.send("MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE id(a) + id(g) = -1 RETURN count(*) AS never;\r")
	term.expect("time limit reached: stopped after")
	term.prompt()
	term.send(":exit\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the shell ended with %v", err)
	}
}

// A command after a statement without a semicolon, and Ctrl-D there, tell what is missing. Ctrl-C drops the statement.
func TestTerminalUnfinished(t *testing.T) {
	term, cmd := openTerminal(t, []string{"XDG_STATE_HOME=" + t.TempDir(), "TERM=xterm", "INPUTRC=/dev/null", "NO_COLOR=1"}, "demo", "--repl")
	term.prompt()
	term.send("RETURN 41 + 1 AS x\r")
	term.send("\x04")
	term.expect("this statement has no ; yet (Ctrl-C drops it)")
	term.expect("\x1b[?25h")
	term.send(":help")
	term.expect("the statement before :help has no ; yet (Ctrl-C drops it)")
	term.expect("\x1b[?25h")
	term.send("\r;\r")
	term.expect("SyntaxError")
	term.expect(" 2 | :help")
	term.expect("hint: the statement before :help has no ; yet\r")
	term.prompt()
	term.send("RETURN 1\r:help")
	term.expect("the statement before :help has no ; yet (Ctrl-C drops it)")
	term.expect("\x1b[?25h")
	term.send("\x03")
	term.prompt()
	term.send("RETURN 40 + 2 AS x;\r")
	term.expect("42")
	term.prompt()
	term.send("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the shell ended with %v", err)
	}
}
