package cuda

import (
	"sync"
	"weak"

	"github.com/motifql/motif/internal/csr"
)

// Ledger remembers what requests have missed that were left to the CPU although a GPU, once started and given the graph, would have
// been sooner. When that is as much as the start and the upload cost, the next one goes there: requests that come
// again and again wait no more than about twice as long as if that had been known. It is safe for concurrent use.
type Ledger struct {
	mu     sync.Mutex
	missed map[account]entry
}

type account struct {
	graph weak.Pointer[csr.Snapshot]
	what  string
	k     int
}

type entry struct {
	seconds float64
	times   int
}

// mostAccounts is how many a ledger keeps; then it begins anew.
const mostAccounts = 1000

// Charge returns the verdict on a request that is going to run, with what was missed before in mind, and notes what it misses.
func (l *Ledger) Charge(v *Verdict, w Work, s *csr.Snapshot) *Verdict { return l.judge(v, w, s, true) }

// Peek is Charge for a request that is not run.
func (l *Ledger) Peek(v *Verdict, w Work, s *csr.Snapshot) *Verdict { return l.judge(v, w, s, false) }

func (l *Ledger) judge(v *Verdict, w Work, s *csr.Snapshot, runs bool) *Verdict {
	if v.GPU || v.because != "" || v.Gain() <= 0 {
		return v
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := account{weak.Make(s), w.What, w.K}
	e := l.missed[key]
	if e.seconds+v.Gain() > v.Setup() {
		v.GPU, v.times = true, e.times
		return v
	}
	if runs {
		if l.missed == nil || len(l.missed) >= mostAccounts {
			l.missed = make(map[account]entry)
		}
		l.missed[key] = entry{e.seconds + v.Gain(), e.times + 1}
	}
	return v
}
