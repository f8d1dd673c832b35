package cyclic

import "github.com/motifql/motif/internal/hugepages"

// Closed walks. A homomorphism of a cycle is a closed walk, which may meet a vertex again. It is found at its highest vertex u. The walk
// falls into returns: parts from u back to u that stay below u in between. A walk of several returns that begins at any of its
// steps is counted by the number of its steps over the number of its returns, for each row of returns. What makes it fast: lists are cut at
// u, and numbers of walks from u to a vertex stand in an array. A return of five steps needs only walks of two, whose ends are joined.

// rule holds the numbers of cases that the counts add up. Tests change them, to see that it is noticed.
type rule struct {
	four       [2]uint64 // closed walks of four steps: one return, two
	five       [2]uint64 // of five: one return, two
	six        [4]uint64 // of six: one return, one of two steps and one of four, two of three, three
	subdivided [2]uint64 // different ends of the path, and equal ones
	house      [2]uint64 // closed walks of four steps with a roof on one: one return, two
	triangle   uint64    // orders of a triangle
	hat        uint64    // hubs of a triangle that see it with one of its edges, over two orders
	prism      [2]uint64 // vertices of a prism, and pairs that are not joined
	cut        uint32    // how far above u the lists go
}

var rules = rule{four: [2]uint64{4, 2}, five: [2]uint64{5, 5}, six: [4]uint64{6, 6, 3, 2}, subdivided: [2]uint64{4, 2}, house: [2]uint64{2, 2}, triangle: 6, hat: 1, prism: [2]uint64{6, 6}}

// walker counts closed walks.
type walker struct {
	*run
	paths []uint32 // by vertex: walks of two steps from the vertex at hand; fewer than the vertex has neighbours
	far   []uint64 // by vertex: walks of three steps
	ends  []uint32 // vertices whose number in paths is not 0
	more  []uint32 // likewise in far
}

func (w *walker) prepare(r *run, n int, far bool) error {
	w.run = r
	w.paths, w.ends = hugepages.Make[uint32](n), hugepages.Make[uint32](n+1)
	size := 8 * int64(n)
	if far {
		w.far, w.more = hugepages.Make[uint64](n), hugepages.Make[uint32](n+1)
		size += 12 * int64(n)
	}
	return r.charge(size)
}

// add adds the closed walks of so many steps whose highest vertex is u to the total.
func (w *walker) add(l *lists, u uint32, steps int, total *sum) {
	row, near := l.row(u), 0
	for near < len(row) && row[near] < u {
		near++
	}
	if near == 0 {
		return
	}
	two := uint64(near)
	k := w.wedges(l, row[:near], u)
	three, four := uint64(0), sum{}
	for _, a := range row[:near] {
		three += uint64(w.paths[a])
	}
	if steps == 5 {
		total.plus(w.fives(l, w.ends[:k], u), rules.five[0])
		var mixed sum
		mixed.add(two, three)
		total.plus(mixed, rules.five[1])
	} else {
		for _, b := range w.ends[:k] {
			four.add(uint64(w.paths[b]), uint64(w.paths[b]))
		}
		total.plus(w.sixes(l, w.ends[:k], u), rules.six[0])
		total.plus(four, rules.six[1]*two)
		var pairs, triples sum
		pairs.add(three, three)
		total.plus(pairs, rules.six[2])
		triples.add(two*two, two)
		total.plus(triples, rules.six[3])
	}
	for _, b := range w.ends[:k] {
		w.paths[b] = 0
	}
}

// wedges counts the walks of two steps from u below it, and returns how many ends they have.
func (w *walker) wedges(l *lists, near []uint32, u uint32) (k int) {
	paths, ends := w.paths, w.ends
	limit := u + rules.cut
	for _, a := range near {
		if w.stop.Load() {
			return k
		}
		for _, b := range l.row(a) {
			if b >= limit {
				break
			}
			ends[k] = b
			old := paths[b]
			if paths[b] = old + 1; old == 0 {
				k++
			}
		}
	}
	return k
}

// fives returns the returns of five steps: products of the numbers at joined ends, in both orders.
func (w *walker) fives(l *lists, ends []uint32, u uint32) (total sum) {
	paths := w.paths
	limit := u + rules.cut
	for i, b := range ends {
		if i&255 == 0 && w.stop.Load() {
			break
		}
		row, above := l.row(b), uint64(0)
		for j := len(row) - 1; j >= 0 && row[j] > b; j-- {
			if c := row[j]; c < limit {
				above += uint64(paths[c])
			}
		}
		total.add(2*above, uint64(paths[b]))
	}
	return total
}

// sixes returns the returns of six steps: the squares of the numbers of walks of three steps.
func (w *walker) sixes(l *lists, ends []uint32, u uint32) (total sum) {
	far, more, k := w.far, w.more, 0
	limit := u + rules.cut
	for i, b := range ends {
		if i&63 == 0 && w.stop.Load() {
			break
		}
		n := uint64(w.paths[b])
		for _, c := range l.row(b) {
			if c >= limit {
				break
			}
			more[k] = c
			old := far[c]
			if far[c] = old + n; old == 0 {
				k++
			}
		}
	}
	for _, c := range more[:k] {
		total.add(far[c], far[c])
		far[c] = 0
	}
	return total
}
