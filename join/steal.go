package join

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/internal/csr"
)

// Work stealing. A run starts with one worker; others are called in once the work turns out to be worth it. A worker that runs out
// of work asks the rest for some: it sets a bit that every loop looks at, and a worker that sees it gives half of a loop away. So hubs
// and single roots spread over all workers, and small jobs start none.

// task is the rest of a loop that one worker gives to another: try these vertices at step k.
type task struct {
	k      int
	match  []csr.VertexID
	list   []csr.VertexID
	test   bool
	weight uint64
	dense  bool // k is the first step of the dense part, and the rest goes on there
}

// pool hands tasks from workers that share to workers that are idle.
type pool struct {
	signal  atomic.Uint32 // stopBit, idleBit
	mu      sync.Mutex
	wake    sync.Cond
	tasks   []task
	workers int // taking part
	idle    int
	helpers workgroup.Group
}

// Bits of pool.signal.
const (
	stopBit  = 1 // give up: cancelled, failed, or the sink has had enough
	idleBit  = 2 // more workers are idle than there are tasks
	skipBit  = 4 // go on with the next first vertex; see rounds.go
	pauseBit = 8 // put aside what is left; see share.go
)

// init makes the pool ready for its first worker.
func (p *pool) init() {
	p.wake.L = &p.mu
	p.helpers.Stop = p.stop
	p.workers = 1
}

// next waits for a task. It reports false when all work is done or the run has stopped.
func (p *pool) next() (task, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle++
	for {
		if p.idle == p.workers && len(p.tasks) == 0 || p.signal.Load()&stopBit != 0 {
			p.wake.Broadcast()
			return task{}, false
		}
		if n := len(p.tasks); n > 0 {
			t := p.tasks[n-1]
			p.tasks = p.tasks[:n-1]
			p.idle--
			p.signalIdleWorkers()
			return t, true
		}
		p.signalIdleWorkers()
		p.wake.Wait()
	}
}

// signalIdleWorkers sets idleBit or clears it. The caller holds p.mu.
func (p *pool) signalIdleWorkers() {
	if p.idle > len(p.tasks) {
		p.signal.Or(idleBit)
	} else {
		p.signal.And(^uint32(idleBit))
	}
}

// put offers a task to whoever is idle.
func (p *pool) put(t task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, t)
	p.signalIdleWorkers()
	p.wake.Signal()
}

// stop tells all workers to give up.
func (p *pool) stop() {
	p.signal.Or(stopBit)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake.Broadcast()
}

// callHelp starts the other workers.
func (r *run) callHelp() {
	more := r.env.Workers - 1
	if more <= 0 {
		return
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	for range more {
		r.pool.workers++
		r.pool.helpers.Go(newWorker(r).help)
	}
}

// share gives the second half of what one of the worker's loops has left to an idle worker, and reports whether it could. It takes
// the outermost loop that has anything left: its vertices stand for the most work.
func (w *worker) share() bool {
	if w.pool.signal.Load()&idleBit == 0 {
		return false
	}
	if w.ignoredCalls--; w.ignoredCalls >= 0 {
		return false
	}
	for k := w.lo; k < w.end; k++ {
		lv := &w.levels[k]
		rest := len(lv.list) - lv.at - 1
		if !lv.shareable || rest < 1 || k+1 == w.end && rest < minShared {
			continue
		}
		cut := len(lv.list) - (rest+1)/2
		t := task{k: k, match: slices.Clone(w.match), list: lv.list[cut:], test: lv.test, weight: lv.weight}
		if len(w.sources[k]) > 0 { // else it is the candidate set's own list, which stays as it is
			t.list = slices.Clone(t.list)
		}
		lv.list, lv.incomplete = lv.list[:cut], true
		w.pool.put(t)
		return true
	}
	w.ignoredCalls = maxIgnoredCalls
	return false
}

// maxIgnoredCalls is how many calls for work a worker with none to give ignores before it looks again.
const maxIgnoredCalls = 64

// perform does a task.
func (w *worker) perform(t task) {
	if !w.overCandidates {
		w.useCandidateViews(w.work)
	}
	w.setAll(t.match)
	w.out.firstFound = false
	if t.dense {
		if n, ok := w.searchDense(t.k, t.weight, t.list); ok {
			w.total = w.add(w.total, n)
			return
		}
	}
	st, lv := &w.steps[t.k], &w.levels[t.k]
	switch {
	case st.prepares && !w.prepare(st, lv):
	case w.givesRuns(t.k):
		w.total = w.add(w.total, w.loopRun(t.k, t.list, t.test, t.weight))
	default:
		w.total = w.add(w.total, w.loop(t.k, t.list, t.test, t.weight))
	}
}

// help is the life of a worker that was called in.
func (w *worker) help() {
	for t, ok := w.pool.next(); ok; t, ok = w.pool.next() {
		w.perform(t)
	}
	w.retire()
}
