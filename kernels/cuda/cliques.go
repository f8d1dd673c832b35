//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// smallHood is the most out-neighbours of a root that a warp counts the cliques of alone, in a word a row.
const smallHood = 32

// mostHood is the most out-neighbours that vertices of a bitmap have numbers for.
const mostHood = 1<<16 - 1

// mostBinomials is how many numbers a search may need a table of.
const mostBinomials = 1 << 24

// CountCliques counts the cliques that c asks for, from 3 vertices on, where all come from one set.
func (d *Device) CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (total pattern.Count128, err error) {
	return cliquesOf(ctx, d, s, c, env, whole)
}

// cliquesOf counts the cliques of a part of the roots.
func cliquesOf(ctx context.Context, d *Device, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env, p part) (total pattern.Count128, err error) {
	if c.K < 3 || len(c.Sets) != 1 {
		return total, ErrDeclined
	}
	err = d.run(ctx, func(t *task) error {
		g, err := orientedOf(t, ctx, s, c.Types, c.Sets[0], env)
		if err != nil {
			return err
		}
		q := &cliqueCount{task: t, env: env, g: g, k: c.K, part: p}
		if c.K >= boundsFrom && c.Sets[0] == nil && env.Uses(pattern.CliqueThin) && q.pivots() {
			if err := q.thin(ctx, s); err != nil {
				return err
			}
		}
		total, err = q.count()
		return err
	})
	return total, err
}

// cliqueCount is one count at work.
type cliqueCount struct {
	*task
	env      *pattern.Env
	g        *oriented
	k        int
	part     part   // of the roots
	shared   buffer // totalWords words of 8 bytes for the total, pairs of counters, a word each, and binomials, see cliques.cu
	choose   uint64 // the binomials' address
	top      int    // the largest number that they are of
	use      uint64
	rounds   int       // of launches that go on with what was handed on
	counters int       // of launches' items; as many behind them are of the launches that divide roots
	pools    [2]buffer // for that: a round takes from one and gives to the other
}

// totalWords are the numbers that clique kernels add to: the total's two, whether it is too small, and counters.
const totalWords = 12

// handOnSize is the size of cliques from which on trees are large enough for that.
const handOnSize = 7

// What a warp's tree of up to 32 vertices hands on, once it has so many nodes, to launches that follow: so many, with room for so many
// sub-problems between two. A sub-problem is taskWords words.
const (
	handOnFrom   = 32
	handOnRounds = 2
	handOnRoom   = 1 << 16
	taskWords    = 36
)

// What kernels call the techniques of a search by pivots (cliques.cu).
var pivotUses = []struct {
	m   pattern.Technique
	bit uint64
}{{pattern.CliqueWord, 1}, {pattern.CliqueLevel2, 2}, {pattern.CliqueComplement, 4}, {pattern.CliqueThin, 8}}

// pivots tells whether cliques are counted by pivots, and not one by one.
func (q *cliqueCount) pivots() bool { return q.k > kcMostK || q.env.Uses(pattern.CliquePivot) }

func (q *cliqueCount) count() (total pattern.Count128, err error) {
	classes := q.classes()
	if len(classes) == 0 {
		return total, nil
	}
	if classes[0].most > mostHood || int64(classes[0].most+1)*int64(q.k) > mostBinomials {
		return total, ErrDeclined
	}
	if err := q.prepare(classes); err != nil {
		return total, err
	}
	end := q.g.atLeast(q.k - 1)
	if !q.pivots() {
		return q.mine()
	}
	roots := uint64(q.part.count(q.part.from(0), end))
	q.env.Tally.Units.Add(roots)
	for i, c := range classes {
		if err := q.launchClass(c, i); err != nil {
			return total, err
		}
	}
	for round := range q.rounds {
		if err := q.goOn(round, len(classes)); err != nil {
			return total, err
		}
	}
	var sum [totalWords]uint64
	if err := download(q.shared, sum[:]); err != nil {
		return total, err
	}
	q.env.Tally.UnitsDone.Add(roots)
	if sum[2] != 0 {
		return total, ErrDeclined // too many for 128 bits, as the CPU will say, or on the way there
	}
	for i, m := range []pattern.Technique{pattern.CliquePivot, pattern.CliqueWord, pattern.CliqueLevel2, pattern.CliqueComplement, pattern.CliqueSplit, pattern.CliqueThin} {
		q.env.Took(m, sum[3+i])
	}
	return pattern.Count128{Lo: sum[0], Hi: sum[1]}, nil
}

