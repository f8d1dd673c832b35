package community

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/network"
)

// louvain starts again from its own result up to maxCycles times, as long as that gains minGain.
const (
	maxCycles = 20
	minGain   = 5e-5
)

// louvain divides the graph, then goes through the levels again while that gains modularity.
func (d *division) louvain() ([]uint32, error) {
	of := make([]uint32, d.n)
	for v := range of {
		of[v] = uint32(v)
	}
	if d.converged = d.level.total == 0; d.converged {
		return of, nil
	}
	last := -1.0
	for i := range maxCycles {
		d.units(1, 0)
		d.cycles = i
		if err := d.cycle(d.level, of, 0, i > 0); err != nil {
			return nil, err
		}
		d.units(0, 1)
		now := d.level.modularity(of, d.Resolution)
		if now < last+minGain {
			break
		}
		last = now
	}
	d.converged = true
	return of, d.ctx.Err()
}

// cycle improves the division of l: by moves of vertices, by moves of parts of communities, and by moves of vertices again. settled says that
// no move of one vertex gains.
func (d *division) cycle(l *level, of []uint32, depth int, settled bool) error {
	m := d.newMover(l, of)
	if !settled {
		m.run(depth)
	}
	if d.stop.Load() {
		return d.ctx.Err()
	}
	part, size := number(m.parts(depth))
	if len(size) == len(of) {
		return nil
	}
	bytes := 12*int64(len(l.rows.Targets)) + 100*int64(len(size))
	d.charges += bytes
	if err := d.env.Memory.Charge(bytes); err != nil {
		return err
	}
	coarse, above := d.contract(l, part, len(size), depth), make([]uint32, len(size))
	first := make([]uint32, len(of)) // by community: 1 + a part of it
	for v, c := range of {
		if first[c] == 0 {
			first[c] = part[v] + 1
		}
		above[part[v]] = first[c] - 1
	}
	if err := d.cycle(coarse, above, depth+1, false); err != nil {
		return err
	}
	d.charges -= bytes
	d.env.Memory.Release(bytes)
	for v := range of {
		of[v] = above[part[v]]
	}
	d.newMover(l, of).run(depth)
	return nil
}

// mover moves the vertices of one level.
type mover struct {
	*division
	l       *level
	of      []uint32
	tot     []float64 // by community: the strength of its members
	free    []uint32  // communities without members
	members []uint32
	sum     []float64 // by community: the weight to it, 0 between two vertices
	touched []uint32
}

func (d *division) newMover(l *level, of []uint32) *mover {
	m := &mover{division: d, l: l, of: of, tot: make([]float64, len(of)), sum: make([]float64, len(of)), members: make([]uint32, len(of))}
	for v, c := range of {
		m.tot[c] += l.strength[v]
		m.members[c]++
	}
	for c, n := range m.members {
		if n == 0 {
			m.free = append(m.free, uint32(c))
		}
	}
	return m
}

// run moves vertices until no move gains.
func (m *mover) run(depth int) {
	n := len(m.of)
	queue := m.Shuffled(n, m.cycles<<8+depth)
	waits := make([]bool, n)
	for v := range waits {
		waits[v] = true
	}
	for i := 0; len(queue) > 0; i++ {
		if i&1023 == 0 && m.stop.Load() {
			return
		}
		v := queue[0]
		if queue = queue[1:]; m.move(v) {
			for _, w := range m.l.rows.Row(int(v)) {
				if !waits[w] && m.of[w] != m.of[v] {
					waits[w] = true
					queue = append(queue, uint32(w))
				}
			}
		}
		waits[v] = false
	}
}

// move puts v into the community that gains most, and reports whether that is another one.
func (m *mover) move(v uint32) bool {
	l, old := m.l, m.of[v]
	touched := m.weigh(v, old)
	k := l.strength[v]
	m.tot[old] -= k
	expect := m.Resolution * k / l.total
	gain := func(c uint32) float64 { return m.sum[c] - expect*m.tot[c] }
	best, most := old, gain(old)+1e-12*k
	for _, c := range touched[1:] {
		if x := gain(c); x > most {
			best, most = c, x
		}
	}
	if most < 0 && m.members[old] > 1 { // better alone
		best = m.free[len(m.free)-1]
	}
	for _, c := range touched {
		m.sum[c] = 0
	}
	m.tot[best] += k
	if best == old {
		return false
	}
	if m.members[best] == 0 {
		m.free = m.free[:len(m.free)-1]
	}
	m.of[v] = best
	m.members[best]++
	if m.members[old]--; m.members[old] == 0 {
		m.free = append(m.free, old)
		m.tot[old] = 0
	}
	return true
}

