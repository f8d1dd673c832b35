package exec

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/internal/workgroup"
	"github.com/motifql/motif/planner"
)

// Lanes. The stages from a Match up to the first one that holds rows may exist several times, each in a goroutine of its own: a lane.
// The lanes share the matches among them. In the end the main stage takes over what those of the lanes hold. The first lane is the main
// chain. Another one starts when matches wait, so that short queries never pay for it.

// lanePlan says what lanes end in.
type lanePlan struct {
	holder holder       // the main stage that holds rows; nil: there can be no lanes
	node   planner.Node // its operator
	live   uint64       // bits of the slots that somebody above it reads
}

// mayHold reports whether the stage of node may be a holder.
func mayHold(node planner.Node) bool {
	switch node.(type) {
	case *planner.Aggregate, *planner.Sort:
		return true
	}
	return false
}

// appendSlots appends the slots of a set to slots.
func appendSlots(slots []int, live map[int]bool) []int {
	for slot, is := range live {
		if is {
			slots = append(slots, slot)
		}
	}
	return slots
}

// laneSet builds lanes for a Match, and merges them.
type laneSet struct {
	lanePlan
	x      *execution
	source *matchStage
	run    func(*stream) error // work

	most    int // lanes beside the main chain
	started int // of these
	calls   int // of offer
	mult    uint64
	start   time.Time     // of the first call
	row     []value.Value // that the Match extends
	group   workgroup.Group
	stop    atomic.Bool // no lane takes more
	closed  atomic.Bool // start no more lanes
	mu      sync.Mutex  // of the rest
	lanes   []*lane
	err     error
}

// lane is a copy of the stages.
type lane struct {
	chain  *chain
	holder holder
	source *matchStage
}

// holder is a stage that holds rows and can take over those of another one.
type holder interface {
	stage
	canMerge() bool
	held() int // rows that merging looks at one by one
	merge(other holder) error
}

// laneDelay is how long a Match must have given rows before it gets another lane. laneRows is how many rows a packet has at most for stages
// that work long on each. A lane that holds more than maxLaneRows takes no more: merging is not done in lanes.
var laneDelay, laneRows, maxLaneRows = 300 * time.Microsecond, 16, 1 << 12

// lanesBelow returns what lanes through a stage just built, and those below it, end in; above is the same for the stage above it. A Match gets
// the lanes.
func lanesBelow(x *execution, above lanePlan, node planner.Node, st stage, live []int) lanePlan {
	switch s := st.(type) {
	case holder:
		if s.canMerge() {
			above = lanePlan{holder: s, node: node}
			for _, slot := range live {
				above.live |= 1 << slot
			}
			return above
		}
	case *filter, *unwind, *differentStage, *pathStage:
		return above
	case *project:
		if s.nodes == nil {
			return above
		}
	case *apply:
		if !s.writes && !calls(node.(*planner.Apply).Inner) {
			return above
		}
	case *matchStage:
		if s.inner {
			return above
		}
		if above.holder != nil && !s.plan.Optional && !s.plan.Count {
			l := &laneSet{lanePlan: above, x: x, source: s, most: x.pattern.Workers - 1}
			s.lanes, l.run = l, l.work
			s.numberRows(l.holder)
		}
	}
	return lanePlan{}
}

// numberRows lets a sort know the order of rows that reach it through several lanes.
func (m *matchStage) numberRows(h holder) {
	m.numbered = true
	_, groups := h.(*aggregate)
	m.x.inOrder = !groups
	if all, ok := h.(*fullSort); ok {
		all.lane = true
	}
}

// mayHaveLanes reports whether stages may be copied. Procedures belong to one goroutine.
func mayHaveLanes(x *execution) bool {
	if x.depth > 0 || x.inBranch || x.writes != nil || x.plan.Brute || x.pattern.Workers < 2 || len(x.row) > 64 {
		return false
	}
	for _, sub := range x.plan.Subs {
		if sub.Same || calls(sub.Root) { // each lane would compute the value
			return false
		}
	}
	return true
}

// calls reports whether node or an operator below it calls a procedure.
func calls(node planner.Node) bool {
	if node == nil {
		return false
	}
	if _, ok := node.(*planner.Call); ok {
		return true
	}
	for _, in := range node.Inputs() {
		if calls(in) {
			return true
		}
	}
	return false
}

// fork returns an execution of the same plan with a copy of a row.
func fork(ctx context.Context, x *execution, row []value.Value) *execution {
	y := newExecution(ctx, x.plan, x.s, x.device, &x.pattern, x.compiler.Params)
	copy(y.row, row)
	y.lane = true
	y.start, y.compiler.Now, y.batchRows = x.start, x.start, x.batchRows
	return y
}