// prepare allocates what all launches share.
func (q *cliqueCount) prepare(classes []class) (err error) {
	for _, u := range pivotUses {
		if q.env.Uses(u.m) {
			q.use |= u.bit
		}
	}
	if (q.k >= handOnSize || q.d.handOn[0] > 0) && q.env.Uses(pattern.CliqueSplit) {
		q.rounds = handOnRounds
		for i := range min(2, q.rounds) {
			if q.pools[i], err = q.alloc(4 * taskWords * int64(q.handOnRoom())); err != nil {
				return err
			}
		}
	}
	q.top = classes[0].most
	q.counters = len(classes) + q.rounds + 1
	head := make([]uint64, totalWords+2*q.counters)
	q.choose = uint64(8 * len(head))
	q.shared, err = upload(q.task, append(head, binomials(q.top, q.k)...))
	q.choose += q.shared.arg()
	return err
}

// taken is the address of the counter of a launch's items: behind the classes' are those of the rounds.
func (q *cliqueCount) taken(launch int) uint64 { return q.shared.arg() + 8*uint64(totalWords+launch) }

// handed is the address of the counter of what is handed on to a round.
func (q *cliqueCount) handed(round int) uint64 {
	return q.shared.arg() + 8*uint64(totalWords+round) + 4
}

// handOn returns the arguments that say where a launch hands on to, if to any round. All launches for a round have the same room: a counter
// may pass it, but nobody reads or writes behind it.
func (q *cliqueCount) handOn(round int) []uint64 {
	if round >= q.rounds {
		return []uint64{0, 0, 0, 1<<32 - 1}
	}
	return []uint64{q.handed(round), q.pools[round%2].arg(), uint64(q.handOnRoom()), uint64(q.patience())}
}

func (q *cliqueCount) handOnRoom() int {
	if q.d.handOn[1] > 0 {
		return q.d.handOn[1]
	}
	return handOnRoom
}

func (q *cliqueCount) patience() int {
	if q.d.handOn[0] > 0 {
		return q.d.handOn[0]
	}
	return handOnFrom
}

// goOn launches a round, after so many launches for the roots.
func (q *cliqueCount) goOn(round, before int) error {
	args := []uint64{q.handed(round), q.pools[round%2].arg(), uint64(q.handOnRoom()), q.taken(before + round), q.d.stop.arg(), q.shared.arg(),
		q.choose, uint64(q.top), q.use}
	return q.d.launch("cliques_words", blocksAtOnce*q.d.info.Multiprocessor, 256, 0, append(args, q.handOn(round+1)...)...)
}

// binomials returns n over j for n up to top and j below k, two words each, the low one first; ones where it does not fit.
func binomials(top, k int) []uint64 {
	const none = ^uint64(0)
	table := make([]uint64, 0, 2*k*(top+1))
	for j := range k {
		row := len(table)
		for n := range top + 1 {
			switch {
			case j == 0:
				table = append(table, 1, 0)
				continue
			case n == 0:
				table = append(table, 0, 0)
				continue
			}
			last, less := table[row+2*(n-1):][:2], table[row-2*(top+1)+2*(n-1):][:2] // n-1 over j, and over j-1
			lo, carry := bits.Add64(last[0], less[0], 0)
			hi, over := bits.Add64(last[1], less[1], carry)
			if over != 0 || last[0]&last[1] == none || less[0]&less[1] == none {
				lo, hi = none, none
			}
			table = append(table, lo, hi)
		}
	}
	return table
}

// class is a run of roots whose bitmaps have rows of equally many words, or so.
type class struct {
	first, last int
	most        int // out-neighbours
}

// classes divides the roots, which come by falling out-degree, by the words of a row: 1 (a warp's), 2, 4, 8 ...
func (q *cliqueCount) classes() (list []class) {
	end := q.g.atLeast(q.k - 1)
	for first := 0; first < end; {
		most := q.g.degree(first)
		least := 1
		if most > smallHood {
			least = 32<<(bits.Len(uint((most+31)/32-1))-1) + 1
		}
		c := class{first: first, last: min(end, q.g.atLeast(least)), most: most}
		list = append(list, c)
		first = c.last
	}
	return list
}

func (q *cliqueCount) launchClass(c class, i int) error {
	first, last := q.part.from(c.first), c.last
	roots := q.part.count(first, last)
	if roots == 0 {
		return nil
	}
	from := []uint64{q.g.offsets.arg(), q.g.targets.arg(), q.g.roots.arg(), uint64(first), uint64(last), uint64(q.part.of)}
	to := []uint64{q.taken(i), q.d.stop.arg(), q.shared.arg()}
	if c.most <= smallHood && q.env.Uses(pattern.GPUWarp) {
		q.env.Took(pattern.GPUWarp, uint64(roots))
		grid := min((roots+7)/8, 8*q.d.info.Multiprocessor)
		each := uint64(q.turn(roots, grid))
		if q.four() {
			return q.d.launch("cliques_four_small", grid, 256, 0, slices.Concat(from, to, []uint64{each})...)
		}
		return q.d.launch("cliques_small", grid, 256, 0, append(q.trees(from, to), each)...)
	}
	return q.launchBlocks(c, i, roots, from, to)
}

// turn is how many small roots a warp takes at a time.
func (q *cliqueCount) turn(roots, grid int) int {
	if q.d.turn > 0 {
		return q.d.turn
	}
	return min(32, max(1, roots/(32*grid))) // so that a warp has four turns or more
}

