//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/storage/importer"
)

// TestMeasureLevels prints what each level of a search has and takes, pushed and pulled, and what whole searches take: MOTIF_GPU_LEVELS lists
// graphs, such as 20x16 or the name of a file, each with its sources: 20x16:0:1000. MOTIF_GPU_ROWS lists from how many edges on a row is a block's; with
// it levels are left out.
func TestMeasureLevels(t *testing.T) {
	list := os.Getenv("MOTIF_GPU_LEVELS")
	if list == "" {
		t.Skip("a measurement: MOTIF_GPU_LEVELS names no graphs")
	}
	d := device(t)
	d.hubDegree, d.bfs = hubDegree, defaultBFSLimits
	for item := range strings.SplitSeq(list, ",") {
		name, rest, _ := strings.Cut(item, ":")
		var s *csr.Snapshot
		var scale, factor int
		if _, err := fmt.Sscanf(name, "%dx%d", &scale, &factor); err == nil {
			s = testgraph.Graph(1<<scale, testgraph.RMAT(scale, factor, 1), true)
		} else if s, _, err = importer.Load(background, importer.Spec{Files: []string{name}, Undirected: true}, nil); err != nil {
			t.Fatal(err)
		}
		for text := range strings.SplitSeq(rest, ":") {
			var source uint32
			if _, err := fmt.Sscan(text, &source); err != nil {
				t.Fatal(err)
			}
			measureLevels(t, d, s, name, csr.VertexID(source))
		}
	}
}

func measureLevels(t *testing.T, d *Device, s *csr.Snapshot, name string, source csr.VertexID) {
	q := &pattern.Traversal{Sources: []csr.VertexID{source}, Direction: csr.Both, MaxDepth: -1}
	want, err := bfs.Search(background, s, q, &pattern.Env{Workers: runtime.GOMAXPROCS(0), Tally: new(pattern.Tally)})
	if err != nil {
		t.Fatal(err)
	}
	depth := int(slices.Max(want.Depth))
	size, edges := make([]int, depth+1), make([]int, depth+1)
	a, all := s.Adjacency(nil, csr.Both), 0
	for v, l := range want.Depth {
		all += a.Degree(csr.VertexID(v))
		if l >= 0 {
			size[l]++
			edges[l] += a.Degree(csr.VertexID(v))
		}
	}
	least := func(v pattern.Variant, most int, off ...pattern.Technique) time.Duration {
		q, e := *q, env()
		q.Variant, q.MaxDepth = v, most
		for _, m := range off {
			e.Without = e.Without.With(m)
		}
		took := time.Hour
		for range 6 {
			took = min(took, timeSearch(t, d, s, &q, e))
		}
		return took
	}
	fmt.Printf("%s from %d: %d vertices, %d entries, depth %d; push %v, pull %v, switching %v; with a launch for each level: push %v, switching %v\n", name, source, s.N(), all,
		depth, least(pattern.Push, -1), least(pattern.Pull, -1), least(pattern.Switching, -1), least(pattern.Push, -1, pattern.GPUTogether),
		least(pattern.Switching, -1, pattern.GPUTogether))
	printKernels(t, d, s, q)
	for read, name := range []string{"all", "depths", "sizes"} {
		q := *q
		q.Read = pattern.LevelsRead(read)
		for _, q.Returned = range []bool{false, true} {
			before := new(pattern.Levels)
			last, took, median, err := timedRuns(10, func() (*pattern.Levels, error) {
				before.Release()
				var err error
				before, err = d.BFS(background, s, &q, allCores())
				return before, err
			})
			if err != nil {
				t.Fatal(err)
			}
			if last.Depth != nil && !slices.Equal(last.Depth, want.Depth) {
				t.Error("wrong depths")
			}
			last.Release()
			fmt.Printf("  call that reads %s, given back: %v: least %v, median %v\n", name, q.Returned, took, median)
		}
	}
	for rows := range strings.SplitSeq(os.Getenv("MOTIF_GPU_ROWS"), ",") {
		if n, _ := fmt.Sscan(rows, &d.bfs.row); n == 1 {
			fmt.Printf("  rows of %s: switching %v\n", rows, least(pattern.Switching, -1))
		}
	}
	d.bfs = defaultBFSLimits
	if depth > 45 || os.Getenv("MOTIF_GPU_ROWS") != "" {
		return
	}
	unseen, before := all, [2]time.Duration{}
	for l := range depth + 1 {
		unseen -= edges[l]
		var took [2]time.Duration
		for i, v := range []pattern.Variant{pattern.Push, pattern.Pull} {
			took[i] = least(v, l+1)
		}
		fmt.Printf("  level %2d: %8d vertices %9d edges %9d unseen; push %8v pull %8v\n", l, size[l], edges[l], unseen, took[0]-before[0], took[1]-before[1])
		before = took
	}
}
