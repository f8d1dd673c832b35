package motif

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/graphdiff"
	"github.com/motifql/motif/internal/hook"
	"github.com/motifql/motif/internal/sample"
	"github.com/motifql/motif/kernels"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/storage"
	"github.com/motifql/motif/storage/exporter"
	"github.com/motifql/motif/storage/importer"
)

// LoadOptions configures Load.
type LoadOptions struct {
	// Replace lets the load take the place of a graph that the store already holds. Queries that run meanwhile
	// keep seeing the old one.
	Replace bool
	// Progress, if set, is called from time to time: while files are read in bytes, while the graph is written in
	// blocks. total is 0 where it is not known.
	Progress func(stage string, done, total uint64)
}

// LoadReport says what a load read, dropped and stored.
type LoadReport struct {
	importer.Report
	storage.Info
}

// Load reads graph files and publishes them as the store's graph, whole or not at all: whatever goes wrong, and
// however the process ends, the store holds the graph it held before or the new one.
//
// A store that holds a graph already gives ErrNotEmpty unless Replace is set. A mistake in a file is an
// *importer.Error with file, line and column.
func (db *DB) Load(ctx context.Context, spec importer.Spec, opt LoadOptions) (*LoadReport, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if db.cfg.readOnly {
		return nil, ErrReadOnly
	}
	if !db.store.Empty() && !opt.Replace {
		return nil, fmt.Errorf("%w; nothing was loaded; use --replace to put the new graph in its place", ErrNotEmpty)
	}
	progress := opt.Progress
	if progress == nil {
		progress = func(string, uint64, uint64) {}
	}
	if spec.Workers == 0 {
		spec.Workers = db.cfg.workers
	}
	snap, report, err := importer.Load(ctx, spec, func(p importer.Progress) { progress(p.Stage, p.Bytes, p.Total) })
	if err != nil {
		return nil, err
	}
	info, err := db.store.Publish(ctx, snap, progress)
	if err != nil {
		return nil, err
	}
	return &LoadReport{Report: *report, Info: info}, nil
}

// Backup writes the graph to w, from which Restore makes it again: with the same ids, names and values. It neither waits for
// transactions nor makes them wait.
func (db *DB) Backup(ctx context.Context, w io.Writer) (storage.Info, error) {
	end, err := db.begin()
	if err != nil {
		return storage.Info{}, err
	}
	defer end()
	return db.store.Backup(ctx, w)
}

// Restore fills an empty store with the graph of a backup, whole or not at all. A store that holds a graph gives ErrNotEmpty.
func (db *DB) Restore(ctx context.Context, r io.Reader) (storage.Info, error) {
	end, err := db.begin()
	if err != nil {
		return storage.Info{}, err
	}
	defer end()
	return db.store.Restore(ctx, r)
}

// Check verifies everything the store holds: checksums, counts, cross-references, statistics.
func (db *DB) Check(ctx context.Context) (*storage.CheckReport, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return db.store.Check(ctx)
}

// Export writes the graph as it is now to files, whole or not at all: csv and parquet are folders of tables, cypher,
// graphml and jsonl single files. DB.Load reads them back as the same graph with the same ids, but for cypher, a script
// of statements for an empty store. What is written meanwhile is not part of it.
func (db *DB) Export(ctx context.Context, opt exporter.Options) (*exporter.Report, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	snap, err := db.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return exporter.Write(ctx, snap, opt)
}

func init() {
	hook.Store = func(db any) *storage.Store { return db.(*DB).store }
	hook.View = func(db any, s *csr.Snapshot) any { return &Tx{db: db.(*DB), snap: s, end: func() {}} }
}

