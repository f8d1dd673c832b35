package planner_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// A plan with all rewrites gives the rows of one without any. Both run on the brute force device, so that nothing but
// the planner differs.
func TestRewritesAgainstBrute(t *testing.T) {
	compared, nonEmpty := 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 6))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 2 + rng.IntN(4), Edges: 3 + rng.IntN(8), Labels: 3, Types: 1 + rng.IntN(2), Simple: rng.IntN(2) == 0})
		query := randomQuery(rng)
		want, err := run(query, s, true)
		if refused := new(lang.Error); errors.As(err, &refused) {
			continue
		} else if err != nil {
			t.Fatalf("seed %d: %s\n%v", seed, query, err)
		}
		got, err := run(query, s, false)
		if err != nil {
			t.Fatalf("seed %d: %s\n%v", seed, query, err)
		}
		compared++
		if len(want) > 0 && want[0] != "0" {
			nonEmpty++
		}
		if !agree(query, got, want) {
			t.Fatalf("seed %d: %s\ngot  %q\nwant %q", seed, query, got, want)
		}
	}
	t.Logf("%d queries compared, %d of them with rows", compared, nonEmpty)
	if nonEmpty < 200 {
		t.Error("too few to mean anything")
	}
}

// agree compares rows as a bag. Of an unordered LIMIT only the number is determined: want comes without it then.
func agree(query string, got, want []string) bool {
	if _, n, ok := strings.Cut(query, " LIMIT "); ok {
		limit := 0
		fmt.Sscan(n, &limit)
		left := slices.Clone(want)
		for _, row := range got {
			i := slices.Index(left, row)
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
		return len(got) == min(limit, len(want))
	}
	slices.Sort(got)
	slices.Sort(want)
	return slices.Equal(got, want)
}

func run(query string, s *csr.Snapshot, brute bool) ([]string, error) {
	if brute {
		query, _, _ = strings.Cut(query, " LIMIT ")
	}
	script, err := lang.Parse(query)
	if err != nil {
		return nil, err
	}
	if _, err := lang.Check(script.Statements[0], nil); err != nil {
		return nil, err
	}
	plan, err := planner.New(context.Background(), script.Statements[0], s, planner.Options{Brute: brute})
	if err != nil {
		return nil, err
	}
	var rows []string
	_, err = exec.Run(context.Background(), plan, s, testgraph.Brute{}, &pattern.Env{}, map[string]value.Value{"yes": value.OfBool(true), "two": value.OfInt(2)},
		func(row []value.Value) (bool, error) {
			// Of the equal values 2 and 2.0, a group shows the one that came first.
			rows = append(rows, strings.ReplaceAll(fmt.Sprint(row), ".0", ""))
			return true, nil
		})
	return rows, err
}

// queryGen writes random queries.
type queryGen struct {
	*rand.Rand
	nodes, rels []string // variables so far
}

func randomQuery(rng *rand.Rand) string {
	g := &queryGen{Rand: rng}
	var b strings.Builder
	elements := 4
	for range 1 + g.IntN(3) {
		b.WriteString("MATCH " + g.pick("", "", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ", "DISTINCT SUBGRAPHS ", "INDUCED SUBGRAPHS ", "DISTINCT INDUCED SUBGRAPHS "))
		for i := range 1 + g.IntN(2) {
			if i > 0 {
				b.WriteString(", ")
			}
			n := g.IntN(min(3, max(1, elements)))
			elements -= n + 1
			b.WriteString(g.path(n))
		}
		if g.IntN(2) == 0 {
			b.WriteString(" WHERE " + g.condition())
			for g.IntN(2) == 0 {
				b.WriteString(" AND " + g.condition())
			}
		}
		b.WriteString(" ")
		if elements <= 0 {
			break
		}
	}
	return b.String() + "RETURN " + g.returns()
}

func (g *queryGen) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *queryGen) path(n int) string {
	out := g.node()
	for range n {
		out += g.rel() + g.node()
	}
	return out
}

func (g *queryGen) node() string {
	name := g.pick("", "a", "b", "c", "d")
	if name != "" && !slices.Contains(g.nodes, name) {
		g.nodes = append(g.nodes, name)
	}
	return "(" + name + g.pick("", "", "", ":A", ":A|B", ":!C", ":%", ":Nobody") + g.pick("", "", "", "", "", " {x: 1}", " WHERE 1 < 2") + ")"
}

func (g *queryGen) rel() string {
	name := g.pick("", "", "", "r", "s", "t")
	if name != "" && !slices.Contains(g.rels, name) {
		g.rels = append(g.rels, name)
	}
	inner := name + g.pick("", "", "", ":R", ":R|S", ":Nothing") + g.pick("", "", "", "", "", " {x: 1}")
	if inner != "" {
		inner = "[" + inner + "]"
	}
	return g.pick("-"+inner+"-", "-"+inner+"->", "<-"+inner+"-")
}

func (g *queryGen) var1(of []string) string {
	if len(of) == 0 {
		return "a"
	}
	return of[g.IntN(len(of))]
}

func (g *queryGen) condition() string {
	u, w, x, r, q := g.var1(g.nodes), g.var1(g.nodes), g.var1(g.nodes), g.var1(g.rels), g.var1(g.rels)
	switch g.IntN(19) {
	case 0:
		return u + " <> " + w
	case 1:
		return "NOT " + u + " = " + w
	case 2:
		return "id(" + u + ") <> id(" + w + ")"
	case 3:
		return fmt.Sprintf("ALL_DIFFERENT(%s, %s, %s)", u, w, x)
	case 4, 5:
		return fmt.Sprintf("IS_CLIQUE([%s, %s, %s]%s)", u, w, x, g.pick("", ", 'R'", ", ['R', 'S']", ", 'Nothing'"))
	case 6:
		return u + g.pick(":A", ":A&!B", ":%")
	case 7:
		return "NOT " + u + ":B"
	case 8:
		return fmt.Sprintf("(%s:A OR %s:B)", u, g.pick(u, w))
	case 9:
		return r + " <> " + q
	case 10:
		return r + ".x < 4"
	case 11:
		return u + ".x < " + w + ".x"
	case 12:
		return g.pick("true", "$yes", "1 < $two", "null")
	case 13:
		return r + ".x < " + u + ".x"
	case 14:
		return u + " = " + w
	case 15:
		return fmt.Sprintf("NOT IS_CLIQUE([%s, %s])", u, w)
	}
	return u + g.pick(".x < 3", ".x > 0", ".name IS NULL")
}

func (g *queryGen) returns() string {
	u, w, r := g.var1(g.nodes), g.var1(g.nodes), g.var1(g.rels)
	switch g.IntN(13) {
	case 0, 1:
		return "count(*)"
	case 2:
		return "count(" + g.pick(u, r) + ") + 1 AS n, count(*)"
	case 3:
		return "*"
	case 4:
		return "DISTINCT " + u + ".x AS x, " + w
	case 5:
		return u + ".x AS x, count(*), sum(" + w + ".x) + count(" + u + ")"
	case 6:
		return u + ", " + r
	case 7:
		return u + ".x AS x, " + u + " ORDER BY " + u + ".name, x, id(" + w + ")"
	case 8:
		return "count(DISTINCT " + u + ")"
	case 9:
		return u + ", " + w + " LIMIT 2"
	case 10:
		return u + ".x + 1, " + r + " LIMIT 3"
	case 11:
		return "1 AS one"
	}
	return u + ", count(*) AS n ORDER BY n, " + u
}

// TestManyWarnings plans a query of very many properties that no node of the label has: hints are for the first of them only.
func TestManyWarnings(t *testing.T) {
	b := csr.NewBuilder()
	v := b.AddVertex(b.Label("A"))
	b.SetVertex(v, b.Key("x"), csr.IntCell(1))
	v = b.AddVertex(b.Label("B"))
	for i := range 900 {
		b.SetVertex(v, b.Key(fmt.Sprintf("key%d", i)), csr.IntCell(1))
		b.SetVertex(0, b.Key(fmt.Sprintf("other%d", i)), csr.IntCell(1))
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	script, err := lang.Parse("MATCH (n:A) RETURN [" + strings.Repeat("n.key5, ", 20_000) + "1] AS list")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lang.Check(script.Statements[0], nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	plan, err := planner.New(ctx, script.Statements[0], s, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(plan.Warnings); n != 20 {
		t.Errorf("%d warnings", n)
	}
}

// TestPlanningEnds checks that planning ends with its context.
func TestPlanningEnds(t *testing.T) {
	g := testgraph.Random(1, testgraph.Options{Vertices: 4, Edges: 6})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{
		strings.Repeat("OPTIONAL MATCH (a)-->(b) ", 500) + "RETURN a",
		strings.Repeat("CALL { RETURN 1 AS x } WITH 1 AS y ", 500) + "RETURN y",
		"MATCH " + strings.Repeat("(a)-->(), ", 500) + "(b) RETURN a",
		"RETURN [" + strings.Repeat("$p, ", 500) + strings.Repeat("EXISTS { (a) }, ", 100) + "1]",
		strings.Repeat("CREATE (:X) ", 500),
	} {
		script, err := lang.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := planner.New(ctx, script.Statements[0], g, planner.Options{}); err != context.Canceled {
			t.Errorf("%.30s... %v", text, err)
		}
	}
}
