package repl

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/motifql/motif/lang"
)

// Editor is where a shell reads its input: a line editor, a pipe, or a test's script.
type Editor interface {
	// Read returns the next input: one or more statements up to a semicolon at the end of a line, or a colon command. At
	// the end it returns the rest, if any, and io.EOF. errInterrupted means that the user dropped the line.
	Read() (string, error)
	// Interactive reports whether a person types and reads.
	Interactive() bool
}

// errInterrupted is what Read returns after Ctrl-C.
var errInterrupted = errors.New("interrupted")

// scanner reads from a source that is no terminal.
type scanner struct{ r *bufio.Reader }

// NewScanner reads inputs from r without prompts.
func NewScanner(r io.Reader) Editor { return &scanner{bufio.NewReader(r)} }

func (s *scanner) Interactive() bool { return false }

func (s *scanner) Read() (string, error) {
	var text strings.Builder
	for {
		line, err := s.r.ReadString('\n')
		text.WriteString(line)
		if all := text.String(); err != nil || complete(all) {
			return all, err
		}
	}
}

// complete reports whether text can run: it is blank, a command, or statements closed by a semicolon.
func complete(text string) bool {
	t := strings.TrimSpace(text)
	_, bare := bareWord(t)
	return t == "" || bare || strings.HasPrefix(t, ":") || lang.Complete(text)
}

// HistoryFile returns the file that keeps what users type: $XDG_STATE_HOME/motif/history, or the same below ~/.local/state
// if that folder exists, else ~/.motif_history. It is "" without a home.
func HistoryFile() string {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "motif", "history")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	state := filepath.Join(home, ".local", "state")
	if info, err := os.Stat(state); err == nil && info.IsDir() {
		return filepath.Join(state, "motif", "history")
	}
	return filepath.Join(home, ".motif_history")
}