// build makes a lane.
func (l *laneSet) build(ctx context.Context) (*lane, error) {
	y := fork(ctx, l.x, l.row)
	for slot := range y.row {
		if l.live>>slot&1 != 0 {
			y.compiler.Live[slot] = true
		}
	}
	c, err := y.makeChain(l.node, &port{}, l.source.plan)
	if err != nil {
		release(y)
		return nil, err
	}
	l.mu.Lock()
	l.x.forks = append(l.x.forks, y)
	l.mu.Unlock()
	m := l.source
	out := &outlet{x: y, node: m.plan, next: c.entry, exact: m.exact}
	ln := &lane{chain: c, holder: c.states[0].stage.(holder)}
	ln.source = &matchStage{outlet: out, plan: m.plan, vertices: m.vertices, edges: m.edges, batches: m.batches}
	ln.source.numberRows(ln.holder)
	l.mu.Lock()
	l.lanes = append(l.lanes, ln)
	l.mu.Unlock()
	return ln, nil
}

// stopped reports whether a lane wants no more packets.
func (l *laneSet) stopped() bool { return l != nil && l.stop.Load() }

// offer starts a lane if packets fill their channel: then the lanes so far are too slow.
func (l *laneSet) offer(s *stream, cancel func()) {
	if l == nil || l.started == l.most || l.closed.Load() {
		return
	}
	if l.calls++; l.calls == 1 {
		l.start = time.Now()
	}
	if laneDelay > 0 && (len(s.packets) < cap(s.packets) || time.Since(l.start) < laneDelay*time.Duration(l.started+1)) {
		return
	}
	if l.started++; l.started == 1 {
		l.row = slices.Clone(l.x.row)
	}
	l.group.Stop = cancel
	l.group.Go(func() {
		if err := l.run(s); err != nil {
			l.stop.Store(true)
			l.mu.Lock()
			if l.err == nil {
				l.err = err
			}
			l.mu.Unlock()
			cancel()
		}
	})
}

// errEnough ends the lanes without an error of the query.
var errEnough = errors.New("no more rows are wanted")

// work builds a lane and runs it.
func (l *laneSet) work(s *stream) error {
	ln, err := l.build(s.ctx)
	if err != nil { // such as no memory: the main chain goes on alone
		l.closed.Store(true)
		return nil
	}
	for p := range s.packets {
		if l.stop.Load() {
			packets.Put(p)
			continue
		}
		more, err := ln.source.consume(p, l.mult)
		packets.Put(p)
		if err == nil && !more {
			err = errEnough
		}
		if err != nil {
			return err
		}
		if ln.holder.held() > maxLaneRows {
			l.closed.Store(true)
			break
		}
	}
	if l.stop.Load() {
		return nil
	}
	_, err = flushCollectors(ln.source.x)
	return err
}

// wait waits for the lanes to end.
func (l *laneSet) wait() (more bool, err error) {
	if l == nil {
		return true, nil
	}
	l.group.Wait()
	if l.err != nil && !errors.Is(l.err, errEnough) {
		return false, l.err
	}
	return l.err == nil, nil
}

// merge gives the main stages what those of the lanes hold and counted.
func (l *laneSet) merge() error {
	if l == nil {
		return nil
	}
	for _, ln := range l.lanes {
		if err := l.holder.merge(ln.holder); err != nil {
			return err
		}
		l.source.add(ln.source.outlet)
		for _, o := range ln.chain.outlets {
			for _, main := range l.x.main.outlets {
				if main.node == o.node {
					main.add(o)
				}
			}
		}
	}
	l.lanes = nil
	return nil
}

// add adds what a lane's outlet of the same operator counted.
func (o *outlet) add(lane *outlet) {
	o.rows, o.sourceRows = addSaturated(o.rows, lane.rows), addSaturated(o.sourceRows, lane.sourceRows)
	if o.account != nil && lane.account != nil {
		o.account.Peak += lane.account.Peak
	}
	if o.match != nil && lane.match != nil {
		lane.match.passTally()
		o.match.profile.Runs = addSaturated(o.match.profile.Runs, lane.match.profile.Runs)
		o.match.env.Tally.Partial.Add(lane.match.tallyMark)
		o.match.tallyMark += lane.match.tallyMark
	}
	for i, c := range lane.inner {
		o.inner[i].add(c)
	}
	for i, c := range lane.subs {
		o.subs[i].add(c)
	}
}

// add adds what a lane's chain counted.
func (c *chain) add(lane *chain) {
	c.runs = addSaturated(c.runs, lane.runs)
	for i, o := range lane.outlets {
		c.outlets[i].add(o)
	}
}
