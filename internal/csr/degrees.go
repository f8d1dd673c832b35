package csr

import (
	"context"
	"slices"
)

// Degrees says of every vertex how many neighbours it has beside itself, times a factor. It reads the rows when somebody asks.
type Degrees struct {
	rows   *Adjacency
	looped []VertexID
	factor float64
}

// NewDegrees returns the degrees in rows. It searches the rows for loops if that was never done; see Adjacency.Looped.
func NewDegrees(ctx context.Context, rows *Adjacency, factor float64) (*Degrees, error) {
	looped, err := rows.Looped(ctx)
	return &Degrees{rows: rows, looped: looped, factor: factor}, err
}

// Of returns the degree of v.
func (d *Degrees) Of(v VertexID) float64 {
	n := d.rows.Degree(v)
	if len(d.looped) > 0 {
		if _, ok := slices.BinarySearch(d.looped, v); ok {
			n--
		}
	}
	return float64(n) * d.factor
}

// Fill writes the degrees of vertices from first on. It reads 8 bytes a vertex if no row was changed since the view was made.
func (d *Degrees) Fill(first VertexID, degrees []float64) {
	d.rows.degrees(first, degrees)
	end := first + VertexID(len(degrees))
	at, _ := slices.BinarySearch(d.looped, first)
	for _, v := range d.looped[at:] {
		if v >= end {
			break
		}
		degrees[v-first]--
	}
	if d.factor != 1 {
		for i := range degrees {
			degrees[i] *= d.factor
		}
	}
}

// AppendDegrees appends the degrees of vertices of s.
func AppendDegrees(degrees []float64, d *Degrees, s *Snapshot, vertices []VertexID) []float64 {
	at := len(degrees)
	degrees = slices.Grow(degrees, len(vertices))[:at+len(vertices)]
	if first, ok := runFrom(s, vertices); ok {
		d.Fill(first, degrees[at:])
		return degrees
	}
	for i, v := range vertices {
		degrees[at+i] = d.Of(v)
	}
	return degrees
}

// degrees writes the lengths of the rows of vertices from first on.
func (a *Adjacency) degrees(first VertexID, degrees []float64) {
	if a.pages != nil {
		for i := range degrees {
			degrees[i] = float64(a.Degree(first + VertexID(i)))
		}
		return
	}
	span, end := a.Span(), first+VertexID(len(degrees))
	lo := min(max(first, span.Lo), end)
	hi := max(min(end, span.Hi), lo)
	clear(degrees[:lo-first])
	clear(degrees[hi-first:])
	if lo == hi {
		return
	}
	ends := a.Offsets[lo-a.Lo : hi-a.Lo+1]
	begin, ends := ends[0], ends[1:]
	to := degrees[lo-first:][:len(ends)]
	for i, end := range ends {
		to[i] = float64(int64(end - begin))
		begin = end
	}
}

// Looped lists the vertices that are their own neighbours, rising. The first call searches every row and keeps the list; it ends with the
// error of ctx soon after ctx ends.
func (a *Adjacency) Looped(ctx context.Context) ([]VertexID, error) {
	if a.Loops == 0 {
		return nil, nil
	}
	if list := a.looped.Load(); list != nil {
		return *list, nil
	}
	const poll = 1 << 12 // vertices between two looks at the context
	var list []VertexID
	for span, v := a.Span(), a.Span().Lo; v < span.Hi; v++ {
		if v%poll == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if a.Has(v, v) {
			list = append(list, v)
		}
	}
	list = slices.Clip(list)
	a.looped.Store(&list)
	return list, nil
}

// Numbers lists all vertices of s. The list is made once and kept; nobody may change it.
func Numbers(s *Snapshot) []VertexID {
	if list := s.numbers.Load(); list != nil {
		return *list
	}
	list := make([]VertexID, s.N())
	for v := range list {
		list[v] = VertexID(v)
	}
	s.numbers.CompareAndSwap(nil, &list)
	return *s.numbers.Load()
}

// runFrom returns the first of some vertices if they are a part of Numbers: those that follow are the next ones.
func runFrom(s *Snapshot, vertices []VertexID) (first VertexID, ok bool) {
	list := s.numbers.Load()
	if list == nil || len(vertices) == 0 || uint64(vertices[0]) >= uint64(len(*list)) {
		return 0, false
	}
	first = vertices[0]
	return first, &(*list)[first] == &vertices[0]
}

// Degrees is the sum of the degrees of the vertices [lo, hi).
func (a *Adjacency) Degrees(lo, hi VertexID) (sum uint64) {
	span := a.Span()
	if lo, hi = max(lo, span.Lo), min(hi, span.Hi); lo >= hi {
		return 0
	}
	if a.pages == nil {
		return a.Offsets[hi-a.Lo] - a.Offsets[lo-a.Lo]
	}
	for v := lo; v < hi; v++ {
		sum += uint64(a.Degree(v))
	}
	return sum
}
