package cuda

import (
	"sync"
	"weak"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Deferral remembers the time that requests lost on the CPU although a GPU would have been sooner, once started and given the graph.
// When they have lost as much as start and upload cost, the next one goes to the GPU. So requests that come again and again wait at
// most about twice as long as with foresight. It is safe for concurrent use.
type Deferral struct {
	mu   sync.Mutex
	lost map[deferred]loss
}

type deferred struct {
	graph weak.Pointer[csr.Snapshot]
	kind  pattern.RequestKind
	k     int
}

type loss struct {
	seconds float64
	times   int
}

// mostDeferred is how many kinds of requests a Deferral remembers; then it begins anew.
const mostDeferred = 1000

// Decide returns the verdict on a request with the losses before it in mind. If the request runs, it adds its own.
func (d *Deferral) Decide(v *Verdict, w Work, s *csr.Snapshot, runs bool) *Verdict {
	if v.GPU || v.because != "" || v.Gain() <= 0 {
		return v
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key := deferred{weak.Make(s), w.Kind, w.K}
	e := d.lost[key]
	if e.seconds+v.Gain() > v.Setup() {
		v.GPU, v.times = true, e.times
		return v
	}
	if runs {
		if d.lost == nil || len(d.lost) >= mostDeferred {
			d.lost = make(map[deferred]loss)
		}
		d.lost[key] = loss{e.seconds + v.Gain(), e.times + 1}
	}
	return v
}
