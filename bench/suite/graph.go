package suite

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/archive"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/storage"
	"github.com/motifql/motif/storage/importer"
)

// graph is where a graph comes from.
type graph struct {
	name string
	file string // below the data folder; "" for a generated one
	// labels deals so many labels to an edge list; 0: none.
	labels int
	scale  int // of a generated one, with 16 edges a vertex
	// spec says what to load of an archive unpacked into dir; nil for an edge list.
	spec func(dir string) (importer.Spec, error)
	also []string // further archives to unpack
	// build makes what to load below dir, of the file in the folder of real graphs; nil: as the other fields say.
	build func(data, dir string) (importer.Spec, error)
}

func (g *graph) real() bool { return g.file != "" }

// missing names a file of the graph that the folder lacks; "" if there is none.
func (g *graph) missing(data string) string {
	if !g.real() {
		return ""
	}
	for _, name := range append([]string{g.file}, g.also...) {
		if _, err := os.Stat(filepath.Join(data, name)); errors.Is(err, fs.ErrNotExist) {
			return name
		}
	}
	return ""
}

// loaded is a graph in a store.
type loaded struct {
	GraphFigures
	store string // the store's folder
	files string // what an archive held
}

// GraphFigures tells the size of a graph.
type GraphFigures struct {
	Name            string
	Vertices, Edges uint64
	Load            time.Duration
}

func (l *loaded) figures() *GraphFigures { return &l.GraphFigures }

// load reads the graph into a new store below dir.
func (g *graph) load(ctx context.Context, data, dir string) (*loaded, error) {
	l := &loaded{GraphFigures: GraphFigures{Name: g.name}, store: filepath.Join(dir, "store"), files: filepath.Join(dir, "files")}
	if err := os.MkdirAll(l.files, 0o755); err != nil {
		return nil, err
	}
	spec, err := g.prepare(data, l.files)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	db, err := motif.Open(l.store, motif.WithCreate())
	if err != nil {
		return nil, err
	}
	report, err := db.Load(ctx, spec, motif.LoadOptions{})
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	l.Vertices, l.Edges, l.Load = report.Nodes, report.Relationships, time.Since(start)
	return l, nil
}

// change changes so many percent of the nodes, so that the store holds the same graph in blocks and in its log.
func (l *loaded) change(ctx context.Context, percent float64) error {
	if percent == 0 {
		return nil
	}
	s, err := storage.Open(l.store, storage.Options{CompactAt: -1})
	if err != nil {
		return err
	}
	tx, err := s.Begin(ctx, storage.Relaxed)
	if err == nil {
		if err = testgraph.Churn(ctx, 1, tx.Draft(), uint64(float64(l.Vertices)*percent/100)); err == nil {
			err = tx.Commit(ctx)
		}
		tx.Rollback()
	}
	return errors.Join(err, s.Close())
}

// prepare writes or unpacks what the importer reads.
func (g *graph) prepare(data, dir string) (importer.Spec, error) {
	if g.build != nil {
		return g.build(data, dir)
	}
	if g.spec != nil {
		for _, name := range append(g.also, g.file) {
			if err := archive.Unpack(filepath.Join(data, name), dir); err != nil {
				return importer.Spec{}, err
			}
		}
		return g.spec(dir)
	}
	if g.real() && g.labels == 0 {
		return importer.Spec{Files: []string{filepath.Join(data, g.file)}, Undirected: true}, nil
	}
	edges := testgraph.RMAT(g.scale, 16, 1)
	if g.real() {
		list, err := readEdges(filepath.Join(data, g.file))
		if err != nil {
			return importer.Spec{}, err
		}
		edges = pairs(list)
	}
	if g.labels == 0 {
		path := filepath.Join(dir, "edges.txt")
		return importer.Spec{Files: []string{path}, Format: importer.FormatEdges}, writeEdges(path, edges)
	}
	path := filepath.Join(dir, "labelled.graph")
	return importer.Spec{Files: []string{path}, Format: importer.FormatTVE}, writeLabelled(path, edges, g.labels, 1<<g.scale)
}

