//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"math/big"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Edges whose cliques are counted ahead: few at first, for a quick first row, and more with every step.
const (
	firstEdges = 1 << 12
	lastEdges  = 1 << 20
)

// ListCliques sends the cliques of one set, from 3 vertices on, in no order, each one's vertices rising. While emit takes one page of
// them the device fills the next; emit returns false to stop.
func (d *Device) ListCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env,
	emit func(clique []csr.VertexID) (more bool, err error)) error {
	if c.K < 3 || c.K > listMostK || len(c.Sets) != 1 {
		return ErrDeclined
	}
	l := &cliqueList{d: d, env: env, k: c.K, held: &task{d: d}}
	defer l.end()
	if err := d.run(ctx, func(*task) error { return l.begin(ctx, s, c) }); err != nil {
		return err
	}
	return l.all(ctx, emit)
}

// cliqueList is a list on its way.
type cliqueList struct {
	d    *Device
	env  *pattern.Env
	k    int
	held *task // what is on the device meanwhile
	g    *oriented
	page buffer
	next buffer

	base, edges int64 // the edges that are counted ahead
	counts      buffer
	chunk       *task  // what is on the device for them
	ranks       buffer // 8 bytes each: the first clique of each edge
	from, total uint64 // of their cliques: those sent, and all

	rows    [2][]csr.VertexID // pages on the host: one is filled while emit takes the other
	room    int               // cliques of the next page
	charges int64             // bytes of the query's budget
	begun   bool
}

// begin puts on the device what the list takes. If there is no room for it, nothing has been sent yet.
func (l *cliqueList) begin(ctx context.Context, s *csr.Snapshot, c *pattern.Clique) (err error) {
	l.held.hold()
	l.chunk = &task{d: l.d}
	if l.g, err = orientedOf(l.held, ctx, s, c.Types, c.Sets[0], l.env); err != nil {
		return err
	}
	if most := l.most(); l.g.atLeast(c.K-1) > 0 && new(big.Int).Binomial(int64(most), int64(c.K-2)).BitLen() > 32 {
		return declined("an edge may have more cliques than 32 bits count")
	}
	if l.next, err = l.held.zeros(1); err != nil {
		return err
	}
	if l.grow(firstPage); l.room == 0 {
		return declined("no room for a page of cliques in the query's memory")
	}
	if l.page, err = l.held.alloc(4 * int64(l.room*l.k)); err != nil {
		return err
	}
	l.env.Tally.Units.Add(uint64(l.g.edges))
	return nil
}

// most bounds the vertices that both ends of an edge have edges to.
func (l *cliqueList) most() int { return max(1, l.g.most()) }

func (l *cliqueList) end() {
	_ = l.d.do(func() error {
		if l.held.check() != nil {
			return nil
		}
		if l.chunk != nil {
			l.chunk.end()
		}
		l.held.end()
		return nil
	})
	l.env.Memory.Release(l.charges)
}

// cliquePage is what has come from the device.
type cliquePage struct {
	rows []csr.VertexID
	more bool // there may be another page
	err  error
}

