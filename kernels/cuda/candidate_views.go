//go:build cuda && cgo && linux

package cuda

// viewPart is how many entries a warp takes (PART in lists.cuh), and the most in join_slices.cu.
const viewPart = 1024

// candidateView says which rows and neighbours of a view stay.
type candidateView struct {
	view    *adjacent
	rows    int    // how many there are to be
	list    buffer // whose vertices they are of; none: of the first ones
	from    buffer // bitmap: other rows are empty; none: there are no others
	to      buffer // bitmap of neighbours that stay; none: all
	ranks   buffer // how many vertices of to lie before each of its words: neighbours get their places in to; none: their own numbers
	factors buffer // FACTOR_ in join_slices.cu; none: all that are there weigh 1
	weights bool   // weights are wanted
	beyond  buffer // a word that is set where a weight does not fit; none if there are no factors
}

// viewRows is what stays, the last word of the offsets included.
type viewRows struct {
	offsets, targets, weights buffer
	edges                     uint64
}

// cut makes it. It waits for what was launched before.
func (s *candidateView) cut(t *task) (out viewRows, err error) {
	own := &task{d: t.d} // what is not needed longer
	defer own.end()
	before := s.view.offsets
	if s.list.at != 0 || s.from.at != 0 {
		if before, err = s.before(own); err != nil {
			return out, err
		}
	}
	each := s.part(t.d.info.Multiprocessor)
	parts := max(1, (s.view.edges+each-1)/each)
	counts, err := own.alloc(4 * parts)
	if err != nil {
		return out, err
	}
	const warps = 8
	blocks := int((parts + warps - 1) / warps)
	err = t.d.launch("join_slice_count", blocks, 32*warps, 0, before.arg(), uint64(s.rows), s.view.offsets.arg(), s.view.targets.arg(), s.list.arg(), s.to.arg(),
		s.factors.arg(), uint64(parts), uint64(each), counts.arg(), s.beyond.arg())
	if err != nil {
		return out, err
	}
	starts, edges, err := own.scan(counts, parts)
	if err != nil {
		return out, err
	}
	out.edges = edges
	if out.offsets, err = t.alloc(8 * int64(s.rows+1)); err != nil {
		return out, err
	}
	if out.targets, err = t.alloc(4 * int64(edges)); err != nil {
		return out, err
	}
	if s.weights {
		if out.weights, err = t.alloc(8 * int64(edges)); err != nil {
			return out, err
		}
	}
	return out, t.d.launch("join_slice_write", blocks, 32*warps, 0, before.arg(), uint64(s.rows), s.view.offsets.arg(), s.view.targets.arg(), s.list.arg(),
		s.to.arg(), s.factors.arg(), uint64(parts), uint64(each), starts.arg(), s.ranks.arg(), out.offsets.arg(), out.targets.arg(), out.weights.arg())
}

// part is how many entries a warp takes: few enough for all warps to have some. Of many, most may be of rows that stay empty.
func (s *candidateView) part(multiprocessors int) int64 {
	return min(viewPart, max(64, s.view.edges/int64(256*multiprocessors)/32*32))
}

// before returns how many entries the rows before each have.
func (s *candidateView) before(t *task) (buffer, error) {
	lengths, err := t.alloc(4 * int64(s.rows))
	if err != nil {
		return buffer{}, err
	}
	err = t.d.launch("join_slice_lengths", t.d.grid(s.rows, 256), 256, 0, s.view.offsets.arg(), s.list.arg(), s.from.arg(), uint64(s.rows), lengths.arg())
	if err != nil {
		return buffer{}, err
	}
	sums, err := t.alloc(8 * int64(s.rows+1))
	if err != nil {
		return buffer{}, err
	}
	scan, err := newScan(t, int64(s.rows))
	if err != nil {
		return buffer{}, err
	}
	return sums, scan.sum(lengths, int64(s.rows), false, sums, buffer{})
}
