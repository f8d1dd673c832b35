package repl

import "os"

// newLineEditor returns an editor that reads lines. The library of the other one does not build for a browser, which has no terminal.
func newLineEditor(string, func(line string, cursor int) candidates, func(string) string, func() bool) (Editor, error) {
	return NewScanner(os.Stdin, 0), nil
}
