//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/truss"
)

// TestBenchPeel times cores and trusses apart, with what was taken, and checks the answers; MOTIF_PEEL_BENCH lists RMAT scales and
// edge factors, such as 20x16,23x8, with t behind those whose trusses are wanted, T where the CPU is to check them, K where the largest only, n without cores.
func TestBenchPeel(t *testing.T) {
	sizes := rmatSizes(t, "MOTIF_PEEL_BENCH")
	d := device(t)
	d.hubDegree = hubDegree
	for _, z := range sizes {
		began := time.Now()
		s := largeRMAT(z.scale, z.factor)
		s.Adjacency(nil, csr.Both)
		fmt.Printf("rmat %s: %d vertices, %d edges, built in %v\n", z, s.N(), s.M(), time.Since(began).Round(time.Millisecond))
		if !strings.Contains(z.options, "n") {
			benchCores(t, d, s)
			for _, z := range []coreSizes{{256, 128, 4096}, {256, 128, 256}, {256, 64, 4096}, {128, 128, 4096}, {512, 128, 4096}} {
				benchSizes(t, d, s, z)
			}
		}
		if strings.ContainsAny(z.options, "tTK") {
			benchTrusses(t, d, s, strings.Contains(z.options, "T"), strings.Contains(z.options, "K"))
		}
	}
}

// largeRMAT is a graph of testgraph.RMAT's kind, drawn by all cores.
func largeRMAT(scale, factor int) *csr.Snapshot {
	b := csr.NewBuilder()
	b.AddVertices(1 << scale)
	e := b.Type("E")
	from, to := make([][]uint32, factor), make([][]uint32, factor)
	var all sync.WaitGroup
	for i := range factor {
		all.Go(func() {
			for u, v := range testgraph.RMAT(scale, 1, uint64(i+1)) {
				from[i], to[i] = append(from[i], u), append(to[i], v)
			}
		})
	}
	all.Wait()
	for i := range factor {
		b.AddEdges(e, from[i], to[i])
	}
	b.DropRepeats(e)
	s, _, err := b.Build(background, runtime.NumCPU())
	if err != nil {
		panic(err) // an end past the vertices: a mistake of the test
	}
	return s
}

func benchCores(t *testing.T, d *Device, s *csr.Snapshot) {
	cpu := allCores()
	w, _, c := quickest(t, 2, func() (*pattern.Cores, error) {
		return core.Decompose(background, s, &pattern.CoreRequest{Direction: csr.Both}, cpu)
	})
	for _, v := range []struct {
		variant pattern.CoreVariant
		off     []pattern.Technique
	}{{pattern.CorePark, nil}, {pattern.CorePark, []pattern.Technique{pattern.GPUCascade}}, {pattern.CorePark, []pattern.Technique{pattern.GPUAhead}},
		{pattern.CorePark, []pattern.Technique{pattern.GPUHubs}}, {pattern.CorePark, []pattern.Technique{pattern.CoreShrink}},
		{pattern.CorePark, []pattern.Technique{pattern.CoreRestore}}, {pattern.CoreRL, nil}, {pattern.CoreRL, []pattern.Technique{pattern.CoreFlags}},
		{pattern.CoreES, nil}} {
		q := &pattern.CoreRequest{Direction: csr.Both, Variant: v.variant}
		e := env()
		for _, m := range v.off {
			e.Without = e.Without.With(m)
		}
		var inside time.Duration
		launches := 0
		g, first, least := quickest(t, 3, func() (*pattern.Cores, error) {
			e.Tally = new(pattern.Tally)
			var out *pattern.Cores
			err := d.run(background, func(task *task) error {
				c, err := newCoreSearch(task, background, s, q, e)
				if err != nil {
					return err
				}
				if err := d.wait("upload"); err != nil {
					return err
				}
				began := time.Now()
				if err := c.decompose(); err != nil {
					return err
				}
				inside, launches = time.Since(began), c.levels.at
				out, err = c.result()
				return err
			})
			return out, err
		})
		state := "ok"
		if !slices.Equal(g.Core, w.Core) {
			state = "WRONG"
			t.Error("wrong cores")
		}
		fmt.Printf("cores %-7v off %-14v call %10v (first %v) inside %10v launches %5d cpu %10v %s  %s\n", v.variant, v.off, least.Round(time.Microsecond),
			first.Round(time.Microsecond), inside.Round(time.Microsecond), launches, c.Round(time.Microsecond), state, took(e))
	}
}

