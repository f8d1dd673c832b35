//go:build !js

package repl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
	"golang.org/x/term"
)

// lineEditor is the editor for a terminal.
type lineEditor struct {
	shell *readline.Shell
	room  int         // rows reserved below the prompt
	inTx  func() bool // reports whether a transaction is open, which the prompt shows
	kept  readline.History
	left  string // the unfinished input on which the user pressed Ctrl-D
}

// hint returns the line below an unfinished input that the user takes for finished, "" for any other.
func (e *lineEditor) hint(text string) string {
	switch {
	case text == "" || complete(text):
		return ""
	case text == e.left:
		return "this statement has no ; yet (Ctrl-C drops it)"
	case strayCommand(text) != "":
		return "the statement before " + Visible(strayCommand(text)) + " has no ; yet (Ctrl-C drops it)"
	}
	return ""
}

// leave handles Ctrl-D at the end of an input. Without one it leaves the shell, by the command of the library.
func (e *lineEditor) leave(library func()) func() {
	return func() {
		if line := e.shell.Line(); line.Len() > 0 && e.shell.Cursor().Pos() >= line.Len() {
			e.left = string(*line)
			return
		}
		library()
	}
}

// past lists the inputs of this session and of those before it.
func (e *lineEditor) past() (list []string) {
	if e.kept == nil {
		return nil
	}
	for i := range e.kept.Len() {
		if line, err := e.kept.GetLine(i); err == nil {
			list = append(list, line)
		}
	}
	return list
}

// prompt returns the prompt, with a star while a transaction is open.
func (e *lineEditor) prompt() string {
	if e.inTx() {
		return "motif*> "
	}
	return "motif> "
}

// newLineEditor returns an editor that completes, highlights and keeps a history file ("" for none). Its prompt shows what inTx
// reports. For an unusable history file it returns an error and an editor that works without it.
func newLineEditor(history string, choices func(line string, cursor int) candidates, highlight func(string) string, inTx func() bool) (Editor, error) {
	sh := readline.NewShell()
	e := &lineEditor{shell: sh, inTx: inTx}
	configure(sh)
	sh.Prompt.Primary(e.prompt)
	sh.AcceptMultiline = func(line []rune) bool { return complete(string(line)) }
	sh.SyntaxHighlighter = func(line []rune) string { return e.makeRoom(string(line)) + highlight(string(line)) }
	sh.Completer = func(line []rune, cursor int) readline.Completions {
		return completions(choices(string(line), len(string(line[:cursor]))))
	}
	sh.Hint.SetProvider(func(line []rune, _ int) []rune { return []rune(e.hint(string(line))) })
	sh.Keymap.Register(map[string]func(){"end-of-file": e.leave(sh.Keymap.Commands()["end-of-file"])})
	kept, err := addHistory(sh, history)
	e.kept = kept
	return e, err
}

// makeRoom returns the codes that scroll the screen if the cursor is near its end. There is then a row below the line, and
// the cursor keeps its place in the text. The library would ask the terminal for the cursor at every key, and then lose
// keys.
func (e *lineEditor) makeRoom(line string) string {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width < 1 {
		return ""
	}
	rows := 1
	for part := range strings.SplitSeq(line, "\n") {
		rows += 1 + (len(e.prompt())+text.StringWidth(part))/width
	}
	if e.hint(line) != "" {
		rows += 2
	}
	if rows = min(rows, height-1); rows <= e.room {
		return ""
	}
	e.room = rows
	return strings.Repeat("\x1bD", rows) + fmt.Sprintf("\x1b[%dA", rows)
}

// configure corrects defaults of the library. It drops letters such as é, and keys that come while it asks the terminal
// for the cursor. Tab inserts without showing the choice. The Up arrow leaves the middle of a query of several lines for
// the history.
func configure(sh *readline.Shell) {
	for name, value := range map[string]any{"convert-meta": false, "input-meta": true, "output-meta": true,
		"cursor-position-probe": false, "multiline-column": false, "comment-begin": "\x00", "completion-ignore-case": true, "menu-complete-display-prefix": true} {
		_ = sh.Config.Set(name, value)
	}
	// Arrow keys are bound under their Meta name; under another name the old binding would win.
	for key, action := range map[string]string{"\t": "menu-complete",
		inputrc.Unescape(`\M-[A`): "up-line-or-history", inputrc.Unescape(`\M-OA`): "up-line-or-history",
		inputrc.Unescape(`\M-[B`): "down-line-or-history", inputrc.Unescape(`\M-OB`): "down-line-or-history"} {
		_ = sh.Config.Bind("emacs", key, action, false)
	}
}

// addHistory makes path the shell's history. Only its owner may read the file.
func addHistory(sh *readline.Shell, path string) (readline.History, error) {
	if path == "" {
		return nil, nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	h, err := readline.NewHistoryFromFile(path)
	if err != nil {
		return nil, err
	}
	sh.History.Add("history", h)
	return h, nil
}

func (e *lineEditor) Read() (string, error) {
	e.room, e.left = 0, ""
	line, err := e.shell.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", errInterrupted
	}
	return line, err
}

func (e *lineEditor) Interactive() bool { return true }

// completions turns our candidates into the library's. The library takes the word between blanks unless told otherwise, so
// that "(a:" would be one word. We tell it, with the character before the cursor if no letter of the word is typed yet.
// The library counts bytes instead of characters, so the word begins behind its last letter outside ASCII.
func completions(c candidates) readline.Completions {
	typed, shown := c.word, ""
	if typed == "" && c.before != "" {
		typed = c.before[len(c.before)-1:]
		shown = typed
	}
	from := 0
	for i, r := range typed {
		if r >= utf8.RuneSelf {
			from = i + utf8.RuneLen(r)
		}
	}
	if from >= len(typed) && c.before != "" {
		return readline.Completions{}
	}
	var raw []readline.Completion
	for _, x := range c.list {
		if value := shown + x.Text; from < len(value) && Visible(value) == value { // a name of others must not control the terminal
			raw = append(raw, readline.Completion{Value: value[from:], Display: x.Text, Description: x.About, Tag: x.Kind})
		}
	}
	out := readline.CompleteRaw(raw).NoSort()
	out.PREFIX = typed[from:]
	return out
}
