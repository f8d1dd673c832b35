package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif/cmd/motif-cluster/storetest"
)

// child is set in processes that the tests start: they are the program itself.
const child = "MOTIF_CLUSTER_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// process is the program, started with some arguments.
type process struct {
	*exec.Cmd
	out, log safeBuffer
	ended    chan struct{}
	err      error
}

// safeBuffer may be read while it is written.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startIn(t, nil, args...)
}

// startIn starts the program by another command, whose last argument it becomes.
func startIn(t *testing.T, by []string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all := append(append(slices.Clip(by), self), args...)
	p := &process{Cmd: exec.Command(all[0], all[1:]...), ended: make(chan struct{})}
	p.Env = append(os.Environ(), child+"=1")
	p.Stdout, p.Stderr = &p.out, &p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends a process at once, as a lost machine does.
func (p *process) kill() {
	p.Process.Kill()
	<-p.ended
}

// wait waits for the end, but no longer than any test here may take.
func (p *process) wait(t *testing.T) error {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(3 * time.Minute):
		t.Fatalf("%v does not end\n%s", p.Args[1:], &p.log)
	}
	return p.err
}

// fleet is a server and its workers, each a process.
type fleet struct {
	*testing.T
	db, blobs, file string
	port            int
	server          *process
	workers         []*process
}

func newFleet(t *testing.T, db string, workers int) *fleet {
	t.Helper()
	ports, err := freePorts(loopback, 0)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	c := &fleet{T: t, db: db, blobs: filepath.Join(folder, "blobs"), file: filepath.Join(folder, "temporal.db"), port: ports[0]}
	c.serve()
	for range workers {
		c.work()
	}
	return c
}

func (c *fleet) engine() string { return fmt.Sprintf("temporal://%s:%d", loopback, c.port) }

// serve starts the server on its file and waits until it is ready.
func (c *fleet) serve() {
	c.Helper()
	c.server = start(c.T, "server", "--file", c.file, "--port", strconv.Itoa(c.port))
	c.until("the server is ready", func() bool { return strings.Contains(c.server.log.String(), "is ready") })
}

func (c *fleet) work() {
	c.Helper()
	c.workers = append(c.workers, start(c.T, "worker", "--engine", c.engine(), "--snapshot", c.db, "--slots", "1", "--verbose"))
}

func (c *fleet) query(args ...string) *process {
	c.Helper()
	return start(c.T, append([]string{"run", "--engine", c.engine()}, args...)...)
}

// busy returns a worker that has begun a batch and not ended it; -1: none has.
func (c *fleet) busy() int {
	return slices.IndexFunc(c.workers, func(w *process) bool {
		log := w.log.String()
		return strings.Count(log, "batch begins") > strings.Count(log, "batch done")+strings.Count(log, "batch failed")
	})
}

// underWay waits until a batch of the query is.
func (c *fleet) underWay(query *process) {
	c.Helper()
	c.until("a batch is under way", func() bool {
		select {
		case <-query.ended:
			c.Fatalf("the query ended before anything was killed: %v\n%s%s", query.err, &query.out, &query.log)
		default:
		}
		return c.busy() >= 0
	})
}

func (c *fleet) until(what string, there func() bool) {
	c.Helper()
	for end := time.Now().Add(2 * time.Minute); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			c.Fatalf("not so within two minutes: %s\nserver: %s", what, &c.server.log)
		}
	}
}

// slowQuery tests each of its paths, so that it takes some seconds.
const slowQuery = "MATCH (a)-->(b)-->(c)-->(d) WHERE a.i * b.i + c.i < d.i * b.i RETURN a.k AS k, count(*) AS n, max(d.i) AS m ORDER BY k"

