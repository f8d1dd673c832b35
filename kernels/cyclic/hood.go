package cyclic

import "github.com/motifql/motif/internal/pattern"

// The graph among the neighbours of a vertex u, the hood. A wheel at its hub is a cycle in the hood of the hub. A clique of five less an
// edge is a triangle whose vertices have two common neighbours. What makes it fast: the hood is found by reading the lists of
// higher neighbours alone, which are short. No list of triangles is kept.

// hood is a graph whose vertices are the places in a list of neighbours.
type hood struct {
	lists
	walks walker
	place []uint32 // by vertex: 1 + its place
	pairs []uint32 // by place: neighbours above
	first []uint64 // by place: the first of pairs
	next  []uint64
	mark  []uint32 // by place
}

func (h *hood) prepare(r *run, n, most int) error {
	h.place, h.mark = make([]uint32, n), make([]uint32, most)
	h.start, h.first, h.next = make([]uint64, most+1), make([]uint64, most+1), make([]uint64, most+1)
	if err := r.charge(4*int64(n) + 28*int64(most)); err != nil {
		return err
	}
	return h.walks.prepare(r, most, true)
}

// around makes the graph among list, neighbours of one vertex. Vertices from top on are in no list.
func (w *worker) around(list []uint32, top uint32) bool {
	g, h := w.g, &w.hood
	for i, v := range list {
		h.place[v] = uint32(i) + 1
	}
	k := 0
	for i, v := range list {
		h.first[i] = uint64(k)
		up := g.up(v)
		if len(h.pairs) < k+len(up)+1 {
			size := k + len(up) + 1 + len(h.pairs)/2
			if w.stop.Load() || !w.needMemory(12*int64(size-len(h.pairs))) {
				break
			}
			h.pairs = append(make([]uint32, 0, size), h.pairs[:k]...)[:size]
			h.target = make([]uint32, 2*size)
		}
		pairs := h.pairs
		for _, x := range up {
			if x >= top {
				break
			}
			p := h.place[x]
			pairs[k] = p - 1
			if p != 0 {
				k++
			}
		}
	}
	h.first[len(list)] = uint64(k)
	for _, v := range list {
		h.place[v] = 0
	}
	if w.stop.Load() {
		return false
	}
	h.list(len(list))
	return k > 0
}

// list fills the lists of n places from their pairs.
func (h *hood) list(n int) {
	next := h.next[:n+1]
	for i := range n {
		next[i] = h.first[i+1] - h.first[i]
	}
	for _, p := range h.pairs[:h.first[n]] {
		next[p]++
	}
	sum := uint64(0)
	for i := range n {
		h.start[i] = sum
		sum, next[i] = sum+next[i], sum
	}
	h.start[n] = sum
	for i := range n { // all lower neighbours of a place are in its list when its turn comes
		for _, p := range h.pairs[h.first[i]:h.first[i+1]] {
			h.target[next[i]] = p
			next[i]++
			h.target[next[p]] = uint32(i)
			next[p]++
		}
	}
}

// wheel adds the wheels of so many spokes whose hub is u.
func (w *worker) wheel(u uint32, spokes int) {
	list := w.g.row(u)
	if !w.around(list, ^uint32(0)) {
		return
	}
	if len(list) >= placesLimit {
		w.total.over = 1
		return
	}
	if spokes == 4 {
		w.rims(len(list))
		return
	}
	for v := range uint32(len(list)) {
		if w.stop.Load() {
			return
		}
		w.hood.walks.add(&w.hood.lists, v, spokes, &w.total)
	}
}

// rims adds the closed walks of four steps among n places, as walker.add does. The places come in rising order, so that the part of each list
// below the place at hand grows by one element at a time.
func (w *worker) rims(n int) {
	h, paths := &w.hood, w.hood.walks.paths
	end := h.next[:n] // by place: the end of that part of its list
	copy(end, h.start[:n])
	for v := range uint32(n) {
		near, walks := h.target[h.start[v]:end[v]], uint64(0)
		for _, a := range near {
			walks += end[a] - h.start[a]
		}
		if w.stop.Load() {
			return
		}
		earlier := uint64(0) // walks to the same end; at most their number times the neighbours of the hub
		for _, a := range near {
			for _, b := range h.target[h.start[a]:end[a]] {
				old := paths[b]
				earlier += uint64(old)
				paths[b] = old + 1
			}
		}
		if walks > uint64(v)/4 {
			clear(paths[:v])
		} else {
			for _, a := range near {
				for _, b := range h.target[h.start[a]:end[a]] {
					paths[b] = 0
				}
			}
		}
		w.total.add(earlier, 2*rules.four[0])
		w.total.add(walks, rules.four[0])
		w.total.add(uint64(len(near))*uint64(len(near)), rules.four[1])
		for _, a := range h.row(v) {
			end[a]++
		}
	}
}

// cliques adds the cliques of four with more of x that have a triangle at u. The common neighbours of the triangle complete it. For a clique of
// five less an edge, two of them are chosen; for a tail, a neighbour of one. These triangles are counted at their highest vertex. A hat
// is on an edge of the triangle. Each hub sees the two edges at itself: the vertices that make a triangle with one are the neighbours of its
// other end in the hood.
func (w *worker) cliques(x pattern.CyclicGraph, u uint32) {
	list, low := w.g.row(u), uint32(len(w.g.down(u)))+rules.cut
	if x == pattern.HattedClique {
		low = uint32(len(list))
	}
	if low < 2 || !w.around(list, ^uint32(0)) {
		return
	}
	h := &w.hood
	for v := range min(low, uint32(len(list))) {
		row := h.row(v)
		if len(row) < 2 || row[0] >= low {
			continue
		}
		if w.stop.Load() {
			return
		}
		for _, y := range row {
			if h.mark[y] = 1; x == pattern.TailedClique {
				h.mark[y] = uint32(len(w.g.row(list[y])))
			}
		}
		for _, z := range row {
			if z >= low {
				break
			}
			other := h.row(z)
			if len(other) > len(row) || len(other) == len(row) && z >= v {
				continue // found from z
			}
			n := uint64(0)
			for _, y := range other {
				n += uint64(h.mark[y])
			}
			switch x {
			case pattern.NearClique:
				w.total.add(n*n, rules.triangle)
			case pattern.TailedClique:
				w.total.add(n, rules.triangle)
			default:
				w.total.add(n*rules.hat, uint64(len(row)+len(other)))
			}
		}
		for _, y := range row {
			h.mark[y] = 0
		}
	}
}
