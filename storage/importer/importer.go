package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// EdgeType is the relationship type of formats that name none.
const EdgeType = "EDGE"

// Spec says what to load: either Files of one format, or a property graph of Nodes and Relationships.
type Spec struct {
	// Files are a graph: edge lists may be several, which share their ids; other formats take one. A folder, or a zip
	// archive of several files, stands for what it holds: node and relationship files, told by their headers, or one
	// file of another format. Node and relationship files may also be named one by one.
	Files  []string
	Format string // the name of one of Formats; "" detects it from name and content of the first file

	Nodes         []NodeFile // neo4j-admin style CSV, or Parquet
	Relationships []RelationshipFile

	Directed       bool   // Files only: keep every line as it stands, loops and duplicates too
	Undirected     bool   // Files only: one relationship a pair of nodes, also where a file says that it is directed
	Label          string // Files only: a label for every node
	Type           string // Files only: the relationship type; "" means EdgeType
	Weight         string // edge lists only: the property that keeps the third column, or the CSV column of this name; "" leaves it out
	Delimiter      rune   // CSV: 0 detects it from the header line
	ArrayDelimiter rune   // Nodes and Relationships: 0 means ';'

	// Types gives columns of node and relationship files types, by name, as headers write them: int, date, ID. They replace a
	// header's own. A column with neither gets the narrowest type that fits all its values.
	Types map[string]string

	// Header names the columns of a node or relationship file without a header line, one that is loaded alone. NoHeader says
	// that no such file has a header line: the columns are then id, column2, ..., or from, to, column3, ...
	Header   []string
	NoHeader bool

	// SkipBad leaves out rows of node and relationship files that are wrong, instead of failing: rows with a value of another
	// type than the header gives, an empty, unknown or repeated id, or too few or too many fields. Report.BadRows has the first of
	// them, and all if ListBad is set.
	SkipBad, ListBad bool

	FS      fs.FS     // where the paths lead, such as an embed.FS; nil: the machine's files
	Stdin   io.Reader // what the path "-" stands for; nil: "-" is the name of a file
	Workers int       // goroutines; 0 means one a processor

	// Memory is how many bytes the load may hold: text, ids, values and the graph that it builds. A load that needs more
	// ends with an *Error about the line where it stopped, which is motif.ErrMemory. 0 sets no limit.
	Memory int64
}

// NodeFile is one group of node files. The first of Paths starts with the header, or is nothing but the header; the others go
// on below it. Every node gets Labels beside those of a :LABEL column.
type NodeFile struct {
	Labels []string
	Paths  []string

	guess string // why Motif took a table for nodes; "" if the caller said so
}

// RelationshipFile is one group of relationship files, as in NodeFile. A :TYPE column overrides Type row by row.
type RelationshipFile struct {
	Type  string
	Paths []string
}

// ParseNodeFile reads Label=path, Label:Other=path or a mere path, as the command takes them. Commas separate several
// paths, unless a file has the whole name.
func ParseNodeFile(arg string) (NodeFile, error) {
	names, path, ok := strings.Cut(arg, "=")
	if !ok {
		names, path = "", arg
	}
	if path == "" {
		return NodeFile{}, fmt.Errorf("nodes %q: expected LABEL=FILE or LABEL:OTHER=FILE", arg)
	}
	f := NodeFile{Paths: splitPaths(path)}
	if names == "" {
		return f, nil
	}
	f.Labels = strings.Split(names, ":")
	if slices.Contains(f.Labels, "") {
		return f, fmt.Errorf("nodes %q: a label is empty; expected LABEL=FILE or LABEL:OTHER=FILE", arg)
	}
	return f, nil
}

// ParseRelationshipFile reads TYPE=path or a mere path, with paths as in ParseNodeFile.
func ParseRelationshipFile(arg string) (RelationshipFile, error) {
	name, path, ok := strings.Cut(arg, "=")
	if !ok {
		name, path = "", arg
	}
	if path == "" {
		return RelationshipFile{}, fmt.Errorf("relationships %q: expected TYPE=FILE", arg)
	}
	return RelationshipFile{Type: name, Paths: splitPaths(path)}, nil
}

