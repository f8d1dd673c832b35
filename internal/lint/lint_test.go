package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/motifql/motif"

// arrows lists, for each package by its folder, the packages of the module that it may import. The root
// package is "."; "*" stands for all. Tests may import what they like.
var arrows = map[string][]string{
	"lang":                        {},
	"internal/csr":                {"internal/hugepages", "internal/spool", "internal/workgroup"},
	"internal/lint":               {},
	"internal/archive":            {},
	"internal/workgroup":          {},
	"internal/hugepages":          {},
	"internal/spool":              {},
	"internal/roaring":            {},
	"internal/shared":             {"internal/archive"},
	"internal/pattern":            {"internal/csr", "internal/workgroup"},
	"internal/spatial":            {},
	"internal/temporal":           {},
	"internal/value":              {"internal/csr", "internal/spatial", "internal/temporal"},
	"internal/testgraph":          {"internal/csr", "internal/pattern"},
	"internal/goldentest":         {"lang", "planner", "internal/pattern", "internal/csr"},
	"planner":                     {"lang", "planner/match", "internal/pattern", "internal/csr"},
	"planner/match":               {"internal/pattern", "internal/csr"}, // no language and no plan, so that any step may ask it
	"kernels":                     {"internal/pattern", "internal/csr"},
	"kernels/sets":                {},
	"kernels/parallel":            {"internal/pattern", "internal/workgroup"},
	"kernels/triangle":            {"kernels/sets", "internal/hugepages", "internal/pattern", "internal/csr", "internal/workgroup"},
	"kernels/core":                {"kernels/parallel", "internal/hugepages", "internal/pattern", "internal/csr", "internal/spool"},
	"kernels/clique":              {"kernels/core", "kernels/parallel", "kernels/sets", "internal/pattern", "internal/csr", "internal/workgroup"},
	"kernels/truss":               {"kernels/core", "kernels/parallel", "kernels/sets", "internal/hugepages", "internal/pattern", "internal/csr", "internal/workgroup"},
	"kernels/bfs":                 {"kernels/parallel", "internal/hugepages", "internal/pattern", "internal/csr", "internal/workgroup"},
	"kernels/components":          {"kernels/parallel", "internal/pattern", "internal/csr"},
	"kernels/diameter":            {"kernels/bfs", "kernels/components", "kernels/parallel", "internal/pattern", "internal/csr"},
	"kernels/cyclic":              {"kernels/parallel", "internal/hugepages", "internal/pattern", "internal/csr"},
	"kernels/graphlet":            {"kernels/clique", "kernels/parallel", "internal/hugepages", "internal/pattern", "internal/csr"},
	"kernels/hom":                 {"kernels/cyclic", "kernels/parallel", "kernels/sets", "kernels/triangle", "internal/hugepages", "internal/pattern", "internal/csr", "internal/workgroup"},
	"kernels/paths":               {"kernels/bfs", "kernels/parallel", "internal/pattern", "internal/csr"},
	"kernels/network":             {"kernels/parallel", "internal/pattern", "internal/csr"},
	"kernels/rank":                {"kernels/network", "kernels/parallel", "internal/pattern", "internal/csr"},
	"kernels/dijkstra":            {"kernels/network", "kernels/parallel", "internal/pattern", "internal/csr"},
	"kernels/closeness":           {"kernels/dijkstra", "kernels/network", "kernels/parallel", "internal/pattern", "internal/csr"},
	"kernels/betweenness":         {"kernels/dijkstra", "kernels/network", "internal/pattern", "internal/csr", "internal/workgroup"},
	"kernels/community":           {"kernels/network", "internal/pattern", "internal/csr"},
	"kernels/similarity":          {"kernels/network", "kernels/parallel", "internal/pattern", "internal/csr"},
	"kernels/internal/kerneltest": {"internal/shared", "internal/testgraph", "storage/importer", "internal/pattern", "internal/csr"},
	"kernels/cuda":                {"filter", "kernels/core", "kernels/diameter", "kernels/hom", "kernels/cuda/shim", "internal/pattern", "internal/csr", "internal/workgroup"},
	"kernels/cuda/shim":           {},
	"bench/gpu":                   {"filter", "join", "planner/match", "kernels/cuda", "kernels/bfs", "kernels/clique", "kernels/core", "kernels/hom", "kernels/triangle", "kernels/truss", "internal/testgraph", "internal/figures", "internal/pattern", "internal/csr"},
	"internal/figures":            {},
	"filter":                      {"kernels/core", "kernels/sets", "kernels/truss", "internal/pattern", "internal/csr", "internal/workgroup"},
	"join":                        {"filter", "kernels/clique", "kernels/hom", "kernels/parallel", "kernels/sets", "internal/pattern", "internal/csr", "internal/workgroup"},
	"internal/eval":               {"lang", "planner", "internal/pattern", "internal/value", "internal/spatial", "internal/temporal", "internal/csr"},
	"internal/exec":               {"lang", "planner", "planner/match", "internal/eval", "internal/files", "internal/pattern", "internal/temporal", "internal/value", "internal/csr", "internal/workgroup"},
	"internal/files":              {},
	"internal/device":             {"filter", "join", "kernels/betweenness", "kernels/bfs", "kernels/clique", "kernels/closeness", "kernels/community", "kernels/components", "kernels/core", "kernels/diameter", "kernels/dijkstra", "kernels/graphlet", "kernels/hom", "kernels/paths", "kernels/rank", "kernels/similarity", "kernels/triangle", "kernels/truss", "kernels/cuda", "internal/pattern", "internal/csr", "internal/workgroup"},
	"internal/flat":               {"internal/workgroup"},
	"storage":                     {"internal/csr", "internal/flat", "internal/hugepages", "internal/roaring", "internal/spool", "internal/value", "internal/workgroup", "kernels/core"},
	"storage/importer":            {"internal/csr", "internal/parquet", "internal/value", "internal/pattern", "internal/spool", "internal/workgroup"},
	"storage/exporter":            {"internal/csr", "internal/parquet", "internal/value"},
	"internal/graphdiff":          {"internal/csr", "internal/value"},
	"internal/parquet":            {"internal/value"},
	".":                           {"*"},
	"internal/hook":               {"internal/csr", "storage"},
	"internal/guard":              {},
	"internal/jsontext":           {"internal/figures", "internal/value"},
	"internal/convert":            {"internal/pattern", "internal/value"},
	"internal/explain":            {"planner", "filter", "internal/exec", "internal/figures", "internal/pattern", "internal/csr"},
	"internal/sample":             {"storage/importer"},
	"internal/enginetest":         {},
	"internal/selectortest":       {},
	"internal/tckserver":          {"."},
	"draw":                        {"."},
	"lang/assist":                 {".", "lang"},
	"internal/repl":               {".", "draw", "lang", "lang/assist", "internal/figures"},
	"internal/explorer":           {".", "draw", "internal/repl", "lang", "lang/assist"},
	"cmd/motif":                   {".", "draw", "internal/explorer", "internal/repl", "storage/exporter", "storage/importer", "internal/testgraph", "bench/gpu", "bench/large", "bench/suite"},
	"cmd/playground":              {".", "internal/explorer"},
	"cmd/motif-cluster":           {".", "internal/repl", "cmd/motif-cluster/blobs", "cmd/motif-cluster/temporal"},
	"cmd/motif-cluster/dev":       {"internal/repl", "cmd/motif-cluster/temporal"},
	"cmd/motif-cluster/temporal":  {".", "internal/repl", "cmd/motif-cluster/blobs"},
	"cmd/motif-cluster/storetest": {".", "internal/repl"},
	"cmd/motif-cluster/blobs":     {".", "lang", "storage"},
	"bench":                       {"*"},
	"bench/suite":                 {"*"},
	"bench/large":                 {"internal/figures"},
	"bench/plot":                  {},
	"examples":                    {},
	"examples/embed":              {"."},
	"examples/maze":               {"."},
}

