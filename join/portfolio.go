package join

import (
	"context"
	"errors"
	"sync"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/workgroup"
)

// Portfolio. A search for rows can spend minutes below first vertices that lead nowhere, where another order finds rows at once.
// No estimate tells, and trials on first vertices do not end. So a search that has gone through some list elements and has found no
// match takes turns with other orders, and with its own one in rounds of first vertices (rounds.go). A run whose turn is over waits, with all that it knows, and goes on at its next turn. The
// slices grow. After some rounds, the run that promises the nearest end, by the first vertices that are done, gets most turns.
//
// The first run that hands over a row keeps the query to its end, and the others stop: so no row comes twice. A run that ends without
// a row has shown that there is none.
//
// Turns end by list elements, not by the clock. With one worker, a query gives the same rows in the same order every time.

var (
	turnsAfter = uint64(1 << 16) // list elements without a match after which other orders join
	firstSlice = uint64(1 << 16) // list elements of a turn in the first round
)

// fairRounds is after how many rounds the run that promises the nearest end is preferred, and fairTurns how many turns then pass until
// another one gets a turn.
const (
	fairRounds = 2
	fairTurns  = 4
)

// portfolio lets the runs of several orders take turns.
type portfolio struct {
	ctx   context.Context
	group workgroup.Group // of the runs but the first

	mu     sync.Mutex
	wake   sync.Cond
	begun  bool       // others have joined
	alone  bool       // no others may join any more
	runs   []*entrant // none before others join
	turn   *entrant
	end    uint64 // list elements of the run at which its turn ends
	slice  uint64 // list elements of a turn
	turns  int    // that have passed
	last   int    // the run that has had the last turn out of fairness
	winner *entrant
	spent  uint64 // list elements of the first run when others joined
}

// entrant is a run of a portfolio.
type entrant struct {
	*run
	count pattern.Count128
	err   error
	out   bool // it has failed, and others go on
}

// enter lets other orders take turns with r, which has not begun, if it finds nothing for long.
func (r *run) enter(ctx context.Context) {
	p := &portfolio{ctx: ctx, slice: firstSlice}
	p.wake.L = &p.mu
	p.group.Stop = p.stopAll
	r.portfolio = p
}

// lead is all for a run with which others may take turns. It waits for their end.
func (r *run) lead(ctx context.Context) (pattern.Count128, error) {
	p := r.portfolio
	if p == nil {
		return r.all(ctx)
	}
	defer p.close()
	n, err := r.all(ctx)
	p.finish(r, n, err)
	return n, err
}

// result returns what the winner has found, and its program. All runs have ended.
func (p *portfolio) result() (pattern.Count128, *program, error) {
	for _, e := range p.runs {
		if e != p.winner {
			e.withdraw()
		}
	}
	if t := p.winner.env.Tally; t != nil {
		report := pattern.Replanned{From: p.runs[0].sequence(), To: p.winner.sequence(), Spent: p.spent, Orders: len(p.runs)}
		t.Order.Store(&report.To)
		t.Replanned.Store(&report)
	}
	return p.winner.count, p.winner.program, p.winner.err
}

// finish notes that r has ended.
func (p *portfolio) finish(r *run, n pattern.Count128, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.entrantOf(r)
	if e == nil {
		p.alone = true
		return
	}
	e.count, e.err = n, err
	switch {
	case p.winner != nil:
	case p.mayDrop(e):
		e.out = true
		e.phase.CompareAndSwap(runQuiet, runChanged)
		if p.turn == e {
			p.pass()
		}
	default:
		p.win(e)
	}
}

// entrantOf returns the entrant of r; nil before others have joined. The caller holds p.mu.
func (p *portfolio) entrantOf(r *run) *entrant {
	for _, e := range p.runs {
		if e.run == r {
			return e
		}
	}
	return nil
}

// mayDrop reports whether e has failed in a way that another run may not. The caller holds p.mu.
func (p *portfolio) mayDrop(e *entrant) bool {
	if e.err == nil || e == p.runs[0] && !errors.Is(e.err, pattern.ErrMemory) {
		return false
	}
	for _, o := range p.runs {
		if o != e && !o.out {
			return true
		}
	}
	return false
}

