package cuda

import (
	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// HasKernel reports whether there is a kernel for requests of a kind.
func HasKernel(kind pattern.RequestKind) bool {
	switch kind {
	case pattern.KindFilter, pattern.KindCount, pattern.KindMatch, pattern.KindFormula, pattern.KindCliqueCount, pattern.KindCliqueList,
		pattern.KindTriangles, pattern.KindCores, pattern.KindTrusses, pattern.KindBFS, pattern.KindComponents, pattern.KindDiameter:
		return true
	}
	return false
}

// Shares reports whether several devices can share requests of a kind.
func Shares(kind pattern.RequestKind) bool {
	return kind == pattern.KindFormula || kind == pattern.KindCliqueCount || kind == pattern.KindTriangles
}

// Declines reports whether the parameters of r alone leave it to the CPU, although there is a kernel for its kind.
func Declines(r *pattern.Request) bool {
	switch r.Kind {
	case pattern.KindCliqueCount:
		return r.Clique.K < 3 || len(r.Clique.Sets) != 1
	case pattern.KindCliqueList:
		return r.Clique.K < 3 || r.Clique.K > listMostK || len(r.Clique.Sets) != 1
	case pattern.KindCores:
		return r.Cores.Variant == pattern.CoreBZ || r.Cores.Order
	case pattern.KindComponents:
		return r.Components.Strong
	}
	return false
}

// listMostK is the most vertices of a clique in a list: a lane of a warp keeps each.
const listMostK = 32

// WorkOf is a request as the cost model sees it.
func WorkOf(r *pattern.Request) Work {
	w := Work{Kind: r.Kind, Direction: csr.Both}
	switch r.Kind {
	case pattern.KindFilter:
		w.Items, w.Direction = filter.LabelCandidates(r.Snapshot, r.Pattern), csr.Out
		w.Due = float64(filter.Due(r.Snapshot, r.Pattern))
	case pattern.KindCount, pattern.KindMatch:
		w.Items, w.Types = r.Job.Order.Cost, csr.TypeSet{}
		for i := range r.Job.Pattern.Edges {
			e := &r.Job.Pattern.Edges[i]
			if w.Types = w.Types.Union(e.Types); !e.Undirected {
				w.Direction = csr.Out
			}
		}
	case pattern.KindFormula:
		w.Items, w.Types = r.Formula.Elements, r.Formula.Types
	case pattern.KindCliqueCount, pattern.KindCliqueList:
		w.K, w.Types = r.Clique.K, r.Clique.Types
		if len(r.Clique.Sets) == 1 {
			w.Within = r.Clique.Sets[0]
		}
		if len(r.Expected) > 0 {
			w.Share = min(1, r.Expected[0]/float64(max(1, r.Snapshot.N())))
		}
	case pattern.KindTriangles:
		w.Types = r.Triangles.Types
	case pattern.KindCores:
		w.Types, w.Direction, w.Within = r.Cores.Types, r.Cores.Direction, r.Cores.Within
	case pattern.KindTrusses:
		w.Types, w.Within = r.Trusses.Types, r.Trusses.Within
	case pattern.KindBFS:
		w.Types, w.Direction = r.Traversal.Types, r.Traversal.Direction
	case pattern.KindComponents:
		w.Types, w.Within = r.Components.Types, r.Components.Within
	case pattern.KindDiameter:
		w.Types, w.Direction, w.Within = r.Diameter.Types, r.Diameter.Direction, r.Diameter.Within
	}
	return w
}
