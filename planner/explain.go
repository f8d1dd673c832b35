package planner

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

func (m *Match) Inputs() []Node     { return inputs(m.Input) }
func (f *Filter) Inputs() []Node    { return inputs(f.Input) }
func (p *Project) Inputs() []Node   { return inputs(p.Input) }
func (a *Aggregate) Inputs() []Node { return inputs(a.Input) }
func (d *Distinct) Inputs() []Node  { return inputs(d.Input) }
func (s *Sort) Inputs() []Node      { return inputs(s.Input) }
func (s *Skip) Inputs() []Node      { return inputs(s.Input) }
func (l *Limit) Inputs() []Node     { return inputs(l.Input) }

func (u *Unwind) Inputs() []Node { return inputs(u.Input) }
func (u *Union) Inputs() []Node  { return u.Parts }

// Inputs of an Apply are where its rows come from, if that is not the one empty row, and what it runs for each.
func (a *Apply) Inputs() []Node {
	if a.Inner == nil {
		return inputs(a.Input)
	}
	return append(inputs(a.Input), a.Inner)
}

func inputs(n Node) []Node {
	if n == nil {
		return nil
	}
	return []Node{n}
}

func (f *Filter) Notes() []string    { return nil }
func (p *Project) Notes() []string   { return nil }
func (a *Aggregate) Notes() []string { return nil }
func (d *Distinct) Notes() []string  { return nil }
func (s *Skip) Notes() []string      { return nil }
func (l *Limit) Notes() []string     { return nil }

func (u *Unwind) Notes() []string { return nil }
func (u *Union) Notes() []string  { return nil }

// Notes says what the last of its inputs is.
func (a *Apply) Notes() []string { return []string{"runs the last of its inputs for every row"} }

// Notes says how many rows are kept at a time.
func (s *Sort) Notes() []string {
	if s.Top == nil {
		return nil
	}
	return []string{"keeps the first " + text(s.Top) + " rows only"}
}

// Notes says how the matches are found, step by step, and why so.
func (m *Match) Notes() []string { return m.NotesWith(m.Order.Steps, m.Runs(), nil) }

// Runs returns the number of rows for which the pattern is expected to be matched.
func (m *Match) Runs() float64 { return inputRows(m.Input) }

// NotesWith is Notes for an order that a search has taken; see StepNotes.
func (m *Match) NotesWith(order []pattern.Step, runs float64, visited []uint64) []string {
	notes := slices.Clone(m.notes.before)
	if m.Clique == nil {
		notes = append(notes, m.StepNotes(order, runs, visited)...)
	}
	return append(notes, m.notes.after...)
}

// Describe names the operator and what it works on.
func (m *Match) Describe() (op, detail string) {
	switch {
	case m.Clique != nil && m.Count:
		op = "Count cliques"
	case m.Clique != nil:
		op = "List cliques"
		if m.CliquesByNode() {
			op = "Count cliques by node"
		}
	case m.Count:
		op = "Count matches"
	default:
		op = "Match"
	}
	detail = m.Pattern.Text(m.types)
	if m.Optional {
		op = "Optional " + strings.ToLower(op[:1]) + op[1:]
	}
	if m.Limit > 0 {
		detail += fmt.Sprintf(", first %d", m.Limit)
	}
	return op, detail
}

func (f *Filter) Describe() (op, detail string)   { return "Filter", text(f.Cond) }
func (p *Project) Describe() (op, detail string)  { return "Project", items(p.Items) }
func (d *Distinct) Describe() (op, detail string) { return "Distinct", "" }
func (s *Skip) Describe() (op, detail string)     { return "Skip", text(s.N) }
func (l *Limit) Describe() (op, detail string)    { return "Limit", text(l.N) }

func (u *Union) Describe() (op, detail string) {
	return [...]string{lang.UnionOp: "Union", lang.ExceptOp: "Except", lang.IntersectOp: "Intersect", lang.OtherwiseOp: "Otherwise"}[u.Op], ""
}

func (a *Apply) Describe() (op, detail string) {
	switch {
	case a.Batch == nil:
	case a.Batch.OnError == lang.ErrorFails:
		detail = "in batches, each committed"
	default:
		detail = "in batches, each committed, or undone if it fails"
	}
	return [...]string{ApplyRows: "Apply", ApplyOptional: "Optional", ApplyUnit: "For each row"}[a.Kind], detail
}

func (u *Unwind) Describe() (op, detail string) {
	return "Unwind", cmp.Or(u.source, text(u.List)) + " as " + u.name
}

func (a *Aggregate) Describe() (op, detail string) {
	var parts []string
	for _, g := range a.Aggs {
		parts = append(parts, g.String())
	}
	detail = strings.Join(parts, ", ")
	if len(a.Keys) > 0 {
		detail += " by " + items(a.Keys)
	}
	return "Aggregate", strings.TrimSpace(detail)
}

