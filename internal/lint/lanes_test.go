package lint

// lanes are the three ways through the rooms that the picture shows.
var lanes = []lane{
	{"A query: text to rows", "#047857", []step{
		{".", "DB.Query", "text and parameters"},
		{"lang", "Parse", "checked tree"},
		{"planner", "New", "plan of operators"},
		{"internal/exec", "Run", "starts the operators"},
		{"filter", "Run", "candidate sets"},
		{"join", "Match", "embeddings"},
		{"internal/exec", "stream.Emit", "rows"},
		{".", "Rows.Next", "rows for the caller"},
	}},
	{"A loaded file: bytes to a published epoch", "#b45309", []step{
		{".", "DB.Load", "paths and options"},
		{"storage/importer", "Load", "nodes, relationships"},
		{"internal/csr", "Builder.Build", "snapshot"},
		{"storage", "Store.Publish", "blocks under a new epoch"},
		{"storage", "Store.writeGraph", "blocks on disk"},
		{"storage", "Store.setHead", "HEAD names the epoch"},
	}},
	{"A commit: changes to the next snapshot", "#b91c1c", []step{
		{".", "DB.Update", "one writer at a time"},
		{"storage", "Store.Begin", "draft on the snapshot"},
		{"internal/exec", "Run", "writes change the draft"},
		{"storage", "Tx.Commit", "change log, made durable"},
		{"internal/csr", "Draft.Snapshot", "base and overlay"},
		{"storage", "Store.Snapshot", "what readers get next"},
	}},
}
