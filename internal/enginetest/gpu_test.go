//go:build cuda && cgo && linux

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// Queries give the same rows on a GPU and on the CPU, and PROFILE says which was taken.
func TestDevices(t *testing.T) {
	db := sampleWithGPU(t)
	gpus, err := motif.GPUs()
	if err != nil {
		t.Fatal(err)
	}
	all, last := "cuda:0", gpus[len(gpus)-1].Name // PROFILE's name of all GPUs, which share some requests
	if len(gpus) > 1 {
		all += "-" + strings.TrimPrefix(last, "cuda:")
	}
	for _, c := range []struct{ query, on string }{
		{`MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person) WHERE IS_CLIQUE([a, b, c, d], 'KNOWS') RETURN count(*)`, "cliques on " + all},
		{`CALL algo.cliqueCount({size: 4, type: 'KNOWS'}) YIELD count`, "cliques on " + all},
		{`CALL algo.cliques({size: 3, type: 'KNOWS'}) YIELD nodes RETURN [n IN nodes | id(n)] AS ids`, "lists of cliques on cuda:0"},
		{`CALL algo.triangleCount({perNode: true}) YIELD node, count RETURN id(node), count ORDER BY id(node)`, "triangles on " + all},
		{`CALL algo.kcore({type: 'KNOWS'}) YIELD node, core RETURN core, count(*) ORDER BY core`, "cores on cuda:0"},
		{`CALL algo.kcore({type: 'KNOWS', direction: 'in'}) YIELD node, core RETURN core, count(*) ORDER BY core`, "cores on cuda:0"},
		{`CALL algo.kcore({variant: 'bz'}) YIELD node, core RETURN core, count(*) ORDER BY core`, "cores on CPU (left to the CPU)"},
		{`CALL algo.ktruss({k: 'max'}) YIELD source, target, truss RETURN id(source), id(target), truss`, "trusses on cuda:0"},
		{`MATCH (p:Person) WITH p ORDER BY id(p) LIMIT 1 CALL algo.bfs(p, {}) YIELD node, depth RETURN depth, count(*) ORDER BY depth`, "breadth-first search on cuda:0"},
		{`CALL algo.diameter({direction: 'BOTH'}) YIELD length`, "diameter on cuda:0"},
		{`CALL algo.connectedComponents({type: 'KNOWS'}) YIELD component RETURN component, count(*)`, "components on cuda:0"},
		{`CALL algo.connectedComponents({direction: 'OUT'}) YIELD component RETURN component, count(*)`, "components on CPU (left to the CPU)"},
		{`MATCH (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person) RETURN count(*)`, "join on cuda:0"},
		{`MATCH DIFFERENT NODES (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person)-[:KNOWS]-(d:Person)-[:KNOWS]-(e:Person)-[:KNOWS]-(a) RETURN count(*)`, "formula on " + all},
		{`MATCH (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person) WHERE b.name < 'M' RETURN count(*)`, "filter on cuda:0"},
		{`MATCH (a:Person)-[r:KNOWS]->(b:Person)-[:KNOWS]->(c) RETURN id(a), id(r), c.name`, "join on cuda:0"},
		{`MATCH (a:Person)-[:KNOWS]->(b:Person) WHERE a.name < b.name RETURN count(*)`, "join on CPU (left to the CPU: the condition a.name < b.name)"},
	} {
		cpu, gpu := rowsOn(t, db, c.query, "cpu"), rowsOn(t, db, c.query, "cuda")
		if !slices.Equal(cpu, gpu) {
			t.Errorf("%s:\n cpu %v\ncuda %v", c.query, cpu, gpu)
		}
		if plan := strings.Join(rowsOn(t, db, "PROFILE "+c.query, "cuda"), "\n"); !strings.Contains(plan, c.on) {
			t.Errorf("%s: its profile does not say %q:\n%s", c.query, c.on, plan)
		}
	}
	if plan := strings.Join(rowsOn(t, db, "PROFILE CALL algo.triangleCount() YIELD count", last), "\n"); !strings.Contains(plan, "triangles on "+last) {
		t.Errorf("the profile does not say %s, which was asked for:\n%s", last, plan)
	}
	if plan := strings.Join(rowsOn(t, db, "PROFILE CALL algo.cliqueCount({size: 4}) YIELD count", "auto"), "\n"); !strings.Contains(plan, "cliques on CPU (") ||
		!strings.Contains(plan, "against CPU ~") {
		t.Errorf("the profile of a small query does not say why it stayed on the CPU:\n%s", plan)
	}
}

