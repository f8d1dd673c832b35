package convert

import (
	"sync/atomic"
	"unsafe"
)

// RoomRows is the number of rows whose values share a piece of memory.
const RoomRows = 32

// Room is memory for the values of rows, handed out row by row. The zero Room is ready; several goroutines may take from it.
type Room struct{ now atomic.Pointer[piece] }

// piece is the memory of RoomRows rows.
type piece struct {
	used   atomic.Int32 // rows
	values []any
	ints   []int64
}

// Take returns room for the values of a row of so many columns, always as many, and for those among them that are integers.
func (r *Room) Take(width int) ([]any, []int64) {
	p, at := r.now.Load(), RoomRows
	if p != nil {
		at = int(p.used.Add(1)) - 1
	}
	if at >= RoomRows {
		p, at = &piece{values: make([]any, RoomRows*width), ints: make([]int64, RoomRows*width)}, 0
		p.used.Store(1)
		r.now.Store(p)
	}
	lo, hi := at*width, (at+1)*width
	return p.values[lo:hi:hi], p.ints[lo:hi:hi]
}

// Int returns *p as an any that shares the memory of p, which must not change any more. The language would allocate a copy.
func Int(p *int64) (v any) {
	v = int64(0)
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(p)
	return v
}
