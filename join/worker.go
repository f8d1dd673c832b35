package join

import (
	"sync"

	"github.com/motifql/motif/internal/pattern"
)

// worker is one goroutine's search. Its parts lie inside it by value, so that the hot paths reach every field by one pointer.
// Once the scratch has grown to the longest lists, a search allocates nothing.
type worker struct {
	meter // what the worker has done

	end          int    // the segment's last step + 1
	failure      uint64 // why the last search found nothing; see failing_sets.go
	counting     bool   // the sink reads none of the vertices to come
	indivisible  int    // how many searches under way may not give parts of their work away
	hadGuards    bool   // guards were made, even if they are given up by now
	ignoredCalls int    // how many more calls for work to ignore
	total        pattern.Count128

	dense       *denseSearch
	guards      *guards          // nil: the search is short, or guards are of no use to it
	out         output           // matches on their way to the sink
	checking    *forwardChecking // nil: the search keeps to the order
	hadChecking bool             // forward checking was tried, even if the program does not admit it
	options     enumerator       // relationships, where the search goes through them one by one
	weights     weigher          // relationships, where edges compete for them
	sifting     siftScratch
	scanning    bool // each root gives its matches by relationshipRun.scan

	extender // the partial embedding and the lists by which it grows; last, since it ends with a long array
}

// idleWorkers keeps workers that have retired: a worker is large, and a small search needs one for a few microseconds.
var idleWorkers = sync.Pool{New: func() any { return new(worker) }}

func newWorker(r *run) *worker {
	w := idleWorkers.Get().(*worker)
	w.end = r.hi
	w.extender.init(r)
	w.nextTick = tickWork
	w.options.init(w)
	w.weights.w = w
	if r.share != nil && r.viewsAt == 0 { // an earlier share has made them, or has done the work after which they are made
		w.useCandidateViews(0)
	}
	return w
}

// rootDone notes that a vertex of the segment's first free step is done, unless it was given up. No list of a deeper step is in use then.
func (w *worker) rootDone() {
	if w.abandons() {
		return
	}
	w.roots++
	if !w.overCandidates {
		w.useCandidateViews(w.work)
	}
}

// spend notes that the worker looks at n list elements.
func (w *worker) spend(n int) {
	if w.work += uint64(n) + 1; w.work >= w.nextTick {
		w.tick()
	}
}

// tick reports what the worker has done. The first tick of a run calls the other workers in.
func (w *worker) tick() {
	if w.leash != nil {
		w.strain()
		return
	}
	w.nextTick = w.work + tickWork
	w.sumVisits(nil)
	w.report(w.run)
	if w.emit {
		w.out.flush(w.run)
	}
	if w.rounds == nil || w.phase.Load() == runEmitted {
		w.helpOnce.Do(w.callHelp)
	}
	beginGuards(w)
	beginChecking(w)
	w.reconsider()
	w.takeTurns()
	w.limitRoot()
}

// onRetire, where a test has set it, receives the work of each worker that ends.
var onRetire func(work uint64)

// retire hands in the worker's results and gives its scratch back. Nobody may use the worker any more.
func (w *worker) retire() {
	w.settle()
	runs := w.out.runs
	runs.rows = 0
	*w = worker{out: output{runs: runs}}
	idleWorkers.Put(w)
}

// settle hands in the worker's results.
func (w *worker) settle() {
	if w.emit {
		w.out.flush(w.run)
	}
	var visits []uint64
	if w.env.Tally != nil {
		visits = make([]uint64, len(w.steps))
	}
	w.sumVisits(visits)
	w.report(w.run)
	w.env.Took(pattern.FirstMatch, w.earlyStops)
	w.env.Took(pattern.RowRuns, w.out.runs.rows)
	w.env.Memory.Release(w.scratchBytes)
	w.mu.Lock()
	defer w.mu.Unlock()
	leaveTables(w)
	w.totalWork += w.work
	for k, n := range visits {
		w.visits[w.steps[k].u] += n
	}
	if onRetire != nil {
		onRetire(w.work)
	}
	count, err := w.count.Add(w.total)
	if w.count = count; err != nil && w.err == nil {
		w.err = err
	}
}

// sumVisits adds up what the steps have visited since the last report. It puts the visits of each step since the start of the
// worker into visits, if that is not nil.
func (w *worker) sumVisits(visits []uint64) {
	sum := uint64(0)
	for k := range w.levels {
		n := w.levels[k].visits
		if w.dense != nil {
			n += w.dense.steps[k].visits
		}
		if sum += n; visits != nil {
			visits[k] = n
		}
	}
	w.partials, w.visited = sum-w.visited, sum
}

// meter counts what a worker does. All but work and earlyStops count since the last report.
type meter struct {
	work         uint64 // list elements looked at
	reportedWork uint64 // the part of work that is in the last report
	nextTick     uint64 // work at which to report
	partials     uint64 // partial embeddings visited, of all steps
	visited      uint64 // the sum of the steps' visits at the last report
	matches      uint64 // matches found
	roots        uint64 // vertices of the first free step that are done
	skips        uint64 // vertices that failing sets have spared
	denseEntries uint64 // how often the search went on in bitmaps
	exchanges    uint64 // matches given by exchanging equal vertices
	numbered     uint64 // lists taken by their number, for rows that nobody reads
	nogoodHits   uint64 // vertices that nogoods have spared
	wipeouts     uint64 // branches that forward checking has ended
	shortfalls   uint64 // vertices left out for what they would take from others
	tails        uint64 // how many numbers of matches the sink got
	earlyStops   uint64 // how often a first match ended a loop
}

// report adds what the worker has done since the last report to the run's progress and the query's tally.
func (m *meter) report(r *run) {
	r.progress.work.Add(m.work - m.reportedWork)
	r.progress.partial.Add(m.partials)
	r.progress.found.Add(m.matches)
	r.progress.roots.Add(m.roots)
	m.reportedWork = m.work
	if t := r.env.Tally; t != nil {
		t.Partial.Add(m.partials)
		t.Embeddings.Add(m.matches)
		t.UnitsDone.Add(m.roots)
	}
	r.env.Took(pattern.FailingSets, m.skips)
	r.env.Took(pattern.DenseSearch, m.denseEntries)
	r.env.Took(pattern.CountedTail, m.tails)
	r.env.Took(pattern.EqualVertices, m.exchanges)
	r.env.Took(pattern.CountedChoices, m.numbered)
	r.env.Took(pattern.Nogoods, m.nogoodHits)
	r.env.Took(pattern.Reservations, m.shortfalls)
	r.env.Took(pattern.ForwardChecking, m.wipeouts)
	m.partials, m.matches, m.roots, m.skips, m.denseEntries, m.tails, m.exchanges, m.numbered, m.nogoodHits, m.shortfalls, m.wipeouts = 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
}
