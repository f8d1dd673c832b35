//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
)

// oriented is a graph whose edges run from lower to higher rank, on the device.
type oriented struct {
	vertices         int
	edges            int64
	vertex           buffer // by rank
	offsets, targets buffer
	roots            buffer   // all ranks by falling out-degree
	least            []uint32 // on the host: how many of them have at least so many out-neighbours
	serial           int      // of all orientations that were made on the device
}

// orientedOf returns the orientation of the simple graph over types, which stays. It is made on the device; where there is no room
// for that, the host makes the same one. With within it is that among those vertices, for the request.
func orientedOf(t *task, ctx context.Context, s *csr.Snapshot, types csr.TypeSet, within *pattern.CandidateSet, env *pattern.Env) (*oriented, error) {
	g, err := keep(t, s, "oriented "+typesName(types), func(up *task) (*oriented, error) {
		g, err := orientHere(up, ctx, s, types, env)
		if errors.Is(err, errNoRoom) || errors.Is(err, ErrDeclined) {
			up.end()
			g, err = uploadOriented(up, core.Orientation(s, types, env.Workers))
		}
		if err != nil {
			return nil, err
		}
		t.d.orientations++
		g.serial = t.d.orientations
		return g, nil
	})
	if err != nil || within == nil {
		return g, err
	}
	return g.within(t, ctx, within)
}

func typesName(types csr.TypeSet) string { return fmt.Sprint(types == nil, types) }

func uploadOriented(t *task, o *core.Oriented) (*oriented, error) {
	g := &oriented{vertices: len(o.Offsets) - 1, edges: int64(len(o.Targets))}
	var roots []uint32
	roots, g.least = byDegree(o.Offsets)
	var err error
	if g.vertex, err = upload(t, o.Vertex); err != nil {
		return nil, err
	}
	if g.offsets, err = upload(t, o.Offsets); err != nil {
		return nil, err
	}
	if g.targets, err = upload(t, o.Targets); err != nil {
		return nil, err
	}
	g.roots, err = upload(t, roots)
	return g, err
}

// byDegree returns all ranks by falling out-degree, equal ones in their order, and how many have at least each degree.
func byDegree(offsets []uint64) (roots, least []uint32) {
	n, most := len(offsets)-1, uint64(0)
	for r := range n {
		most = max(most, offsets[r+1]-offsets[r])
	}
	least = make([]uint32, most+1)
	for r := range n {
		least[offsets[r+1]-offsets[r]]++
	}
	for d := most; d > 0; d-- {
		least[d-1] += least[d]
	}
	at := append(slices.Clone(least[1:]), 0) // where the next rank of a degree goes: behind the vertices of higher degree
	roots = make([]uint32, n)
	for r := range n {
		d := offsets[r+1] - offsets[r]
		roots[at[d]] = uint32(r)
		at[d]++
	}
	return roots, least
}

// atLeast is how many roots have at least d out-neighbours: they are the first ones.
func (g *oriented) atLeast(d int) int {
	if d >= len(g.least) {
		return 0
	}
	return int(g.least[max(0, d)])
}

// degree is the number of out-neighbours of a root.
func (g *oriented) degree(root int) int {
	return sort.Search(len(g.least), func(d int) bool { return int(g.least[d]) <= root }) - 1
}

// most is the largest number of out-neighbours.
func (g *oriented) most() int { return max(0, g.degree(0)) }

// adjacent is a graph by neighbours in one direction, on the device.
type adjacent struct {
	vertices         int
	edges            int64
	offsets, targets buffer
}

func adjacencyOf(t *task, s *csr.Snapshot, types csr.TypeSet, dir csr.Direction) (*adjacent, error) {
	return keep(t, s, dir.String()+" "+typesName(types), func(up *task) (*adjacent, error) {
		a := s.Adjacency(types, dir).Flat()
		offsets := fullOffsets(a, int(s.N()))
		g := &adjacent{vertices: int(s.N()), edges: int64(offsets[len(offsets)-1])}
		var err error
		if g.offsets, err = upload(up, offsets); err != nil {
			return nil, err
		}
		g.targets, err = upload(up, a.Targets)
		return g, err
	})
}

// fullOffsets returns the offsets of all vertices, of which the view has those in a range. Callers must not change them.
func fullOffsets(a *csr.Adjacency, n int) []uint64 {
	if a.Lo == 0 && len(a.Offsets) == n+1 {
		return a.Offsets
	}
	full := make([]uint64, n+1)
	end := int(a.Lo) + copy(full[a.Lo:], a.Offsets)
	for v := max(end, 1); v <= n; v++ {
		full[v] = full[v-1]
	}
	return full
}
