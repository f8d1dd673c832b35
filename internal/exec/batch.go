package exec

import (
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
)

// Batches. A Match that starts a plan finds rows by the million, and most plans only filter them, read properties and hand them
// over. Such rows move through the stages column by column: execution.columns has a column for each slot, and pushBatch says how
// many rows they hold. A property stays a column of nodes until somebody asks for its value.

// maxBatchRows is how many rows a batch holds at most.
const maxBatchRows = 1024

// maxBatchBytes bounds the values that expressions make for one batch. A larger batch moves on in parts.
const maxBatchBytes = 1 << 18

// Batch is many rows of a result, column by column. Whoever gets it may keep it.
type Batch struct {
	Len     int
	Columns []Column // by column of the plan
}

// ColumnKind says what a Column holds.
type ColumnKind uint8

// The kinds of columns.
const (
	ConstantColumn     ColumnKind = iota // Constant in every row
	NodeColumn                           // the nodes Vertices
	NodeIDColumn                         // their stable ids
	NodePropertyColumn                   // their values in Property
	RelColumn                            // the relationships Edges
	RelIDColumn                          // their stable ids
	RelPropertyColumn                    // their values in Property
	ValueColumn                          // Values
	IntColumn                            // the integers Ints
	FloatColumn                          // the floats Floats
	DegreeColumn                         // what Degrees say of the nodes Vertices
)

// Column is one column of a batch.
type Column struct {
	Kind     ColumnKind
	Vertices []csr.VertexID
	Starts   []uint32 // if Vertices has runs, the first row of each: Vertices[k] stands up to the next run. Nodes and their ids may have runs
	Edges    []csr.EdgeID
	Property *csr.Column
	Values   []value.Value
	Ints     []int64
	Floats   []float64
	Degrees  *csr.Degrees
	Constant value.Value
}

// Value returns the value in row i. The nodes and relationships belong to s.
func (c *Column) Value(s *csr.Snapshot, i int) value.Value {
	switch c.Kind {
	case NodeColumn:
		return value.OfNode(c.vertex(i))
	case NodeIDColumn:
		return value.OfInt(int64(s.NodeID(c.vertex(i))))
	case RelColumn:
		return value.OfRel(c.Edges[i])
	case RelIDColumn:
		return value.OfInt(int64(s.RelID(c.Edges[i])))
	case NodePropertyColumn, RelPropertyColumn:
		if cell, ok := c.Cell(i); ok {
			return value.OfCell(cell)
		}
		return value.Value{}
	case ValueColumn:
		return c.Values[i]
	case IntColumn:
		return value.OfInt(c.Ints[i])
	case FloatColumn:
		return value.OfFloat(c.Floats[i])
	case DegreeColumn:
		return value.OfFloat(c.Degrees.Of(c.Vertices[i]))
	}
	return c.Constant
}

// AppendFloats appends the numbers of a column of floats or degrees in its first rows.
func (c *Column) AppendFloats(numbers []float64, s *csr.Snapshot, rows int) []float64 {
	if c.Kind == DegreeColumn {
		return csr.AppendDegrees(numbers, c.Degrees, s, c.Vertices[:rows])
	}
	return append(numbers, c.Floats[:rows]...)
}

// Cell returns the property in row i of a column of properties.
func (c *Column) Cell(i int) (csr.Cell, bool) {
	if c.Kind == NodePropertyColumn {
		return c.Property.Get(uint64(c.Vertices[i]))
	}
	return c.Property.Get(uint64(c.Edges[i]))
}

// part returns rows lo to hi.
func (c *Column) part(lo, hi int) Column {
	p := *c
	switch c.Kind {
	case NodeColumn, NodeIDColumn, NodePropertyColumn, DegreeColumn:
		if c.Starts != nil {
			p.cutRuns(lo, hi)
		} else {
			p.Vertices = c.Vertices[lo:hi:hi]
		}
	case RelColumn, RelIDColumn, RelPropertyColumn:
		p.Edges = c.Edges[lo:hi:hi]
	case ValueColumn:
		p.Values = c.Values[lo:hi:hi]
	case IntColumn:
		p.Ints = c.Ints[lo:hi:hi]
	case FloatColumn:
		p.Floats = c.Floats[lo:hi:hi]
	}
	return p
}

