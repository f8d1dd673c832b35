package join

// Failing sets. If a search below a partial embedding finds nothing, there are reasons: a step had no vertex because of the steps that
// its lists come from, or because other steps had taken its vertices. If step k itself is not among the reasons, every
// other vertex of k fails in the same way, and the search tries none (conflict-directed backjumping; for subgraph matching: Han
// et al., "Efficient subgraph matching: harmonizing dynamic programming, adaptive matching order, and failing set together",
// 2019, section 6).
//
// The reasons are a set of steps, as bits: nothing that extends the vertices matched there is a match. Those of step k are the steps
// of its lists and the reasons of every vertex tried, without k. A search that finds a match, or does not know, says
// everything.

const everything = ^uint64(0)

// minFailing is from how many free steps on failing sets pay.
var minFailing = 5

// planFailing fills in the reasons of all steps and reports whether workers keep failing sets. They do not where a step keeps a number,
// which says nothing of reasons.
func (c *compiler) planFailing() bool {
	if len(c.steps) > 64 || len(c.steps)-c.root < minFailing || len(c.segments) != 1 {
		return false
	}
	for k := range c.steps {
		st := &c.steps[k]
		if st.memo.kind != memoNone {
			return false
		}
		for i := range st.sources {
			if from := st.sources[i].from; from >= 0 {
				st.reasons |= 1 << c.pos[from]
			}
		}
		bind := func(us ...int) {
			for _, u := range us {
				if c.pos[u] < k {
					st.reasons |= 1 << c.pos[u]
				}
			}
		}
		if !st.rivalsOnly && st.rivals == 0 { // else those that took a vertex are known
			bind(st.differ...)
		}
		bind(st.less...)
		bind(st.greater...)
		for _, x := range st.clashes {
			if x.x >= 0 {
				bind(x.x)
			}
			for _, pair := range x.when {
				bind(pair[:]...)
			}
		}
	}
	return true
}
