//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// oriented is a graph whose edges run from lower to higher rank, on the device.
type oriented struct {
	vertices         int
	edges            int64
	offsets, targets buffer
	roots            buffer   // all ranks by falling out-degree
	degree           []uint32 // of them, on the host
}

// orientedOf uploads the orientation of the simple graph over types among within; without within it stays.
func orientedOf(t *task, s *csr.Snapshot, types csr.TypeSet, within *pattern.CandidateSet) (*oriented, error) {
	if within != nil {
		return uploadOriented(t, kernels.Orientation(s, types).Induced(within))
	}
	return keep(t, s, "oriented "+typesName(types), func(up *task) (*oriented, error) {
		return uploadOriented(up, kernels.Orientation(s, types))
	})
}

func typesName(types csr.TypeSet) string { return fmt.Sprint(types == nil, types) }

func uploadOriented(t *task, o kernels.Oriented) (*oriented, error) {
	n := len(o.Offsets) - 1
	g := &oriented{vertices: n, edges: int64(len(o.Targets))}
	var roots []uint32
	roots, g.degree = byDegree(o.Offsets)
	var err error
	if g.offsets, err = upload(t, o.Offsets); err != nil {
		return nil, err
	}
	if g.targets, err = upload(t, o.Targets); err != nil {
		return nil, err
	}
	g.roots, err = upload(t, roots)
	return g, err
}

// byDegree returns all ranks by falling out-degree, equal ones in their order, and those degrees.
func byDegree(offsets []uint64) (roots, degrees []uint32) {
	n, most := len(offsets)-1, uint64(0)
	for r := range n {
		most = max(most, offsets[r+1]-offsets[r])
	}
	at := make([]int, most+2) // where the next rank of a degree goes, the complement of which is the index
	for r := range n {
		at[most-(offsets[r+1]-offsets[r])+1]++
	}
	for i := range most {
		at[i+1] += at[i]
	}
	roots, degrees = make([]uint32, n), make([]uint32, n)
	for r := range n {
		d := offsets[r+1] - offsets[r]
		i := at[most-d]
		at[most-d]++
		roots[i], degrees[i] = uint32(r), uint32(d)
	}
	return roots, degrees
}

// atLeast is how many roots have at least d out-neighbours: they are the first ones.
func (g *oriented) atLeast(d int) int {
	i, _ := slices.BinarySearchFunc(g.degree, d, func(x uint32, d int) int {
		if int(x) >= d {
			return -1
		}
		return 1
	})
	return i
}

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

// fullOffsets returns the offsets of all vertices, of which the view has those in a range.
func fullOffsets(a *csr.Adjacency, n int) []uint64 {
	full := make([]uint64, n+1)
	for v := range n {
		_, hi := a.Row(csr.VertexID(v))
		if hi == 0 {
			hi = full[v]
		}
		full[v+1] = hi
	}
	return full
}
