package graphlet

// Closed walks of five edges. Each is found at its vertex of the highest rank. That vertex u occurs once, or twice with one vertex
// between. What makes it fast: all lists are cut at u.

// cycles fills the row of cycles of five.
func (r *run) cycles() error {
	if r.size < 5 {
		return nil
	}
	return r.each([]int{34}, nil, (*searcher).closedWalks)
}

// closedWalks adds the closed walks whose highest vertex is u to the numbers of all their vertices.
func (w *searcher) closedWalks(u int) {
	row, k := w.rows[34], 0
	near, _ := w.g.down(u)
	for _, a := range near {
		if w.stop.Load() {
			break
		}
		for _, b := range w.g.targets(a) {
			if int(b) >= u {
				break
			}
			if w.mark[b]++; w.mark[b] == 1 {
				w.ends[k] = b
				k++
			}
		}
	}
	paths, all := w.mark, uint64(0)
	for i, b := range w.ends[:k] {
		sum := uint64(0)
		for _, c := range w.g.targets(b) {
			if int(c) >= u {
				break
			}
			sum += uint64(paths[c])
		}
		w.sums[b] = sum
		row[b] += 2 * uint64(paths[b]) * sum
		all += uint64(paths[b]) * sum
		if i&255 == 0 && w.stop.Load() {
			break
		}
	}
	triangles := uint64(0) // with u, in both directions
	for _, a := range near {
		triangles += uint64(paths[a])
	}
	for _, a := range near {
		sum := uint64(0)
		for _, b := range w.g.targets(a) {
			if int(b) >= u {
				break
			}
			sum += w.sums[b]
		}
		row[a] += 2*sum + triangles + 2*uint64(len(near))*uint64(paths[a])
	}
	row[u] += all + 2*uint64(len(near))*triangles
	for _, b := range w.ends[:k] {
		w.mark[b], w.sums[b] = 0, 0
	}
}
