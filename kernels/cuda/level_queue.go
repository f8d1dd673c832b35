//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"time"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/pattern"
)

// levelState is what a launch of a decomposition leaves to the next one, the Step of cores.cu and trusses.cu.
type levelState struct {
	level, size, list, live           uint32
	done, skipped, dropped, kept      uint32
	removed, spilled, chunks, least   uint32
	restored, cascaded, hubs, counted uint32
}

const (
	stateWords   = 16
	stateSlots   = 64
	launchesMost = 32 // launches that the host enqueues before it looks
	launchesLong = 20 * time.Millisecond
)

// levelQueue enqueues many launches before the host looks. Each launch finds on the device what the one before has left to do. The
// slots are a ring; a launch clears the one behind its own.
type levelQueue struct {
	*task
	ctx   context.Context
	env   *pattern.Env
	ring  buffer
	at    int // the slot of the last launch
	batch int

	between func() error // what the host does where it looks; may be nil
}

func newLevelQueue(t *task, ctx context.Context, env *pattern.Env) (*levelQueue, error) {
	ring, err := t.zeros(stateWords * stateSlots)
	return &levelQueue{task: t, ctx: ctx, env: env, ring: ring, batch: 2}, err
}

// begin sets what the first launch finds.
func (s *levelQueue) begin(first levelState) error {
	if err := fill(s.ring, stateWords*stateSlots, 0); err != nil {
		return err
	}
	s.at, s.batch = 0, 2
	f := first
	return uploadTo(s.ring, []uint32{f.level, f.size, f.list, f.live, f.done, f.skipped, f.dropped, f.kept, f.removed, f.spilled, f.chunks, f.least,
		f.restored, f.cascaded, f.hubs, f.counted})
}

func (s *levelQueue) slot(i int) buffer {
	return buffer{s.ring.at + cu.DevicePtr(4*stateWords*((i+stateSlots)%stateSlots)), 4 * stateWords}
}

// run launches until one says that it had nothing to do, and gives look what each has left, in order. launch gets the slots of
// the launch before, of this one, and of the one after.
func (s *levelQueue) run(launch func(i int, was, now, after buffer) error, look func(levelState)) error {
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
		var words [stateWords * stateSlots]uint32
		if err := download(s.ring, words[:]); err != nil {
			return err
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		for i := s.at + 1; i <= s.at+n; i++ {
			w := words[i%stateSlots*stateWords:]
			x := levelState{w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]}
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
		if took := time.Since(began); took > 2*launchesLong {
			s.batch = max(1, s.batch/2)
		} else if took < launchesLong {
			s.batch = min(2*s.batch, launchesMost)
		}
	}
}
