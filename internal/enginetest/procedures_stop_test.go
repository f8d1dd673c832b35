package enginetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/device"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// longCalls are calls of every algorithm, in all its variants, that take a while on the graph of the tests below.
var longCalls = []string{
	"CALL algo.cliqueCount({size: 7})", "CALL algo.cliqueCount()", "CALL algo.cliqueCount({size: 6, perNode: true}) YIELD count RETURN sum(count)",
	"CALL algo.cliques({size: 5}) YIELD nodes RETURN count(*)", "CALL algo.maximalCliques() YIELD size RETURN max(size)", "CALL algo.maximumClique()",
	"CALL algo.kcore({variant: 'bz'})", "CALL algo.kcore({variant: 'park'})", "CALL algo.kcore({variant: 'rlcore'})", "CALL algo.kcore({variant: 'escore'})",
	"CALL algo.kcore({direction: 'OUT'})", "CALL algo.kcore({k: 5})", "CALL algo.ktruss()", "CALL algo.ktruss({k: 'max'})", "CALL algo.triangleCount()",
	"CALL algo.triangleCount({perNode: true})", "CALL algo.triangleCount({direction: 'MUTUAL'})", "CALL algo.connectedComponents()",
	"CALL algo.connectedComponents({direction: 'OUT'})", "MATCH (a) CALL algo.bfs(a) YIELD depth RETURN max(depth)",
	"MATCH (a) CALL algo.bfs(a, {variant: 'edge-centric'}) YIELD depth RETURN max(depth)",
	"MATCH (a), (b) CALL algo.shortestPath(a, b) YIELD length RETURN max(length)", "CALL algo.diameter({direction: 'BOTH'})", "CALL algo.diameter()",
	"CALL algo.pageRank({tolerance: 1e-15, damping: 0.999})", "CALL algo.articleRank()", "CALL algo.eigenvector()", "CALL algo.degree()",
	"MATCH (a) CALL algo.dijkstra(a) YIELD distance RETURN max(distance)",
	"MATCH (a), (b) CALL algo.kShortestPaths(a, b, {k: 3}) YIELD cost RETURN max(cost)",
	"MATCH (a), (b) CALL algo.aStar(a, b, {estimate: 'left'}) YIELD cost RETURN max(cost)",
	"CALL algo.nodeSimilarity()", "CALL algo.clusteringCoefficient()",
	"CALL algo.labelPropagation()", "CALL algo.louvain()",
	"CALL algo.closeness()", "CALL algo.closeness({variant: 'harmonic', weight: 'w', defaultWeight: 2})", "CALL algo.betweenness()",
	"CALL algo.betweenness({weight: 'w', defaultWeight: 2})",
	"CALL algo.motifs({size: 4})", "CALL algo.motifs({size: 5, induced: false})", "CALL algo.motifs({size: 3, directed: true})", "CALL algo.orbits({size: 4})", "CALL algo.orbits({size: 5})",
}

// callGraph is a graph of 2,048 nodes. Each has the property left, an estimate of how far the end of a path is.
func callGraph(t *testing.T, edgeFactor int, seed uint64) *csr.Snapshot {
	t.Helper()
	b := csr.NewBuilder()
	b.AddVertices(1 << 11)
	left, kind := b.Key("left"), b.Type("E")
	for v := range uint32(1 << 11) {
		b.SetVertex(v, left, csr.IntCell(int64(v%3)))
	}
	for u, v := range testgraph.RMAT(11, edgeFactor, seed) {
		b.AddEdge(u, v, kind)
	}
	s, _, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// planOf checks and plans a statement.
func planOf(t *testing.T, s *csr.Snapshot, text string) *planner.Plan {
	t.Helper()
	script, err := lang.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lang.Check(script.Statements[0], nil); err != nil {
		t.Fatal(err)
	}
	plan, err := planner.New(t.Context(), script.Statements[0], s, planner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Every algorithm ends with the query's context, whether that has ended before or ends while it runs, and gives back the
// memory that it charged.
func TestProceduresStop(t *testing.T) {
	s := callGraph(t, 16, 3)
	called := map[string]bool{}
	stopped := 0
	for _, text := range longCalls {
		for i := range lang.Procedures {
			if name := lang.Procedures[i].Name; strings.Contains(text, name+"(") {
				called[name] = true
			}
		}
		plan := planOf(t, s, text)
		for _, after := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(after, cancel)
			if after == 0 {
				cancel()
			}
			env := &pattern.Env{Workers: 2, Memory: &pattern.Memory{}}
			_, err := exec.Run(ctx, plan, s, device.CPU{}, env, nil, func([]value.Value) (bool, error) { return true, nil })
			switch {
			case errors.Is(err, context.Canceled):
				stopped++
			case err != nil || after == 0:
				t.Errorf("%s, cancelled after %v: %v", text, after, err)
			}
			if used := env.Memory.Used(); used != 0 {
				t.Errorf("%s, cancelled after %v: %d bytes are still charged", text, after, used)
			}
			cancel()
		}
	}
	for i := range lang.Procedures {
		if name := lang.Procedures[i].Name; strings.HasPrefix(name, "algo.") && !called[name] {
			t.Errorf("%s is not tried", name)
		}
	}
	t.Logf("%d of %d calls were stopped", stopped, 3*len(longCalls))
}

// Every algorithm counts the memory that it needs, and passes the error on when it is too much.
func TestProceduresMemory(t *testing.T) {
	s := callGraph(t, 8, 4)
	for _, text := range longCalls {
		plan := planOf(t, s, text)
		env := &pattern.Env{Workers: 2, Memory: &pattern.Memory{Limit: 1000}}
		_, err := exec.Run(t.Context(), plan, s, device.CPU{}, env, nil, func([]value.Value) (bool, error) { return true, nil })
		if !errors.Is(err, pattern.ErrMemory) {
			t.Errorf("%s with 1000 bytes: %v", text, err)
		}
		if used := env.Memory.Used(); used != 0 {
			t.Errorf("%s: %d bytes are still charged", text, used)
		}
	}
}

// Every algorithm says how much work there is and how much of it is done, and all of it is done at the end. Its plan says what it does.
func TestProceduresProgress(t *testing.T) {
	s := callGraph(t, 8, 5)
	for _, text := range longCalls {
		plan := planOf(t, s, text)
		for i := range lang.Procedures {
			p := &lang.Procedures[i]
			if explained := plan.String(); strings.Contains(text, p.Name+"(") && (!strings.Contains(explained, p.Name) || !strings.Contains(explained, p.Brief)) {
				t.Errorf("EXPLAIN %s:\n%s", text, explained)
			}
		}
		var all, done uint64
		var err error
		for wait := 50 * time.Millisecond; all == 0 && wait < time.Minute; wait *= 4 { // a busy machine may need long until it knows what there is to do
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			env := &pattern.Env{Workers: 2, Memory: &pattern.Memory{}, Tally: new(pattern.Tally)}
			_, err = exec.Run(ctx, plan, s, device.CPU{}, env, nil, func([]value.Value) (bool, error) { return true, nil })
			cancel()
			all, done = env.Tally.Units.Load(), env.Tally.UnitsDone.Load()
		}
		if all == 0 || done > all || err == nil && done < all {
			t.Errorf("%s: %d of %d units are done, %v", text, done, all, err)
		}
	}
}
