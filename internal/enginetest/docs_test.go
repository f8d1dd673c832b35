package enginetest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// The Go snippets of the README and of docs compile as the body of a function that has a context, a DB and an error.
func TestDocsCompile(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	code, n := "", 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range goBlock.FindAllSubmatchIndex(text, -1) {
			block := string(text[m[2]:m[3]])
			if !strings.Contains(block, "motif.") || strings.Contains(block, "package ") {
				continue
			}
			n++
			line := 1 + strings.Count(string(text[:m[2]]), "\n")
			code += fmt.Sprintf("func snippet%d(ctx context.Context, db *motif.DB) (err error) {\n\t{\n//line %s:%d\n%s\n\t}\n\treturn err\n}\n", n, page, line, block)
		}
	}
	if n == 0 {
		t.Fatal("no snippets")
	}
	var imports strings.Builder
	for _, path := range []string{"context", "errors", "fmt", "os", "time", "log", "strings", "github.com/motifql/motif"} {
		if name := path[strings.LastIndexByte(path, '/')+1:]; strings.Contains(code, name+".") {
			fmt.Fprintf(&imports, "import %q\n", path)
		}
	}
	file := filepath.Join(t.TempDir(), "snippets.go")
	if err := os.WriteFile(file, []byte("package snippets\n\n"+imports.String()+code), 0o666); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "internal", "snippets", "snippets.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(list, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", list, "./internal/snippets")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
