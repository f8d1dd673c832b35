// Package motif is a subgraph matching engine with a query language, for Go programs and as a command.
//
// A graph lives in a local store. A query is text; it is checked, planned, filtered to candidate sets, joined (or handed to
// a clique kernel), and its matches come back as rows:
//
//	db, err := motif.Open("graph.db")
//	defer db.Close()
//	rows, err := db.Query(ctx, "MATCH (a:Person)-[:KNOWS]->(b) WHERE a.age > $min RETURN a, b", motif.Params{"min": 30})
//	for row, err := range rows.All() {
//		...
//	}
//
// CALL runs graph algorithms in the same way: cores, trusses, cliques, triangles, components, distances, shortest paths.
//
//	rows, err := db.Query(ctx, "CALL algo.kcore() YIELD node, core RETURN core, count(*)", nil)
//
// Statements that write are transactions: each of its own, or those in the function given to Update together. When one is committed, it
// survives the loss of power; see WithDurability. Readers see the graph as it was when they began.
//
//	err := db.Update(ctx, func(tx *motif.Tx) error {
//		_, err := tx.Query(ctx, "MATCH (p:Person {name: 'Ann'}) SET p.age = 31", nil)
//		return err
//	})
//
// A DB is safe for concurrent use. Every query runs under its context and, if asked, a timeout, a row limit and a
// memory budget; each works before the first row too.
//
// How a query is matched is chosen for it. For tests and measurements, the options Order, FilterBy, Kernel, Without and
// Workers choose otherwise, without changing an answer; Rows.Summary tells what was done.
package motif
