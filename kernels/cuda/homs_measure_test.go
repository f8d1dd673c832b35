//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/hom"
	"github.com/motifql/motif/planner/match"
)

// hostCounter notes how many list elements a count is expected to take.
type hostCounter struct {
	join.CPUCounter
	cost *float64
}

func (c hostCounter) CountHoms(ctx context.Context, s *csr.Snapshot, h *hom.Counter, env *pattern.Env) ([]pattern.Count128, error) {
	*c.cost = h.Cost()
	return c.CPUCounter.CountHoms(ctx, s, h, env)
}

// TestMeasureHoms times counts by formulas on an RMAT graph of MOTIF_HOMS_SCALE with MOTIF_HOMS_LABELS labels, and compares the answers
// of the device and of the CPU with 16 workers and with one (not with MOTIF_HOMS_QUICK). MOTIF_HOMS_LANES and _ALONE are lanes of a block. It is
// skipped without a scale.
func TestMeasureHoms(t *testing.T) {
	scale, _ := strconv.Atoi(os.Getenv("MOTIF_HOMS_SCALE"))
	if scale == 0 {
		t.Skip("MOTIF_HOMS_SCALE is not set")
	}
	labels := 5
	setting("MOTIF_HOMS_LABELS", &labels)
	setting("MOTIF_HOMS_LANES", &homLanes)
	setting("MOTIF_HOMS_ALONE", &homAlone)
	end := endOf("MOTIF_HOMS_BUDGET")
	d := device(t)
	s := labelledGraph(1<<scale, labels, 1, testgraph.Undirected(testgraph.RMAT(scale, 16, 1)), rand.New(rand.NewPCG(1, 2)))
	fmt.Printf("RMAT %d: %d nodes, %d relationships, %d labels\n%-30s %18s %9s %9s %9s %9s %9s %7s %7s %9s\n", scale, s.N(), s.M(), labels,
		"pattern", "matches", "gpu 1st", "gpu", "kernels", "cpu 16", "cpu 1", "x16", "x1", "elements")
	for _, x := range shapes {
		if only := os.Getenv("MOTIF_HOMS_ONLY"); only != "" && !strings.Contains(only, x.edges) {
			continue
		}
		if time.Now().After(end) {
			fmt.Println("out of time")
			return
		}
		j := &pattern.Job{Snapshot: s, Pattern: shape(x.edges, pattern.DifferentNodes)}
		for v := range j.Pattern.Vertices {
			if labels == 1 {
				j.Pattern.Vertices[v].Labels = nil
			}
		}
		var err error
		if j.Candidates, err = filter.Run(background, s, j.Pattern, &pattern.Env{Workers: 16}); err != nil {
			t.Fatal(err)
		}
		j.Order = plannedOrder(j)
		j.Formula, _ = match.CountFormula(j.Pattern, s, nil, max(1e9, j.Order.Cost))
		if j.Formula == nil {
			fmt.Printf("%-30s no formula\n", x.name)
			continue
		}
		count := func(by join.Counter, workers int, most time.Duration) (n pattern.Count128, took time.Duration, err error) {
			done := false
			n, took, err = within(most, func(ctx context.Context) (n pattern.Count128, err error) {
				n, done, err = join.CountByFormula(ctx, j, &pattern.Env{Workers: workers, Tally: new(pattern.Tally)}, by)
				return n, err
			})
			if err == nil && !done {
				err = errors.New("a search is cheaper")
			}
			return n, took, err
		}
		got, first, gotErr := count(d, 16, 5*time.Second)
		best := first
		for i := 0; i < 5 && gotErr == nil && first < time.Second; i++ {
			_, again, _ := count(d, 16, 5*time.Second)
			best = min(best, again)
		}
		kernels := ""
		sum := time.Duration(0)
		if err := d.TimeKernels(true); err == nil && gotErr == nil {
			_, _, _ = count(d, 16, 5*time.Second)
			times, _ := d.KernelTimes()
			for _, k := range times {
				sum += k.Time
				kernels += fmt.Sprintf(" %s %s/%d", k.Kernel, ms(k.Time), k.Launches)
			}
			_ = d.TimeKernels(false)
		}
		if n, err := strconv.Atoi(os.Getenv("MOTIF_HOMS_REPEAT")); err == nil { // for a profile of the host
			began := time.Now()
			for range n {
				_, _, _ = count(d, 16, 5*time.Second)
			}
			fmt.Println("a call on average:", time.Since(began)/time.Duration(n))
		}
		if os.Getenv("MOTIF_HOMS_QUICK") != "" {
			fmt.Printf("%-30s %18v %9s %9s %9s %v%s\n", x.name, got, ms(first), ms(best), ms(sum), gotErr, kernels)
			continue
		}
		cost := 0.0
		want, many, wantErr := count(hostCounter{cost: &cost}, 16, 12*time.Second)
		_, one, _ := count(hostCounter{cost: &cost}, 1, 6*time.Second)
		note := kernels
		if gotErr != nil || wantErr != nil {
			note = fmt.Sprintf("  gpu: %v, cpu: %v%s", gotErr, wantErr, kernels)
		} else if got != want {
			t.Errorf("%s: %v, want %v", x.name, got, want)
		}
		fmt.Printf("%-30s %18v %9s %9s %9s %9s %9s %7.1f %7.1f %9.3g%s\n", x.name, got, ms(first), ms(best), ms(sum), ms(many), ms(one),
			float64(many)/float64(best), float64(one)/float64(best), cost, note)
	}
}
