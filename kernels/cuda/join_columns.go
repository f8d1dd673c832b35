//go:build cuda && cgo && linux

package cuda

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// joinColumns gives rows of pages to a sink that reads columns. A column is a few words of each row, which lie at equal distances: no
// embedding is made.
type joinColumns struct {
	*joinMatches
	sink    pattern.ColumnSink
	words   []int // of a row, that the sink reads
	full    int   // rows of the next batch
	columns pattern.Columns
}

// newJoinColumns returns nil if the sink reads no columns, or if rows must be changed first: for relationships, and for DISTINCT.
func newJoinColumns(m *joinMatches) *joinColumns {
	sink, ok := m.sink.(pattern.ColumnSink)
	if !ok || sink.NeedEdges() || slices.ContainsFunc(m.p.job.Pattern.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
		return nil
	}
	c := &joinColumns{joinMatches: m, sink: sink, full: 1}
	for _, u := range sink.ReadVertices() {
		c.words = append(c.words, m.p.pos[u])
	}
	c.columns.Make(len(c.words), 0)
	return c
}

// send gives the rows to the sink, in batches that start small.
func (c *joinColumns) send(rows []uint32) (more bool, err error) {
	for words := c.p.matchWords(); len(rows) > 0; {
		n := min(len(rows)/words, c.full)
		c.take(rows[:n*words], n)
		if c.env.Tally != nil {
			c.env.Tally.Embeddings.Add(c.matches())
		}
		if more, err := c.sink.EmitColumns(&c.columns); err != nil || !more {
			return false, err
		}
		rows, c.full = rows[n*words:], min(max(1, c.sink.BatchRows()), 2*c.full)
	}
	return true, nil
}

// take makes columns of n rows.
func (c *joinColumns) take(rows []uint32, n int) {
	words := c.p.matchWords()
	for i, at := range c.words {
		column := slices.Grow(c.columns.Vertices[i][:0], n)[:n]
		for k := range column {
			column[k] = csr.VertexID(rows[at])
			at += words
		}
		c.columns.Vertices[i] = column
	}
	c.columns.Len = n
	if c.p.weighted {
		c.columns.Weights = c.columns.Weights[:0]
		for at := len(c.p.steps); at < len(rows); at += words {
			c.columns.Weights = append(c.columns.Weights, uint64(rows[at])|uint64(rows[at+1])<<32)
		}
	}
}

// matches is how many matches the columns stand for.
func (c *joinColumns) matches() uint64 {
	if !c.p.weighted {
		return uint64(c.columns.Len)
	}
	total := uint64(0)
	for _, w := range c.columns.Weights {
		total += w
	}
	return total
}
