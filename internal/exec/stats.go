package exec

import (
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner"
)

// Stats is what an execution did, for PROFILE.
type Stats struct {
	Elapsed time.Duration
	Nodes   map[planner.Node]*NodeStats // an operator that LIMIT 0 made needless is missing
}

// NodeStats is what one operator did.
type NodeStats struct {
	Rows   uint64        // rows out
	Time   time.Duration // in this operator alone; of the fast ones it is sampled
	Memory int64         // bytes held at most by a Sort, Aggregate or Distinct, about
	Match  *MatchStats   // of a Match only
}

// MatchStats is what a Match did. It is empty but for Device and Kernel if no row reached it.
type MatchStats struct {
	Device  string
	Kernel  string         // "join", "join, counting", "clique", "clique, counting"
	Runs    uint64         // input rows
	Tiers   []pattern.Tier // of the filter
	Sizes   []int          // candidates by query vertex; 1 for a bound one
	Order   pattern.Order  // from these sizes; of the join only
	Taken   []int          // query vertices in the order that the last search took; nil where the device did not say
	Partial uint64         // partial embeddings visited
	Filter  time.Duration
	Search  time.Duration // of join or clique kernel; what was done with the matches meanwhile is in it
}

func (x *execution) stats() *Stats {
	s := &Stats{Elapsed: time.Since(x.start), Nodes: make(map[planner.Node]*NodeStats, len(x.outlets))}
	inclusive := s.Elapsed
	inner := uint64(0)
	for i := len(x.outlets) - 1; i >= 0; i-- { // the leaf comes last: its tally includes the others'
		o := x.outlets[i]
		n := &NodeStats{Rows: o.rows}
		s.Nodes[o.node] = n
		if o.match != nil {
			n.Match = &o.match.stats
			n.Match.Taken = o.match.taken()
			if n.Match.Partial = o.match.partial(); !o.match.inner {
				n.Match.Partial -= inner
			}
			inner += n.Match.Partial
		}
		if o.call != nil {
			inner += o.call.tallied
		}
		if o.holding != nil {
			n.Memory = o.holding.peak
		}
	}
	for _, o := range x.outlets {
		above := min(inclusive, o.above) // sampling may overrate it
		s.Nodes[o.node].Time = inclusive - above
		inclusive = above
	}
	return s
}
