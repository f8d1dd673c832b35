package join

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// Shares of a job. Divide decides how a job is answered and writes that down (pattern.Scheme). CountShare and MatchShare do a part of the
// work (pattern.Share). A share keeps what the scheme says: no other order, no other formula, no way out into a search. So it does not
// matter what the process has done before, which decides how deep its filter goes.
//
// A search is divided by boxes: ranges of vertex numbers for some query vertices. It can stop at any time and put aside what is left of its
// loops, as boxes: nothing is done twice. It is the same list of loops that share gives away to idle workers.

// Divide says how the work of j is divided. sink is nil for a count; else it is what would get the matches.
func Divide(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) (*pattern.Scheme, error) {
	c, err := compile(ctx, j, env, sink)
	if c != nil {
		defer c.byValue.release()
	}
	if err != nil {
		return nil, err
	}
	sc := &pattern.Scheme{Route: pattern.RouteSearch, Domain: c.s.N(), Order: c.sequence(), Free: c.divisor > 1, Divisor: c.divisor, Cost: c.cost,
		DistinctPrefix: j.DistinctPrefix, ReadPrefix: j.ReadPrefix}
	if c.none {
		sc.Order = sequence(j.Order.Steps)
		return sc, nil
	}
	if sink == nil {
		if x := c.planFormula(env, CPUCounter{}, c.cost, false); x != nil {
			sc.Route, sc.Divisor, sc.Free, sc.Order = pattern.RouteFormula, x.divisor, false, sequence(j.Order.Steps)
		} else {
			weigh(ctx, c, env, nil, sc)
		}
		return sc, nil
	}
	c.planOnly = true
	if done, err := c.byGroups(ctx, env, sink); done || err != nil {
		if sc.Route, sc.Divided = pattern.RouteRoots, c.divided; !c.rooted {
			sc.Route, sc.Divided = pattern.RouteGroups, 0
		}
		return sc, err
	}
	done, err := c.byPairs(ctx, env, sink)
	if done {
		sc.Route, sc.Divided = pattern.RoutePairs, c.divided
	} else if err == nil {
		weigh(ctx, c, env, sink, sc)
	}
	return sc, err
}

// weigh tries a search on a few first vertices and changes the scheme if another order, or the formula of a count, does with much less. A whole query
// finds that out on its way (replan.go), but units keep to their scheme. A search that promises to end before a query would look keeps its order.
func weigh(ctx context.Context, c *program, env *pattern.Env, sink pattern.Sink, sc *pattern.Scheme) {
	if !mayChange(c, env) || !env.Uses(pattern.Replan) {
		return
	}
	defer env.Memory.Release(replanMemory)
	if env.Memory.Charge(replanMemory) != nil {
		return
	}
	r, orders, began := newRun(c, c.segments[0], env, sink), c.otherOrders(), time.Now()
	each := uint64(float64(replanAfter)/replanShare) / uint64(len(orders)+1)
	own := r.try(ctx, c, each)
	if own.mean < float64(replanAfter) {
		return
	}
	if sink == nil {
		const dear = math.MaxFloat64 // a scheme is JSON, which has no infinite number
		seconds := time.Since(began).Seconds() / float64(own.work) * own.mean
		x := c.planFormula(env, CPUCounter{}, dear, true)
		if x != nil && max(own.mean, seconds/arraySeconds) > replanGain*x.homs.Cost() {
			sc.Route, sc.Divisor, sc.Free, sc.Order, sc.Cost = pattern.RouteFormula, x.divisor, false, sequence(c.job.Order.Steps), dear
			return
		}
	}
	best := own.mean / replanGain
	for i := range orders {
		o := r.recompile(ctx, orders[i])
		if o == nil {
			continue
		}
		if t := r.try(ctx, o, each); t.done && t.high < best {
			best = t.high
			sc.Order, sc.Free, sc.Divisor, sc.Cost = o.sequence(), o.divisor > 1, o.divisor, o.cost
		}
	}
}