// owners lists the only folders, with what lies below them, that may import a dependency.
var owners = map[string]string{
	"github.com/dgraph-io/badger":      "storage",
	"github.com/alecthomas/participle": "lang",
	"github.com/alecthomas/kong":       "cmd",
	"gorgonia.org/cu":                  "kernels/cuda",
	"golang.org/x/image":               "draw",
}

func TestModule(t *testing.T) {
	faults, files, err := lint("../..", excused)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
	if files < 10 {
		t.Errorf("only %d files seen", files)
	}
}

// lint checks every Go file below root, whatever its build constraints. It lets pass what stands in the table of excuses.
func lint(root string, long excuses) (faults []string, files int, err error) {
	found := newSizes()
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			hidden := name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"))
			if hidden || base == "testdata" || base == "vendor" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		wrong, err := lintFile(name, filepath.ToSlash(rel), found)
		faults = append(faults, wrong...)
		return err
	})
	return append(faults, found.faults(long)...), files, err
}

func lintFile(name, rel string, sizes *sizes) ([]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, rel, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	test := strings.HasSuffix(rel, "_test.go")
	faults := imports(file, path.Dir(rel), rel, test)
	if !test && !ast.IsGenerated(file) {
		sizes.add(set, file, rel, bytes.Count(text, []byte("\n")))
	}
	return faults, nil
}

