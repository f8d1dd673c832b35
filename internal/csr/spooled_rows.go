package csr

import (
	"sync/atomic"

	"github.com/motifql/motif/internal/hugepages"
)

// sortRows renumbers the ends of the relationships, sorts them by type, source and target, and computes the statistics.
func (j *spooledAssembly) sortRows() error {
	j.give(8 * j.n)
	j.degree = nil
	d := &j.data
	d.Vertices, d.Labels, d.Types, d.Keys = j.n, j.labels, j.types, j.keys
	d.Rels, d.Stats.LabelCount = make([]Rels, len(j.rels)), labelCounts(d)
	j.g.rows, j.g.Shapes = j.spool.NewList(), make([]RowShape, len(j.rels))
	if j.ordered {
		j.order = j.spool.NewList()
	}
	held := 4*j.n + 8*uint64(len(d.Classes))
	if err := j.take(held); err != nil {
		return err
	}
	defer j.give(held)
	s := &rowSorter{spooledAssembly: j, classOf: classIndex(d), scratch: make([]uint64, len(d.Classes)),
		x: &statistics{ctx: j.ctx, d: d, workers: j.workers, budget: j.budget, mostTriples: maxTriples, mostShared: maxShared}}
	defer func() { j.give(8 * uint64(len(s.out)+len(s.in))) }()
	triples := make([]map[Triple]uint64, len(j.rels))
	for t, list := range j.kept {
		d.Rels[t].First = EdgeID(d.Edges)
		if list.Len() == 0 {
			continue
		}
		s.triples, s.runs = make(map[Triple]uint64), runCutter{first: EdgeID(d.Edges), total: list.Len() / uint64(j.width)}
		take := s.takeMany
		if list.Len() <= j.room {
			take = s.takeFew
		}
		if err := take(TypeID(t)); err != nil {
			return err
		}
		if j.g.Simple != list {
			list.Drop()
		}
		triples[t], j.g.Runs = s.triples, append(j.g.Runs, s.runs.all...)
		d.Rels[t].Lo = s.runs.sources.Lo
		j.g.Shapes[t] = RowShape{Lo: uint64(s.runs.sources.Lo), Offsets: uint64(s.runs.sources.Len() + 1), Edges: s.runs.total}
		d.Edges += s.runs.total
	}
	d.Stats.Triples = sortedTriples(triples...)
	return j.ctx.Err()
}

// rowSorter is the state of sortRows.
type rowSorter struct {
	*spooledAssembly
	x       *statistics
	classOf []uint32
	scratch []uint64 // by class, zero
	out, in []uint64 // degrees by vertex, where a type has many relationships
	triples map[Triple]uint64
	found   atomic.Int64 // triples of all types
	runs    runCutter
}

// takeFew sorts the relationships of a type that fit in memory.
func (s *rowSorter) takeFew(t TypeID) error {
	words := make([]uint64, s.kept[t].Len())
	if err := s.kept[t].Read(0, words); err != nil {
		return err
	}
	m := len(words) / s.width
	src, dst, order := hugepages.Make[uint32](m), hugepages.Make[uint32](m), []uint64(nil)
	if s.ordered {
		order = hugepages.Make[uint64](m)
	}
	for i := range m {
		w := words[i*s.width]
		src[i], dst[i] = s.dense[w>>32], s.dense[uint32(w)]
		if s.ordered {
			order[i] = words[2*i+1]
		}
	}
	r, order, err := s.sorted(src, dst, order)
	if err != nil {
		return err
	}
	s.data.Stats.Types[t] = s.x.typeStat(r, s.workers)
	s.runs.begin(t, Range{r.Lo, r.Lo + VertexID(len(r.Offsets)-1)})
	for i := range len(r.Offsets) - 1 {
		v := r.Lo + VertexID(i)
		for _, w := range r.Targets[r.Offsets[i]:r.Offsets[i+1]] {
			if err := s.g.rows.Put(uint64(v)<<32 | uint64(w)); err != nil {
				return err
			}
		}
		s.runs.row(v, r.Offsets[i+1]-r.Offsets[i])
	}
	s.runs.end()
	if s.ordered {
		if err := s.order.Append(order...); err != nil {
			return err
		}
	}
	return s.x.typeTriples(t, r, s.classOf, s.scratch, s.triples, &s.found)
}