// OpenSample opens the built-in sample graph in a store of its own, in a temporary folder that Close removes.
func OpenSample() (*DB, error) {
	dir, err := os.MkdirTemp("", "motif-sample-")
	if err != nil {
		return nil, err
	}
	remove := func() { os.RemoveAll(dir) }
	db, err := Open(filepath.Join(dir, "sample"), WithCreate())
	if err != nil {
		remove()
		return nil, err
	}
	db.cleanup = remove
	if _, err := db.Load(context.Background(), sample.Spec(), LoadOptions{}); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// DiffOptions say how Diff compares, DiffResult what it found.
type (
	DiffOptions = graphdiff.Options
	DiffResult  = graphdiff.Result
)

// DiffWays lists the values that DiffOptions.By may have beside "".
var DiffWays = graphdiff.Ways

// ErrUndecided says that Diff ended without an answer: see DiffOptions.By.
var ErrUndecided = graphdiff.ErrUndecided

// Diff compares the graphs of two stores as they are now: nodes with labels, properties and external ids, relationships
// with types and properties. Nodes are told by id, or else by external id, or else up to ids, unless opt says how.
func Diff(ctx context.Context, a, b *DB, opt DiffOptions) (*DiffResult, error) {
	endA, err := a.begin()
	if err != nil {
		return nil, err
	}
	defer endA()
	endB, err := b.begin()
	if err != nil {
		return nil, err
	}
	defer endB()
	first, err := a.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	second, err := b.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return graphdiff.Compare(ctx, first, second, opt)
}

// SavedQuery is a query that is kept in the store beside the graph, with the types of its parameters.
type SavedQuery = storage.SavedQuery

// SavedParam is a parameter of a saved query. Type is "string", "integer", "float", "boolean", "list" or "map", or "" for any.
type SavedParam = storage.SavedParam

// SaveQuery keeps a query in the store, in place of the one that had its name. Its parameters are those in its text; the
// values in sample say of which types they are, and what is not there may be anything.
func (db *DB) SaveQuery(ctx context.Context, name, text string, sample Params) error {
	end, err := db.begin()
	if err != nil {
		return err
	}
	defer end()
	script, err := lang.Parse(text)
	if err != nil {
		return queryError(err, text)
	}
	q := SavedQuery{Name: name, Text: text}
	for _, stmt := range script.Statements {
		info, err := lang.Check(stmt, nil)
		if err != nil {
			return queryError(err, text)
		}
		for _, p := range info.Parameters {
			if !slices.ContainsFunc(q.Params, func(o SavedParam) bool { return o.Name == p }) {
				q.Params = append(q.Params, SavedParam{Name: p, Type: paramType(sample[p])})
			}
		}
	}
	return db.store.SaveQuery(ctx, q)
}

// SavedQueries lists the saved queries by name.
func (db *DB) SavedQueries(ctx context.Context) ([]SavedQuery, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return db.store.Queries(ctx)
}

// ForgetQuery drops a saved query. One that there is not is an error.
func (db *DB) ForgetQuery(ctx context.Context, name string) error {
	end, err := db.begin()
	if err != nil {
		return err
	}
	defer end()
	there, err := db.store.DropQuery(ctx, name)
	if err == nil && !there {
		err = fmt.Errorf("no query is saved as %s", name)
	}
	return err
}

// CheckParams sees that params has all that q needs, of the right types. Others may be there.
func CheckParams(q *SavedQuery, params Params) error {
	for _, p := range q.Params {
		v, ok := params[p.Name]
		if !ok {
			return fmt.Errorf("the saved query %s needs the parameter %s", q.Name, DescribeParam(p))
		}
		if got := paramType(v); p.Type != "" && v != nil && got != p.Type && (p.Type != "float" || got != "integer") {
			return fmt.Errorf("the saved query %s needs the parameter %s, which %v is not", q.Name, DescribeParam(p), v)
		}
	}
	return nil
}

// DescribeParam writes a parameter with its type, such as "$name string".
func DescribeParam(p SavedParam) string {
	if p.Type == "" {
		return "$" + p.Name
	}
	return "$" + p.Name + " " + p.Type
}

// paramType is the type of a parameter's value, "" for null and what has no name here.
func paramType(x any) string {
	v, err := toValue(x)
	if err != nil || v.IsNull() {
		return ""
	}
	name := v.Kind().String()
	if slices.Contains([]string{"string", "integer", "float", "boolean", "list", "map"}, name) {
		return name
	}
	return ""
}

// Count is a name of the graph and how many nodes or relationships bear it.
type Count struct {
	Name  string
	Count uint64
}

// Connection says how many relationships of a type lead from nodes of one label to nodes of another; a label of ""
// stands for nodes without any. A node of several labels counts under each.
type Connection struct {
	From, Type, To string
	Count          uint64
}

// Schema is what names occur in the graph, each list from the most frequent to the least.
type Schema struct {
	Labels      []Count
	Types       []Count
	Connections []Connection
	NodeKeys    []string // property keys of nodes
	RelKeys     []string // property keys of relationships
}

// Stats are the figures of the graph and its store.
type Stats struct {
	Nodes, Edges uint64
	Labels       int
	Types        int
	MaxDegree    uint64 // neighbours of the best connected node, over all types and both directions
	Degeneracy   uint32 // of the simple undirected graph
	Loops        uint64
	Simple       bool // no loops, no parallel or reciprocal relationships, over all types together
	Epoch        uint64
	DiskBytes    uint64
	MemoryBytes  uint64 // resident size of the graph, indexes built so far included
}

// Schema returns what occurs in the graph.
func (db *DB) Schema(ctx context.Context) (*Schema, error) {
	s, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	out := &Schema{NodeKeys: keysOf(s, s.VertexProps), RelKeys: keysOf(s, s.EdgeProps)}
	for i, n := range s.Stats.LabelCount {
		out.Labels = append(out.Labels, Count{s.Labels.Name(uint32(i)), n})
	}
	for i, t := range s.Stats.Types {
		out.Types = append(out.Types, Count{s.Types.Name(uint32(i)), t.Edges})
	}
	for _, t := range s.Stats.Triples {
		out.Connections = append(out.Connections, Connection{labelName(s, t.Src), s.Types.Name(uint32(t.Type)), labelName(s, t.Dst), t.Count})
	}
	byCount := func(a, b Count) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) }
	slices.SortFunc(out.Labels, byCount)
	slices.SortFunc(out.Types, byCount)
	slices.SortStableFunc(out.Connections, func(a, b Connection) int { return cmp.Compare(b.Count, a.Count) })
	return out, nil
}

