//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// layout puts a plan and what it refers to on the device.
type layout struct {
	t     *task
	p     *joinPlan
	words []uint64
	sets  map[*pattern.CandidateSet]onDevice

	one   [joinSteps]bool // the step takes all of one list but what it must differ from
	env   *pattern.Env    // nil: lists are as they are
	views map[viewKey]*adjacent
	made  map[viewKey]neighbourBits
}

// viewKey is a view, the set whose rows are meant, and that of the neighbours which stay.
type viewKey struct {
	view     *adjacent
	from, to *pattern.CandidateSet
}

// onDevice is a candidate set there.
type onDevice struct{ list, bits buffer }

// Words of the plan (PLAN_ and STEP_ in join.cu).
const (
	planWeighted = 1
	planCounted  = 2
	planRecords  = 3
	sourceWords  = 6
)

// lay returns the plan as the kernel reads it, and the candidates of the first step. With an env that has slices on, neighbour lists
// are cut down to candidates first.
func lay(t *task, p *joinPlan, cut *pattern.Env) (plan buffer, words int, roots buffer, err error) {
	if p.sets == nil {
		p.sets = make(map[*pattern.CandidateSet]onDevice)
	}
	l := &layout{t: t, p: p, words: make([]uint64, planRecords+len(p.steps)), sets: p.sets, env: cut}
	l.words[0] = uint64(len(p.steps))
	if p.weighted {
		l.words[planWeighted] = 1
	}
	for k := range p.steps {
		l.words[planRecords+k] = uint64(len(l.words))
		if err := l.record(k); err != nil {
			return plan, 0, roots, err
		}
	}
	p.counted = l.counted()
	l.words[planCounted] = uint64(p.counted)
	first, err := l.set(p.set(0), true)
	if err != nil {
		return plan, 0, roots, err
	}
	plan, err = upload(t, l.words)
	return plan, len(l.words), first.list, err
}

// counted is the first of the last steps that are counted by the lengths of their lists: none depends on another of them.
func (l *layout) counted() int {
	n := len(l.p.steps)
	if !l.p.lengths {
		return n
	}
	needs, from := uint16(0), n
	for k := n - 1; k > 0 && l.one[k]; k-- {
		s := &l.p.steps[k]
		needs |= s.differ | s.less | s.greater
		for _, o := range s.sources {
			needs |= 1 << o.step
		}
		if needs>>k != 0 {
			break
		}
		from = k
	}
	return from
}

// set is the candidates of step k.
func (p *joinPlan) set(k int) *pattern.CandidateSet { return p.job.Candidates.Sets[p.steps[k].u] }

// record appends what the kernel needs to know of step k.
func (l *layout) record(k int) error {
	s, set := &l.p.steps[k], l.p.set(k)
	free := !slices.ContainsFunc(s.sources, func(o joinSource) bool { return o.step != k }) // of neighbour lists
	on, err := l.set(set, free)
	if err != nil {
		return err
	}
	lo, hi, others := spanOf(set, l.p.job.Snapshot.N())
	words, several := make([]uint64, 0, sourceWords*len(s.sources)), len(s.sources) > 1
	for _, o := range s.sources {
		from, sliced, err := l.source(k, o)
		if err != nil {
			return err
		}
		if sliced {
			lo, hi, others = 0, 1<<32-1, false
		}
		var b neighbourBits
		if several {
			if b, err = l.bits(k, o, from); err != nil {
				return err
			}
		}
		words = append(words, uint64(o.step), from.offsets.arg(), from.targets.arg(), b.at.arg(), b.first|b.count<<32, b.low|b.span<<32)
	}
	bits, list := uint64(0), uint64(0)
	if others {
		bits = on.bits.arg()
	}
	if free {
		list = on.list.arg()
	}
	l.one[k] = (len(s.sources) == 0 || len(s.sources) == 1 && !free) && len(s.checks) == 0 && !others
	l.words = append(l.words, bits, lo|hi<<32, uint64(s.differ), uint64(s.less)|uint64(s.greater)<<32, uint64(len(s.sources))|uint64(len(s.checks))<<32,
		list, uint64(set.Len()))
	l.words = append(l.words, words...)
	for i := range s.checks {
		if err := l.check(&s.checks[i]); err != nil {
			return err
		}
	}
	return nil
}

// source is the neighbour lists of a source of step k, and whether they hold candidates only.
func (l *layout) source(k int, o joinSource) (a *adjacent, sliced bool, err error) {
	a, err = adjacencyOf(l.t, l.p.job.Snapshot, o.view.types, o.view.dir)
	if err != nil || l.env == nil || o.step == k || l.p.set(k).Len() == a.vertices {
		return a, false, err
	}
	key := viewKey{a, l.p.set(o.step), l.p.set(k)}
	if made := l.views[key]; made != nil {
		return made, true, nil
	}
	made, err := l.candidateView(key)
	if errors.Is(err, errNoRoom) {
		return a, false, nil
	}
	if l.views == nil {
		l.views = make(map[viewKey]*adjacent)
	}
	l.views[key] = made
	return made, true, err
}

// candidateView cuts the rows of a view, those of one set, down to the vertices of another.
func (l *layout) candidateView(key viewKey) (*adjacent, error) {
	from, err := l.set(key.from, false)
	if err != nil {
		return nil, err
	}
	to, err := l.set(key.to, false)
	if err != nil {
		return nil, err
	}
	out, err := (&candidateView{view: key.view, rows: key.view.vertices, from: from.bits, to: to.bits}).cut(l.t)
	if err != nil {
		return nil, err
	}
	l.env.Took(pattern.JoinSlices, 1)
	return &adjacent{vertices: key.view.vertices, edges: int64(out.edges), offsets: out.offsets, targets: out.targets}, nil
}

func (l *layout) check(c *joinCheck) error {
	a, err := adjacencyOf(l.t, l.p.job.Snapshot, c.view.types, c.view.dir)
	if err != nil {
		return err
	}
	counts := buffer{}
	if l.p.adjacency(c.view).Counts != nil {
		if counts, err = countsOf(l.t, l.p.job.Snapshot, c.view.types, c.view.dir); err != nil {
			return err
		}
	}
	l.words = append(l.words, c.kind|uint64(c.step)<<8|uint64(len(c.pairs))<<16|uint64(c.number)<<32, a.offsets.arg(), a.targets.arg(), counts.arg())
	l.words = append(l.words, c.pairs...)
	return nil
}

// spanOf is the range that candidates lie in, all numbers if that hardly cuts anything off, and whether the range has others, too.
func spanOf(set *pattern.CandidateSet, n uint64) (lo, hi uint64, others bool) {
	list := set.List()
	if len(list) == 0 {
		return 0, 0, false
	}
	lo, hi = uint64(list[0]), uint64(list[len(list)-1])+1
	others = uint64(len(list)) < hi-lo
	if hi-lo >= n-n/8 && (others || hi-lo == n) {
		lo, hi = 0, 1<<32-1
	}
	return lo, hi, others
}

// set uploads a candidate set's bitmap, and its list if that is wanted.
func (l *layout) set(set *pattern.CandidateSet, list bool) (on onDevice, err error) {
	on = l.sets[set]
	if on.bits.at == 0 {
		if on.bits, err = upload(l.t, set.Bits()); err != nil {
			return on, err
		}
	}
	if list && on.list.at == 0 {
		if on.list, err = upload(l.t, set.List()); err != nil {
			return on, err
		}
	}
	l.sets[set] = on
	return on, nil
}