// splitPaths splits a list of paths. A file whose name has commas is taken as it stands.
func splitPaths(list string) []string {
	if strings.Contains(list, ",") {
		if r, _, err := openPath(list); err == nil {
			r.Close()
			return []string{list}
		}
	}
	return strings.Split(list, ",")
}

// Progress is how far a load has come. Stage "read" counts bytes as stored (compressed, if they are). So do stages "types"
// and "nodes", if the types of columns or the nodes at ends of relationships need a reading of their own. Stage "number" follows
// node files. After stage "build", the load is done.
type Progress struct {
	Stage        string // "read", "types", "nodes", "number" or "build"
	File         string // the file being read
	Bytes, Total uint64 // of all files; Total is 0 if one is a pipe
	Lines        uint64 // of all files
}

// The stages of Progress.
const (
	stageRead   = "read"
	stageTypes  = "types"
	stageNodes  = "nodes"
	stageNumber = "number"
	stageBuild  = "build"
)

// enter reports that a stage begins in which no bytes are read.
func enter(l *loader, stage string) {
	l.progress(Progress{Stage: stage, Bytes: l.total, Total: l.total, Lines: l.report.Lines})
}

// Report is what a load did.
type Report struct {
	Format   string // the name of one of Formats, or "property graph"
	Detected string // why Format was chosen; "" if it was given

	Directed  bool   // relationships keep the directions of the files
	Direction string // why; "" if Spec said it
	Fixed     bool   // the files alone decide this; Spec.Directed and Spec.Undirected do not apply

	Nodes         uint64
	Relationships uint64
	Loops         uint64 // self-loops dropped
	Duplicates    uint64 // repeats of a pair dropped, the other direction counting as the same pair
	Differing     uint64 // those of Duplicates with other properties than the relationship that stays, the first of its pair

	Schema Schema // of the graph

	// Of files that were added to a graph; see Part. Nodes, Relationships and Schema are those of the whole.
	OldNodes, OldRelationships uint64
	Matched                    uint64   // nodes of the files that the graph had already
	Repeated                   uint64   // relationships added that the graph had already, with the same ends, type and properties
	NewLabels, NewTypes        []string // names that the graph did not have

	Skipped uint64 // rows left out by SkipBad
	BadRows []BadRow

	Files    int
	Bytes    uint64 // of text, decompressed
	Lines    uint64
	Warnings []string
}

// Load reads the files into a snapshot. Nothing is kept of a load that fails: an input that is not what its format
// asks for gives an *Error. progress may be nil; one goroutine at a time calls it, about once a mebibyte of text.
//
// Load returns soon after ctx ends, even if a file does not answer, such as a pipe without a writer. What still waits for
// the file ends with it.
func Load(ctx context.Context, spec Spec, progress func(Progress)) (*csr.Snapshot, *Report, error) {
	return load(ctx, spec, progress, func(*loader) func() { return func() {} })
}

// load reads the files. Before it reads, it calls begin with its state, and at its end what begin returns.
func load(ctx context.Context, spec Spec, progress func(Progress), begin func(*loader) (end func())) (*csr.Snapshot, *Report, error) {
	if ctx == nil {
		return nil, nil, errors.New("the context is nil")
	}
	open, done := opener(openIn(spec.FS)), func() {}
	if spec.FS == nil {
		files := archives{}
		open, done = files.open, files.close
	}
	return abandonable(ctx, progress, func(progress func(Progress)) (*csr.Snapshot, *Report, error) {
		defer done()
		if spec.FS == nil || spec.Stdin != nil {
			all := &pipes{stdin: spec.Stdin, local: spec.FS == nil, files: open, kept: make(map[string]*pipeCopy)}
			defer all.close()
			open = all.open
		}
		l := newLoader(spec, open, progress)
		l.ctx = ctx
		defer begin(l)()
		return l.load(ctx)
	})
}

