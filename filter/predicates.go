package filter

import (
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Predicates on single vertices. An error on some vertex must not end the query, for that vertex may not be in any match. So the vertex
// stays, and the join tests the predicate again.

// sampleSize is how many candidates, evenly spread, a predicate is tried on to guess its selectivity.
const sampleSize = 64

// lookup tests the predicates that hardly any candidate passes, such as equality with a key. It goes on from what is left to the
// neighbours, so that the other tiers find small sets.
func (f *filter) lookup() error {
	for i := range f.p.Predicates {
		u, ok := f.p.Predicates[i].Single()
		if ok && f.open(u) {
			sought, err := f.seek(i, u)
			if err != nil {
				return err
			}
			if sought {
				continue
			}
		}
		if !ok || !f.open(u) || f.out.Sets[u].Len() <= sampleSize || f.sample(&f.p.Predicates[i], u) > sampleSize/32 {
			continue
		}
		if err := f.test(i, u); err != nil {
			return err
		}
		if err := f.propagate(u); err != nil {
			return err
		}
	}
	return nil
}

// seek asks an index for the candidates of u on which predicate i holds, and reports whether there is one that could tell.
func (f *filter) seek(i, u int) (bool, error) {
	q := &f.p.Predicates[i]
	if q.Seek == nil {
		return false, nil
	}
	set := f.out.Sets[u]
	list, ok := q.Seek(set.Len() / 2)
	if !ok {
		return false, nil
	}
	f.env.Took(pattern.IndexSeek, 1)
	list = slices.DeleteFunc(list, func(v csr.VertexID) bool { return !set.Has(v) })
	if err := f.replace(u, list); err != nil {
		return false, err
	}
	if err := f.test(i, u); err != nil {
		return false, err
	}
	return true, f.propagate(u)
}

// sample returns how many of sampleSize candidates of u pass a predicate.
func (f *filter) sample(q *pattern.Predicate, u int) int {
	set, passed := f.out.Sets[u], 0
	at := make([]csr.VertexID, len(f.p.Vertices))
	for i := range sampleSize {
		at[u] = set.At(i * set.Len() / sampleSize)
		if ok, err := q.Test(at, nil); ok || err != nil {
			passed++
		}
	}
	return passed
}

// predicates tests the predicates that lookup has left, on the smaller sets first.
func (f *filter) predicates() error {
	var order []int
	for i := range f.p.Predicates {
		if _, ok := f.p.Predicates[i].Single(); ok && !f.skip[i] {
			order = append(order, i)
		}
	}
	size := func(i int) int {
		u, _ := f.p.Predicates[i].Single()
		return f.out.Sets[u].Len()
	}
	slices.SortStableFunc(order, func(i, j int) int { return size(i) - size(j) })
	for _, i := range order {
		if u, _ := f.p.Predicates[i].Single(); !f.nearBound[u] {
			if err := f.test(i, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// test tests predicate i on the candidates of u.
func (f *filter) test(i, u int) error {
	q := &f.p.Predicates[i]
	var failed atomic.Bool // a test gave an error
	list, err := f.keepOf(f.out.Sets[u], func() func(csr.VertexID) bool {
		at := make([]csr.VertexID, len(f.p.Vertices))
		return func(v csr.VertexID) bool {
			at[u] = v
			ok, err := q.Test(at, nil)
			if err != nil {
				failed.Store(true)
			}
			return ok || err != nil
		}
	})
	if err != nil {
		return err
	}
	f.skip[i] = true
	if failed.Load() {
		f.out.Deferred = append(f.out.Deferred, i)
	}
	return f.replace(u, list)
}
