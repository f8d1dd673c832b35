package csr

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
)

// shared finds the pairs of types that join one pair of vertices. It gathers the relationships of a pair at the smaller end
// of the pair, by a counting sort. Worker i takes the i-th part of every type.
func (x *statistics) shared() ([][2]TypeID, error) {
	d := x.d
	k := sorters(x.workers, d.Vertices, d.Edges)
	held := 8 * (int64(d.Vertices)*int64(k+1) + int64(d.Edges))
	if err := x.charge(held); err != nil {
		return nil, err
	}
	defer x.charge(-held)
	cuts := make([][]int, len(d.Rels))
	for t := range d.Rels {
		cuts[t] = rows(d.Rels[t].Offsets, k)
	}
	visit := func(i int, fn func(lo, hi VertexID, t int)) {
		for t := range d.Rels {
			r := &d.Rels[t]
			for j := cuts[t][i]; j < cuts[t][i+1]; j++ {
				if (j == cuts[t][i] || j%rowBlock == 0) && x.ctx.Err() != nil {
					return
				}
				v := r.Lo + VertexID(j)
				for _, w := range r.Targets[r.Offsets[j]:r.Offsets[j+1]] {
					if v != w {
						fn(min(v, w), max(v, w), t)
					}
				}
			}
		}
	}
	next := make([][]uint64, k)
	each(k, func(i int) {
		next[i] = make([]uint64, d.Vertices)
		visit(i, func(lo, _ VertexID, _ int) { next[i][lo]++ })
	})
	if err := x.ctx.Err(); err != nil {
		return nil, err
	}
	offsets := places(next, int(d.Vertices), nil)
	ends := make([]uint64, offsets[d.Vertices]) // hi<<32 | type, by lo
	each(k, func(i int) {
		visit(i, func(lo, hi VertexID, t int) {
			ends[next[i][lo]] = uint64(hi)<<32 | uint64(t)
			next[i][lo]++
		})
	})
	pairs := newTypePairs(len(d.Rels), x.mostShared)
	parts := rows(offsets, 16*x.workers)
	dynamic(x.workers, len(parts)-1, func(i int) {
		for j := parts[i]; j < parts[i+1] && x.ctx.Err() == nil; j++ {
			row := ends[offsets[j]:offsets[j+1]]
			slices.Sort(row)
			pairs.addRow(slices.Compact(row))
		}
	})
	if err := x.ctx.Err(); err != nil {
		return nil, err
	}
	return pairs.list()
}

// typePairs is a set of pairs of types: a triangular bit matrix whose rows are made on demand or, of many types, a list.
type typePairs struct {
	mu      sync.Mutex
	rows    [][]uint64 // nil for many types
	pairs   []uint64   // smaller type<<32 | larger type; the first ones are sorted and different
	compact int        // how many are
	set     int        // how many bits of rows are set
	most    int
	full    bool // there are more than most, and the set is of no use
}

// matrixTypes is of how many types the bit matrix is small: 2 MiB.
const matrixTypes = 4096

func newTypePairs(types, most int) *typePairs {
	if types > matrixTypes {
		return &typePairs{most: most}
	}
	return &typePairs{rows: make([][]uint64, types), most: most}
}

// addRow adds the pairs of types that stand next to the same vertex in row, which holds sorted vertex<<32 | type.
func (p *typePairs) addRow(row []uint64) {
	for i := 0; i < len(row); {
		j := i + 1
		for j < len(row) && row[j]>>32 == row[i]>>32 {
			j++
		}
		if j-i > 1 {
			p.add(row[i:j])
		}
		i = j
	}
}

func (p *typePairs) add(run []uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full = p.full || len(run)*(len(run)-1)/2 > p.most; p.full {
		return
	}
	for i, a := range run {
		for _, b := range run[i+1:] {
			t, u := uint32(a), uint32(b)
			if p.rows == nil {
				p.pairs = append(p.pairs, uint64(t)<<32|uint64(u))
				continue
			}
			if p.rows[t] == nil {
				p.rows[t] = make([]uint64, (len(p.rows)+63)/64)
			}
			if bit := uint64(1) << (u % 64); p.rows[t][u/64]&bit == 0 {
				p.rows[t][u/64] |= bit
				p.set++
			}
		}
	}
	p.full = p.set > p.most
	if len(p.pairs) > 2*p.compact+1<<20 {
		p.sort()
	}
}

func (p *typePairs) sort() {
	slices.Sort(p.pairs)
	p.pairs = slices.Compact(p.pairs)
	p.compact = len(p.pairs)
	p.full = p.full || p.compact > p.most
}

// list returns the pairs in order, or an error if there are too many.
func (p *typePairs) list() ([][2]TypeID, error) {
	if p.sort(); p.full {
		return nil, fmt.Errorf("%w: more than %d pairs of relationship types join the same two nodes", errLongStats, p.most)
	}
	var all [][2]TypeID
	for _, pair := range p.pairs {
		all = append(all, [2]TypeID{TypeID(pair >> 32), TypeID(uint32(pair))})
	}
	for t, row := range p.rows {
		for i, w := range row {
			for ; w != 0; w &= w - 1 {
				all = append(all, [2]TypeID{TypeID(t), TypeID(i*64 + bits.TrailingZeros64(w))})
			}
		}
	}
	return all, nil
}
