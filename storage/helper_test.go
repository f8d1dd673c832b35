package storage

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// The test binary runs itself as another process: to be killed in the middle of a load, and to open a store with
// nothing warm. The environment says what to do.
const (
	helperVar  = "MOTIF_STORAGE_HELPER" // "load", "open", "map", "time" or "commit"; "legacy load" or "legacy commit"
	dirVar     = "MOTIF_STORAGE_DIR"
	syncVar    = "MOTIF_STORAGE_SYNC"    // "commit": if set, every transaction is synced, not every other one
	compactVar = "MOTIF_STORAGE_COMPACT" // "commit": Options.CompactAt
	flatVar    = "MOTIF_STORAGE_FLAT"    // "time": if set, Options.Flat
	atVar      = "MOTIF_STORAGE_AT"      // "load": the call of progress that starts a stage, or ends writing, at which to kill itself, 0 for never
)

func TestMain(m *testing.M) {
	switch os.Getenv(helperVar) {
	case "":
		os.Exit(m.Run())
	case "load":
		helperLoad(os.Getenv(dirVar))
	case "open":
		helperOpen(os.Getenv(dirVar))
	case "map":
		helperMap(os.Getenv(dirVar))
	case "time":
		helperTime(os.Getenv(dirVar))
	case "commit":
		helperCommit(os.Getenv(dirVar))
	case "legacy load":
		helperLegacyLoad(os.Getenv(dirVar))
	case "legacy commit":
		helperLegacyCommit(os.Getenv(dirVar))
	}
}

func helper(verb, dir string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, helperVar+"="+verb, dirVar+"="+dir)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// startHelper starts a helper and returns what it prints.
func startHelper(t testing.TB, verb, dir string, env ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := helper(verb, dir, env...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// helperLoad loads the graphs of killGraph by turns, for ever, and prints a line before and after each.
func helperLoad(dir string) {
	at, _ := strconv.Atoi(os.Getenv(atVar))
	calls, before := 0, ""
	s, err := Open(dir, Options{Create: true})
	for i := 0; err == nil; i++ {
		epoch := s.head.Load().epoch + 1
		fmt.Println("begin", epoch)
		_, err = s.Publish(context.Background(), killGraph(epoch), func(stage string, done, total uint64) {
			if stage != before || stage == StageWrite && done == total {
				calls++
			}
			if before = stage; calls == at {
				self, _ := os.FindProcess(os.Getpid())
				self.Kill()
				select {}
			}
		})
		fmt.Println("done", epoch)
	}
	fmt.Fprintln(os.Stderr, "helper:", err)
	os.Exit(1)
}

// helperCommit commits transactions and batches for ever, some of several parts, and prints a line before and after each. The log is compacted all the time.
func helperCommit(dir string) {
	compactAt := int64(3000)
	if n, err := strconv.ParseInt(os.Getenv(compactVar), 10, 64); err == nil {
		compactAt = n
	}
	s, err := Open(dir, Options{Create: true, CompactAt: compactAt})
	var snap *csr.Snapshot
	if err == nil {
		snap, err = s.Snapshot(context.Background())
	}
	for i := int64(0); err == nil; i++ {
		if i == 0 {
			i = int64(snap.N())
		}
		fmt.Println("begin", i)
		pad := ""
		if i%10 == 0 {
			pad = strings.Repeat("pad.", 150_000)
		}
		d := Durability(i % 2)
		if os.Getenv(syncVar) != "" {
			d = Sync
		}
		if err = tryCount(s, i, d, pad); err == nil {
			fmt.Println("done", i)
		}
		if i%4 == 3 && err == nil {
			i, err = helperBatches(s, i)
		}
	}
	fmt.Fprintln(os.Stderr, "helper:", err)
	os.Exit(1)
}

// helperBatches commits three synced batches of one transaction behind number i, which may be relaxed, and returns the number of the last.
func helperBatches(s *Store, i int64) (int64, error) {
	tx, err := s.Begin(context.Background(), Sync)
	if err != nil {
		return i, err
	}
	defer tx.Rollback()
	for range 3 {
		i++
		fmt.Println("begin", i)
		if err := addCount(tx.Draft(), i, ""); err != nil {
			return i, err
		}
		if err := tx.CommitBatch(context.Background()); err != nil {
			return i, err
		}
		fmt.Println("done", i)
	}
	return i, nil
}

// helperOpen opens a store read-only and prints the seconds until the graph is in memory, the resident memory at its
// peak and after a collection in MiB, and the snapshot's own estimate of its size.
func helperOpen(dir string) {
	start := time.Now()
	s, err := Open(dir, Options{ReadOnly: true})
	if err == nil {
		_, err = s.Snapshot(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "helper:", err)
		os.Exit(1)
	}
	read := time.Since(start).Seconds()
	snap, _ := s.Snapshot(context.Background())
	peak := statusMiB("VmHWM")
	debug.FreeOSMemory()
	fmt.Println(read, peak, statusMiB("VmRSS"), snap.Bytes()>>20)
}

// statusMiB reads a memory figure of this process; 0 where the system does not have it.
func statusMiB(field string) int {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), field+":")
	kib, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return kib >> 10
}
