package hom

import "time"

// Pairs in parts. Rows of pairs are apart from each other, so EachPair can be called for some of the first vertices at a time. What all rows
// need is made once, and kept with the worker's arrays.

// pairParts is what EachPair keeps from one call to the next.
type pairParts struct {
	until  time.Time // when a call should end early; zero: never
	done   int       // first vertices that the last call has done
	ready  bool      // what all rows need is there
	held   int64     // its bytes, with the worker's
	worker *pairWorker
}

// DividePairs says that EachPair is called several times, for some of the first vertices each. Each call takes one worker. At until, unless that
// is zero, the next call ends, after one vertex at least: see PairsDone. A call that fails ends the counter.
func DividePairs(h *Counter, until time.Time) {
	if h.parts == nil {
		h.parts = new(pairParts)
	}
	h.parts.until = until
}

// PairsDone returns how many of its first vertices the last call of EachPair has done.
func PairsDone(h *Counter) int { return h.parts.done }

// begin returns the worker of r: that of the call before, whose arrays are 0 again, or a new one.
func (p *pairParts) begin(r *execution) (*pairWorker, error) {
	if p.ready {
		p.worker.execution = r
		return p.worker, r.charge(int(p.held))
	}
	if err := r.preparePairs(); err != nil {
		return nil, err
	}
	return newPairWorker(r)
}

// each calls row for the first vertices by their places, until the time is over.
func (p *pairParts) each(r *execution, firsts int, row func(worker, i int)) {
	defer lateAt(r, p.until)()
	i := 0
	for ; i < firsts && !r.stop.Load() && (i == 0 || !r.late.Load()); i++ {
		row(0, i)
	}
	p.done = i
}

// keep keeps what the call has made.
func (p *pairParts) keep(r *execution, w *pairWorker) {
	p.ready, p.worker, p.held = true, w, r.charges.Load()-r.scratch
}
