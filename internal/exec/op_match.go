package exec

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
	"github.com/motifql/motif/planner/match"
)

// matchStage extends every row by the matches of a pattern.
type matchStage struct {
	*outlet
	plan *planner.Match
	env  pattern.Env // with its own tally if ownTally
	job  pattern.Job
	// Elements that the row gives, and elements that the stage puts into the row.
	boundVertices, boundEdges []place
	vertices, edges           []place
	left                      *atomic.Int64  // Match.Limit less the matches so far; nil: no limit
	clique                    *cliqueMatch   // nil: join
	lanes                     *laneSet       // that take matches, too; or nil
	numbered                  bool           // stages above ask which packet a row came in
	paced                     func()         // called after the packets of a unit; or nil
	anchor                    *anchoredMatch // nil: the device answers every row
	inner                     bool           // it runs for many rows
	ownTally                  bool           // it has a tally of its own
	batches                   bool           // the matches go up as batches
	starts                    [][]uint32     // of the columns of vertices, if these have runs
	once, grouped             bool           // as in the plan, unless the stage above needs more
	alone                     bool           // all combinations of candidates are matches, see searchless
	ready, noCandidates       bool
	hasMatch                  bool          // the current row has a match
	tallyMark                 uint64        // partial matches in env.Tally that the query's tally has
	deriveTime                time.Duration // time the snapshot spent deriving during this stage and those above
	profile                   MatchProfile
}

// place pairs a query vertex or edge with a slot.
type place struct{ element, slot int }

func (x *execution) newMatch(n *planner.Match, out *outlet) (*matchStage, error) {
	p, tests, err := x.compiler.Tests(n.Pattern, n.Exprs)
	if err != nil {
		return nil, err
	}
	if err := x.seeks(p, n.Seeks, tests); err != nil {
		return nil, err
	}
	m := &matchStage{outlet: out, plan: n, env: x.pattern, once: n.Once, grouped: n.Grouped}
	if slices.Contains(x.counted, n) {
		m.once, m.grouped = false, true
	}
	out.match = m
	m.inner = x.depth > 0 || manyRows(n.Input)
	if m.ownTally = m.inner || x.inBranch; m.ownTally {
		m.env.Tally = new(pattern.Tally)
	}
	m.tallyMark = m.env.Tally.Partial.Load()
	if n.Limit > 0 {
		m.left = new(atomic.Int64)
		m.left.Store(n.Limit)
	}
	m.job = pattern.Job{Snapshot: x.s, Pattern: p, Vertices: make([]csr.VertexID, len(p.Vertices)), Edges: make([]csr.EdgeID, len(p.Edges)), Formula: n.Formula}
	m.profile = MatchProfile{Device: x.device.Name(), Kernel: "join"}
	m.places(x.compiler.Live)
	if x.writes.mayBeStale(n.Pattern) {
		if err := dropStale(m); err != nil {
			return nil, err
		}
	}
	out.exact = worksLong(out.next)
	return m, nil
}

// worksLong reports whether a stage does much work for every row.
func worksLong(next stage) bool {
	switch next.(type) {
	case *matchStage, *pathStage, *callStage, *apply, *union:
		return true
	}
	return false
}

// manyRows reports whether node gives more rows than the single empty one.
func manyRows(node planner.Node) bool {
	for node != nil {
		switch node.(type) {
		case *planner.Match, *planner.Paths, *planner.Call, *planner.Unwind, *planner.Apply, *planner.Union:
			return true
		}
		inputs := node.Inputs()
		if len(inputs) == 0 {
			return false
		}
		node = inputs[0]
	}
	return false
}

// places divides the elements that have a slot into those that the row gives and those that the stage sets. It removes the
// latter from live, and adds the former.
func (m *matchStage) places(live map[int]bool) {
	if m.plan.Count {
		m.profile.Kernel += ", counting"
		delete(live, m.plan.CountSlot)
	}
	for u, slot := range m.plan.VertexSlot {
		if !m.job.Pattern.Vertices[u].Bound && live[slot] {
			m.vertices = append(m.vertices, place{u, slot})
			delete(live, slot)
		}
	}
	for e, slot := range m.plan.EdgeSlot {
		if !m.job.Pattern.Edges[e].Bound && live[slot] {
			m.edges = append(m.edges, place{e, slot})
			delete(live, slot)
		}
	}
	for u := range m.job.Pattern.Vertices {
		if m.job.Pattern.Vertices[u].Bound {
			m.boundVertices = append(m.boundVertices, place{u, m.plan.VertexSlot[u]})
			live[m.plan.VertexSlot[u]] = true
		}
	}
	for e := range m.job.Pattern.Edges {
		if m.job.Pattern.Edges[e].Bound {
			m.boundEdges = append(m.boundEdges, place{e, m.plan.EdgeSlot[e]})
			live[m.plan.EdgeSlot[e]] = true
		}
	}
}

