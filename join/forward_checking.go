package join

import (
	"math/bits"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// Forward checking. A search in one order sees only at its last steps that an early vertex was wrong. Above all INDUCED fails late: that two
// vertices must not be joined shrinks no list, so the order cannot bring the step that fails forward. A search that goes on for long and
// finds little therefore keeps a domain for every query vertex still to come: the candidates that the vertices matched so far leave it. A
// domain that runs empty ends the branch at once, and the query vertex with the smallest domain comes next, whatever the order says.
// (Haralick, Elliott, "Increasing tree search efficiency for constraint satisfaction problems", 1980; its failures have reasons as in
// failing_sets.go: Prosser, "Hybrid algorithms for the constraint satisfaction problem", 1993.)
//
// Domains are bitmaps over the candidates of all query vertices in rising order, each from its first candidate to its last. A
// label's vertices lie side by side, so domains are short. What a matched vertex asks of another domain is a row of bits:
// AND for its neighbours, AND NOT for those that INDUCED forbids. A row is made when the search first asks for it, and kept.
//
// The search takes over below the steps that the worker has matched. So it may begin and end at any time, whatever has been
// handed over.

var (
	checksAfter   = uint64(1 << 17) // list elements from which a worker checks forward
	maxDomain     = 1 << 14         // candidates of all query vertices
	maxDomainRows = 64 << 20        // bytes of all rows of a worker; beyond, rows are made each time
)

// forwardChecking is one worker's search by domains.
type forwardChecking struct {
	w      *worker
	plan   *domainPlan
	levels []domainLevel // by number of query vertices matched
	weight []uint32      // by query vertex: how often its domain ran empty; such vertices come early
	rows   [][][]uint64  // by view and place in the universe
	spare  []uint64      // room for a row that is not kept
	left   int           // bytes that rows may still take
	prefix int           // levels up to this one are those of the worker's steps
}

// domainLevel holds the domains that some matched query vertices leave the others.
type domainLevel struct {
	version uint64     // of the last of the worker's steps, where the level is theirs
	failed  uint64     // why a domain is empty; 0: none is
	in      [64]uint8  // by query vertex: the level that holds its domain
	size    [64]int32  // by query vertex: of its domain
	why     [64]uint64 // by query vertex: the steps that have shrunk its domain, as bits
	bits    [][]uint64 // by query vertex: its domain, where in says so
}

// newForwardChecking returns the search for a worker, or nil where the program or the memory budget does not admit it.
func newForwardChecking(w *worker) *forwardChecking {
	w.domainsOnce.Do(func() { w.domains = domainPlanner{&compiler{program: w.program}}.plan() })
	p, n := w.domains, len(w.steps)
	if p == nil {
		return nil
	}
	rows := min(p.rowsBytes, maxDomainRows)
	if !w.charge(p.bytes + (n+1)*int(unsafe.Sizeof(domainLevel{})) + 24*n*n + rows) {
		return nil
	}
	f := &forwardChecking{w: w, plan: p, levels: make([]domainLevel, n+1), weight: make([]uint32, n), rows: make([][][]uint64, len(p.views)), left: rows}
	for i := range f.rows {
		f.rows[i] = make([][]uint64, len(p.universe))
		f.left -= 24 * len(p.universe)
	}
	f.spare = make([]uint64, p.words)
	for l := range f.levels {
		f.levels[l].bits = make([][]uint64, n)
	}
	for u := range n {
		f.levels[0].bits[u], f.levels[0].size[u] = p.vertices[u].all, p.vertices[u].size
	}
	return f
}

// beginChecking lets a worker check forward whose search has gone through some list elements and has found little.
func beginChecking(w *worker) {
	after := checksAfter
	if !w.emit {
		after *= guardsShare
	}
	if w.hadChecking || !w.failingSets || w.work < after || w.progress.found.Load() > w.work/guardsShare {
		return
	}
	if w.hadChecking = true; w.env.Uses(pattern.ForwardChecking) {
		w.checking = newForwardChecking(w)
	}
}

// search is worker.search at step k. ok is false if the search must go on as usual.
func (f *forwardChecking) search(k int, weight uint64) (total pattern.Count128, ok bool) {
	w := f.w
	if k <= w.first || k > f.plan.until {
		return total, false
	}
	f.prefix = min(f.prefix, k)
	for l := range k {
		to := &f.levels[l+1]
		if at := w.version(l); l >= f.prefix || to.version != at {
			to.version, f.prefix = at, l+1
			to.failed = f.follow(l)
		}
		if to.failed != 0 {
			w.failure = to.failed
			w.wipeouts++
			return total, true
		}
	}
	return f.descend(k, f.plan.free[k], weight), true
}

// follow makes the level below the worker's step l, and returns why no match can follow, or 0. The worker tests some conditions on the
// step's vertex only at later steps.
func (f *forwardChecking) follow(l int) (why uint64) {
	if f.plan.numbered>>l&1 != 0 {
		f.inherit(l)
		return 0
	}
	u := f.w.steps[l].u
	place, lv := f.plan.placeOf(f.w.match[u]), &f.levels[l]
	if at := place - f.plan.vertices[u].first<<6; !sets.Marked(f.levels[lv.in[u]].bits[u], 0, csr.VertexID(at)) {
		return lv.why[u] | 1<<l
	}
	return f.assign(l, u, place, f.plan.free[l+1])
}

// descend searches for the query vertices in free, given as bits, below those of a level.
func (f *forwardChecking) descend(level int, free, weight uint64) (total pattern.Count128) {
	w := f.w
	if free == 0 {
		w.failure = everything
		return w.leaf(weight)
	}
	u := f.choose(level, free)
	lv, k := &f.levels[level], w.pos[u]
	fail, rest := lv.why[u], free&^(1<<u)
	first := f.plan.vertices[u].first << 6
	for i, word := range f.levels[lv.in[u]].bits[u] {
		for ; word != 0; word &= word - 1 {
			if w.pool.signal.Load() != 0 && (w.halted() || w.abandons()) {
				w.failure = everything
				return total
			}
			place := first + i<<6 + bits.TrailingZeros64(word)
			w.match[u] = f.plan.universe[place]
			w.changed |= 1 << k
			w.levels[k].visits++
			if w.failure = f.breaks(u, rest); w.failure == 0 && rest != 0 {
				if w.failure = f.assign(level, u, place, rest); w.failure != 0 {
					w.wipeouts++
				}
			}
			if w.failure == 0 {
				total = w.add(total, f.descend(level+1, rest, weight))
			}
			if w.failure>>k&1 == 0 {
				return total
			}
			fail |= w.failure
		}
	}
	w.failure = fail &^ (1 << k)
	return total
}

// choose returns the query vertex of free to match next: one of a small domain that has run empty often.
func (f *forwardChecking) choose(level int, free uint64) (u int) {
	lv, best := &f.levels[level], 0.0
	for m := free; m != 0; m &= m - 1 {
		x := bits.TrailingZeros64(m)
		if lv.size[x] <= 1 {
			return x
		}
		if score := float64(1+f.plan.vertices[x].degree+f.weight[x]) / float64(lv.size[x]); score > best {
			u, best = x, score
		}
	}
	return u
}

// breaks returns why the vertices matched now, that of u the last, break a condition on several of them; 0 if they do not. Those of free
// have none yet.
func (f *forwardChecking) breaks(u int, free uint64) uint64 {
	w := f.w
	for _, q := range f.plan.vertices[u].preds {
		if q.vertices&free == 0 && !w.holds(q.pred) {
			return q.reasons
		}
	}
	for _, c := range f.plan.vertices[u].clashes {
		if c.vertices&free == 0 && w.equal(c.pairs) {
			return c.reasons
		}
	}
	return 0
}

// assign makes the next level: u is matched to the vertex at place, and the query vertices in free have none yet. It returns why a domain
// ran empty, or 0.
func (f *forwardChecking) assign(level, u, place int, free uint64) (why uint64) {
	p := f.plan
	to := f.inherit(level)
	reason, work := uint64(1)<<f.w.pos[u], 0
	relations := p.vertices[u].relations
	for i := range relations {
		r := &relations[i]
		x := r.to
		if free>>x&1 == 0 {
			continue
		}
		in := to.in[x]
		size := f.shrink(level+1, r, place)
		if work += p.vertices[x].words; size == to.size[x] {
			to.in[x] = in
			continue
		}
		to.size[x] = size
		if to.why[x] |= reason; size == 0 {
			f.weight[x]++
			why = to.why[x]
			break
		}
	}
	f.w.spend(work)
	return why
}

// inherit makes the next level with the same domains.
func (f *forwardChecking) inherit(level int) (next *domainLevel) {
	from, next := &f.levels[level], &f.levels[level+1]
	n := len(f.weight)
	copy(next.in[:n], from.in[:n])
	copy(next.size[:n], from.size[:n])
	copy(next.why[:n], from.why[:n])
	return next
}

// shrink writes into a level what relation r leaves of a domain, where its first end is matched to the vertex at place. It returns how many
// vertices are left.
func (f *forwardChecking) shrink(level int, r *relation, place int) (size int32) {
	p, lv, x := f.plan, &f.levels[level], r.to
	first, n := p.vertices[x].first, p.vertices[x].words
	before := f.levels[lv.in[x]].bits[x]
	if lv.bits[x] == nil {
		lv.bits[x] = make([]uint64, n)
	}
	next := lv.bits[x][:n]
	copy(next, before)
	lv.in[x] = uint8(level)
	for _, view := range r.near {
		row := f.row(view, place)[first : first+n]
		for i := range next {
			next[i] &= row[i]
		}
	}
	for _, view := range r.far {
		row := f.row(view, place)[first : first+n]
		for i := range next {
			next[i] &^= row[i]
		}
	}
	if i := place>>6 - first; r.differ && i >= 0 && i < n {
		next[i] &^= 1 << (place & 63)
	}
	r.cut(next, place-first<<6)
	for _, word := range next {
		size += int32(bits.OnesCount64(word))
	}
	return size
}

// cut clears the bits that must be above or below place and are not.
func (r *relation) cut(b []uint64, place int) {
	for i := range b {
		if r.above {
			b[i] &^= through(place - i<<6)
		}
		if r.below {
			b[i] &= through(place - 1 - i<<6)
		}
	}
}

// through returns a word with the bits up to bit n, which may lie outside of it.
func through(n int) uint64 {
	switch {
	case n < 0:
		return 0
	case n >= 63:
		return everything
	}
	return 2<<n - 1
}

// row returns the neighbours of the vertex at place, as bits over the universe.
func (f *forwardChecking) row(view, place int) []uint64 {
	if row := f.rows[view][place]; row != nil {
		return row
	}
	row := f.spare
	if bytes := 8 * len(row); f.left >= bytes {
		f.left -= bytes
		row = make([]uint64, len(f.spare))
		f.rows[view][place] = row
	}
	clear(row)
	near := f.plan.views[view].Neighbours(f.plan.universe[place])
	f.w.spend(len(near) + len(row))
	f.plan.mark(row, near)
	return row
}
