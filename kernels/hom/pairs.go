package hom

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Numbers by the values of two vertices, the ends. A graph whose ends are joined by paths (links) is counted for one value of the first end
// at a time: its neighbours get numbers, then theirs, and so on to the second end. All numbers of one row stand in an array over the
// vertices, so no pair is hashed or sorted. What hangs on a path is a weight of the vertex where it hangs.

// pairs is a graph whose homomorphisms are counted by the values of its ends.
type pairs struct {
	coefficient int64
	ends        [2]*weightPlan
	links       []linkPlan // none if both ends are one vertex
	product     []int      // slots of the other components
	factor      uint64
}

// AddPairs adds coefficient times g for its numbers by the values of the vertices first and second. It returns false if the counter cannot
// count them.
func (h *Counter) AddPairs(g Graph, first, second int, coefficient int64) bool {
	x := h.shape(g, first)
	x.mate = second
	product, ok := x.product()
	if !ok {
		return false
	}
	clear(x.alive)
	x.mark(first, make([]bool, len(g.Sets)))
	if !x.alive[second] {
		return false
	}
	p := &pairs{coefficient: coefficient, product: product}
	for x.strip(); ; x.strip() {
		if p.links, ok = x.links(); ok {
			break
		}
		if x.dropPairTip() {
			continue
		}
		left := x.living()
		block, joint := x.leafBlock(left)
		if block == nil && first == second {
			block, joint = left, first
		}
		if block == nil || !x.fold(block, joint) {
			return false
		}
	}
	p.ends[0] = x.own(first)
	if p.ends[1] = p.ends[0]; first != second {
		p.ends[1] = x.own(second)
	}
	h.cost += h.takeStatic(p.ends[0]) + h.takeStatic(p.ends[1]) + h.size(p.ends[0].set)
	x.takeLinks(p.links, h.size(p.ends[0].set))
	h.pairs = append(h.pairs, p)
	return true
}

// KeepApart says that nobody wants the pair of a vertex with itself, so the graphs that make up its number may be missing. Without them the
// number may be below 0, which is no error then.
func (h *Counter) KeepApart() { h.apart = true }

