package exec

import (
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// holding charges the query's memory budget for what one operator holds.
type holding struct {
	memory *pattern.Memory
	op     string
	rows   uint64 // rows, groups or values held, for the message
	bytes  int64
	peak   int64
}

func (x *execution) newHolding(op string, out *outlet) *holding {
	h := &holding{memory: x.pattern.Memory, op: op}
	x.holdings = append(x.holdings, h)
	out.holding = h
	return h
}

// grow takes n more bytes, or gives back -n.
func (h *holding) grow(n int64) error {
	h.bytes += n
	h.peak = max(h.peak, h.bytes)
	err := h.memory.Grow(n)
	if errors.Is(err, pattern.ErrMemory) {
		return &Error{Code: codeMemory, Err: pattern.ErrMemory,
			Msg:  fmt.Sprintf("%v: %s held %d rows in about %s", pattern.ErrMemory, h.op, h.rows, byteSize(h.bytes)),
			Hint: "return fewer rows with LIMIT or a narrower WHERE, aggregate earlier, or raise the memory budget"}
	}
	return err
}

func (h *holding) release() {
	_ = h.memory.Grow(-h.bytes) // giving back cannot pass the limit on its own account
	h.bytes = 0
}

func byteSize(n int64) string {
	f, unit := float64(n), "bytes"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if f < 1024 {
			break
		}
		f, unit = f/1024, u
	}
	return fmt.Sprintf("%.4g %s", f, unit)
}

// reset forgets all keys.
func (s *set) reset() {
	clear(s.seen)
	s.holding.rows = 0
	s.holding.release()
}

// set remembers which keys it has seen, see value.AppendKey.
type set struct {
	*holding
	seen map[string]struct{}
	key  []byte
}

// setEntry is about what a map entry takes beside its key's bytes.
const setEntry = 40

func newSet(h *holding) set { return set{holding: h, seen: make(map[string]struct{})} }

// add tells whether the values were not seen before.
func (s *set) add(values ...value.Value) (fresh bool, err error) {
	s.key = s.key[:0]
	for _, v := range values {
		s.key = value.AppendKey(s.key, v)
	}
	if _, ok := s.seen[string(s.key)]; ok {
		return false, nil
	}
	s.seen[string(s.key)] = struct{}{}
	s.rows++
	return true, s.grow(setEntry + int64(len(s.key)))
}
