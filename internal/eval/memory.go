package eval

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// Account charges the query's memory budget for what one operator holds.
type Account struct {
	budget *pattern.Memory
	op     string
	Unit   string // of Rows, for the message
	Rows   uint64 // rows, groups or values, for the message
	bytes  int64
	Peak   int64
	Ctx    context.Context // ends long work on what the account pays for; nil: never
}

// poll returns an error if the query is over, for step i of work that looks now and then.
func (h *Account) poll(i int) error {
	if i%(1<<16) != 0 || h.Ctx == nil {
		return nil
	}
	return h.Ctx.Err()
}

// NewAccount returns an empty account. Errors name op as the operator that held too much.
func NewAccount(budget *pattern.Memory, op string) *Account {
	return &Account{budget: budget, op: op, Unit: "rows"}
}

// Charge takes n more bytes; a negative n gives bytes back.
func (h *Account) Charge(n int64) error {
	h.bytes += n
	h.Peak = max(h.Peak, h.bytes)
	err := h.budget.Charge(n)
	if errors.Is(err, pattern.ErrMemory) {
		return &Error{Code: CodeMemory, Err: pattern.ErrMemory,
			Msg:  fmt.Sprintf("%v: %s held %d %s in about %s", pattern.ErrMemory, h.op, h.Rows, h.Unit, byteSize(h.bytes)),
			Hint: "return fewer rows with LIMIT or a narrower WHERE, aggregate earlier, or raise the memory budget"}
	}
	return err
}

// Append appends values to a list that the account pays for. While the list moves to a larger array, it pays for both.
func Append[T any](h *Account, list []T, values ...T) ([]T, error) {
	if n := len(list) + len(values); n > cap(list) {
		size, room := int64(unsafe.Sizeof(*new(T))), max(n, nextCap(cap(list)))
		if err := h.Charge(size * int64(room)); err != nil {
			return list, err
		}
		bigger := append(make([]T, 0, room), list...)
		if err := h.Charge(-size * int64(cap(list))); err != nil {
			return list, err
		}
		list = bigger
	}
	return append(list, values...), nil
}

// TakeOver takes what other was charged.
func (h *Account) TakeOver(other *Account) {
	h.bytes += other.bytes
	h.Peak = max(h.Peak, h.bytes)
	other.bytes = 0
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

// EntryBytes is roughly what a map entry takes beside the bytes of its key.
const EntryBytes = 40

// AppendKeys appends the keys of values to dst, if there is room for them.
func AppendKeys(h *Account, dst []byte, values []value.Value) ([]byte, error) {
	bytes := int64(0)
	for _, v := range values {
		bytes += v.Bytes()
	}
	if bytes > slack {
		err := h.Charge(bytes)
		if err = errors.Join(err, h.Charge(-bytes)); err != nil {
			return dst, err
		}
	}
	for _, v := range values {
		dst = value.AppendKey(dst, v)
	}
	return dst, nil
}
