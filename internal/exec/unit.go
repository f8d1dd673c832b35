package exec

import (
	"context"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// Box is a unit of work: of the search, the matches whose vertices lie within its bounds; of every other route, a single bound on the
// numbers that the scheme divides. A query vertex without a bound may be any vertex.
type Box []pattern.Bound

// Run does the work of a box. At until, unless that is zero, it puts aside what is left: the boxes of rest and the part are disjoint, and
// together they are the box. It finishes some work in any case, so that units shrink.
func (v *Division) Run(ctx context.Context, box Box, until time.Time) (p *Part, rest []Box, err error) {
	r, err := v.take()
	if err != nil {
		return nil, nil, explain(err)
	}
	stop := context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })
	if err = r.first(ctx); err == nil {
		p, rest, err = r.run(box, until)
	}
	if !stop() || err != nil {
		r.end()
		if err == nil {
			err = ctx.Err()
		}
		return nil, nil, explain(err)
	}
	v.mu.Lock()
	v.idle = append(v.idle, r)
	v.mu.Unlock()
	return p, rest, nil
}

// take returns an idle runner, or a new one.
func (v *Division) take() (*unitRunner, error) {
	v.mu.Lock()
	if n := len(v.idle); n > 0 {
		r := v.idle[n-1]
		v.idle = v.idle[:n-1]
		v.mu.Unlock()
		return r, nil
	}
	v.mu.Unlock()
	return v.newRunner()
}

// Close releases what idle units hold.
func (v *Division) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.idle {
		r.end()
	}
	v.idle = nil
	v.common.Prepare(nil)
}

// run runs a unit.
func (r *unitRunner) run(box Box, until time.Time) (*Part, []Box, error) {
	if r.empty {
		return &Part{Boxes: []Box{box}}, nil, nil
	}
	if err := r.ready(); err != nil {
		return nil, nil, err
	}
	r.leaf.reset()
	t := &tally{unitRunner: r, part: &Part{}, until: until}
	if err := t.begin(); err != nil {
		return nil, nil, err
	}
	defer t.release()
	var rest []Box
	var err error
	switch c := r.leaf.clique; {
	case r.v.Scheme.Route == pattern.RouteSearch:
		rest, err = t.search(box, until)
	case c != nil && r.v.lower != nil && c.perNode():
		rest, err = t.cliquesByNode(box, until)
	default:
		rest, err = t.portions(box, until)
	}
	if err == nil {
		err = t.end()
	}
	if err != nil {
		return nil, nil, err
	}
	t.part.Boxes = without(r.v.Scheme, box, rest)
	at := box
	if r.v.Scheme.Route != pattern.RouteSearch {
		at = t.part.Boxes[0] // what is left may begin where box does
	}
	for i := range t.part.segments {
		t.part.segments[i].at = at
	}
	return t.part, rest, nil
}

// ready prepares the Match, once.
func (r *unitRunner) ready() error {
	m := r.leaf
	if m.ready {
		return nil
	}
	if err := m.prepare(); err != nil {
		return err
	}
	r.all, m.ready = m.job.Candidates, true
	return nil
}

// tally is a unit at work, and what it has found.
type tally struct {
	*unitRunner
	part  *Part
	chain *chain // of the stages above the Match; nil: it counts
	rows  *rowHolder
	more  bool // the stages want more rows
	until time.Time
}

// begin builds the stages.
func (t *tally) begin() (err error) {
	t.more = true
	if t.v.lower == nil {
		return nil
	}
	t.rows = &rowHolder{x: t.x, slots: t.slots}
	if t.chain, err = t.stages(t.rows, t.v.leaf); err != nil {
		return err
	}
	m := t.leaf
	m.outlet.next = t.chain.entry
	m.batches, m.paced = m.givesBatches(), nil
	if t.v.groups != nil && !t.until.IsZero() {
		m.paced = t.pace
	}
	return nil
}

// manyGroups are so many that taking them into the part takes a while: for each of them about perGroup, until that is known.
const manyGroups = 1 << 14

var perGroup = 500 * time.Nanosecond

// SlowGroups sets how long units expect it to take to put a group into a part, until they have done so. No query may run meanwhile.
func SlowGroups(each time.Duration) (restore func()) {
	before := perGroup
	perGroup = each
	return func() { perGroup = before }
}

