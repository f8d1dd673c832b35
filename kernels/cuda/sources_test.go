package cuda

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every source has its PTX, which was made from the text it has now (generate.sh).
func TestSources(t *testing.T) {
	shared := readAll(t, "src/gpu.h", "src/*.cuh")
	sources, err := filepath.Glob("src/*.cu")
	if err != nil || len(sources) == 0 {
		t.Fatal(len(sources), err)
	}
	modules, err := filepath.Glob("ptx/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) != 2*len(sources) {
		t.Errorf("%d modules of %d sources, each for two generations of cards", len(modules), len(sources))
	}
	for _, source := range sources {
		hash := sha256.Sum256(append(slices.Clone(shared), readAll(t, source)...))
		want := "// sources: " + hex.EncodeToString(hash[:]) + "\n"
		for _, card := range []string{"sm_70", "sm_80"} {
			module := "ptx/" + strings.TrimSuffix(filepath.Base(source), ".cu") + "." + card + ".ptx"
			if text := string(readAll(t, module)); !strings.HasPrefix(text, want) {
				t.Errorf("%s has changed since %s was made of it: run go generate ./kernels/cuda", source, module)
			}
		}
	}
}

// readAll returns the files' texts, one after the other.
func readAll(t *testing.T, globs ...string) (all []byte) {
	for _, glob := range globs {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text...)
		}
	}
	return all
}

var kernelPattern = regexp.MustCompile(`(?s)KERNEL\((\w+), (?:\d+|[A-Z]+)\)\((.*?)\)\s*\{`)

// kernelParams returns the parameters of every kernel in the sources: true for a pointer.
func kernelParams(t *testing.T) map[string][]bool {
	files, err := filepath.Glob("src/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`(?s)/\*.*?\*/`)
	kernels := make(map[string][]bool)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range kernelPattern.FindAllStringSubmatch(string(text), -1) {
			for p := range strings.SplitSeq(comment.ReplaceAllString(m[2], ""), ",") {
				kernels[m[1]] = append(kernels[m[1]], strings.Contains(p, "*"))
			}
		}
	}
	return kernels
}

// Every call of launch names a kernel and gives it what it takes: an address where it has a pointer, a number elsewhere.
func TestLaunches(t *testing.T) {
	kernels := kernelParams(t)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	launched := make(map[string]bool)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if f, isName := call.Fun.(*ast.Ident); isName && f.Name == "launch" {
				if lit, ok := call.Args[0].(*ast.BasicLit); ok {
					kernel, _ := strconv.Unquote(lit.Value)
					launched[kernel] = true
				}
				return true
			}
			args := call.Args
			if f, isName := call.Fun.(*ast.Ident); isName && f.Name == "launchTogether" {
				args = args[1:] // behind the device
			} else if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "launch" {
				return true
			}
			lit, ok := args[0].(*ast.BasicLit)
			if !ok { // cliques_lanes: the names stand where launchLanes chooses
				return true
			}
			kernel, _ := strconv.Unquote(lit.Value)
			launched[kernel] = true
			params, ok := kernels[kernel]
			if !ok {
				t.Errorf("%v: there is no kernel %s", fset.Position(call.Pos()), kernel)
				return true
			}
			if call.Ellipsis != token.NoPos { // cliques.go: the device checks the number
				return true
			}
			var pointers []bool
			for _, a := range args[4:] {
				pointers = append(pointers, isAddress(a))
			}
			if !slices.EqualFunc(pointers, params, func(is, pointer bool) bool { return is == pointer }) && !zeros(args[4:], params) {
				t.Errorf("%v: kernel %s takes %v (true: an address), the call gives %v", fset.Position(call.Pos()), kernel, params, pointers)
			}
			return true
		})
	}
	for k := range kernels {
		if !launched[k] {
			t.Errorf("nobody launches the kernel %s", k)
		}
	}
}

// isAddress tells whether an argument is buffer.arg(), perhaps with an offset, or a variable of that.
func isAddress(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.SelectorExpr)
		return ok && f.Sel.Name == "arg"
	case *ast.BinaryExpr:
		return isAddress(x.X)
	case *ast.Ident:
		return x.Name == "edges" || x.Name == "size"
	}
	return false
}

// zeros allows a literal 0 for a pointer.
func zeros(args []ast.Expr, params []bool) bool {
	if len(args) != len(params) {
		return false
	}
	for i, a := range args {
		lit, ok := a.(*ast.BasicLit)
		if isAddress(a) != params[i] && !(ok && lit.Value == "0") {
			return false
		}
	}
	return true
}