// readEdges reads lines of two numbers, and skips comments.
func readEdges(path string) (list [][2]uint32, err error) {
	f, err := archive.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			return list, lines.Err()
		}
		words := bytes.Fields(lines.Bytes())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) < 2 {
			return nil, fmt.Errorf("%s: %q is no edge", filepath.Base(path), lines.Text())
		}
		u, err1 := strconv.ParseUint(string(words[0]), 10, 32)
		v, err2 := strconv.ParseUint(string(words[1]), 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		list = append(list, [2]uint32{uint32(u), uint32(v)})
	}
}

func pairs(list [][2]uint32) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for _, e := range list {
			if !yield(e[0], e[1]) {
				return
			}
		}
	}
}

// writeFile writes a text file by way of a buffer.
func writeFile(path string, fill func(w *bufio.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	return errors.Join(fill(w), w.Flush(), f.Close())
}

func writeEdges(path string, edges iter.Seq2[uint32, uint32]) error {
	return writeFile(path, func(w *bufio.Writer) error {
		for u, v := range edges {
			writeLine(w, "", u, v)
		}
		return nil
	})
}

func writeLine(w io.Writer, kind string, u, v uint32) {
	line := make([]byte, 0, 32)
	line = strconv.AppendUint(append(line, kind...), uint64(u), 10)
	line = strconv.AppendUint(append(line, ' '), uint64(v), 10)
	_, _ = w.Write(append(line, '\n')) // a bufio.Writer keeps the error for Flush
}

// writeLabelled writes a t/v/e file of the edges over n vertices, or as many as the edges need, each vertex with one of so many
// labels. The importer drops loops and repeated pairs.
func writeLabelled(path string, edges iter.Seq2[uint32, uint32], labels, n int) error {
	m := 0
	for u, v := range edges {
		n = max(n, int(u)+1, int(v)+1)
		m++
	}
	return writeFile(path, func(w *bufio.Writer) error {
		fmt.Fprintf(w, "t %d %d\n", n, m)
		for v := range uint32(n) {
			writeLine(w, "v ", v, uint32(labelOf(v, labels)))
		}
		for u, v := range edges {
			writeLine(w, "e ", u, v)
		}
		return nil
	})
}

// labelOf deals labels by a hash, as the measurements of others did.
func labelOf(v uint32, labels int) uint64 { return splitmix(uint64(v)^42) % uint64(labels) }

// splitmix is the hash splitmix64.
func splitmix(z uint64) uint64 {
	z += 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// opened is a graph for a number of workers: as a database for queries, as a snapshot for kernels, each opened when it is first
// needed. Only one of them is open at a time, so that memory holds the graph once.
type opened struct {
	*loaded
	workers  int
	timeout  time.Duration
	db       *motif.DB
	snapshot *csr.Snapshot
}

func (o *opened) database() (*motif.DB, error) {
	if o.db != nil {
		return o.db, nil
	}
	return o.reopen(o.store, motif.WithReadOnly())
}

// settling is how long a new store is left alone. While its files are younger, each query looks into them for what others have written.
const settling = 200 * time.Millisecond

// reopen closes what is open and opens a store, which nothing has been asked of.
func (o *opened) reopen(store string, opts ...motif.Option) (*motif.DB, error) {
	if err := o.close(); err != nil {
		return nil, err
	}
	time.Sleep(settling)
	db, err := motif.Open(store, append(opts, motif.WithWorkers(o.workers))...)
	if err != nil {
		return nil, err
	}
	o.db = db
	return db, nil
}

func (o *opened) graph(ctx context.Context) (*csr.Snapshot, error) {
	if o.snapshot == nil {
		if err := o.close(); err != nil {
			return nil, err
		}
		st, err := storage.Open(o.store, storage.Options{ReadOnly: true, Workers: o.workers})
		if err != nil {
			return nil, err
		}
		o.snapshot, err = st.Snapshot(ctx)
		if err = errors.Join(err, st.Close()); err != nil {
			return nil, err
		}
	}
	return o.snapshot, nil
}

func (o *opened) close() error {
	o.snapshot = nil
	if o.db == nil {
		return nil
	}
	db := o.db
	o.db = nil
	return db.Close()
}
