package importer

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/motifql/motif/internal/csr"
)

// metisHeader is the first line of a METIS file: nodes, edges, which weights there are.
type metisHeader struct {
	line           int
	n, m           int64
	sizes, weights bool // every node line starts with its size; every neighbour is followed by the edge's weight
	ncon           int  // weights of a node, after its size
}

// metisRows is what a worker made of a chunk. It does not know which node its first row is; readMETIS does.
type metisRows struct {
	rows    int
	filled  int // rows up to the last that is not blank
	blank   int // the first blank row, or math.MaxInt
	edges   []metisEdge
	numbers []int64 // sizes and node weights, row by row
}

func (r metisRows) bytes() int64 { return 16*int64(cap(r.edges)) + 8*int64(cap(r.numbers)) }

// metisEdge is one neighbour of a row's node. Nodes are counted from 0, in the file from 1.
type metisEdge struct {
	u, v   uint32 // u is the row until metisGraph.add
	weight int64
}

// readMETIS reads the METIS format. It lists every edge from both ends; an undirected load checks that and takes
// each once, a directed one keeps both as they stand.
func (l *loader) readMETIS(ctx context.Context) error {
	f, err := l.oneGraph()
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := readMETISHeader(f)
	if err != nil {
		return err
	}
	rows := rowCounter{n: h.n, strict: h.numbers() > 0}
	g := metisGraph{loader: l, h: h}
	err = inOrder(ctx, l, l.Workers, f.next, func(c *chunk) (metisRows, error) {
		return h.parse(c)
	}, func(c *chunk, r metisRows) error {
		f.count(c)
		if err := h.checkRows(c, &r, max(0, h.n-rows.rows)); err != nil {
			return err
		}
		g.add(uint32(rows.rows), &r)
		rows.add(c, r.rows)
		return nil
	})
	if err == nil {
		err = rows.check(f)
	}
	if err == nil {
		err = g.check(ctx, f)
	}
	if err == nil {
		err = g.build()
	}
	return err
}

func readMETISHeader(f *file) (*metisHeader, error) {
	for {
		c, err := f.takeLine()
		if err == io.EOF {
			return nil, &Error{File: f.src.file, Msg: "found no line but comments, expected the number of nodes and of edges"}
		}
		if err != nil {
			return nil, err
		}
		f.count(c)
		row := lines{c: c}
		if row.next(); len(row.words) > 0 && !row.comment("%") {
			return parseMETISHeader(&row)
		}
	}
}

func parseMETISHeader(row *lines) (*metisHeader, error) {
	h := &metisHeader{line: row.c.line}
	if k := len(row.words); k < 2 || k > 4 {
		return nil, row.c.errorAt(row.words[0].lo, "found %s, expected two to four: nodes, edges, format, weights a node", plural(uint64(k), "number", "numbers"))
	}
	var err error
	if h.n, err = row.int(0, 0, int64(csr.MaxVertices), fmt.Sprintf("the number of nodes (at most %d)", csr.MaxVertices)); err != nil {
		return nil, err
	}
	if h.m, err = row.int(1, 0, math.MaxInt64/2, "the number of edges"); err != nil {
		return nil, err
	}
	if len(row.words) > 2 {
		w := row.text(2)
		for _, b := range w {
			if b != '0' && b != '1' || len(w) > 3 {
				return nil, row.c.errorAt(row.words[2].lo, "found %s, expected the format: up to three digits 0 or 1 (node sizes, node weights, edge weights)", shown(w))
			}
		}
		at := func(i int) bool { return len(w) > i && w[len(w)-1-i] == '1' }
		h.weights, h.sizes = at(0), at(2)
		if at(1) {
			h.ncon = 1
		}
	}
	if len(row.words) > 3 {
		ncon, err := row.int(3, 0, 1024, "the number of weights a node (at most 1024)")
		if err != nil {
			return nil, err
		}
		if ncon > 0 && h.ncon == 0 {
			return nil, row.c.errorAt(row.words[3].lo, "found %d weights a node, but the format before it says that nodes have none", ncon)
		}
		if h.ncon > 0 && ncon > 0 {
			h.ncon = int(ncon)
		}
	}
	return h, nil
}

// numbers is how many numbers stand before the neighbours of a node.
func (h *metisHeader) numbers() int {
	if h.sizes {
		return 1 + h.ncon
	}
	return h.ncon
}

