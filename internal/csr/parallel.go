package csr

import (
	"runtime"
	"sort"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"
)

// maxWorkers bounds the per-worker counters of the counting sorts.
const maxWorkers = 16

func defaultWorkers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }

// each runs fn(0) ... fn(n-1) at once and waits for them.
func each(n int, fn func(i int)) {
	if n == 1 {
		fn(0)
		return
	}
	var all workgroup.Group
	for i := range n {
		all.Go(func() { fn(i) })
	}
	all.Wait()
}

// dynamic runs fn(0) ... fn(n-1) on some workers, each taking the next index when it is done with one.
func dynamic(workers, n int, fn func(i int)) {
	var next atomic.Int64
	each(max(1, min(workers, n)), func(int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			fn(i)
		}
	})
}

// rows cuts the rows of offsets into k runs of about as many items each: run i is [cuts[i], cuts[i+1]).
func rows(offsets []uint64, k int) []int {
	n := max(0, len(offsets)-1)
	cuts := make([]int, k+1)
	cuts[k] = n
	for i := 1; i < k; i++ {
		target := offsets[n] / uint64(k) * uint64(i)
		cuts[i] = min(n, sort.Search(n, func(j int) bool { return offsets[j] >= target }))
	}
	return cuts
}
