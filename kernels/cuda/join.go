//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/pattern"
)

const (
	joinWarps  = 4   // of a block
	joinBlocks = 6   // that a multiprocessor has registers for (THREADS in join.cu)
	joinSlots  = 64  // SLOTS in join.cu
	joinHead   = 192 // HEAD
	joinState  = 160 // STATE
)

// Count returns the number of matches of j, for jobs that the kernel has a way for: no given elements, conditions beyond
// those of candidates, or DISTINCT that symmetry does not settle. The candidates must come from a filter that has tested labels.
func (d *Device) Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (total pattern.Count128, err error) {
	if env.Order == pattern.OrderAuto && env.Uses(pattern.JoinLengths) {
		j = leavesLast(j)
	}
	p, err := planJoin(j)
	if err != nil || p.hopeless() {
		return total, err
	}
	err = d.run(ctx, func(t *task) error {
		s, err := newJoinSearch(t, p, env)
		if err != nil {
			return err
		}
		total, err = s.count(ctx)
		return err
	})
	if err == nil && env.Tally != nil {
		env.Tally.Embeddings.Add(total.Lo)
	}
	return total, err
}

// hopeless reports whether some vertex has no candidate.
func (p *joinPlan) hopeless() bool {
	for k := range p.steps {
		if p.set(k).Len() == 0 {
			return true
		}
	}
	return false
}

// joinSearch is one search at work.
type joinSearch struct {
	*task
	p          *joinPlan
	env        *pattern.Env
	plan       buffer
	words      int // of the plan, of 8 bytes
	roots      buffer
	total      buffer // see joinSums
	board      buffer // see boardWords
	state      buffer // of warps between launches
	frameWords int
	shared     int // bytes a block, with the frames or without
	inShared   uint64
	blocks     int
	launches   int
	turns      int       // of a warp in the next launch
	tables     [2]buffer // rows dealt, to be taken and to come
	room       int       // rows of a step that a table holds; 0: there are no tables
	in         int       // the table that rows are taken from
	waiting    bool      // some of what the roots taken have led to is left
}

// The words of 4 bytes by which launches and the host tell each other how far the search is (BOARD_ in join.cu): marks, roots
// taken, dealt rows taken by step, and for either table the rows by step that were asked for, and complements of the first
// without room.
const (
	boardMarks  = 0
	boardNext   = 4
	boardIdle   = 5
	boardTaken  = 16
	boardTables = 32
	boardWords  = boardTables + 4*joinSteps
)

// Turns of a warp in a launch: few in the first, which has nothing to deal to; then until so many that a person may have waited, or
// a quarter of the warps has nothing to do, but not so few that a launch costs more.
var (
	firstTurns = 64
	laterTurns = 1 << 14
	patience   = 64
)

// dealtRows is how many rows of a step wait to be dealt, at most. Tests change it.
var dealtRows = 1 << 18

// sliceAfter is how many launches a search takes to be worth making lists of candidates only, and to begin anew with those.
// Tests change it.
var sliceAfter = 2

// newJoinSearch puts on the device what the search takes.
func newJoinSearch(t *task, p *joinPlan, env *pattern.Env) (s *joinSearch, err error) {
	s = &joinSearch{task: t, p: p, env: env, turns: firstTurns}
	if env.Tally != nil {
		order := make([]int, len(p.steps))
		for k := range order {
			order[k] = p.steps[k].u
		}
		env.Tally.Order.Store(&order)
	}
	p.lengths = env.Uses(pattern.JoinLengths)
	if err := s.lay(false); err != nil {
		return nil, err
	}
	s.total, err = t.zeros(2 * joinSums)
	return s, err
}

// frames makes room for the partial matches of warps, each of which searches by itself, depth first.
func (s *joinSearch) frames() (err error) {
	t := s.task
	if s.board, err = t.zeros(boardWords); err != nil {
		return err
	}
	s.frameWords = s.p.frameWords()
	s.shared = 8 * s.words
	s.blocks = joinBlocks * t.d.info.Multiprocessor
	frames := 4 * joinWarps * s.frameWords
	if fit := sharedRoom / (s.shared + frames + 1024); fit >= 4 && s.shared+frames <= t.d.sharedMost && s.env.Uses(pattern.JoinShared) {
		s.shared += frames
		s.inShared = 1
		s.blocks = min(fit, joinBlocks) * t.d.info.Multiprocessor
		s.env.Took(pattern.JoinShared, 1)
	}
	each := 4 * joinWarps * int64(joinState+s.frameWords)
	s.blocks = max(1, min(s.blocks, int(t.d.memory.limit/8/each)))
	s.state, err = t.alloc(each * int64(s.blocks))
	return err
}

