package csr

import (
	"math/bits"

	"github.com/motifql/motif/internal/spool"
)

// buckets are relationships by vertex: a bucket has those of a run of vertices.
type buckets struct {
	of    []uint32 // by vertex
	lists []*spool.List
}

// newBuckets cuts the vertices into runs of about room words each. counts is how many relationships each has.
func (j *spooledAssembly) newBuckets(counts []uint64) (*buckets, error) {
	if err := j.take(4 * j.n); err != nil {
		return nil, err
	}
	b, held := &buckets{of: make([]uint32, j.n)}, uint64(0)
	for v, n := range counts {
		n *= uint64(j.width)
		if len(b.lists) == 0 || held > 0 && held+n > j.room {
			b.lists, held = append(b.lists, j.spool.NewList()), 0
		}
		held += n
		b.of[v] = uint32(len(b.lists) - 1)
	}
	return b, nil
}

// drop gives up the buckets.
func (j *spooledAssembly) drop(b *buckets) {
	for _, list := range b.lists {
		list.Drop()
	}
	j.give(4 * j.n)
}

// eachSorted hands the words of one bucket after the other to walk, sorted by their first word, equal ones in order of writing. walk must not
// keep them.
func (j *spooledAssembly) eachSorted(b *buckets, walk func(words []uint64) error) error {
	at, sorters := make([]sorter, j.workers), j.workers
	defer func() {
		for i := range at {
			j.give(16 * uint64(len(at[i].words)))
		}
	}()
	for lo := 0; lo < len(b.lists); lo += sorters {
		run := b.lists[lo:min(lo+sorters, len(b.lists))]
		errs := make([]error, len(run))
		each(len(run), func(i int) { errs[i] = at[i].load(j, run[i]) })
		for i, err := range errs {
			if err == nil {
				err = j.ctx.Err()
			}
			if err == nil {
				err = walk(at[i].sorted)
				j.tick(len(at[i].sorted))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sorter has room for the words of a bucket, twice.
type sorter struct{ words, other, sorted []uint64 }

// load reads a bucket, drops it, and sorts it.
func (s *sorter) load(j *spooledAssembly, list *spool.List) error {
	n := list.Len()
	if more := n - min(n, uint64(len(s.words))); more > 0 {
		if err := j.take(16 * more); err != nil {
			return err
		}
		s.words, s.other, s.sorted = nil, nil, nil
		s.words, s.other = make([]uint64, n), make([]uint64, n)
	}
	if err := list.Read(0, s.words[:n]); err != nil {
		return err
	}
	list.Drop()
	s.sorted = radixSort(s.words[:n], s.other[:n], j.width)
	return nil
}

// radixSort sorts items of width words stably by their first word. It returns words or other, whichever has the result.
func radixSort(words, other []uint64, width int) []uint64 {
	differ := uint64(0)
	for i := 0; i < len(words); i += width {
		differ |= words[i] ^ words[0]
	}
	const digit = 11
	for differ != 0 {
		shift := bits.TrailingZeros64(differ)
		differ &^= (1<<digit - 1) << shift
		var next [1<<digit + 1]uint64
		for i := 0; i < len(words); i += width {
			next[words[i]>>shift&(1<<digit-1)+1]++
		}
		for i := 1; i < len(next); i++ {
			next[i] += next[i-1]
		}
		if width == 1 {
			for _, w := range words {
				k := w >> shift & (1<<digit - 1)
				other[next[k]] = w
				next[k]++
			}
		} else {
			for i := 0; i < len(words); i += 2 {
				k := words[i] >> shift & (1<<digit - 1)
				other[2*next[k]], other[2*next[k]+1] = words[i], words[i+1]
				next[k]++
			}
		}
		words, other = other, words
	}
	return words
}