// imports checks the import list of a file in folder pkg.
func imports(file *ast.File, pkg, rel string, test bool) (faults []string) {
	allowed, known := arrows[pkg]
	if !known {
		faults = append(faults, fmt.Sprintf("%s: package %s is not in the table of arrows", rel, pkg))
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return append(faults, fmt.Sprintf("%s: %v", rel, err))
		}
		for dependency, owner := range owners {
			if within(name, dependency) && !within(pkg, owner) {
				faults = append(faults, fmt.Sprintf("%s: imports %s, which belongs to %s", rel, name, owner))
			}
		}
		if test || !known || !within(name, module) || slices.Contains(allowed, "*") {
			continue
		}
		target := "."
		if name != module {
			target = strings.TrimPrefix(name, module+"/")
		}
		if !slices.Contains(allowed, target) {
			faults = append(faults, fmt.Sprintf("%s: %s must not import %s", rel, pkg, target))
		}
	}
	return faults
}

// within reports whether a slash-separated path is root or lies below it.
func within(name, root string) bool {
	return name == root || strings.HasPrefix(name, root+"/")
}

// TestLintFindsFaults breaks every rule once.
func TestLintFindsFaults(t *testing.T) {
	long := strings.Repeat("// x\n", maxFile)
	function := "func f() {\n" + strings.Repeat("\n", maxFunction-1) + "}\n"
	for name, c := range map[string]struct{ text, want string }{
		"lang/a.go":              {"package lang\nimport _ \"" + module + "/internal/csr\"\n", "lang must not import internal/csr"},
		"internal/repl/a.go":     {"package repl\nimport _ \"" + module + "/planner\"\n", "internal/repl must not import planner"},
		"internal/repl/b.go":     {"package repl\nimport _ \"" + module + "\"\n", ""},
		"kernels/a.go":           {"package kernels\nimport _ \"" + module + "\"\n", "kernels must not import ."},
		"kernels/a_test.go":      {"package kernels\nimport _ \"" + module + "/join\"\n", ""},
		"new/a.go":               {"package new\n", "package new is not in the table"},
		"join/a.go":              {"package join\nimport _ \"github.com/dgraph-io/badger/v4\"\n", "belongs to storage"},
		"storage/a.go":           {"package storage\nimport _ \"github.com/dgraph-io/badger/v4/y\"\n", ""},
		"planner/a_test.go":      {"package planner\nimport _ \"github.com/alecthomas/participle/v2\"\n", "belongs to lang"},
		"internal/repl/c.go":     {"package repl\nimport _ \"github.com/alecthomas/kong\"\n", "belongs to cmd"},
		"cmd/motif/a.go":         {"package main\nimport _ \"github.com/alecthomas/kong\"\n", ""},
		"lang/long.go":           {"package lang\n" + long, "501 lines, at most 500"},
		"lang/long_test.go":      {"package lang\n" + long, ""},
		"lang/generated.go":      {"// Code generated by x. DO NOT EDIT.\n\npackage lang\n" + long, ""},
		"lang/function.go":       {"package lang\n" + function, "function lang.f has 61 lines, at most 60"},
		"lang/testdata/a.go":     {"not Go", ""},
		"internal/csr/tagged.go": {"//go:build never\n\npackage csr\nimport _ \"" + module + "/lang\"\n", "must not import lang"},
	} {
		root := t.TempDir()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		faults, _, err := lint(root, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(faults, "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: faults %q, want %q", name, got, c.want)
		}
	}
}