// EachPair counts what AddPairs added. It calls give for every vertex of the set firsts that has numbers: numbers[w] is that of the pair of
// v and w, for all w of seconds; other numbers are 0, and some of these may be. give runs in several workers at once, and owns nothing.
// An error of give ends the call. Errors are as with Count.
func (h *Counter) EachPair(ctx context.Context, env *pattern.Env, firsts []csr.VertexID, give func(worker int, v csr.VertexID, seconds []csr.VertexID, numbers []uint64) error) error {
	r := &execution{Counter: h, ctx: ctx, env: env}
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	defer func() { env.Memory.Release(r.charges.Load()) }()
	workers, err := r.pairWorkers(len(firsts))
	if err != nil {
		return err
	}
	var first atomic.Pointer[error]
	each := func(worker, i int) {
		if err := workers[worker].give(worker, firsts[i], give); err != nil {
			first.CompareAndSwap(nil, &err)
			r.stop.Store(true)
		}
	}
	if h.parts != nil {
		h.parts.each(r, len(firsts), each)
	} else {
		parallel.For(len(workers), len(firsts), sharedChunk(len(firsts)), &r.stop, func(worker, lo, hi int) {
			for i := lo; i < hi && !r.stop.Load(); i++ {
				each(worker, i)
			}
		})
	}
	if h.parts != nil {
		h.parts.keep(r, workers[0])
	}
	if err := first.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// give computes the row of v and hands it over.
func (w *pairWorker) give(worker int, v csr.VertexID, to func(worker int, v csr.VertexID, seconds []csr.VertexID, numbers []uint64) error) error {
	defer w.total.clear()
	err := w.row(v)
	if w.env.Tally != nil {
		w.env.Tally.Partial.Add(w.visits)
	}
	w.visits = 0
	if err != nil || len(w.total.list) == 0 || w.stop.Load() {
		return err
	}
	return to(worker, v, w.total.list, w.total.at)
}

// preparePairs makes what all rows need.
func (r *execution) preparePairs() error {
	if err := r.count(); err != nil {
		return err
	}
	slices.SortStableFunc(r.pairs, func(a, b *pairs) int { return int(min(1, max(-1, b.coefficient-a.coefficient))) })
	for _, p := range r.pairs {
		if err := r.readyPairs(p); err != nil {
			return err
		}
	}
	return nil
}

// pairWorkers returns the workers for so many rows, with what these need.
func (r *execution) pairWorkers(rows int) ([]*pairWorker, error) {
	if r.parts != nil {
		w, err := r.parts.begin(r)
		return []*pairWorker{w}, err
	}
	if err := r.preparePairs(); err != nil {
		return nil, err
	}
	workers := make([]*pairWorker, max(1, min(r.workers(uint64(r.cost)), rows)))
	for i := range workers {
		w, err := newPairWorker(r)
		if err != nil {
			return nil, err
		}
		workers[i] = w
	}
	return workers, nil
}

// readyPairs makes all that the rows of p need.
func (r *execution) readyPairs(p *pairs) error {
	factor, err := productOf(r.sums(), p.product)
	if err != nil {
		return err
	}
	if p.factor = factor.Lo; factor.Hi > 0 {
		return pattern.ErrOverflow
	}
	weights := p.ends[:]
	for i := range p.links {
		weights = append(weights[:len(weights):len(weights)], p.links[i].inside...)
		all := p.links[i].rows
		if back := p.links[i].back; back != nil {
			all = append(all[:len(all):len(all)], back)
		}
		for _, rows := range all {
			if err := r.build(rows); err != nil {
				return err
			}
		}
	}
	for _, w := range weights {
		if err := r.ready(w); err != nil {
			return err
		}
	}
	return nil
}

// pairWorker computes rows.
type pairWorker struct {
	*execution
	total, link, more numbers    // of the row, of a link, of links before it
	between           [2]numbers // of the vertices inside a link
	work              int        // list elements since it looked whether to stop
	visits            uint64     // list elements of the row
	over              bool       // a number does not fit
}

// numbers gives numbers to few vertices.
type numbers struct {
	at   []uint64 // by vertex
	list []csr.VertexID
}

func newPairWorker(r *execution) (*pairWorker, error) {
	w := &pairWorker{execution: r}
	all := []*numbers{&w.total}
	if len(r.pairs) != 1 || r.pairs[0].coefficient != 1 || len(r.pairs[0].links) != 1 {
		all = append(all, &w.link, &w.more)
	}
	if slices.ContainsFunc(r.pairs, func(p *pairs) bool {
		return slices.ContainsFunc(p.links, func(l linkPlan) bool { return len(l.rows) > 2 })
	}) {
		all = append(all, &w.between[0], &w.between[1])
	}
	n := int(r.s.N())
	if err := r.charge(12 * (n + 1) * len(all)); err != nil {
		return nil, err
	}
	for _, x := range all {
		x.at, x.list = hugepages.Make[uint64](n), make([]csr.VertexID, 0, n+1)
	}
	return w, nil
}

// clear makes all numbers 0.
func (x *numbers) clear() {
	for _, v := range x.list {
		x.at[v] = 0
	}
	x.list = x.list[:0]
}

// row computes the numbers of v in total.
func (w *pairWorker) row(v csr.VertexID) error {
	for i, p := range w.pairs {
		if !w.in(p.ends[0].set, v) {
			continue
		}
		n := w.times(p.factor, p.ends[0].at(v))
		if n == 0 {
			continue
		}
		if i == 0 && p.coefficient == 1 && len(p.links) == 1 {
			w.follow(&p.links[0], v, n, &w.total)
			w.weigh(p.ends[1], &w.total)
		} else if !w.add(p, v, n) {
			return pattern.ErrOverflow
		}
		if w.over {
			return pattern.ErrOverflow
		}
	}
	return nil
}

// add adds the numbers of p, its first end being v with the weight n. It reports false if that gives less than 0.
func (w *pairWorker) add(p *pairs, v csr.VertexID, n uint64) bool {
	x := &w.link
	for i := range p.links {
		if p.links[i].back != nil {
			w.gather(&p.links[i], v, &w.more)
		} else if w.follow(&p.links[i], v, n, x); i > 0 {
			for _, u := range w.more.list {
				w.more.at[u] = w.times(w.more.at[u], x.at[u])
			}
			x.clear()
		} else {
			w.link, w.more = w.more, w.link
		}
		n = 1
	}
	if x = &w.more; len(p.links) == 0 {
		x.at[v], x.list = n, append(x.list, v)
	} else {
		w.weigh(p.ends[1], x)
	}
	fits := true
	for _, u := range x.list {
		n := w.times(x.at[u], uint64(max(p.coefficient, -p.coefficient)))
		if n == 0 || w.apart && u == v {
			continue
		}
		now, carry := w.total.at[u], uint64(0)
		if p.coefficient > 0 {
			if now == 0 {
				w.total.list = append(w.total.list, u)
			}
			now, carry = bits.Add64(now, n, 0)
		} else { // no number is below 0 in the end, and those above come first
			now, carry = bits.Sub64(now, n, 0)
		}
		fits = fits && carry == 0 && now <= math.MaxInt64
		w.total.at[u] = now
	}
	x.clear()
	return fits
}

// weigh multiplies the numbers by the weights of their vertices.
func (w *pairWorker) weigh(by *weightPlan, x *numbers) {
	if by.each == nil {
		return
	}
	list := x.list[:0]
	for _, u := range x.list {
		if x.at[u] = w.times(x.at[u], by.each[u]); x.at[u] > 0 { // a vertex in the list has a number
			list = append(list, u)
		}
	}
	x.list = list
}

// times returns a * b.
func (w *pairWorker) times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	w.over = w.over || hi != 0 || lo > math.MaxInt64
	return lo
}