// due reports whether it is time to put what there is into the part.
func (t *tally) due() bool {
	left := time.Until(t.until)
	if t.v.groups != nil {
		if n := t.chain.states[0].stage.(*aggregate).groups; n >= manyGroups {
			left -= time.Duration(n) * t.groupTime
		}
	}
	return left <= 0
}

// pace ends the search when it is due.
func (t *tally) pace() {
	if pause := t.share.Pause; pause != nil && t.due() {
		pause()
	}
}

// release gives back what the stages hold.
func (t *tally) release() {
	for _, h := range t.x.accounts {
		h.Release()
	}
	t.x.accounts = t.x.accounts[:0]
	t.x.codes.leave()
	t.x.compiler.Settle(&t.x.input, 0)
}

// work runs the Match for the share that is set.
func (t *tally) work() error {
	if t.v.lower == nil {
		plus, minus, err := t.number()
		if err == nil {
			err = t.part.add(plus, minus)
		}
		if err == nil {
			err = t.part.addGroups(t.share.Groups)
		}
		return err
	}
	more, err := t.leaf.push(1)
	t.more = t.more && more
	return err
}

// end takes what the stages hold into the part.
func (t *tally) end() error {
	switch {
	case t.chain == nil:
		return nil
	case t.v.groups != nil:
		g := t.chain.states[0].stage.(*aggregate)
		if g.kept = true; t.v.sealed != nil { // it stands below
			if _, err := t.leaf.flush(); err != nil {
				return err
			}
		} else if _, err := flushCollectors(t.x); err != nil {
			return err
		}
		began := time.Now()
		t.part.segments = append(t.part.segments, g.segment())
		if g.groups >= manyGroups {
			t.groupTime = time.Since(began) / time.Duration(g.groups)
		}
		return nil
	}
	if _, err := t.leaf.flush(); err != nil {
		return err
	}
	t.part.segments = append(append(t.part.segments, t.rows.full...), t.rows.segment)
	return nil
}

// number counts the matches of the share, undivided.
func (r *unitRunner) number() (plus, minus pattern.Count128, err error) {
	m := r.leaf
	if m.noCandidates {
		return plus, minus, nil
	}
	if m.clique != nil {
		plus, err = m.clique.count()
		return plus, minus, err
	}
	a, err := r.v.device.Answer(r.x.ctx, &pattern.Request{Kind: pattern.KindCount, Snapshot: m.job.Snapshot, Job: &m.job}, &m.env)
	return a.Count, r.share.Minus, err
}

// search does a box of the search.
func (t *tally) search(box Box, until time.Time) (rest []Box, err error) {
	m := t.leaf
	t.share.All, t.share.Until, t.share.Rest, t.share.Minus = t.all.Sets, until, nil, pattern.Count128{}
	m.job.Share = &t.share
	if !t.restrict(box) {
		return nil, t.x.ctx.Err()
	}
	if err := t.work(); err != nil {
		return nil, err
	}
	if !t.more {
		return nil, nil // LIMIT: the rest of the unit has no rows that anybody wants
	}
	for _, inner := range t.share.Rest {
		rest = append(rest, inside(t.v.Scheme, box, inner))
	}
	return rest, nil
}

// restrict cuts the candidate sets down to a box. It reports false if one becomes empty.
func (t *tally) restrict(box Box) (some bool) {
	m, own := t.leaf, *t.all
	own.Sets = slices.Clone(t.all.Sets)
	for _, b := range box {
		list := t.all.Sets[b.Vertex].List()
		from, _ := slices.BinarySearch(list, b.Lo)
		to, _ := slices.BinarySearch(list, b.Hi)
		if from == to {
			return false
		}
		if to-from < len(list) {
			own.Sets[b.Vertex] = pattern.NewCandidateSet(t.v.s.N(), slices.Clone(list[from:to]))
		}
	}
	m.job.Candidates = &own
	return true
}

// How long a portion of numbers should take, so that a unit ends soon after its time.
const portionTime = 20 * time.Millisecond

