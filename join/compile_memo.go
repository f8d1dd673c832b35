package join

import (
	"math/bits"
	"slices"
)

// memoPlan says how a step keeps the number of matches from there on, where it depends on few earlier vertices. The steps in between,
// on which it does not depend, would have it counted again and again.
type memoPlan struct {
	kind memoKind
	dep  int // the last step but key on which the number depends; -1: there is no such step
	key  int // memoMany: a number for each vertex of this step
}

type memoKind uint8

const (
	memoNone memoKind = iota
	memoOne           // one number, which holds while step dep stands
	memoMany          // one number a vertex of step key, which hold while step dep stands
	memoTail          // no number: counting begins at the step, which is program.tail
)

// planMemory finds the segments and, inside them, which steps keep numbers and which are detached.
func (c *compiler) planMemory() {
	n := len(c.steps)
	free := ^uint64(0) << c.root
	rest := uint64(0) // steps on which those from k on depend
	c.segments = []segment{{0, n}}
	ends := true // the step is the last of its segment
	for k := n - 1; k >= 0; k-- {
		st := &c.steps[k]
		st.noDependents = k < 64 && rest>>k&1 == 0
		rest |= st.needs
		st.needsAll = rest == ^uint64(0)
		outer := rest & (1<<k - 1) & free
		cut := false
		switch {
		case k == 0 || k < c.root || st.needsAll || c.unread != 0:
		case outer == 0 && c.emit:
			st.memo = memoPlan{kind: memoOne, dep: -1}
		case outer == 0:
			c.segments[0].lo = k
			c.segments = slices.Insert(c.segments, 0, segment{0, k})
			cut = true
		default:
			st.memo = memoFor(outer, k, c.root)
			c.planScatter(k, ends)
		}
		ends = cut
	}
	if c.tail >= 0 && c.steps[c.tail].memo.kind == memoNone {
		c.steps[c.tail].memo.kind = memoTail
	}
}

// planScatter decides whether scatterCounts can fill the table of step k. last says that it ends its segment.
func (c *compiler) planScatter(k int, last bool) {
	st := &c.steps[k]
	n := len(st.sources)
	if !last || st.memo.kind != memoMany || n < 2 || st.prefixStep >= st.memo.key || !st.countable || st.prepares || st.verifies {
		return
	}
	src := &st.sources[n-1]
	if src.edge < 0 {
		return
	}
	st.scatters = true
	e := &c.p.Edges[src.edge]
	src.back = c.views.Of(e.Types, seenFrom(e, st.u))
	if before := &c.steps[k-1]; st.memo.key == k-1 {
		before.sumsScatter = before.countable && !before.verifies && !before.bounded()
	}
}

// memoFor says how step k keeps the number of what follows, which depends on the given earlier free steps.
func memoFor(outer uint64, k, root int) memoPlan {
	key := bits.Len64(outer) - 1
	dep := bits.Len64(outer&^(1<<key)) - 1
	switch {
	case key-max(dep, root-1) > 1:
		return memoPlan{kind: memoMany, dep: dep, key: key}
	case key < k-1:
		return memoPlan{kind: memoOne, dep: key}
	}
	return memoPlan{}
}
