// Package assist helps a person who writes a query. A text goes in. Assistant.Check gives its mistakes and warnings, each with its place and
// a hint; Assistant.Complete gives what may stand at the cursor.
//
//	a := assist.New(db, nil)
//	for _, d := range a.Check(ctx, "MATCH (p:Persn) RETURN q").Diagnostics {
//		fmt.Println(d.From, d.To, d.Severity, d.Message, d.Hint)
//	}
//	for _, o := range a.Complete(ctx, "MATCH (p:Per", 12).Options {
//		fmt.Println(o.Text, o.About)
//	}
//
// Check parses, checks and plans a text as a query does, so it finds what a query would report. Complete reads tokens only and so works on half
// a query. Both know the names in the graph. The package keeps these names and reads them again after Forget. It never runs the text.
package assist

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// Assistant checks and completes queries. It is safe for concurrent use, except that its fields must be set before.
type Assistant struct {
	Params motif.Params   // whose names Complete offers behind a $
	Words  []lang.Keyword // statements besides those of the language, such as a shell's

	db         *motif.DB // nil: the schema is all that is known
	mu         sync.Mutex
	schema     *motif.Schema
	stale      bool                // the schema may have changed
	keysByName map[string][]string // by label or type
}

// New returns an Assistant for the graph of db. schema is what db.Schema has returned; nil lets the Assistant ask for it. Without a db,
// the Assistant knows the names in schema only.
func New(db *motif.DB, schema *motif.Schema) *Assistant {
	a := &Assistant{db: db, schema: schema, stale: schema == nil}
	if schema == nil {
		a.schema = &motif.Schema{}
	}
	return a
}

// graphTime is how long an Assistant may ask the graph for names.
const graphTime = 300 * time.Millisecond

// Forget makes the next call look at the graph anew. Call it when the graph may have changed.
func (a *Assistant) Forget() {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.stale, a.keysByName = true, nil
	}
}

// Schema returns the names of the graph. It reads them if they may have changed.
func (a *Assistant) Schema(ctx context.Context) *motif.Schema {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stale || a.db == nil {
		return a.schema
	}
	ctx, stop := context.WithTimeout(ctx, graphTime)
	defer stop()
	if schema, err := a.db.Schema(ctx); err == nil {
		a.schema, a.stale = schema, false
	}
	return a.schema
}

// keys lists the properties in the graph.
func keys(s *motif.Schema) []string {
	all := slices.Concat(s.NodeKeys, s.RelationshipKeys)
	slices.Sort(all)
	return slices.Compact(all)
}

// keysNamed lists the keys that the first elements of a label or a type have.
func (a *Assistant) keysNamed(ctx context.Context, s *motif.Schema, word string) []string {
	a.mu.Lock()
	found, ok := a.keysByName[word]
	a.mu.Unlock()
	if ok || a.db == nil {
		return found
	}
	ctx, stop := context.WithTimeout(ctx, graphTime)
	defer stop()
	var list []string
	for _, pattern := range patternsOf(s, word) {
		rows, err := a.db.Query(ctx, "MATCH "+pattern+" WITH x LIMIT 1000 UNWIND keys(x) AS k RETURN DISTINCT k", nil)
		if err != nil {
			continue
		}
		for row, err := range rows.All() {
			if err != nil {
				break
			}
			if k, ok := row.At(0).(string); ok {
				list = append(list, k)
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.keysByName == nil {
		a.keysByName = make(map[string][]string)
	}
	a.keysByName[word] = list
	return list
}

// patternsOf returns patterns that bind x to the nodes of a label, and to the relationships of a type.
func patternsOf(s *motif.Schema, word string) (list []string) {
	has := func(counts []motif.NameCount) bool {
		return slices.ContainsFunc(counts, func(c motif.NameCount) bool { return c.Name == word })
	}
	if has(s.Labels) {
		list = append(list, "(x:"+lang.QuoteKey(word)+")")
	}
	if has(s.Types) {
		list = append(list, "()-[x:"+lang.QuoteKey(word)+"]->()")
	}
	return list
}
