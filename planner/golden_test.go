package planner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// The commands of the golden files are graph (input: the lines that buildGraph reads; the graph holds for the cases below),
// plan and brute (input: a query; output: the plan tree), pattern (output: String of the patterns, bottom up) and rows
// (output: operators with slots). The flag -rewrite writes the outputs anew.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, file string) {
		var snap *csr.Snapshot
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "graph" {
				snap = buildGraph(t, d.Input)
				return describeGraph(snap) + "\n"
			}
			return strings.TrimSpace(runCommand(t, d, snap)) + "\n"
		})
	})
}

func runCommand(t *testing.T, d *datadriven.TestData, s *csr.Snapshot) string {
	plan, err := planQuery(d.Input, s, Options{Brute: d.Cmd == "brute"})
	if err != nil {
		return "error: " + err.Error()
	}
	switch d.Cmd {
	case "plan", "brute":
		return plan.String()
	case "pattern":
		return patterns(plan.Root)
	case "rows":
		return rowsOf(plan)
	}
	d.Fatalf(t, "there is no command %s", d.Cmd)
	return ""
}

func planQuery(query string, s *csr.Snapshot, opt Options) (*Plan, error) {
	script, err := lang.Parse(query)
	if err != nil {
		return nil, err
	}
	stmt := script.Statements[0]
	if _, err := lang.Check(stmt, nil); err != nil {
		return nil, err
	}
	return New(context.Background(), stmt, s, opt)
}

func patterns(n Node) string {
	var b strings.Builder
	for _, in := range n.Inputs() {
		b.WriteString(patterns(in))
	}
	if m, ok := n.(*Match); ok {
		b.WriteString(m.Pattern.Text(m.types) + "\n" + m.Pattern.String())
	}
	return b.String()
}

// rowsOf prints the operators with the slots they read and write.
func rowsOf(p *Plan) string {
	var b strings.Builder
	for i, s := range p.Slots {
		fmt.Fprintf(&b, "slot %d %s %s\n", i, [...]string{"node", "relationship", "value"}[s.Kind], s.Name)
	}
	var visit func(n Node)
	visit = func(n Node) {
		for _, in := range n.Inputs() {
			visit(in)
		}
		op, detail := n.Describe()
		switch n := n.(type) {
		case *Match:
			detail = fmt.Sprint("vertices ", n.VertexSlot, " edges ", n.EdgeSlot)
			if n.Count {
				detail += fmt.Sprint(" count ", n.CountSlot)
			}
			if n.Limit > 0 {
				detail += fmt.Sprint(" limit ", n.Limit)
			}
		case *Project:
			detail = slotted(n.Items)
		case *Aggregate:
			detail = slotted(n.Keys)
			for _, a := range n.Aggs {
				detail += fmt.Sprintf(" %d=%v", a.Slot, a)
			}
		case *Distinct:
			detail = fmt.Sprint(n.Slots)
		case *Sort:
			if n.Top != nil {
				detail += " top " + text(n.Top)
			}
		}
		fmt.Fprintln(&b, strings.TrimSpace(op+" "+detail))
	}
	visit(p.Root)
	fmt.Fprintln(&b, "columns", strings.Join(p.Columns, " | "), p.Out)
	return b.String()
}

func slotted(list []Item) string {
	var parts []string
	for _, it := range list {
		parts = append(parts, fmt.Sprintf("%d=%s", it.Slot, text(it.Expr)))
	}
	return strings.Join(parts, " ")
}

// buildGraph reads lines of three kinds:
//
//	10 A&B             ten vertices with labels A and B (- for none)
//	1 -R-> 2           a relationship between vertices, numbered from 1 in order of lines
//	500 A -R-> B       500 random relationships from vertices of the line that says A to those of B; "simple" at the
//	                   end: at most one between two vertices, and no loops
func buildGraph(t *testing.T, input string) *csr.Snapshot {
	b := csr.NewBuilder()
	rng := rand.New(rand.NewPCG(1, 2))
	ranges := map[string][2]int{}
	seen := map[[2]uint32]bool{}
	for line := range strings.Lines(input) {
		f := strings.Fields(line)
		n, err := strconv.Atoi(f[0])
		if err != nil {
			t.Fatalf("graph line %q: %v", line, err)
		}
		switch {
		case len(f) == 2:
			var labels []csr.LabelID
			for l := range strings.SplitSeq(f[1], "&") {
				if l != "-" {
					labels = append(labels, b.Label(l))
				}
			}
			slices.Sort(labels)
			first := b.AddVertices(n, labels...)
			ranges[f[1]] = [2]int{int(first), int(first) + n}
		case len(f) == 3:
			to, _ := strconv.Atoi(f[2])
			b.AddEdge(uint32(n-1), uint32(to-1), b.Type(strings.Trim(f[1], "->")))
		default:
			src, dst, ty := ranges[f[1]], ranges[f[3]], b.Type(strings.Trim(f[2], "->"))
			for i := 0; i < n; {
				u, v := uint32(src[0]+rng.IntN(src[1]-src[0])), uint32(dst[0]+rng.IntN(dst[1]-dst[0]))
				if ends := [2]uint32{min(u, v), max(u, v)}; len(f) > 4 {
					if u == v || seen[ends] {
						continue
					}
					seen[ends] = true
				}
				b.AddEdge(u, v, ty)
				i++
			}
		}
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func describeGraph(s *csr.Snapshot) string {
	return fmt.Sprintf("%d vertices, %d relationships, %d classes, simple %v", s.N(), s.M(), len(s.Classes), s.Stats.SimpleUnion(nil))
}
