package exec

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/internal/workgroup"
)

// packet carries matches from a worker to the goroutine of Run: the vertices and edges that somebody reads, row by row,
// and the weights. Or it carries columns.
type packet struct {
	vertices []csr.VertexID
	edges    []csr.EdgeID
	weights  []uint64
	columns  pattern.Columns
	number   uint64 // in the order of their making
}

var packets = sync.Pool{New: func() any { return new(packet) }}

func newPacket() *packet {
	p := packets.Get().(*packet)
	p.vertices, p.edges, p.weights = p.vertices[:0], p.edges[:0], p.weights[:0]
	p.columns.Reset()
	return p
}

// stream carries matches from the workers to the consumer. It is a pattern.Sink and copies each batch, so that workers and
// consumer run at the same time.
type stream struct {
	ctx             context.Context
	packets         chan *packet
	vertices, edges []int         // which elements of a match the consumer wants
	left            *atomic.Int64 // matches still to come; nil: all
	batchRows       int
	repeats         bool                      // it takes no weights
	runs            bool                      // it takes runs
	sent            atomic.Uint64             // packets
	lanes           *laneSet                  // that may take packets, too; or nil
	here            func(*packet) (more bool) // the consumer of the worker's own goroutine; or nil
}

func (s *stream) NeedEdges() bool { return len(s.edges) > 0 }

// ReadVertices implements pattern.ColumnSink.
func (s *stream) ReadVertices() []int { return s.vertices }

// ReadEdges implements pattern.ColumnSink.
func (s *stream) ReadEdges() []int { return s.edges }

// BatchRows implements pattern.ColumnSink.
func (s *stream) BatchRows() int { return s.batchRows }

// Repeats implements pattern.ColumnSink.
func (s *stream) Repeats() bool { return s.repeats }

// TakesRuns implements pattern.RunSink.
func (s *stream) TakesRuns() bool { return s.runs }

// EmitColumns implements pattern.ColumnSink.
func (s *stream) EmitColumns(c *pattern.Columns) (more bool, err error) {
	p := newPacket()
	p.columns.CopyOf(c)
	total := uint64(c.Len)
	if len(c.Weights) > 0 {
		total = 0
		for _, w := range c.Weights {
			total = addSaturated(total, w)
		}
	}
	return s.send(p, total), nil
}

// Emit implements pattern.Sink.
func (s *stream) Emit(batch []pattern.Embedding) (more bool, err error) {
	p := newPacket()
	total := uint64(0)
	for i := range batch {
		for _, u := range s.vertices {
			p.vertices = append(p.vertices, batch[i].Vertices[u])
		}
		for _, e := range s.edges {
			p.edges = append(p.edges, batch[i].Edges[e])
		}
		p.weights = append(p.weights, batch[i].Weight)
		total = addSaturated(total, batch[i].Weight)
	}
	return s.send(p, total), nil
}

// send hands p over and reports whether the consumer wants more matches.
func (s *stream) send(p *packet, matches uint64) bool {
	p.number = s.sent.Add(1)
	if s.here != nil {
		more := s.here(p)
		if packets.Put(p); !more {
			return false
		}
		return s.wants(matches)
	}
	select {
	case s.packets <- p:
	case <-s.ctx.Done():
		return false
	}
	return s.wants(matches)
}

// wants notes that so many matches came, and reports whether there may be more.
func (s *stream) wants(matches uint64) bool {
	return s.left == nil || s.left.Add(-int64(min(matches, 1<<32))) > 0
}

// run calls produce in a goroutine of its own, and consume in this one for every packet. It returns when produce has
// returned. consume ends it early by returning false or an error.
func (s *stream) run(ctx context.Context, buffer int, produce func(context.Context, *stream) error, consume func(*packet) (bool, error)) (more bool, err error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ctx, s.packets = inner, make(chan *packet, buffer)
	var produced error
	var panicked *workgroup.Panic
	go func() {
		defer close(s.packets)
		panicked = workgroup.Catch(func() { produced = produce(inner, s) })
	}()
	more = true
	for p := range s.packets {
		if more && err == nil && !s.lanes.stopped() {
			if more, err = consume(p); !more || err != nil {
				cancel()
			} else {
				s.lanes.offer(s, cancel)
			}
		}
		packets.Put(p)
	}
	if others, failed := s.lanes.wait(); err == nil {
		more, err = more && others, failed
	}
	if panicked != nil {
		panic(panicked)
	}
	switch {
	case err != nil || !more: // produce's own error of being cancelled does not matter
		return false, err
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	return true, produced
}

// runHere is run for a single worker, which consumes its packets itself: a unit has one core, and goroutines that hand packets over take it in turn.
func (s *stream) runHere(ctx context.Context, produce func(context.Context, *stream) error, consume func(*packet) (bool, error)) (more bool, err error) {
	more = true
	s.ctx, s.here = ctx, func(p *packet) bool {
		if more && err == nil {
			more, err = consume(p)
		}
		return more && err == nil
	}
	produced := produce(ctx, s)
	switch {
	case err != nil || !more:
		return false, err
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	return true, produced
}

// consume emits the matches of a packet.
func (m *matchStage) consume(p *packet, mult uint64) (bool, error) {
	if !m.numbered {
		return m.give(p, mult)
	}
	m.x.packet = p.number
	more, err := m.give(p, mult)
	if err == nil && more && m.x.inOrder {
		return flushCollectors(m.x)
	}
	return more, err
}

// give emits the matches of a packet.
func (m *matchStage) give(p *packet, mult uint64) (bool, error) {
	if m.exact {
		m.timed = true // reading the clock for each row would take longer than many a row
		start := time.Now()
		defer func() { m.timed, m.above = false, m.above+time.Since(start) }()
	}
	if m.batches {
		return m.consumeBatch(p, mult)
	}
	for i := range p.columns.Len {
		for j := range m.vertices {
			m.x.row[m.vertices[j].slot] = value.OfNode(p.columns.Vertices[j][i])
		}
		for j := range m.edges {
			m.x.row[m.edges[j].slot] = value.OfRel(p.columns.Edges[j][i])
		}
		weight := uint64(1)
		if len(p.columns.Weights) > 0 {
			weight = p.columns.Weights[i]
		}
		if more, err := m.emitTimes(mult, weight); err != nil || !more {
			return false, err
		}
	}
	nv, ne := len(m.vertices), len(m.edges)
	for i, weight := range p.weights {
		for j, v := range p.vertices[i*nv : (i+1)*nv] {
			m.x.row[m.vertices[j].slot] = value.OfNode(v)
		}
		for j, e := range p.edges[i*ne : (i+1)*ne] {
			m.x.row[m.edges[j].slot] = value.OfRel(e)
		}
		if more, err := m.emitTimes(mult, weight); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}
