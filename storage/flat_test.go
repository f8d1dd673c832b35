package storage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/flat"
	"github.com/motifql/motif/internal/testgraph"
)

func needFlat(t testing.TB) {
	if !flat.Supported {
		t.Skip("this build maps no files")
	}
}

// flatStore publishes a graph in a new store with a flat file, and closes it.
func flatStore(t testing.TB, g *csr.Snapshot) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := mustOpen(t, dir, Options{Create: true, Flat: true, CompactAt: -1})
	mustPublish(t, s, g)
	mustClose(t, s)
	if _, err := os.Stat(filepath.Join(dir, flatName(1))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// read compares a store's graph with g, and returns the error of a part that does not decode or cannot be read.
func readAgainst(g *csr.Snapshot, dir string, opt Options) (differs string, err error) {
	s, err := Open(dir, opt)
	if err != nil {
		return "", err
	}
	defer s.Close()
	snap, err := s.Snapshot(context.Background())
	if err != nil {
		return "", err
	}
	return compareGuarded(g, snap)
}

func compareGuarded(g, snap *csr.Snapshot) (differs string, err error) {
	err = flat.Guarded(func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				fault, ok := v.(*csr.Fault)
				if !ok {
					panic(v)
				}
				err = fault.Err
			}
		}()
		if differs = viewDifference(g, snap); differs == "" {
			differs = difference(g, snap)
		}
		return nil
	})
	return differs, err
}

// viewDifference compares the neighbours of all vertices by single types.
func viewDifference(a, b *csr.Snapshot) string {
	for t := range csr.TypeID(a.Types.Len()) {
		for _, dir := range []csr.Direction{csr.In, csr.Both, csr.Out} {
			x, y := a.Adjacency(csr.TypeSet{t}, dir), b.Adjacency(csr.TypeSet{t}, dir)
			if x.Loops != y.Loops || !slices.Equal(x.Counts, y.Counts) {
				return fmt.Sprintf("type %d, %v: %d and %d loops, or other counts", t, dir, x.Loops, y.Loops)
			}
			for v := range csr.VertexID(a.N()) {
				if !slices.Equal(x.Neighbours(v), y.Neighbours(v)) {
					return fmt.Sprintf("vertex %d has the neighbours %v and %v by type %d, %v", v, x.Neighbours(v), y.Neighbours(v), t, dir)
				}
			}
		}
	}
	return ""
}

// A graph read from its flat file is the one that was published, and no block is read for it.
func TestFlat(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	for i := range uint64(25) {
		g := randomGraph(t, seed+i, testgraph.Options{Vertices: []int{0, 1, 30, 5000}[i%4], Edges: []int{0, 5, 100, 9000}[i/4%4]})
		dir := flatStore(t, g)
		folder := filepath.Join(dir, epochFolder(1))
		if err := os.Rename(folder, folder+"-away"); err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{ReadOnly: true}, {ReadOnly: true, Shared: true}, {Shared: true}} {
			opt.Flat = true
			if d, err := readAgainst(g, dir, opt); d != "" || err != nil {
				t.Fatalf("seed %d, %+v: %s %v", seed+i, opt, d, err)
			}
		}
		if _, err := readAgainst(g, dir, Options{ReadOnly: true}); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("seed %d: without the option, the blocks are missed: %v", seed+i, err)
		}
		if err := os.Rename(folder+"-away", folder); err != nil {
			t.Fatal(err)
		}
		s := mustOpen(t, dir, Options{Flat: true})
		if report := mustCheck(t, s); !report.OK() || report.Orphans > 0 {
			t.Fatalf("seed %d: %+v", seed+i, report)
		}
		mustClose(t, s)
	}
}

// A flat file that is missing, or of another graph, is made again by who may write, and not missed by who only reads.
func TestFlatMadeAgain(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	g := randomGraph(t, seed, testgraph.Options{Vertices: 300, Edges: 1000})
	other := flatStore(t, randomGraph(t, seed+1, testgraph.Options{Vertices: 300, Edges: 1000}))
	dir := flatStore(t, g)
	path := filepath.Join(dir, flatName(1))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoil := map[string]func() error{
		"missing": func() error { return os.Remove(path) },
		"of another graph": func() error {
			contents, err := os.ReadFile(filepath.Join(other, flatName(1)))
			return errors.Join(err, os.WriteFile(path, contents, 0o600))
		},
		"of version 1": func() error { return os.WriteFile(path, append([]byte("motifflt\x01"), whole[9:]...), 0o600) },
		"cut off":      func() error { return os.Truncate(path, int64(len(whole)-1)) },
		"empty":        func() error { return os.Truncate(path, 0) },
		"a folder": func() error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		},
	}
	for name, spoilt := range spoil {
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, whole, 0o600), spoilt()); err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{ReadOnly: true}, {ReadOnly: true, Shared: true}, {}} {
			opt.Flat = true
			if d, err := readAgainst(g, dir, opt); d != "" || err != nil {
				t.Fatalf("seed %d, %s, %+v: %s %v", seed, name, opt, d, err)
			}
		}
		again, err := os.ReadFile(path)
		if made := err == nil && string(again) == string(whole); made != (name != "a folder") {
			t.Errorf("%s: made again: %v, %v", name, made, err)
		}
	}
	// The next graph has a file of its own, and the old one goes.
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir, Options{Flat: true})
	mustPublish(t, s, g)
	mustClose(t, s)
	names, err := filepath.Glob(filepath.Join(dir, "flat-*"))
	if err != nil || len(names) != 1 || filepath.Base(names[0]) != flatName(2) {
		t.Errorf("flat files %v, %v", names, err)
	}
}

