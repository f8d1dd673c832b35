package enginetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

func TestKnobs(t *testing.T) {
	db := memoryDB(t, edges(complete(6)))
	const triangles = "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(a) RETURN count(*) AS n"
	for _, k := range motif.Knobs() {
		values := k.Values
		if values == nil {
			values = []string{"0", "2"}
		}
		for i, value := range values {
			o, err := motif.ParseOption(k.Name, value)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := motif.One[int64](query(t, db, triangles, o)); n != 20 || err != nil {
				t.Errorf("%s %s: %d triangles, %v", k.Name, value, n, err)
			}
			plan, err := db.Explain(t.Context(), triangles, o)
			if err != nil {
				t.Fatal(err)
			}
			if shown := strings.Contains(plan.String(), "set: "+k.Name+" "+value); shown != (i > 0) {
				t.Errorf("%s %s:\n%v", k.Name, value, plan)
			}
		}
		if _, err := motif.ParseOption(k.Name, "best"); err == nil || k.Values != nil && !strings.Contains(err.Error(), k.Values[len(k.Values)-1]) {
			t.Errorf("%s best: %v", k.Name, err)
		}
	}
	if _, err := motif.ParseOption("magic", "on"); err == nil || !strings.Contains(err.Error(), "filter") {
		t.Errorf("an unknown knob: %v", err)
	}
	for _, o := range []motif.QueryOption{motif.WithOrder("best"), motif.WithFilter("best"), motif.WithKernel("best"), motif.WithoutTechniques("complete", "best")} {
		if _, err := db.Query(t.Context(), triangles, nil, o); err == nil || !strings.Contains(err.Error(), `"best"`) {
			t.Errorf("an option with an unknown value: %v", err)
		}
	}
}

// A prepared statement follows the knobs of each of its runs.
func TestKnobsOfStatement(t *testing.T) {
	db := memoryDB(t, edges(complete(6)))
	stmt, err := db.Prepare(t.Context(), "MATCH (a)--(b)--(c)--(a) RETURN count(*) AS n")
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range []string{"join", "clique", "auto"} {
		rows, err := stmt.Query(t.Context(), nil, motif.WithKernel(kernel), motif.WithWorkers(1))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := motif.One[int64](rows); n != 120 || err != nil {
			t.Errorf("%s: %d, %v", kernel, n, err)
		}
		if op := rows.Summary().Plan.Operator; (op == "Count cliques") != (kernel != "join") {
			t.Errorf("%s: %s", kernel, op)
		}
	}
}

// The techniques that a query took are in its summary and in PROFILE.
func TestTechniquesTaken(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const text = "MATCH DIFFERENT NODES (p:Person)--(t:Tag), (p)--(f:Forum), (p)--(o:Organisation) RETURN count(*) AS n"
	rows := query(t, db, text, motif.WithFilter("signature"))
	want, err := motif.One[int64](rows)
	if err != nil {
		t.Fatal(err)
	}
	uses := rows.Summary().Techniques
	i := slices.IndexFunc(uses, func(m motif.TechniqueUse) bool { return m.Name == "signature-quantity" && m.Uses > 0 })
	if i < 0 {
		t.Fatalf("taken: %v", uses)
	}
	plan, err := profileText(t, db, text, motif.WithFilter("signature"))
	if err != nil || !strings.Contains(plan, "signature-quantity: ") || !strings.Contains(plan, uses[i].Unit) {
		t.Errorf("%v\n%s", err, plan)
	}
	rows = query(t, db, text, motif.WithFilter("signature"), motif.WithoutTechniques("signature-quantity"))
	if n, err := motif.One[int64](rows); n != want || err != nil {
		t.Errorf("without it: %d, %v, want %d", n, err, want)
	}
	for _, m := range rows.Summary().Techniques {
		if m.Name == "signature-quantity" {
			t.Errorf("%v was off", m)
		}
	}
}

// A long count goes by a formula, says so in EXPLAIN and PROFILE, and finds the same number without.
func TestCountByFormula(t *testing.T) {
	db := memoryDB(t, edges(complete(30)))
	const text = "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a)--(roof)--(b) RETURN count(*) AS n"
	for _, off := range []string{"", "separators", "quotients"} {
		rows := query(t, db, text, motif.WithoutTechniques(off))
		if n, err := motif.One[int64](rows); n != 60*142506 || err != nil { // in every five nodes
			t.Errorf("without %q: %d, %v", off, n, err)
		}
		taken := slices.ContainsFunc(rows.Summary().Techniques, func(m motif.TechniqueUse) bool { return m.Name == "separators" })
		if taken != (off == "") {
			t.Errorf("without %q: taken %v", off, rows.Summary().Techniques)
		}
	}
	if plan, err := db.Explain(t.Context(), text); err != nil || !strings.Contains(plan.String(), "4 quotients") {
		t.Errorf("%v\n%v", plan, err)
	}
	if plan, err := profileText(t, db, text); err != nil || !strings.Contains(plan, "quotients: 4") {
		t.Errorf("%s\n%v", plan, err)
	}
}

// Where equal rows count once, the search for each ends at its first match.
func TestFirstMatch(t *testing.T) {
	db := memoryDB(t, edges(complete(30)))
	for text, want := range map[string]int64{
		"MATCH DIFFERENT NODES (a)--(b)--(c)--(d) RETURN count(DISTINCT c) AS n": 30,
		"MATCH DIFFERENT NODES (a)--(b)--(c)--(d) RETURN min(id(c)) AS n":        0,
	} {
		for _, off := range []string{"", "first-match"} {
			rows := query(t, db, text, motif.WithoutTechniques(off), motif.WithWorkers(1))
			if n, err := motif.One[int64](rows); n != want || err != nil {
				t.Errorf("%s without %q: %d, %v", text, off, n, err)
			}
			ended := uint64(0)
			for _, m := range rows.Summary().Techniques {
				if m.Name == "first-match" {
					ended = m.Uses
				}
			}
			if off == "" && ended != 30 || off != "" && ended != 0 {
				t.Errorf("%s without %q: %d searches ended early", text, off, ended)
			}
		}
	}
	rows := query(t, db, "MATCH DIFFERENT NODES (a)--(b)--(c)--(d) RETURN DISTINCT a, c")
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); n != 30*29 || err != nil {
		t.Errorf("%d pairs, %v", n, err)
	}
}

func profileText(t *testing.T, db *motif.DB, text string, opts ...motif.QueryOption) (string, error) {
	t.Helper()
	var lines []string
	for line, err := range motif.Into[string](query(t, db, "PROFILE "+text, opts...)) {
		if err != nil {
			return "", err
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}
