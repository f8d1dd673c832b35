//go:build cuda && cgo && linux

package motif

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/cuda"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Routes says for every stage of an operator that a GPU has a kernel for where it would run now, and why. Where there is no
// GPU there is nothing to say.
func (g gpu) Routes(s *csr.Snapshot, n planner.Node) (notes []string) {
	for _, w := range stagesOf(s, n) {
		w.Workers = g.workers
		note := w.What + " on GPU (it was asked for)"
		switch {
		case !g.chosen && w.left != nil:
			note = fmt.Sprintf("%s on CPU (%v)", w.What, w.left)
		case !g.chosen:
			device, v := "CPU", g.ledger.Peek(g.opened().Weigh(w.Work, s), w.Work, s)
			if v.GPU {
				device = "GPU"
			}
			note = fmt.Sprintf("%s on %s (%v)", w.What, device, v)
		}
		notes = append(notes, note)
	}
	return notes
}

// stage is what an operator asks of a device.
type stage struct {
	cuda.Work
	left error // why it is left to the CPU unless the device was asked for; nil: the times decide
}

// answers lists which device answered what; where there is no GPU, that is known without saying.
func answers(t *pattern.Tally) []string {
	list := t.Answers()
	if len(list) == 0 || !cuda.Present() {
		return nil
	}
	return list
}

// stagesOf is what an operator asks of a device, as far as the plan tells; nothing, where there is none: the views of a large graph that
// tell it are not made for that.
func stagesOf(s *csr.Snapshot, n planner.Node) []stage {
	switch n := n.(type) {
	case *planner.Match:
		if cuda.Present() {
			return matchStages(s, n)
		}
	case *planner.Call:
		if cuda.Present() {
			return callStages(s, n)
		}
	}
	return nil
}

// matchStages are those of a pattern: its filter; and its formula, its join, or cliques, if these come from one set.
func matchStages(s *csr.Snapshot, m *planner.Match) []stage {
	p := m.Pattern
	if given(p) {
		return nil
	}
	work := []stage{{Work: cuda.Work{What: "filter", Items: filter.LabelCandidates(s, p)}}}
	switch {
	case m.Clique == nil && len(p.Vertices) > 1:
		j := &pattern.Job{Pattern: p, Order: m.Order}
		if elements, ok := join.ExpectFormula(s, m.Formula, m.EstSets, m.Order.Cost); ok {
			w := joinWork(j)
			w.What, w.Items = "formula", elements
			return append(work, stage{Work: w})
		}
		left := error(nil)
		if !m.Count {
			left = errRows
		} else if len(p.Vertices) > gainingNodes {
			left = errLarger
		}
		return append(work, stage{joinWork(j), left})
	case m.Clique == nil || len(m.Clique.Groups) != 1 || len(p.Vertices) < 3:
		return work
	}
	w := cuda.Work{What: "cliques", K: len(p.Vertices), Types: p.Edges[0].Types}
	if !m.Count {
		w.What = "lists of cliques"
	}
	if u := m.Clique.Groups[0][0]; len(m.EstSets) > u {
		w.Share = min(1, m.EstSets[u]/float64(max(1, s.N())))
	}
	return append(work, stage{Work: w})
}

// callStages are those of a procedure.
func callStages(s *csr.Snapshot, c *planner.Call) []stage {
	w := cuda.Work{Types: typesOption(s, c)}
	switch c.Procedure.Name {
	case "algo.triangleCount":
		w.What = "triangles"
	case "algo.cliqueCount":
		size, ok := constantOption(c, "size").(int64)
		if !ok || size < 3 || c.Procedure.Column("node") >= 0 {
			return nil
		}
		w.What, w.K = "cliques", int(min(size, 1<<30))
	case "algo.cliques":
		size, ok := constantOption(c, "size").(int64)
		if !ok || size < 3 {
			return nil
		}
		w.What, w.K = "lists of cliques", int(min(size, 1<<30))
	case "algo.kcore":
		if word(c, "variant") == pattern.CoreBZ.String() {
			return nil
		}
		w.What, w.Direction = "cores", csr.Both
		if way := strings.ToUpper(word(c, "direction")); way == "OUT" || way == "IN" {
			w.Direction = directionOption(c)
		}
	case "algo.ktruss":
		w.What = "trusses"
	case "algo.bfs":
		w.What, w.Direction = "breadth-first search", directionOption(c)
	case "algo.connectedComponents":
		if strings.ToUpper(word(c, "direction")) == "OUT" {
			return nil
		}
		w.What, w.Direction = "components", csr.Both
	case "algo.diameter":
		w.What, w.Direction = "diameter", directionOption(c)
	default:
		return nil
	}
	return []stage{{Work: w}}
}

// constantOption is the value of an option, if it is written out; else nil.
func constantOption(c *planner.Call, name string) any {
	if x, ok := optionOf(c, name).(*lang.Literal); ok {
		return x.Value
	}
	return nil
}

// word is the value of an option that is a string; "" without it.
func word(c *planner.Call, name string) string {
	text, _ := constantOption(c, name).(string)
	return text
}

func optionOf(c *planner.Call, name string) lang.Expr {
	for _, a := range c.Args {
		m, ok := a.(*lang.MapLit)
		if !ok {
			continue
		}
		for i, key := range m.Keys {
			if key.Text == name {
				return m.Values[i]
			}
		}
	}
	return nil
}

// typesOption is the set of the types that a call names, all if what it names is not written out.
func typesOption(s *csr.Snapshot, c *planner.Call) csr.TypeSet {
	names := []lang.Expr{optionOf(c, "type")}
	if list, ok := optionOf(c, "types").(*lang.ListLit); ok {
		names = list.Items
	}
	set := csr.TypeSet{}
	for _, x := range names {
		literal, ok := x.(*lang.Literal)
		if !ok {
			return nil
		}
		if name, ok := literal.Value.(string); ok {
			if t, known := s.Types.Lookup(name); known {
				set = append(set, csr.TypeID(t))
			}
		}
	}
	return set
}

func directionOption(c *planner.Call) csr.Direction {
	switch strings.ToUpper(word(c, "direction")) {
	case "IN":
		return csr.In
	case "BOTH":
		return csr.Both
	}
	return csr.Out
}
