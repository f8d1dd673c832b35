package exec

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
)

// multOf returns how often row i of the batch occurs.
func multOf(x *execution, i int) uint64 {
	if x.mults == nil {
		return 1
	}
	return x.mults[i]
}

// takesRuns reports whether a stage takes columns with runs: it, and those above, only pass them on.
func takesRuns(s stage) bool {
	switch s := s.(type) {
	case *project:
		return s.nodes == nil && !slices.ContainsFunc(s.late, func(l lateColumn) bool { return l.constant == nil && (l.from < 0 || l.property) }) && takesRuns(s.next)
	case *limit:
		return takesRuns(s.next)
	case *skip:
		return takesRuns(s.next)
	case *output:
		return true
	}
	return false
}

// takesWeights reports whether a stage takes batches whose rows occur more than once.
func takesWeights(s stage) bool {
	switch s := s.(type) {
	case *aggregate, *distinct, *fullSort, *top:
		return true
	case *filter:
		return takesWeights(s.next)
	case *project:
		return takesWeights(s.next)
	case *limit:
		return takesWeights(s.next)
	}
	return false
}

// givesBatches reports whether the matches go up as batches. They come from the one empty row then.
func (m *matchStage) givesBatches() bool {
	return m.x.writes == nil && !m.inner && !m.plan.Optional && !m.plan.Count && m.x.depth == 0 && takesBatches(m.next)
}

// consumeBatch emits the matches of a packet as a batch.
func (m *matchStage) consumeBatch(p *packet, mult uint64) (bool, error) {
	d := m.x.division
	m.x.distinctRows = p.columns.Distinct && (d == nil || d.sealed != nil) // else rows of other units may be like these
	defer func() { m.x.distinctRows = false }()
	if mult != 1 || len(p.columns.Weights) > 0 || p.columns.Len > m.x.batchRows {
		p.columns.Expand()
	}
	m.starts = p.columns.Starts
	c := p.take(len(m.vertices), len(m.edges))
	if mult == 1 && len(c.weights) == 0 && c.len <= m.x.batchRows {
		return m.pushColumns(c.vertices, c.edges, c.len)
	}
	if takesWeights(m.next) {
		return m.pushWeighted(&c, mult)
	}
	most := m.x.batchRows
	rows := make([]int, 0, min(most, c.len)) // of the packet
	push := func() (bool, error) {
		vertices, edges := make([][]csr.VertexID, len(c.vertices)), make([][]csr.EdgeID, len(c.edges))
		for j := range vertices {
			vertices[j] = chosen(c.vertices[j], rows)
		}
		for j := range edges {
			edges[j] = chosen(c.edges[j], rows)
		}
		more, err := m.pushColumns(vertices, edges, len(rows))
		rows = rows[:0]
		return more, err
	}
	for i := range c.len {
		times := mult
		if len(c.weights) > 0 {
			var hi uint64
			if hi, times = bits.Mul64(mult, c.weights[i]); hi != 0 {
				return false, eval.Overflow("the number of equal rows")
			}
		}
		for times > 0 {
			some := int(min(times, uint64(most-len(rows))))
			times -= uint64(some)
			for range some {
				rows = append(rows, i)
			}
			if len(rows) == most {
				if more, err := push(); err != nil || !more {
					return false, err
				}
			}
		}
	}
	if len(rows) == 0 {
		return true, nil
	}
	return push()
}

// pushWeighted emits the matches of a packet with how often they occur.
func (m *matchStage) pushWeighted(c *columnPacket, mult uint64) (more bool, err error) {
	mults := make([]uint64, c.len)
	for i := range mults {
		weight := uint64(1)
		if len(c.weights) > 0 {
			weight = c.weights[i]
		}
		hi, lo := bits.Mul64(mult, weight)
		if hi != 0 {
			return false, eval.Overflow("the number of equal rows")
		}
		mults[i] = lo
	}
	if slices.Contains(mults, 0) {
		rows := make([]int, 0, c.len)
		for i, mult := range mults {
			if mult > 0 {
				rows = append(rows, i)
			}
		}
		for j := range c.vertices {
			c.vertices[j] = chosen(c.vertices[j], rows)
		}
		for j := range c.edges {
			c.edges[j] = chosen(c.edges[j], rows)
		}
		mults, c.len = chosen(mults, rows), len(rows)
	}
	defer func() { m.x.mults = nil }()
	for lo := 0; lo < c.len; lo += m.x.batchRows {
		hi := min(lo+m.x.batchRows, c.len)
		vertices, edges := make([][]csr.VertexID, len(c.vertices)), make([][]csr.EdgeID, len(c.edges))
		for j := range vertices {
			vertices[j] = c.vertices[j][lo:hi:hi]
		}
		for j := range edges {
			edges[j] = c.edges[j][lo:hi:hi]
		}
		m.x.mults = mults[lo:hi]
		if more, err := m.pushColumns(vertices, edges, hi-lo); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// pushColumns emits n matches.
func (m *matchStage) pushColumns(vertices [][]csr.VertexID, edges [][]csr.EdgeID, n int) (bool, error) {
	if err := m.x.ctx.Err(); err != nil {
		return false, err
	}
	clear(m.x.columns)
	for j, at := range m.vertices {
		m.x.columns[at.slot] = Column{Kind: NodeColumn, Vertices: vertices[j]}
		if m.starts != nil {
			m.x.columns[at.slot].Starts = m.starts[j]
		}
	}
	for j, at := range m.edges {
		m.x.columns[at.slot] = Column{Kind: RelColumn, Edges: edges[j]}
	}
	m.hasMatch = true
	m.sourceRows = addSaturated(m.sourceRows, uint64(n))
	return m.emitBatch(n)
}

// columnPacket is a packet turned into columns that belong to the caller.
type columnPacket struct {
	vertices [][]csr.VertexID
	edges    [][]csr.EdgeID
	weights  []uint64 // nil: 1 each
	len      int
}

// take returns the matches of the packet column by column.
func (p *packet) take(nv, ne int) columnPacket {
	if p.columns.Len > 0 {
		c := columnPacket{vertices: p.columns.Vertices, edges: p.columns.Edges, weights: p.columns.Weights, len: p.columns.Len}
		p.columns = pattern.Columns{}
		return c
	}
	c := columnPacket{vertices: make([][]csr.VertexID, nv), edges: make([][]csr.EdgeID, ne), len: len(p.weights)}
	for j := range c.vertices {
		c.vertices[j] = strided(p.vertices, j, nv)
	}
	for j := range c.edges {
		c.edges[j] = strided(p.edges, j, ne)
	}
	if slices.ContainsFunc(p.weights, func(w uint64) bool { return w != 1 }) {
		c.weights = p.weights
	}
	return c
}

// strided returns the elements at first and each step after it.
func strided[T any](list []T, first, step int) []T {
	out := make([]T, 0, len(list)/step)
	for i := first; i < len(list); i += step {
		out = append(out, list[i])
	}
	return out
}