func (m *matchStage) reset() {
	if m.left != nil {
		m.left.Store(m.plan.Limit)
	}
}

func (m *matchStage) push(mult uint64) (bool, error) {
	before := m.x.s.DerivationTime()
	more, err := m.extend(mult)
	m.deriveTime += m.x.s.DerivationTime() - before
	return more, err
}

// extend finds and emits the matches for the current row.
func (m *matchStage) extend(mult uint64) (bool, error) {
	if !m.ready {
		if done, more, err := early(m, mult); done || err != nil {
			return more, err
		}
		if err := m.prepare(); err != nil {
			return false, explain(err)
		}
		m.alone = schemeOf(m) == nil && m.searchless()
		m.ready, m.batches = true, !m.alone && m.givesBatches()
	}
	m.profile.Runs = addSaturated(m.profile.Runs, mult)
	if there, err := m.bind(); err != nil || !there {
		return m.nothing(mult, err)
	}
	more, err := m.search(mult)
	if m.anchor == nil || m.profile.Runs%1024 == 0 {
		m.passTally()
	}
	return more, err
}

// prepare filters once for all rows, and orders the query vertices by their candidates.
func (m *matchStage) prepare() error {
	simpler, err := m.simplify()
	if err != nil {
		return err
	}
	p := m.job.Pattern
	watch := m.x.startWatch()
	a, err := m.x.device.Answer(m.x.ctx, &pattern.Request{Kind: pattern.KindFilter, Snapshot: m.job.Snapshot, Pattern: p}, filterEnv(m))
	watch.stop(&m.profile.Filter, &m.profile.deriveTime)
	if err != nil {
		return err
	}
	watch = m.x.startWatch()
	defer watch.stop(&m.profile.Ordering, &m.profile.deriveTime)
	cands := a.Candidates
	m.job.Candidates = cands
	m.profile.Tiers = cands.Tiers
	sizes := make([]float64, len(p.Vertices))
	for u := range p.Vertices {
		n := 1
		if !p.Vertices[u].Bound {
			n = cands.Sets[u].Len()
			m.noCandidates = m.noCandidates || n == 0
		}
		sizes[u] = float64(n)
		m.profile.Sizes = append(m.profile.Sizes, n)
	}
	for _, k := range m.plan.Seeks {
		if q := &p.Predicates[k.Predicate]; q.Given && q.Seek != nil && m.inner {
			sizes[k.Vertex] = min(sizes[k.Vertex], 1) // an index usually finds few for a row
		}
	}
	if m.plan.Clique != nil {
		m.clique, err = newCliqueMatch(m)
		return err
	}
	question := &match.Question{Pattern: p, Snapshot: m.job.Snapshot, Sizes: sizes, Strategy: m.env.Order, Wanted: m.wanted(), Read: m.read(), Selectivity: m.plan.Selectivity}
	answer := orderFor(m, question, simpler)
	m.job.Order, m.job.DistinctPrefix, m.job.ReadPrefix = answer.Order, answer.DistinctPrefix, answer.ReadPrefix
	m.job.AlternativeOrders = func() []pattern.Order { return match.OrderFor(match.Replanned, question).Alternatives }
	m.profile.Order = m.job.Order
	if m.inner && m.job.Order.Cost < smallRun {
		m.env.Workers = 1
	}
	m.newFormulas(simpler)
	m.anchor, err = newAnchoredMatch(m)
	return err
}

// wanted lists the query vertices that later operators read, if one match for each choice of them is enough: the search
// may then end at the first one. It is nil where every match counts.
func (m *matchStage) wanted() []int {
	if !m.once || m.inner || m.env.Order != pattern.OrderAuto || len(m.edges) > 0 || !m.env.Uses(pattern.FirstMatch) {
		return nil
	}
	return elements(m.vertices)
}

// read lists the query vertices that later operators read, if matches that agree in them may come as one row; else it is nil.
func (m *matchStage) read() []int {
	if !m.grouped || m.inner || m.env.Order != pattern.OrderAuto || len(m.edges) > 0 || !m.env.Uses(pattern.CountedTail) {
		return nil
	}
	return elements(m.vertices)
}

