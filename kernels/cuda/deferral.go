package cuda

import (
	"math"
	"sync"
	"weak"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Deferral remembers the time that requests lost on the CPU although a GPU would have been sooner, once started and given the graph.
// When they have lost as much as start and upload cost, the next one goes to the GPU. So requests that come again and again wait at
// most about twice as long as with foresight. All requests count for the start, those on a graph for its upload. It also remembers how long requests
// took, and corrects the estimates of those that come later. A request that the CPU answers again and again goes to the GPU once for a
// trial, though the estimate is against it. It is safe for concurrent use.
type Deferral struct {
	mu      sync.Mutex
	lost    map[weak.Pointer[csr.Snapshot]]loss // by graph
	all     loss                                // before the GPU started
	begun   bool                                // it was told to start beside the CPU
	taken   map[asked]*history                  // by what was asked of which graph
	learned map[question]*[sides]lastTimes      // ratios of measured times to the estimates, by kind
}

// history is what was measured of a request.
type history struct {
	times   [sides]lastTimes
	untried float64 // seconds that the CPU has taken since the GPU was last tried
}

// Whose times they are.
const (
	byCPU = iota
	byGPU
	sides
)

// asked is a request on a graph. Requests of one kind mostly differ in what they are expected to go through.
type asked struct {
	graph   weak.Pointer[csr.Snapshot]
	kind    pattern.RequestKind
	k       int
	edges   uint64
	items   float64
	workers int
}

type loss struct {
	seconds float64
	times   int
}

// lastTimes are the last two of something that was measured.
type lastTimes struct {
	last [2]float64
	n    int
}

func (t *lastTimes) add(x float64) {
	t.last[t.n%2] = x
	t.n++
}

// least is the smaller one of the last two: the first run may have made what later ones use.
func (t *lastTimes) least() float64 {
	if t.n == 1 {
		return t.last[0]
	}
	return min(t.last[0], t.last[1])
}

// trialShare is the largest share that trials on the GPU may add to a request's time on the CPU.
const trialShare = 0.25

// mostDeferred is how many graphs, and how many requests, a Deferral remembers; then it begins anew.
const mostDeferred = 1000

// mostLearned is the largest ratio by which times of other requests correct an estimate.
const mostLearned = 8

// leastLearned is the least time, in seconds, that corrects those of other requests: what is shorter is not the kernel's.
const leastLearned = 1e-3

// Decide returns the verdict on a request, corrected by the times and losses before it. If the request runs, it adds its own loss.
func (d *Deferral) Decide(v *Verdict, s *csr.Snapshot, runs bool) *Verdict {
	if v.because != "" {
		return v
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	own := d.taken[v.key(s)]
	d.correct(v, own)
	if v.GPU = v.Setup()+v.kernel < v.cpu; v.GPU {
		return v
	}
	if v.start == 0 && own != nil && own.times[byGPU].n == 0 && v.Setup()+v.kernel < own.untried*trialShare {
		v.GPU, v.trial = true, true
		if runs {
			own.untried = 0
		}
		return v
	}
	if v.Gain() <= 0 {
		return v
	}
	graph := weak.Make(s)
	e := d.lost[graph]
	if v.start > 0 {
		e = d.all
	}
	if e.seconds+v.Gain() > v.Setup() {
		v.GPU, v.times = true, e.times
		return v
	}
	if runs {
		d.add(graph, v, loss{v.Gain(), 1})
		v.StartBeside = !d.begun && own != nil && v.start > 0 && d.all.seconds*float64(v.workers) > v.start
		d.begun = d.begun || v.StartBeside
	}
	return v
}

// add adds to the losses on a graph.
func (d *Deferral) add(graph weak.Pointer[csr.Snapshot], v *Verdict, more loss) {
	if d.lost == nil || len(d.lost) >= mostDeferred {
		d.lost = make(map[weak.Pointer[csr.Snapshot]]loss)
	}
	e := d.lost[graph]
	d.lost[graph] = loss{e.seconds + more.seconds, e.times + more.times}
	if v.start > 0 {
		d.all = loss{d.all.seconds + more.seconds, d.all.times + more.times}
	}
}

// correct replaces the estimates by what was measured of the same request, or else scales them as those of its kind were off.
func (d *Deferral) correct(v *Verdict, own *history) {
	kind := d.learned[v.question()]
	for i, estimate := range []*float64{&v.cpu, &v.kernel} {
		switch {
		case own != nil && own.times[i].n > 0:
			*estimate, v.knew[i] = own.times[i].least(), "measured"
		case kind != nil && kind[i].n > 0:
			*estimate, v.knew[i] = v.estimates[i]*math.Max(1.0/mostLearned, math.Min(mostLearned, kind[i].least())), "corrected"
		default:
			*estimate = v.estimates[i]
		}
	}
	v.addDue()
}

// Took notes how many seconds a request took, for which Decide gave the verdict. A GPU that had to start or to get the graph first says nothing of
// later requests, nor does the first of a kind, for which the driver compiles kernels, nor one that was to build signatures.
func (d *Deferral) Took(v *Verdict, s *csr.Snapshot, seconds float64) {
	if v.because != "" || seconds <= 0 || v.work.Due > 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i, estimate := byCPU, v.estimates[byCPU]
	if v.GPU {
		if i, estimate = byGPU, v.estimates[byGPU]; v.Setup() > 0 || !d.compiled(v) {
			return
		}
	} else if v.Gain() > 0 || seconds > v.kernel { // it lost more than was expected, or less
		d.add(weak.Make(s), v, loss{math.Max(seconds, v.kernel) - math.Max(v.cpu, v.kernel), 0})
	}
	if d.taken == nil || len(d.taken) >= mostDeferred {
		d.taken = make(map[asked]*history)
	}
	key := v.key(s)
	if d.taken[key] == nil {
		d.taken[key] = new(history)
	}
	d.taken[key].times[i].add(seconds)
	if i == byCPU {
		d.taken[key].untried += seconds
	}
	if estimate > 0 && seconds >= leastLearned {
		d.kind(v)[i].add(seconds / estimate)
	}
}

// kind returns the ratios of a kind.
func (d *Deferral) kind(v *Verdict) *[sides]lastTimes {
	if d.learned == nil {
		d.learned = make(map[question]*[sides]lastTimes)
	}
	q := v.question()
	if d.learned[q] == nil {
		d.learned[q] = new([sides]lastTimes)
	}
	return d.learned[q]
}

// compiled reports whether a request like this one ran on the GPU before, and notes that one did.
func (d *Deferral) compiled(v *Verdict) bool {
	q := v.question()
	q.k = ^q.k // beside the ratios
	if d.learned[q] != nil {
		return true
	}
	d.kind(v)
	d.learned[q] = new([sides]lastTimes)
	return false
}

// key is the request of the verdict on a graph.
func (v *Verdict) key(s *csr.Snapshot) asked {
	return asked{weak.Make(s), v.work.Kind, v.work.K, v.work.Edges, v.work.Items, v.work.Workers}
}

// question is the kind of the verdict's request.
func (v *Verdict) question() question { return question{v.work.Kind, v.work.K} }
