package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/figures"
)

// Stage is a part of a query's time.
type Stage struct {
	Name  string
	Time  time.Duration
	Share float64 // of the whole
}

// leastIndex is the least time for which an index gets a line of its own.
const leastIndex = 5 * time.Microsecond

// Indexes divides the time that a query waited for indexes among those that were made since it began. Some may have been made
// for other queries at the same time: then every part shrinks.
func Indexes(before, after []csr.Derivation, waited time.Duration) (list []csr.Derivation) {
	sum, after := time.Duration(0), slices.Clone(after)
	for i := range after {
		if i < len(before) {
			after[i].Time -= before[i].Time // the list only grows
		}
		sum += after[i].Time
	}
	if sum <= 0 {
		return nil
	}
	scale := min(1, float64(waited)/float64(sum))
	for _, d := range after {
		if d.Time = time.Duration(float64(d.Time) * scale); d.Time >= leastIndex {
			list = append(list, d)
		}
	}
	return list
}

// Totals is what PROFILE prints below a plan.
type Totals struct {
	Time           time.Duration
	Stages         []Stage
	PartialMatches uint64
	PeakMemory     int64
	Answers        []string // of devices
	Techniques     []string
}

// String prints a line for the total and one for each stage, and what the query took besides.
func (t *Totals) String() string {
	var b strings.Builder
	all := 0.0
	for _, s := range t.Stages {
		all += s.Share
	}
	fmt.Fprintf(&b, "total %v, of which the stages are %.1f %%", t.Time.Round(time.Microsecond), 100*all)
	for _, s := range t.Stages {
		fmt.Fprintf(&b, "\n  %-42s %12v  %5.1f %%", s.Name, s.Time.Round(time.Microsecond), 100*s.Share)
	}
	b.WriteByte('\n')
	if t.PartialMatches > 0 {
		b.WriteString(figures.Count(t.PartialMatches) + " partial matches, ")
	}
	fmt.Fprintf(&b, "peak memory %s bytes", figures.Count(uint64(t.PeakMemory)))
	for _, line := range slices.Concat(t.Answers, t.Techniques) {
		b.WriteString("\n" + line)
	}
	return b.String()
}
