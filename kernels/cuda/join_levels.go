//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"time"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/pattern"
)

// Rows of the table of a step: few at first, which is all that most searches take; then so many that a launch has much to do.
// Tests change them.
var (
	firstRows = 1 << 18
	laterRows = 1<<levelRowBits - 64
)

// Blocks of a multiprocessor, and warps of a block, of the kernel that goes by levels. Tests change them.
var (
	levelBlocks = 4
	levelWarps  = 8
)

// levelLong is how long a search must promise to take, to begin anew with lists of candidates only and larger tables. Tests change it.
var levelLong = 2 * time.Millisecond

// Rows of a page on the device, and items of a descent that is to bring the first rows soon. Tests change them.
var (
	levelPage  = 1 << 18
	firstReach = 1 << 12
)

// As in join_level.cu.
const (
	levelEntryBits = 42
	levelRowBits   = 64 - levelEntryBits
	levelKept      = 128
	levelBeyond    = 2 * joinSteps
	levelBoard     = levelBeyond + 1
)

// levels is a search that goes from table to table: from the roots to the rows of step 0, and on to those of each step. A descent is a
// launch a step, each of which takes as much of the rows before as is sure to fit, the last one all: breadth first. What is then left,
// of the deepest table first, is for the descents to come: depth first. So the memory it takes is fixed, and all warps have the same to
// do at any time.
type levels struct {
	*joinSearch
	held   *task  // what this takes of the device's memory
	board  buffer // BOARD_ in join_level.cu
	table  []buffer
	room   int // rows of a table
	page   buffer
	last   int     // the step that is launched last
	level  []level // what step k takes rows from
	reach  uint64  // items of a launch, at most
	passes int
	ready  int // rows on the page, and how many of them are taken
	taken  int
}

// level is how far a step is with what it takes rows from: items are rows and their entries; of them, descents before the last one have
// done those before from, and it has done those up to at.
type level struct{ items, from, at uint64 }

// byLevels reports whether the search is to go by levels.
func (s *joinSearch) byLevels() bool {
	for k := range s.p.steps {
		if len(s.p.steps[k].sources) > 0xff { // as many as join_level.cu tells apart
			return false
		}
	}
	return s.env.Uses(pattern.JoinBreadth) && s.env.Uses(pattern.JoinChunks)
}

// newLevels makes the tables, of up to so many rows, and a page, if matches are wanted: for fewer where the device has little room.
func newLevels(s *joinSearch, rows, page int) (l *levels, err error) {
	for ; ; rows /= 4 {
		l = &levels{joinSearch: s, held: &task{d: s.d}, last: len(s.p.steps) - 1}
		if page == 0 && s.p.counted < len(s.p.steps) {
			l.last = s.p.counted - 1
		}
		if rows < 64 {
			return nil, errNoRoom
		}
		if err = l.make(rows, min(page, rows)); !errors.Is(err, errNoRoom) {
			break
		}
		l.held.end()
	}
	if err != nil {
		l.held.end()
		return nil, err
	}
	l.begin()
	return l, nil
}

// rowBytes is how many a row of step k takes in its table.
func (p *joinPlan) rowBytes(k int) int64 {
	bytes := int64(16 + 4*(k+1))
	if p.weighted {
		bytes += 8
	}
	return bytes
}

// make allocates tables of up to so many rows, from no more than an eighth of the device's memory.
func (l *levels) make(rows, page int) (err error) {
	all := int64(0)
	for k := range l.last {
		all += l.p.rowBytes(k)
	}
	most := min(int64(rows), l.d.memory.limit/8/max(1, all), 1<<levelEntryBits/max(1, int64(l.p.job.Snapshot.N())))
	if l.room = int(most) &^ 63; l.room == 0 {
		return errNoRoom
	}
	if l.board, err = l.held.alloc(8 * levelBoard); err != nil {
		return err
	}
	if page > 0 {
		if l.page, err = l.held.alloc(4 * int64(page*l.p.matchWords())); err != nil {
			return err
		}
	}
	tables, err := l.held.alloc(all * int64(l.room))
	if err != nil {
		return err
	}
	at := tables.at
	for k := range l.last {
		l.table = append(l.table, buffer{at: at})
		at += cu.DevicePtr(l.p.rowBytes(k) * int64(l.room))
	}
	l.table = append(l.table, buffer{})
	return nil
}

