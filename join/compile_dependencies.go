package join

import "slices"

// finish derives step k's summary flags and the steps it depends on. later holds the steps on which later ones depend.
func (c *compiler) finish(k int, later uint64) {
	st := &c.steps[k]
	if c.enumerate {
		st.multi = nil
	}
	bounded := len(st.less)+len(st.greater) > 0
	plain := len(st.loops)+len(st.boundEdges)+len(st.inducedRules)+len(st.preds)+len(st.edgeTests) == 0
	st.verifies = !plain || len(st.multi) > 0 || st.weighs
	st.givesRuns = len(st.loops)+len(st.boundEdges)+len(st.inducedRules)+len(st.edgeTests) == 0
	st.countable = plain && !c.listed(k) && !c.enumerate && !(c.spares(st.u) && st.weighs)
	if st.countable && !st.verifies && !bounded && k < 64 && later>>k&1 == 0 {
		c.subtractCertain(st)
	}
	if st.rivalsOnly = len(c.steps) <= 64 && !bounded && len(st.clashes) == 0; st.rivalsOnly {
		for _, x := range st.differ {
			st.rivals |= 1 << c.pos[x]
		}
	}
	st.prepares = bounded || len(st.differ)+len(st.clashes) > 0
	st.needs = c.dependencies(k)
}

// dependencies returns the set of steps on which step k depends, as bits.
func (c *compiler) dependencies(k int) uint64 {
	st := &c.steps[k]
	if len(c.steps) > 64 || st.weighs || c.listed(k) && c.unread == 0 || c.enumerate {
		return ^uint64(0)
	}
	needs := uint64(0)
	add := func(us ...int) {
		for _, u := range us {
			needs |= 1 << c.pos[u]
		}
	}
	for i := range st.sources {
		if from := st.sources[i].from; from >= 0 {
			add(from)
		}
	}
	add(st.less...)
	add(st.greater...)
	add(st.differ...)
	for _, x := range st.clashes {
		if x.x >= 0 {
			add(x.x)
		}
		for _, q := range x.when {
			add(q[:]...)
		}
	}
	for _, r := range st.inducedRules {
		add(r.from)
	}
	for _, i := range st.boundEdges {
		add(c.p.Edges[i].From, c.p.Edges[i].To)
	}
	for _, q := range st.preds {
		add(q.Vertices...)
	}
	return needs &^ (1 << k)
}

// sortByComponent moves steps apart that do not depend on each other, so that their numbers multiply. Inside each group the order
// stays. It reports whether it changed the order.
func (c *compiler) sortByComponent() bool {
	group := make([]int, len(c.steps)) // smallest step of the component
	free := ^uint64(0) << c.root
	for k := range c.steps {
		group[k] = k
		for i := range k {
			if k < 64 && c.steps[k].needs&free>>i&1 != 0 || k >= 64 {
				merge(group[:k+1], group[i], group[k])
			}
		}
	}
	order := slices.Clone(c.order)
	at := make([]int, len(order))
	for k := range at {
		at[k] = k
	}
	slices.SortStableFunc(at[c.root:], func(a, b int) int { return group[a] - group[b] })
	if slices.IsSorted(at) {
		return false
	}
	for k, from := range at {
		c.order[k] = order[from]
	}
	return true
}

// merge gives the members of groups a and b the smaller of the two numbers.
func merge(group []int, a, b int) {
	for i, g := range group {
		if g == a || g == b {
			group[i] = min(a, b)
		}
	}
}
