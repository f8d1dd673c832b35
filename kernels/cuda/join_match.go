//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"

	"github.com/motifql/motif/internal/workgroup"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Rows of a page: few at first, for a quick first row and an early end, and more with every page.
var (
	firstPage = 1 << 8
	lastPage  = 1 << 18
)

// sliceCost is how many partial matches a search must promise to be worth making lists of candidates only. It cannot begin
// anew once matches are sent. Tests change it.
var sliceCost = 1e6

// joinBatch is how many embeddings a sink gets at once, at most.
const joinBatch = 256

// Match sends every match of j to the sink, for jobs that Count has a way for. While the sink takes one page of matches, the
// device fills the next. Relationships are given where no two that an edge can take join the same nodes.
func (d *Device) Match(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	p, err := planJoin(j)
	if err != nil || p.hopeless() {
		return err
	}
	if sink.NeedEdges() && p.weighted {
		return declined("relationships of which several join the same nodes")
	}
	for i, sc := range j.Pattern.Scopes {
		if sc.Distinct && j.Order.Chains[i].NeedEdges(&sc) {
			return declined("DISTINCT by relationships")
		}
	}
	m := &joinMatches{d: d, p: p, env: env, sink: sink, held: &task{d: d}}
	defer m.end()
	if err := m.begin(ctx); err != nil {
		return err
	}
	return m.all(ctx)
}

// joinMatches drains pages of matches into a sink.
type joinMatches struct {
	d       *Device
	p       *joinPlan
	env     *pattern.Env
	sink    pattern.Sink
	held    *task // what is on the device meanwhile
	s       *joinSearch
	l       *levels // nil: the warps search by themselves
	told    uint32  // roots that the caller knows to be done
	page    buffer
	rows    [2][]uint32 // pages on the host: one is filled while the sink takes the other
	room    int         // rows of the next page
	charges int64       // bytes of the query's budget
	begun   bool
}

// begin puts on the device what the search takes. If there is no room for it, nothing has been sent yet.
func (m *joinMatches) begin(ctx context.Context) error {
	return m.d.run(ctx, func(*task) (err error) {
		m.held.hold()
		if m.s, err = newJoinSearch(m.held, m.p, m.env); err != nil {
			return err
		}
		if m.p.job.Order.Cost > sliceCost && m.env.Uses(pattern.JoinSlices) {
			if err := m.s.lay(true); err != nil {
				return err
			}
		}
		if m.grow(firstPage); m.room == 0 {
			return declined("no room for a page of matches in the query's memory")
		}
		if m.s.byLevels() {
			if m.l, err = newLevels(m.s, firstRows, levelPage); err == nil {
				m.l.reach = min(m.l.reach, uint64(firstReach))
				return nil
			} else if m.l = nil; !errors.Is(err, errNoRoom) {
				return err
			}
		}
		if err := m.s.frames(); err != nil {
			return err
		}
		return m.enlarge()
	})
}

// enlarge makes the page on the device as large as the next one is to be, or that as small as the page is.
func (m *joinMatches) enlarge() error {
	bytes := 4 * int64(m.room*m.p.matchWords())
	if m.page.bytes >= bytes {
		return nil
	}
	page, err := m.d.memory.alloc(bytes)
	if m.page.at != 0 && errors.Is(err, errNoRoom) {
		m.room = int(m.page.bytes) / (4 * m.p.matchWords())
		return nil
	}
	if err == nil {
		m.d.memory.free(m.page)
		m.page = page
	}
	return err
}

// matchWords is how many words of a page a match takes.
func (p *joinPlan) matchWords() int {
	if p.weighted {
		return len(p.steps) + 2
	}
	return len(p.steps)
}

func (m *joinMatches) end() {
	_ = m.d.do(func() error {
		if m.held.check() != nil {
			return nil
		}
		m.d.memory.free(m.page)
		if m.l != nil {
			m.l.held.end()
		}
		m.held.end()
		return nil
	})
	m.env.Memory.Release(m.charges)
}

// filled is a page that has come from the device.
type filled struct {
	rows []uint32
	more bool // there is another page
	err  error
}

