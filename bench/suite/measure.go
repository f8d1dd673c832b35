package suite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/motifql/motif"
)

// long is a first run after which indexes no longer matter: it counts as one of the timed ones.
const long = 5 * time.Second

// mostRuns is how often a quick row is run: more often than asked for, because a short time is easily disturbed.
const mostRuns = 15

// measure prepares the question and runs it, once apart and then runs times or until enough time has gone by, and notes what it cost.
func (res *Result) measure(ctx context.Context, ask asker, o *opened, runs int, enough time.Duration) {
	q, err := ask.prepare(ctx, o)
	if err != nil {
		res.fail(err, o)
		return
	}
	releaseMemory()
	peak := watchMemory()
	defer func() { res.Peak = peak() }()
	if !res.once(ctx, q, o) {
		return
	}
	res.First = res.Runs[0]
	if res.First < long {
		res.Runs, res.CPU = nil, 0
	}
	for spent := time.Duration(0); len(res.Runs) < runs || spent < enough && len(res.Runs) < max(runs, mostRuns); {
		if !res.once(ctx, q, o) {
			return
		}
		spent += res.Runs[len(res.Runs)-1]
	}
}

// once runs the question once more. It reports false if that failed or the answer was another than before.
func (res *Result) once(ctx context.Context, q question, o *opened) bool {
	a, took, cpu, err := timed(ctx, q)
	if err != nil {
		res.fail(err, o)
		return false
	}
	if res.Answer != "" && a.result != res.Answer {
		res.Status, res.Note = Wrong, fmt.Sprintf("%s in one run, %s in another", res.Answer, a.result)
		return false
	}
	if res.Runs = append(res.Runs, took); len(res.Runs) == 1 || cpu < res.CPU {
		res.CPU = cpu
	}
	res.Answer, res.matches, res.Candidates, res.Charged, res.Prepare = a.result, a.matches, a.candidates, a.charged, a.prepared
	return true
}

func timed(ctx context.Context, q question) (a answer, took, cpu time.Duration, err error) {
	before, start := processTime(), time.Now()
	a, err = q.run(ctx)
	took, cpu = time.Since(start), processTime()-before
	if a.took > 0 { // of one part of the run
		cpu = time.Duration(float64(cpu) * float64(a.took) / float64(took))
		took = a.took
	}
	return a, took, cpu, err
}

// fail says in the result why there is none.
func (res *Result) fail(err error, o *opened) {
	var query *motif.QueryError
	res.Status, res.Note = Failed, err.Error()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		res.Status, res.Note = Stopped, fmt.Sprintf("more than %v", o.timeout)
	case errors.As(err, &query):
		res.Status, res.Note = Lacking, query.Message
	}
}

// Best and Median are over the timed runs; 0 if there are none.
func (res *Result) Best() time.Duration {
	if len(res.Runs) == 0 {
		return 0
	}
	return slices.Min(res.Runs)
}

// Median is the middle one of the timed runs, the faster of two.
func (res *Result) Median() time.Duration {
	if len(res.Runs) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(res.Runs))[(len(res.Runs)-1)/2]
}

// releaseMemory gives garbage back, so that a row's peak is its own.
func releaseMemory() {
	runtime.GC()
	debug.FreeOSMemory()
}

// watchMemory looks at the process's memory now and then until the returned function is called, which gives the largest figure.
func watchMemory() (peak func() int64) {
	const often = 5 * time.Millisecond
	most := held()
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(often)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, held())
			case <-quit:
				return
			}
		}
	}()
	return func() int64 {
		close(quit)
		<-gone
		return int64(max(most, held()))
	}
}

// held is what the Go runtime has of the system and has not given back: graph, scratch, garbage not yet collected.
func held() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