// follow adds n times the numbers of the link from v to the vertices of its other end.
func (w *pairWorker) follow(l *linkPlan, v csr.VertexID, n uint64, to *numbers) {
	last := len(l.rows) - 1
	if last == 0 {
		w.spread(l.rows[0], v, n, to)
		return
	}
	w.steps(l, v, n, last, to)
}

// steps adds n times the numbers of the first steps of the link, after the first one, to the vertices that they reach.
func (w *pairWorker) steps(l *linkPlan, v csr.VertexID, n uint64, last int, to *numbers) {
	x := to
	if last > 1 {
		x = &w.between[0]
	}
	rows := l.rows[0]
	lo, hi := rows.list(v)
	for i := lo; i < hi && !w.stopped(1); i++ {
		u, c := rows.targets[i], n
		if rows.weights != nil {
			c = w.times(c, rows.weights[i])
		}
		if each := l.inside[0].each; each != nil {
			c = w.times(c, each[u])
		}
		w.spread(l.rows[1], u, c, x)
	}
	for k := 2; k <= last; k++ {
		from := x
		if x = to; k < last {
			x = &w.between[(k-1)%2]
		}
		w.weigh(l.inside[k-1], from)
		for _, u := range from.list {
			if w.stopped(1) {
				break
			}
			w.spread(l.rows[k], u, from.at[u], x)
		}
		from.clear()
	}
}

// gather multiplies numbers by those of the link from v. It reads the lists of their vertices in place of the link's last step.
func (w *pairWorker) gather(l *linkPlan, v csr.VertexID, of *numbers) {
	from := &w.link
	w.steps(l, v, 1, len(l.rows)-2, from)
	w.weigh(l.inside[len(l.inside)-1], from)
	for _, u := range of.list {
		lo, hi := l.back.list(u)
		if of.at[u] == 0 || w.stopped(int(hi-lo)) {
			continue
		}
		sum := uint64(0)
		for i := lo; i < hi; i++ {
			c := from.at[l.back.targets[i]]
			if l.back.weights != nil && c > 0 {
				c = w.times(c, l.back.weights[i])
			}
			sum += c // both are below 2^63
			if sum > math.MaxInt64 {
				w.over, sum = true, 0
			}
		}
		of.at[u] = w.times(of.at[u], sum)
	}
	from.clear()
}

// stopped reports whether the run has ended. It looks once in a while.
func (w *pairWorker) stopped(elements int) bool {
	w.visits += uint64(elements)
	if w.work += elements; w.work > 1<<16 {
		w.work = 0
		return w.stop.Load()
	}
	return false
}

// spread adds n times the weights of v's list.
func (w *pairWorker) spread(rows *rowsPlan, v csr.VertexID, n uint64, to *numbers) {
	lo, hi := rows.list(v)
	if n == 0 || lo == hi || w.stopped(int(hi-lo)) {
		return
	}
	// No array entry exceeds 2^63, and with a smaller summand no sum wraps around.
	if n > math.MaxInt32 || rows.weights != nil {
		w.spreadWeights(rows, lo, hi, n, to)
		return
	}
	at, k := to.at, len(to.list)
	list := to.list[:cap(to.list)]
	over := uint64(0)
	for _, u := range rows.targets[lo:hi] {
		old := at[u]
		sum := old + n
		over |= sum
		at[u] = sum
		list[k] = u
		next := k + 1
		if old == 0 {
			k = next
		}
	}
	to.list = list[:k]
	w.over = w.over || over > math.MaxInt64
}

// spreadWeights is spread for lists with weights and for large numbers.
func (w *pairWorker) spreadWeights(rows *rowsPlan, lo, hi, n uint64, to *numbers) {
	for i := lo; i < hi; i++ {
		u, c := rows.targets[i], n
		if rows.weights != nil {
			c = w.times(n, rows.weights[i])
		}
		if c == 0 {
			continue
		}
		if to.at[u] == 0 {
			to.list = append(to.list, u)
		}
		sum, carry := bits.Add64(to.at[u], c, 0)
		w.over = w.over || carry != 0 || sum > math.MaxInt64
		to.at[u] = sum
	}
}
