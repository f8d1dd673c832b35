//go:build cuda && cgo && linux

package cuda

import (
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// layout puts a plan and what it refers to on the device.
type layout struct {
	t     *task
	p     *joinPlan
	words []uint64
	sets  map[*pattern.CandidateSet]onDevice
}

// onDevice is a candidate set there.
type onDevice struct{ list, bits buffer }

// Words of the plan (PLAN_ and STEP_ in join.cu).
const (
	planWeighted = 1
	planRecords  = 2
)

// lay returns the plan as the kernel reads it, and the candidates of the first step.
func lay(t *task, p *joinPlan) (plan buffer, words int, roots buffer, err error) {
	l := &layout{t: t, p: p, words: make([]uint64, planRecords+len(p.steps)), sets: make(map[*pattern.CandidateSet]onDevice)}
	l.words[0] = uint64(len(p.steps))
	if p.weighted {
		l.words[planWeighted] = 1
	}
	for k := range p.steps {
		l.words[planRecords+k] = uint64(len(l.words))
		if err := l.record(&p.steps[k]); err != nil {
			return plan, 0, roots, err
		}
	}
	first, err := l.set(p.set(0), true)
	if err != nil {
		return plan, 0, roots, err
	}
	plan, err = upload(t, l.words)
	return plan, len(l.words), first.list, err
}

// set is the candidates of step k.
func (p *joinPlan) set(k int) *pattern.CandidateSet { return p.job.Candidates.Sets[p.steps[k].u] }

// record appends what the kernel needs to know of a step.
func (l *layout) record(s *joinStep) error {
	set := l.p.job.Candidates.Sets[s.u]
	own := func(o joinSource) bool { return o.step == l.p.pos[s.u] }
	free := !slices.ContainsFunc(s.sources, func(o joinSource) bool { return !own(o) }) // of neighbour lists
	on, err := l.set(set, free)
	if err != nil {
		return err
	}
	lo, hi, bitmap := spanOf(set, l.p.job.Snapshot.N())
	bits := uint64(0)
	if bitmap {
		bits = on.bits.arg()
	}
	list := uint64(0)
	if free {
		list = on.list.arg()
	}
	l.words = append(l.words, bits, lo|hi<<32, uint64(s.differ), uint64(s.less)|uint64(s.greater)<<32,
		uint64(len(s.sources))|uint64(len(s.checks))<<32, list, uint64(set.Len()))
	for _, o := range s.sources {
		a, err := adjacencyOf(l.t, l.p.job.Snapshot, o.view.types, o.view.dir)
		if err != nil {
			return err
		}
		l.words = append(l.words, uint64(o.step), a.offsets.arg(), a.targets.arg())
	}
	for i := range s.checks {
		if err := l.check(&s.checks[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *layout) check(c *joinCheck) error {
	a, err := adjacencyOf(l.t, l.p.job.Snapshot, c.view.types, c.view.dir)
	if err != nil {
		return err
	}
	counts, err := l.counts(c.view)
	if err != nil {
		return err
	}
	l.words = append(l.words, c.kind|uint64(c.step)<<8|uint64(len(c.pairs))<<16|uint64(c.number)<<32, a.offsets.arg(), a.targets.arg(), counts)
	l.words = append(l.words, c.pairs...)
	return nil
}

// counts is where it stands how many relationships are behind each target of a view; 0: one each.
func (l *layout) counts(v joinView) (uint64, error) {
	s := l.p.job.Snapshot
	if l.p.adjacency(v).Counts == nil {
		return 0, nil
	}
	b, err := keep(l.t, s, "counts "+v.dir.String()+" "+typesName(v.types), func(up *task) (buffer, error) {
		return upload(up, s.Adjacency(v.types, v.dir).Flat().Counts)
	})
	return b.arg(), err
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
