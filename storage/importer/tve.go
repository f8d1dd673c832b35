package importer

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// noLabel is the label of an edge line that has none.
const noLabel = -1

// tveGraph is a labelled graph as its file has it. Ends are numbers of vertices: ids count them in rising order.
type tveGraph struct {
	ids        *intIDs
	labels     []int64 // by vertex
	ends       []uint32
	edgeLabels []int64 // one per two ends; noLabel where the line has none
	typed      bool    // there are two edge labels that differ
}

// edgeType is the relationship type of an edge label.
func (g *tveGraph) edgeType(label int64, untyped string) string {
	if label == noLabel || !g.typed {
		return untyped
	}
	return fmt.Sprintf("E%d", label)
}

// readTVE reads t, v and e lines into the builder.
func (l *loader) readTVE(ctx context.Context) error {
	g, err := l.parseTVE(ctx)
	if err != nil {
		return err
	}
	if err := l.addVertices(g.ids); err != nil {
		return err
	}
	names := make(map[int64]csr.LabelID)
	for v, label := range g.labels {
		if err := l.fitsAt(v); err != nil {
			return err
		}
		id, ok := names[label]
		if !ok {
			id = l.b.Label(fmt.Sprintf("L%d", label))
			names[label] = id
		}
		l.b.SetLabels(uint32(v), append(slices.Clone(l.b.LabelsOf(uint32(v))), id)...)
	}
	types := make(map[int64]csr.TypeID)
	for i, label := range g.edgeLabels {
		if err := l.fitsAt(i); err != nil {
			return err
		}
		t, ok := types[label]
		if !ok {
			t = l.edgeType(g.edgeType(label, l.Type))
			types[label] = t
		}
		u, v := g.ends[2*i], g.ends[2*i+1]
		if u > v && !l.Directed {
			u, v = v, u
		}
		l.b.AddEdge(u, v, t)
	}
	return nil
}

// tveRows is what a worker made of a chunk.
type tveRows struct {
	headers      []tveHeader
	ids, labels  []int64 // of v lines
	ends, eLabel []int64 // of e lines: two ends and a label
	body         int     // offset of the first v or e line, -1 if there is none
}

func (r tveRows) bytes() int64 {
	return 8*int64(cap(r.ids)+cap(r.labels)+cap(r.ends)+cap(r.eLabel)) + 32*int64(cap(r.headers))
}

// tveHeader is a t line: "t N M", "t 0 N" or "t # number".
type tveHeader struct {
	at     int
	a, b   int64
	number bool
}

func (l *loader) parseTVE(ctx context.Context) (*tveGraph, error) {
	f, err := l.oneGraph()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := tveBuilder{loader: l, file: f}
	err = inOrder(ctx, l, l.Workers, f.next, parseTVERows, func(c *chunk, r tveRows) error {
		f.count(c)
		return b.add(c, &r)
	})
	if err != nil {
		return nil, err
	}
	return b.finish(ctx)
}

func parseTVERows(c *chunk) (tveRows, error) {
	r := tveRows{body: -1}
	for row := (lines{c: c}); row.next(); {
		if len(row.words) == 0 || row.comment("#%") {
			continue
		}
		var err error
		at := row.words[0].lo
		switch string(row.text(0)) {
		case "t":
			err = r.header(&row)
		case "v":
			err = r.vertex(&row)
		case "e":
			err = r.edge(&row)
		default:
			err = c.errorAt(at, "found %s, expected a line that starts with t, v or e", shown(row.text(0)))
		}
		if err != nil {
			return r, err
		}
		if r.body < 0 && c.data[at] != 't' {
			r.body = at
		}
	}
	return r, nil
}

func (r *tveRows) header(row *lines) error {
	h := tveHeader{at: row.words[0].lo}
	var err error
	if h.number = len(row.words) == 3 && string(row.text(1)) == "#"; h.number {
		h.b, err = row.int(2, -1, math.MaxInt64, "the number of the graph")
	} else {
		var ns []int64
		if ns, err = numbers(row, 2, "the number of vertices", "the number of edges"); err == nil {
			h.a, h.b = ns[0], ns[1]
		}
	}
	if err == nil {
		r.headers = append(r.headers, h)
	}
	return err
}

func (r *tveRows) vertex(row *lines) error {
	ns, err := numbers(row, 2, "a vertex id (an integer)", "a label (an integer, 0 or more)", "a degree (an integer)")
	if err == nil {
		err = checkLabel(row, ns, 1)
	}
	if err == nil {
		r.ids, r.labels = append(r.ids, ns[0]), append(r.labels, ns[1])
	}
	return err
}

func (r *tveRows) edge(row *lines) error {
	ns, err := numbers(row, 2, "a vertex id (an integer)", "a second vertex id (an integer)", "a label (an integer, 0 or more)")
	if err == nil {
		err = checkLabel(row, ns, 2)
	}
	if err == nil {
		r.ends = append(r.ends, ns[0], ns[1])
		r.eLabel = append(r.eLabel, append(ns, noLabel)[2])
	}
	return err
}

// numbers reads the words after the first: integers, as many as there are names or fewer, but at least least.
func numbers(row *lines, least int, names ...string) ([]int64, error) {
	have := len(row.words) - 1
	if have < least {
		return nil, row.c.errorAt(row.end(), "found the end of the line, expected %s", names[have])
	}
	if have > len(names) {
		return nil, row.c.errorAt(row.words[len(names)+1].lo, "found %s, expected the end of the line", shown(row.text(len(names)+1)))
	}
	ns := make([]int64, have, 4)
	for i := range ns {
		n, err := row.int(i+1, math.MinInt64, math.MaxInt64, names[i])
		if err != nil {
			return nil, err
		}
		ns[i] = n
	}
	return ns, nil
}

