package planner

import (
	"slices"
	"testing"
)

// A selective start, a rare type and a closing edge must be used.
func TestOrderUsesStatistics(t *testing.T) {
	s := buildGraph(t, "1000 A\n10 B\n5000 A -R-> A\n3000 A -R-> B\n20 A -T-> A")
	for _, c := range []struct{ query, order string }{
		{"MATCH (a:A)-[:R]->(b:A)-[:R]->(c:B) RETURN count(a)", "cba"},
		{"MATCH (a:A)-[:R]->(b:A)-[:T]->(c:A)-[:R]->(d:A) RETURN count(a)", "bc"},
		{"MATCH (a:A)-[:R]->(b:A), (a)-[:R]->(c:A), (b)-[:R]->(c), (c)-[:R]->(d:A) RETURN count(a)", "abc"},
	} {
		plan, err := planQuery(c.query, s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := plan.Root.(*Match)
		got := ""
		for _, st := range m.Order.Steps {
			got += m.Pattern.Vertices[st.Vertex].Name
		}
		sorted := func(x string) string { b := []byte(x[:len(c.order)]); slices.Sort(b); return string(b) }
		if sorted(got) != sorted(c.order) || c.order == "cba" && got != c.order {
			t.Errorf("%s: order %s, want one that starts with %s", c.query, got, c.order)
		}
	}
}
