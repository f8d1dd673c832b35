package join

import (
	"math/bits"
	"slices"
)

// memo says how the number of matches from a step on can be remembered: it depends on few earlier vertices, and
// steps in between, on which it does not depend, would have it counted again and again.
type memo struct {
	kind memoKind
	dep  int // the last step, but key's, that the number depends on; -1: none
	key  int // memoTable: one entry for each vertex of this step
}

type memoKind uint8

const (
	memoNone  memoKind = iota
	memoOne            // one number, good while step dep stands
	memoTable          // one number a vertex of step key, good while step dep stands
)

// finish derives step k's summary flags and what it depends on. later holds the steps that later ones depend on.
func (c *compiler) finish(k int, later uint64) {
	st := &c.steps[k]
	if c.enumerate {
		st.counted = nil
	}
	bounded := len(st.less)+len(st.greater) > 0
	plain := len(st.loops)+len(st.given)+len(st.induced)+len(st.preds)+len(st.choosy) == 0
	st.heavy = !plain || len(st.counted) > 0 || st.weighs
	st.countable = plain && !c.emit && !c.enumerate
	if st.countable && !st.heavy && !bounded && k < 64 && later>>k&1 == 0 {
		c.takeCertain(st)
	}
	if st.quick = len(c.steps) <= 64 && !bounded && len(st.clashes) == 0; st.quick {
		for _, x := range st.differ {
			st.rivals |= 1 << c.pos[x]
		}
	}
	st.checks = bounded || len(st.differ)+len(st.clashes) > 0
	st.needs = c.dependencies(k)
}

// dependencies is the set of steps that step k depends on, as bits.
func (c *compiler) dependencies(k int) uint64 {
	st := &c.steps[k]
	if len(c.steps) > 64 || st.weighs || c.emit || c.enumerate {
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
	for _, r := range st.induced {
		add(r.from)
	}
	for _, i := range st.given {
		add(c.p.Edges[i].From, c.p.Edges[i].To)
	}
	for _, q := range st.preds {
		add(q.Vertices...)
	}
	return needs &^ (1 << k)
}

// sortByComponent moves steps that do not depend on each other apart, each group keeping its order, so that
// their numbers multiply. It reports whether it changed the order.
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

// planMemory finds the segments and, inside them, what to remember and where a step is detached.
func (c *compiler) planMemory() {
	n := len(c.steps)
	free := ^uint64(0) << c.root
	rest := uint64(0) // steps that those from k on depend on
	c.segments = []segment{{0, n}}
	ends := true // the step is the last of its segment
	for k := n - 1; k >= 0; k-- {
		st := &c.steps[k]
		st.detached = k < 64 && rest>>k&1 == 0
		rest |= st.needs
		st.entangled = rest == ^uint64(0)
		outer := rest & (1<<k - 1) & free
		cut := false
		switch {
		case k == 0 || k < c.root || st.entangled:
		case outer == 0:
			c.segments[0].lo = k
			c.segments = slices.Insert(c.segments, 0, segment{0, k})
			cut = true
		default:
			st.memo = remember(outer, k, c.root)
			c.planTurn(k, ends)
		}
		ends = cut
	}
}

// planTurn decides whether the table of step k, last of its segment or not, can be filled by turn.
func (c *compiler) planTurn(k int, last bool) {
	st := &c.steps[k]
	n := len(st.sources)
	if !last || st.memo.kind != memoTable || n < 2 || st.fixedStep >= st.memo.key || !st.countable || st.checks || st.heavy {
		return
	}
	st.turns = true
	src := &st.sources[n-1]
	e := &c.p.Edges[src.edge]
	src.back = c.views.Of(e.Types, seenFrom(e, st.u))
	if before := &c.steps[k-1]; st.memo.key == k-1 {
		before.sums = before.countable && !before.heavy && !before.bounded()
	}
}

// remember says how to remember what follows from step k on, which depends on the given earlier free steps.
func remember(outer uint64, k, root int) memo {
	key := bits.Len64(outer) - 1
	dep := bits.Len64(outer&^(1<<key)) - 1
	switch {
	case key-max(dep, root-1) > 1:
		return memo{kind: memoTable, dep: dep, key: key}
	case key < k-1:
		return memo{kind: memoOne, dep: key}
	}
	return memo{}
}
