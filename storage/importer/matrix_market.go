package importer

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// matrixHeader is what the lines before the entries of a Matrix Market file say.
type matrixHeader struct {
	field     string // pattern, integer or real
	symmetric bool
	n         int64
	entries   int64
	line      int // of the sizes
}

// matrixRows is what a worker made of a chunk of entries.
type matrixRows struct {
	ends
	weights []csr.Cell // empty for a pattern
}

func (r matrixRows) bytes() int64 { return r.ends.bytes() + 40*int64(cap(r.weights)) }

// readMatrixMarket reads a square matrix of coordinates: an entry in row i and column j is a relationship from node i to node j.
// A symmetric matrix is an undirected graph. Values become the property weight.
func readMatrixMarket(l *loader, ctx context.Context) error {
	f, err := l.openFile(l.Files[0])
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := readMatrixHeader(f)
	if err != nil {
		return err
	}
	if !l.Directed && !l.Undirected {
		l.Directed, l.declared = !h.symmetric, fmt.Sprintf("%s holds a general matrix", f.src.file)
		l.report.Directed, l.report.Direction = l.Directed, l.declared
		if h.symmetric {
			l.report.Direction = fmt.Sprintf("%s holds a symmetric matrix", f.src.file)
		}
	}
	var all matrixRows
	err = inOrder(ctx, l, l.Workers, f.next, h.parse, func(c *chunk, r matrixRows) error {
		f.count(c)
		before := all.bytes()
		all.src, all.dst, all.weights = append(all.src, r.src...), append(all.dst, r.dst...), append(all.weights, r.weights...)
		l.take(all.bytes() - before)
		return nil
	})
	if err != nil {
		return err
	}
	if got := int64(len(all.src)); got != h.entries {
		return &Error{File: f.src.file, Line: h.line, Msg: fmt.Sprintf("the sizes say %d entries, but the lines after them have %d", h.entries, got)}
	}
	if err := l.addVertices(countedIDs{1, int(h.n)}); err != nil {
		return err
	}
	return all.add(l)
}

// add adds the relationships with their weights.
func (r *matrixRows) add(l *loader) error {
	switch {
	case l.Directed && l.declared != "" && reciprocal(r.ends):
		undirect(l)
		r.rise()
	case !l.Directed:
		for i, u := range r.src {
			r.set(i, u, r.dst[i], false)
		}
	}
	first := l.b.Relationships()
	l.b.AddEdges(l.edgeType(l.Type), r.src, r.dst)
	weight := csr.KeyID(0)
	if len(r.weights) > 0 {
		weight = l.b.Key("weight")
	}
	for i, w := range r.weights {
		if err := l.fitsAt(i); err != nil {
			return err
		}
		l.b.SetEdge(first+uint64(i), weight, w)
	}
	return l.fits(l.firstFile(), 0)
}

// readMatrixHeader reads the banner, the comments and the sizes.
func readMatrixHeader(f *file) (*matrixHeader, error) {
	h := &matrixHeader{}
	banner := true
	for {
		c, err := f.takeLine()
		if err == io.EOF {
			return nil, &Error{File: f.src.file, Msg: "found no sizes: rows, columns and entries"}
		}
		if err != nil {
			return nil, err
		}
		f.count(c)
		w := lines{c: c}
		w.next()
		if banner {
			if err := h.banner(&w); err != nil {
				return nil, err
			}
			banner = false
			continue
		}
		if len(w.words) == 0 || w.comment("%") {
			continue
		}
		h.line = c.line
		return h, h.sizes(&w)
	}
}

// banner reads the first line, such as "%%MatrixMarket matrix coordinate real general".
func (h *matrixHeader) banner(w *lines) error {
	words := strings.Fields(strings.ToLower(string(w.c.data)))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return w.c.errorAt(0, `found a first line that is no banner of Matrix Market, expected "%%%%MatrixMarket matrix coordinate FIELD SYMMETRY"`)
	}
	if words[2] != "coordinate" {
		return w.c.errorAt(0, "found a matrix of format %s, expected coordinate: a line an entry", shown([]byte(words[2])))
	}
	if !slices.Contains([]string{"pattern", "integer", "real"}, words[3]) {
		return w.c.errorAt(0, "found entries of kind %s, expected pattern, integer or real", shown([]byte(words[3])))
	}
	if words[4] != "general" && words[4] != "symmetric" {
		return w.c.errorAt(0, "found symmetry %s, expected general or symmetric", shown([]byte(words[4])))
	}
	h.field, h.symmetric = words[3], words[4] == "symmetric"
	return nil
}

// sizes reads the numbers of rows, columns and entries.
func (h *matrixHeader) sizes(w *lines) (err error) {
	if len(w.words) != 3 {
		return w.c.errorAt(w.words[0].lo, "found %s, expected three: rows, columns and entries", plural(uint64(len(w.words)), "word", "words"))
	}
	if h.n, err = w.int(0, 0, math.MaxUint32-1, "the number of rows"); err != nil {
		return err
	}
	columns, err := w.int(1, 0, math.MaxUint32-1, "the number of columns")
	if err != nil {
		return err
	}
	if columns != h.n {
		return w.c.errorAt(w.words[0].lo, "found %d rows and %d columns: a graph's matrix is square; write one between two kinds of things as an edge list, with ids such as r1 c1", h.n, columns)
	}
	h.entries, err = w.int(2, 0, math.MaxInt64, "the number of entries")
	return err
}

// parse reads a chunk of entries.
func (h *matrixHeader) parse(c *chunk) (r matrixRows, err error) {
	w := lines{c: c}
	want := 3
	if h.field == "pattern" {
		want = 2
	}
	for w.next() {
		if len(w.words) == 0 || w.comment("%") {
			continue
		}
		if len(w.words) != want {
			return r, c.errorAt(w.words[0].lo, "found %s, expected %d in an entry", plural(uint64(len(w.words)), "word", "words"), want)
		}
		row, err := w.int(0, 1, h.n, fmt.Sprintf("a row from 1 to %d", h.n))
		if err != nil {
			return r, err
		}
		column, err := w.int(1, 1, h.n, fmt.Sprintf("a column from 1 to %d", h.n))
		if err != nil {
			return r, err
		}
		r.ends.add(uint32(row-1), uint32(column-1), true)
		if want == 2 {
			continue
		}
		cell, err := h.weight(&w)
		if err != nil {
			return r, err
		}
		r.weights = append(r.weights, cell)
	}
	return r, nil
}

// weight reads the value of an entry.
func (h *matrixHeader) weight(w *lines) (csr.Cell, error) {
	text := string(w.text(2))
	if h.field == "integer" {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return csr.IntCell(n), nil
		}
		return csr.Cell{}, w.c.errorAt(w.words[2].lo, "found %s, expected a 64-bit integer", shown(w.text(2)))
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "_xX") {
		return csr.Cell{}, w.c.errorAt(w.words[2].lo, "found %s, expected a number", shown(w.text(2)))
	}
	return csr.FloatCell(x), nil
}

// detectMatrixMarket tells Matrix Market by its banner.
func detectMatrixMarket(o *opening) string {
	if len(o.head) >= 14 && strings.EqualFold(string(o.head[:14]), "%%MatrixMarket") {
		return "its first line begins with %%MatrixMarket"
	}
	return ""
}
