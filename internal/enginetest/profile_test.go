package enginetest

import (
	"context"
	"slices"
	"testing"

	"github.com/motifql/motif"
)

// matchOf returns the first match in a plan.
func matchOf(p *motif.Plan) *motif.PlanMatch {
	if p == nil || p.Match != nil {
		return p.Match
	}
	for _, c := range p.Children {
		if m := matchOf(c); m != nil {
			return m
		}
	}
	return nil
}

// WithProfile gives the rows of a query, and the plan of PROFILE with the match as data.
func TestWithProfile(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	const text = "MATCH (a:Person)-[k:KNOWS]->(b:Person)-[:WORK_AT]->(:Company) RETURN a, b"
	rows, err := db.Query(ctx, text, nil, motif.WithProfile())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	sum := rows.Summary()
	if n == 0 || int64(n) != sum.Rows {
		t.Fatalf("%d rows, and %d in the summary", n, sum.Rows)
	}
	m := matchOf(sum.Plan)
	if m == nil {
		t.Fatalf("the plan has no match:\n%s", sum.Plan)
	}
	if len(m.Nodes) != 3 || m.Nodes[0].Name != "a" || m.Nodes[0].Labels != "Person" || m.Nodes[2].Name != "" || m.Nodes[2].Labels != "Company" {
		t.Errorf("nodes %+v", m.Nodes)
	}
	if want := []motif.PlanRelationship{{Name: "k", From: 0, To: 1, Types: "KNOWS", Directed: true}, {From: 1, To: 2, Types: "WORK_AT", Directed: true}}; !slices.Equal(m.Relationships, want) {
		t.Errorf("relationships %+v", m.Relationships)
	}
	order := slices.Sorted(slices.Values(m.Order))
	if !slices.Equal(order, []int{0, 1, 2}) || m.Kernel == "" || m.Device == "" || m.Runs != 1 || m.PartialMatches == 0 {
		t.Errorf("%+v", m)
	}
	for _, u := range m.Nodes {
		if len(u.Filter) == 0 || u.Filter[0].Name != "label" || u.Expected < 0 || u.Visited < 0 {
			t.Errorf("node %+v", u)
		}
		for i, tier := range u.Filter {
			if i > 0 && tier.Candidates > u.Filter[i-1].Candidates {
				t.Errorf("candidates rise: %+v", u.Filter)
			}
		}
	}
	if len(sum.Plan.Notes) == 0 && len(sum.Plan.Children[0].Notes) == 0 {
		t.Errorf("no notes:\n%s", sum.Plan)
	}
	if _, err := db.Exec(ctx, text, nil); err != nil { // the plan is kept; without the option it says less
		t.Fatal(err)
	}
	bare, err := db.Exec(ctx, text, nil)
	if err != nil || matchOf(bare.Plan) != nil {
		t.Errorf("without WithProfile: %+v, %v", matchOf(bare.Plan), err)
	}
	plan, err := db.Explain(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	if m := matchOf(plan); m == nil || m.Runs != 0 || m.Kernel != "" || len(m.Order) != 3 || len(m.Nodes[0].Filter) != 0 {
		t.Errorf("explained: %+v", m)
	}
}

// The match of a clique has no order, and that of a later clause says which nodes are given.
func TestPlanMatchKinds(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sum, err := db.Exec(context.Background(), "MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person) WHERE IS_CLIQUE([a, b, c], 'KNOWS') RETURN count(*)", nil,
		motif.WithProfile(), motif.WithKernel("clique"))
	if err != nil {
		t.Fatal(err)
	}
	if m := matchOf(sum.Plan); m == nil || m.Order != nil || m.Kernel != "clique, counting" {
		t.Errorf("%+v", m)
	}
	sum, err = db.Exec(context.Background(), "MATCH (a:Person) WITH a ORDER BY a.name LIMIT 3 MATCH (a)-[:KNOWS]->(b) RETURN a, b", nil, motif.WithProfile())
	if err != nil {
		t.Fatal(err)
	}
	m := matchOf(sum.Plan)
	if m == nil || m.Runs != 3 || !slices.ContainsFunc(m.Nodes, func(n motif.PlanNode) bool { return n.Given && len(n.Filter) == 0 }) {
		t.Errorf("%+v\n%s", m, sum.Plan)
	}
}