// sharedRoom is about how many bytes of shared memory the blocks of a multiprocessor have between them.
const sharedRoom = 200 << 10

// lay puts the plan on the device, with neighbour lists as they are or cut down to candidates.
func (s *joinSearch) lay(slices bool) (err error) {
	var cut *pattern.Env
	if slices {
		cut = s.env
	}
	s.plan, s.words, s.roots, err = lay(s.task, s.p, cut)
	return err
}

// again starts anew, with lists of candidates only: the search has proved to be worth making them.
func (s *joinSearch) again() error {
	if s.env.Uses(pattern.JoinSlices) {
		if err := s.lay(true); err != nil {
			return err
		}
	}
	return s.restart()
}

// restart forgets what was found.
func (s *joinSearch) restart() error {
	s.launches, s.in, s.turns = 0, 0, firstTurns
	if s.board.at != 0 {
		if err := fill(s.board, boardWords, 0); err != nil {
			return err
		}
	}
	return fill(s.total, 2*joinSums, 0)
}

// frameWords is how many words a warp's frames take: one for each step but the last, and one for rows dealt.
func (p *joinPlan) frameWords() int {
	frames, words := len(p.steps), joinHead
	if p.weighted {
		words += 2 * joinSlots
	}
	return frames*words + joinSlots/2*frames*(frames+1)
}

// rowWords is how many words the rows of all steps but the last take in a table, one of each.
func (p *joinPlan) rowWords() int {
	n, each := len(p.steps)-1, 2
	if p.weighted {
		each = 4
	}
	return n*each + n*(n+1)/2
}

// part is some words of the board.
func (s *joinSearch) part(at, n int) buffer {
	return buffer{s.board.at + cu.DevicePtr(4*at), 4 * int64(n)}
}

// turn launches the warps once and returns what the board says then. A page takes matches, if there is one.
func (s *joinSearch) turn(page buffer, room int) (board [boardWords]uint32, err error) {
	resume, in, out := uint64(0), s.table(s.in), s.table(1-s.in)
	if s.launches > 0 {
		resume = 1
		s.env.Took(pattern.JoinChunks, 1)
	}
	turns := s.turns
	if !s.env.Uses(pattern.JoinChunks) {
		turns = 1<<32 - 1
	}
	apart := uint64(1)
	if s.env.Uses(pattern.JoinPacked) {
		apart = 0
	}
	s.launches++
	if err := fill(s.part(boardMarks, 4), 4, 0); err != nil {
		return board, err
	}
	if err := fill(s.part(boardIdle, 1), 1, 0); err != nil {
		return board, err
	}
	err = s.d.launch("join", s.blocks, 32*joinWarps, s.shared, s.plan.arg(), uint64(s.words), s.roots.arg(), uint64(s.p.set(0).Len()),
		s.board.arg(), s.d.stop.arg(), s.total.arg(), s.state.arg(), uint64(s.frameWords), s.inShared, apart, resume, uint64(turns), uint64(patience),
		page.arg(), uint64(room), s.tables[s.in].arg(), in.arg(), s.tables[1-s.in].arg(), out.arg(), uint64(s.room))
	if err != nil {
		return board, err
	}
	if err := s.d.wait("a join"); err != nil { // a copy would keep others from stopping the kernel
		return board, err
	}
	return board, download(s.board, board[:])
}

// table is the counts of a table.
func (s *joinSearch) table(i int) buffer { return s.part(boardTables+2*joinSteps*i, 2*joinSteps) }

// rows is how many rows of a step a table has.
func rows(board *[boardWords]uint32, table, step int) uint32 {
	at := boardTables + 2*joinSteps*table + step
	return min(board[at], ^board[at+joinSteps])
}

