package eval

import (
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// Account charges the query's memory budget for what one operator holds.
type Account struct {
	budget *pattern.Memory
	op     string
	Rows   uint64 // rows, groups or values, for the message
	bytes  int64
	Peak   int64
}

// NewAccount returns an empty account. Errors name op as the operator that held too much.
func NewAccount(budget *pattern.Memory, op string) *Account { return &Account{budget: budget, op: op} }

// Charge takes n more bytes; a negative n gives bytes back.
func (h *Account) Charge(n int64) error {
	h.bytes += n
	h.Peak = max(h.Peak, h.bytes)
	err := h.budget.Charge(n)
	if errors.Is(err, pattern.ErrMemory) {
		return &Error{Code: CodeMemory, Err: pattern.ErrMemory,
			Msg:  fmt.Sprintf("%v: %s held %d rows in about %s", pattern.ErrMemory, h.op, h.Rows, byteSize(h.bytes)),
			Hint: "return fewer rows with LIMIT or a narrower WHERE, aggregate earlier, or raise the memory budget"}
	}
	return err
}

// Release gives back all that was charged.
func (h *Account) Release() {
	h.budget.Release(h.bytes)
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

// Reset forgets all keys.
func (s *KeySet) Reset() {
	clear(s.keys)
	s.Account.Rows = 0
	s.Account.Release()
}

// KeySet remembers keys, see value.AppendKey.
type KeySet struct {
	*Account
	keys map[string]struct{}
	key  []byte
}

// EntryBytes is roughly what a map entry takes beside the bytes of its key.
const EntryBytes = 40

func NewKeySet(h *Account) KeySet { return KeySet{Account: h, keys: make(map[string]struct{})} }

// Add reports whether the values are new to the set, and adds them.
func (s *KeySet) Add(values ...value.Value) (fresh bool, err error) {
	s.key = s.key[:0]
	for _, v := range values {
		s.key = value.AppendKey(s.key, v)
	}
	if _, ok := s.keys[string(s.key)]; ok {
		return false, nil
	}
	s.keys[string(s.key)] = struct{}{}
	s.Rows++
	return true, s.Charge(EntryBytes + int64(len(s.key)))
}