// noFlatDisk has no room for flat files.
type noFlatDisk struct{ realDisk }

func (d noFlatDisk) Create(path string) (file, error) {
	if strings.HasPrefix(filepath.Base(path), "flat-") {
		return nil, &os.PathError{Op: "create", Path: path, Err: syscall.ENOSPC}
	}
	return d.realDisk.Create(path)
}

// Without room for the flat file everything works, and the logger hears of it.
func TestFlatWithoutRoom(t *testing.T) {
	needFlat(t)
	dir, said := t.TempDir(), new(notes)
	opt := Options{Create: true, Flat: true, CompactAt: -1, Logger: slog.New(slog.NewTextHandler(said, nil))}
	g := randomGraph(t, 1, testgraph.Options{Vertices: 100, Edges: 300})
	s, err := openOn(noFlatDisk{}, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	mustPublish(t, s, g)
	mustClose(t, s)
	if s, err = openOn(noFlatDisk{}, dir, opt); err != nil {
		t.Fatal(err)
	}
	if d := difference(g, mustSnapshot(t, s)); d != "" {
		t.Error(d)
	}
	mustClose(t, s)
	if !strings.Contains(said.String(), "the flat file was not made") {
		t.Errorf("the logger heard %q", said.String())
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "flat-*")); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
}

// flatFile makes a store of g, and returns its folder, and the path and the bytes of its flat file.
func flatFile(t *testing.T, g *csr.Snapshot) (dir, path string, whole []byte) {
	t.Helper()
	dir = flatStore(t, g)
	path = filepath.Join(dir, flatName(1))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return dir, path, whole
}

// Each flipped bit of a flat file is an error that names the file, or harms nothing.
func TestFlatDamaged(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	rng := rand.New(rand.NewPCG(seed, 21))
	g := randomGraph(t, seed, testgraph.Options{Vertices: 200, Edges: 600})
	dir, path, whole := flatFile(t, g)
	reported := 0
	for range 300 {
		bit := rng.IntN(8 * len(whole))
		flipped := append([]byte(nil), whole...)
		flipped[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := readAgainst(g, dir, Options{ReadOnly: true, Flat: true})
		switch {
		case d != "":
			t.Fatalf("seed %d, bit %d: nobody reports that the graph differs: %s", seed, bit, d)
		case err != nil && (!errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "delete the file "+flatName(1))):
			t.Fatalf("seed %d, bit %d: %v", seed, bit, err)
		case err != nil:
			reported++
		}
	}
	if reported < 50 { // the others hit the index, and the blocks were read, or no section
		t.Errorf("only %d of 300 were reported", reported)
	}
}

// A flat file that is cut off or removed while it is mapped is an error, or harms nothing.
func TestFlatCutOff(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	rng := rand.New(rand.NewPCG(seed, 22))
	g := randomGraph(t, seed, testgraph.Options{Vertices: 3000, Edges: 20000})
	dir, path, whole := flatFile(t, g)
	failed := 0
	for i := range 40 {
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		s := mustOpen(t, dir, Options{ReadOnly: true, Flat: true})
		snap := mustSnapshot(t, s)
		if i%2 == 0 { // all checksums were compared before
			if d, err := compareGuarded(g, snap); d != "" || err != nil {
				t.Fatalf("seed %d: %s %v", seed, d, err)
			}
		}
		cut := rng.IntN(len(whole))
		if err := os.Truncate(path, int64(cut)); err != nil {
			t.Fatal(err)
		}
		// Where the checksums were compared before, zeros to the end of the last page that is left are all that can be read wrongly.
		d, err := compareGuarded(g, snap)
		if d != "" && i%2 == 1 {
			t.Fatalf("seed %d, cut at %d of %d: %s", seed, cut, len(whole), d)
		}
		if err != nil {
			failed++
		}
		mustClose(t, s)
	}
	if failed < 10 {
		t.Errorf("only %d of 40 failed", failed)
	}
}

