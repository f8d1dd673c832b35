package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// The largest graph of a quick plan: its rows fit into a few batches, and the first one to ask waits for a view of it some hundredths of
// a second.
const (
	quickNodes = 4 * sharedRows
	quickEdges = 1 << 21
)

// Quick reports whether plan takes less time on s than to start a goroutine: it hands columns over that the graph has, and computes nothing.
func Quick(plan *planner.Plan, s *csr.Snapshot) bool {
	if s.N() > quickNodes || s.M() > quickEdges {
		return false
	}
	node := plan.Root
	for {
		switch n := node.(type) {
		case *planner.Project:
			for _, item := range n.Items {
				if _, ok := item.Expr.(*lang.Var); !ok {
					return false
				}
			}
			node = n.Input
		case *planner.Call:
			return n.Input == nil && n.Procedure.Name == "algo.degree" && !hasOption(n.Args, "weight", "label")
		default:
			return false
		}
	}
}

// hasOption reports whether the options in args have one of some names.
func hasOption(args []lang.Expr, names ...string) bool {
	return slices.ContainsFunc(args, func(x lang.Expr) bool {
		m, ok := x.(*lang.MapLit)
		return !ok || slices.ContainsFunc(m.Keys, func(key lang.Name) bool { return slices.Contains(names, key.Text) })
	})
}