// portions does a range of numbers. Without a time it takes them at once, else in portions.
func (t *tally) portions(box Box, until time.Time) (rest []Box, err error) {
	lo, hi := uint64(box[0].Lo), uint64(box[0].Hi)
	size := hi - lo
	if !until.IsZero() {
		size = max(1, size/256)
	}
	for lo < hi && t.more {
		began := time.Now()
		end, err := t.portion(lo, min(hi, lo+size), until)
		if err != nil {
			return nil, err
		}
		done := end - lo
		lo = end
		if until.IsZero() {
			continue
		}
		took := time.Since(began)
		if t.due() {
			break
		}
		goal := min(portionTime, time.Until(until))
		size = max(1, uint64(float64(done)*min(2, max(0.05, float64(goal)/float64(took+1)))))
	}
	if lo < hi && t.more {
		rest = []Box{{{Vertex: 0, Lo: csr.VertexID(lo), Hi: csr.VertexID(hi)}}}
	}
	return rest, nil
}

// portion does the numbers from lo on, and returns where it ends: at hi, or before that if it can end early and its time is over.
func (t *tally) portion(lo, hi uint64, until time.Time) (end uint64, err error) {
	t.share.Lo, t.share.Hi, t.share.Until, t.share.Minus, t.share.Groups = lo, hi, until, pattern.Count128{}, nil
	if slice := time.Now().Add(portionTime); !until.IsZero() && slice.Before(until) {
		t.share.Until = slice
	}
	if c := t.leaf.clique; c != nil {
		c.clique.Ranks = &pattern.RankRange{Lo: lo, Hi: hi}
	}
	t.leaf.job.Share = &t.share
	err = t.work()
	return t.share.Hi, err
}

// cliquesByNode counts cliques by node below a range of roots, from its end. The counts come up once, so it ends in time for that.
func (t *tally) cliquesByNode(box Box, until time.Time) (rest []Box, err error) {
	m, ranks := t.leaf.clique, &pattern.RankRange{Lo: uint64(box[0].Lo), Hi: uint64(box[0].Hi)}
	if m.clique.Ranks, m.clique.Due = ranks, nil; !until.IsZero() {
		m.clique.Due = func(counted int) bool { return time.Until(until) <= time.Duration(counted)*(m.nodeTime+t.groupTime) }
	}
	if err := t.work(); err != nil {
		return nil, err
	}
	if box[0].Lo < csr.VertexID(ranks.Lo) && t.more {
		rest = []Box{{{Vertex: 0, Lo: box[0].Lo, Hi: csr.VertexID(ranks.Lo)}}}
	}
	return rest, nil
}

// rowHolder ends the stages of a unit: it holds the rows that leave them.
type rowHolder struct {
	x     *execution
	slots []int
	segment
	full    []segment // before that
	account *eval.Account
}

// segmentRows is how many rows a segment of a unit has at most. A longer one would be copied again and again as it grows.
const segmentRows = 1 << 14

func (h *rowHolder) push(mult uint64) (bool, error) {
	if h.account == nil {
		h.account = eval.NewAccount(h.x.pattern.Memory, "a unit")
		h.x.accounts = append(h.x.accounts, h.account)
	}
	if len(h.mults) == segmentRows {
		h.full = append(h.full, h.segment)
		h.segment = segment{values: make([]value.Value, 0, segmentRows*len(h.slots)), mults: make([]uint64, 0, segmentRows)}
	}
	account := h.account
	for _, slot := range h.slots {
		v := h.x.row[slot]
		if err := account.Charge(v.Bytes()); err != nil {
			return false, err
		}
		h.values = append(h.values, v)
	}
	account.Rows++
	h.mults = append(h.mults, mult)
	return true, account.Charge(8)
}

func (h *rowHolder) flush() (bool, error) { return true, nil }

func (h *rowHolder) takesBatches() bool { return true }

func (h *rowHolder) pushBatch(n int) (more bool, err error) {
	err = h.x.eachRow(0, n, func(i int) (bool, error) { return h.push(multOf(h.x, i)) })
	return err == nil, err
}

// segment returns the groups as rows: the keys and the states of the aggregates.
func (g *aggregate) segment() (s segment) {
	values := make([]value.Value, len(g.keys))
	s.values, s.mults = make([]value.Value, 0, g.groups*(len(g.keys)+len(g.of))), make([]uint64, 0, g.groups)
	for id := range uint32(g.groups) {
		if g.byKey != nil {
			g.byKey.set(id, func(column int, v value.Value) { values[column] = v })
			s.values = append(s.values, values...)
		}
		for _, of := range g.of {
			s.values = append(s.values, eval.State(of, id))
		}
		s.mults = append(s.mults, 1)
	}
	return s
}
