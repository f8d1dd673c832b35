package motif

import (
	"fmt"
	"strings"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
)

// Stage is a part of a query's work with the time that the query spent in it. The stages do not overlap: their times add
// up to the query's, but for a small rest. Workers beside the query's own goroutine do not count twice: while they search, the query
// waits for them, or is busy in another stage.
//
// The stages are "load" (reading the graph from the store, before the first query), "parse", "plan", "start" (taking the
// parameters and getting a goroutine to run on), "filter" (candidates), "order",
// "search" (waiting for the join or the clique kernel), "procedures" (of CALL), "rows" (conditions, sorting, grouping
// and the like), "output" (handing rows over, and waiting for who reads them), "explain" (writing down the plan with what was done), and one "index: ..." for each thing that the graph
// derives on first use and keeps: adjacency in an order that no query has asked for before, signatures, and so on.
type Stage struct {
	Name  string
	Time  time.Duration
	Share float64 // of Summary.Total, 0 to 1
}

// clock is what is known of a query's time before it runs.
type clock struct {
	began    time.Time
	load     time.Duration
	prepared *prepared        // if that was done for this query, else nil
	before   []csr.Derivation // what the snapshot had derived when the query began
	running  time.Time        // when its execution began; zero if it was not run
	explain  time.Duration    // writing down its plan with what was done
}

// start is the time from the beginning of the query to that of its execution which no stage has taken.
func (c *clock) start() time.Duration {
	if c.running.IsZero() {
		return 0
	}
	t := c.running.Sub(c.began) - c.load
	if c.prepared != nil {
		t -= c.prepared.parse + c.prepared.planning
	}
	return max(0, t)
}

// stages divides the time from the beginning of the query until now.
func (x *execution) stages(ran *exec.Stats) (total time.Duration, stages []Stage) {
	total = time.Since(x.clock.began)
	var derived time.Duration
	add := func(name string, t time.Duration) { stages = append(stages, Stage{Name: name, Time: t}) }
	some := func(name string, t time.Duration) {
		if t > 0 {
			add(name, t)
		}
	}
	var st exec.Stages
	if ran != nil {
		st = ran.Stages
	}
	some("load", x.clock.load)
	if p := x.clock.prepared; p != nil {
		derived += p.derived
		add("parse", p.parse)
		add("plan", p.planning-p.derived+st.Compile)
	} else {
		add("plan", st.Compile)
	}
	some("start", x.clock.start())
	if ran != nil {
		derived += st.Derived
		add("filter", st.Filter)
		add("order", st.Order)
		add("search", st.Search)
		some("procedures", st.Procedures)
		add("rows", st.Rows)
		add("output", st.Output)
		some("explain", x.clock.explain)
	}
	stages = append(stages, indexes(x.clock.before, x.snap.Derivations(), derived)...)
	for i := range stages {
		stages[i].Share = float64(stages[i].Time) / float64(max(1, total))
	}
	return total, stages
}

// leastIndex is the time from which on an index has a line of its own.
const leastIndex = 5 * time.Microsecond

// indexes divides the time that a query waited for the snapshot to derive something among what has been derived since it
// began. That may have been for other queries too, at the same time: then every part shrinks.
func indexes(before, after []csr.Derivation, waited time.Duration) (stages []Stage) {
	sum := time.Duration(0)
	for i := range after {
		if i < len(before) {
			after[i].Time -= before[i].Time // the list only grows
		}
		sum += after[i].Time
	}
	if waited <= 0 || sum <= 0 {
		return nil
	}
	scale := min(1, float64(waited)/float64(sum))
	for _, d := range after {
		if t := time.Duration(float64(d.Time) * scale); t >= leastIndex {
			stages = append(stages, Stage{Name: "index: " + d.Name, Time: t})
		}
	}
	return stages
}

// describeStages prints a line for the total and one for each stage.
func describeStages(total time.Duration, stages []Stage) string {
	var b strings.Builder
	all := 0.0
	for _, s := range stages {
		all += s.Share
	}
	fmt.Fprintf(&b, "total %v, of which the stages are %.1f %%", total.Round(time.Microsecond), 100*all)
	for _, s := range stages {
		fmt.Fprintf(&b, "\n  %-42s %12v  %5.1f %%", s.Name, s.Time.Round(time.Microsecond), 100*s.Share)
	}
	return b.String()
}
