package exec

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// TestInnerMemory: what subqueries hold is charged, one row's after the other's.
func TestInnerMemory(t *testing.T) {
	s := line(t, 1000)
	for _, text := range []string{
		"MATCH (a) WITH a LIMIT 1 RETURN size(COLLECT { MATCH (b) RETURN b.x })",
		"MATCH (a) WITH a LIMIT 1 RETURN size([(b)-->(c) | b.x])",
		"MATCH (a) WITH a LIMIT 1 CALL (a) { MATCH (b) RETURN b.x AS x ORDER BY x } RETURN count(x)",
		"MATCH (a) WITH a LIMIT 1 CALL (a) { MATCH (b) RETURN DISTINCT b.x AS x } RETURN count(x)",
		"MATCH (a) WITH DISTINCT a.x AS x RETURN count(*)",
		"MATCH (a) RETURN a.x AS x UNION MATCH (b) RETURN b.x AS x",
	} {
		q := &query{s: s, env: &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: 15000}}}
		if _, err := q.rows(t, text); !errors.Is(err, pattern.ErrMemory) {
			t.Errorf("%s: %v", text, err)
		}
		if used := q.env.Memory.Used(); used != 0 {
			t.Errorf("%s: %d bytes still charged", text, used)
		}
	}
	for _, text := range []string{
		"MATCH (a) RETURN sum(size(COLLECT { MATCH (b) WHERE b.x < 20 RETURN b.x }))",
		"MATCH (a) CALL (a) { MATCH (b) WHERE b.x < 20 RETURN b.x AS x ORDER BY x } RETURN count(x)",
	} {
		q := &query{s: s, env: &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: 15000}}}
		want(t, q, text, false, "20000")
	}
}

// TestInnerCancel: every operator that runs a plan inside notices that the query is over.
func TestInnerCancel(t *testing.T) {
	s := line(t, 3000)
	for _, text := range []string{
		"MATCH (a), (b) OPTIONAL MATCH (a)-->(c)-->(d) RETURN max(d.x)",
		"MATCH (a), (b) WHERE NOT EXISTS { (a)-->()-->()-->(b) } RETURN count(a.x)",
		"MATCH (a), (b) RETURN sum(COUNT { (a)-->()-->(b) })",
		"UNWIND range(1, 100000) AS i UNWIND range(1, 100000) AS j RETURN max(i + j)",
		"MATCH (a), (b) CALL (a) { RETURN a.x AS x UNION ALL RETURN 1 AS x } RETURN max(x)",
		"MATCH (a), (b) WITH a, b MATCH (c), (d) WHERE c.x = d.x + a.x RETURN max(c.x)",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		_, err := (&query{ctx: ctx, s: s, env: &pattern.Env{Workers: 1, Tally: new(pattern.Tally)}}).rows(t, text)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestInnerStats: plans inside of plans have statistics of their own, and no moment counts twice.
func TestInnerStats(t *testing.T) {
	s := line(t, 400)
	q := &query{s: s}
	err := q.each(t, `MATCH (a) WHERE EXISTS { (a)-->(b) WHERE b.x > 10 }
		CALL (a) { MATCH (a)-->(b) RETURN b.x AS x UNION ALL MATCH (a)<--(b) RETURN b.x AS x }
		OPTIONAL MATCH (a)-->(c) RETURN count(*), sum(x), COUNT { (d) WHERE d.x < 3 } AS n`, func([]value.Value) (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	total, seen := time.Duration(0), map[string]uint64{}
	var each func(n planner.Node)
	each = func(n planner.Node) {
		st := q.stats.Nodes[n]
		if st == nil {
			t.Fatalf("%T has no statistics", n)
		}
		total += st.Time
		op, _ := n.Describe()
		seen[op] += st.Rows
		for _, in := range n.Inputs() {
			each(in)
		}
		for _, sub := range q.plan.SubPlans(n) {
			each(sub)
		}
	}
	each(q.plan.Root)
	// 389 nodes lead to one with x > 10; each has one node after it and one before it.
	for op, rows := range map[string]uint64{"Exists": 400, "Filter": 389, "Apply": 778, "Union": 778, "Optional match": 778, "Value": 1} {
		if seen[op] != rows {
			t.Errorf("%s: %d rows, want %d\n%s", op, seen[op], rows, q.plan)
		}
	}
	if total > q.stats.Elapsed*3/2 {
		t.Errorf("the operators took %v, all together %v", total, q.stats.Elapsed)
	}
}
