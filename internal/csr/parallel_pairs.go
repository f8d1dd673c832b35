package csr

// maxParallelShare is which part of the pairs may be parallel for Parallel to list them: more would not be short lists.
const maxParallelShare = 8

// Parallel is the pairs of the view that stand for several relationships, with their counts. It is nil if they are more than an eighth
// of all pairs. The first call walks over all rows and keeps the result.
func (a *Adjacency) Parallel() *Adjacency {
	if p := a.parallel.Load(); p != nil {
		if p == a { // it stands for nil
			return nil
		}
		return p
	}
	p := a.parallelPairs()
	if p == nil {
		p = a
	}
	a.parallel.CompareAndSwap(nil, p)
	return a.Parallel()
}

func (a *Adjacency) parallelPairs() *Adjacency {
	span, p, most := a.Span(), &Adjacency{}, a.Len()/maxParallelShare
	p.Lo, p.Offsets = span.Lo, make([]uint64, 1, span.Len()+1)
	for v := span.Lo; v < span.Hi && a.Counts != nil; v++ {
		lo, hi := a.Row(v)
		for i, n := range a.Counts[lo:hi] {
			if n > 1 {
				p.Targets, p.Counts = append(p.Targets, a.Targets[lo+uint64(i)]), append(p.Counts, n)
			}
		}
		if uint64(len(p.Targets)) > most {
			return nil
		}
		p.Offsets = append(p.Offsets, uint64(len(p.Targets)))
	}
	return p
}
