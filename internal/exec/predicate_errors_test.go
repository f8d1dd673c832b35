package exec

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/lang"
)

// failingGen writes random queries whose conditions fail for some nodes and relationships, over patterns that seldom match as a whole.
type failingGen struct {
	*rand.Rand
	vars, rels []string
}

func (g *failingGen) pick(options ...string) string { return options[g.IntN(len(options))] }

// shape writes a pattern. Its variables join those of g.
func (g *failingGen) shape(rename bool) string {
	text := g.pick("(a)", "(a)-[r]->(b)", "(a)--(b)--(c)", "(a)-[r]->(b)-[q]->(c)", "(a)-->(b)<--(c)", "(a)--(b)--(c)--(a)", "(a)--(b)--(c)--(d)--(a)",
		"(a)-->(b)-->(c)-->(d)-->(a)", "(a)-[r]-(b)-[q]-(c)-[s]-(a)", "(a)--(b), (c)--(d)", "(a)-[r]->(b)<-[q]-(a)", "(a)-[r]->(a)", "(a)-[:T0]->(b)-[:T1]->(c)",
		"(a)--(b)--(c)--(d), (a)--(c), (b)--(d)", "(a)-[:T0]-(b)-[r:T1]-(c)--(d)", "(a)-[r]-(b)--(c)--(d)--(e)")
	for _, v := range []string{"a", "b", "c", "d", "e"} {
		if !strings.Contains(text, "("+v+")") {
			continue
		}
		if label := g.pick("", "", "", ":A", ":B", ":!A"); label != "" {
			text = strings.Replace(text, "("+v+")", "("+v+label+")", 1)
		}
		g.vars = append(g.vars, v)
	}
	for _, r := range []string{"r", "q", "s"} {
		if strings.Contains(text, "["+r) {
			g.rels = append(g.rels, r)
		}
	}
	text = strings.NewReplacer("T0", "R", "T1", "S").Replace(text)
	if rename { // a second pattern shares the variable a
		for _, v := range []string{"b", "c", "d", "e"} {
			text = strings.NewReplacer("("+v+")", "("+v+"2)", "("+v+":", "("+v+"2:").Replace(text)
		}
		for _, r := range []string{"r", "q", "s"} {
			text = strings.NewReplacer("["+r+"]", "["+r+"2]", "["+r+":", "["+r+"2:").Replace(text)
		}
		g.vars, g.rels = []string{"a"}, nil
		for _, v := range []string{"b2", "c2", "d2", "e2"} {
			if strings.Contains(text, "("+v) {
				g.vars = append(g.vars, v)
			}
		}
	}
	return text
}

// condition writes a conjunction. Each part divides by zero for some elements, or never.
func (g *failingGen) condition() string {
	var parts []string
	for range 1 + g.IntN(3) {
		part := g.pick("12 / (id(V) % M) > C", "12 / (id(V) % M) >= 0", "12 / (id(V) % M) >= 0", "12 / (V.x - W.x) <> C", "24 / (id(V) + id(W) - M) <> C", "V.x / (id(W) % M) >= 0", "id(V) <> C",
			"V.x = 12 / (id(W) % M)", "V.x = W.x", "id(V) < id(W)", "12 / (K.x % M) >= 0", "12 / (K.x - V.x) <> C", "K.x >= C", "12 / (id(K) % M) >= 0", "12 / (K.x - J.x) <> 4",
			"12 / (C - 1) > 2", "V.x IN [1, 12 / (id(W) % M)]", "(V.x > 1 OR 12 / (id(W) % M) > 2)")
		if len(g.rels) == 0 && strings.ContainsAny(part, "KJ") {
			part = "12 / (id(V) % M) >= 0"
		}
		if len(g.rels) > 0 {
			part = strings.NewReplacer("K", g.pick(g.rels...), "J", g.pick(g.rels...)).Replace(part)
		}
		part = strings.NewReplacer("V", g.pick(g.vars...), "W", g.pick(g.vars...), "M", strconv.Itoa(2+g.IntN(5)), "C", strconv.Itoa(g.IntN(4))).Replace(part)
		parts = append(parts, part)
	}
	return strings.Join(parts, " AND ")
}

