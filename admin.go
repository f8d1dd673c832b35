package motif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif/internal/convert"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/graphdiff"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/storage"
	"github.com/motifql/motif/storage/exporter"
	"github.com/motifql/motif/storage/importer"
)

// These types name what a load reads, an export writes and a store reports. With them, a program imports this package alone.
type (
	// LoadSpec names graph files and says how they make a graph.
	LoadSpec = importer.Spec
	// NodeFile is a group of files of nodes in a LoadSpec.
	NodeFile = importer.NodeFile
	// RelationshipFile is a group of files of relationships in a LoadSpec.
	RelationshipFile = importer.RelationshipFile
	// FileError is a mistake in a file that a load read, with its file, line and column.
	FileError = importer.Error
	// ImportReport says what a load read and dropped.
	ImportReport = importer.Report
	// ExportOptions say where an export goes and how.
	ExportOptions = exporter.Options
	// ExportReport says what an export wrote.
	ExportReport = exporter.Report
	// StoreInfo describes the graph of a store and its size.
	StoreInfo = storage.Info
	// StoreError says what is wrong with a store, and what to do about it.
	StoreError = storage.Error
	// CheckReport says what a check of a store read and found.
	CheckReport = storage.CheckReport
	// CheckProblem is a fault that a check found.
	CheckProblem = storage.Problem
)

// LoadFormats returns the values of LoadSpec.Format.
func LoadFormats() []string { return importer.FormatNames() }

// ExportFormats returns the values of ExportOptions.Format.
func ExportFormats() []string { return exporter.FormatNames(nil) }

// LoadOptions configures Load.
type LoadOptions struct {
	// Replace lets the load replace the graph of the store. Queries that run meanwhile keep seeing the old one.
	Replace bool
	// Append lets the load add to the graph of the store. A node with an id that a node of the store was loaded with is that
	// node: it gets the labels and properties of the files. Other nodes and all relationships are added; relationship files may
	// refer to nodes of the store. Load writes the whole graph anew.
	Append bool
	// Load calls Progress, if it is set, when a stage begins and from time to time. done and total are in bytes while Load reads
	// files; they are in blocks while it writes the graph. total is 0 if it is not known. A panic in Progress ends the load with a *PanicError.
	Progress func(stage string, done, total uint64)
}

// LoadReport says what a load read and dropped, and what the store holds after it.
type LoadReport struct {
	ImportReport
	Store StoreInfo
}

// Load reads graph files and publishes them as the store's graph, whole or not at all. After any error, and after any end of the
// process, the store holds the old graph or the new graph.
//
// Load gives ErrNotEmpty if the store holds a graph, unless LoadOptions.Replace is set. A mistake in a file is a *FileError.
func (db *DB) Load(ctx context.Context, spec LoadSpec, opt LoadOptions) (*LoadReport, error) {
	return call(ctx, db, writes, "Load", func(ctx context.Context) (*LoadReport, error) { return db.load(ctx, spec, opt) })
}

func (db *DB) load(ctx context.Context, spec LoadSpec, opt LoadOptions) (*LoadReport, error) {
	if db.cfg.readOnly {
		return nil, ErrReadOnly
	}
	if opt.Replace && opt.Append {
		return nil, errors.New("a load replaces the graph or adds to it, not both")
	}
	if !db.store.Empty() && !opt.Replace && !opt.Append {
		return nil, fmt.Errorf("%w; nothing was loaded", ErrNotEmpty)
	}
	if spec.Workers <= 0 {
		spec.Workers = db.cfg.workers
	}
	if spec.FS != nil {
		spec.FS = guarded.FS(spec.FS)
	}
	if spec.Stdin != nil {
		spec.Stdin = guarded.Reader(spec.Stdin)
	}
	ctx, progress, done := guarded.Progress(ctx, opt.Progress)
	read := func(p importer.Progress) {
		if p.Stage == "build" && p.Bytes == p.Total || p.Stage == "number" { // which read nothing
			p.Bytes, p.Total = 0, 0
		}
		progress(p.Stage, p.Bytes, p.Total)
	}
	if opt.Append && !db.store.Empty() {
		return db.appendFiles(ctx, spec, read, progress, done)
	}
	graph, report, err := importer.LoadSpooled(ctx, spec, storage.SpoolFolder(db.store), 0, read)
	if err := done(storage.SpoolError(db.store, err)); err != nil {
		return nil, err
	}
	defer graph.Close()
	var info StoreInfo
	if graph.Spooled != nil {
		info, err = storage.PublishSpooled(ctx, db.store, graph.Spooled, progress)
	} else {
		info, err = db.store.Publish(ctx, graph.Snapshot, progress)
	}
	if err := done(err); err != nil {
		return nil, err
	}
	return &LoadReport{ImportReport: *report, Store: info}, nil
}

