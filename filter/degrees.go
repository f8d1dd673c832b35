package filter

import (
	"slices"
	"sort"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/sets"
)

// degrees tests the demands on a vertex's degree, and pattern loops.
func (f *filter) degrees() error {
	for u := range f.p.Vertices {
		if !f.open(u) {
			continue
		}
		demands := f.around.demands(u, false, f.size(u) <= fewRows && !f.env.Repeatable)
		var loops []*csr.Adjacency
		for _, types := range f.around.loopTypes(u) {
			loops = append(loops, f.views.Of(types, csr.Out))
		}
		if len(demands)+len(loops) == 0 {
			continue
		}
		if len(loops) == 0 && len(demands) == 1 && demands[0].late == nil && f.degreesFall(demands[0].view) {
			if err := f.replace(u, prefixes(f.s, f.out.Sets[u].List(), &demands[0])); err != nil {
				return err
			}
			continue
		}
		list, err := f.keepBy(f.out.Sets[u].List(), func(v csr.VertexID) bool {
			for i := range demands {
				if !demands[i].degree(v) {
					return false
				}
			}
			return !slices.ContainsFunc(loops, func(a *csr.Adjacency) bool { return !a.Has(v, v) })
		})
		if err == nil {
			err = f.replace(u, list)
		}
		if err != nil {
			return err
		}
	}
	f.degreesTested = true
	return nil
}

// degreesFall reports whether degrees in a view fall inside every class. They do on a flat graph in a view that holds each relationship
// once at either end; new and changed vertices of an overlay stand in no order.
func (f *filter) degreesFall(view *csr.Adjacency) bool {
	return f.s.Flat() && view.Counts == nil && view.Loops == 0 && view.Len() == 2*f.s.M()
}

// prefixes returns the members of list whose degree is enough, where degrees fall inside every class.
func prefixes(s *csr.Snapshot, list []csr.VertexID, d *demand) (out []csr.VertexID) {
	for rest := list; len(rest) > 0; {
		class := s.ClassOf(rest[0])
		n := sets.LowerBound(rest, class.Hi)
		enough := sort.Search(n, func(i int) bool { return !d.degree(rest[i]) })
		if n == len(list) {
			return list[:enough:enough]
		}
		out = append(out, rest[:enough]...)
		rest = rest[n:]
	}
	return out
}

// degree reports whether v has neighbours or relationships enough, whatever their labels.
func (d *demand) degree(v csr.VertexID) bool {
	if d.late != nil {
		return d.ends(csr.Ends(d.late, d.dir, v)) >= d.count
	}
	lo, hi := d.view.Row(v)
	return d.missing(lo, hi, d.count) == 0
}

// ends counts the ends of relationships, which are sorted, as d does.
func (d *demand) ends(list []csr.VertexID) (n int) {
	for i, w := range list {
		if !d.distinct || i == 0 || list[i-1] != w {
			n++
		}
	}
	return n
}

// missing returns how many of want neighbours, or relationships, are missing from positions [lo, hi) of the view.
func (d *demand) missing(lo, hi uint64, want int) int {
	if n := hi - lo; n >= uint64(want) {
		return 0
	}
	if d.distinct || d.view.Counts == nil {
		return want - int(hi-lo)
	}
	for _, n := range d.view.Counts[lo:hi] {
		if uint64(n) >= uint64(want) {
			return 0
		}
		want -= int(n)
	}
	return want
}

// neighbours tests the demands on a vertex's neighbours by label.
func (f *filter) neighbours() error {
	for u := range f.p.Vertices {
		if !f.open(u) {
			continue
		}
		demands, ranges := f.around.labelDemands(u, f.size(u) <= fewRows)
		if len(demands) == 0 {
			continue
		}
		list, err := f.keepBy(f.out.Sets[u].List(), func(v csr.VertexID) bool {
			for i := range demands {
				if !demands[i].frequency(v, ranges[i]) {
					return false
				}
			}
			return true
		})
		if err == nil {
			err = f.replace(u, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// frequency reports whether v has neighbours or relationships enough that lead into the ranges.
func (d *demand) frequency(v csr.VertexID, ranges []csr.Range) bool {
	if d.late != nil {
		list, n := csr.Ends(d.late, d.dir, v), 0
		for _, r := range ranges {
			n += d.ends(sets.Cut(list, r.Lo, r.Hi))
		}
		return n >= d.count
	}
	lo, hi := d.view.Row(v)
	row, want := d.view.Targets[lo:hi], d.count
	for _, r := range ranges {
		a := sets.LowerBound(row, r.Lo)
		b := a + sets.LowerBound(row[a:], r.Hi)
		if want = d.missing(lo+uint64(a), lo+uint64(b), want); want == 0 {
			return true
		}
	}
	return false
}
