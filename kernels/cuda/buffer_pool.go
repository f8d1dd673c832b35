//go:build cuda && cgo && linux

package cuda

import "slices"

// bufferPool keeps buffers that requests have left. Requests of one kind take buffers of the same sizes again and again, and the driver
// takes some 30 µs to give or to take one, half a millisecond for a large one. The pool holds up to an eighth of the memory, as long as
// nothing else needs the room. Kernels and copies that still use a buffer when it comes to the pool run before all that use it next:
// they have one stream.
type bufferPool struct {
	list  []buffer
	bytes int64
}

// poolFrom is how many bytes a buffer must have to be kept. Tests change it: nobody sees who uses a kept buffer too late.
var poolFrom int64 = 1 << 12

// poolMost is how many buffers a pool keeps.
const poolMost = 512

// poolSize rounds the size of a buffer up, so that the pool can serve one of about that size with it later.
func poolSize(bytes int64) int64 {
	if bytes < poolFrom {
		return bytes
	}
	step := poolFrom
	for 16*step <= bytes {
		step *= 2
	}
	return (bytes + step - 1) / step * step
}

// put keeps a buffer, if that is worth it, and as long as the pool stays below so many bytes.
func (p *bufferPool) put(b buffer, most int64) bool {
	if b.bytes < poolFrom || len(p.list) == poolMost || p.bytes+b.bytes > most {
		return false
	}
	p.list, p.bytes = append(p.list, b), p.bytes+b.bytes
	return true
}

// take returns a kept buffer of at least so many bytes, and not many more.
func (p *bufferPool) take(bytes int64) (b buffer, ok bool) {
	i := slices.IndexFunc(p.list, func(b buffer) bool { return b.bytes >= bytes && b.bytes <= bytes+bytes/8 })
	if bytes < poolFrom || i < 0 {
		return b, false
	}
	b = p.list[i]
	p.list, p.bytes = slices.Delete(p.list, i, i+1), p.bytes-b.bytes
	return b, true
}

// drain gives all buffers back to the driver, and reports whether there were any.
func (p *bufferPool) drain(m *memory) bool {
	some := len(p.list) > 0
	for _, b := range p.list {
		m.give(b)
	}
	p.list, p.bytes = nil, 0
	return some
}
