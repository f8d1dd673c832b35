package clique

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
)

// inducedSubgraph is the subgraph induced by a few vertices, as a symmetric bitmap: bit j of row i is set if i and j are neighbours.
// No vertex is its own neighbour.
type inducedSubgraph struct {
	n, words int
	rows     []uint64
}

func (l *inducedSubgraph) row(i int) []uint64 { return l.rows[i*l.words : (i+1)*l.words] }

func (l *inducedSubgraph) reset(n int) {
	l.n, l.words = n, (n+63)/64
	l.rows = zeroed(l.rows, n*l.words)
}

func (l *inducedSubgraph) join(i, j int) {
	l.rows[i*l.words+j>>6] |= 1 << (j & 63)
	l.rows[j*l.words+i>>6] |= 1 << (i & 63)
}

// marks numbers the vertices of a neighbourhood: 1 + its number by rank, 0 for those outside.
type marks []uint32

func (m marks) set(hood []uint32) {
	for i, r := range hood {
		m[r] = uint32(i) + 1
	}
}

func (m marks) clear(hood []uint32) {
	for _, r := range hood {
		m[r] = 0
	}
}

// build makes l the subgraph of g on hood, in the order of hood. The marks must be clear, and are left so.
func (l *inducedSubgraph) build(g *core.Oriented, hood []uint32, m marks) {
	l.reset(len(hood))
	m.set(hood)
	for i, r := range hood {
		for _, x := range g.Out(r) {
			if j := m[x]; j != 0 {
				l.join(i, int(j-1))
			}
		}
	}
	m.clear(hood)
}

// count returns how many bits of b are set.
func count(b []uint64) (n int) {
	for _, x := range b {
		n += bits.OnesCount64(x)
	}
	return n
}

// stopFlag tells workers to stop.
type stopFlag struct {
	atomic.Bool
	wake func() // wakes workers that wait for each other; nil: none do
}

// set stops the workers, also those that wait.
func (f *stopFlag) set() {
	f.Store(true)
	if f.wake != nil {
		f.wake()
	}
}

// deal hands the roots to env.Workers workers, a chunk at a time, from the last to the first. The densest roots come first, so that
// no worker has them at the end. start makes a worker: visit searches below one root, done ends the worker. The first error, or
// the end of ctx, stops all workers; visit has to poll stop.
func deal(ctx context.Context, r *rootRange, chunk int, env *pattern.Env, stop *stopFlag,
	start func() (visit func(root uint32) error, done func() error, err error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	n := max(0, r.last-r.first)
	work := r.newWorkShares(env.Tally)
	workers := dealtTo(env, n)
	errs := make([]error, workers)
	var next atomic.Int64
	all := workgroup.Group{Stop: stop.set}
	for w := range workers {
		all.Go(func() {
			visit, done, err := start()
			mine := progress{workShares: work}
			for err == nil && !stop.Load() {
				from := int(next.Add(int64(chunk))) - chunk
				if from >= n {
					break
				}
				for i := from; i < min(from+chunk, n) && err == nil && !stop.Load(); i++ {
					err = visit(uint32(r.last - 1 - i))
					mine.did(r.last-1-i, r.last-i)
				}
			}
			mine.report()
			if err == nil {
				err = done()
			}
			if err != nil {
				stop.Store(true)
				errs[w] = err
			}
		})
	}
	all.Wait()
	if err := firstError(errs); err != nil {
		return err
	}
	return ctx.Err()
}

// scratchBytes returns a worker's memory for marks and for the largest induced subgraph of g, as lists and as a bitmap.
func scratchBytes(g *core.Oriented) int64 {
	n := int64(len(g.Vertex))
	if n == 0 {
		return 0
	}
	d := int64(g.Core[n-1]) // the degeneracy: coreness rises with rank
	return 4*n + d*d/8 + 4*min(d*d/2, int64(len(g.Targets)))
}

// dealtTo returns how many workers deal starts for n roots.
func dealtTo(env *pattern.Env, n int) int { return max(1, min(env.Workers, n)) }

// member returns the test whether a rank of g is in within.
func member(g *core.Oriented, within *pattern.CandidateSet) func(rank uint32) bool {
	if within == nil {
		return func(uint32) bool { return true }
	}
	return func(r uint32) bool { return within.Has(g.Vertex[r]) }
}

// verticesOf appends the vertices of ranks to dst.
func verticesOf(g *core.Oriented, dst []csr.VertexID, ranks []uint32) []csr.VertexID {
	for _, r := range ranks {
		dst = append(dst, g.Vertex[r])
	}
	return dst
}