// settle prepares the next launch. It returns false if there is nothing left to do.
func (s *joinSearch) settle(board *[boardWords]uint32) (more bool, err error) {
	if board[boardMarks+2] != 0 {
		return false, errBeyond
	}
	taken, dealt := true, uint64(0)
	for k := range joinSteps {
		taken = taken && board[boardTaken+k] >= rows(board, s.in, k)
		dealt += uint64(rows(board, 1-s.in, k))
	}
	s.waiting = board[boardMarks+3] > 0 || !taken || dealt > 0
	if !s.waiting && int(board[boardNext]) >= s.p.set(0).Len() {
		return false, nil
	}
	s.turns = laterTurns
	if taken && s.room > 0 {
		s.env.Took(pattern.JoinDealt, dealt)
		s.in = 1 - s.in
		if err := fill(s.part(boardTaken, joinSteps), joinSteps, 0); err != nil {
			return false, err
		}
		if err := fill(s.table(1-s.in), 2*joinSteps, 0); err != nil {
			return false, err
		}
	}
	return true, s.makeTables()
}

// makeTables makes the tables, once a search has proved to take more than one launch.
func (s *joinSearch) makeTables() error {
	if s.room > 0 || !s.env.Uses(pattern.JoinDealt) {
		return nil
	}
	bytes := 4 * int64(dealtRows) * int64(s.p.rowWords())
	if 2*bytes > s.d.memory.limit/8 {
		return nil
	}
	for i := range s.tables {
		var err error
		if s.tables[i], err = s.alloc(bytes); errors.Is(err, errNoRoom) {
			return nil // warps keep what they have
		} else if err != nil {
			return err
		}
	}
	s.room = dealtRows
	return nil
}

var errBeyond = errors.New("a number of relationships beyond 64 bits")

// count counts all matches.
func (s *joinSearch) count(ctx context.Context) (total pattern.Count128, err error) {
	s.expect()
	told, by := uint32(0), s.countByWarps
	if s.byLevels() {
		by = s.countByLevels
	}
	err = by(ctx, &told)
	if errors.Is(err, errNoRoom) && s.byLevels() {
		if err = s.restart(); err == nil {
			err = s.countByWarps(ctx, &told)
		}
	}
	switch {
	case errors.Is(err, errBeyond):
		err = declined(err.Error())
	case err == nil:
		var sum [joinSums]uint64
		sum, err = s.sums()
		total = pattern.Count128{Lo: sum[0], Hi: sum[1]}
	}
	s.leave(&told, err)
	return total, err
}

// countByWarps counts all matches depth first.
func (s *joinSearch) countByWarps(ctx context.Context, told *uint32) error {
	if err := s.frames(); err != nil {
		return err
	}
	for more, cut := true, false; more; {
		board, err := s.turn(buffer{}, 0)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if more, err = s.settle(&board); err != nil {
			return err
		}
		if !s.waiting {
			s.progress(told, board[boardNext])
		}
		if more && !cut && s.launches >= sliceAfter && s.env.Uses(pattern.JoinSlices) {
			if cut, err = true, s.again(); err != nil {
				return err
			}
		}
	}
	return nil
}

// expect tells how many roots there are to take.
func (s *joinSearch) expect() {
	if s.env.Tally != nil {
		s.env.Tally.Units.Add(uint64(s.p.set(0).Len()))
	}
}

// progress tells how many roots are done, with all that they led to.
func (s *joinSearch) progress(told *uint32, done uint32) {
	if done = min(done, uint32(s.p.set(0).Len())); s.env.Tally != nil && done > *told {
		s.env.Tally.UnitsDone.Add(uint64(done - *told))
		*told = done
	}
}

// leave ends that: all roots are done, or, if the search is left to the CPU, the CPU tells how many there are.
func (s *joinSearch) leave(told *uint32, err error) {
	switch {
	case err == nil:
		s.progress(told, uint32(s.p.set(0).Len()))
	case s.env.Tally != nil && (errors.Is(err, ErrDeclined) || errors.Is(err, errNoRoom)):
		s.env.Tally.Units.Add(-uint64(s.p.set(0).Len()))
		s.env.Tally.UnitsDone.Add(-uint64(*told))
	}
}

// joinSums is how many sums the kernel makes.
const joinSums = 5

// sums returns the number of matches, in two words, and those of partial ones, of batches, and of partial ones whose last vertex was
// counted by a length.
func (s *joinSearch) sums() (sum [joinSums]uint64, err error) {
	err = download(s.total, sum[:])
	if s.env.Uses(pattern.JoinPacked) {
		s.env.Took(pattern.JoinPacked, sum[3])
	}
	s.env.Took(pattern.JoinLengths, sum[4])
	if s.env.Tally != nil {
		s.env.Tally.Partial.Add(sum[2])
	}
	return sum, err
}
