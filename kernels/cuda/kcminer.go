//go:build cuda && cgo && linux

package cuda

import "github.com/motifql/motif/internal/pattern"

// Counting cliques one by one, as KCMiner does (kcminer.cu): what CountCliques does where pivots are switched off.

// kcMostK is the most vertices of a clique: a lane of a warp keeps the state of each level.
const kcMostK = 34

// kcBlockTask is the number of candidates from which on a block builds an edge's bitmap (KCMiner section 5.3).
const kcBlockTask = 1024

// kcChunk is how many edges are sorted by size at a time.
const kcChunk = 1 << 22

// kcLambda is the sparsity, in ten-thousandths, up to which a bitmap is not searched but gives smaller ones, by K and level
// from 2 on (KCMiner section 5.2). That K = 7 should always go deeper from level 2, and K = 6 below 25 %, is from its figure 9;
// smaller K never, as bitmaps of the last levels cost more than they save; the others follow as they need as many
// vertices at their level.
var kcLambda = [...][2]uint32{6: {2500, 0}, 7: {10000, 2500}, 8: {10000, 10000}}

// What kernels call the techniques.
var kcUses = []struct {
	m   pattern.Technique
	bit uint64
}{{pattern.GPUTaskQueue, 1}, {pattern.GPURing3, 2}, {pattern.GPURing4, 4}, {pattern.GPURing5, 8}, {pattern.GPUTaskSmall, 16},
	{pattern.GPUTaskWarp, 32}, {pattern.GPUTaskBlock, 64}}

// kcCounters are the techniques by their counters behind the total; two are Active's.
var kcCounters = map[int]pattern.Technique{3: pattern.GPURing3, 4: pattern.GPURing4, 5: pattern.GPURing5, 8: pattern.GPUTaskQueue,
	9: pattern.CliqueLevel2, 10: pattern.CliqueLevel3, 11: pattern.CliqueLevel3}

// Active returns the sums since the device was opened, of counts of cliques one by one.
func (d *Device) Active() (a Active) {
	_ = d.do(func() error { a = d.active; return nil })
	return a
}

// cliqueLimits are sizes that tests and measurements set; where they are 0, the counts of cliques choose by the size of a request.
type cliqueLimits struct {
	slices, shares int        // see split
	turn           int        // roots of few neighbours that a warp takes at a time
	handOn         [2]int     // in place of handOnFrom and handOnRoom
	blockTask      int        // see kcBlockTask
	lambda         *[2]uint32 // see SetLambda
}

// SetLambda sets the sparsity from 0 to 1 up to which bitmaps of level 2 and of level 3 are not searched, in place of the table
// by K; a negative one brings that back.
func (d *Device) SetLambda(level2, level3 float64) {
	_ = d.do(func() error {
		d.lambda = nil
		if level2 >= 0 && level3 >= 0 {
			d.lambda = &[2]uint32{uint32(min(level2, 1) * 10000), uint32(min(level3, 1) * 10000)}
		}
		return nil
	})
}

// lambdaOf is the table's row for the count, or what stands in for it.
func (q *cliqueCount) lambdaOf() []uint32 {
	row := kcLambda[min(q.k, len(kcLambda)-1)]
	if q.d.lambda != nil {
		row = *q.d.lambda
	}
	if !q.env.Uses(pattern.CliqueLevel3) {
		row = [2]uint32{}
	} else if !q.env.Uses(pattern.CliqueLevel2) {
		row[0] = 10000
	}
	return row[:]
}

// mine counts one by one.
func (q *cliqueCount) mine() (total pattern.Count128, err error) {
	m := &mining{cliqueCount: q}
	if err := m.prepare(); err != nil {
		return total, err
	}
	chunk := min(q.g.edges, kcChunk)
	for i := range m.lists {
		if m.lists[i], err = q.alloc(4 * chunk); err != nil {
			return total, err
		}
	}
	q.env.Tally.Units.Add(uint64(q.g.edges))
	for base := int64(0); base < q.g.edges; base += chunk {
		n := min(chunk, q.g.edges-base)
		if err := m.edges(base, n); err != nil {
			return total, err
		}
		q.env.Tally.UnitsDone.Add(uint64(n))
	}
	var sum [totalWords]uint64
	if err := download(m.total, sum[:]); err != nil {
		return total, err
	}
	for i, technique := range kcCounters {
		q.env.Took(technique, sum[i])
	}
	q.d.active.Lanes += sum[6]
	q.d.active.Slots += sum[7]
	return pattern.Count128{Lo: sum[0], Hi: sum[1]}, nil
}

