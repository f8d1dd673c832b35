//go:build cuda && cgo && linux

package device

import (
	"errors"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/cuda"
)

// decision says where a request goes, and why.
type decision struct {
	onGPU bool
	why   fmt.Stringer
	quiet bool // nobody needs to read it: the CPU alone has a kernel

	verdict *cuda.Verdict // by times; nil: other reasons decide
}

// reason is why in plain words.
type reason struct{ error }

func (r reason) String() string { return r.Error() }

var (
	errAsked  = errors.New("it was asked for")
	errLarger = errors.New("the CPU reuses counts of parts of a larger pattern")
	errRows   = errors.New("it gives rows as soon as it finds them")
)

// gainingNodes is the most nodes of a pattern whose count a GPU was measured to finish before 16 workers do.
const gainingNodes = 4

// choose decides whether a GPU or the CPU answers r: the only place that does. gpu.try falls back to the CPU
// where a device then declines, or does not start and the caller did not ask for it. A request that runs counts for those after it, see
// cuda.Deferral. r may be planned only: then Expected stands in for its candidates.
func (g gpu) choose(r *pattern.Request, workers int, runs bool) decision {
	switch {
	case !cuda.HasKernel(r.Kind), bound(r):
		return decision{quiet: true}
	case cuda.Declines(r):
		return decision{why: reason{cuda.ErrDeclined}, quiet: !g.asked}
	case g.asked:
		return decision{onGPU: true, why: reason{errAsked}}
	case r.Kind == pattern.KindMatch:
		return decision{why: reason{errRows}}
	case r.Kind == pattern.KindCount && len(r.Job.Pattern.Vertices) > gainingNodes:
		return decision{why: reason{errLarger}}
	}
	w := cuda.WorkOf(r)
	w.Workers = workers
	v := g.pool.Deferral.Decide(g.opened().Weigh(w, r.Snapshot), r.Snapshot, runs)
	return decision{onGPU: v.GPU, why: v, verdict: v}
}

// bound reports whether r searches around vertices that a row gives: the CPU finds those matches before a GPU is asked.
func bound(r *pattern.Request) bool {
	return (r.Kind == pattern.KindCount || r.Kind == pattern.KindMatch) &&
		slices.ContainsFunc(r.Job.Pattern.Vertices, func(v pattern.Vertex) bool { return v.Bound })
}

// Explain says for every request of an operator that a GPU has a kernel for where d would answer it now, and why. It says nothing
// where there is no GPU, and makes no requests then.
func Explain(d pattern.Device, requests func() []*pattern.Request) (notes []string) {
	g, ok := d.(gpu)
	if !ok || !cuda.Present() {
		return nil
	}
	for _, r := range requests() {
		r = byFormula(r)
		c := g.choose(r, g.workers, false)
		if c.quiet {
			continue
		}
		where := "CPU"
		if c.onGPU {
			where = "GPU"
		}
		notes = append(notes, fmt.Sprintf("%s on %s (%v)", r.Kind, where, c.why))
	}
	return notes
}

// byFormula returns the request that a count becomes if the join expects its formula to be cheaper than a search; else r itself.
func byFormula(r *pattern.Request) *pattern.Request {
	if r.Kind != pattern.KindCount || bound(r) {
		return r
	}
	elements, ok := join.ExpectFormula(r.Snapshot, r.Job.Formula, r.Expected, r.Job.Order.Cost)
	if !ok {
		return r
	}
	types := cuda.WorkOf(r).Types
	return &pattern.Request{Kind: pattern.KindFormula, Snapshot: r.Snapshot, Formula: &pattern.FormulaRequest{Types: types, Elements: elements}}
}

// Answers lists which device answered what. It is empty where there is no GPU: then there was no choice.
func Answers(t *pattern.Tally) []string {
	list := t.Answers()
	if len(list) == 0 || !cuda.Present() {
		return nil
	}
	return list
}
