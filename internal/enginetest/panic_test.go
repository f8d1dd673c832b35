package enginetest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/workgroup"
)

// panicQueries reach every part of the engine that starts workers.
var panicQueries = []string{
	"MATCH (a)--(b)--(c)--(a) RETURN count(*)",
	"MATCH (a)-->(b)-->(c) WHERE a.x < c.x RETURN a, c",
	"MATCH (a), (b), (c), (d) WHERE IS_CLIQUE([a, b, c, d]) RETURN count(*)",
	"MATCH (a), (b), (c) WHERE IS_CLIQUE([a, b, c]) RETURN a.x",
	"MATCH (a)-->(b)-->(c)<--(d)-->(a) RETURN count(*)",
	"MATCH p = SHORTEST 1 (a)-->+(b) RETURN count(*)",
	"MATCH (a {x: 3})-->{1,3}(b) RETURN count(DISTINCT b)",
	"MATCH (a) WITH a ORDER BY a.x MATCH (a)-->(b) RETURN a.x, count(b)",
	"CALL algo.kcore() YIELD node, core RETURN max(core)",
	"CALL algo.ktruss() YIELD truss RETURN max(truss)",
	"CALL algo.triangleCount({perNode: true}) YIELD count RETURN sum(count)",
	"CALL algo.cliques({size: 4}) YIELD nodes RETURN count(*)",
	"CALL algo.cliqueCount({size: 5}) YIELD count RETURN count",
	"CALL algo.cliqueCount() YIELD size, count RETURN sum(count)",
	"CALL algo.maximalCliques() YIELD nodes RETURN count(*)",
	"CALL algo.maximumClique() YIELD nodes RETURN size(nodes)",
	"CALL algo.connectedComponents() YIELD component RETURN count(DISTINCT component)",
	"CALL algo.connectedComponents({direction: 'MUTUAL'}) YIELD component RETURN count(DISTINCT component)",
	"MATCH (a {x: 0}) CALL algo.bfs(a) YIELD node, depth RETURN max(depth)",
	"MATCH (a {x: 0}), (b {x: 290}) CALL algo.shortestPath(a, b) YIELD length RETURN length",
	"CALL algo.diameter() YIELD length RETURN length",
	"CALL algo.pageRank() YIELD score RETURN max(score)",
	"CALL algo.nodeSimilarity() YIELD similarity RETURN max(similarity)",
	"CALL algo.labelPropagation() YIELD community RETURN max(community)",
	"CALL algo.louvain() YIELD community RETURN max(community)",
	"CALL algo.closeness() YIELD score RETURN max(score)",
	"CALL algo.betweenness() YIELD score RETURN max(score)",
	"CALL algo.motifs({size: 5}) YIELD count RETURN sum(count)",
	"CALL algo.orbits({size: 4}) YIELD orbits RETURN max(orbits[8])",
	"MATCH (a)-->(b) WHERE a.x > 5 CREATE (a)-[:S]->(b)",
	"MATCH (n:B) SET n:C RETURN count(*)",
}

// TestFault has a worker meet a part of the store that does not decode: the query gives the error of the part, not an *InternalError.
func TestFault(t *testing.T) {
	db := panicDB(t)
	defer db.Close()
	broken := errors.New("a block is broken")
	workgroup.OnStart(func() { panic(&csr.Fault{Err: broken}) })
	_, err := summarize(db, panicQueries[0])
	workgroup.OnStart(nil)
	var internal *motif.InternalError
	if !errors.Is(err, broken) || errors.As(err, &internal) {
		t.Errorf("%v", err)
	}
	if _, err := summarize(db, panicQueries[0]); err != nil {
		t.Errorf("again: %v", err)
	}
}

// TestWorkersPanic makes the k-th worker of a query panic, for every k. The query gives an *InternalError with the query and the
// stack, nothing hangs, and the same query then gives its answer.
func TestWorkersPanic(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every query many times")
	}
	defer workgroup.OnStart(nil)
	ran := 0
	for _, text := range panicQueries {
		db := panicDB(t)
		want, err := summarize(db, text)
		var wrong *motif.QueryError
		if errors.As(err, &wrong) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if db.Close(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for k := int64(1); k <= 8; k++ {
			db := panicDB(t)
			var started atomic.Int64
			workgroup.OnStart(func() {
				if started.Add(1) == k {
					panic("injected")
				}
			})
			bounded(t, 90*time.Second, text, func() { _, err = summarize(db, text) })
			workgroup.OnStart(nil)
			var internal *motif.InternalError
			switch {
			case started.Load() < k:
				if err != nil {
					t.Errorf("%s: %v", text, err)
				}
			case !errors.As(err, &internal):
				t.Errorf("%s, worker %d: %v", text, k, err)
			case internal.Value != "injected" || !strings.Contains(string(internal.Stack), "workgroup") || internal.Query != text && internal.In == "a query":
				t.Errorf("%s, worker %d: %+v", text, k, internal)
			default:
				ran++
				bounded(t, 90*time.Second, text+" again", func() {
					if got, err := summarize(db, text); err != nil || got != want {
						t.Errorf("%s after worker %d panicked: %s, %v; want %s", text, k, got, err, want)
					}
				})
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			if started.Load() < k {
				break
			}
		}
	}
	t.Logf("%d panics", ran)
	if ran < 40 {
		t.Errorf("only %d workers panicked", ran)
	}
}

// panicDB has a graph that is large enough for several workers.
func panicDB(t *testing.T) *motif.DB {
	t.Helper()
	db, err := motif.Open(":memory:", motif.WithWorkers(4), motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"UNWIND range(0, 299) AS x CREATE (:A {x: x})",
		"MATCH (a:A), (b:A) WHERE a.x < b.x AND (b.x - a.x < 6 OR (a.x * b.x) % 17 = 3) CREATE (a)-[:R]->(b)",
		"MATCH (a:A) WHERE a.x % 3 = 0 SET a:B",
	} {
		if _, err := db.Exec(t.Context(), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// summarize returns the first values of a query's rows, and how many there are.
func summarize(db *motif.DB, text string) (string, error) {
	ctx, cancel := limited(60 * time.Second)
	defer cancel()
	rows, err := db.Query(ctx, text, nil)
	if err != nil {
		return "", err
	}
	return firstValues(rows)
}

// firstValues returns how many rows there are, and the sum of the checksums of their first values, since their order may differ.
func firstValues(rows *motif.Rows) (string, error) {
	n, sum := 0, uint64(0)
	for row, err := range rows.All() {
		if err != nil {
			return "", err
		}
		if n++; row.Len() == 1 {
			h := fnv.New64a()
			fmt.Fprint(h, row.At(0))
			sum += h.Sum64()
		}
	}
	return fmt.Sprint(n, " ", sum), rows.Err()
}

func limited(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