// Searches on a GPU pay for signatures as those on the CPU do.
func TestDevicePays(t *testing.T) {
	db := sampleWithGPU(t)
	query := `MATCH DIFFERENT NODES (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person) RETURN a.name, c.name`
	for range 20 {
		if plan := strings.Join(rowsOn(t, db, "PROFILE "+query, "cuda"), "\n"); strings.Contains(plan, "-> signature ") {
			return
		}
	}
	t.Errorf("signatures were never worth it:\n%s", strings.Join(rowsOn(t, db, "PROFILE "+query, "cuda"), "\n"))
}

// EXPLAIN says where each stage that has a kernel would run, and why.
func TestExplainDevices(t *testing.T) {
	db := sampleWithGPU(t)
	for _, c := range []struct{ query, device, says string }{
		{`MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person) WHERE IS_CLIQUE([a, b, c, d], 'KNOWS') RETURN count(*)`, "auto", "cliques on CPU ("},
		{`MATCH (a:Person)-[:KNOWS]->(b) RETURN a.name, b.name`, "auto", "filter on CPU (start ~230 ms + upload"},
		{`CALL algo.cliqueCount({size: 4, type: 'KNOWS'}) YIELD count`, "cuda", "cliques on GPU (it was asked for)"},
		{`CALL algo.cliqueCount({size: 40}) YIELD count`, "auto", "more than 8 vertices"},
		{`CALL algo.triangleCount({types: ['KNOWS', 'LIKES']}) YIELD count`, "auto", "triangles on CPU ("},
		{`CALL algo.kcore({direction: 'mutual'}) YIELD node, core RETURN max(core)`, "auto", "cores on CPU ("},
		{`CALL algo.ktruss({k: 'max'}) YIELD truss`, "auto", "trusses on CPU ("},
		{`MATCH (p:Person) CALL algo.bfs(p, {direction: 'both'}) YIELD depth RETURN max(depth)`, "auto", "breadth-first search on CPU ("},
		{`MATCH (p:Person) WHERE EXISTS { CALL algo.triangleCount() YIELD count RETURN count } RETURN p`, "auto", "triangles on CPU ("},
		{`CALL algo.kcore({direction: 'out'}) YIELD node, core RETURN max(core)`, "auto", "cores on CPU ("},
		{`CALL algo.kcore({variant: 'bz'}) YIELD node, core RETURN max(core)`, "auto", ""},
		{`MATCH (a:Person)-[:KNOWS]->(b)-[:LIKES]->(c) RETURN a.name, b.name`, "auto", "join on CPU ("},
		{`MATCH (a:Person)-[:KNOWS]->(b) RETURN a.name, b.name`, "cuda", "join on GPU (it was asked for)"},
		{`MATCH (a:Person)-[:KNOWS]->(b)-[:LIKES]->(c) RETURN a.name, b.name`, "auto", "join on CPU (it gives rows"},
		{`MATCH DIFFERENT NODES (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person)-[:KNOWS]-(d:Person)-[:KNOWS]-(e:Person)-[:KNOWS]-(a) RETURN count(*)`, "auto", "formula on CPU ("},
		{`CALL algo.cliques({size: 3}) YIELD nodes`, "auto", "lists of cliques on CPU ("},
		{`UNWIND [1, 2] AS x RETURN x`, "cuda", ""},
		{`CALL algo.maximalCliques() YIELD nodes`, "cuda", ""},
		{`CALL algo.cliqueCount({size: 4}) YIELD count`, "cpu", ""},
	} {
		plan := strings.Join(rowsOn(t, db, "EXPLAIN "+c.query, c.device), "\n")
		if c.says != "" && !strings.Contains(plan, c.says) || c.says == "" && (strings.Contains(plan, " on CPU (") || strings.Contains(plan, " on GPU (")) {
			t.Errorf("%s on %s: the plan should say %q:\n%s", c.query, c.device, c.says, plan)
		}
	}
}

