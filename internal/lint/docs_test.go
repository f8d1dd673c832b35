package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxMean     = 14 // words a sentence, on average over a page
	maxSentence = 35
)

// TestDocs checks the pages for long sentences, for links and files that lead nowhere, and that ARCHITECTURE.md lists the packages.
func TestDocs(t *testing.T) {
	faults, pages, err := lintDocs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
	if pages < 12 {
		t.Errorf("only %d pages seen", pages)
	}
}

// lintDocs checks every page below root.
func lintDocs(root string) (faults []string, pages int, err error) {
	var names []string
	for _, pattern := range []string{"*.md", ".github/*.md", "docs/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, 0, err
		}
		names = append(names, found...)
	}
	exports, err := exportedNames(root)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return nil, 0, err
		}
		rel, text := filepath.ToSlash(rel), string(data)
		faults = append(faults, longSentences(rel, text)...)
		faults = append(faults, deadLinks(root, rel, text)...)
		faults = append(faults, missingFiles(root, rel, text)...)
		faults = append(faults, missingNames(exports, rel, text)...)
		if rel == "ARCHITECTURE.md" {
			found, err := packageList(root, text)
			if err != nil {
				return nil, 0, err
			}
			faults = append(faults, found...)
		}
	}
	return faults, len(names), nil
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	emptyLine = regexp.MustCompile(`\n\s*\n`)
	listMark  = regexp.MustCompile(`^\s*(?:[-*]|\d+\.)\s`)
	noProse   = regexp.MustCompile(`^\s*(\||#|<|!\[)`) // tables, headings, comments, pictures
	codeSpan  = regexp.MustCompile("`[^`]*`")
	link      = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	word      = regexp.MustCompile(`[A-Za-z0-9'-]+`)
)

// sentences returns the prose of a page, one sentence each; code in a sentence counts as one word.
func sentences(text string) (list []string) {
	for _, block := range emptyLine.Split(codeBlock.ReplaceAllString(text, ""), -1) {
		var items []string
		for i, line := range strings.Split(block, "\n") {
			mark := listMark.FindString(line)
			if i == 0 || mark != "" {
				items = append(items, "")
			}
			if !noProse.MatchString(line) {
				items[len(items)-1] += " " + line[len(mark):]
			}
		}
		for _, item := range items {
			item = link.ReplaceAllString(codeSpan.ReplaceAllString(item, "x"), "$1")
			list = append(list, splitSentences(item)...)
		}
	}
	return list
}

// splitSentences cuts behind a full stop, an exclamation or question mark, or a colon that blanks follow.
func splitSentences(text string) (list []string) {
	start := 0
	for i := range len(text) - 1 {
		if strings.IndexByte(".!?:", text[i]) >= 0 && (text[i+1] == ' ' || text[i+1] == '\t') {
			list = append(list, text[start:i+1])
			start = i + 1
		}
	}
	return append(list, text[start:])
}

func longSentences(page, text string) (faults []string) {
	count, total := 0, 0
	for _, s := range sentences(text) {
		n := len(word.FindAllString(s, -1))
		if n <= 2 {
			continue // the end of a list, an abbreviation
		}
		count, total = count+1, total+n
		if n > maxSentence {
			faults = append(faults, fmt.Sprintf("%s: a sentence of %d words, at most %d: %.80s...", page, n, maxSentence, strings.TrimSpace(s)))
		}
	}
	if mean := float64(total) / float64(max(count, 1)); mean > maxMean {
		faults = append(faults, fmt.Sprintf("%s: %.1f words a sentence, at most %d", page, mean, maxMean))
	}
	return faults
}

// deadLinks checks links inside the tree: the file exists and, where a heading is named, has it.
func deadLinks(root, page, text string) (faults []string) {
	for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "x"), -1) {
		file, heading, _ := strings.Cut(m[2], "#")
		if strings.Contains(m[2], "://") {
			continue
		}
		to := page
		if file != "" {
			to = path.Join(path.Dir(page), file)
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(to)))
		if _, missing := os.Stat(filepath.Join(root, filepath.FromSlash(to))); missing != nil {
			faults = append(faults, fmt.Sprintf("%s: links to %s, which does not exist", page, m[2]))
		} else if heading != "" && (err != nil || !slices.Contains(anchors(string(data)), heading)) {
			faults = append(faults, fmt.Sprintf("%s: links to %s, which has no such heading", page, m[2]))
		}
	}
	return faults
}

var noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchors returns the names by which the hosting site links to the headings of a page.
func anchors(text string) (names []string) {
	for line := range strings.Lines(codeBlock.ReplaceAllString(text, "")) {
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			heading = noAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			names = append(names, strings.ReplaceAll(heading, " ", "-"))
		}
	}
	return names
}

// goFile matches a Go file of the tree in a code span; a star stands for several.
var goFile = regexp.MustCompile("`([a-z_]+/[a-zA-Z0-9_/*.-]+\\.go)`")

func missingFiles(root, page, text string) (faults []string) {
	for _, m := range goFile.FindAllStringSubmatch(text, -1) {
		if found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil || len(found) == 0 {
			faults = append(faults, fmt.Sprintf("%s: names %s, which does not exist", page, m[1]))
		}
	}
	return faults
}

// goName matches an exported name of a package in a code span.
var goName = regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z0-9]*)[`.\\[({]")

// goBlock matches a piece of Go, goUse a name of package motif in it or a method called on one of its values.
var (
	goBlock = regexp.MustCompile("(?s)```go\n.*?```")
	goUse   = regexp.MustCompile(`\b(?:motif|db|tx|rows)\.([A-Z][A-Za-z0-9]*)`)
)

// missingNames checks names of the module's packages; other words before a dot may be variables. In pieces of Go it
// checks what they use of package motif.
func missingNames(exports map[string]map[string]bool, page, text string) (faults []string) {
	for _, m := range goName.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		if names, ours := exports[m[1]]; ours && !names[m[2]] {
			faults = append(faults, fmt.Sprintf("%s: names %s.%s, which does not exist", page, m[1], m[2]))
		}
	}
	for _, block := range goBlock.FindAllString(text, -1) {
		for _, m := range goUse.FindAllStringSubmatch(block, -1) {
			if names := exports["motif"]; names != nil && !names[m[1]] {
				faults = append(faults, fmt.Sprintf("%s: uses %s, which package motif does not have", page, m[1]))
			}
		}
	}
	return faults
}

// exportedNames lists what the packages below root declare at their top, by the name of the package.
func exportedNames(root string) (exports map[string]map[string]bool, err error) {
	folders, err := packageFolders(root)
	exports = make(map[string]map[string]bool)
	for _, folder := range append(folders, ".") {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			names := exports[file.Name.Name]
			if names == nil {
				names = make(map[string]bool)
				exports[file.Name.Name] = names
			}
			for _, decl := range file.Decls {
				for _, name := range declared(decl) {
					names[name] = true
				}
			}
		}
	}
	return exports, err
}

// declared lists the names that a declaration makes.
func declared(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name) // methods, too
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

var named = regexp.MustCompile("`([a-zA-Z0-9_./-]+)`")

// packageList checks the table of folders in ARCHITECTURE.md: each folder in its first column exists, and each package of
// the module is there, by its path or by its name in the row of a folder above it. Examples need no row each.
func packageList(root, text string) (faults []string, err error) {
	_, table, _ := strings.Cut(text, "\n| folder |")
	table, _, _ = strings.Cut(table, "\n\n")
	listed := make(map[string]bool)
	for row := range strings.Lines(table) {
		cells := strings.SplitN(row, "|", 3)
		if len(cells) < 3 {
			continue
		}
		for _, folder := range named.FindAllStringSubmatch(cells[1], -1) {
			if info, err := os.Stat(filepath.Join(root, folder[1])); err != nil || !info.IsDir() {
				faults = append(faults, fmt.Sprintf("ARCHITECTURE.md: %s is no folder", folder[1]))
			}
			listed[folder[1]] = true
			for _, below := range named.FindAllStringSubmatch(cells[2], -1) {
				listed[path.Join(folder[1], below[1])] = true
				listed[below[1]] = true
			}
		}
	}
	packages, err := packageFolders(root)
	for _, p := range packages {
		if !listed[p] && !within(p, "examples") {
			faults = append(faults, fmt.Sprintf("ARCHITECTURE.md: package %s is not in the table of folders", p))
		}
	}
	return faults, err
}

// packageFolders lists the folders below root that hold Go files which are no tests.
func packageFolders(root string) (folders []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if rel = filepath.ToSlash(rel); rel != "." && !slices.Contains(folders, rel) {
			folders = append(folders, rel)
		}
		return err
	})
	return folders, err
}

// TestDocsFindsFaults breaks every rule once.
func TestDocsFindsFaults(t *testing.T) {
	long := strings.Repeat("word ", maxSentence+1)
	table := "\n| folder | step |\n| --- | --- |\n| `lang` | words; `sub` too |\n"
	for name, c := range map[string]struct{ page, text, want string }{
		"long":            {"docs/a.md", strings.Repeat("Short one here. ", 4) + "A " + long + ".\n", "a sentence of 37 words"},
		"long item":       {"README.md", "- " + long + "\n- Short one here.\n- Short one here.\n- Short one here.\n- Short one here.\n- Short one here.\n", "a sentence of 36 words"},
		"mean":            {"CHANGELOG.md", strings.Repeat("word ", 15) + "\n", "15.0 words a sentence"},
		"code":            {"docs/a.md", "See `" + long + "` here.\n\n```\n" + long + "\n```\n", ""},
		"table":           {"docs/a.md", "| " + long + " |\n# " + long + "\n", ""},
		"items":           {"docs/a.md", "- One two three four.\n- " + strings.Repeat("word ", 13) + "\n  and\n", ""},
		"abbreviation":    {"docs/a.md", "Counts a.b.c as one word and 1.5 as two.\n", ""},
		"link":            {"docs/a.md", "See [b](b.md).\n", "links to b.md, which does not exist"},
		"link up":         {"docs/a.md", "See [b](../README.md), [c](https://example.org/x.md) and [d](../lang).\n", ""},
		"heading":         {"docs/a.md", "# One, `two`\n[x](#one-two)\n[y](#three)\n", "links to #three, which has no such heading"},
		"file":            {"docs/a.md", "See `lang/a.go` and `lang/*.go`.\n", ""},
		"missing file":    {"docs/a.md", "See `lang/b.go`.\n", "names lang/b.go, which does not exist"},
		"name":            {"docs/a.md", "See `lang.Word`, `lang.Word[T]` and `db.Close`.\n", ""},
		"missing name":    {"docs/a.md", "See `lang.Words`.\n", "names lang.Words, which does not exist"},
		"go":              {"docs/a.md", "```go\ndb, err := motif.Open(x)\ndb.Query(y)\n```\n", ""},
		"missing go":      {"docs/a.md", "```go\nmotif.Open(x)\ndb.Ask(y)\n```\n", "uses Ask, which package motif does not have"},
		"packages":        {"ARCHITECTURE.md", table, ""},
		"missing package": {"ARCHITECTURE.md", strings.ReplaceAll(table, "`sub`", "sub"), "package lang/sub is not in the table"},
		"stale package":   {"ARCHITECTURE.md", table + "| `gone` | x |\n", "gone is no folder"},
	} {
		root := t.TempDir()
		for file, text := range map[string]string{"lang/a.go": "package lang\n\ntype Word struct{}\n", "lang/sub/a.go": "package sub\n", "lang/sub/only_test/a_test.go": "package x\n", "README.md": "# Motif\n", "db.go": "package motif\n\nfunc Open() {}\n\nfunc (db *DB) Query() {}\n", c.page: c.text} {
			at := filepath.Join(root, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		faults, _, err := lintDocs(root)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(faults, "\n")
		if c.want == "" && got != "" || c.want != "" && (len(faults) != 1 || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
