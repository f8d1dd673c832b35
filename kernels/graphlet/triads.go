package graphlet

import (
	"context"
	"math/bits"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Directed graphs on three vertices. Triangles are listed. Two joined pairs with a vertex in common are counted at that vertex, and those in a
// triangle subtracted. What remains has one joined pair or none, and follows from the numbers of vertices and pairs.

// The ways a pair is joined, seen from one end.
const (
	outwards = 1
	inwards  = 2
	mutual   = outwards | inwards
)

// triadCode returns the class of the triad whose pairs 0-1, 1-2 and 0-2 are joined so, seen from the first of each.
func triadCode(a, b, c uint8) int { return triadClasses()[a|b<<2|c<<4] }

// triadClasses holds the classes by code.
var triadClasses = sync.OnceValue(func() (classes [64]int) {
	numbered := [6][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for i := range pattern.Triads {
		for _, to := range numbered {
			var joined [3][3]bool
			for _, e := range pattern.Triads[i].Edges {
				joined[to[e[0]]][to[e[1]]] = true
			}
			code := 0
			for k, p := range [3][2]int{{0, 1}, {1, 2}, {0, 2}} {
				if joined[p[0]][p[1]] {
					code |= outwards << (2 * k)
				}
				if joined[p[1]][p[0]] {
					code |= inwards << (2 * k)
				}
			}
			classes[code] = i
		}
	}
	return classes
})

// turned is how a pair is joined, seen from the other end.
func turned(code uint8) uint8 { return code>>1 | code&1<<1 }

// triadRun is one call of Triads.
type triadRun struct {
	*run
	code  []uint8 // by slot
	found []pattern.Count128
	err   error
}

// add adds n to the number of a class.
func (r *triadRun) add(class int, n uint64) {
	sum, err := r.found[class].Add(pattern.Count(n))
	if r.found[class] = sum; err != nil {
		r.err = err
	}
}

// Triads returns how many sets of three vertices induce each of pattern.Triads. Parallel relationships count once, and loops do not count.
// It fails with pattern.ErrMemory or the context's error.
func Triads(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, env *pattern.Env) ([]pattern.Count128, error) {
	r := &triadRun{run: &run{ctx: ctx, env: env, size: 3}, found: make([]pattern.Count128, len(pattern.Triads))}
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	defer func() { env.Memory.Release(r.charged) }()
	adj, err := s.View(ctx, sub.Types, csr.Both)
	if err != nil {
		return nil, err
	}
	out, err := s.View(ctx, sub.Types, csr.Out)
	if err != nil {
		return nil, err
	}
	if r.g, err = r.rankedGraph(adj, s.N(), sub.Within); err != nil {
		return nil, err
	}
	if err := r.charge(int64(len(r.g.target)) + 8*int64(s.N())); err != nil {
		return nil, err
	}
	r.readCodes(out, s.N())
	closed := r.closedTriads()
	pairs := r.openTriads(closed)
	r.rest(pairs)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.found, r.err
}

// readCodes fills the codes of all slots.
func (r *triadRun) readCodes(out *csr.Adjacency, n uint64) {
	g := r.g
	r.code = make([]uint8, len(g.target))
	last := make([]uint64, n) // by vertex: 1 + the rank of the vertex that was last found to lead to it
	for v := range g.vertex {
		for _, w := range out.Neighbours(g.vertex[v]) {
			last[w] = uint64(v) + 1
		}
		lo, hi := g.row(v)
		for i := lo; i < hi; i++ {
			if last[g.vertex[g.target[i]]] == uint64(v)+1 {
				r.code[i] |= outwards
				r.code[g.back[i]] |= inwards
			}
		}
	}
}

// closedTriads counts the triads with three joined pairs. It returns, by the codes from the middle, how many two joined pairs are in a
// triangle.
func (r *triadRun) closedTriads() (closed [4][4]uint64) {
	var by [64]uint64
	r.eachTriangle(func(uv, vw, uw uint64) {
		a, b, c := r.code[uv], r.code[vw], r.code[uw]
		by[a|b<<2|c<<4]++
	})
	for code, n := range by {
		a, b, c := uint8(code&3), uint8(code>>2&3), uint8(code>>4)
		if n == 0 {
			continue
		}
		r.add(triadCode(a, b, c), n)
		for _, x := range [3][2]uint8{{a, c}, {turned(a), b}, {turned(b), turned(c)}} {
			closed[min(x[0], x[1])][max(x[0], x[1])] += n
		}
	}
	return closed
}

// openTriads counts the triads with two joined pairs. It returns how many pairs are joined in one direction, and how many in both.
func (r *triadRun) openTriads(closed [4][4]uint64) (pairs [2]uint64) {
	var paths [4][4]pattern.Count128
	for v := range r.g.vertex {
		var by [4]uint64
		for i := r.g.start[v]; i < r.g.start[v+1]; i++ {
			by[r.code[i]]++
		}
		pairs[0] += by[outwards]
		pairs[1] += by[mutual]
		for a := outwards; a <= mutual; a++ {
			for b := a; b <= mutual; b++ {
				n := pattern.Count(by[a])
				var err error
				if a == b {
					n = pattern.Count(by[a] * (max(by[a], 1) - 1) / 2) // a degree fits 32 bits
				} else if n, err = n.Mul(by[b]); err != nil {
					r.err = err
				}
				if paths[a][b], err = paths[a][b].Add(n); err != nil {
					r.err = err
				}
			}
		}
	}
	pairs[1] /= 2
	for a := outwards; a <= mutual; a++ {
		for b := a; b <= mutual; b++ {
			n := less(paths[a][b], pattern.Count(closed[a][b]))
			class := triadCode(turned(uint8(a)), uint8(b), 0)
			var err error
			if r.found[class], err = r.found[class].Add(n); err != nil {
				r.err = err
			}
		}
	}
	return pairs
}

// rest counts the triads with one joined pair and with none.
func (r *triadRun) rest(pairs [2]uint64) {
	n := uint64(len(r.g.vertex))
	if n < 3 {
		return
	}
	var joined [2]pattern.Count128 // pairs in all triads found
	all := pattern.Count128{}
	for i, found := range r.found {
		m, a := uint64(pattern.Triads[i].Name[0]-'0'), uint64(pattern.Triads[i].Name[1]-'0')
		for k, times := range [2]uint64{a, m} {
			joined[k] = r.plus(joined[k], found, times)
		}
		all = r.plus(all, found, 1)
	}
	for k, class := range [2]int{1, 2} {
		r.found[class] = less(r.plus(pattern.Count128{}, pattern.Count(pairs[k]), n-2), joined[k])
		all = r.plus(all, r.found[class], 1)
	}
	three := []uint64{n, n - 1, n - 2} // their product is a multiple of six
	for i := range three {
		if three[i]%3 == 0 {
			three[i] /= 3
			break
		}
	}
	for i := range three {
		if three[i]%2 == 0 {
			three[i] /= 2
			break
		}
	}
	hi, lo := bits.Mul64(three[0], three[1])
	r.found[0] = less(r.plus(pattern.Count128{}, pattern.Count128{Hi: hi, Lo: lo}, three[2]), all)
}

// plus returns sum + times*n.
func (r *triadRun) plus(sum, n pattern.Count128, times uint64) pattern.Count128 {
	product, err := n.Mul(times)
	if err == nil {
		sum, err = sum.Add(product)
	}
	if err != nil {
		r.err = err
	}
	return sum
}

// less returns a-b, where b is at most a.
func less(a, b pattern.Count128) pattern.Count128 {
	difference, _ := a.Sub(b)
	return difference
}