// trees are the arguments of kernels that search trees: the roots, where the results are, and more.
func (q *cliqueCount) trees(from, to []uint64) []uint64 {
	return slices.Concat(from, []uint64{uint64(q.k)}, to, []uint64{q.choose, uint64(q.top), q.use}, q.handOn(0))
}

// launchBlocks has blocks count at the roots of a class, which are so many.
func (q *cliqueCount) launchBlocks(c class, i, roots int, from, to []uint64) error {
	warps := warpsOf(c.most)
	words := (c.most + 31) / 32
	own := max(1, q.k-4)*(2*words+2) + c.most // of a warp
	rest := c.most*(words|1) + c.most + 2*words
	again := q.again(c.most, words, rest+warps*own, warps)
	own = max(own+again, min(q.g.most(), 128)) // it has a neighbour's list before
	room := rest + warps*own
	inShared := 4*room <= q.d.sharedMost && q.env.Uses(pattern.GPUShared)
	if inShared {
		q.env.Took(pattern.GPUShared, uint64(roots))
	}
	atOnce := q.d.info.Multiprocessor * max(1, min(64/warps, q.d.sharedMost/(4*room+1024)))
	if inShared && q.four() {
		return q.d.launch("cliques_four_block", min(roots, atOnce), 32*warps, 4*room, slices.Concat(from, to, []uint64{uint64(c.most), uint64(own)})...)
	}
	parts, shares := q.split(c.most)
	var putOff, scratch buffer
	var err error
	if parts > 1 {
		if putOff, err = q.alloc(4 * int64(1+roots)); err != nil {
			return err
		}
		if err := fill(putOff, 1, 0); err != nil {
			return err
		}
	}
	if !inShared {
		atOnce = min(4*q.d.info.Multiprocessor, int(q.d.memory.limit/4/int64(4*room))+1)
		if scratch, err = q.alloc(4 * int64(room) * int64(min(atOnce, roots*parts))); err != nil {
			return err
		}
	}
	for divides := range min(2, parts) {
		to[0] = q.taken(i) + uint64(divides)*8*uint64(q.counters)
		args := append(q.trees(from, to), uint64(c.most), uint64(parts), uint64(shares), uint64(again), uint64(own), putOff.arg(), uint64(divides))
		blocks := min(roots*(1+divides*(parts-1)), atOnce)
		if inShared {
			err = q.d.launch("cliques_block", blocks, 32*warps, 4*room, args...)
		} else {
			err = q.d.launch("cliques_large", blocks, 32*warps, 0, append(args, scratch.arg(), uint64(room))...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// four tells whether the cliques are counted without trees, as those of four vertices are unless somebody sets slices for a test.
func (q *cliqueCount) four() bool { return q.k == 4 && q.d.slices == 0 }

// warpsOf is how many warps a root's block has: those of a small root would soon wait for the last one.
func warpsOf(most int) int {
	if most <= 64 {
		return 4
	}
	return 8
}

// deeperFrom is the number of words of a row from which on it pays to build the bitmap of an edge's vertices, of which 192 fit: on RMAT
// 16x16, where rows have up to 7, it gains nothing.
const deeperFrom = 9

// blocksAtOnce is how many blocks of a search by pivots a multiprocessor has registers for (cliques.cu).
const blocksAtOnce = 3

// again is how many words a warp gets for the bitmap of an edge's vertices: none where that would keep blocks out.
func (q *cliqueCount) again(most, words, room, warps int) int {
	n := min(most*(words|1), 192*7)
	switch {
	case q.k < 5 || !q.env.Uses(pattern.CliqueLevel2):
		return 0
	case q.d.slices > 0:
		return n
	case q.k == 5 || words < deeperFrom:
		return 0
	}
	fit := ((q.d.sharedMost/blocksAtOnce-1024)/4 - room) / warps
	if fit < n*3/4 {
		return 0
	}
	return min(n, fit)
}

// split is in how many slices blocks take the edges of a root with so many out-neighbours, and in how many shares warps take what
// is below a large edge. Every slice builds the root's bitmap, and every share lists what is below an edge; the larger k, the longer the
// largest roots and edges would keep the device waiting. Roots that have few edges to begin with stay whole. On an H200 8-cliques of RMAT 16x16 took 330 ms in 14 slices of roots of 223 neighbours,
// and 265 ms in 28. Roots of two words are better left whole: their bitmaps are most of the work, and what is long there is handed on.
func (q *cliqueCount) split(most int) (slices, shares int) {
	switch {
	case q.d.slices > 0:
		return q.d.slices, q.d.shares
	case q.k <= 5 || most <= 64:
		return 1, 1
	case q.k == 6:
		return (most + 63) / 64, 1
	case q.k == 7:
		return (most + 15) / 16, 8
	}
	return (most + 7) / 8, 8
}
