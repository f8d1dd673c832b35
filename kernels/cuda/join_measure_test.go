//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// shapes are patterns by their edges; vertex i asks for label i modulo 5.
var shapes = []struct{ name, edges string }{
	{"path 4", "01 12 23"},
	{"cycle 4", "01 12 23 30"},
	{"triangle and tail", "01 12 20 23"},
	{"diamond", "01 12 23 30 02"},
	{"bow tie", "01 12 20 23 34 42"},
	{"house", "01 12 23 30 24 34"},
	{"cycle 5", "01 12 23 34 40"},
	{"wheel 5", "01 12 23 30 40 41 42 43"},
	{"prism", "01 12 20 34 45 53 03 14 25"},
	{"cycle 6 with chords", "01 12 23 34 45 50 03 14"},
	{"two triangles and a bridge", "01 12 20 23 34 45 53"},
	{"7: triangles in a row", "01 12 20 13 23 24 34 35 45 46 56"},
	{"8: cube", "01 12 23 30 45 56 67 74 04 15 26 37"},
	{"8: two 4-cliques and a bridge", "01 02 03 12 13 23 45 46 47 56 57 67 34"},
}

func shape(edges string, mode pattern.Mode) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: mode}}}
	sc := &p.Scopes[0]
	for i, e := range strings.Fields(edges) {
		u, w := int(e[0]-'0'), int(e[1]-'0')
		for len(p.Vertices) <= max(u, w) {
			v := len(p.Vertices)
			p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: csr.LabelID(v % 5), Name: string(rune('A' + v%5))}})
			sc.Vertices, sc.Order = append(sc.Vertices, v), append(sc.Order, v)
		}
		p.Edges = append(p.Edges, pattern.Edge{From: u, To: w, Undirected: true})
		sc.Edges = append(sc.Edges, i)
	}
	return p
}

// TestMeasureJoin times the join of labelled patterns on an RMAT graph of MOTIF_JOIN_SCALE, and compares the answers of the device
// and of the CPU with 16 workers and with one. It is skipped without that.
func TestMeasureJoin(t *testing.T) {
	scale, _ := strconv.Atoi(os.Getenv("MOTIF_JOIN_SCALE"))
	if scale == 0 {
		t.Skip("MOTIF_JOIN_SCALE is not set")
	}
	end := endOf("MOTIF_JOIN_BUDGET")
	d := device(t)
	setting("MOTIF_JOIN_BLOCKS", &levelBlocks)
	setting("MOTIF_JOIN_ROWS", &laterRows)
	if n, _ := strconv.Atoi(os.Getenv("MOTIF_JOIN_BITS")); n > 0 {
		bitsRoom = int64(n) << 20
	}
	r := rand.New(rand.NewPCG(1, 2))
	s := labelledGraph(1<<scale, 5, 1, testgraph.Undirected(testgraph.RMAT(scale, 16, 1)), r)
	fmt.Printf("RMAT %d: %d nodes, %d relationships, 5 labels\n%-30s %9s %16s %9s %9s %9s %7s %9s %9s %7s %7s\n", scale, s.N(), s.M(),
		"pattern", "filter", "matches", "gpu 1st", "gpu", "partial", "more", "cpu 16", "cpu 1", "x16", "x1")
	if os.Getenv("MOTIF_JOIN_TIMES") != "" {
		measureRoom(d)
	}
	for _, x := range shapes {
		if only := os.Getenv("MOTIF_JOIN_ONLY"); only != "" && !strings.Contains(only, x.edges) {
			continue
		}
		if time.Now().After(end) {
			fmt.Println("out of time")
			return
		}
		j := &pattern.Job{Snapshot: s, Pattern: shape(x.edges, pattern.DifferentNodes)}
		for u := range j.Pattern.Vertices {
			if os.Getenv("MOTIF_JOIN_ANY") != "" {
				j.Pattern.Vertices[u].Labels = nil
			}
		}
		var err error
		filtered := clock(func() { j.Candidates, err = filter.Run(background, s, j.Pattern, &pattern.Env{Workers: 16}) })
		if err != nil {
			t.Fatal(err)
		}
		j.Order = plannedOrder(j)
		fmt.Printf("%-30s %9s", x.name, ms(filtered)) // what comes shows how far it is
		got, first, gotErr := within(3*time.Second, func(ctx context.Context) (pattern.Count128, error) { return d.Count(ctx, j, env()) })
		best, tally := first, new(pattern.Tally)
		for i := 0; i < 5 && gotErr == nil && first < time.Second; i++ {
			tally = new(pattern.Tally)
			_, again, _ := within(3*time.Second, func(ctx context.Context) (pattern.Count128, error) {
				return d.Count(ctx, j, &pattern.Env{Tally: tally})
			})
			best = min(best, again)
		}
		if os.Getenv("MOTIF_JOIN_MATCH") != "" {
			defer measureRows(d, j, x.name)
		}
		if os.Getenv("MOTIF_JOIN_TIMES") != "" && gotErr == nil {
			defer measureKernels(t, d, j, x.name)
		}
		fmt.Printf(" %16v %9s %9s %9d %7d", got, ms(first), ms(best), tally.Partial.Load(), tally.Taken[pattern.JoinChunks].Load())
		want, many, wantErr := within(2*time.Second, func(ctx context.Context) (pattern.Count128, error) {
			return join.Count(ctx, j, &pattern.Env{Workers: 16, Tally: new(pattern.Tally)})
		})
		_, one, _ := within(3*time.Second, func(ctx context.Context) (pattern.Count128, error) {
			return join.Count(ctx, j, &pattern.Env{Workers: 1, Tally: new(pattern.Tally)})
		})
		note := ""
		if gotErr != nil || wantErr != nil {
			note = fmt.Sprintf("  gpu: %v, cpu: %v", gotErr, wantErr)
		} else if got != want {
			t.Errorf("%s: %v, want %v", x.name, got, want)
		}
		fmt.Printf(" %9s %9s %7.1f %7.1f%s\n", ms(many), ms(one),
			float64(many)/float64(best), float64(one)/float64(best), note)
	}
}

