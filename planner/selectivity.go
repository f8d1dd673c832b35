package planner

import "github.com/motifql/motif/lang"

// selectivity guesses which share of n vertices or rows a condition lets pass.
func selectivity(x lang.Expr, n float64) float64 {
	switch x := x.(type) {
	case *lang.Unary:
		if x.Op == "NOT" {
			return 1 - selectivity(x.X, n)
		}
	case *lang.IsNull:
		if x.Not {
			return 0.9
		}
		return 0.1
	case *lang.Binary:
		return binarySelectivity(x, n)
	}
	return 0.5
}

func binarySelectivity(x *lang.Binary, n float64) float64 {
	switch x.Op {
	case "=":
		_, l := call(x.L, "id")
		_, r := call(x.R, "id")
		if l || r {
			return 1 / max(1, n)
		}
		return 0.05
	case "<>":
		return 0.95
	case "IN":
		if l, ok := x.R.(*lang.ListLit); ok {
			return min(0.5, 0.05*float64(len(l.Items)))
		}
		return 0.2
	case "STARTS WITH", "ENDS WITH", "CONTAINS", "=~":
		return 0.1
	case "AND":
		return selectivity(x.L, n) * selectivity(x.R, n)
	case "OR":
		return min(1, selectivity(x.L, n)+selectivity(x.R, n))
	}
	return 0.3
}