func (s *Sort) Describe() (op, detail string) {
	var parts []string
	for _, k := range s.Keys {
		part := cmp.Or(k.source, text(k.Expr))
		if k.Descending {
			part += " descending"
		}
		parts = append(parts, part)
	}
	return "Sort", strings.Join(parts, ", ")
}

// String prints the call as a query would write it.
func (g Agg) String() string {
	arg := "*"
	if g.Arg != nil {
		arg = text(g.Arg)
	}
	if g.Distinct {
		arg = "DISTINCT " + arg
	}
	for _, x := range g.More {
		arg += ", " + text(x)
	}
	return g.Func + "(" + arg + ")"
}

func items(list []Item) string {
	var parts []string
	for _, it := range list {
		parts = append(parts, cmp.Or(it.source, text(it.Expr)))
	}
	return strings.Join(parts, ", ")
}

// inputRows is how many rows an operator over n reads.
func inputRows(n Node) float64 {
	if n == nil {
		return 1
	}
	return n.Estimate()
}

func (m *Match) Estimate() float64     { return m.Est }
func (f *Filter) Estimate() float64    { return f.Est }
func (a *Aggregate) Estimate() float64 { return a.Est }
func (p *Project) Estimate() float64   { return inputRows(p.Input) }
func (d *Distinct) Estimate() float64  { return inputRows(d.Input) }
func (s *Sort) Estimate() float64      { return inputRows(s.Input) }

func (a *Apply) Estimate() float64  { return a.Est }
func (u *Unwind) Estimate() float64 { return u.Est }

func (u *Union) Estimate() (n float64) {
	if u.Op != lang.UnionOp {
		return inputRows(u.Parts[0])
	}
	for _, p := range u.Parts {
		n += inputRows(p)
	}
	return n
}

func (s *Skip) Estimate() float64 {
	n, _ := integer(s.N)
	return max(0, inputRows(s.Input)-float64(n))
}

func (l *Limit) Estimate() float64 {
	if n, ok := integer(l.N); ok {
		return min(inputRows(l.Input), float64(n))
	}
	return inputRows(l.Input)
}

// String prints the plan as a tree, the root first, with estimated rows.
func (p *Plan) String() string {
	var b strings.Builder
	p.write(&b, p.Root, "", "")
	return b.String()
}

func (p *Plan) write(b *strings.Builder, n Node, first, rest string) {
	op, detail := n.Describe()
	fmt.Fprintf(b, "%s%s  %s\n", first, strings.TrimSpace(op+" "+detail), rows(n.Estimate()))
	below := n.Inputs()
	for _, sub := range p.SubPlans(n) {
		below = append(below, sub)
	}
	bar := "    "
	if len(below) > 0 {
		bar = "│   "
	}
	for _, note := range n.Notes() {
		b.WriteString(rest + bar + note + "\n")
	}
	for i, in := range below {
		if i == len(below)-1 {
			p.write(b, in, rest+"└─ ", rest+"   ")
		} else {
			p.write(b, in, rest+"├─ ", rest+"│  ")
		}
	}
}

func rows(n float64) string {
	if s := about(n); s != "~1" {
		return s + " rows"
	}
	return "~1 row"
}

// exactly prints a number with at most three digits.
func exactly(n uint64) string { return strings.TrimPrefix(about(float64(n)), "~") }

// about prints an estimate with at most three digits.
func about(n float64) string {
	switch {
	case n <= 0:
		return "0"
	case n < 0.5:
		return "<1"
	case n >= 1e15:
		return "~" + strconv.FormatFloat(n, 'e', 0, 64)
	}
	unit := ""
	for _, u := range []string{" k", " M", " G", " T"} {
		if n < 999.5 {
			break
		}
		n, unit = n/1000, u
	}
	if unit == "" {
		n = math.Round(n)
	}
	return "~" + strconv.FormatFloat(n, 'g', 3, 64) + unit
}

// Hash returns a hash of what the operators do, without their estimates.
func (p *Plan) Hash() string {
	h := fnv.New128a()
	var add func(n Node)
	add = func(n Node) {
		if n == nil {
			return
		}
		op, detail := n.Describe()
		fmt.Fprintf(h, "%s\x00%s\x00(", op, detail)
		if m, ok := n.(*Match); ok {
			fmt.Fprint(h, m.Pattern.String(), m.VertexSlot, m.EdgeSlot, m.Count, m.Limit)
		}
		for _, in := range n.Inputs() {
			add(in)
		}
		fmt.Fprint(h, ")")
	}
	add(p.Root)
	return hex.EncodeToString(h.Sum(nil))
}
