//go:build cuda && cgo && linux

package cuda

import "slices"

// Requests of one kind take buffers of the same sizes again and again, which the driver needs some 30 µs each to give and to take back, and
// half a millisecond if they are large. So those that a request has left are kept, up to an eighth of the memory, as long as
// nothing else needs the room. Kernels and copies that still use a buffer when it is left come before all that use it next: they
// have one stream.

// spareFrom is how many bytes a buffer must have to be kept. Tests change it: what is kept cannot be seen to be used after its end.
var spareFrom int64 = 1 << 12

const sparesAtMost = 512

// sparing rounds the size of a buffer that may be kept, so that one of about that size does for it later.
func sparing(bytes int64) int64 {
	if bytes < spareFrom {
		return bytes
	}
	step := spareFrom
	for 16*step <= bytes {
		step *= 2
	}
	return (bytes + step - 1) / step * step
}

// spare keeps a buffer, if it is worth it.
func (m *memory) spare(b buffer) bool {
	if b.bytes < spareFrom || len(m.spares) == sparesAtMost || m.spareBytes+b.bytes > m.limit/8 {
		return false
	}
	m.spares, m.spareBytes = append(m.spares, b), m.spareBytes+b.bytes
	return true
}

// reuse returns a buffer that was kept of at least so many bytes, and not many more.
func (m *memory) reuse(bytes int64) (b buffer, ok bool) {
	i := slices.IndexFunc(m.spares, func(b buffer) bool { return b.bytes >= bytes && b.bytes <= bytes+bytes/8 })
	if bytes < spareFrom || i < 0 {
		return b, false
	}
	b = m.spares[i]
	m.spares, m.spareBytes = slices.Delete(m.spares, i, i+1), m.spareBytes-b.bytes
	return b, true
}

// discard gives back what was kept, and reports whether that was anything.
func (m *memory) discard() bool {
	some := len(m.spares) > 0
	for _, b := range m.spares {
		m.give(b)
	}
	m.spares, m.spareBytes = nil, 0
	return some
}