// CountShare returns the number of the matches in j.Share, times the divisor of its scheme, and what is to be subtracted of it. If these are
// counted by groups, it sets the numbers of the share's groups instead.
func CountShare(ctx context.Context, j *pattern.Job, env *pattern.Env) (plus, minus pattern.Count128, err error) {
	switch j.Share.Route {
	case pattern.RouteFormula:
		return countPivots(ctx, j, env)
	case pattern.RouteGroups:
		return plus, minus, countGroups(ctx, j, env)
	}
	c, err := compileOrder(ctx, j, env, nil, true)
	if c != nil {
		defer c.byValue.release()
	}
	if err != nil || c.none {
		return plus, minus, err
	}
	plus = pattern.Count(1)
	for i, s := range c.segments {
		r := newRun(c, s, env, nil)
		if i == 0 {
			r.share = j.Share
		}
		n, err := r.all(ctx)
		if err == nil {
			plus, err = multiply(plus, n)
		}
		if err != nil || plus == (pattern.Count128{}) {
			return pattern.Count128{}, minus, err
		}
	}
	return plus, minus, nil
}

// errOtherFormula says that this process would count by another formula than the scheme.
var errOtherFormula = errors.New("join: the formula has another plan here than where the work was divided")

// countPivots is CountShare by the job's formula. The share keeps the arrays that all pivots need.
func countPivots(ctx context.Context, j *pattern.Job, env *pattern.Env) (plus, minus pattern.Count128, err error) {
	s := j.Share
	x, _ := s.Kept.(*evaluation)
	if x == nil {
		if x, err = formulaOf(ctx, j, env); x == nil || err != nil {
			return plus, minus, err
		}
		s.Kept = x
	}
	ranks := pattern.RankRange{Lo: s.Lo, Hi: min(s.Hi, x.s.N())}
	x.homs.Divide(csr.VertexID(min(ranks.Lo, x.s.N())), csr.VertexID(ranks.Hi), s.Until)
	prepared := x.prepares(s)
	plus, minus, err = x.sums(ctx, &ranks)
	if s.Hi = ranks.Hi; err != nil {
		s.Kept = nil
	} else {
		prepared()
	}
	return plus, minus, err
}

// prepares has the counter of a share, which is divided, adopt what all shares need, if the share is the first of its goroutine and another
// goroutine has prepared that. A share without numbers prepares it, on all workers. The function is to be called once the share is counted.
func (x *evaluation) prepares(s *pattern.Share) (counted func()) {
	if s.Common == nil || !hom.Fresh(x.homs) {
		return func() {}
	}
	if p, ok := s.Common.Prepared().(*hom.Prepared); ok && hom.Adopt(x.homs, p) || s.Lo < s.Hi {
		return func() {}
	}
	one, all := x.env, *x.env
	all.Workers = max(1, s.Common.Workers)
	x.env = &all
	return func() {
		x.env = one
		s.Common.Prepare(hom.PreparedBy(x.homs))
	}
}

// formulaOf plans the formula of a share anew. It returns nil if there are no matches at all.
func formulaOf(ctx context.Context, j *pattern.Job, env *pattern.Env) (*evaluation, error) {
	c, err := compileOrder(ctx, j, env, nil, true)
	if err != nil || c.none {
		return nil, err
	}
	x := c.planFormula(env, CPUCounter{}, j.Share.Cost, true)
	if x == nil || x.divisor != j.Share.Divisor {
		return nil, errOtherFormula
	}
	switch plan := x.plan(); j.Share.Plan {
	case "":
		j.Share.Plan = plan
	case plan:
	default:
		return nil, errOtherFormula
	}
	return x, nil
}

// plan names what the formula counts, and in which order.
func (x *evaluation) plan() string {
	var b strings.Builder
	b.WriteString(hom.Describe(x.homs))
	for i := range x.terms {
		if x.terms[i].clique != nil {
			b.WriteString(" clique")
		}
	}
	return b.String()
}

// MatchShare sends the matches in j.Share to the sink, as Match does. Groups that CountShare counts must have their numbers.
func MatchShare(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	switch j.Share.Route {
	case pattern.RouteGroups:
		return giveGroups(ctx, j, env, sink)
	case pattern.RoutePairs:
		return pairsOf(ctx, j, env, sink)
	case pattern.RouteRoots:
		return rootsOf(ctx, j, env, sink)
	}
	c, err := compileOrder(ctx, j, env, sink, true)
	if c != nil {
		defer c.byValue.release()
	}
	if err != nil || c.none {
		return err
	}
	r := newRun(c, c.segments[0], env, sink)
	r.share = j.Share
	_, err = r.all(ctx)
	return err
}

