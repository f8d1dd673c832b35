package join

import (
	"slices"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// task is the rest of a loop that one worker gives to another: try these vertices at step k.
type task struct {
	k      int
	match  []csr.VertexID
	list   []csr.VertexID
	test   bool
	weight uint64
	dense  bool // k is the first step of the dense part, and the rest goes on there
}

// pool deals tasks. It starts empty of workers but the caller: others are called in when the work turns out to be
// worth it, and whoever runs out of work asks the rest to share theirs (a bit of run.signal that every loop
// looks at). So hubs and single roots spread over all workers, and small jobs start none.
type pool struct {
	mu      sync.Mutex
	wake    sync.Cond
	tasks   []task
	workers int // taking part
	idle    int
	helpers sync.WaitGroup
}

// Bits of run.signal.
const (
	stopBit   = 1 // give up: cancelled, failed, or the sink has had enough
	hungryBit = 2 // some worker has nothing to do
)

// next waits for a task. It reports false when all work is done or the run has stopped.
func (r *run) next() (task, bool) {
	p := &r.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle++
	for {
		if p.idle == p.workers && len(p.tasks) == 0 || r.signal.Load()&stopBit != 0 {
			p.wake.Broadcast()
			return task{}, false
		}
		if n := len(p.tasks); n > 0 {
			t := p.tasks[n-1]
			p.tasks = p.tasks[:n-1]
			p.idle--
			r.updateHunger()
			return t, true
		}
		r.updateHunger()
		p.wake.Wait()
	}
}

// updateHunger sets the bit if there are more idle workers than tasks. p.mu is held.
func (r *run) updateHunger() {
	if r.pool.idle > len(r.pool.tasks) {
		r.signal.Or(hungryBit)
	} else {
		r.signal.And(^uint32(hungryBit))
	}
}

// put offers a task to whoever is idle.
func (r *run) put(t task) {
	p := &r.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, t)
	r.updateHunger()
	p.wake.Signal()
}

// share gives the second half of what one of the worker's loops has left to an idle worker, and reports whether it could. The
// outermost loop that has anything left is the one: its vertices stand for the most work.
func (w *worker) share() bool {
	if w.deaf--; w.deaf >= 0 {
		return false
	}
	for k := w.lo; k < w.end; k++ {
		lv := &w.levels[k]
		rest := len(lv.list) - lv.at - 1
		if !lv.open || rest < 1 || k+1 == w.end && rest < minShared {
			continue
		}
		cut := len(lv.list) - (rest+1)/2
		t := task{k: k, match: slices.Clone(w.match), list: lv.list[cut:], test: lv.test, weight: lv.weight}
		if len(w.sources[k]) > 0 { // else it is the candidate set's own list, which stays as it is
			t.list = slices.Clone(t.list)
		}
		lv.list, lv.given = lv.list[:cut], true
		w.put(t)
		return true
	}
	w.deaf = deafness
	return false
}

// deafness is how many calls for work a worker that has none to give lets pass before it looks again.
const deafness = 64

// perform does a task.
func (w *worker) perform(t task) {
	if !w.narrowed {
		w.narrow()
	}
	copy(w.match, t.match)
	w.retake()
	w.sated = false
	w.clock++
	for k := range w.versions {
		w.versions[k] = w.clock
	}
	if t.dense {
		if n, ok := w.searchDense(t.k, t.weight, t.list); ok {
			w.total = w.add(w.total, n)
			return
		}
	}
	st, lv := &w.steps[t.k], &w.levels[t.k]
	if !st.checks || w.prepare(st, lv) {
		w.total = w.add(w.total, w.loop(t.k, t.list, t.test, t.weight))
	}
}

// help is the life of a worker that was called in.
func (w *worker) help() {
	for t, ok := w.next(); ok; t, ok = w.next() {
		w.perform(t)
	}
	w.retire()
}

// spend notes that n list elements are looked at.
func (w *worker) spend(n int) {
	if w.work += uint64(n) + 1; w.work >= w.due {
		w.tick()
	}
}

// tick reports what was done and calls for help the first time.
func (w *worker) tick() {
	if w.leash != nil {
		w.strain()
		return
	}
	w.due = w.work + tickWork
	w.report()
	if w.emit {
		w.flush()
	}
	w.helpOnce.Do(w.callHelp)
	w.reconsider()
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

// report adds what was done since the last report to the query's tally.
func (w *worker) report() {
	w.seen.work.Add(w.work - w.told)
	w.seen.partial.Add(w.partial)
	w.seen.found.Add(w.found)
	w.seen.roots.Add(w.roots)
	w.told = w.work
	if t := w.env.Tally; t != nil {
		t.Partial.Add(w.partial)
		t.Embeddings.Add(w.found)
		t.UnitsDone.Add(w.roots)
	}
	w.env.Took(pattern.FailingSets, w.passed)
	w.partial, w.found, w.roots, w.passed = 0, 0, 0, 0
	if w.dense != nil {
		w.env.Took(pattern.DenseSearch, w.dense.taken)
		w.dense.taken = 0
	}
}

// retired, where a test has set it, is told how much work each worker has done.
var retired func(work uint64)

// retire hands in the worker's results and gives its scratch back.
func (w *worker) retire() {
	if w.emit {
		w.flush()
	}
	w.report()
	w.env.Took(pattern.FirstMatch, w.sparing)
	_ = w.env.Memory.Grow(-w.charged)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent += w.work
	if retired != nil {
		retired(w.work)
	}
	count, err := w.count.Add(w.total)
	if w.count = count; err != nil && w.err == nil {
		w.err = err
	}
}