// TestKills kills workers, the submitter or the server while units are under way. The answer is exact each time. MOTIF_KILL_ROUNDS says how often,
// and MOTIF_SEED what is killed.
func TestKills(t *testing.T) {
	rounds, seed := 3, rand.Uint64()
	if text := os.Getenv("MOTIF_KILL_ROUNDS"); text != "" {
		rounds, _ = strconv.Atoi(text)
	}
	if text := os.Getenv("MOTIF_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("MOTIF_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	db := storetest.Random(t, r, 1000, 40_000)
	want := storetest.Answer(t, db, slowQuery, nil)
	c := newFleet(t, db, 3)
	for round := range rounds {
		what := (round + int(seed%3)) % 3 // each of them within three rounds
		t.Logf("round %d: %s", round, []string{"workers", "submitter", "server"}[what])
		c.killRound(r, what, fmt.Sprint("job-", round), want)
	}
}

func (c *fleet) killRound(r *rand.Rand, what int, id, want string) {
	c.Helper()
	submitter := c.query("--snapshot", c.db, "--blobs", c.blobs, "--id", id, "--units", "40", "-o", "csv", slowQuery)
	c.underWay(submitter)
	time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
	c.underWay(submitter)
	switch what {
	case 0:
		for range 2 {
			i := c.busy()
			if i < 0 {
				i = r.IntN(len(c.workers))
			}
			c.workers[i].kill()
			c.workers = slices.Delete(c.workers, i, i+1)
		}
		defer func() { c.work(); c.work() }()
	case 1:
		submitter.kill()
		submitter = c.query("--attach", id)
	case 2:
		c.server.kill()
		c.serve()
	}
	if err := submitter.wait(c.T); err != nil {
		c.Fatalf("%s: %v\n%s", id, err, &submitter.log)
	}
	if got := submitter.out.String(); got != want {
		c.Fatalf("%s gives\n%s\nnot\n%s", id, got, want)
	}
}

// TestRestGoesToOthers begins with two units. Their budget hands the rest to others.
func TestRestGoesToOthers(t *testing.T) {
	db := storetest.Random(t, rand.New(rand.NewPCG(3, 4)), 600, 20_000)
	c := newFleet(t, db, 3)
	query := c.query("--snapshot", db, "--blobs", c.blobs, "--units", "2", "--slots", "3", "--budget", "300ms", "-o", "csv", slowQuery)
	if err := query.wait(t); err != nil || query.out.String() != storetest.Answer(t, db, slowQuery, nil) {
		t.Fatalf("%v\n%s%s", err, &query.out, &query.log)
	}
	batches, busy := 0, 0
	for _, w := range c.workers {
		n := strings.Count(w.log.String(), "batch done")
		if batches += n; n > 0 {
			busy++
		}
	}
	if t.Logf("%d batches by %d workers", batches, busy); batches < 4 || busy < 2 {
		t.Errorf("two units made %d batches, which %d workers ran", batches, busy)
	}
}

// TestDev: the command answers, says what is wrong with a query, and ends its processes with Ctrl-C.
func TestDev(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	db := storetest.Random(t, r, 600, 20_000)
	for _, query := range []string{"MATCH (a)-->(b) RETURN a.k AS k, count(*) AS n ORDER BY k", slowQuery} {
		dev := start(t, "dev", "--workers", "2", "-o", "csv", db, query)
		if err := dev.wait(t); err != nil || dev.out.String() != storetest.Answer(t, db, query, nil) {
			t.Errorf("%s gives\n%s%s%v", query, &dev.out, &dev.log, err)
		}
	}
	failing := start(t, "dev", "--workers", "1", "--units", "8", db, "MATCH (a)-->(b) RETURN sum(1 / (a.i - a.i))")
	if err := failing.wait(t); err == nil || failing.out.String() != "" || !strings.Contains(failing.log.String(), "^") {
		t.Errorf("%v\n%s%s", err, &failing.out, &failing.log)
	}
	endless := start(t, "dev", "--workers", "2", "--verbose", db, "MATCH (a)-->(b)-->(c)-->(d)-->(e) WHERE a.i * b.i + c.i < d.i * e.i RETURN count(*)")
	for began := time.Now(); !strings.Contains(endless.log.String(), "batch begins"); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("no batch has begun\n%s", &endless.log)
		}
	}
	if err := endless.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var status *exec.ExitError
	if err := endless.wait(t); !errors.As(err, &status) || status.ExitCode() != 1 || endless.out.String() != "" {
		t.Errorf("%v\n%s%s", err, &endless.out, &endless.log)
	}
}
