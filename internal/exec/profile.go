package exec

import (
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner"
)

// Profile records what an execution did, for PROFILE.
type Profile struct {
	Elapsed time.Duration
	Nodes   map[planner.Node]*OperatorProfile // without operators that LIMIT 0 made needless
	Stages  Stages

	// Set by Write only.
	Changes  *ChangeCounts
	Snapshot *csr.Snapshot // of the graph that the rows show
	Plan     *planner.Plan // the plan that ran in the end
}

// Candidates returns how many candidates all nodes of the patterns had together.
func (p *Profile) Candidates() (n uint64) {
	if p == nil {
		return 0
	}
	for _, node := range p.Nodes {
		if node.Match == nil {
			continue
		}
		for _, size := range node.Match.Sizes {
			n += uint64(size)
		}
	}
	return n
}

// Stages divides the time of an execution. Stages do not overlap: each moment of the goroutine that called Run counts once
// at most. Derivation is what the snapshot derived on demand; no other stage includes it.
type Stages struct {
	Compile    time.Duration // of expressions and stages
	Filter     time.Duration // finding candidates
	Order      time.Duration // finding the matching order, or the kernel's input
	Search     time.Duration // join or clique kernel, while the operators above waited for it
	Procedures time.Duration // of CALL
	Rows       time.Duration // the other operators
	Output     time.Duration // what the caller did with rows
	Derivation time.Duration
}

// OperatorProfile records what one operator did.
type OperatorProfile struct {
	Rows   uint64        // rows out
	Time   time.Duration // in this operator alone; sampled for fast operators
	Memory int64         // the most bytes that a Sort, Aggregate or Distinct held, roughly
	Match  *MatchProfile // of a Match only
}

// MatchProfile records what a Match did. Without input rows only Device and Kernel are set.
type MatchProfile struct {
	Device      string
	Kernel      string             // "join", "join, counting", "clique", "clique, counting", "lookup" in a draft
	Runs        uint64             // input rows
	Tiers       []pattern.Tier     // of the filter
	Sizes       []int              // candidates by query vertex; 1 for a bound one
	Order       pattern.Order      // by these sizes; for a join only
	SearchOrder []int              // query vertices in the order of the last search; nil where the device did not say
	Replan      *pattern.Replanned // why the search left its first order; nil if it did not
	Partial     uint64             // partial matches visited
	Visits      []uint64           // of these, by the query vertex that came last; nil where the device did not say
	Filter      time.Duration
	Search      time.Duration // join or clique kernel, while the operators above waited for it

	Ordering   time.Duration // finding Order, or the clique kernel's input
	deriveTime time.Duration // by the snapshot during Filter and Ordering; neither includes it
}

// stopwatch measures time without what the snapshot derives meanwhile.
type stopwatch struct {
	s          *csr.Snapshot
	start      time.Time
	derivation time.Duration
}

func (x *execution) startWatch() stopwatch { return stopwatch{x.s, time.Now(), x.s.DerivationTime()} }

// stop adds the time since the start to own, and the part spent deriving to derived.
func (w *stopwatch) stop(own, derived *time.Duration) {
	took := time.Since(w.start)
	part := min(took, w.s.DerivationTime()-w.derivation) // another query may have caused the derivation, on another core
	*own += took - part
	*derived += part
}

func (x *execution) profile() *Profile {
	s := &Profile{Elapsed: time.Since(x.start), Nodes: make(map[planner.Node]*OperatorProfile)}
	if x.main == nil {
		return s
	}
	inner := uint64(0)
	var lowest *OperatorProfile                             // its tally is the query's, which includes those of the others
	room := make([]OperatorProfile, 0, len(x.main.outlets)) // if it grows, the entries of before stay where they are
	x.main.each(func(o *outlet) {
		room = append(room, OperatorProfile{Rows: o.rows})
		n := &room[len(room)-1]
		s.Nodes[o.node] = n
		if o.match != nil {
			o.match.passTally()
			n.Match = &o.match.profile
			n.Match.SearchOrder, n.Match.Replan, n.Match.Visits = o.match.taken(), o.match.replanned(), o.match.visits()
			if n.Match.Partial = o.match.partial(); o.match.ownTally {
				inner += n.Match.Partial
			} else {
				lowest = n
			}
		}
		if o.call != nil {
			inner += o.call.tallyMark
		}
		if o.drafted != nil {
			n.Match = o.drafted
		}
		if o.account != nil {
			n.Memory = o.account.Peak
		}
		for _, c := range o.subs {
			s.Nodes[c.node] = &OperatorProfile{Rows: c.runs}
		}
	})
	if lowest != nil {
		lowest.Match.Partial -= min(inner, lowest.Match.Partial)
	}
	s.Stages.Compile = min(x.compileTime, s.Elapsed)
	s.Stages.Output = x.main.divide(s, s.Elapsed-s.Stages.Compile)
	return s
}

// each calls f for the operators of c and of its inner chains.
func (c *chain) each(f func(o *outlet)) {
	for _, o := range c.outlets {
		f(o)
		for _, inner := range o.inner {
			inner.each(f)
		}
		for _, sub := range o.subs {
			sub.each(f)
		}
	}
}

// divide divides the time of a chain among operators and stages, from the leaf up. An operator gets what the operators
// above it and the chains that it runs leave. divide returns the time spent above the chain.
func (c *chain) divide(s *Profile, inclusive time.Duration) time.Duration {
	st := &s.Stages
	for i, o := range c.outlets {
		above := min(inclusive, o.above) // sampling may overestimate it
		n, own := s.Nodes[o.node], inclusive-above
		inclusive = above
		for _, inner := range o.inner {
			took := min(own, max(0, inner.runTime-inner.above()))
			own -= took
			inner.divide(s, took+inner.above())
		}
		for _, sub := range o.subs {
			took := min(own, sub.runTime)
			own -= took
			s.Nodes[sub.node].Time = sub.divide(s, took)
			st.Rows += s.Nodes[sub.node].Time
		}
		n.Time = own
		if o.match == nil && o.call == nil {
			st.Rows += own
			continue
		}
		derived := min(own, max(0, o.derived()-c.derivedAbove(i)))
		st.Derivation += derived
		own -= derived
		if o.call != nil {
			st.Procedures += own
			continue
		}
		m := n.Match
		st.Filter += min(own, m.Filter)
		own -= min(own, m.Filter)
		st.Order += min(own, m.Ordering)
		m.Search = own - min(own, m.Ordering)
		st.Search += m.Search
	}
	return inclusive
}

// above returns the time spent above the chain.
func (c *chain) above() time.Duration {
	if len(c.outlets) == 0 {
		return c.runTime
	}
	return c.outlets[len(c.outlets)-1].above
}

// derived returns how long the snapshot derived for the operator and those above it.
func (o *outlet) derived() time.Duration {
	switch {
	case o.match != nil:
		return o.match.deriveTime
	case o.call != nil:
		return o.call.deriveTime
	}
	return 0
}

// derivedAbove returns derived of the nearest operator above the i-th that measures it.
func (c *chain) derivedAbove(i int) time.Duration {
	for _, o := range c.outlets[i+1:] {
		if o.match != nil || o.call != nil {
			return o.derived()
		}
	}
	return 0
}
