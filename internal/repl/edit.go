package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// edit runs :edit [QUERY]: it opens the last statement in the user's editor, and runs what the editor has saved.
func (sh *Shell) edit(ctx context.Context, arg string) error {
	if !sh.Editor.Interactive() {
		return errors.New(":edit needs a terminal")
	}
	dir, err := os.MkdirTemp("", "motif-edit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "query.cypher")
	before := cmp.Or(arg, sh.last)
	if before != "" {
		before = strings.TrimRight(before, "; \n") + ";\n"
	}
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		return err
	}
	if err := runEditor(ctx, file); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	after := strings.TrimSpace(string(text))
	if after == "" {
		fmt.Fprintln(sh.Err, "the text is empty, so nothing runs")
		return nil
	}
	fmt.Fprintln(sh.Err, VisibleLines(after))
	sh.typed = append(sh.typed, after)
	return sh.dispatch(ctx, after)
}

// runEditor opens a file in $VISUAL or $EDITOR, or in the editor that every system has.
func runEditor(ctx context.Context, file string) error {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	words := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), usual))
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], file)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s: %w; $EDITOR names another", words[0], err)
	}
	return nil
}
