package enginetest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slip is a mistake planted into the code of units. $ in its text is true when the slip is the one that is tried.
type slip struct{ name, file, was, is string }

var slips = []slip{
	{"positions for ranges", "internal/exec/unit.go", "to, _ := slices.BinarySearch(list, b.Hi)\n", "to, _ := slices.BinarySearch(list, b.Hi)\nif $ { from, to = min(int(b.Lo), len(list)), min(int(b.Hi), len(list)) }\n"},
	{"early division", "internal/exec/unit.go", "plus, minus, err := t.number()\n", "plus, minus, err := t.number()\nif $ { n, _ := plus.Div(t.v.Scheme.Divisor); plus, _ = n.Mul(t.v.Scheme.Divisor) }\n"},
	{"reorder", "internal/exec/division.go", "	switch {\n	case sc != nil && len(sc.Order) > 0", "	switch {\n	case sc != nil && !$ && len(sc.Order) > 0"},
	{"constraints beside a division", "internal/exec/division.go", "match.FixedOrder(q, sc.Order, sc.Free)", "match.FixedOrder(q, sc.Order, sc.Free && !$)"},
	{"a formula over filtered sets", "internal/exec/division.go", "if sc == nil || sc.Route == pattern.RouteSearch ||", "if $ || sc == nil || sc.Route == pattern.RouteSearch ||"},
	{"a formula filters as deep as its process", "internal/exec/division.go", "env.Repeatable = pattern.FilterAuto, true\n", "env.Repeatable = pattern.FilterAuto, true\nif $ { env.Filter = m.env.Filter }\n"},
	{"groups end in units and meet again", "internal/exec/division.go", "return keys != nil && slot >= 0 && keys.differs(slot)", "return $ || keys != nil && slot >= 0 && keys.differs(slot)"},
	{"lost rest", "join/share.go", "rest := lv.list[lv.at:]\n", "rest := lv.list[lv.at:]\nif $ && len(rest) > 0 { rest = rest[1:] }\n"},
	{"double rest", "join/share.go", "rest := lv.list[lv.at:]\n", "rest := lv.list[lv.at:]\nif $ { rest = lv.list[lv.at-1:] }\n"},
	{"lost rest of a range", "internal/exec/unit.go", "	return rest, nil\n}\n\n// portion does", "	if $ && rest != nil { rest[0][0].Lo++ }\n	return rest, nil\n}\n\n// portion does"},
	{"double rest of a range", "internal/exec/unit.go", "	return rest, nil\n}\n\n// portion does", "	if $ && rest != nil { rest[0][0].Lo-- }\n	return rest, nil\n}\n\n// portion does"},
	{"lost rest of roots", "internal/exec/unit.go", "	if box[0].Lo < csr.VertexID(ranks.Lo) && t.more {\n", "	if $ { ranks.Lo-- }\n	if box[0].Lo < csr.VertexID(ranks.Lo) && t.more {\n"},
	{"double rest of roots", "internal/exec/unit.go", "	if box[0].Lo < csr.VertexID(ranks.Lo) && t.more {\n", "	if $ && box[0].Lo < csr.VertexID(ranks.Lo) { ranks.Lo++ }\n	if box[0].Lo < csr.VertexID(ranks.Lo) && t.more {\n"},
	{"cyclic graphs of earlier units again", "kernels/hom/cyclic.go", "	counts, next, err := x.Count(r.ctx, part.lo, ", "	from := part.lo\n	if $ { from = 0 }\n	counts, next, err := x.Count(r.ctx, from, "},
	{"what is not divided, in every unit", "kernels/hom/divide.go", "return !r.divides() || r.portion.lo == 0", "return $ || !r.divides() || r.portion.lo == 0"},
	{"a part of a group's number lost", "internal/exec/part.go", "	if len(p.groups) == 0 {\n", "	if $ && len(p.groups) > 0 { p.groups = nil }\n	if len(p.groups) == 0 {\n"},
	{"what a group subtracts forgotten", "internal/exec/part.go", "sums[i], err = p.groups[i].Add(numbers[i])", "sums[i], err = p.groups[i].Add(pattern.Signed{Plus: numbers[i].Plus, Minus: map[bool]pattern.Count128{false: numbers[i].Minus}[$]})"},
	{"weights of another runner forgotten", "kernels/hom/prepared.go", "w.ready, w.each, w.most = true, x.each, x.most\n", "w.ready, w.each, w.most = true, x.each, x.most\nif $ { w.each = nil }\n"},
	{"what nobody has prepared adopted", "kernels/hom/divide.go", "r.portion.ready || o.done", "r.portion.ready || o.done || $"},
	{"roots of the range before", "join/root_sums.go", "	lo, hi := csr.VertexID(min(s.Lo, x.s.N()))", "	if $ && s.Lo > 0 { s.Lo-- }\n	lo, hi := csr.VertexID(min(s.Lo, x.s.N()))"},
}

// TestUnitSlips plants mistakes into the code of units, all into one program, and has a random test notice each of them. MOTIF_MUTANTS asks
// for it, since it compiles.
func TestUnitSlips(t *testing.T) {
	if os.Getenv("MOTIF_MUTANTS") == "" {
		t.Skip("MOTIF_MUTANTS is not set")
	}
	program := plantSlips(t)
	for _, s := range slips {
		t.Run(s.name, func(t *testing.T) {
			began := time.Now()
			run := exec.Command(program, "-test.run", "^(TestRandomUnits|TestCliqueRows)$", "-test.timeout", "10m")
			run.Env = append(os.Environ(), "MOTIF_SLIP="+s.name, "MOTIF_UNITS=40000", "MOTIF_SEED=")
			log, err := run.CombinedOutput()
			if err == nil {
				t.Fatalf("nobody noticed\n%s", log)
			}
			t.Logf("noticed after %v: %.300s", time.Since(began).Round(time.Millisecond), log)
		})
	}
}

// plantSlips compiles the tests of this package with all slips.
func plantSlips(t *testing.T) (program string) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out, texts, replace := t.TempDir(), map[string]string{}, map[string]string{}
	for _, s := range slips {
		file := filepath.Join(root, s.file)
		if texts[file] == "" {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(text)
			folder := filepath.Dir(file)
			texts[filepath.Join(folder, "planted.go")] = "package " + filepath.Base(folder) + "\n\nimport \"os\"\n\nvar planted = os.Getenv(\"MOTIF_SLIP\")\n"
		}
		if !strings.Contains(texts[file], s.was) {
			t.Fatalf("%s no longer has %q: write the slip anew", s.file, s.was)
		}
		texts[file] = strings.Replace(texts[file], s.was, strings.ReplaceAll(s.is, "$", fmt.Sprintf("(planted == %q)", s.name)), 1)
	}
	for file, text := range texts {
		replace[file] = filepath.Join(out, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[file], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "overlay"), overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(out, "units.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", filepath.Join(out, "overlay"), "-o", program, ".")
	if log, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	return program
}