// begin goes back to the roots.
func (l *levels) begin() {
	l.level = make([]level, l.last+1)
	l.level[0].items = uint64(l.p.set(0).Len())
	l.reach, l.passes = uint64(l.room), 0
}

// pageRows is how many matches the page has room for.
func (l *levels) pageRows() int { return int(l.page.bytes) / (4 * l.p.matchWords()) }

// more reports whether there is anything left to do.
func (l *levels) more() bool { return l.next() >= 0 }

// next is the deepest step that has something left.
func (l *levels) next() int {
	k := l.last
	for k >= 0 && l.level[k].at == l.level[k].items {
		k--
	}
	return k
}

// tableOf is that of the rows of step k.
func (l *levels) tableOf(k int) buffer {
	if k < 0 {
		return buffer{}
	}
	return l.table[k]
}

// descend launches all steps from the deepest one on that has something left. The last one takes up to so many items.
func (l *levels) descend(most uint64) error {
	k := l.next()
	counters := buffer{l.board.at + cu.DevicePtr(16*k), 0}
	if err := fill(counters, int64(2*(levelBoard-2*k)), 0); err != nil {
		return err
	}
	apart := uint64(1)
	if l.env.Uses(pattern.JoinPacked) {
		apart = 0
	}
	kept := levelKept / 2 * 5
	if l.p.weighted {
		kept += levelKept
	}
	for s := k; s <= l.last; s++ {
		from, n := uint64(0), l.reach
		if s == k {
			from = l.level[k].at
		}
		if s == l.last {
			n = most
		}
		in, out := l.tableOf(s-1), l.tableOf(s)
		err := l.d.launch("join_level", levelBlocks*l.d.info.Multiprocessor, 32*levelWarps, 8*(l.words+levelWarps*kept), l.plan.arg(), uint64(l.words),
			uint64(s), l.roots.arg(), uint64(l.p.set(0).Len()), in.arg(), out.arg(), uint64(l.room), l.board.arg(), from, n, apart, l.d.stop.arg(),
			l.total.arg(), l.page.arg())
		if err != nil {
			return err
		}
	}
	if l.passes++; l.passes > 1 {
		l.env.Took(pattern.JoinChunks, 1)
	}
	l.env.Took(pattern.JoinBreadth, uint64(l.last-k+1))
	if err := l.d.wait("a join"); err != nil { // a copy would keep others from stopping the kernel
		return err
	}
	return l.look(k, most)
}

// look reads what has come of a descent from step k on.
func (l *levels) look(k int, most uint64) error {
	var board [levelBoard]uint64
	if err := download(l.board, board[:]); err != nil {
		return err
	}
	for s := k; s <= l.last; s++ {
		x, n := &l.level[s], l.reach
		if s > k {
			rows, entries := board[2*(s-1)]>>levelEntryBits, board[2*(s-1)]&(1<<levelEntryBits-1)
			*x = level{items: rows + entries}
		}
		if s == l.last {
			n = most
		}
		x.from = x.at
		x.at += min(n, x.items-x.at)
	}
	l.ready, l.taken = int(board[2*l.last]>>levelEntryBits), 0
	if board[levelBeyond] != 0 {
		return errBeyond
	}
	return nil
}

// share is how much of the search is done, by the items of each table.
func (l *levels) share() float64 {
	done := 1.0
	for k := l.last; k >= 0; k-- {
		if x := l.level[k]; x.items > 0 {
			done = (float64(x.from) + float64(x.at-x.from)*done) / float64(x.items)
		} else {
			done = 1
		}
	}
	return done
}

// countByLevels counts all matches. Once the search proves long, it begins anew with larger tables and shorter lists. It fails with errNoRoom
// where the device has no room for tables.
func (s *joinSearch) countByLevels(ctx context.Context, told *uint32) error {
	l, err := newLevels(s, firstRows, 0)
	if err != nil {
		return err
	}
	defer func() { l.held.end() }()
	for began, long := time.Now(), false; l.more(); {
		most := uint64(1<<64 - 1)
		if !long && l.passes == 0 {
			most = l.reach
		}
		if err := l.descend(most); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		done := l.share()
		s.progress(told, uint32(done*float64(s.p.set(0).Len())))
		if long || done == 1 || float64(time.Since(began)) < float64(levelLong)*done {
			continue
		}
		long = true
		l.held.end()
		if err := s.again(); err != nil {
			return err
		}
		if l, err = newLevels(s, laterRows, 0); err != nil {
			return err
		}
	}
	return nil
}
