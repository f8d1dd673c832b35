//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/internal/pattern"
)

const (
	joinWarps = 4   // of a block
	joinSlots = 64  // SLOTS in join.cu
	joinHead  = 160 // HEAD
	joinState = 128 // STATE
)

// Count returns the number of matches of j, for jobs that the kernel has a way for: no given elements, conditions beyond
// those of candidates, or DISTINCT that symmetry does not settle. The candidates must come from a filter that has tested labels.
func (d *Device) Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (total pattern.Count128, err error) {
	p, err := planJoin(j)
	if err != nil || p.hopeless() {
		return total, err
	}
	err = d.run(ctx, func(t *task) error {
		s, err := newJoinSearch(t, p, env, false)
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
	next       buffer // 4 bytes: roots taken
	total      buffer // 24 bytes: matches, and partial ones
	marks      counts
	state      buffer
	frameWords int
	shared     int // bytes a block, with the frames or without
	inShared   uint64
	blocks     int
}

// newJoinSearch puts on the device what the search takes. It keeps the frames between launches if it is to fill pages.
func newJoinSearch(t *task, p *joinPlan, env *pattern.Env, pages bool) (s *joinSearch, err error) {
	s = &joinSearch{task: t, p: p, env: env}
	if env.Tally != nil {
		order := make([]int, len(p.steps))
		for k := range order {
			order[k] = p.steps[k].u
		}
		env.Tally.Order.Store(&order)
	}
	if s.plan, s.words, s.roots, err = lay(t, p); err != nil {
		return nil, err
	}
	if s.next, err = t.zeros(1); err != nil {
		return nil, err
	}
	if s.total, err = t.zeros(6); err != nil {
		return nil, err
	}
	if s.marks, err = newCounts(t); err != nil {
		return nil, err
	}
	s.frameWords = p.frameWords()
	s.shared = 8 * s.words
	if frames := 4 * joinWarps * s.frameWords; !pages && s.shared+frames <= t.d.sharedMost/2 {
		s.shared += frames
		s.inShared = 1
	}
	roots := p.set(0).Len()
	s.blocks = min((roots+32*joinWarps-1)/(32*joinWarps), 16*t.d.info.Multiprocessor)
	if s.inShared == 0 {
		each := 4 * joinWarps * int64(joinState+s.frameWords)
		s.blocks = max(1, min(s.blocks, int(t.d.memory.limit/8/each)))
		s.state, err = t.alloc(each * int64(s.blocks))
	}
	return s, err
}

// frameWords is how many words a warp's frames take.
func (p *joinPlan) frameWords() int {
	frames, words := len(p.steps)-1, joinHead
	if p.weighted {
		words += 2 * joinSlots
	}
	return frames*words + joinSlots/2*frames*(frames+1)
}

func (s *joinSearch) start(first, last int, resume uint64, page buffer, room int) error {
	return s.d.launch("join", s.blocks, 32*joinWarps, s.shared, s.plan.arg(), uint64(s.words), s.roots.arg(), uint64(first), uint64(last),
		s.next.arg(), s.d.stop.arg(), s.total.arg(), s.marks.arg(), s.state.arg(), uint64(s.frameWords), s.inShared, s.apart(), resume,
		page.arg(), uint64(room))
}

// apart is 1 where every row has a warp's lanes for itself.
func (s *joinSearch) apart() uint64 { return 0 }

// sums returns the number of matches, in two words, and that of partial ones.
func (s *joinSearch) sums() (sum [3]uint64, err error) {
	err = download(s.total, sum[:])
	if s.env.Tally != nil {
		s.env.Tally.Partial.Add(sum[2])
	}
	return sum, err
}

// count counts all matches.
func (s *joinSearch) count(ctx context.Context) (total pattern.Count128, err error) {
	roots := s.p.set(0).Len()
	if s.env.Tally != nil {
		s.env.Tally.Units.Add(uint64(roots))
		defer s.env.Tally.UnitsDone.Add(uint64(roots))
	}
	if err := s.start(0, roots, 0, buffer{}, 0); err != nil {
		return total, err
	}
	marks, err := s.marks.read()
	if err != nil {
		return total, err
	}
	if marks[2] != 0 {
		return total, declined("a number of relationships beyond 64 bits")
	}
	sum, err := s.sums()
	if err != nil {
		return total, err
	}
	return pattern.Count128{Lo: sum[0], Hi: sum[1]}, ctx.Err()
}
