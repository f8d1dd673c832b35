package clique

// The rules by which the kernel chooses how to count a sub-problem and where to build bitmaps. They change speed and never an
// answer. A caller can switch each choice off (pattern.Technique).

// method is a way to count the cliques of a subgraph.
type method uint8

const (
	byEnumeration method = iota // try them, the last two levels in one loop
	byPivots                    // pivot.go
	byComplement                // complement.go
)

// chooseMethod chooses how to count cliques of need vertices in a subgraph of n vertices with the given number of edges.
//
// A subgraph with at most n missing edges calls for the complement, whose cost hardly depends on need. Else the density decides.
// Enumeration visits each clique of need-2 vertices. Pivoting visits each leaf of a tree, at several times the cost, and sparse
// graphs have larger trees. pivotFrom has the measured densities where both cost the same.
func (q *cliqueSearch) chooseMethod(n, edges, need int) method {
	pairs := n * (n - 1) / 2
	switch {
	case need <= 3 || n < need:
		return byEnumeration
	case q.complements && n > complementFrom && pairs-edges <= n:
		return byComplement
	case !q.pivots:
		return byEnumeration
	case !q.enumerates:
		return byPivots
	}
	if float64(edges) >= pivotFrom[min(need, len(pivotFrom)-1)]*float64(pairs) {
		return byPivots
	}
	return byEnumeration
}

// pivotFrom is the density, by need, from which pivots win. On random graphs of 24 to 64 vertices
// (BenchmarkCliqueMethods) enumeration wins up to 0.5 for 4, and 0.6 to 0.7 from 5 on. Real neighbourhoods are clustered, which
// suits pivots. On six real graphs, with k from 5 to 12, this table was the best of four. The table for random graphs was 4
// times slower for the 8-cliques of fb100-Stanford3.
var pivotFrom = [...]float64{4: 0.50, 5: 0.40, 6: 0.30, 7: 0.25, 8: 0.20, 9: 0.15, 10: 0.10}

// lambda is the density, by need, up to which lists beat a bitmap of a subgraph of more than 64 vertices: the search
// builds bitmaps a level deeper (KCMiner section 5.2: gamma = ones / n^2 <= lambda). On an oriented bitmap gamma is at most one
// half, so 0.5 means always.
//
// BenchmarkLambda compares the time of going deeper with the time of a bitmap, on random graphs. For 80, 128, 192 and 384 vertices
// and a need of 3 it took 0.5-0.8 times as long at gamma 0.01, 0.9-1.6 times at 0.03 and 1.1-7 times at 0.1; for 4, 0.4-0.7
// times at 0.01 and 0.9-1.6 times from 0.05 on; for 5 and 6, 0.2-0.9 times but for 1-1.5 times between 0.05 and 0.1. The
// paper agrees: deep searches should always go deeper, shallow ones only in sparse subgraphs.
var lambda = [...]float64{3: 0.03, 4: 0.05, 5: 0.5}

// goesDeeper reports whether to build no bitmap at this level: see lambda.
func (q *cliqueSearch) goesDeeper(n, ones, need int) bool {
	if !q.deeper {
		return false
	}
	return float64(ones) <= lambda[min(need, len(lambda)-1)]*float64(n)*float64(n)
}

// largeTask is the number of candidates from which workers share a task at once (KCMiner section 5.3).
const largeTask = 1024

// complementBudget is the number of products of coefficients, some 10 ms, after which the kernel gives the complement up.
const complementBudget = 1 << 21

// complementFrom is the number of vertices up to which pivots are as good.
const complementFrom = 40