// all sends page after page.
func (m *joinMatches) all(ctx context.Context) (err error) {
	m.s.expect()
	defer func() { m.s.leave(&m.told, err) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out, f := m.giver(), m.fill(ctx, 0)
	for i := 1; f.err == nil; i++ {
		var next chan filled
		if f.more && m.env.Uses(pattern.JoinPages) {
			next = make(chan filled, 1)
			go func() {
				var f filled
				if p := workgroup.Catch(func() { f = m.fill(ctx, i) }); p != nil {
					f.err = p
				}
				next <- f
			}()
			m.env.Took(pattern.JoinPages, 1)
		}
		more, err := out.send(f.rows)
		switch {
		case err != nil || !more:
			if stop(); next != nil {
				<-next
			}
			return err
		case !f.more:
			return nil
		case next != nil:
			f = <-next
		default:
			f = m.fill(ctx, i)
		}
	}
	if errors.Is(f.err, ErrDeclined) && m.begun {
		return errors.New("the device ran out of memory between two pages of matches") // too late to decline
	}
	return f.err
}

// giver returns what gives rows to the sink, by columns if it can.
func (m *joinMatches) giver() interface {
	send(rows []uint32) (more bool, err error)
} {
	if c := newJoinColumns(m); c != nil {
		return c
	}
	return newJoinRows(m)
}

// fill has the device fill a page, and fetches it. It may be empty.
func (m *joinMatches) fill(ctx context.Context, i int) (f filled) {
	f.err = m.d.run(ctx, func(*task) (err error) {
		if err := m.held.check(); err != nil {
			return err
		}
		if m.l != nil {
			m.begun = true
			f.rows, f.more, err = m.descend(ctx, i%2)
			return err
		}
		if err := m.enlarge(); err != nil {
			return err
		}
		m.begun = true
		board, err := m.s.turn(m.page, m.room)
		if err != nil {
			return err
		}
		if f.more, err = m.s.settle(&board); errors.Is(err, errBeyond) {
			return pattern.ErrOverflow
		} else if err != nil {
			return err
		}
		if !f.more {
			if _, err := m.s.sums(); err != nil {
				return err
			}
		}
		f.rows, err = m.fetch(i%2, m.page, int(min(board[boardMarks], ^board[boardMarks+1])))
		return err
	})
	return f
}

// descend is fill, where the search goes by levels: the matches of a descent are fetched page by page.
func (m *joinMatches) descend(ctx context.Context, i int) (rows []uint32, more bool, err error) {
	l := m.l
	for l.taken == l.ready && l.more() {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		m.s.progress(&m.told, uint32(l.share()*float64(m.p.set(0).Len())))
		if err := l.descend(min(l.reach, uint64(l.pageRows()))); errors.Is(err, errBeyond) {
			return nil, false, pattern.ErrOverflow
		} else if err != nil {
			return nil, false, err
		}
		l.reach = min(8*l.reach, uint64(l.room)) // the first rows come soon
	}
	from, n := l.taken, min(l.ready-l.taken, m.room)
	l.taken += n
	if more = l.taken < l.ready || l.more(); !more {
		if _, err := m.s.sums(); err != nil {
			return nil, false, err
		}
	}
	rows, err = m.fetch(i, buffer{at: l.page.at + cu.DevicePtr(4*from*m.p.matchWords())}, n)
	return rows, more, err
}

// fetch downloads rows of a page, and has the next ones be larger if the budget allows.
func (m *joinMatches) fetch(i int, page buffer, rows int) ([]uint32, error) {
	if words := m.room * m.p.matchWords(); cap(m.rows[i]) < words {
		m.rows[i] = make([]uint32, words)
	}
	list := m.rows[i][:rows*m.p.matchWords()]
	m.grow(min(lastPage, 8*m.room))
	return list, download(page, list)
}

// grow takes from the query's budget what two pages of so many rows hold, unless that is much of what is left.
func (m *joinMatches) grow(room int) {
	bytes := int64(8 * (room - m.room) * m.p.matchWords())
	if b := m.env.Memory; b != nil && b.Limit > 0 && bytes > (b.Limit-b.Used())/4 {
		return
	}
	if m.env.Memory.Charge(bytes) != nil {
		m.env.Memory.Release(bytes)
		return
	}
	m.room, m.charges = room, m.charges+bytes
}

// joinRows makes embeddings of rows.
type joinRows struct {
	*joinMatches
	edges    bool
	list     []pattern.Embedding
	vertices []csr.VertexID
	rels     []csr.EdgeID
	scratch  pattern.Scratch
	scanned  []csr.EdgeID
	full     int
}

func newJoinRows(m *joinMatches) *joinRows {
	r := &joinRows{joinMatches: m, edges: m.sink.NeedEdges(), full: 1}
	r.vertices = make([]csr.VertexID, joinBatch*len(m.p.steps))
	if r.edges {
		r.rels = make([]csr.EdgeID, joinBatch*len(m.p.job.Pattern.Edges))
	}
	return r
}

// send gives the rows to the sink, in batches that start small.
func (r *joinRows) send(rows []uint32) (more bool, err error) {
	for words := r.p.matchWords(); len(rows) > 0; rows = rows[words:] {
		r.add(rows[:words])
		if len(r.list) < r.full && len(rows) > words {
			continue
		}
		if r.env.Tally != nil {
			for i := range r.list {
				r.env.Tally.Embeddings.Add(r.list[i].Weight)
			}
		}
		if more, err := r.sink.Emit(r.list); err != nil || !more {
			return false, err
		}
		r.list, r.full = r.list[:0], min(joinBatch, 2*r.full)
	}
	return true, nil
}

// add makes an embedding of a row, whose vertices come by steps.
func (r *joinRows) add(row []uint32) {
	i, n, job := len(r.list), len(r.p.steps), r.p.job
	e := pattern.Embedding{Vertices: r.vertices[i*n : (i+1)*n : (i+1)*n], Weight: 1}
	for u, k := range r.p.pos {
		e.Vertices[u] = csr.VertexID(row[k])
	}
	if r.p.weighted {
		e.Weight = uint64(row[n]) | uint64(row[n+1])<<32
	}
	for s := range job.Pattern.Scopes {
		if sc := &job.Pattern.Scopes[s]; sc.Distinct {
			job.Order.Chains[s].Representative(job.Snapshot, sc, e.Vertices, nil, &r.scratch)
		}
	}
	if m := len(job.Pattern.Edges); r.edges {
		e.Edges = r.rels[i*m : (i+1)*m : (i+1)*m]
		for q := range e.Edges {
			e.Edges[q] = r.relationship(&job.Pattern.Edges[q], e.Vertices)
		}
	}
	r.list = append(r.list, e)
}

// relationship is the only one that an edge can take.
func (r *joinRows) relationship(e *pattern.Edge, vertices []csr.VertexID) csr.EdgeID {
	if e.AtLeastOne {
		return csr.NoEdge
	}
	r.scanned = r.p.job.Snapshot.Relationships(r.scanned[:0], vertices[e.From], vertices[e.To], e.Types, seenFrom(e, e.From))
	return r.scanned[0]
}
