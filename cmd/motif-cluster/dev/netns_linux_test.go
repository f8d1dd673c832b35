package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/cmd/motif-cluster/storetest"
)

// hosts are two network namespaces with an address each, joined by a pair of interfaces.
type hosts struct {
	*testing.T
	names     [2]string
	addresses [2]string
}

// newHosts makes the namespaces. It skips the test where that is not allowed.
func newHosts(t *testing.T) *hosts {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("network namespaces are NOT tested: they need root")
	}
	h := &hosts{T: t, addresses: [2]string{"10.213.77.1", "10.213.77.2"}}
	for i := range h.names {
		h.names[i] = fmt.Sprintf("motif-%d-%d", os.Getpid(), i)
		if out, err := exec.Command("ip", "netns", "add", h.names[i]).CombinedOutput(); err != nil {
			t.Skipf("network namespaces are NOT tested: %v: %s", err, out)
		}
		t.Cleanup(func() { exec.Command("ip", "netns", "del", h.names[i]).Run() })
	}
	h.ip("link", "add", "veth0", "netns", h.names[0], "type", "veth", "peer", "name", "veth1", "netns", h.names[1])
	for i, name := range h.names {
		h.ip("-n", name, "addr", "add", h.addresses[i]+"/24", "dev", fmt.Sprint("veth", i))
		h.ip("-n", name, "link", "set", "lo", "up")
		h.ip("-n", name, "link", "set", fmt.Sprint("veth", i), "up")
	}
	return h
}

func (h *hosts) ip(args ...string) {
	h.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		h.Skipf("network namespaces are NOT tested: ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// start starts the program on a host.
func (h *hosts) start(host int, args ...string) *process {
	h.Helper()
	return startIn(h.T, []string{"ip", "netns", "exec", h.names[host]}, args...)
}

// TestHostCutOff cuts a host off for 20 s while its worker has a batch. The worker of the other host does the work meanwhile.
func TestHostCutOff(t *testing.T) {
	h := newHosts(t)
	db := storetest.Random(t, rand.New(rand.NewPCG(5, 6)), 1000, 40_000)
	want := storetest.Answer(t, db, slowQuery, nil)
	folder := t.TempDir()
	const port = 7233
	c := &fleet{T: t, db: db}
	c.server = h.start(0, "server", "--file", filepath.Join(folder, "temporal.db"), "--ip", h.addresses[0], "--port", fmt.Sprint(port))
	c.until("the server is ready", func() bool { return strings.Contains(c.server.log.String(), "is ready") })
	engine := "temporal://" + address(h.addresses[0], port)
	for host := range h.names {
		c.workers = append(c.workers, h.start(host, "worker", "--engine", engine, "--snapshot", db, "--slots", "1", "--verbose"))
	}
	far := c.workers[1]
	for round := 1; ; round++ { // until the link was down while the job ran
		query := h.start(0, "run", "--engine", engine, "--snapshot", db, "--blobs", filepath.Join(folder, "blobs"), "--slots", "2", "--units", "40", "-o", "csv", slowQuery)
		before := strings.Count(far.log.String(), "batch begins")
		c.until("the far worker has a batch", func() bool { return strings.Count(far.log.String(), "batch begins") > before })
		h.ip("-n", h.names[1], "link", "set", "veth1", "down")
		time.Sleep(20 * time.Second)
		h.ip("-n", h.names[1], "link", "set", "veth1", "up")
		if err := query.wait(t); err != nil || query.out.String() != want {
			t.Fatalf("%v\n%s%s\nnot\n%s", err, &query.out, &query.log, want)
		}
		again := strings.Contains(c.workers[0].log.String(), "attempt=2")
		if t.Logf("round %d: the other host took a batch again: %v", round, again); again || round == 3 {
			break
		}
	}
	before := strings.Count(far.log.String(), "batch done")
	c.until("the far worker is back", func() bool {
		query := h.start(0, "run", "--engine", engine, "--snapshot", db, "--slots", "2", "--units", "40", "-o", "csv", slowQuery)
		if err := query.wait(t); err != nil || query.out.String() != want {
			t.Fatalf("%v\n%s%s", err, &query.out, &query.log)
		}
		return strings.Count(far.log.String(), "batch done") > before
	})
}
