package clique

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
)

// How far a search for cliques has come. Work is far from even: on graphs like Kronecker's a few hundred of a quarter
// of a million roots take nearly all the time, and their degrees do not tell which, because the neighbourhoods below
// the densest part are as large as those in it and far less quickly done with. So the weight of a block of roots is the size
// of the search tree that a random graph would have with as many vertices and as large a share of its pairs joined;
// that share is found by trying a few pairs.

const (
	rootBlock = 16      // roots that are weighed together
	rootTries = 4       // pairs that are tried for each
	allShares = 1 << 20 // what the weights of all roots add up to
	minTried  = 8       // smaller neighbourhoods are quickly searched, and all weigh by their size
)

// rootRange is the ranks [first, last) of g below which a search looks for cliques of least to most vertices.
type rootRange struct {
	g           *core.Oriented
	in          func(rank uint32) bool // there is nothing to do for others
	first, last int
	least, most int
}

// workShares says what share of a search's work each of its roots is.
type workShares struct {
	first, last int
	upTo        []uint64 // by block: the shares of the blocks before it; one more than blocks
	tally       *pattern.Tally
}

// newWorkShares weighs the roots and notes their work in the tally. It is nil if there is no tally.
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

// weight is the expected work below the roots [lo, hi), in no particular unit; it is finite and above 0.
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

// treeSize is how many nodes a search for cliques of up to k vertices has in a random graph of n vertices of which a share p of the pairs is joined: a
// bitmap of n rows has to be made, and then there is a node for each set of fewer than k-1 vertices that are all
// joined, or for each such set to which no vertex can be added where those are fewer, because pivots spare the
// others.
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

// upToRank is the share of the roots before rank r.
func (s *workShares) upToRank(r int) uint64 {
	i := (r - s.first) / rootBlock
	if r >= s.last {
		return s.upTo[len(s.upTo)-1]
	}
	inside := uint64(r - s.first - i*rootBlock)
	return s.upTo[i] + (s.upTo[i+1]-s.upTo[i])*inside/rootBlock
}

// progress is what one worker has done and not yet reported.
type progress struct {
	*workShares
	backlog uint64 // units finished but not yet reported
}

// reportFrom is the share of all work at which a worker reports: a thousandth.
const reportFrom = allShares / 1024

// did adds the work of the roots [lo, hi).
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