// all sends page after page.
func (l *cliqueList) all(ctx context.Context, emit func([]csr.VertexID) (bool, error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := l.fill(ctx, 0)
	for i := 1; p.err == nil; i++ {
		var next chan cliquePage
		if p.more && l.env.Uses(pattern.JoinPages) {
			next = make(chan cliquePage, 1)
			go func() {
				var p cliquePage
				if caught := workgroup.Catch(func() { p = l.fill(ctx, i) }); caught != nil {
					p.err = caught
				}
				next <- p
			}()
			l.env.Took(pattern.JoinPages, 1)
		}
		more, err := l.send(ctx, p.rows, emit)
		switch {
		case err != nil || !more:
			if stop(); next != nil {
				<-next
			}
			return err
		case !p.more:
			return nil
		case next != nil:
			p = <-next
		default:
			p = l.fill(ctx, i)
		}
	}
	if errors.Is(p.err, ErrDeclined) && l.begun {
		return errors.New("the device ran out of memory between two pages of cliques") // too late to decline
	}
	return p.err
}

// send gives a page to emit.
func (l *cliqueList) send(ctx context.Context, rows []csr.VertexID, emit func([]csr.VertexID) (bool, error)) (more bool, err error) {
	for i := 0; len(rows) > 0; i++ {
		if more, err := emit(rows[:l.k:l.k]); err != nil || !more {
			return false, err
		}
		rows = rows[l.k:]
		if i%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return true, nil
}

// fill has the device fill a page, and fetches it.
func (l *cliqueList) fill(ctx context.Context, i int) (p cliquePage) {
	p.err = l.d.run(ctx, func(*task) error {
		if err := l.held.check(); err != nil {
			return err
		}
		for l.from == l.total && l.base+l.edges < l.g.edges {
			if err := l.countAhead(); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		n := int(min(uint64(l.room), l.total-l.from))
		if words := l.room * l.k; cap(l.rows[i%2]) < words {
			l.rows[i%2] = make([]csr.VertexID, words)
		}
		p.rows = l.rows[i%2][:n*l.k]
		if n == 0 {
			return nil
		}
		if err := l.launch(l.ranks, l.from, l.from+uint64(n), l.page); err != nil {
			return err
		}
		l.begun = true
		l.from += uint64(n)
		p.more = l.from < l.total || l.base+l.edges < l.g.edges
		if err := download(l.page, p.rows); err != nil {
			return err
		}
		l.enlarge()
		return nil
	})
	return p
}

// countAhead counts the cliques of the next edges.
func (l *cliqueList) countAhead() (err error) {
	l.env.Tally.UnitsDone.Add(uint64(l.edges))
	l.chunk.end()
	l.base, l.edges = l.base+l.edges, min(max(firstEdges, min(8*l.edges, lastEdges)), l.g.edges-l.base-l.edges)
	if l.counts, err = l.chunk.alloc(4 * l.edges); err != nil {
		return err
	}
	if err := l.launch(buffer{}, 0, 0, buffer{}); err != nil {
		return err
	}
	l.from = 0
	l.ranks, l.total, err = l.chunk.scan(l.counts, l.edges)
	return err
}

// launch counts the cliques of the edges, or writes some of them to a page.
func (l *cliqueList) launch(ranks buffer, from, to uint64, page buffer) error {
	if err := fill(l.next, 1, 0); err != nil {
		return err
	}
	const warps = 8
	most := l.most()
	words := (most + 31) / 32
	room := 4 * warps * int64(most+most*words+(l.k-2)*words)
	blocks := min(int((l.edges+31)/32+warps-1)/warps, 8*l.d.info.Multiprocessor)
	args := []uint64{l.g.offsets.arg(), l.g.targets.arg(), l.g.vertex.arg(), uint64(l.g.vertices), uint64(l.base), uint64(l.edges), uint64(l.k), uint64(most),
		l.d.stop.arg(), l.next.arg(), l.counts.arg(), ranks.arg(), from, to, page.arg()}
	if room <= int64(l.d.sharedMost/2) {
		return l.d.launch("cliques_list", blocks, 32*warps, int(room), append(args, 0)...)
	}
	blocks = min(blocks, int(l.d.memory.limit/8/room)+1)
	t := &task{d: l.d}
	defer t.end()
	scratch, err := t.alloc(room * int64(blocks))
	if err != nil {
		return err
	}
	if err := l.d.launch("cliques_list", blocks, 32*warps, 8, append(args, scratch.arg())...); err != nil {
		return err
	}
	return l.d.wait("listing cliques")
}

// enlarge has the next page be larger, if the device has room for it and the budget allows.
func (l *cliqueList) enlarge() {
	before := l.room
	l.grow(min(lastPage, 8*l.room))
	if l.room == before {
		return
	}
	page, err := l.held.alloc(4 * int64(l.room*l.k))
	if err != nil {
		l.room = before
		return
	}
	l.page = page // the old one, an eighth of it at most, goes with the rest
}

// grow takes from the query's budget what two pages of so many cliques hold, unless that is much of what is left.
func (l *cliqueList) grow(room int) {
	bytes := int64(8 * (room - l.room) * l.k)
	if b := l.env.Memory; b != nil && b.Limit > 0 && bytes > (b.Limit-b.Used())/4 {
		return
	}
	if l.env.Memory.Charge(bytes) != nil {
		l.env.Memory.Release(bytes)
		return
	}
	l.room, l.charges = room, l.charges+bytes
}
