//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/truss"
	"github.com/motifql/motif/storage/importer"
)

// TestCliqueFileBench times counts of cliques of graphs in files: MOTIF_CLIQUE_FILES lists them with the smallest and the largest k and
// how often to count, such as fb100-NYU9.txt.zst:4-8:20. It prints the least and the median time of a call with the graph there, and what
// each kernel takes. Answers are compared with the CPU's, but with MOTIF_CLIQUE_QUICK (for a profiler). MOTIF_HAND_ON lists from how many
// nodes on trees are handed on, or off.
func TestCliqueFileBench(t *testing.T) {
	list, quick := os.Getenv("MOTIF_CLIQUE_FILES"), os.Getenv("MOTIF_CLIQUE_QUICK") != ""
	if list == "" {
		t.Skip("a measurement: MOTIF_CLIQUE_FILES names no files")
	}
	d, cpu := device(t), allCores()
	for item := range strings.SplitSeq(list, ",") {
		file, rest, _ := strings.Cut(item, ":")
		var from, to, runs int
		if _, err := fmt.Sscanf(rest, "%d-%d:%d", &from, &to, &runs); err != nil {
			t.Fatal(err)
		}
		s, _, err := importer.Load(background, importer.Spec{Files: []string{file}, Undirected: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if to >= boundsFrom {
			bounds, least, median, err := timedRuns(runs, func() (buffer, error) { return boundsOf(d, s) })
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("%-24s bounds of roots: least %v median %v, %d bytes\n", file, least, median, bounds.bytes)
		}
		for k := from; k <= to; k++ {
			q := (&pattern.Subgraph{}).Clique(k)
			var want pattern.Count128
			var took time.Duration
			if !quick {
				if want, _, took, err = timedRuns(5, func() (pattern.Count128, error) { return clique.Count(background, s, q, cpu) }); err != nil {
					t.Fatal(err)
				}
			}
			for variant := range strings.SplitSeq(os.Getenv("MOTIF_HAND_ON"), ",") {
				d.handOn = [2]int{}
				e := pattern.Techniques{}
				if variant == "off" {
					e, _ = pattern.ParseTechniques(pattern.CliqueSplit.String())
				} else if variant != "" {
					if d.handOn[0], err = strconv.Atoi(variant); err != nil {
						t.Fatal(err)
					}
				}
				count := func() (pattern.Count128, error) {
					with := env()
					with.Without = e
					return d.CountCliques(background, s, q, with)
				}
				n, least, median, err := timedRuns(runs, count)
				if err != nil {
					t.Fatal(err)
				}
				if !quick && n != want {
					t.Errorf("%s: %v %d-cliques, want %v", file, n, k, want)
				}
				fmt.Printf("%-24s k=%d %-4s cpu %8v gpu least %8v median %8v ratio %5.1f  %v %s\n", file, k, variant, took.Round(10*time.Microsecond), least.Round(time.Microsecond),
					median.Round(time.Microsecond), float64(took)/float64(median), n, kernelTimes(t, d, runs, count))
			}
		}
	}
}

// boundsOf finds the bounds of the roots anew.
func boundsOf(d *Device, s *csr.Snapshot) (bounds buffer, err error) {
	err = d.run(background, func(t *task) error {
		g, err := orientedOf(t, background, s, nil, nil, env())
		if err == nil {
			bounds, err = (&cliqueCount{task: t, env: env(), g: g, k: boundsFrom}).bounds(background)
		}
		return err
	})
	return bounds, err
}

// TestPeelFileBench times the cores and the trussness of all edges of graphs in the files that MOTIF_PEEL_FILES lists: the least and the median
// time of a call with the graph there, and what each kernel takes. Answers are compared with the CPU's.
func TestPeelFileBench(t *testing.T) {
	list := os.Getenv("MOTIF_PEEL_FILES")
	if list == "" {
		t.Skip("a measurement: MOTIF_PEEL_FILES names no files")
	}
	const runs = 10
	d, cpu := device(t), allCores()
	for file := range strings.SplitSeq(list, ",") {
		s, _, err := importer.Load(background, importer.Spec{Files: []string{file}, Undirected: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cores, trusses := &pattern.CoreRequest{Direction: csr.Both}, new(pattern.TrussRequest)
		before := new(pattern.Trusses)
		ask := func(returned bool) (bool, error) {
			before.Release()
			g, err := d.Trusses(background, s, &pattern.TrussRequest{Returned: returned}, env())
			if err == nil {
				before = g
			}
			return err == nil && len(g.Truss) > 0, err
		}
		wantCores, err := core.Decompose(background, s, cores, cpu)
		if err != nil {
			t.Fatal(err)
		}
		wantTrusses, err := truss.Decompose(background, s, trusses, cpu)
		if err != nil {
			t.Fatal(err)
		}
		for name, same := range map[string]func() (bool, error){
			"cores": func() (bool, error) {
				c, err := d.Cores(background, s, cores, env())
				return err == nil && slices.Equal(c.Core, wantCores.Core), err
			},
			"trusses":            func() (bool, error) { return ask(false) },
			"trusses given back": func() (bool, error) { return ask(true) },
		} {
			ok, least, median, err := timedRuns(runs, same)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				t.Errorf("%s: wrong %s", file, name)
			}
			kernels := kernelTimes(t, d, runs, func() (n pattern.Count128, err error) { _, err = same(); return n, err })
			if strings.HasPrefix(name, "trusses") && (before.KMax != wantTrusses.KMax || !slices.Equal(edgesOf(before), edgesOf(wantTrusses))) {
				t.Errorf("%s: wrong trusses", file)
			}
			fmt.Printf("%-24s %-18s call least %8v median %8v  %s\n", file, name, least.Round(time.Microsecond), median.Round(time.Microsecond), kernels)
		}
	}
}

// timedRuns runs f once, and then so many times more.
func timedRuns[T any](runs int, f func() (T, error)) (answer T, least, median time.Duration, err error) {
	var all []time.Duration
	for range runs + 1 {
		began := time.Now()
		if answer, err = f(); err != nil {
			return answer, 0, 0, err
		}
		all = append(all, time.Since(began))
	}
	all = all[1:]
	slices.Sort(all)
	return answer, all[0], all[len(all)/2], nil
}

// kernelTimes is what each kernel takes in a run of f, and how often it is launched.
func kernelTimes(t *testing.T, d *Device, runs int, f func() (pattern.Count128, error)) string {
	if err := d.TimeKernels(true); err != nil {
		t.Fatal(err)
	}
	for range runs {
		if _, err := f(); err != nil {
			t.Fatal(err)
		}
	}
	list, err := d.KernelTimes()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.TimeKernels(false); err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, k := range list {
		text = append(text, fmt.Sprintf("%s %dx %v", k.Kernel, k.Launches/runs, (k.Time/time.Duration(runs)).Round(time.Microsecond)))
	}
	return strings.Join(text, ", ")
}