// appendFiles adds what files hold to the graph of the store.
func (db *DB) appendFiles(ctx context.Context, spec LoadSpec, read func(importer.Progress), progress func(string, uint64, uint64), done func(error) error) (*LoadReport, error) {
	now, err := db.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	part, report, err := importer.LoadPart(ctx, spec, now, read)
	if err := done(err); err != nil {
		return nil, err
	}
	progress("merge", 0, 0)
	info, err := storage.Rewrite(ctx, db.store, func(ctx context.Context) (*csr.Snapshot, error) {
		old, err := db.store.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return part.AddTo(ctx, old, report, spec.Memory)
	}, progress)
	if err := done(err); err != nil {
		return nil, err
	}
	return &LoadReport{ImportReport: *report, Store: info}, nil
}

// Backup writes the graph to w. Restore recreates the graph, with the same ids, names and values. Backup does not wait
// for transactions, and transactions do not wait for it.
func (db *DB) Backup(ctx context.Context, w io.Writer) (StoreInfo, error) {
	if w == nil {
		return StoreInfo{}, errors.New("the writer is nil")
	}
	return call(ctx, db, reads, "Backup", func(ctx context.Context) (StoreInfo, error) { return db.store.Backup(ctx, guarded.Writer(w)) })
}

// Restore fills an empty store with the graph of a backup, whole or not at all. It gives ErrNotEmpty if the store holds a graph.
func (db *DB) Restore(ctx context.Context, r io.Reader) (StoreInfo, error) {
	if r == nil {
		return StoreInfo{}, errors.New("the reader is nil")
	}
	return call(ctx, db, writes, "Restore", func(ctx context.Context) (StoreInfo, error) {
		from := guarded.Reader(r)
		info, err := db.store.Restore(ctx, from)
		if panicked := from.Panicked(); err != nil && panicked != nil {
			err = panicked
		}
		return info, err
	})
}

// Check verifies everything the store holds: checksums, counts, cross-references, statistics.
func (db *DB) Check(ctx context.Context) (*CheckReport, error) {
	return call(ctx, db, reads, "Check", func(ctx context.Context) (*CheckReport, error) { return db.store.Check(ctx) })
}

// Export writes the current graph to files, whole or not at all. The formats csv and parquet are folders of tables; cypher,
// graphml, jsonl and dot are single files. DB.Load reads all but cypher and dot back as the same graph with the same ids; cypher is
// a script of statements for an empty store, dot is a picture for GraphViz. A panic in ExportOptions.Progress ends the export with a *PanicError.
func (db *DB) Export(ctx context.Context, opt ExportOptions) (*ExportReport, error) {
	return call(ctx, db, reads, "Export", func(ctx context.Context) (*ExportReport, error) {
		ctx, progress, done := guarded.Progress(ctx, opt.Progress)
		opt.Progress = progress
		progress("open", 0, 0)
		snap, err := db.store.Snapshot(ctx)
		if err := done(err); err != nil {
			return nil, err
		}
		if opt.Writer != nil {
			opt.Writer = guarded.Writer(opt.Writer)
		}
		report, err := exporter.Write(ctx, snap, opt)
		return report, done(err)
	})
}

// DiffOptions say how Diff compares two graphs.
type DiffOptions struct {
	By    string // one of DiffWays(); "": by id, then by external ids where both have them, then by structure, ignoring ids
	Limit int    // differences listed; 0 means 20
}

// DiffWays returns the values that DiffOptions.By may have, except for "".
func DiffWays() []string { return slices.Clone(graphdiff.Ways) }

// DiffResult is what Diff found.
type DiffResult struct {
	By            string // how nodes were told apart
	Equal         bool
	Nodes         DiffCounts
	Relationships DiffCounts
	List          []Difference // at most DiffOptions.Limit of them
}