// errOtherPairs likewise.
var errOtherPairs = errors.New("join: numbers by two vertices have another plan here than where the work was divided")

// pairsOf sends the pairs whose first vertex is in the share. The share keeps the plan and what all pairs need.
func pairsOf(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	s := j.Share
	columns, ok := sink.(pattern.ColumnSink)
	if j.Pairs == nil || !ok {
		return errOtherPairs
	}
	x, _ := s.Kept.(*pairSums)
	if x == nil {
		var err error
		if x, err = planPairsOf(ctx, j, env, sink); x == nil || err != nil {
			return err
		}
		s.Kept = x
	}
	x.byValue.ctx = ctx
	firsts := x.job.Candidates.Sets[x.first].List()
	from, _ := slices.BinarySearch(firsts, csr.VertexID(min(s.Lo, x.s.N())))
	to, _ := slices.BinarySearch(firsts, csr.VertexID(min(s.Hi, x.s.N())))
	hom.DividePairs(x.homs, s.Until)
	done, err := x.send(ctx, columns, firsts[from:to])
	if err == nil && !done {
		err = pattern.ErrOverflow // a search could do it, but not in the shares of pairs
	}
	if err != nil {
		s.Kept = nil
	} else if next := from + hom.PairsDone(x.homs); next < to {
		s.Hi = uint64(firsts[next])
	}
	return err
}

// planPairsOf plans the pairs of a share. It returns nil if there are no matches at all.
func planPairsOf(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) (*pairSums, error) {
	c, err := compileOrder(ctx, j, env, sink, true)
	if c != nil {
		defer c.byValue.release()
	}
	if err != nil || c.none {
		return nil, err
	}
	at := slices.Index(j.Pairs.Read[:], j.Share.Divided)
	if at < 0 {
		return nil, errOtherPairs
	}
	x := c.planPairs(env, j.Pairs, at)
	if x == nil {
		return nil, errOtherPairs
	}
	return x, nil
}

// pauseAt ends the run when its share says so: its loops put aside what they have left. The returned function must be called.
func (r *run) pauseAt() (stop func()) {
	if r.share == nil || r.share.Until.IsZero() {
		return func() {}
	}
	pause := func() { r.pool.signal.Or(pauseBit) }
	left := time.Until(r.share.Until)
	if left <= 0 {
		pause()
		return func() {}
	}
	r.share.Pause = pause
	timer := time.AfterFunc(left, pause)
	return func() {
		timer.Stop()
		r.share.Pause = nil
	}
}

// putAside notes that the vertices of the list of step k from the present one on are left, with the vertices of the loops around it. A step
// that is taken by the number of its choices has no loop: any of its vertices goes with what is left.
func putAside(w *worker, k int) {
	lv := &w.levels[k]
	rest := lv.list[lv.at:]
	if len(rest) == 0 {
		return
	}
	box := make([]pattern.Bound, 0, k+1)
	for i := w.lo; i < k; i++ {
		if v := w.match[w.steps[i].u]; w.levels[i].shareable {
			box = append(box, pattern.Bound{Vertex: w.steps[i].u, Lo: v, Hi: v + 1})
		}
	}
	box = append(box, pattern.Bound{Vertex: w.steps[k].u, Lo: rest[0], Hi: rest[len(rest)-1] + 1})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.share.Rest = append(w.run.share.Rest, box)
}

// insideGroup reports whether step k goes through the matches of one group, which no two shares may have.
func insideGroup(s *pattern.Share, k int) bool { return s.Told > 0 && k >= s.Told }

// pauses reports whether the loop of step k is to put aside what it has left. A loop inside a number that is kept goes on to its end. No loop
// pauses before its first vertex is done: so every run gets something done, and a unit that comes back is smaller.
func pauses(w *worker, k int) bool {
	lv := &w.levels[k]
	return w.pool.signal.Load()&pauseBit != 0 && lv.shareable && lv.at > 0 && !insideGroup(w.run.share, k)
}