// query writes a query. strict says that the error is one if and only if some row meets it, whatever the plan.
func (g *failingGen) query() (text string, strict bool) {
	strict = true
	mode := g.pick("", "", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ")
	start := g.pick("", "", "", "UNWIND [0, 1, 2] AS i ", "MATCH (z:A) ", "MATCH (z)-->(y) WITH z, y ", "MATCH (a)-->(z) WITH a, z ", "MATCH (z) WITH z, 12 / (id(z) + 1) AS w ")
	where := func() string { return " WHERE " + g.condition() }
	switch g.IntN(9) {
	case 0:
		text = start + "OPTIONAL MATCH " + mode + g.shape(false) + where()
	case 1:
		text = start + "MATCH (a) RETURN a, COUNT { " + g.shape(false) + where() + " } AS n"
		return strings.Replace(text, "MATCH (z)-->(y) WITH z, y MATCH (a)", "MATCH (a)", 1), true
	case 2:
		text = start + "MATCH (a) WHERE " + g.pick("", "NOT ") + "EXISTS { " + g.shape(false) + where() + " } RETURN a"
		return text, false
	case 3:
		text = start + "MATCH " + mode + g.shape(false)
		if g.IntN(2) == 0 {
			text += where()
		}
		text, strict = text+" MATCH "+g.shape(true)+where(), false
	default:
		text = start + "MATCH " + mode + g.shape(false) + where()
	}
	if strings.HasPrefix(start, "UNWIND") && g.IntN(2) == 0 {
		text += " AND 12 / (id(" + g.pick(g.vars...) + ") - i) <> 5"
	}
	v := g.pick(g.vars...)
	switch g.IntN(5) {
	case 0:
		return text + " RETURN count(*) AS n", strict
	case 1:
		return text + " RETURN " + v + ", count(*) AS n", strict
	case 2:
		return text + " RETURN " + v + ".name AS x, count(*) AS n", strict
	case 3:
		return text + " RETURN DISTINCT " + v, false
	}
	return text + " RETURN " + strings.Join(slices.Concat(g.vars, g.rels), ", "), strict
}

// TestFailingConditions compares queries whose conditions fail for some elements with the interpreter of clauses, which tests conditions on
// whole matches: the rows, or that there is an error. MOTIF_QUERIES says how many queries there are, MOTIF_SEED which is the first.
func TestFailingConditions(t *testing.T) {
	count, first := 1000, uint64(0)
	if testing.Short() {
		count = 300
	}
	if n, err := strconv.Atoi(os.Getenv("MOTIF_QUERIES")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("MOTIF_SEED"), 10, 64); err == nil {
		first = n
	}
	compared, fail, nonEmpty, open := 0, 0, 0, 0
	names := pattern.TechniqueNames()
	for seed := first; seed < first+uint64(count); seed++ {
		rng := rand.New(rand.NewPCG(seed, 91))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 2 + rng.IntN(6), Edges: 2 + rng.IntN(9), Labels: 2, Types: 2})
		if rng.IntN(3) == 0 {
			s = indexed(testgraph.Changed(seed, s, false))
		}
		g := &failingGen{Rand: rng}
		text, strict := g.query()
		script, err := lang.Parse(text)
		if err == nil {
			_, err = lang.Check(script.Statements[0], nil)
		}
		if err != nil || refused(script.Statements[0], s) {
			continue
		}
		wanted, failure, ok := outcome(s, script.Statements[0].Query)
		if !ok {
			continue
		}
		compared++
		switch {
		case failure != nil && !strict:
			open++
		case failure != nil:
			fail++
		case len(wanted) > 0:
			nonEmpty++
		}
		without, err := pattern.ParseTechniques(names[rng.IntN(len(names))])
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []answerWay{
			{"fast", &query{s: s}}, {"brute", &query{s: s, brute: true}}, {"joined", &query{s: s, device: onCPU{}}},
			{"without " + fmt.Sprint(without), &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 1 + rng.IntN(2), Without: without}}},
			{"without probes", &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 1, Without: pattern.Techniques{}.With(pattern.RowProbe)}}},
			{"in another order", &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 1, Order: pattern.AllOrderStrategies()[rng.IntN(len(pattern.AllOrderStrategies()))]}}},
			{"in batches", &query{s: s, device: onCPU{}, batch: batchSizes[rng.IntN(len(batchSizes))]}},
		} {
			got, err := way.query.rows(t, text)
			switch {
			case failure != nil && !strict: // the plan decides how far it goes
			case (err != nil) != (failure != nil) || err == nil && !slices.Equal(sorted(got), sorted(wanted)):
				t.Fatalf("seed %d, %s: %s\n got %q (%v)\nwant %q (%v)\n%s", seed, way.name, text, sorted(got), err, sorted(wanted), failure, way.query.plan)
			}
		}
	}
	t.Logf("%d queries compared: %d fail, %d have rows, in %d a plan may fail or not", compared, fail, nonEmpty, open)
	if count >= 300 && (compared < count/2 || fail < count/10 || nonEmpty < count/10) {
		t.Error("the test tests too little")
	}
}

// outcome returns the rows that the interpreter gives, or its error. ok is false if it takes too long.
func outcome(s *csr.Snapshot, q *lang.Query) (wanted []string, failure error, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			err, is := r.(error)
			if !is {
				panic(r)
			}
			failure, ok = err, true
		}
	}()
	wanted, ok = interpreted(s, q)
	return wanted, nil, ok
}

// TestFailingConditionsOfCliques does so by brute force for cliques, whose kernel tests conditions on candidates alone.
func TestFailingConditionsOfCliques(t *testing.T) {
	fail, spared := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 92))
		s := testgraph.Random(seed, testgraph.Options{Simple: true, Vertices: 5 + rng.IntN(4), Edges: 6 + rng.IntN(8), Types: 1, Labels: 1})
		m := 2 + rng.IntN(7)
		text := fmt.Sprintf("MATCH (a)--(b)--(c)--(a) WHERE 12 / (id(a) %% %[1]d) >= 0 AND 12 / (id(b) %% %[1]d) >= 0 AND 12 / (id(c) %% %[1]d) >= 0 RETURN ", m)
		text += []string{"count(*)", "a, b, c"}[rng.IntN(2)]
		brute, fast := &query{s: s, brute: true}, &query{s: s}
		want, failure := brute.rows(t, text)
		got, err := fast.rows(t, text)
		if fmt.Sprint(err) != fmt.Sprint(failure) || err == nil && !slices.Equal(sorted(got), sorted(want)) {
			t.Fatalf("seed %d: %s\n got %q (%v)\nwant %q (%v)\n%s", seed, text, sorted(got), err, sorted(want), failure, fast.plan)
		}
		if !strings.Contains(fmt.Sprint(fast.plan), "clique") {
			t.Fatalf("seed %d: %s is no clique\n%s", seed, text, fast.plan)
		}
		if failure != nil {
			fail++
		} else {
			spared++
		}
	}
	if fail < 30 || spared < 30 {
		t.Errorf("%d of the queries fail and %d do not: the test tests too little", fail, spared)
	}
}
