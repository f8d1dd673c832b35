package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/cmd/motif-cluster/storetest"
)

// TestMain makes the test's own binary the command, in processes that the tests start.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

const asCommand = "MOTIF_CLUSTER_TEST"

// command starts nothing yet: name may be a program that starts the command as $SELF.
func command(t *testing.T, cache, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if name == "" {
		name = self
	}
	c := exec.CommandContext(t.Context(), name, args...)
	c.Env = append(os.Environ(), asCommand+"=1", "MOTIF_CACHE="+cache, "SELF="+self)
	return c
}

// cluster runs the command, and returns what it printed.
func cluster(t *testing.T, cache string, args ...string) (out string, err error) {
	t.Helper()
	c := command(t, cache, "", args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	data, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return string(data), err
}

func mustCluster(t *testing.T, cache string, args ...string) string {
	t.Helper()
	out, err := cluster(t, cache, args...)
	if err != nil {
		t.Fatalf("motif-cluster %q: %v", args, err)
	}
	return out
}

// newStore loads a random graph, and changes it.
func newStore(t *testing.T) string {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	const nodes = 300
	var text bytes.Buffer
	for range 2000 {
		fmt.Fprintln(&text, rng.IntN(nodes), rng.IntN(nodes))
	}
	edges := filepath.Join(t.TempDir(), "edges.txt")
	if err := os.WriteFile(edges, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "graph.db")
	db, err := motif.Open(at, motif.WithCreate(), motif.WithMapping())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Load(t.Context(), motif.LoadSpec{Files: []string{edges}, Directed: true, Label: "P", Type: "R"}, motif.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "MATCH (a)-[r]->(b) WHERE id(r) % 50 = $at SET a:Q, a.group = id(a) % 7 DELETE r", motif.Params{"at": rng.IntN(50)}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestUnits runs queries as units under xargs, four at a time, on the store itself and on a snapshot of it.
func TestUnits(t *testing.T) {
	at, cache := newStore(t), t.TempDir()
	url := strings.TrimSpace(mustCluster(t, cache, "snapshot", "push", at, "file://"+t.TempDir()))
	for i, c := range []struct{ graph, query string }{
		{at, "MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(a) RETURN count(*) AS n"},
		{url, "MATCH (a)-[:R]->(b)-[:R]->(c) WHERE id(a) % 10 = $digit RETURN a.group AS g, count(*) AS n, max(id(c)) AS most ORDER BY g"},
		{url, "MATCH (a:Q)-[:R]->(b)-[:R]->(c) RETURN DISTINCT id(c) AS id ORDER BY id LIMIT 20"},
	} {
		var flags []string
		params := motif.Params{}
		if strings.Contains(c.query, "$digit") {
			flags, params = []string{"-p", "digit=3"}, motif.Params{"digit": 3}
		}
		job := filepath.Join(t.TempDir(), "job")
		n, err := strconv.Atoi(strings.TrimSpace(mustCluster(t, cache, append([]string{"unit", "split", "--units", "9", c.graph, c.query, job}, flags...)...)))
		if err != nil || n < 2 {
			t.Fatalf("query %d: %d units, %v", i, n, err)
		}
		all := command(t, cache, "sh", "-c", `ls unit-*.json | xargs -P4 -I{} "$SELF" unit run spec.json {} -o {}.part`)
		all.Dir = job
		if out, err := all.CombinedOutput(); err != nil {
			t.Fatalf("query %d: %v: %s", i, err, out)
		}
		got := mustCluster(t, cache, "unit", "merge", "-o", "csv", filepath.Join(job, specName), job)
		if want := storetest.Answer(t, at, c.query, params); got != want {
			t.Errorf("query %d: units answer\n%swant\n%s", i, got, want)
		}
	}
}

// TestUnitsRefuse merges parts that are cut, missing, twice there or of another job, and runs units on another graph.
func TestUnitsRefuse(t *testing.T) {
	at, other, cache, job := newStore(t), newStore(t), t.TempDir(), filepath.Join(t.TempDir(), "job")
	query := "MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(a) RETURN count(*) AS n"
	mustCluster(t, cache, "unit", "split", "--units", "2", at, query, job)
	mustCluster(t, cache, "unit", "split", "--units", "2", at, query+" LIMIT 1", job+"-2")
	in := func(name string) string { return filepath.Join(job, name) }
	part := []byte(mustCluster(t, cache, "unit", "run", in(specName), in("unit-0.json")))
	for name, data := range map[string][]byte{"0.part": part, "cut": part[:len(part)-1], "short": part[:len(part)/2], "empty": nil} {
		if err := os.WriteFile(in(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustCluster(t, cache, "unit", "run", in(specName), in("unit-1.json"), "-o", in("1.part"))
	for _, c := range []struct {
		want string
		args []string
	}{
		{motif.ErrBadPart.Error(), []string{"unit", "merge", in(specName), in("0.part"), in("cut")}},
		{motif.ErrBadPart.Error(), []string{"unit", "merge", in(specName), in("0.part"), in("short")}},
		{"empty: ", []string{"unit", "merge", in(specName), in("empty")}},
		{motif.ErrPartTwice.Error(), []string{"unit", "merge", in(specName), in("0.part"), in("1.part"), in("0.part")}},
		{motif.ErrPartMissing.Error(), []string{"unit", "merge", in(specName), in("0.part")}},
		{motif.ErrBadPart.Error(), []string{"unit", "merge", job + "-2/" + specName, in("0.part"), in("1.part")}},
		{motif.ErrOtherSnapshot.Error(), []string{"unit", "run", "--graph", other, in(specName), in("unit-0.json")}},
		{"not the spec", []string{"unit", "run", in("unit-0.json"), in("unit-0.json")}},
		{"not a unit", []string{"unit", "run", in(specName), in("cut")}},
		{"no such file", []string{"unit", "run", in(specName), in("unit-99.json")}},
		{"there is no such directory", []string{"unit", "split", at + "-2", query, job + "-3"}},
		{"this is a file, not a store", []string{"unit", "split", in(specName), query, job + "-3"}},
		{"by DB.Query or motif query", []string{"unit", "split", at, "CREATE (n) RETURN n", job + "-3"}},
		{"exists already", []string{"unit", "split", at, query, job}},
		{"ArgumentError.NotDivisible", []string{"unit", "split", at, "CREATE (n) RETURN n", job + "-3"}},
	} {
		out, err := cluster(t, cache, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) || out != "" {
			t.Errorf("motif-cluster %q: printed %q, error %v; want %q", c.args, out, err, c.want)
		}
	}
	if want, got := storetest.Answer(t, at, query, nil), mustCluster(t, cache, "unit", "merge", "-o", "csv", in(specName), job); got != want {
		t.Errorf("then units answer %q, want %q", got, want)
	}
}

// TestKilledFetches kills processes that fetch into one cache, at random moments. The last one finds or makes the store.
func TestKilledFetches(t *testing.T) {
	at, cache := newStore(t), t.TempDir()
	url := strings.TrimSpace(mustCluster(t, cache, "snapshot", "push", at, "file://"+t.TempDir()))
	began := time.Now()
	mustCluster(t, t.TempDir(), "snapshot", "fetch", url)
	usual := time.Since(began)
	for range 5 {
		var running []*exec.Cmd
		for range 2 {
			c := command(t, cache, "", "snapshot", "fetch", url)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, c)
		}
		for _, c := range running {
			time.Sleep(rand.N(usual))
			c.Process.Kill()
			c.Wait()
		}
	}
	query := "MATCH (a)-[:R]->(b)-[:R]->(c) RETURN count(*) AS n"
	fetched := strings.TrimSpace(mustCluster(t, cache, "snapshot", "fetch", url))
	if want, got := storetest.Answer(t, at, query, nil), storetest.Answer(t, fetched, query, nil); got != want {
		t.Errorf("the fetched graph answers %q, want %q", got, want)
	}
	pulled := filepath.Join(t.TempDir(), "pulled.db")
	mustCluster(t, cache, "snapshot", "pull", url, pulled)
	if want, got := storetest.Answer(t, at, query, nil), storetest.Answer(t, pulled, query, nil); got != want {
		t.Errorf("the pulled graph answers %q, want %q", got, want)
	}
}

func TestExitStatus(t *testing.T) {
	t.Setenv("MOTIF_CACHE", t.TempDir())
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"snapshot", "fetch", t.TempDir()}, 0},
		{[]string{"snapshot", "fetch", "no such folder"}, exitFailed},
		{[]string{"snapshot", "fetch", "ftp://host/graph"}, exitFailed},
		{[]string{"snapshot", "fetch"}, exitUsage},
		{[]string{"unit", "split", "--units", "0", "a", "b", "c"}, exitUsage},
		{[]string{"unit", "split", "--memory", "much", "a", "b", "c"}, exitUsage},
		{[]string{"unit", "merge", "-o", "svg", "a", "b"}, exitUsage},
		{[]string{"fly"}, exitUsage},
	} {
		if got := run(c.args); got != c.want {
			t.Errorf("motif-cluster %q: exit status %d, want %d", c.args, got, c.want)
		}
	}
}
