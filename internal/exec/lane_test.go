package exec

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
)

// TestLanes compares queries of which several lanes take the matches with one lane. Sorted rows keep the order of the matches.
func TestLanes(t *testing.T) {
	defer hurryLanes()()
	s := testgraph.Random(1, testgraph.Options{Vertices: 300, Edges: 2000, Labels: 2, Types: 2})
	for _, text := range []string{
		"MATCH (a)-->(b) RETURN count(*), sum(a.x + b.x), avg(b.x), min(id(a)), max(id(b)), count(DISTINCT a.x), percentileDisc(id(a), 0.5)",
		"MATCH (a)-->(b) RETURN id(a) % 7 AS k, count(*), sum(b.x) ORDER BY k",
		"MATCH (a)-->(b) RETURN id(a) AS k, id(b) % 3 AS l, count(*), avg(DISTINCT b.x / 2.0) ORDER BY k, l",
		"MATCH (a)-->(b) RETURN id(a), id(b) ORDER BY a.x % 5",
		"MATCH (a)-->(b) RETURN id(a), id(b) ORDER BY a.x % 5 DESC LIMIT 50",
		"MATCH (a) OPTIONAL MATCH (a)-->(b) WHERE b.x > 50 RETURN id(a) AS i, count(b) AS n ORDER BY n DESC, i LIMIT 20",
		"MATCH (a)-[*1..2]->(b) WHERE a.x <> b.x RETURN id(a) AS i, count(DISTINCT b) AS n ORDER BY i",
		"MATCH (a) UNWIND [1, 2, id(a)] AS k MATCH (a)<--(b) RETURN k, count(*), sum(b.x) AS y ORDER BY k",
		"MATCH (a) WHERE COUNT { (a)-->(b) WHERE b.x > a.x } > 2 RETURN id(a) % 10 AS k, count(*) AS n ORDER BY k",
	} {
		laneDelay = time.Duration(1e18)
		want, err := (&query{s: s}).rows(t, text)
		if err != nil {
			t.Fatal(text, err)
		}
		laneDelay, maxLaneRows = 0, 1<<12
		for _, workers := range []int{1, 2, 5} {
			for _, device := range []pattern.Device{testgraph.Brute{}, onCPU{}} {
				q := &query{s: s, device: device, env: &pattern.Env{Workers: workers, Memory: new(pattern.Memory)}, batch: 64}
				got, err := q.rows(t, text)
				want := want
				if device != pattern.Device(testgraph.Brute{}) { // the search finds matches in another order
					if strings.Contains(text, "LIMIT 50") {
						continue
					}
					got, want = sorted(got), sorted(want)
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %d workers:\n got %q %v\nwant %q\n%s", text, workers, got, err, want, q.plan)
				}
				if used := q.env.Memory.Used(); (q.lanes > 0) != (workers > 1) || used != 0 {
					t.Errorf("%s: %d lanes with %d workers, %d bytes are still charged", text, q.lanes, workers, used)
				}
			}
		}
	}
}

// TestLanesFail checks that an error of any lane ends the query, and that a cancelled query ends.
func TestLanesFail(t *testing.T) {
	defer hurryLanes()()
	laneDelay = 0
	s := testgraph.Random(1, testgraph.Options{Vertices: 300, Edges: 2000, Labels: 2, Types: 2})
	for range 20 {
		q := &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 3, Memory: new(pattern.Memory)}, batch: 3}
		if _, err := q.rows(t, "MATCH (a)-->(b) RETURN count(1 / (id(b) - 250))"); err == nil {
			t.Fatal("no error")
		}
		ctx, cancel := context.WithCancel(t.Context())
		rows := 0
		q = &query{s: s, ctx: ctx, device: onCPU{}, env: &pattern.Env{Workers: 3, Memory: new(pattern.Memory)}}
		time.AfterFunc(time.Millisecond, cancel)
		err := q.each(t, "MATCH (a)-[*1..4]->(b) RETURN count(DISTINCT id(a) * 1000 + id(b))", func([]value.Value) (bool, error) {
			rows++
			return true, nil
		})
		if rows == 0 && !errors.Is(err, context.Canceled) || q.env.Memory.Used() != 0 {
			t.Fatal(err, q.env.Memory.Used())
		}
		q = &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 3, Memory: &pattern.Memory{Limit: 30_000}}}
		if _, err := q.rows(t, "MATCH (a)-->(b) RETURN id(a) AS i, id(b) AS j ORDER BY i"); !errors.Is(err, pattern.ErrMemory) || q.env.Memory.Used() != 0 {
			t.Fatal(err, q.env.Memory.Used())
		}
	}
}

// TestLaneMemory checks that a lane does not take much memory: it makes no array over all nodes.
func TestLaneMemory(t *testing.T) {
	defer hurryLanes()()
	defer countKeysOfNodes()()
	laneDelay, minKeyRows, nodesPerKeyRow = 0, 1, 1e9
	s := testgraph.Random(1, testgraph.Options{Vertices: 40_000, Edges: 300, Labels: 2, Types: 2})
	text := "MATCH (a)-->(b) RETURN a AS a, count(*) AS n ORDER BY id(a) LIMIT 5"
	want, err := (&query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 1}}).rows(t, text)
	if err != nil {
		t.Fatal(err)
	}
	q := &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 2, Memory: &pattern.Memory{Limit: 280_000}}}
	if got, err := q.rows(t, text); err != nil || !slices.Equal(got, want) || q.env.Memory.Used() != 0 {
		t.Errorf("%q, %v, %d lanes, %d bytes are still charged; want %q", got, err, q.lanes, q.env.Memory.Used(), want)
	}
}
