package main

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

// goBlocks is a program that runs the Go blocks of the pages, each by its number.
type goBlocks struct {
	exe    string
	number map[string]int // by page and code
}

// docImports are the packages that Go blocks may use without saying so.
var docImports = []string{"context", "errors", "fmt", "os", "time", "log", "strings", "testing", "github.com/motifql/motif"}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// goProgramMain runs the block that the first argument numbers. If there is a second argument, it is the store that the block finds as db.
const goProgramMain = `
func main() {
	n, err := strconv.Atoi(os.Args[1])
	var db *motif.DB
	if err == nil && len(os.Args) > 2 {
		db, err = motif.Open(os.Args[2])
	}
	if err == nil {
		err = blocks[n](context.Background(), db)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	if db != nil {
		db.Close()
	}
}

func runTest(name string, test func(*testing.T)) error {
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: name, F: test}}, nil, nil) // exits
	return nil
}

var _ = []any{errors.New, fmt.Println, os.Args, strings.Fields, time.Now, log.Println, draw.Formats, assist.New}
`

// buildGoBlocks compiles all Go blocks of the pages into one program. A block is the body of a function that has a context and
// a DB and returns an error; a block that begins with func is a function of its own.
func buildGoBlocks(t *testing.T, pages []string) goBlocks {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list := goBlocks{exe: filepath.Join(t.TempDir(), "blocks"), number: map[string]int{}}
	var code, table strings.Builder
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocksOf(page, string(text)) {
			if b.language != "go" || b.file != "" {
				continue
			}
			n := len(list.number)
			list.number[page+b.code] = n
			at := fmt.Sprintf("//line %s:%d\n", filepath.Join(root, page), b.line)
			if m := testFunction.FindStringSubmatch(b.code); m != nil {
				fmt.Fprintf(&code, "%s%s\n", at, b.code)
				fmt.Fprintf(&table, "func(context.Context, *motif.DB) error { return runTest(%q, %s) },\n", m[1], m[1])
				continue
			}
			fmt.Fprintf(&code, "func block%d(ctx context.Context, db *motif.DB) (err error) {\n{\n%s%s\n}\nreturn err\n}\n", n, at, b.code)
			fmt.Fprintf(&table, "block%d,\n", n)
		}
	}
	var imports strings.Builder
	for _, path := range append(docImports, "strconv", "github.com/motifql/motif/draw", "github.com/motifql/motif/lang/assist") {
		fmt.Fprintf(&imports, "import %q\n", path)
	}
	program := "package main\n\n" + imports.String() + goProgramMain +
		"\nvar blocks = []func(context.Context, *motif.DB) error{\n" + table.String() + "}\n\n" + code.String()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "internal", "docblocks", "main.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	replaced := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(replaced, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", replaced, "-o", list.exe, "./internal/docblocks")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return list
}

// run runs a block in a folder and returns what it prints. The block finds the store people.db open, if the folder has that
// store and the block opens none itself.
func (g goBlocks) run(t *testing.T, dir string, b block) string {
	t.Helper()
	args := []string{fmt.Sprint(g.number[b.page+b.code])}
	if _, err := os.Stat(filepath.Join(dir, "people.db")); err == nil && !strings.Contains(b.code, "motif.Open(") {
		args = append(args, "people.db")
	}
	cmd := exec.Command(g.exe, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s:%d: %v\n%s", b.page, b.line, err, out)
	}
	return string(out)
}
