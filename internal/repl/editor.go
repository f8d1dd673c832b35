package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/motifql/motif"
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
type scanner struct {
	r    *bufio.Reader
	most int64 // bytes of an input

	script bool // errors name lines
	before int  // lines before the input that Read returned last
	read   int  // lines
}

// NewScanner reads inputs from r without prompts. Their length has the limit of a memory budget, see MaxText.
func NewScanner(r io.Reader, memory int64) Editor {
	return &scanner{r: bufio.NewReader(r), most: maxTextOf(memory)}
}

// newScript returns the editor of a script that comes through a pipe.
func newScript(r io.Reader, memory int64) Editor {
	return &scanner{r: bufio.NewReader(r), most: maxTextOf(memory), script: true}
}

// maxText is how many bytes of text are read for a query without a memory budget.
const maxText = 1 << 30

// ReadText reads all of r, as much as a query may have with a memory budget; 0 is none.
func ReadText(r io.Reader, memory int64) (string, error) {
	most := maxTextOf(memory)
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(r, most+1))
	if err == nil && n > most {
		err = tooLong(most)
	}
	return text.String(), err
}

// ReadFile reads a file of statements, as much as a query may have with a memory budget; 0 is none.
func ReadFile(path string, memory int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := ReadText(f, memory)
	var broken *fs.PathError
	if err != nil && !errors.As(err, &broken) {
		err = fmt.Errorf("%s: %w; a pipe into motif shell reads one statement after another", Visible(path), err)
	}
	return text, err
}

// maxTextOf returns how many bytes of text are read for a query that has a memory budget; 0 is none. The budget must hold the text
// several times over: as text, as values, and in errors.
func maxTextOf(memory int64) int64 {
	if memory <= 0 {
		return maxText
	}
	return min(maxText, memory/8+1024)
}

// tooLong is the error for a text of more bytes than maxTextOf allows.
func tooLong(most int64) error {
	err := fmt.Errorf("the text of the query is longer than %s bytes", Quantity(uint64(most)))
	if most < maxText {
		err = fmt.Errorf("%w: %w", motif.ErrMemory, err)
	}
	return err
}

func (s *scanner) Interactive() bool { return false }

func (s *scanner) Read() (string, error) {
	var text strings.Builder
	s.before = s.read
	defer func() { s.read += strings.Count(text.String(), "\n") }()
	for {
		begin := text.Len()
		if err := s.line(&text); err != nil {
			return text.String(), err
		}
		all := text.String()
		if line := all[begin:]; begin > 0 && !strings.Contains(line, ";") && !strings.Contains(line, "*/") {
			continue // it cannot end the input
		}
		if complete(all) {
			return all, nil
		}
	}
}

// line appends a line to text.
func (s *scanner) line(text *strings.Builder) error {
	for {
		part, err := s.r.ReadSlice('\n')
		text.Write(part)
		switch {
		case int64(text.Len()) > s.most:
			return tooLong(s.most)
		case err != bufio.ErrBufferFull:
			return err
		}
	}
}

// complete reports whether text can run: it is blank, a command, or statements closed by a semicolon.
func complete(text string) bool {
	t := strings.TrimSpace(text)
	_, bare := bareWord(t)
	return t == "" || bare || strings.HasPrefix(t, ":") || foreign(t) || lang.Complete(text)
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