// choose returns the chosen rows, which rise.
func (c *Column) choose(rows []int) Column {
	p := *c
	switch c.Kind {
	case NodeColumn, NodeIDColumn, NodePropertyColumn, DegreeColumn:
		if c.Starts != nil && len(rows) > 0 {
			p.Expand(rows[len(rows)-1] + 1)
		}
		p.Vertices, p.Starts = chosen(p.Vertices, rows), nil
	case RelColumn, RelIDColumn, RelPropertyColumn:
		p.Edges = chosen(c.Edges, rows)
	case ValueColumn:
		p.Values = chosen(c.Values, rows)
	case IntColumn:
		p.Ints = chosen(c.Ints, rows)
	case FloatColumn:
		p.Floats = chosen(c.Floats, rows)
	}
	return p
}

// chooseRows leaves the chosen rows in the batch.
func chooseRows(x *execution, rows []int) {
	for slot := range x.columns {
		x.columns[slot] = x.columns[slot].choose(rows)
	}
	if x.mults != nil {
		x.mults = chosen(x.mults, rows)
	}
}

func chosen[T any](list []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = list[row]
	}
	return out
}

// batchStage is a stage that may take many rows at once.
type batchStage interface {
	stage
	takesBatches() bool
	// pushBatch takes n rows from execution.columns. The row has the slots that are not there.
	pushBatch(n int) (more bool, err error)
}

// takesBatches reports whether a stage takes batches.
func takesBatches(s stage) bool {
	b, ok := s.(batchStage)
	return ok && b.takesBatches()
}

// emitBatch pushes n rows of execution.columns to the next stage, which takes batches.
func (o *outlet) emitBatch(n int) (more bool, err error) {
	if n == 0 {
		return true, nil
	}
	if o.x.mults == nil {
		o.rows = addSaturated(o.rows, uint64(n))
	}
	for _, mult := range o.x.mults {
		o.rows = addSaturated(o.rows, mult)
	}
	start := time.Now()
	more, err = o.next.(batchStage).pushBatch(n)
	o.above += time.Since(start)
	return more, err
}

// load puts row i of the columns into the row, for expressions that read it.
func (x *execution) load(i int) {
	for slot := range x.columns {
		if c := &x.columns[slot]; c.Kind != ConstantColumn {
			x.row[slot] = c.Value(x.s, i)
		}
	}
}

// eachRow calls do for n rows of the columns, each of which it loads first. It looks now and then whether the query is cancelled.
func (x *execution) eachRow(lo, n int, do func(i int) (more bool, err error)) error {
	for i := lo; i < n; i++ {
		if i%stride == 0 {
			if err := x.ctx.Err(); err != nil {
				return err
			}
		}
		x.load(i)
		if more, err := do(i); err != nil || !more {
			return err
		}
	}
	return nil
}

func (f *filter) takesBatches() bool { return len(f.subs) == 0 && takesBatches(f.next) }

// pushBatch passes on the rows before an error, too: a LIMIT above may never ask for the rest.
func (f *filter) pushBatch(n int) (bool, error) {
	f.rows = f.rows[:0]
	mark := f.x.input.Mark()
	failed := f.x.eachRow(0, n, func(i int) (bool, error) {
		v, err := f.cond(&f.x.input)
		if err != nil {
			return false, err
		}
		ok, err := eval.Holds(v, f.expr)
		if ok && err == nil {
			f.rows = append(f.rows, i)
		}
		f.x.compiler.Settle(&f.x.input, mark)
		return true, err
	})
	f.x.compiler.Settle(&f.x.input, mark)
	if len(f.rows) < n {
		chooseRows(f.x, f.rows)
	}
	if more, err := f.emitBatch(len(f.rows)); err != nil || !more {
		return more, err
	}
	return failed == nil, failed
}

func (p *project) takesBatches() bool { return len(p.subs) == 0 && takesBatches(p.next) }

func (p *project) pushBatch(n int) (bool, error) {
	if p.nodes == nil {
		return p.projectBatch(n)
	}
	if p.known == 0 && p.keys.hold() {
		p.x.mults = nil
		return p.projectBatch(n)
	}
	ids, failed := p.nodes.numberBatch(n)
	p.fresh = freshRows(p.fresh[:0], ids, p.known)
	p.known += uint32(len(p.fresh))
	if len(p.fresh) < n {
		chooseRows(p.x, p.fresh)
	}
	p.x.mults = nil
	if len(p.fresh) > 0 {
		if more, err := p.projectBatch(len(p.fresh)); err != nil || !more {
			return more, err
		}
	}
	return failed == nil, failed
}