// weigh adds the weights of v's edges up by community, and returns the communities: old first, then others. It keeps what it reads and
// writes in variables: an array in a field costs a look at the field, and a write barrier, for each edge.
func (m *mover) weigh(v, old uint32) []uint32 {
	lo, hi := m.l.rows.Offsets[v], m.l.rows.Offsets[v+1]
	of, sum, touched := m.of, m.sum, append(m.touched[:0], old)
	if weights := m.l.rows.Weights; weights != nil {
		weights = weights[lo:hi]
		for i, w := range m.l.rows.Targets[lo:hi] {
			c := of[w]
			if sum[c] == 0 && c != old {
				touched = append(touched, c)
			}
			sum[c] += weights[i]
		}
	} else {
		for _, w := range m.l.rows.Targets[lo:hi] {
			c := of[w]
			if sum[c] == 0 && c != old {
				touched = append(touched, c)
			}
			sum[c]++
		}
	}
	if cap(touched) > cap(m.touched) {
		m.touched = touched
	}
	return touched
}

// parts divides each community: every vertex starts alone, and one that is still alone joins the part of its community that gains most.
func (m *mover) parts(depth int) []uint32 {
	l, n, of, sum, touched := m.l, len(m.of), m.of, m.sum, m.touched[:0]
	part, tot, alone := make([]uint32, n), slices.Clone(l.strength), make([]bool, n)
	for v := range part {
		part[v], alone[v] = uint32(v), true
	}
	for _, v := range m.Shuffled(n, m.cycles<<8+128+depth) {
		if !alone[v] {
			continue
		}
		touched = touched[:0]
		lo, hi := l.rows.Offsets[v], l.rows.Offsets[v+1]
		for i, w := range l.rows.Targets[lo:hi] {
			if of[w] == of[v] {
				c := part[w]
				if sum[c] == 0 {
					touched = append(touched, c)
				}
				sum[c] += l.weight(lo + uint64(i))
			}
		}
		k := l.strength[v]
		best, most := v, 1e-12*k
		for _, c := range touched {
			if x := sum[c] - m.Resolution*k*tot[c]/l.total; x > most {
				best, most = c, x
			}
			sum[c] = 0
		}
		if best != v {
			part[v] = best
			tot[best] += k
			tot[v] -= k
			alone[best] = false
		}
	}
	return part
}

// contract makes each community a vertex. The rows stand where those of the same depth stood in the cycle before.
func (d *division) contract(l *level, of []uint32, n, depth int) *level {
	c := &level{inner: make([]float64, n), strength: make([]float64, n), total: l.total}
	start := make([]uint32, n+1) // where the members of a community are
	for _, x := range of {
		start[x+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	members, next := make([]uint32, len(of)), append([]uint32(nil), start[:n]...)
	for v, x := range of {
		members[next[x]] = uint32(v)
		next[x]++
	}
	if depth == len(d.rows) {
		d.rows = append(d.rows, network.Rows{})
	}
	offsets, targets, weights := make([]uint64, n+1), d.rows[depth].Targets[:0], d.rows[depth].Weights[:0]
	sum, touched := make([]float64, n), make([]uint32, 0, n)
	for x := range uint32(n) {
		for _, v := range members[start[x]:start[x+1]] {
			c.strength[x] += l.strength[v]
			if l.inner != nil {
				c.inner[x] += l.inner[v]
			}
			lo, hi := l.rows.Offsets[v], l.rows.Offsets[v+1]
			for i, u := range l.rows.Targets[lo:hi] {
				y, w := of[u], l.weight(lo+uint64(i))
				if y == x {
					c.inner[x] += w
					continue
				}
				if w > 0 && sum[y] == 0 {
					touched = append(touched, y)
				}
				sum[y] += w
			}
		}
		for _, y := range touched {
			targets, weights = append(targets, csr.VertexID(y)), append(weights, sum[y])
			sum[y] = 0
		}
		touched = touched[:0]
		offsets[x+1] = uint64(len(targets))
	}
	c.rows = network.Rows{Offsets: offsets, Targets: targets, Weights: weights}
	d.rows[depth] = c.rows
	return c
}
