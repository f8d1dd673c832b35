package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/motifql/motif"
)

// Shell reads statements and colon commands and runs them.
type Shell struct {
	Session
	Editor Editor
}

// errQuit is what :quit returns.
var errQuit = errors.New("quit")

// Open returns a shell on standard input and output. It edits lines if both are terminals that can move the cursor.
// history is the file that keeps what users type, "" for none.
func Open(ctx context.Context, s Session, history string) (*Shell, error) {
	sh := &Shell{Session: s}
	if Width(os.Stdin) == 0 || Width(os.Stdout) == 0 || os.Getenv("TERM") == "dumb" {
		sh.Editor = NewScanner(os.Stdin, s.Memory)
		return sh, nil
	}
	schema, err := s.DB.Schema(ctx)
	if err != nil {
		return nil, err
	}
	c := &completer{schema: schema, params: s.Params}
	editor, err := newLineEditor(history, c.complete, highlight)
	if err != nil {
		fmt.Fprintf(s.Err, "history is not kept: %s\n", Visible(err.Error()))
	}
	editor.inTx = func() bool { return sh.tx != nil }
	sh.Editor, sh.Timing = editor, true
	stats, err := s.DB.Stats(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.Err, "%s nodes, %s relationships. End queries with ; and see :help and :schema.\n", Quantity(stats.Nodes), Quantity(stats.Relationships))
	return sh, nil
}

// Run reads and runs until the end of input or :quit. Without a person at the keyboard the first error ends it.
func (sh *Shell) Run(ctx context.Context) error {
	if sh.Params == nil {
		sh.Params = motif.Params{}
	}
	defer sh.Close()
	for {
		text, readErr := sh.Editor.Read()
		if readErr == errInterrupted {
			continue
		}
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		switch err := sh.dispatch(ctx, text); {
		case err == errQuit:
			return nil
		case err != nil && !sh.Editor.Interactive():
			return err
		case err != nil:
			fmt.Fprintln(sh.Err, Describe(err))
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
		trimmed = line
	}
	if strings.HasPrefix(trimmed, ":") {
		return sh.command(ctx, trimmed)
	}
	return sh.Session.Run(ctx, "", text)
}

// bareWord recognises words such as help and exit, which people type in a shell they do not know yet.
func bareWord(line string) (command string, ok bool) {
	switch strings.ToLower(strings.TrimRight(line, "; ")) {
	case "exit", "quit", `\q`, ".quit", ".exit":
		return ":quit", true
	case "help", "?", `\?`, ".help":
		return ":help", true
	}
	return "", false
}
