package enginetest

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner"
)

// preferCounts makes counts of small graphs take the ways that are meant for long ones: formulas, or a search in another order that divides by
// the number of automorphisms.
func preferCounts(formulas bool) (restore func()) {
	if !formulas {
		return join.AnyOrder()
	}
	undo := []func(){planner.AllFormulas(), exec.EverySearch(), join.AlwaysFormula(), join.AlwaysPairs()}
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// count is a query that counts a path, a cycle, a star, a clique, a graph in between or two graphs, of three to five nodes, as a whole or by groups. Half of
// them have labels, so that units of a formula filter.
func (g *queryGen) count() string {
	n := 3 + g.IntN(3)
	names := []string{"a", "b", "c", "d", "e"}[:n]
	g.labelled = g.chance(0.5)
	mode := g.pick("", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ", "INDUCED SUBGRAPHS ", "DISTINCT INDUCED SUBGRAPHS ", "DISTINCT SUBGRAPHS ", "DISTINCT SUBGRAPHS ", "DISTINCT SUBGRAPHS ")
	text := "MATCH " + mode + strings.Join(g.joins(names), ", ")
	first, last, x, y := names[0], names[n-1], g.pick(names...), g.pick(names...)
	switch g.IntN(18) {
	case 0:
		return fmt.Sprintf("%s RETURN %s.x AS k, count(*) AS n", text, x)
	case 1:
		return fmt.Sprintf("%s RETURN id(%s) AS k, id(%s) AS l, count(*) AS n", text, first, last)
	case 2:
		return fmt.Sprintf("%s WHERE id(%s) < id(%s) RETURN id(%s) AS k, id(%s) AS l, count(*) AS n ORDER BY n DESC, k, l LIMIT 9", text, first, last, first, last)
	case 3:
		return fmt.Sprintf("%s RETURN %s.x AS k, %s.x AS l, count(*) AS n, max(%s.x) AS m", text, x, y, x)
	case 4:
		return fmt.Sprintf("%s WHERE %s.x > 0 RETURN count(*) AS n", text, x)
	case 5:
		return fmt.Sprintf("%s RETURN %s.x AS k, id(%s) AS l, count(*) AS n", text, first, last)
	case 6:
		return fmt.Sprintf("%s WITH id(%s) AS k, %s AS l, count(*) AS n RETURN n, count(*) AS m, sum(k) AS s", text, first, g.pick("id("+last+")", last+".x"))
	case 7: // groups that tell all nodes but one apart
		return text + " RETURN " + strings.Join(keysBut(names, g.IntN(n)), ", ") + ", count(*) AS n" + g.pick("", " ORDER BY n DESC, "+strings.Join([]string{"k0", "k1", "k2", "k3"}[:n-1], ", ")+" LIMIT 9")
	case 8:
		return fmt.Sprintf("%s RETURN DISTINCT %s.x AS k, id(%s) AS l ORDER BY l, k LIMIT %d", text, x, y, 1+g.IntN(9))
	}
	return text + " RETURN count(*) AS n"
}

// keysBut are columns of the ids of all nodes but one.
func keysBut(names []string, one int) (keys []string) {
	for i, name := range names {
		if i != one {
			keys = append(keys, fmt.Sprintf("id(%s) AS k%d", name, len(keys)))
		}
	}
	return keys
}

// joins are the relationships of a pattern.
func (g *queryGen) joins(names []string) (parts []string) {
	n, arrow := len(names), g.pick("--", "--", "--", "-->")
	labels := make([]string, n)
	for i := range labels {
		if g.labelled {
			labels[i] = g.label()
		}
	}
	end := func(i int) string { // with its label where it comes first
		text := "(" + names[i] + labels[i] + ")"
		labels[i] = ""
		return text
	}
	join := func(i, j int) { parts = append(parts, end(i)+arrow+end(j)) }
	complete, straight := n < 5 && g.chance(0.15), g.chance(0.6)
	second := 0 // the first node of a second component, which no relationship joins to the nodes before
	if n > 3 && !complete && g.chance(0.15) {
		second = 2
	}
	for i := 1; i < n; i++ {
		switch {
		case i == second:
		case complete:
			for j := range i {
				join(j, i)
			}
		case straight:
			join(i-1, i)
		case i > second:
			join(second+g.IntN(i-second), i)
		default:
			join(g.IntN(i), i)
		}
	}
	if !complete && second == 0 && g.chance(0.5) {
		join(n-1, 0)
	}
	return parts
}