// takeMany sorts the relationships of a type bucket by bucket.
func (s *rowSorter) takeMany(t TypeID) error {
	if s.out == nil {
		if err := s.take(16 * s.n); err != nil {
			return err
		}
		s.out, s.in = make([]uint64, s.n), make([]uint64, s.n)
	}
	clear(s.out)
	clear(s.in)
	err := s.kept[t].Each(s.ctx, func(words []uint64) error {
		for i := 0; i < len(words); i += s.width {
			s.out[s.dense[words[i]>>32]]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	b, err := s.newBuckets(s.out)
	if err != nil {
		return err
	}
	defer s.drop(b)
	if err := s.renumber(t, b); err != nil {
		return err
	}
	st := &s.data.Stats.Types[t]
	st.Edges = s.runs.total
	for _, n := range s.in {
		if n > 0 {
			st.Targets++
			st.MaxIn = max(st.MaxIn, n)
			st.InIn += float64(n) * float64(n-1)
		}
	}
	s.runs.begin(t, span(s.out))
	err = s.eachSorted(b, func(words []uint64) error {
		if len(words) == 0 {
			return nil
		}
		return s.addRows(t, st, words)
	})
	s.runs.end()
	return err
}

// span is the range of the vertices with counts above 0.
func span(counts []uint64) Range {
	r := Range{NoVertex, 0}
	for v, n := range counts {
		if n > 0 {
			r = Range{min(r.Lo, VertexID(v)), VertexID(v) + 1}
		}
	}
	return r
}

// renumber moves the relationships of a type to the buckets of their sources, by the numbers of data.
func (s *rowSorter) renumber(t TypeID, b *buckets) error {
	return s.kept[t].Each(s.ctx, func(words []uint64) error {
		s.tick(len(words))
		for i := 0; i < len(words); i += s.width {
			v, w := s.dense[words[i]>>32], s.dense[uint32(words[i])]
			s.in[w]++
			var err error
			if list, word := b.lists[b.of[v]], uint64(v)<<32|uint64(w); s.width == 1 {
				err = list.Put(word)
			} else {
				err = list.Append(word, words[i+1])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// addRows takes the sorted relationships of some sources, all that they have.
func (s *rowSorter) addRows(t TypeID, st *TypeStat, words []uint64) error {
	sources := Range{VertexID(words[0] >> 32), VertexID(words[len(words)-s.width]>>32) + 1}
	held := 8*uint64(sources.Len()+1) + 4*uint64(len(words))
	if err := s.take(held); err != nil {
		return err
	}
	defer s.give(held)
	r := rowsOf(words, s.width, sources, 0)
	part := s.x.outStat(r, 0, sources.Len())
	st.Sources += part.Sources
	st.Loops += part.Loops
	st.OutOut += part.OutOut
	st.MaxOut = max(st.MaxOut, part.MaxOut)
	st.Parallel = st.Parallel || part.Parallel
	for i := range sources.Len() {
		v, n := r.Lo+VertexID(i), r.Offsets[i+1]-r.Offsets[i]
		st.InOut += float64(s.in[v]) * float64(n)
		s.runs.row(v, n)
	}
	if s.width == 1 {
		if err := s.g.rows.Append(words...); err != nil {
			return err
		}
	}
	for i := 0; s.width == 2 && i < len(words); i += 2 {
		err := s.g.rows.Put(words[i])
		if err == nil && s.ordered {
			err = s.order.Put(words[i+1])
		}
		if err != nil {
			return err
		}
	}
	return s.x.typeTriples(t, r, s.classOf, s.scratch, s.triples, &s.found)
}

// runCutter cuts the rows of a type into runs: one ends with the row that reaches the next multiple of RunEdges.
type runCutter struct {
	all     []Run
	sources Range
	first   EdgeID // of the type
	total   uint64 // relationships of the type

	begun Run
	read  uint64 // relationships of the rows so far
	next  uint64
}

func (c *runCutter) begin(t TypeID, sources Range) {
	c.sources, c.next = sources, RunEdges
	c.begun = Run{Type: t, Sources: Range{Lo: sources.Lo}, First: c.first}
}

// row takes the row of v, which has n relationships.
func (c *runCutter) row(v VertexID, n uint64) {
	c.read += n
	reached := false
	for ; c.next < c.total && c.read >= c.next; c.next += RunEdges {
		reached = true
	}
	if reached && v+1 < c.sources.Hi {
		c.cut(v + 1)
	}
}

func (c *runCutter) cut(hi VertexID) {
	run := c.begun
	run.Sources.Hi, run.Edges = hi, uint64(c.first)+c.read-uint64(run.First)
	c.all = append(c.all, run)
	c.begun = Run{Type: run.Type, Sources: Range{Lo: hi}, First: run.First + EdgeID(run.Edges)}
}

func (c *runCutter) end() { c.cut(c.sources.Hi) }
