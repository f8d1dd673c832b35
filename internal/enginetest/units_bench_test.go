package enginetest

import (
	"fmt"
	"testing"

	"github.com/motifql/motif"
)

// BenchmarkUnits measures how much more CPU time 64 units take than the whole query: x-of-whole.
func BenchmarkUnits(b *testing.B) {
	db := kernelGraph(b, 15)
	defer db.Close()
	for i, q := range kernelQueries {
		b.Run(fmt.Sprint(q.route, i), func(b *testing.B) {
			whole := func() { drainRows(b)(db.Query(b.Context(), q.query, nil)) }
			whole() // derive what both need
			job, err := db.Distribute(b.Context(), q.query, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer job.Close()
			units := job.Units(64)
			ratio := 0.0
			for b.Loop() {
				ratio = float64(cpuOf(b, func() { runUnits(b, job, units) })) / float64(cpuOf(b, whole))
			}
			b.ReportMetric(ratio, "x-of-whole")
			b.ReportMetric(float64(len(units)), "units")
		})
	}
}

// runUnits runs units to their ends, merges their parts and reads the rows.
func runUnits(t testing.TB, job *motif.Job, units []motif.Unit) {
	drainRows(t)(job.Rows(t.Context(), mergeUnits(t, job, units)))
}

// drainRows returns a function that reads rows to their end.
func drainRows(t testing.TB) func(*motif.Rows, error) {
	return func(rows *motif.Rows, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