// benchSizes times the decomposition by peeling at some sizes, without the way back.
func benchSizes(t *testing.T, d *Device, s *csr.Snapshot, z coreSizes) {
	_, _, least := quickest(t, 4, func() (step int, err error) {
		err = d.run(background, func(task *task) error {
			c, err := newCoreSearch(task, background, s, &pattern.CoreRequest{Direction: csr.Both}, env())
			if err != nil {
				return err
			}
			c.sizes = z
			return c.decompose()
		})
		return 0, err
	})
	fmt.Printf("cores park with rows of %d in chunks of %d, %d queued: %v\n", z.hub, z.chunk, z.room, least.Round(time.Microsecond))
}

func took(e *pattern.Env) string {
	var list []string
	for m := range pattern.AllTechniques() {
		if n := e.Tally.Taken[m].Load(); n > 0 {
			list = append(list, fmt.Sprintf("%v=%d", m, n))
		}
	}
	return strings.Join(list, " ")
}

func benchTrusses(t *testing.T, d *Device, s *csr.Snapshot, check, checkLargest bool) {
	cpu := allCores()
	for _, k := range []uint32{pattern.KMax, 0} {
		q := &pattern.TrussRequest{K: k}
		e := env()
		g, first, least := quickest(t, 2, func() (*pattern.Trusses, error) {
			e.Tally = new(pattern.Tally)
			return d.Trusses(background, s, q, e)
		})
		state := "unchecked"
		if check || checkLargest && k == pattern.KMax {
			w, _, c := quickest(t, 1, func() (*pattern.Trusses, error) { return truss.Decompose(background, s, q, cpu) })
			if state = fmt.Sprintf("ok cpu %v", c.Round(time.Millisecond)); !slices.Equal(edgesOf(g), edgesOf(w)) {
				state = "WRONG"
				t.Error("wrong trusses")
			}
		}
		fmt.Printf("trusses k %10d: kmax %d of %d edges, call %10v (first %v) %s  %s\n", k, g.KMax, len(g.Source), least.Round(time.Microsecond),
			first.Round(time.Microsecond), state, took(e))
	}
	benchStages(t, d, s)
}

// benchStages times the parts of the search for the largest k.
func benchStages(t *testing.T, d *Device, s *csr.Snapshot) {
	line := "  stages:"
	err := d.run(background, func(task *task) (err error) {
		began := time.Now()
		stage := func(format string, args ...any) {
			_ = d.wait("a stage")
			line += fmt.Sprintf(" "+format, args...) + fmt.Sprint(" ", time.Since(began).Round(10*time.Microsecond), ";")
			began = time.Now()
		}
		q := &trussSearch{task: task, ctx: background, s: s, r: &pattern.TrussRequest{K: pattern.KMax}, env: env()}
		if q.a, err = adjacencyOf(task, s, nil, csr.Both); err != nil {
			return err
		}
		stage("upload")
		c, err := q.cores(0)
		if err != nil {
			return err
		}
		stage("cores to %d", c.degeneracy)
		peel := func(least, from uint32) (uint32, error) {
			set, err := q.atLeast(c.core, c.vertices, from)
			if err != nil {
				return 0, err
			}
			g, err := induced(task, q.a, set)
			if err != nil {
				return 0, err
			}
			stage("graph of %d vertices, %d edges", g.vertices, g.edges)
			p, err := q.peel(task, set, least, true)
			if err != nil {
				return 0, err
			}
			stage("peeled from %d to %d in %d rounds, matrix of %d words", least, p.level+2, p.levels.at, p.words)
			_, err = p.trusses(p.level + 2)
			stage("answer")
			return p.level + 2, err
		}
		bound, err := peel((c.degeneracy+1)/2, c.degeneracy)
		if err == nil {
			_, err = peel(bound, bound-1)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	fmt.Println(line)
}