// mining is a count one by one at work.
type mining struct {
	*cliqueCount
	total, lambda, counts buffer
	lists                 [3]buffer // edges by class
	use                   uint64
}

func (m *mining) prepare() (err error) {
	if m.total, err = m.zeros(2 * totalWords); err != nil {
		return err
	}
	if m.counts, err = m.zeros(kcCounts); err != nil {
		return err
	}
	for _, u := range kcUses {
		if m.env.Uses(u.m) {
			m.use |= u.bit
		}
	}
	m.lambda, err = upload(m.task, m.lambdaOf())
	return err
}

// kcCounts is the number of words of the lengths of lists, the most candidates, and the counters of items taken.
const kcCounts = 10

// edges counts the cliques below n edges from base on.
func (m *mining) edges(base, n int64) error {
	if err := fill(m.counts, kcCounts, 0); err != nil {
		return err
	}
	limit := kcBlockTask
	if m.d.blockTask > 0 {
		limit = m.d.blockTask
	}
	if err := m.d.launch("size_classes", m.d.grid(int(n), 256), 256, 0, m.g.offsets.arg(), m.g.targets.arg(), uint64(m.g.vertices), uint64(base),
		uint64(n), uint64(m.part.at), uint64(m.part.of), uint64(m.k-2), uint64(limit), m.use, m.d.stop.arg(), m.counts.arg(),
		m.lists[0].arg(), m.lists[1].arg(), m.lists[2].arg()); err != nil {
		return err
	}
	var counts [6]uint32
	if err := download(m.counts, counts[:]); err != nil {
		return err
	}
	for class, technique := range []pattern.Technique{pattern.GPUTaskSmall, pattern.GPUTaskWarp, pattern.GPUTaskBlock} {
		if counts[class] == 0 {
			continue
		}
		m.env.Took(technique, uint64(counts[class]))
		if err := m.class(base, class, int(counts[class]), int(counts[3+class])); err != nil {
			return err
		}
	}
	return m.d.wait("counting cliques")
}

// class counts the cliques below the edges of a class's list, which have at most so many candidates.
func (m *mining) class(base int64, class, edges, most int) error {
	if most > mostHood {
		return ErrDeclined
	}
	const warps = 8
	words := (most + 31) / 32
	levels := max(1, m.k-4)
	room := int64(2*most+words+levels*(32*words+64)) + 3*int64(most)*int64(words+1) // a warp's, as room_words says
	blocks, block := min((edges+warps-1)/warps, 8*m.d.info.Multiprocessor), warps*room
	if class == 2 {
		blocks, block = min(edges, 2*m.d.info.Multiprocessor), warps*room+int64(most)*int64(words+1)
	}
	args := []uint64{m.g.offsets.arg(), m.g.targets.arg(), uint64(m.g.vertices), uint64(base), m.lists[class].arg(), uint64(edges), uint64(m.k),
		uint64(most), m.lambda.arg(), m.use, m.counts.arg() + 4*uint64(7+class), m.d.stop.arg(), m.total.arg()}
	if class == 0 && 4*block <= int64(m.d.sharedMost) {
		return m.d.launch("kcminer_warp", blocks, 32*warps, int(4*block), append(args, 0)...)
	}
	blocks = min(blocks, int(m.d.memory.limit/4/(4*block))+1)
	t := &task{d: m.d}
	defer t.end()
	scratch, err := t.alloc(4 * block * int64(blocks))
	if err != nil {
		return err
	}
	if class == 2 {
		err = m.d.launch("kcminer_block", blocks, 32*warps, 0, append(args, scratch.arg())...)
	} else {
		err = m.d.launch("kcminer_warp", blocks, 32*warps, 8, append(args, scratch.arg())...)
	}
	if err != nil {
		return err
	}
	return m.d.wait("counting cliques")
}
