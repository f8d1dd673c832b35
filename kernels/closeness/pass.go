package closeness

import (
	"math"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// batch is how many searches share a pass.
const batch = 64

// passBytes is the memory of a pass, by vertex.
const passBytes = 3*8 + 2*4 + 8 + 4 + 16

// pass is what a worker needs for 64 searches at once, and the sums of all its passes.
type pass struct {
	*closeness
	seen, front, next []uint64 // by vertex: masks of searches
	active, fresh     []csr.VertexID

	sum     []uint64    // by vertex: of distances
	reached []uint32    // by vertex: other vertices
	inverse [][2]uint64 // by vertex: the sum of 1/distance in units of 2^-64, high word first
}

func (c *closeness) unweighted() {
	passes := make([]*pass, c.workers)
	parallel.For(c.workers, c.N, batch, &c.stop, func(worker, lo, hi int) {
		p := passes[worker]
		if p == nil {
			p = &pass{closeness: c, seen: make([]uint64, c.N), front: make([]uint64, c.N), next: make([]uint64, c.N),
				sum: make([]uint64, c.N), reached: make([]uint32, c.N)}
			if c.Closeness == pattern.HarmonicCloseness {
				p.inverse = make([][2]uint64, c.N)
			}
			passes[worker] = p
		}
		p.run(lo, hi)
		c.finish(hi - lo)
	})
	for v := range c.score {
		reached, sum, inverse := uint64(0), uint64(0), [2]uint64{}
		for _, p := range passes {
			if p == nil {
				continue
			}
			reached += uint64(p.reached[v])
			sum += p.sum[v]
			if p.inverse != nil {
				inverse = add(inverse, p.inverse[v])
			}
		}
		c.score[v] = c.of(reached, float64(sum), float64(inverse[0])+math.Ldexp(float64(inverse[1]), -64))
	}
}

func add(a, b [2]uint64) [2]uint64 {
	low, carry := bits.Add64(a[1], b[1], 0)
	return [2]uint64{a[0] + b[0] + carry, low}
}

// run searches backwards from the vertices lo to hi-1.
func (p *pass) run(lo, hi int) {
	clear(p.seen)
	clear(p.front)
	all := ^uint64(0) >> (batch - (hi - lo))
	p.active = p.active[:0]
	for v := lo; v < hi; v++ {
		p.seen[v] = 1 << (v - lo)
		p.front[v] = p.seen[v]
		p.active = append(p.active, csr.VertexID(v))
	}
	for depth := uint64(1); len(p.active) > 0 && !p.stop.Load(); depth++ {
		work := uint64(0)
		for _, v := range p.active {
			work += uint64(p.In.Degree(int(v)))
		}
		p.fresh = p.fresh[:0]
		if work*4 > uint64(len(p.In.Targets)) {
			p.pull(all)
		} else {
			p.push()
		}
		p.settle(depth)
	}
}

// push sends the searches of the active vertices on.
func (p *pass) push() {
	for _, v := range p.active {
		mask := p.front[v]
		for _, u := range p.In.Row(int(v)) {
			if mask&^p.seen[u] != 0 {
				if p.next[u] == 0 {
					p.fresh = append(p.fresh, u)
				}
				p.next[u] |= mask &^ p.seen[u]
			}
		}
	}
}

// pull has every vertex that lacks searches look for them.
func (p *pass) pull(all uint64) {
	for u, seen := range p.seen {
		if seen == all {
			continue
		}
		mask := seen
		for _, v := range p.Out.Row(u) {
			if mask |= p.front[v]; mask == all {
				break
			}
		}
		if mask != seen {
			p.next[u] = mask &^ seen
			p.fresh = append(p.fresh, csr.VertexID(u))
		}
	}
}

// settle makes the fresh vertices active, and adds up their distances.
func (p *pass) settle(depth uint64) {
	for _, v := range p.active {
		p.front[v] = 0
	}
	p.active, p.fresh = p.fresh, p.active
	unit := [2]uint64{1, 0}
	if depth > 1 {
		unit[0] = 0
		unit[1], _ = bits.Div64(1, 0, depth)
	}
	for _, u := range p.active {
		mask := p.next[u]
		p.next[u] = 0
		p.front[u] = mask
		p.seen[u] |= mask
		n := uint64(bits.OnesCount64(mask))
		p.sum[u] += n * depth
		p.reached[u] += uint32(n)
		if p.inverse != nil {
			high, low := bits.Mul64(unit[1], n)
			p.inverse[u] = add(p.inverse[u], [2]uint64{high + n*unit[0], low})
		}
	}
}
