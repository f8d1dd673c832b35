package clique

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
)

// Progress of a search for cliques. Roots differ widely in work: on Kronecker graphs a few hundred of a quarter of a million
// roots take nearly all the time. Degrees do not tell which, because neighbourhoods below the densest part are as large as those
// in it. So a block of roots weighs as much as the search tree of a random graph with as many vertices and the same density.
// A few random pairs estimate the density.

const (
	rootBlock = 16      // roots of a block, with one weight
	rootTries = 4       // pairs to try for each root
	allShares = 1 << 20 // the sum of the weights of all roots
	minTried  = 8       // smaller neighbourhoods are quick to search: they weigh by their size alone
)

// rootRange is the ranks [first, last) of g below which a search looks for cliques of least to most vertices.
type rootRange struct {
	g           *core.Oriented
	in          func(rank uint32) bool // the search skips other ranks
	first, last int
	least, most int
}

// workShares holds the share of each root in the work of a search.
type workShares struct {
	first, last int
	upTo        []uint64 // by block: the shares of the blocks before it; one more than blocks
	tally       *pattern.Tally
}

// newWorkShares weighs the roots and adds their work to the tally. It returns nil without a tally.
func (r *rootRange) newWorkShares(tally *pattern.Tally) *workShares {
	n := max(0, r.last-r.first)
	if tally == nil || n == 0 {
		return nil
	}
	sum, at := make([]float64, 1, n/rootBlock+2), 0.0
	for lo := r.first; lo < r.last; lo += rootBlock {
		at += r.weight(lo, min(lo+rootBlock, r.last))
		sum = append(sum, at)
	}
	s := &workShares{first: r.first, last: r.last, upTo: make([]uint64, len(sum)), tally: tally}
	for i, x := range sum {
		s.upTo[i] = uint64(x / at * allShares)
	}
	s.upTo[len(sum)-1] = allShares
	tally.Units.Add(allShares)
	return s
}

// weight returns the expected work below the roots [lo, hi), in no particular unit. It is finite and above 0.
func (r *rootRange) weight(lo, hi int) float64 {
	members, candidates, joined, tried := 0, 0, 0, 0
	dice := uint64(lo)
	for x := lo; x < hi; x++ {
		out := r.g.Out(uint32(x))
		if !r.in(uint32(x)) || len(out) < r.least-1 {
			continue
		}
		members++
		candidates += len(out)
		for i := 0; i < rootTries && len(out) >= minTried && r.most > 3; i++ {
			dice = dice*6364136223846793005 + 1442695040888963407
			a, b := int(dice>>40)%len(out), int(dice>>16&0xffffff)%len(out)
			if a != b {
				tried++
				if _, ok := slices.BinarySearch(r.g.Out(out[min(a, b)]), out[max(a, b)]); ok {
					joined++
				}
			}
		}
	}
	if members == 0 {
		return float64(hi-lo) / rootBlock
	}
	share := 0.0
	if tried > 0 {
		share = float64(joined) / float64(tried)
	}
	return float64(hi-lo)/rootBlock + float64(members)*treeSize(float64(candidates)/float64(members), share, r.most)
}

// treeSize returns the expected number of nodes of a search for cliques of up to k vertices in a random graph of n vertices and density
// p. The bitmap costs n*n/8. Enumeration has a node for each clique of fewer than k-1 vertices, pivoting for each maximal
// clique. treeSize returns the smaller sum.
func treeSize(n, p float64, k int) float64 {
	const most = 1e200 // so that sums of many do not overflow
	bitmap := n * n / 8
	every, maximal := bitmap, bitmap
	sets, joined := 1.0, 1.0 // the expected number of such sets of j vertices; p^j
	for j := 0.0; j < n && sets > 1e-3 && min(every, maximal) < most; j++ {
		if j < float64(k)-1 {
			every += sets
		}
		maximal += sets * math.Exp((n-j)*math.Log1p(-min(joined, 1-1e-9)))
		sets *= (n - j) / (j + 1) * joined
		joined *= p
	}
	return min(every, maximal, most)
}

// upToRank returns the share of the roots before rank r.
func (s *workShares) upToRank(r int) uint64 {
	i := (r - s.first) / rootBlock
	if r >= s.last {
		return s.upTo[len(s.upTo)-1]
	}
	inside := uint64(r - s.first - i*rootBlock)
	return s.upTo[i] + (s.upTo[i+1]-s.upTo[i])*inside/rootBlock
}

// progress is one worker's finished work, before its report.
type progress struct {
	*workShares
	backlog uint64 // units finished but not yet reported
}

// reportFrom is the share of all work at which a worker reports: a thousandth.
const reportFrom = allShares / 1024

// did adds the work of the roots [lo, hi), and reports from reportFrom on.
func (p *progress) did(lo, hi int) {
	if p.workShares == nil {
		return
	}
	if p.backlog += p.upToRank(hi) - p.upToRank(lo); p.backlog >= reportFrom {
		p.report()
	}
}

func (p *progress) report() {
	if p.workShares != nil {
		p.tally.UnitsDone.Add(p.backlog)
		p.backlog = 0
	}
}

// Work guesses the work of Count and List below each root, by rank, in no particular unit.
func Work(s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) []float64 {
	g := core.Orientation(s, c.Types, env.Workers)
	tests := make([]func(uint32) bool, len(c.Sets))
	for i, set := range c.Sets {
		tests[i] = member(g, set)
	}
	r := &rootRange{g: g, last: len(g.Vertex), least: c.K, most: c.K, in: func(rank uint32) bool {
		return slices.ContainsFunc(tests, func(in func(uint32) bool) bool { return in(rank) })
	}}
	work := make([]float64, len(g.Vertex))
	for lo := 0; lo < len(work); lo += rootBlock {
		hi := min(lo+rootBlock, len(work))
		w := r.weight(lo, hi) / float64(hi-lo)
		for i := lo; i < hi; i++ {
			work[i] = w
		}
	}
	return work
}