// DiffCounts counts differences between nodes, or between relationships.
type DiffCounts struct{ Removed, Added, Changed uint64 }

// Total returns how many differences Diff found.
func (r *DiffResult) Total() uint64 {
	if r == nil {
		return 0
	}
	n, m := r.Nodes, r.Relationships
	return n.Removed + n.Added + n.Changed + m.Removed + m.Added + m.Changed
}

// Difference is one node or relationship that only one graph has, or that differs.
type Difference struct {
	Sign byte // '-' only in the first, '+' only in the second, '~' in both and different
	Text string
}

// String writes the difference on one line.
func (d Difference) String() string { return string(d.Sign) + " " + d.Text }

// Diff compares the graphs of two stores as they are now: nodes with labels, properties and external ids, relationships
// with types and properties. It pairs nodes by id, or else by external id, or else by structure, unless opt says how.
func Diff(ctx context.Context, a, b *DB, opt DiffOptions) (*DiffResult, error) {
	first, err := a.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	second, err := b.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return compare(ctx, first, second, opt)
}

func compare(ctx context.Context, first, second *csr.Snapshot, opt DiffOptions) (_ *DiffResult, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer caught(&err, "Diff", "")
	r, err := graphdiff.Compare(ctx, first, second, graphdiff.Options(opt))
	if err != nil {
		return nil, err
	}
	out := &DiffResult{By: r.By, Equal: r.Equal, Nodes: DiffCounts(r.Nodes), Relationships: DiffCounts(r.Rels)}
	for _, d := range r.List {
		out.List = append(out.List, Difference(d))
	}
	return out, nil
}

// SavedQuery is a query that the store keeps next to the graph, with the types of its parameters.
type SavedQuery = storage.SavedQuery

// SavedParam is a parameter of a saved query. Type is "string", "integer", "float", "boolean", "list" or "map", or "" for any.
type SavedParam = storage.SavedParam

// SaveQuery keeps a query in the store, and replaces an earlier query of the same name. The text of the query names the parameters;
// the values in sample give their types. A parameter that sample lacks may have any type.
func (db *DB) SaveQuery(ctx context.Context, name, text string, sample Params) error {
	_, err := call(ctx, db, writes, "SaveQuery", func(ctx context.Context) (_ struct{}, err error) {
		q := SavedQuery{Name: name, Text: text}
		if !utf8.ValidString(name) {
			return struct{}{}, fmt.Errorf("the name of the query: %w", convert.ErrNotUTF8)
		}
		if q.Params, err = savedParams(text, sample); err != nil {
			return struct{}{}, queryError(err, text)
		}
		return struct{}{}, db.store.SaveQuery(ctx, q)
	})
	return err
}

// savedParams lists the parameters of a query.
func savedParams(text string, sample Params) (list []SavedParam, err error) {
	script, err := lang.Parse(text)
	if err != nil {
		return nil, err
	}
	for _, stmt := range script.Statements {
		info, err := lang.Check(stmt, nil)
		if err != nil {
			return nil, err
		}
		for _, p := range info.Parameters {
			if !slices.ContainsFunc(list, func(o SavedParam) bool { return o.Name == p.Text }) {
				list = append(list, SavedParam{Name: p.Text, Type: paramType(sample[p.Text])})
			}
		}
	}
	return list, nil
}

// SavedQueries lists the saved queries by name.
func (db *DB) SavedQueries(ctx context.Context) ([]SavedQuery, error) {
	return call(ctx, db, reads, "SavedQueries", func(ctx context.Context) ([]SavedQuery, error) { return db.store.Queries(ctx) })
}

// ForgetQuery drops a saved query. It gives an error if no query has the name.
func (db *DB) ForgetQuery(ctx context.Context, name string) error {
	there, err := call(ctx, db, writes, "ForgetQuery", func(ctx context.Context) (bool, error) { return db.store.DropQuery(ctx, name) })
	if err == nil && !there {
		err = fmt.Errorf("no query is saved as %s", name)
	}
	return err
}

// CheckParams gives an error unless params has every parameter of q, of the right type. params may have others.
func CheckParams(q *SavedQuery, params Params) error {
	if q == nil {
		return errors.New("the saved query is nil")
	}
	for _, p := range q.Params {
		v, ok := params[p.Name]
		if !ok {
			return fmt.Errorf("the saved query %s needs the parameter %s", q.Name, DescribeParam(p))
		}
		if got := paramType(v); p.Type != "" && v != nil && got != p.Type && (p.Type != "float" || got != "integer") {
			return fmt.Errorf("the saved query %s needs the parameter %s, which %s is not", q.Name, DescribeParam(p), showParam(v))
		}
	}
	return nil
}