// smallRun is the number of partial matches below which one worker answers a row.
const smallRun = 100_000

// bind takes the bound elements from the row. It returns false if one is null, which has no matches; a procedure's column
// may be.
func (m *matchStage) bind() (there bool, err error) {
	for _, b := range m.boundVertices {
		v := m.x.row[b.slot]
		if eval.Absent(v) {
			return false, nil
		}
		if v.Kind() != value.Node {
			return false, eval.Errorf(eval.CodeInternal, "the pattern starts from %s where a node should be", eval.Describe(v))
		}
		m.job.Vertices[b.element] = v.Node()
	}
	for _, b := range m.boundEdges {
		v := m.x.row[b.slot]
		if eval.Absent(v) {
			return false, nil
		}
		if v.Kind() != value.Rel {
			return false, eval.Errorf(eval.CodeInternal, "the pattern starts from %s where a relationship should be", eval.Describe(v))
		}
		m.job.Edges[b.element] = v.Rel()
	}
	return true, nil
}

// nothing emits what a row without matches gives: no row, a count of 0, or one row with nulls.
func (m *matchStage) nothing(mult uint64, err error) (bool, error) {
	switch {
	case err != nil:
		return false, err
	case m.plan.Optional:
		return m.null(mult)
	case !m.plan.Count:
		return true, nil
	}
	m.x.row[m.plan.CountSlot] = value.OfInt(0)
	return m.emitSampled(mult)
}

// null emits the row once, with nulls for the elements of the match.
func (m *matchStage) null(mult uint64) (bool, error) {
	for _, p := range m.vertices {
		m.x.row[p.slot] = value.Value{}
	}
	for _, p := range m.edges {
		m.x.row[p.slot] = value.Value{}
	}
	return m.emitSampled(mult)
}

// search finds the matches for the current row.
func (m *matchStage) search(mult uint64) (bool, error) {
	if !m.plan.Optional {
		return m.list(mult)
	}
	m.hasMatch = false
	more, err := m.list(mult)
	if err != nil || !more || m.hasMatch {
		return more, err
	}
	return m.null(mult)
}

func (m *matchStage) list(mult uint64) (bool, error) {
	switch {
	case m.plan.Count:
		return m.count(mult)
	case m.noCandidates:
		return true, m.x.ctx.Err()
	case m.alone:
		return m.combine(mult)
	case m.anchor != nil && !m.anchor.countOnly:
		return m.anchor.run(mult)
	case m.anchor != nil, m.inner && m.left == nil && len(m.vertices)+len(m.edges) == 0 && !m.x.plan.Brute:
		n, err := m.number()
		if err != nil {
			return false, err
		}
		return m.emitTimes(mult, uint64(n))
	case m.clique != nil:
		return m.clique.list(mult)
	}
	if done, more, err := small(m, mult); done || err != nil {
		return more, err
	}
	s := newStream(m)
	if m.lanes != nil {
		if m.lanes.mult = mult; m.exact {
			s.batchRows = min(s.batchRows, laneRows)
		}
	}
	produce := func(ctx context.Context, s *stream) error {
		_, err := m.x.device.Answer(ctx, &pattern.Request{Kind: pattern.KindMatch, Snapshot: m.job.Snapshot, Job: &m.job, Sink: s}, &m.env)
		return explain(err)
	}
	consume := func(p *packet) (bool, error) { return m.consume(p, mult) }
	if m.job.Share != nil && m.env.Workers == 1 && m.lanes == nil {
		return s.runHere(m.x.ctx, produce, func(p *packet) (bool, error) {
			more, err := consume(p)
			if m.paced != nil {
				m.paced()
			}
			return more, err
		})
	}
	more, err := s.run(m.x.ctx, 2*max(1, m.env.Workers), produce, consume)
	if err == nil {
		err = m.lanes.merge()
	}
	return more && err == nil, err
}

// newStream returns a stream for the matches that the row has.
func newStream(m *matchStage) *stream {
	return &stream{vertices: elements(m.vertices), edges: elements(m.edges), left: m.left, batchRows: m.x.batchRows, repeats: m.batches && !takesWeights(m.next), runs: m.batches && m.lanes == nil && takesRuns(m.next), lanes: m.lanes}
}

func elements(places []place) []int {
	es := make([]int, len(places))
	for i, p := range places {
		es[i] = p.element
	}
	return es
}

