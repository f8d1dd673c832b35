package join

// Failing sets. A search below a partial embedding that finds nothing has reasons: a step was left without a vertex
// because of those that its lists come from, or its vertices were taken by other steps. If step k's own vertex is not
// among the reasons, then any other vertex there fails in the same way, and none is tried (conflict-directed backjumping;
// for subgraph matching: Han et al., "Efficient subgraph matching: harmonizing dynamic programming, adaptive
// matching order, and failing set together", 2019, section 6).
//
// The reasons are a set of steps: whatever extends the vertices matched there finds nothing. Of step k they are those of
// its lists, and those of every vertex tried, less k itself. Whoever finds a match, or does not know, says everything.

const everything = ^uint64(0)

// minFailing is how many free steps make failing sets worth the while.
var minFailing = 5

// planFailing fills in the reasons of all steps and reports whether failing sets are to be kept. A number that is
// remembered has no reasons.
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
		if !st.quick { // else those that took a vertex are known
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