func (h *metisHeader) parse(c *chunk) (metisRows, error) {
	r := metisRows{blank: math.MaxInt}
	neighbour := fmt.Sprintf("a neighbour from 1 to %d", h.n)
	for row := (lines{c: c}); row.next(); {
		if row.comment("%") {
			continue
		}
		if len(row.words) == 0 {
			r.blank = min(r.blank, r.rows)
		}
		if len(row.words) > 0 {
			if err := h.parseRow(&row, &r, neighbour); err != nil {
				return r, err
			}
			r.filled = r.rows + 1
		}
		r.rows++
	}
	return r, nil
}

func (h *metisHeader) parseRow(row *lines, r *metisRows, neighbour string) error {
	k := h.numbers()
	if len(row.words) < k {
		return row.c.errorAt(row.end(), "found %s, expected %d before the node's neighbours", plural(uint64(len(row.words)), "size or weight", "sizes and weights"), k)
	}
	for i := range k {
		w, err := row.int(i, math.MinInt64, math.MaxInt64, "a size or weight (an integer)")
		if err != nil {
			return err
		}
		r.numbers = append(r.numbers, w)
	}
	for i := k; i < len(row.words); i++ {
		v, err := row.int(i, 1, h.n, neighbour)
		if err != nil {
			return err
		}
		e := metisEdge{u: uint32(r.rows), v: uint32(v - 1)}
		if h.weights {
			if i++; i == len(row.words) {
				return row.c.errorAt(row.end(), "found the end of the line after neighbour %d, expected the weight of the edge", v)
			}
			if e.weight, err = row.int(i, math.MinInt64, math.MaxInt64, "the weight of the edge (an integer)"); err != nil {
				return err
			}
		}
		r.edges = append(r.edges, e)
	}
	return nil
}

// checkRows compares a chunk with the number of rows that nodes are left for. Blank lines after them do no harm.
func (h *metisHeader) checkRows(c *chunk, r *metisRows, left int64) error {
	if int64(r.blank) < min(left, int64(r.rows)) && h.numbers() > 0 {
		return c.errorAt(rowStart(c, r.blank), "found a blank line, expected %s of a node", plural(uint64(h.numbers()), "size or weight", "sizes and weights"))
	}
	if int64(r.filled) > left {
		row := lines{c: c, pos: rowStart(c, int(left))}
		for row.next() && (len(row.words) == 0 || row.comment("%")) {
		}
		return c.errorAt(row.words[0].lo, "found another line, expected the end of the file: the first line says %s", plural(uint64(h.n), "node", "nodes"))
	}
	return nil
}

// rowStart is the position of the first word of row k or, if that row is blank, of the row. The comments are no rows.
func rowStart(c *chunk, k int) int {
	row := lines{c: c}
	for start := 0; row.next(); start = row.pos {
		if row.comment("%") {
			continue
		}
		if k--; k >= 0 {
			continue
		}
		if len(row.words) > 0 {
			return row.words[0].lo
		}
		return start
	}
	return len(c.data)
}

// metisGraph collects the chunks.
type metisGraph struct {
	*loader
	h        *metisHeader
	numbers  []int64
	edges    []metisEdge // from the smaller end only, unless Directed
	loops    uint64
	up, down uint64 // entries to a larger and to a smaller neighbour
	sum      uint64 // of up's hashes less down's: 0 if each edge stands at both its ends with one weight
}

func (g *metisGraph) add(first uint32, r *metisRows) {
	before := 8*cap(g.numbers) + 16*cap(g.edges)
	g.numbers = append(g.numbers, r.numbers...)
	defer func() { g.take(int64(8*cap(g.numbers) + 16*cap(g.edges) - before)) }()
	for _, e := range r.edges {
		e.u += first
		switch {
		case e.u == e.v:
			g.loops++
		case e.u < e.v:
			g.up++
			g.sum += e.hash()
		default:
			g.down++
			g.sum -= e.hash()
		}
		if g.Directed || e.u < e.v {
			g.edges = append(g.edges, e)
		}
	}
}