// loader is the state of one Load.
type loader struct {
	Spec
	*ledger
	open     opener
	progress func(Progress)
	format   *Format // of Files, once it is known
	chunk    int     // bytes of text a worker gets at a time
	b        *csr.Builder
	report   Report
	stage    string // of progress while files are read
	done     uint64 // stored bytes of the files finished
	total    uint64
	piped    bool   // a file is a pipe, so the total is not known
	declared string // what a file says of its direction, if that counts

	ends     map[string][2]string // by file: the columns that plainTables took for the ends
	types    columnTypes          // of columns
	survey   bool                 // look at all values of columns without types before reading
	external map[string]*space    // the external ids that files gave beside the ids they refer by
	part     bool                 // the graph is a Part: relationships may refer to nodes that another graph has
	store    *storeIDs            // of that graph
	given    givenIDs
	known    func(id []byte) bool // whether a node file has the id; nil before all node files are read
	spill    spill
}

func newLoader(spec Spec, open opener, progress func(Progress)) *loader {
	if spec.Workers <= 0 {
		spec.Workers = runtime.GOMAXPROCS(0)
	}
	if spec.Type == "" && len(spec.Files) > 0 {
		spec.Type = EdgeType
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	l := &loader{Spec: spec, open: open, progress: progress, stage: stageRead, chunk: chunkSize(spec.Memory, spec.Workers), b: csr.NewBuilder(), types: columnTypes{given: spec.Types}}
	l.ledger = &ledger{ctx: context.Background(), mem: budgetOf(spec.Memory), graph: l.b, spec: &l.Spec, report: &l.report}
	if l.mem != nil {
		l.b.SetBudget(l.mem)
	}
	l.spill.mem = l.mem
	return l
}

func (l *loader) load(ctx context.Context) (*csr.Snapshot, *Report, error) {
	if err := l.expand(); err != nil {
		return nil, nil, err
	}
	if err := l.check(); err != nil {
		return nil, nil, err
	}
	if err := l.measure(); err != nil {
		return nil, nil, err
	}
	l.progress(readSoFar(l, "", 0))
	read := l.readGraph
	if len(l.Files) == 0 {
		read = l.readProperties
	}
	if err := readAgain(ctx, l, read); err != nil {
		return nil, nil, err
	}
	enter(l, stageBuild)
	s, data, dropped, err := build(ctx, l)
	if err != nil {
		return nil, nil, l.buildError(err)
	}
	r := &l.report
	r.Nodes, r.Relationships, r.Schema = data.Vertices, data.Edges, schemaOf(data)
	r.Loops += dropped.Loops
	r.Duplicates += dropped.Duplicates
	r.Differing += dropped.Differing
	return s, r, nil
}

// check refuses options that contradict each other or would do nothing.
func (l *loader) check() error {
	files, properties := len(l.Files) > 0, len(l.Nodes)+len(l.Relationships) > 0
	switch {
	case files && properties:
		return fmt.Errorf("give either graph files or node and relationship files, not both")
	case !files && !properties:
		return fmt.Errorf("no file to load")
	case slices.ContainsFunc(l.Nodes, func(f NodeFile) bool { return len(f.Paths) == 0 }),
		slices.ContainsFunc(l.Relationships, func(f RelationshipFile) bool { return len(f.Paths) == 0 }):
		return fmt.Errorf("a group of node or relationship files has no path")
	case l.Format != "" && formatOf(l.Format) == nil:
		return fmt.Errorf("unknown format %q; there are %s", l.Format, strings.Join(FormatNames(), ", "))
	case properties && l.Format != "" && l.Format != FormatCSV:
		return fmt.Errorf("node and relationship files are CSV; format %q does not apply", l.Format)
	case l.Directed && l.Undirected:
		return fmt.Errorf("directed and undirected contradict each other; choose one")
	case properties && (l.Directed || l.Undirected || l.Label != "" || l.Type != ""):
		return fmt.Errorf("directed, undirected, label and type apply to graph files only; node and relationship files say these themselves")
	case properties && l.Weight != "":
		return fmt.Errorf("a weight applies to edge lists only; relationship files keep all their columns")
	case files && (l.SkipBad || l.ArrayDelimiter != 0):
		return fmt.Errorf("skipping bad rows and the array delimiter apply to node and relationship files only")
	case files && len(l.Types) > 0:
		return fmt.Errorf("types of columns apply to node and relationship files only")
	case files && (len(l.Header) > 0 || l.NoHeader):
		return fmt.Errorf("a header applies to node and relationship files only")
	case len(l.Header) > 0 && len(l.Nodes)+len(l.Relationships) > 1:
		return fmt.Errorf("a header applies to one file; with several, put it into a file of its own: header.csv,people.csv")
	}
	for _, d := range []rune{l.Delimiter, l.ArrayDelimiter} {
		if d < 0 || d > 126 || d == '"' || d == '\n' || d == '\r' {
			return fmt.Errorf("%q cannot be a delimiter; use one ASCII character other than the quote", d)
		}
	}
	return nil
}

// checkFormat refuses what the format, given or detected, has no use for.
func (l *loader) checkFormat() error {
	f := l.format
	if len(l.Files) > 1 && !f.pairs {
		return fmt.Errorf("a file of format %q holds a whole graph: give one file, not %d", f.Name, len(l.Files))
	}
	if (l.Directed || l.Undirected) && f.complete {
		return fmt.Errorf("format %q says itself where relationships lead; directed and undirected do not apply", f.Name)
	}
	if l.Delimiter != 0 && !f.pairs {
		return fmt.Errorf("format %q has no delimiter to choose", f.Name)
	}
	if l.Weight != "" && !f.pairs {
		return fmt.Errorf("a weight is the third column of an edge list, which format %q does not have", f.Name)
	}
	return nil
}

// measure opens every file once, so that a missing one is reported before work begins, and sums their sizes.
func (l *loader) measure() error {
	paths := slices.Clone(l.Files)
	for _, f := range l.Nodes {
		paths = append(paths, f.Paths...)
	}
	for _, f := range l.Relationships {
		paths = append(paths, f.Paths...)
	}
	for _, p := range paths {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		r, size, err := l.open(p)
		if err != nil {
			return fileError(p, err)
		}
		r.Close()
		if size < 0 {
			l.piped = true
			continue
		}
		l.total += uint64(size)
	}
	return nil
}

func (l *loader) warn(format string, args ...any) {
	l.report.Warnings = append(l.report.Warnings, fmt.Sprintf(format, args...))
}

// file is an open input of a load.
type file struct {
	*text
	src *source
	l   *loader
}

func (l *loader) openFile(path string) (*file, error) {
	src, err := l.openSource(path)
	if err != nil {
		return nil, err
	}
	t, err := newText(src, l.chunk, l.mem)
	if err != nil {
		src.Close()
		return nil, err
	}
	l.report.Files++
	return &file{t, src, l}, nil
}

// Close ends the reading of f.
func (f *file) Close() {
	f.l.done += uint64(f.src.read.Load())
	f.mem.Release(f.held)
	f.src.Close()
}

// count adds a chunk that is done to what the load reports.
func (f *file) count(c *chunk) {
	f.l.report.Bytes += uint64(len(c.data))
	f.l.report.Lines += uint64(c.lines)
	f.l.progress(readSoFar(f.l, f.src.file, uint64(f.src.read.Load())))
}

// addVertices adds a vertex for each id, with the id as property and external id.
func (l *loader) addVertices(ids idCells) error {
	if l.mem != nil && 8*int64(ids.len()) > l.mem.Limit { // a few bytes may announce billions of nodes
		return l.tooMuch(l.firstFile(), 0)
	}
	var labels []csr.LabelID
	if l.Label != "" {
		labels = append(labels, l.b.Label(l.Label))
	}
	first, key := l.b.AddVertices(ids.len(), labels...), l.b.Key("id")
	for i := range ids.len() {
		if err := l.fitsAt(i); err != nil {
			return err
		}
		v, cell := first+uint32(i), ids.cell(i)
		l.b.SetVertex(v, key, cell)
		l.b.External("", v, cell)
	}
	return l.fits(l.firstFile(), 0)
}
