// Package match decides everything about one pattern before anyone searches for it. A pattern and a snapshot go in, with
// candidate counts. Out come the matching order with its expected rows, the constraints that break symmetry, the
// formula for a count, and the route to the clique kernel. It knows no language and no plan: packages planner, exec and
// the tests of join ask it, and it asks only package pattern and the statistics of package csr. It never looks at the
// graph itself, so that a decision takes microseconds however large the graph is.
//
// OrderFor chooses every matching order, except that the join may replace it for some long counts. Its strategies are in
// strategy.go, its cost model in cost.go.
package match
