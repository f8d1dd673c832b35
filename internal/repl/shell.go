package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/motifql/motif"
)

// Shell reads statements and colon commands and runs them.
type Shell struct {
	Session
	Editor Editor

	names  *completer  // of the graph; nil without completion
	typed  []string    // what was typed
	output *outputFile // set by :output
}

// defaultScreenRows is how many rows of an answer go to the screen at once.
const defaultScreenRows = 40

// errQuit is what :quit returns.
var errQuit = errors.New("quit")

// Open returns a shell on standard input and output. It edits lines if both are terminals that can move the cursor.
// history is the file that keeps what users type, "" for none.
func Open(ctx context.Context, s Session, history string) (*Shell, error) {
	sh := &Shell{Session: s}
	if Width(os.Stdin) == 0 || Width(os.Stdout) == 0 || os.Getenv("TERM") == "dumb" {
		sh.Editor = newScript(os.Stdin, s.Memory)
		return sh, nil
	}
	schema, err := s.DB.Schema(ctx)
	if err != nil {
		return nil, err
	}
	if sh.Params == nil {
		sh.Params = motif.Params{}
	}
	c := newCompleter(s.DB, schema, sh.Params)
	sh.names = c
	editor, err := newLineEditor(history, c.complete, highlight, func() bool { return sh.tx != nil })
	if err != nil {
		s.tellf("history is not kept: %s", Visible(err.Error()))
	}
	sh.Editor, sh.Timing, sh.ScreenRows = editor, true, defaultScreenRows
	stats, err := s.DB.Stats(ctx)
	if err != nil {
		return nil, err
	}
	s.tellf("%s nodes, %s relationships. End queries with ; and see :help and :schema.", Quantity(stats.Nodes), Quantity(stats.Relationships))
	return sh, nil
}

// Run reads and runs until the end of input or :quit. Without a person at the keyboard the first error ends it.
func (sh *Shell) Run(ctx context.Context) error {
	if sh.Params == nil {
		sh.Params = motif.Params{}
	}
	sh.JSONLines, sh.inShell = !sh.Editor.Interactive(), true
	defer sh.Close()
	defer sh.closeOutput()
	idle := &IdleMemory{}
	for {
		text, readErr := sh.Editor.Read()
		if readErr == errInterrupted {
			continue
		}
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		if sh.Editor.Interactive() && strings.TrimSpace(text) != "" {
			sh.typed = append(sh.typed, strings.TrimSpace(text))
		}
		done := idle.Work()
		err := sh.dispatch(ctx, text)
		done()
		sh.names.forget()
		switch {
		case err == errQuit:
			return nil
		case err != nil && !sh.Editor.Interactive():
			return err
		case err != nil:
			sh.tellf("%s", Describe(err))
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

// dispatch runs one input.
func (sh *Shell) dispatch(ctx context.Context, text string) error {
	trimmed := strings.TrimSpace(text)
	if line, ok := bareWord(trimmed); ok {
		sh.teach(trimmed, line)
		trimmed = line
	}
	place := ""
	if s, ok := sh.Editor.(*scanner); ok && s.script {
		sh.before, place = s.before, fmt.Sprintf("line %d: ", s.before+1)
	}
	switch {
	case strings.HasPrefix(trimmed, ":"):
		err := sh.command(ctx, trimmed)
		if err != nil && err != errQuit && place != "" {
			err = fmt.Errorf("%s%w", place, err)
		}
		return err
	case foreign(trimmed):
		word, _, _ := strings.Cut(trimmed, " ")
		return fmt.Errorf("%sno command %s; commands here begin with a colon, and :help lists them", place, word)
	}
	err := sh.Session.Run(ctx, "", text)
	var qe *motif.QueryError
	if word := strayCommand(text); word != "" && errors.As(err, &qe) {
		qe.Hint = "the statement before " + word + " has no ; yet"
		if !errors.As(err, new(*placedError)) { // which prints the hint
			err = &placedError{err: err, text: text, line: 1}
		}
	}
	return err
}

// strayCommand returns the command that begins a line inside a statement, "" if there is none.
func strayCommand(text string) string {
	begun := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if word := strings.TrimRight(line, "; \t"); begun && isCommand(word) {
			return word
		}
		begun = (begun || line != "") && !strings.HasSuffix(line, ";")
	}
	return ""
}

// isCommand reports whether a line has the form of a colon command, or leaves the shell or asks for help in the words of others.
func isCommand(line string) bool {
	if habit, ok := bareWord(line); ok {
		return habit == ":quit" || habit == ":help"
	}
	word, _, _ := strings.Cut(line, " ")
	return slices.ContainsFunc(commands(), func(c command) bool {
		return word == ":"+c.name || strings.HasPrefix(word, ":") && slices.Contains(c.also, word[1:])
	})
}