func (m *matchStage) emitTimes(mult, weight uint64) (bool, error) {
	hi, n := bits.Mul64(mult, weight)
	if hi != 0 {
		return false, eval.Overflow("the number of equal rows")
	}
	if n == 0 {
		return true, nil
	}
	m.hasMatch = true
	return m.emitSampled(n)
}

// count emits the row with the number of its matches.
func (m *matchStage) count(mult uint64) (more bool, err error) {
	n, err := m.number()
	if err != nil {
		return false, err
	}
	m.x.row[m.plan.CountSlot] = value.OfInt(n)
	return m.emitSampled(mult)
}

// met returns err if some match of the current row has the elements that predicate i reads, given in vertices and edges. The predicate has
// raised err there. A predicate that raises an error for elements of no match counts as false.
func (m *matchStage) met(i int, vertices []csr.VertexID, edges []csr.EdgeID, err error) error {
	if errors.Is(err, pattern.ErrMemory) {
		return err
	}
	env, found := &pattern.Env{Workers: 1, Memory: m.env.Memory, Without: m.env.Without}, new(pattern.AnyMatch)
	job := m.job.Meeting(i, vertices, edges)
	if _, failure := m.x.device.Answer(m.x.ctx, &pattern.Request{Kind: pattern.KindMatch, Snapshot: job.Snapshot, Job: job, Sink: found}, env); failure != nil || !found.Found {
		return explain(failure)
	}
	return err
}

// number returns how many matches the current row has.
func (m *matchStage) number() (int64, error) {
	var n pattern.Count128
	var err error
	switch {
	case m.noCandidates:
	case m.anchor != nil:
		_, err := m.anchor.run(1)
		return int64(m.anchor.total), err
	case m.clique != nil:
		n, err = m.clique.count()
	default:
		if n, done, err := smallCount(m); done || err != nil {
			return n, err
		}
		var a pattern.Answer
		a, err = m.x.device.Answer(m.x.ctx, &pattern.Request{Kind: pattern.KindCount, Snapshot: m.job.Snapshot, Job: &m.job}, &m.env)
		n = a.Count
	}
	if err != nil {
		return 0, explain(err)
	}
	c, ok := n.Int64()
	if !ok {
		return 0, eval.Overflow("the number of matches, %v,", n)
	}
	return c, nil
}

// passTally adds what this stage visited to the query's tally, if it has its own.
func (m *matchStage) passTally() {
	if m.ownTally {
		now := m.env.Tally.Partial.Load()
		m.x.pattern.Tally.Partial.Add(now - m.tallyMark)
		m.tallyMark = now
		m.x.pattern.Tally.TakeOver(m.env.Tally)
	}
}

// partial returns how many partial matches the stage visited. The lowest stage shares its tally with others, whose matches
// it includes.
func (m *matchStage) partial() uint64 {
	if m.ownTally {
		return m.tallyMark
	}
	return m.env.Tally.Partial.Load() - m.tallyMark
}

// taken returns the order of the device's last search in this stage, nil if unknown. A stage without its own tally reads
// the query's.
func (m *matchStage) taken() []int {
	if order := m.env.Tally.Order.Load(); order != nil && len(*order) == len(m.job.Pattern.Vertices) && m.clique == nil {
		return *order
	}
	return nil
}

// visits returns the partial matches that the device's searches visited by the query vertex that came last, nil if unknown.
func (m *matchStage) visits() []uint64 {
	if visits := m.env.Tally.Visits(); len(visits) == len(m.job.Pattern.Vertices) && m.clique == nil {
		return visits
	}
	return nil
}

// replanned returns why the device's last search changed its order, nil if it did not.
func (m *matchStage) replanned() *pattern.Replanned {
	if r := m.env.Tally.Replanned.Load(); r != nil && len(r.To) == len(m.job.Pattern.Vertices) && m.clique == nil {
		return r
	}
	return nil
}

// explain gives an error of a device a code.
func explain(err error) error {
	var e *eval.Error
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.Is(err, pattern.ErrOverflow):
		return eval.Overflow("the number of matches")
	case errors.Is(err, pattern.ErrMemory):
		return &eval.Error{Code: eval.CodeMemory, Err: pattern.ErrMemory, Msg: fmt.Sprintf("%v: the search needs more", err),
			Hint: "make it narrower with labels, types or a WHERE, or raise the memory budget"}
	}
	return err
}