func checkLabel(row *lines, ns []int64, i int) error {
	if i < len(ns) && ns[i] < 0 {
		return row.c.errorAt(row.words[i+1].lo, "found %d, expected a label (an integer, 0 or more)", ns[i])
	}
	return nil
}

// tveBuilder puts the chunks together.
type tveBuilder struct {
	*loader
	file         *file
	header       *tveHeader
	headerLine   int
	body, closed bool // a v or e line was seen; the closing line "t # -1" was
	lists        []*idList
	labels       [][]int64
	ends, eLabel []int64
}

func (b *tveBuilder) add(c *chunk, r *tveRows) error {
	for _, h := range r.headers {
		if b.closed = b.closed || h.number && h.b == -1; b.closed {
			continue
		}
		if b.header != nil || b.body || r.body >= 0 && r.body < h.at {
			return c.errorAt(h.at, "found a second graph or a t line after its vertices, expected one graph that starts with its t line")
		}
		b.header = &h
		b.headerLine, _ = c.place(h.at)
	}
	b.body = b.body || r.body >= 0
	b.lists, b.labels = append(b.lists, newIDList(r.ids)), append(b.labels, r.labels)
	before := cap(b.ends) + cap(b.eLabel)
	b.ends, b.eLabel = append(b.ends, r.ends...), append(b.eLabel, r.eLabel...)
	b.take(8*int64(cap(r.ids)+cap(r.labels)) + 8*int64(cap(b.ends)+cap(b.eLabel)-before))
	return nil
}

// finish numbers the vertices and resolves the ends.
func (b *tveBuilder) finish(ctx context.Context) (*tveGraph, error) {
	ids, err := b.newIntIDs(b.lists)
	if err != nil {
		return nil, err
	}
	held := 4*int64(len(b.ends)) + 8*int64(ids.len())
	if err := b.room(held); err != nil {
		return nil, err
	}
	b.take(held)
	g := &tveGraph{ids: ids, edgeLabels: b.eLabel, ends: make([]uint32, len(b.ends))}
	g.labels = make([]int64, g.ids.len())
	vertices := 0
	for i, list := range b.lists {
		for j := range list.len() {
			v, _ := g.ids.number(list.at(j))
			g.labels[v] = b.labels[i][j]
		}
		vertices += list.len()
	}
	if vertices > g.ids.len() {
		return nil, b.repeated(ctx)
	}
	for i, id := range b.ends {
		v, ok := g.ids.number(id)
		if !ok {
			return nil, b.unknown(ctx, g.ids)
		}
		g.ends[i] = v
	}
	for _, label := range g.edgeLabels {
		g.typed = g.typed || label != g.edgeLabels[0]
	}
	return g, b.checkHeader(vertices, len(g.edgeLabels))
}

// checkHeader compares "t N M" or "t 0 N" with what followed, which shows a file that was cut off.
func (b *tveBuilder) checkHeader(vertices, edges int) error {
	h := b.header
	if h == nil && !b.body {
		return &Error{File: b.file.src.file, Msg: "found neither a t line nor vertices"}
	}
	if h == nil || h.number || h.a == 0 && h.b == int64(vertices) || h.a == int64(vertices) && h.b == int64(edges) {
		return nil
	}
	said := fmt.Sprintf("%s and %s", plural(uint64(h.a), "vertex", "vertices"), plural(uint64(h.b), "edge", "edges"))
	if h.a == 0 {
		said = plural(uint64(h.b), "vertex", "vertices")
	}
	return &Error{File: b.file.src.file, Line: b.headerLine, Msg: fmt.Sprintf("the t line says %s, but the file has %s and %s", said,
		plural(uint64(vertices), "vertex", "vertices"), plural(uint64(edges), "edge", "edges"))}
}

// repeated finds the first v line whose id an earlier one has.
func (b *tveBuilder) repeated(ctx context.Context) error {
	seen := make(map[int64]bool)
	return b.again(ctx, func(row *lines) error {
		id, _ := parseInt(row.text(1))
		if string(row.text(0)) == "v" && seen[id] {
			return row.c.errorAt(row.words[1].lo, "found a second line for vertex %d", id)
		}
		seen[id] = seen[id] || string(row.text(0)) == "v"
		return nil
	})
}

// unknown finds the first e line with an end that no v line has.
func (b *tveBuilder) unknown(ctx context.Context, ids *intIDs) error {
	return b.again(ctx, func(row *lines) error {
		for i := 1; i <= 2 && string(row.text(0)) == "e"; i++ {
			id, _ := parseInt(row.text(i))
			if _, ok := ids.number(id); !ok {
				return row.c.errorAt(row.words[i].lo, "found vertex %d, which has no v line; there are %s", id, plural(uint64(ids.len()), "vertex", "vertices"))
			}
		}
		return nil
	})
}

// again reads the file a second time, to find the place of a mistake that only showed after all of it was read.
func (b *tveBuilder) again(ctx context.Context, visit func(row *lines) error) error {
	f, err := b.openFile(b.file.src.file)
	if err != nil {
		return err
	}
	defer f.Close()
	return inOrder(ctx, b.loader, 1, f.next, func(c *chunk) (nothing, error) { return nothing{}, nil }, func(c *chunk, _ nothing) error {
		for row := (lines{c: c}); row.next(); {
			if len(row.words) == 0 || row.comment("#%") {
				continue
			}
			if err := visit(&row); err != nil {
				return err
			}
		}
		return nil
	})
}
