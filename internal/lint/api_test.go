package lint

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files of the API and the picture of ARCHITECTURE.md, to be reviewed as a diff")

// published lists the packages whose exported API is kept in testdata/api: the root, and what its types come from.
var published = []string{".", "draw", "lang", "lang/assist", "storage", "storage/exporter", "storage/importer"}

// TestAPI compares what packages export with testdata/api, so that no change of it goes unnoticed.
func TestAPI(t *testing.T) {
	for _, pkg := range published {
		got, err := exported(filepath.Join("../..", filepath.FromSlash(pkg)))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "api", strings.ReplaceAll(cmp.Or(strings.Trim(pkg, "."), "motif"), "/", "-")+".txt")
		if *rewrite {
			if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if changes := lineChanges(strings.Split(strings.TrimSpace(string(want)), "\n"), got); len(changes) > 0 {
			t.Errorf("the exported API of package %s has changed:\n%s\nPrograms that embed Motif see this. If it is meant, say so in CHANGELOG.md and run: go test ./internal/lint -run TestAPI -rewrite",
				pkg, strings.Join(changes, "\n"))
		}
	}
}

// lineChanges lists the lines that only one of two sorted lists has.
func lineChanges(want, got []string) (changes []string) {
	for _, line := range want {
		if _, ok := slices.BinarySearch(got, line); !ok {
			changes = append(changes, "- "+line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			changes = append(changes, "+ "+line)
		}
	}
	return changes
}

// exported lists what the package in dir exports on Linux, without build tags: a line for each function, method, constant,
// variable, type and field.
func exported(dir string) (lines []string, err error) {
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled, context.BuildTags = "linux", "amd64", false, nil
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if match, err := context.MatchFile(filepath.Split(name)); err != nil || !match {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			lines = append(lines, exportedBy(decl)...)
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// exportedBy lists what one declaration exports.
func exportedBy(decl ast.Decl) (lines []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			return []string{source(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})}
		}
	case *ast.GenDecl:
		var kind ast.Expr // of the constants of a group
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					lines = append(lines, exportedType(s)...)
				}
			case *ast.ValueSpec:
				if s.Type != nil || len(s.Values) > 0 {
					kind = s.Type
				}
				lines = append(lines, exportedValues(d.Tok, s, kind)...)
			}
		}
	}
	return lines
}

func exportedValues(what token.Token, s *ast.ValueSpec, kind ast.Expr) (lines []string) {
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		line := fmt.Sprintf("%s %s", what, name.Name)
		if kind != nil {
			line += " " + source(kind)
		}
		if what == token.CONST && i < len(s.Values) && !strings.Contains(source(s.Values[i]), "iota") {
			line += " = " + source(s.Values[i])
		}
		lines = append(lines, line)
	}
	return lines
}

// exportedType lists a type, with a line for each of its exported fields or methods.
func exportedType(s *ast.TypeSpec) (lines []string) {
	head := "type " + s.Name.Name
	if s.TypeParams != nil {
		head += "[...]"
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		lines = append(lines, head+" struct")
		for _, f := range t.Fields.List {
			for _, name := range f.Names {
				if name.IsExported() {
					lines = append(lines, fmt.Sprintf("%s struct, %s %s", head, name.Name, source(f.Type)))
				}
			}
			if len(f.Names) == 0 && ast.IsExported(receiver(f.Type)) {
				lines = append(lines, fmt.Sprintf("%s struct, %s", head, source(f.Type)))
			}
		}
	case *ast.InterfaceType:
		lines = append(lines, head+" interface")
		for _, m := range t.Methods.List {
			text := source(m.Type)
			if len(m.Names) > 0 {
				text = m.Names[0].Name + strings.TrimPrefix(text, "func")
				if !m.Names[0].IsExported() {
					text = "(unexported methods)"
				}
			}
			lines = append(lines, head+" interface, "+text)
		}
	default:
		if s.Assign.IsValid() {
			head += " ="
		}
		lines = append(lines, head+" "+source(s.Type))
	}
	return lines
}

// receiver is the name of the type of a receiver or an embedded field.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// source prints a node on one line.
func source(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// TestAPIFindsChanges sees that a removed, a changed and a new name are told.
func TestAPIFindsChanges(t *testing.T) {
	dir := t.TempDir()
	text := "package p\n\n// A is documented.\ntype A struct {\n\tX, y int\n\t*B\n}\n\ntype B interface{ M(a int) error; n() }\n\nfunc (a *A) F(x ...string) (n int) { return 0 }\n\nfunc (b c) G() {}\n\nconst (\n\tOne A = iota\n\tTwo\n)\n\nvar V = 1\n\ntype D = B\n"
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := exported(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"const One A", "const Two A", "func (a *A) F(x ...string) (n int)", "type A struct", "type A struct, *B", "type A struct, X int", "type B interface",
		"type B interface, (unexported methods)", "type B interface, M(a int) error", "type D = B", "var V"}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
	}
	if changes := lineChanges(want, append([]string{"const New"}, want[1:]...)); !slices.Equal(changes, []string{"- const One A", "+ const New"}) {
		t.Errorf("changes %q", changes)
	}
}