func keysOf(s *csr.Snapshot, columns []*csr.Column) (keys []string) {
	for k, c := range columns {
		if c != nil {
			keys = append(keys, s.Keys.Name(uint32(k)))
		}
	}
	slices.Sort(keys)
	return keys
}

func labelName(s *csr.Snapshot, l csr.LabelID) string {
	if l == csr.NoLabel {
		return ""
	}
	return s.Labels.Name(uint32(l))
}

// Stats returns the figures of the graph.
func (db *DB) Stats(ctx context.Context) (*Stats, error) {
	s, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	info, err := db.store.Info()
	if err != nil {
		return nil, err
	}
	out := &Stats{Nodes: s.N(), Edges: s.M(), Labels: s.Labels.Len(), Types: s.Types.Len(), Degeneracy: degeneracy(s),
		Epoch: info.Epoch, DiskBytes: info.DiskBytes, Simple: s.Stats.SimpleUnion(nil)}
	for _, t := range s.Stats.Types {
		out.Loops += t.Loops
	}
	all := s.Adjacency(nil, csr.Both)
	for v := range csr.VertexID(s.N()) {
		out.MaxDegree = max(out.MaxDegree, uint64(all.Degree(v)))
	}
	out.MemoryBytes = s.Bytes()
	return out, nil
}

type degeneracyKey struct{}

// String names it for PROFILE.
func (degeneracyKey) String() string { return "degeneracy" }

// degeneracy is what the store has computed when the graph was loaded; after changes it is computed anew.
func degeneracy(s *csr.Snapshot) uint32 {
	if s.Stats.Degeneracy > 0 || s.M() == 0 {
		return s.Stats.Degeneracy
	}
	return s.Derived(degeneracyKey{}, func() any {
		_, _, k := kernels.Cores(s.Adjacency(nil, csr.Both), s.N())
		return k
	}).(uint32)
}

// String prints one figure a line.
func (s *Stats) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s "+format+"\n", append([]any{name}, args...)...)
	}
	line("nodes", "%d", s.Nodes)
	line("relationships", "%d", s.Edges)
	line("labels", "%d", s.Labels)
	line("types", "%d", s.Types)
	line("max degree", "%d", s.MaxDegree)
	line("degeneracy", "%d", s.Degeneracy)
	line("self-loops", "%d", s.Loops)
	line("simple", "%s", map[bool]string{true: "yes: no loops, no parallel or reciprocal relationships", false: "no"}[s.Simple])
	line("epoch", "%d", s.Epoch)
	line("on disk", "%d bytes%s", s.DiskBytes, perEdge(s.DiskBytes, s.Edges))
	line("in memory", "%d bytes", s.MemoryBytes)
	return b.String()
}

func perEdge(bytes, edges uint64) string {
	if edges == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.2f per relationship)", float64(bytes)/float64(edges))
}