// win makes e the run that answers, and stops the others. The caller holds p.mu.
func (p *portfolio) win(e *entrant) {
	p.winner = e
	for _, o := range p.runs {
		if o != e && o.phase.CompareAndSwap(runQuiet, runChanged) {
			o.pool.stop()
		}
	}
	p.wake.Broadcast()
}

// claim reports whether r may hand over rows: it is the first run that has found one.
func (p *portfolio) claim(r *run) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		p.alone = true
		return true
	}
	if p.winner == nil {
		p.win(p.entrantOf(r))
	}
	return p.winner.run == r
}

// close waits for the other runs. It stops them first if the first run has panicked.
func (p *portfolio) close() {
	p.mu.Lock()
	panicked := p.begun && p.winner == nil && !p.runs[0].out
	p.mu.Unlock()
	if panicked {
		p.stopAll()
	}
	p.group.Wait()
}

// stopAll stops all runs.
func (p *portfolio) stopAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.runs {
		e.pool.stop()
	}
	p.wake.Broadcast()
}

// stopped wakes the workers of a run that was stopped.
func (p *portfolio) stopped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake.Broadcast()
}

// takeTurns ends the turn of a run that has gone through its slice, and waits for the next one. A worker calls it at each tick.
func (r *run) takeTurns() {
	p := r.portfolio
	if p == nil || r.phase.Load() != runQuiet {
		return
	}
	work := r.progress.work.Load()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun && (work < turnsAfter || !p.begin(r)) {
		return
	}
	if p.winner == nil && p.turn.run == r && work >= p.end {
		p.pass()
	}
	for p.winner == nil && p.turn.run != r && !r.halted() {
		p.wake.Wait()
	}
}

// begin lets other orders join, and reports whether any did. The caller holds p.mu.
func (p *portfolio) begin(r *run) bool {
	if p.alone || r.replan != nil && !r.replan.busy.CompareAndSwap(false, true) { // nobody shall change the first run's order now
		return false
	}
	runs := []*entrant{{run: r}}
	for i, o := range append([]pattern.Order{r.job.Order}, r.otherOrders()...) {
		c := r.recompile(p.ctx, o)
		if c == nil {
			continue
		}
		e := &entrant{run: newRun(c, c.segments[0], r.env, r.sink)}
		e.portfolio = p
		if e.rounds = e.newRounds(); e.rounds != nil || i > 0 {
			runs = append(runs, e)
		}
	}
	if len(runs) == 1 {
		p.alone = true
		if r.replan != nil {
			r.replan.busy.Store(false)
		}
		return false
	}
	p.begun, p.runs, p.turn, p.spent = true, runs, runs[0], r.progress.work.Load()
	r.env.Took(pattern.OrderTurns, 1)
	for _, e := range runs[1:] {
		p.group.Go(func() {
			if p.wait(e) {
				n, err := e.all(p.ctx)
				p.finish(e.run, n, err)
			}
		})
	}
	return true
}

// wait waits for the first turn of e and reports whether there is one.
func (p *portfolio) wait(e *entrant) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.winner == nil && p.turn != e && !e.halted() {
		p.wake.Wait()
	}
	return p.winner == nil && !e.halted()
}

// pass gives the turn to another run. The caller holds p.mu.
func (p *portfolio) pass() {
	p.turns++
	next := p.nearest()
	if next == nil || p.turns < fairRounds*len(p.runs) || p.turns%fairTurns == 0 {
		next = p.following()
	}
	p.turn, p.end = next, next.progress.work.Load()+p.slice
	p.wake.Broadcast()
}

// following returns the run after the last one that had a turn out of fairness. After each round, slices double.
func (p *portfolio) following() *entrant {
	for {
		if p.last++; p.last == len(p.runs) {
			p.last = 0
			p.slice *= 2
		}
		if e := p.runs[p.last]; !e.out {
			return e
		}
	}
}

// nearest returns the run that promises the nearest end, or nil if none promises one.
func (p *portfolio) nearest() (best *entrant) {
	least := 0.0
	for _, e := range p.runs {
		if e.out || e.progress.roots.Load() == 0 {
			continue
		}
		if left := e.leftAsYet(); best == nil || left < least {
			best, least = e, left
		}
	}
	return best
}