// Where the device has too little memory the CPU answers, and PROFILE says so. The emulator's memory is as large as its environment says
// when it starts, so that this needs a process of its own.
func TestDeviceTooSmall(t *testing.T) {
	const bytes = "MOTIF_SIMT_MEMORY"
	if os.Getenv(bytes) == "" {
		sampleWithGPU(t)
		if gpus, err := motif.GPUs(); err != nil || !strings.Contains(gpus[0].Model, "emulator") {
			t.Skip("only the emulator can be made small")
		}
		run := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		run.Env = append(os.Environ(), bytes+"=16384")
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	db := sampleWithGPU(t)
	for _, query := range []string{
		`CALL algo.triangleCount({perNode: true}) YIELD node, count RETURN id(node), count ORDER BY id(node)`,
		`CALL algo.ktruss({k: 'max'}) YIELD source, target, truss RETURN id(source), id(target), truss`,
		`MATCH (p:Person) WITH p ORDER BY id(p) LIMIT 1 CALL algo.bfs(p, {}) YIELD node, depth RETURN depth, count(*) ORDER BY depth`,
	} {
		if cpu, gpu := rowsOn(t, db, query, "cpu"), rowsOn(t, db, query, "cuda"); !slices.Equal(cpu, gpu) {
			t.Errorf("%s:\n cpu %v\ncuda %v", query, cpu, gpu)
		}
		if plan := strings.Join(rowsOn(t, db, "PROFILE "+query, "cuda"), "\n"); !strings.Contains(plan, "on CPU (left to the CPU (not enough memory") {
			t.Errorf("%s: its profile does not say that the device is too small:\n%s", query, plan)
		}
	}
}

func sampleWithGPU(t *testing.T) *motif.DB {
	t.Helper()
	if _, err := motif.GPUs(); err != nil {
		if os.Getenv("MOTIF_NEED_GPU") != "" {
			t.Fatal(err)
		}
		t.Skip("no GPU: ", err)
	}
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Close waits for a query that its caller has left and that still works on the device.
func TestDeviceClosed(t *testing.T) {
	sampleWithGPU(t)
	for range 2 {
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		rowsOn(t, db, `UNWIND range(1, 400) AS i CREATE ({i: i})`, "cpu")
		rowsOn(t, db, `MATCH (a), (b) WHERE a.i < b.i AND (7 * a.i + 13 * b.i) % 11 < 2 CREATE (a)-[:R]->(b)`, "cpu")
		ctx, end := context.WithTimeout(context.Background(), 150*time.Millisecond)
		rows, err := db.Query(ctx, `MATCH REPEATABLE ELEMENTS (a)--(b)--(c)--(d)--(e)--(f) RETURN a, f`, nil, motif.WithDevice("cuda"))
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ended with %v", err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		end()
		if _, err := db.Query(context.Background(), `RETURN 1`, nil, motif.WithDevice("cuda")); !errors.Is(err, motif.ErrClosed) {
			t.Errorf("a query of a store that is closed: %v", err)
		}
	}
}

// rowsOn returns the rows of a query, sorted.
func rowsOn(t *testing.T, db *motif.DB, query, device string) (list []string) {
	t.Helper()
	rows, err := db.Query(context.Background(), query, nil, motif.WithDevice(device))
	if err != nil {
		t.Fatalf("%s on %s: %v", query, device, err)
	}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s on %s: %v", query, device, err)
		}
		list = append(list, fmt.Sprint(row.Values()))
	}
	slices.Sort(list)
	return list
}