// helperMap maps the flat file of a store and reads all of it. Then it waits for the end of its input.
func helperMap(dir string) {
	s, err := Open(dir, Options{ReadOnly: true, Flat: true})
	var snap *csr.Snapshot
	if err == nil {
		snap, err = s.Snapshot(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "helper:", err)
		os.Exit(1)
	}
	sum := uint64(0)
	for t := range snap.Data.Rels {
		for _, w := range snap.Rels(csr.TypeID(t)).Targets {
			sum += uint64(w)
		}
		snap.Adjacency(csr.TypeSet{csr.TypeID(t)}, csr.In)
	}
	fmt.Println("read", sum)
	_, _ = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(snap)
}

// mapped adds up a figure of the mappings of a file in a process, in bytes.
func mapped(t testing.TB, pid int, path, figure string) (sum uint64) {
	smaps, err := os.Open(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		t.Skip("the system does not tell what a process has mapped: ", err)
	}
	defer smaps.Close()
	inside := false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) > 0 && !strings.HasSuffix(fields[0], ":") {
			inside = fields[len(fields)-1] == path
		}
		if inside && fields[0] == figure+":" {
			kib, _ := strconv.ParseUint(fields[1], 10, 64)
			sum += kib << 10
		}
	}
	return sum
}

// Two processes share the pages of a flat file.
func TestFlatIsShared(t *testing.T) {
	needFlat(t)
	dir := flatStore(t, rmat(t, 16, 16))
	path, err := filepath.EvalSymlinks(filepath.Join(dir, flatName(1)))
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for range 2 {
		cmd := helper("map", dir)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { in.Close(); cmd.Wait() }()
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(line, err)
		}
		pids = append(pids, cmd.Process.Pid)
	}
	for _, pid := range pids {
		rss, pss := mapped(t, pid, path, "Rss"), mapped(t, pid, path, "Pss")
		if rss < 1<<20 || pss > rss*6/10 {
			t.Errorf("of the file, %d KiB are in memory, %d KiB are this process's share", rss>>10, pss>>10)
		}
		if private := mapped(t, pid, path, "Anonymous"); private > 0 {
			t.Errorf("%d KiB of the file are copies", private>>10)
		}
	}
}

// helperTime opens a store, by its flat file if the environment says so, and reads the neighbours of a vertex. It prints the nanoseconds until the
// graph and until the neighbours are there, and how many KiB of memory are the process's own.
func helperTime(dir string) {
	start := time.Now()
	s, err := Open(dir, Options{ReadOnly: true, Flat: os.Getenv(flatVar) != ""})
	var snap *csr.Snapshot
	if err == nil {
		snap, err = s.Snapshot(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "helper:", err)
		os.Exit(1)
	}
	open := time.Since(start)
	ends := len(snap.Rels(0).Outgoing(5).Ends)
	row := time.Since(start)
	debug.FreeOSMemory()
	own := 0
	if rollup, err := os.ReadFile("/proc/self/smaps_rollup"); err == nil {
		_, rest, _ := strings.Cut(string(rollup), "Anonymous:")
		fmt.Sscan(rest, &own)
	}
	fmt.Println(open.Nanoseconds(), row.Nanoseconds(), own, ends, snap.N())
}

// BenchmarkFlat opens a store in new processes, from its blocks and by its flat file. In one process the heap would clear memory that it has used before. MOTIF_SCALE is
// the size of the graph.
func BenchmarkFlat(b *testing.B) {
	needFlat(b)
	scale := 16
	fmt.Sscan(os.Getenv("MOTIF_SCALE"), &scale)
	dir := flatStore(b, rmat(b, scale, 16))
	for _, way := range []struct{ name, env string }{{"blocks", ""}, {"flat", "1"}} {
		b.Run(way.name, func(b *testing.B) {
			var opens, rows []float64
			own := 0
			for b.Loop() {
				out, err := helper("time", dir, flatVar+"="+way.env).Output()
				var open, row float64
				if _, scan := fmt.Sscan(string(out), &open, &row, &own); err != nil || scan != nil {
					b.Fatal(string(out), err, scan)
				}
				opens, rows = append(opens, open/1e6), append(rows, row/1e6)
			}
			slices.Sort(opens)
			slices.Sort(rows)
			b.ReportMetric(opens[len(opens)/2], "ms-open")
			b.ReportMetric(rows[len(rows)/2], "ms-row")
			b.ReportMetric(float64(own)/1024, "MiB-own")
		})
	}
}