// NameCount is a label or a relationship type and how many nodes or relationships bear it.
type NameCount struct {
	Name  string
	Count uint64
}

// Connection counts the relationships of a type from nodes of one label to nodes of another label. The label "" stands for nodes
// without labels. A node with several labels counts under each.
type Connection struct {
	From, Type, To string
	Count          uint64
}

// Schema lists the names that occur in the graph. Labels, types and connections come with the most frequent first.
type Schema struct {
	Labels           []NameCount
	Types            []NameCount
	Connections      []Connection
	NodeKeys         []string // property keys of nodes
	RelationshipKeys []string
}

// Stats holds figures of the graph and its store.
type Stats struct {
	Nodes         uint64
	Relationships uint64
	Labels        int
	Types         int
	MaxDegree     uint64 // of a node, over all types and both directions
	Degeneracy    uint32 // of the simple undirected graph
	Loops         uint64
	Simple        bool // no loops, no parallel or reciprocal relationships, over all types together
	Epoch         uint64
	DiskBytes     uint64
	MemoryBytes   uint64 // resident size of the graph, indexes built so far included
}

// Schema returns what occurs in the graph.
func (db *DB) Schema(ctx context.Context) (*Schema, error) {
	return call(ctx, db, reads, "Schema", db.schema)
}

func (db *DB) schema(ctx context.Context) (*Schema, error) {
	s, err := db.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	out := &Schema{NodeKeys: keysOf(s, s.VertexProps), RelationshipKeys: keysOf(s, s.EdgeProps)}
	for i, n := range s.Stats.LabelCount {
		out.Labels = append(out.Labels, NameCount{s.Labels.Name(uint32(i)), n})
	}
	for i, t := range s.Stats.Types {
		out.Types = append(out.Types, NameCount{s.Types.Name(uint32(i)), t.Edges})
	}
	for _, t := range s.Stats.Triples {
		out.Connections = append(out.Connections, Connection{labelName(s, t.Src), s.Types.Name(uint32(t.Type)), labelName(s, t.Dst), t.Count})
	}
	byCount := func(a, b NameCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) }
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
	return call(ctx, db, reads, "Stats", db.stats)
}

func (db *DB) stats(ctx context.Context) (*Stats, error) {
	s, err := db.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	info, err := db.store.Info()
	if err != nil {
		return nil, err
	}
	out := &Stats{Nodes: s.N(), Relationships: s.M(), Labels: s.Labels.Len(), Types: s.Types.Len(), Degeneracy: degeneracy(s),
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

// degeneracy returns the degeneracy that a load has computed. After changes, it computes the degeneracy again.
func degeneracy(s *csr.Snapshot) uint32 {
	if s.Stats.Degeneracy > 0 || s.M() == 0 {
		return s.Stats.Degeneracy
	}
	return s.Derived(degeneracyKey{}, func() any {
		_, _, k, _ := core.ByBins(context.Background(), s.Adjacency(nil, csr.Both), s.N()) // fails by its context only
		return k
	}).(uint32)
}

// String prints one figure a line.
func (s *Stats) String() string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s "+format+"\n", append([]any{name}, args...)...)
	}
	line("nodes", "%d", s.Nodes)
	line("relationships", "%d", s.Relationships)
	line("labels", "%d", s.Labels)
	line("types", "%d", s.Types)
	line("max degree", "%d", s.MaxDegree)
	line("degeneracy", "%d", s.Degeneracy)
	line("self-loops", "%d", s.Loops)
	line("simple", "%s", map[bool]string{true: "yes: no loops, no parallel or reciprocal relationships", false: "no"}[s.Simple])
	line("epoch", "%d", s.Epoch)
	line("on disk", "%d bytes%s", s.DiskBytes, perRelationship(s.DiskBytes, s.Relationships))
	line("in memory", "%d bytes", s.MemoryBytes)
	return b.String()
}

func perRelationship(bytes, relationships uint64) string {
	if relationships == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.2f per relationship)", float64(bytes)/float64(relationships))
}
