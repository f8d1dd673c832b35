package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// clauseGen writes random queries over clauses. It keeps to expressions that cannot fail.
type clauseGen struct {
	*rand.Rand
	vars  []genVar
	made  int
	depth int // of subqueries

	long   bool     // with paths of variable length
	walks  bool     // the clause's paths need bounds
	either bool     // it is open which of several paths are given
	before []genVar // the clause
	far    int      // relationships that repeat, so far
}

type genVar struct {
	name string
	kind byte // n, r or i: node, relationship, integer; m, l, p: nodes, relationships, a path; q, k: a path and a list that may be others
}

func (g *clauseGen) pick(options ...string) string { return options[g.IntN(len(options))] }

// one returns the name of a variable of a kind, or "".
func (g *clauseGen) one(kind byte) string {
	var names []string
	for _, v := range g.vars {
		if v.kind == kind {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[g.IntN(len(names))]
}

func (g *clauseGen) fresh(kind byte) string {
	g.made++
	name := fmt.Sprintf("%c%d", kind, g.made)
	g.vars = append(g.vars, genVar{name, kind})
	return name
}

// node writes a node pattern; add says whether it may bind a variable.
func (g *clauseGen) node(add bool) string {
	name := ""
	switch g.IntN(4) {
	case 0, 1:
		name = g.one('n')
	case 2:
		if add {
			name = g.fresh('n')
		}
	}
	return "(" + name + g.pick("", "", "", ":A", ":B", ":!A") + g.inline(name) + ")"
}

func (g *clauseGen) rel(add bool) string {
	if g.long && g.far < 4 && g.IntN(2) == 0 {
		return g.repeated(add)
	}
	name := ""
	if add && g.IntN(3) == 0 {
		name = g.fresh('r')
	}
	if g.long && name == "" && g.IntN(4) == 0 {
		name = g.one('r') // of an earlier clause: Check refuses others
	}
	inner := name + g.pick("", "", ":R", ":S", ":R|S")
	if inner != "" {
		inner = "[" + inner + "]"
	}
	switch g.IntN(3) {
	case 0:
		return "-" + inner + "->"
	case 1:
		return "<-" + inner + "-"
	}
	return "-" + inner + "-"
}

// path writes a path of up to n relationships.
func (g *clauseGen) path(n int, add bool) string {
	text := g.node(add)
	for range n {
		text += g.rel(add) + g.node(add)
	}
	return text
}

// integer writes an expression that is an integer or null.
func (g *clauseGen) integer() string {
	if g.long && g.IntN(4) == 0 {
		if x := g.ofPaths(); x != "" {
			return x
		}
	}
	switch g.IntN(7) {
	case 0:
		return strconv.Itoa(g.IntN(4))
	case 1:
		if n := g.one('n'); n != "" {
			return "id(" + n + ")"
		}
	case 2:
		if n := g.one('n'); n != "" {
			return n + ".x"
		}
	case 3:
		if r := g.one('r'); r != "" {
			return r + ".x"
		}
	case 4:
		if g.depth < 1 {
			if g.long && g.IntN(3) == 0 {
				return "size(COLLECT { MATCH " + g.inSub() + " })"
			}
			return "COUNT { " + g.sub() + " }"
		}
	case 5:
		if n := g.one('n'); n != "" && g.depth < 1 {
			return "size([(" + n + ")" + g.rel(false) + "(y) | y.x])"
		}
	}
	if i := g.one('i'); i != "" {
		return i
	}
	return "2"
}

// sub writes the inside of a subquery.
func (g *clauseGen) sub() string {
	g.depth++
	before := slices.Clone(g.vars)
	earlier, walks, either := g.before, g.walks, g.either
	g.before, g.walks, g.either = before, false, false
	defer func() { g.vars = before; g.depth--; g.before, g.walks, g.either = earlier, walks, either }()
	text := "MATCH " + g.path(1+g.IntN(2), true)
	if g.IntN(2) == 0 {
		text += " WHERE " + g.condition()
	}
	if g.IntN(3) == 0 {
		text += " RETURN " + g.pick("", "DISTINCT ") + g.integer() + " AS sub"
	} else if g.IntN(4) == 0 {
		text += " WITH count(*) AS c WHERE c > " + g.integer() + " RETURN c"
	}
	return text
}

// pattern writes a pattern as a predicate: it binds nothing.
func (g *clauseGen) pattern() string {
	n := g.one('n')
	if n == "" {
		return "true"
	}
	text := "(" + n + g.pick("", ":A") + ")" + g.rel(false)
	if m := g.one('n'); m != "" && g.IntN(2) == 0 {
		text += "(" + m + ")"
	} else {
		text += "(" + g.pick("", ":B") + ")"
	}
	if g.IntN(3) == 0 {
		text += g.rel(false) + "()"
	}
	return text
}

func (g *clauseGen) condition() string {
	if g.long && g.IntN(5) == 0 {
		if x := g.member(); x != "" {
			return x
		}
	}
	switch g.IntN(9) {
	case 0:
		return g.integer() + g.pick(" = ", " < ", " <> ", " >= ") + g.integer()
	case 1:
		if a, b := g.one('n'), g.one('n'); a != "" {
			return a + g.pick(" = ", " <> ") + b
		}
	case 2:
		if a := g.one('n'); a != "" {
			return a + g.pick(" IS NULL", " IS NOT NULL", ":A", ":B")
		}
	case 3, 4:
		return g.pattern()
	case 5:
		return "NOT " + g.pattern()
	case 6:
		if g.depth < 2 {
			return g.pick("", "NOT ") + "EXISTS { " + g.sub() + " }"
		}
	case 7:
		return "(" + g.condition() + g.pick(" AND ", " OR ") + g.condition() + ")"
	}
	return g.integer() + " > " + strconv.Itoa(g.IntN(3))
}

func (g *clauseGen) where() string {
	if g.IntN(2) == 0 {
		return ""
	}
	return " WHERE " + g.condition()
}

// clause writes one clause.
func (g *clauseGen) clause() string {
	g.before, g.walks = slices.Clone(g.vars), false
	switch g.IntN(9) {
	case 0, 1, 2:
		mode := g.pick("", "", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ")
		g.walks = mode == "REPEATABLE ELEMENTS "
		return "MATCH " + mode + g.paths() + g.where()
	case 3, 4:
		return "OPTIONAL MATCH " + g.pick("", "", "", "DIFFERENT NODES ") + g.paths() + g.where()
	case 5:
		if g.long && g.IntN(2) == 0 {
			if text := g.unwindPath(); text != "" {
				return text
			}
		}
		list := "[" + g.integer() + ", " + g.integer() + "]"
		return "UNWIND " + list + " AS " + g.fresh('i')
	case 6:
		if g.depth == 0 {
			return g.call()
		}
	}
	return g.with()
}

func (g *clauseGen) paths() string {
	text := ""
	if g.long && g.IntN(3) == 0 {
		if text = g.chosen(); g.IntN(3) == 0 {
			return g.path(g.IntN(3), true) + ", " + text
		} else if g.IntN(3) == 0 {
			text += ", " + g.path(g.IntN(3), true)
		}
		return text
	}
	if g.IntN(4) == 0 {
		g.made++
		text = fmt.Sprintf("p%d = ", g.made)
	}
	text += g.path(g.IntN(3), true)
	if g.IntN(5) == 0 {
		text += ", " + g.path(g.IntN(2), true)
	}
	return text
}

// call writes a correlated subquery that gives one integer a row.
func (g *clauseGen) call() string {
	g.depth++
	before := slices.Clone(g.vars)
	head := "CALL (*) { "
	if n := g.one('n'); n != "" && g.IntN(2) == 0 {
		head = "CALL (" + n + ") { "
		g.vars = []genVar{{n, 'n'}}
	} else if g.IntN(4) == 0 {
		head = "CALL { "
		g.vars = nil
	}
	text := head + g.clause() + " RETURN "
	value := g.pick("count(*)", "min("+g.integer()+")", g.integer(), "DISTINCT "+g.integer())
	g.made++
	name := fmt.Sprint("i", g.made)
	text += value + " AS " + name
	if g.IntN(3) == 0 {
		text += " ORDER BY " + name + " LIMIT 2"
	}
	if g.IntN(4) == 0 {
		text += " UNION " + g.pick("", "ALL ") + "RETURN " + g.pick("1", "2") + " AS " + name
	}
	g.vars = append(before, genVar{name, 'i'})
	g.depth--
	return text + " }"
}

// items writes the items of WITH or RETURN, and returns the variables that remain after them.
func (g *clauseGen) items(grouped bool) (text []string, after []genVar) {
	for range 1 + g.IntN(3) {
		switch g.IntN(4) {
		case 0, 1:
			if len(g.vars) > 0 {
				v := g.vars[g.IntN(len(g.vars))]
				if v.kind == 'q' || v.kind == 'k' {
					continue
				}
				if slices.ContainsFunc(after, func(w genVar) bool { return w.name == v.name }) {
					continue
				}
				if g.IntN(3) == 0 {
					g.made++
					w := genVar{fmt.Sprintf("%c%d", v.kind, g.made), v.kind}
					text, after = append(text, v.name+" AS "+w.name), append(after, w)
				} else {
					text, after = append(text, v.name), append(after, v)
				}
			}
		default:
			g.made++
			name := fmt.Sprint("i", g.made)
			x := g.integer()
			if grouped && g.IntN(2) == 0 {
				x = g.pick("count(*)", "count("+x+")", "sum("+x+")", "min("+x+")", "max("+x+") + 1", "count(DISTINCT "+x+")", "size(collect("+x+"))")
			}
			text, after = append(text, x+" AS "+name), append(after, genVar{name, 'i'})
		}
	}
	if len(text) == 0 {
		g.made++
		name := fmt.Sprint("i", g.made)
		return []string{"count(*) AS " + name}, []genVar{{name, 'i'}}
	}
	return text, after
}

func namesOf(vars []genVar) string {
	var all []string
	for _, v := range vars {
		all = append(all, v.name)
	}
	return strings.Join(all, ", ")
}

func (g *clauseGen) with() string {
	if g.IntN(5) == 0 && len(g.vars) > 0 {
		return "WITH *" + g.where()
	}
	items, after := g.items(g.IntN(3) == 0)
	text := "WITH " + g.pick("", "", "DISTINCT ") + strings.Join(items, ", ")
	g.vars = after
	if g.IntN(3) == 0 {
		text += " ORDER BY " + namesOf(after) + g.pick("", " DESC") + g.pick("", " SKIP 1") + g.pick("", " LIMIT 3")
	}
	return text + g.where()
}

func (g *clauseGen) query() string {
	var text []string
	for range 1 + g.IntN(4) {
		text = append(text, g.clause())
	}
	items, after := g.items(g.IntN(2) == 0)
	text = append(text, "RETURN "+g.pick("", "", "DISTINCT ")+strings.Join(items, ", "))
	if g.IntN(4) == 0 {
		text = append(text, "ORDER BY "+namesOf(after)+g.pick("", " SKIP 2")+g.pick("", " LIMIT 4"))
	}
	return strings.Join(text, " ")
}

// TestClausesAgainstInterpreter compares random queries with what the interpreter of clauses gives: plans with all rewrites
// and without any, and with probes switched off. MOTIF_QUERIES says how many, MOTIF_SEED which is the first.
func TestClausesAgainstInterpreter(t *testing.T) { compareClauses(t, false) }

// TestPathsAmongClauses does so for queries with paths of variable length.
func TestPathsAmongClauses(t *testing.T) { compareClauses(t, true) }

func compareClauses(t *testing.T, long bool) {
	defer everyKey()()
	defer hurryLanes()()
	laneDelay = 0
	compareRandom(t, 61, func(seed uint64, rng *rand.Rand) (*csr.Snapshot, string, []answerWay) {
		singleRows = int(seed % 5)
		minKeyRows, laneRows, maxLaneRows = []float64{-1, 1e18, 2, 3}[seed%4], []int{1, 3, 16}[seed%3], []int{0, 2, 1 << 15}[seed/3%3]
		s := testgraph.Random(seed, testgraph.Options{Vertices: 2 + rng.IntN(3), Edges: 2 + rng.IntN(5), Labels: 2, Types: 2})
		if long && seed%4 == 0 {
			s = testgraph.Random(seed, testgraph.Options{Vertices: 4 + rng.IntN(4), Edges: 4 + rng.IntN(8), Labels: 2, Types: 2})
		}
		if long && rng.IntN(3) == 0 {
			s = indexed(testgraph.Changed(seed, s, rng.IntN(2) == 0))
		}
		text := (&clauseGen{Rand: rng, long: long}).query()
		names := pattern.TechniqueNames()
		off := names[rng.IntN(len(names))]
		without, err := pattern.ParseTechniques(off)
		if err != nil {
			t.Fatal(err)
		}
		return s, text, []answerWay{
			{"fast", &query{s: s}}, {"brute", &query{s: s, brute: true}},
			{"without probes", &query{s: s, env: &pattern.Env{Workers: 1, Without: pattern.Techniques{}.With(pattern.RowProbe)}}},
			{"joined", &query{s: s, device: onCPU{}}},
			{"without " + off, &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 2, Without: without}}},
			{"in batches", &query{s: s, device: onCPU{}, batch: batchSizes[rng.IntN(len(batchSizes))]}},
			{"in batches by brute force", &query{s: s, batch: batchSizes[rng.IntN(len(batchSizes))]}},
		}
	})
}
