//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"time"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/pattern"
)

// step is what a launch of a decomposition leaves to the next one, the Step of cores.cu and trusses.cu.
type step struct {
	level, size, list, live           uint32
	done, skipped, dropped, kept      uint32
	removed, spilled, chunks, least   uint32
	restored, cascaded, hubs, counted uint32
}

const (
	stepWords = 16
	stepSlots = 64
	stepsMost = 32 // launches that the host enqueues before it looks
	stepsLong = 20 * time.Millisecond
)

// steps runs launches that each find out on the device what is left to do, by what the one before has left there: the host
// enqueues many, and looks then. The slots are a ring; a launch clears the one behind its own.
type steps struct {
	*task
	ctx   context.Context
	env   *pattern.Env
	ring  buffer
	at    int // the slot of the last launch
	batch int

	between func() error // what the host does where it looks; may be nil
}

func newSteps(t *task, ctx context.Context, env *pattern.Env) (*steps, error) {
	ring, err := t.zeros(stepWords * stepSlots)
	return &steps{task: t, ctx: ctx, env: env, ring: ring, batch: 2}, err
}

// begin sets what the first launch finds.
func (s *steps) begin(first step) error {
	if err := fill(s.ring, stepWords*stepSlots, 0); err != nil {
		return err
	}
	s.at, s.batch = 0, 2
	f := first
	return uploadTo(s.ring, []uint32{f.level, f.size, f.list, f.live, f.done, f.skipped, f.dropped, f.kept, f.removed, f.spilled, f.chunks, f.least,
		f.restored, f.cascaded, f.hubs, f.counted})
}

func (s *steps) slot(i int) buffer {
	return buffer{s.ring.at + cu.DevicePtr(4*stepWords*((i+stepSlots)%stepSlots)), 4 * stepWords}
}

// run launches until one says that it had nothing to do, and gives look what each has left, in order. launch gets the slots of
// the launch before, of this one, and of the one after.
func (s *steps) run(launch func(i int, was, now, after buffer) error, look func(step)) error {
	for {
		n := s.batch
		if !s.env.Uses(pattern.GPUAhead) {
			n = 1
		}
		began := time.Now()
		for i := s.at + 1; i <= s.at+n; i++ {
			if err := launch(i, s.slot(i-1), s.slot(i), s.slot(i+1)); err != nil {
				return err
			}
		}
		s.env.Took(pattern.GPUAhead, uint64(n-1))
		var words [stepWords * stepSlots]uint32
		if err := download(s.ring, words[:]); err != nil {
			return err
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		for i := s.at + 1; i <= s.at+n; i++ {
			w := words[i%stepSlots*stepWords:]
			x := step{w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]}
			if x.done != 0 {
				return nil
			}
			look(x)
		}
		s.at += n
		if s.between != nil {
			if err := s.between(); err != nil {
				return err
			}
		}
		// Ctrl-C waits for what was enqueued.
		if took := time.Since(began); took > 2*stepsLong {
			s.batch = max(1, s.batch/2)
		} else if took < stepsLong {
			s.batch = min(2*s.batch, stepsMost)
		}
	}
}
