package join_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestScratch(t *testing.T) {
	s := slashdot(t)
	reps, _ := strconv.Atoi(os.Getenv("REPS"))
	if reps == 0 {
		reps = 10
	}
	for _, q := range labelledPatterns {
		if x := os.Getenv("Q"); x != "" && x != q.name {
			continue
		}
		p := labelled(s, q.edges)
		if os.Getenv("NOSIG") == "" {
			filter.Spent(s, p, 1<<60)
		}
		env := &pattern.Env{Workers: 1}
		var c *pattern.Candidates
		run := func(f func()) (best time.Duration, avg time.Duration) {
			f()
			best = time.Hour
			t0 := cpu()
			for range reps {
				t := cpu()
				f()
				best = min(best, cpu()-t)
			}
			return best, (cpu() - t0) / time.Duration(reps)
		}
		fb, fa := run(func() { c, _ = filter.Run(context.Background(), s, p, env) })
		sizes := make([]float64, len(p.Vertices))
		for u := range sizes {
			sizes[u] = float64(c.Sets[u].Len())
		}
		fmt.Printf("%-10s filter best %v avg %v sizes %v\n", q.name, fb, fa, sizes)
		for k, o := range []pattern.Order{planner.MatchingOrder(p, s, sizes), orderOf(p, q.order...)} {
			if os.Getenv("OWN") != "" && k == 0 {
				continue
			}
			j := &pattern.Job{Snapshot: s, Pattern: p, Candidates: c, Order: o}
			var seq []int
			for _, st := range o.Steps {
				seq = append(seq, st.Vertex)
			}
			b, a := run(func() { join.Count(context.Background(), j, env) })
			fmt.Printf("           order %v best %v avg %v\n", seq, b, a)
		}
	}
}
