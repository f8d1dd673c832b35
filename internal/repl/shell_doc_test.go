package repl

import (
	"os"
	"strings"
	"testing"
)

// docs/shell.md lists every command, as the help does.
func TestShellPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/shell.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		if !strings.Contains(string(page), "| `:"+c.name+" ") && !strings.Contains(string(page), "| `:"+c.name+"` |") {
			t.Errorf("docs/shell.md does not list :%s", c.name)
		}
	}
}
