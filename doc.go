// Package motif is a subgraph matching engine with a query language. A program gives it a pattern as text and gets
// every place in the graph where the pattern occurs.
//
// A graph lives in a local store. Motif checks and plans a query, finds candidates for each of the pattern's nodes, joins the
// candidates or hands them to a kernel for cliques, and gives the matches as rows:
//
//	db, err := motif.Open("graph.db")
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//	rows, err := db.Query(ctx, "MATCH (a:Person)-[:KNOWS]->(b) WHERE a.age > $min RETURN a, b", motif.Params{"min": 30})
//	if err != nil {
//		return err
//	}
//	for row, err := range rows.All() {
//		...
//	}
//
// # Stores
//
// Open opens a store, or makes one with WithCreate. Load fills it from graph files, Restore from a backup. CREATE and other
// statements fill it piece by piece. Export and Backup write the graph out; Check verifies the store; Diff compares two graphs.
// OpenSample opens a small graph to play with. A DB is safe for concurrent use.
//
// # Queries
//
// DB.Query gives rows while the query runs. DB.Exec runs a statement to its end and returns what the statement did. DB.Prepare checks and
// plans a statement once. DB.Explain returns the plan. Into, One and Rows.Scan put rows into Go values: numbers, strings,
// lists, times, and structs that take the properties of a node.
//
// CALL runs graph algorithms: cores, trusses, cliques, triangles, components, distances, shortest paths. DB.Declare adds a
// procedure of your own.
//
//	rows, err := db.Query(ctx, "CALL algo.kcore() YIELD node, core RETURN core, count(*)", nil)
//
// # Transactions
//
// Each statement is a transaction. DB.Update makes several statements one; DB.View lets several queries see one state. To begin
// and commit a transaction yourself, without a callback, use DB.BeginWrite and DB.BeginRead. One transaction writes at a time, and
// readers of the same DB never wait: they see the graph as it was when they began. While a process has a store open for writing,
// other processes can only read it; see WithReadOnly. With WithSharing, several processes write in turns. A committed transaction
// survives the loss of power; see WithDurability.
//
//	err := db.Update(ctx, func(tx *motif.Tx) error {
//		_, err := tx.Exec(ctx, "MATCH (p:Person {name: 'Ann'}) SET p.age = 31", nil)
//		return err
//	})
//
// # Limits and choices
//
// A query ends with its context. WithTimeout, WithMaxRows and WithMemory bound it; the time and the memory may
// run out before the first row, too. The *StoppedError says how far the query came. A mistake in a query is a *QueryError with its place and a hint.
//
// A query reads only the files that WithFiles allows; without WithFiles it reads none.
//
// No call of this package ends your program, not even by a panic. A panic in a function of the program that Motif called is a *PanicError. An *InternalError is a
// fault of Motif. DB.Close ends what is still open.
//
// Motif chooses how to match a query. WithOrder, WithFilter, WithKernel, WithDevice, WithoutTechniques and WithWorkers override
// the choice, for tests and measurements. None of them changes an answer. Summary describes what a query did.
//
// # Version 1
//
// Until version 1 any release may change the API; the changelog says so. From version 1 on these stay compatible:
//
//   - what this package exports, with the types that it takes from packages storage, importer and exporter;
//   - the language as docs/language.md, docs/functions.md and docs/procedures.md describe it, except for the values of knobs;
//   - stores and backups: a later release opens what an earlier release wrote;
//   - the codes of a QueryError, and the command's flags, output formats and exit statuses.
//
// These may change in any release: the text of messages, plans and profiles; estimates; the names of stages and techniques and
// the values of knobs; the order of rows that a query does not sort; and the other packages of the module, lang included.
package motif