// setting takes a positive number from the environment, if there is one.
func setting(name string, to *int) {
	if n, _ := strconv.Atoi(os.Getenv(name)); n > 0 {
		*to = n
	}
}

// endOf is when a measurement begins no further row: after the time that the environment names, or 50 seconds.
func endOf(budget string) time.Time {
	most, err := time.ParseDuration(os.Getenv(budget))
	if err != nil {
		most = 50 * time.Second
	}
	return time.Now().Add(most)
}

// measureRoom prints how long it takes to allocate and free memory on the device.
func measureRoom(d *Device) {
	for _, mb := range []int64{1, 32, 256, 512, 1024} {
		_ = d.do(func() error {
			for range 3 {
				var b buffer
				take := clock(func() { b, _ = d.memory.alloc(mb << 20) })
				fmt.Printf("%d MB: alloc %v, free %v; ", mb, take, clock(func() { d.memory.free(b) }))
			}
			return nil
		})
		fmt.Println()
	}
}

// measureKernels prints what the kernels of a join take, of the time in all.
func measureKernels(t *testing.T, d *Device, j *pattern.Job, name string) {
	for _, off := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.JoinSlices), pattern.Techniques{}.With(pattern.JoinBits),
		pattern.Techniques{}.With(pattern.JoinBreadth)} {
		if err := d.TimeKernels(true); err != nil {
			t.Fatal(err)
		}
		tally := new(pattern.Tally)
		_, took, err := within(2*time.Second, func(ctx context.Context) (pattern.Count128, error) {
			return d.Count(ctx, j, &pattern.Env{Tally: tally, Without: off})
		})
		list, _ := d.KernelTimes()
		for m := range pattern.AllTechniques() {
			if off.Has(m) {
				fmt.Printf("  without %v: ", m)
			}
		}
		fmt.Printf("%s: %s ms, %d descents, %d steps, %v:", name, ms(took), tally.Taken[pattern.JoinChunks].Load()+1, tally.Taken[pattern.JoinBreadth].Load(), err)
		for _, k := range list {
			fmt.Printf(" %s %d x %s,", k.Kernel, k.Launches, ms(k.Time))
		}
		fmt.Println()
	}
	if err := d.TimeKernels(false); err != nil {
		t.Fatal(err)
	}
}

// countingSink counts rows, and notes when the first one came.
type countingSink struct {
	mu           sync.Mutex
	began, first time.Time
	rows         uint64
	read         []int // query vertices
}

func (k *countingSink) NeedEdges() bool     { return false }
func (k *countingSink) ReadVertices() []int { return k.read }
func (k *countingSink) ReadEdges() []int    { return nil }
func (k *countingSink) BatchRows() int      { return 1024 }
func (k *countingSink) Repeats() bool       { return false }
func (k *countingSink) EmitColumns(c *pattern.Columns) (bool, error) {
	k.mu.Lock() // the CPU's workers
	defer k.mu.Unlock()
	if k.rows == 0 {
		k.first = time.Now()
	}
	if k.rows += uint64(c.Len); len(c.Weights) > 0 {
		k.rows -= uint64(c.Len)
		for _, w := range c.Weights {
			k.rows += w
		}
	}
	return true, nil
}
func (k *countingSink) Emit(batch []pattern.Embedding) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rows == 0 {
		k.first = time.Now()
	}
	for i := range batch {
		k.rows += batch[i].Weight
	}
	return true, nil
}

// measureRows prints how long it takes to give the rows, of which there may be too many for the time.
func measureRows(d *Device, j *pattern.Job, name string) {
	matches := map[string]func(ctx context.Context, e *pattern.Env, k pattern.Sink) error{
		"gpu":  func(ctx context.Context, e *pattern.Env, k pattern.Sink) error { return d.Match(ctx, j, e, k) },
		"warp": func(ctx context.Context, e *pattern.Env, k pattern.Sink) error { return d.Match(ctx, j, e, k) },
		"cpu":  func(ctx context.Context, e *pattern.Env, k pattern.Sink) error { return join.Match(ctx, j, e, k) },
	}
	for _, way := range []string{"gpu", "warp", "cpu"} {
		e := &pattern.Env{Workers: 16, Tally: new(pattern.Tally)}
		if way == "warp" {
			e.Without = e.Without.With(pattern.JoinBreadth)
		}
		k := &countingSink{began: time.Now()}
		for u := range j.Pattern.Vertices {
			k.read = append(k.read, u)
		}
		_, took, err := within(1500*time.Millisecond, func(ctx context.Context) (n pattern.Count128, err error) {
			return n, matches[way](ctx, e, k)
		})
		fmt.Printf("%s, rows by %s: %d in %s ms, the first after %s ms, %.1f M/s, %v\n", name, way, k.rows, ms(took), ms(k.first.Sub(k.began)), float64(k.rows)/took.Seconds()/1e6, err)
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }

func clock(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// within runs f for so long at most.
func within(most time.Duration, f func(ctx context.Context) (pattern.Count128, error)) (n pattern.Count128, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(background, most)
	defer cancel()
	took = clock(func() { n, err = f(ctx) })
	return n, took, err
}
