package exporter

import (
	"os"
	"strings"
	"testing"
)

// TestFormatTable holds every format to what readers expect of one: help, a line in docs/loading.md, and suffixes of its own.
func TestFormatTable(t *testing.T) {
	guide, err := os.ReadFile("../../docs/loading.md")
	if err != nil {
		t.Fatal(err)
	}
	_, exports, _ := strings.Cut(string(guide), "\n## Exports\n")
	owner := make(map[string]string)
	for _, f := range Formats {
		if f.Name == "" || f.Help == "" || f.write == nil || f.Folder == (len(f.Suffixes) > 0) {
			t.Errorf("format %q: %+v", f.Name, f)
		}
		if !strings.Contains(exports, "| `"+f.Name+"` |") {
			t.Errorf("docs/loading.md has no line about exports as %s", f.Name)
		}
		for _, suffix := range f.Suffixes {
			if !strings.Contains(exports, "`"+suffix+"`") {
				t.Errorf("docs/loading.md does not name the suffix %s of %s", suffix, f.Name)
			}
			if owner[suffix] != "" {
				t.Errorf("%s and %s both claim %s", owner[suffix], f.Name, suffix)
			}
			if owner[suffix] = f.Name; FormatOf("a"+strings.ToUpper(suffix)+".gz") != f.Name {
				t.Errorf("%s does not choose %s", suffix, f.Name)
			}
		}
	}
}
