package clique

// How a sub-problem is counted, and where bitmaps are built: the rules by which the clique kernel chooses. All are about
// speed alone; each choice can be switched off (pattern.Technique), which changes no answer.

// method is how cliques of a subgraph are counted.
type method uint8

const (
	byEnumeration method = iota // try them, the last two levels in one loop
	byPivots                    // pivot.go
	byComplement                // complement.go
)

// chooseMethod is the rule for counting cliques of need vertices in a subgraph of n vertices and so many edges.
//
// Few missing edges (no more than vertices) call for the complement: its cost hardly depends on need. Else it depends on how
// dense the subgraph is: enumeration visits each clique of need-2 vertices, pivoting each leaf of a tree that is the
// larger the sparser, at several times the cost; pivotFrom has the measured densities where they cost the same.
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

// pivotFrom is the density, by need, from which a sub-problem is counted by pivots. On random graphs of 24 to 64 vertices
// (BenchmarkCliqueMethods) enumeration wins up to 0.5 for 4, and 0.6 to 0.7 from 5 on. Real neighbourhoods are clustered, which
// suits pivots: on six of the shared graphs, with k from 5 to 12, these were the best of four tables tried, and the
// random ones 4 times slower for the 8-cliques of fb100-Stanford3.
var pivotFrom = [...]float64{4: 0.50, 5: 0.40, 6: 0.30, 7: 0.25, 8: 0.20, 9: 0.15, 10: 0.10}

// lambda is the sparsity, by need, up to which it is better not to build a bitmap of a subgraph of more than 64 vertices
// but to go on with lists and to build bitmaps a level deeper (KCMiner section 5.2: gamma = ones / n^2 <= lambda). On an
// oriented bitmap gamma is at most one half, so 0.5 says always.
//
// BenchmarkLambda measures how long going deeper takes against a bitmap on random graphs. For 80, 128, 192 and 384 vertices
// and a need of 3 it took 0.5-0.8 times as long at gamma 0.01, 0.9-1.6 times at 0.03 and 1.1-7 times at 0.1; for 4, 0.4-0.7
// times at 0.01 and 0.9-1.6 times from 0.05 on; for 5 and 6, 0.2-0.9 times but for 1-1.5 times between 0.05 and 0.1: the
// paper, too, finds that deep searches always and shallow ones only when sparse should go deeper.
var lambda = [...]float64{3: 0.03, 4: 0.05, 5: 0.5}

// goesDeeper is the rule for building no bitmap at this level: see lambda.
func (q *cliqueSearch) goesDeeper(n, ones, need int) bool {
	if !q.deeper {
		return false
	}
	return float64(ones) <= lambda[min(need, len(lambda)-1)]*float64(n)*float64(n)
}

// largeTask is the number of candidates from which on a task is split over workers at once (KCMiner section 5.3).
const largeTask = 1024

// complementBudget is how many products of coefficients the complement may take before it is given up, some 10 ms of them.
const complementBudget = 1 << 21

// complementFrom is the number of vertices up to which pivots are as good.
const complementFrom = 40