// projectBatch computes the items for n rows and passes them on.
func (p *project) projectBatch(n int) (bool, error) {
	x := p.x
	if p.computeLate() {
		return p.emitBatch(n)
	}
	whole, mults := slices.Clone(x.columns), x.mults
	for lo := 0; lo < n; {
		mark := x.input.Mark()
		copy(x.columns, whole)
		values, rows, failed := p.compute(lo, n)
		for slot := range whole {
			x.columns[slot] = whole[slot].part(lo, lo+rows)
		}
		if mults != nil {
			x.mults = mults[lo : lo+rows]
		}
		for i, slot := range p.slots {
			if c, ok := p.lateOf(i); ok {
				x.columns[slot] = c
			} else {
				x.columns[slot] = Column{Kind: ValueColumn, Values: values[i]}
			}
		}
		more, err := p.emitBatch(rows)
		x.compiler.Settle(&x.input, mark)
		if err != nil || !more {
			return more, err
		}
		if failed != nil {
			return false, failed
		}
		lo += rows
	}
	return true, nil
}

// lateOf returns the column of item i if that needs no values. A constant stands in the row.
func (p *project) lateOf(i int) (Column, bool) {
	l := &p.late[i]
	if l.constant != nil {
		p.x.row[p.slots[i]] = *l.constant
		return Column{}, true
	}
	if l.from < 0 {
		return Column{}, false
	}
	return l.of(p.x.columns[l.from])
}

// computeLate makes the columns of all items, unless one needs values.
func (p *project) computeLate() bool {
	for i := range p.slots {
		if _, ok := p.lateOf(i); !ok {
			return false
		}
	}
	for i, slot := range p.slots {
		p.x.columns[slot], _ = p.lateOf(i)
	}
	return true
}

// compute evaluates the items that need values for the rows from lo on. It stops before the first error, and when the values have become
// large.
func (p *project) compute(lo, n int) (values [][]value.Value, rows int, failed error) {
	values = make([][]value.Value, len(p.fns))
	size := int64(0)
	failed = p.x.eachRow(lo, n, func(i int) (bool, error) {
		for j, fn := range p.fns {
			if _, ok := p.lateOf(j); ok {
				continue
			}
			v, err := fn(&p.x.input)
			if err != nil {
				return false, err
			}
			size += v.Bytes()
			values[j] = append(values[j], v)
			p.x.row[p.slots[j]] = v
		}
		rows++
		return size < maxBatchBytes, nil
	})
	for j := range values { // an error may have come between two items of a row
		values[j] = values[j][:min(len(values[j]), rows)]
	}
	return values, rows, failed
}

func (s *skip) takesBatches() bool { return takesBatches(s.next) }

func (s *skip) pushBatch(n int) (bool, error) {
	drop := int(min(s.left, uint64(n)))
	s.left -= uint64(drop)
	if drop > 0 {
		s.x.keep(drop, n)
	}
	return s.emitBatch(n - drop)
}

// keep leaves the rows lo to hi in the columns.
func (x *execution) keep(lo, hi int) {
	for slot := range x.columns {
		x.columns[slot] = x.columns[slot].part(lo, hi)
	}
}

func (l *limit) takesBatches() bool { return takesBatches(l.next) }

func (l *limit) pushBatch(n int) (bool, error) {
	rows, taken := n, uint64(n)
	if mults := l.x.mults; mults != nil {
		l.x.mults, taken = firstOf(mults, l.left)
		rows = len(l.x.mults)
	} else if taken > l.left {
		rows, taken = int(l.left), l.left
	}
	if rows < n {
		l.x.keep(0, rows)
	}
	if l.left -= taken; rows == 0 {
		return false, nil
	}
	more, err := l.emitBatch(rows)
	return more && l.left > 0, err
}

// firstOf returns how often each row occurs, up to left occurrences together.
func firstOf(mults []uint64, left uint64) (first []uint64, taken uint64) {
	for i := 0; i < len(mults) && taken < left; i++ {
		first = append(first, min(mults[i], left-taken))
		taken += first[i]
	}
	return first, taken
}

func (o *output) takesBatches() bool { return o.x.yieldBatch != nil }

func (o *output) pushBatch(n int) (bool, error) {
	if o.stop {
		return false, nil
	}
	b := Batch{Len: n, Columns: make([]Column, len(o.slots))}
	for i, slot := range o.slots {
		b.Columns[i] = o.x.columns[slot]
		if b.Columns[i].Kind == ConstantColumn {
			b.Columns[i].Constant = o.x.row[slot]
		}
	}
	more, err := o.x.yieldBatch(b)
	o.stop = !more
	return more && err == nil, err
}