// hash mixes the edge and its weight; both directions give the same. The finalizer is that of splitmix64.
func (e metisEdge) hash() uint64 {
	x := uint64(min(e.u, e.v))<<32 | uint64(max(e.u, e.v))
	for _, w := range []uint64{x, uint64(e.weight)} {
		x = (x ^ w ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

// check compares the neighbours with the number of edges in the header, and each edge's two ends with each other.
func (g *metisGraph) check(ctx context.Context, f *file) error {
	m := uint64(g.h.m)
	if total := g.up + g.down + g.loops; total != 2*m && g.up+g.loops != m && g.up != m && g.down != m {
		return &Error{File: f.src.file, Line: g.h.line, Msg: fmt.Sprintf("the first line says %s, but the lines after it list %s, not twice as many", plural(m, "edge", "edges"), plural(total, "neighbour", "neighbours"))}
	}
	if g.sum == 0 && g.up == g.down || g.Directed {
		return nil
	}
	return g.oneSided(ctx, f)
}

// oneSided reads the file again for an edge that one end lists more often, or with another weight, than the other.
func (g *metisGraph) oneSided(ctx context.Context, f *file) error {
	missing := make(map[metisEdge]int) // by edge with u < v: entries at u less entries at v
	err := g.again(ctx, f, func(_ *chunk, _ int, e metisEdge) error {
		key, sign := e.key()
		missing[key] += sign
		return nil
	})
	if err != nil {
		return err
	}
	return g.again(ctx, f, func(c *chunk, row int, e metisEdge) error {
		key, sign := e.key()
		if missing[key]*sign <= 0 {
			return nil
		}
		weight := ""
		if g.h.weights {
			weight = fmt.Sprintf(" with weight %d", e.weight)
		}
		return c.errorAt(rowStart(c, row), "node %d lists neighbour %d%s, but not the other way round; METIS lists every edge at both ends (a directed load keeps the lines as they stand)", e.u+1, e.v+1, weight)
	})
}

func (e metisEdge) key() (metisEdge, int) {
	switch {
	case e.u < e.v:
		return e, 1
	case e.u > e.v:
		return metisEdge{e.v, e.u, e.weight}, -1
	}
	return e, 0
}

// again reads the file a second time and visits every entry, with its row in the chunk.
func (g *metisGraph) again(ctx context.Context, f *file, visit func(c *chunk, row int, e metisEdge) error) error {
	again, err := g.openFile(f.src.file)
	if err != nil {
		return err
	}
	defer again.Close()
	if _, err := readMETISHeader(again); err != nil {
		return err
	}
	rows := 0
	return inOrder(ctx, g.loader, g.Workers, again.next, g.h.parse, func(c *chunk, r metisRows) error {
		for _, e := range r.edges {
			row := int(e.u)
			e.u += uint32(rows)
			if err := visit(c, row, e); err != nil {
				return err
			}
		}
		rows += r.rows
		return nil
	})
}

// build adds the nodes with their weights, and the relationships with theirs.
func (g *metisGraph) build() error {
	if err := g.addVertices(countedIDs{1, int(g.h.n)}); err != nil {
		return err
	}
	if k := g.h.numbers(); k > 0 {
		keys := g.h.keys(g.b)
		for i, w := range g.numbers {
			if err := g.fitsAt(i); err != nil {
				return err
			}
			g.b.SetVertex(uint32(i/k), keys[i%k], csr.IntCell(w))
		}
	}
	t, weight := g.edgeType(g.Type), csr.KeyID(0)
	if g.h.weights {
		weight = g.b.Key("weight")
	}
	if !g.Directed {
		g.report.Loops += g.loops
	}
	for k, e := range g.edges {
		if err := g.fitsAt(k); err != nil {
			return err
		}
		i := g.b.AddEdge(e.u, e.v, t)
		if g.h.weights {
			g.b.SetEdge(i, weight, csr.IntCell(e.weight))
		}
	}
	return nil
}

// keys are the properties of a node's numbers: size, and weight or weight1, weight2, ...
func (h *metisHeader) keys(b *csr.Builder) []csr.KeyID {
	var keys []csr.KeyID
	if h.sizes {
		keys = append(keys, b.Key("size"))
	}
	for i := range h.ncon {
		name := "weight"
		if h.ncon > 1 {
			name = fmt.Sprintf("weight%d", i+1)
		}
		keys = append(keys, b.Key(name))
	}
	return keys
}
