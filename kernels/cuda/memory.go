//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"
	"weak"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/csr"
)

// memory is the device's, as far as we use it. What was uploaded of a snapshot stays until its room is needed (the least
// recently used goes first) or the snapshot is gone. Only the device's thread touches it.
type memory struct {
	device      *Device
	limit, used int64
	reserve     int64            // that is left to the driver and to others
	fixed       bool             // the limit stays what it is: for tests
	graphs      []*residentGraph // the one used last at the end
	index       residentIndex    // of graphs
	failure     error            // the first one of giving memory back
	pool        bufferPool
}

// buffer is memory on the device.
type buffer struct {
	at    cu.DevicePtr
	bytes int64
}

func (b buffer) arg() uint64 { return uint64(b.at) }

// residentGraph is a graph that stays on the device.
type residentGraph struct {
	of      weak.Pointer[csr.Snapshot]
	name    string
	buffers []buffer
	graph   any
	busy    int // tasks that hold it
}

// errNoRoom says that the device's memory is too small for a request.
var errNoRoom = errors.New("not enough memory on the device")

func (m *memory) alloc(bytes int64) (buffer, error) {
	bytes = poolSize(max(bytes, 8))
	if b, ok := m.pool.take(bytes); ok {
		m.used += b.bytes
		return b, nil
	}
	if m.used+m.pool.bytes+bytes > m.limit {
		if err := m.ask(); err != nil {
			return buffer{}, err
		}
	}
	for m.used+m.pool.bytes+bytes > m.limit {
		if !m.pool.drain(m) && !m.evict() {
			return buffer{}, fmt.Errorf("%w: %d bytes wanted, %d of %d taken", errNoRoom, bytes, m.used, m.limit)
		}
	}
	for {
		p, err := cu.MemAlloc(bytes)
		if err == nil {
			m.used += bytes
			return buffer{p, bytes}, nil
		}
		if err != cu.OutOfMemory {
			return buffer{}, failed("cuMemAlloc", err)
		}
		if !m.pool.drain(m) && !m.evict() {
			return buffer{}, fmt.Errorf("%w: the driver has no %d bytes left", errNoRoom, bytes)
		}
	}
}

// ask takes the limit from what the driver has left now: others may have taken some since, or given it back.
func (m *memory) ask() error {
	if m.fixed {
		return nil
	}
	free, _, err := cu.MemInfo()
	if err != nil {
		return failed("cuMemGetInfo", err)
	}
	m.limit = m.used + m.pool.bytes + max(0, free-m.reserve)
	return nil
}

func (m *memory) free(b buffer) {
	if b.at == 0 {
		return
	}
	m.used -= b.bytes
	if !m.pool.put(b, m.limit/8) {
		m.give(b)
	}
}

// give gives a buffer back to the driver.
func (m *memory) give(b buffer) {
	if err := cu.MemFree(b.at); err != nil && m.failure == nil {
		m.failure = m.device.failed("cuMemFree", err)
	}
}

// evict frees the least recently used graph, and first those whose snapshots are gone.
func (m *memory) evict() bool {
	i := slices.IndexFunc(m.graphs, func(r *residentGraph) bool { return r.busy == 0 && r.of.Value() == nil })
	if i < 0 {
		i = slices.IndexFunc(m.graphs, func(r *residentGraph) bool { return r.busy == 0 })
	}
	if i < 0 {
		return false
	}
	m.drop(i)
	return true
}

func (m *memory) drop(i int) {
	for _, b := range m.graphs[i].buffers {
		m.free(b)
	}
	m.index.remove(m.graphs[i])
	m.graphs = slices.Delete(m.graphs, i, i+1)
}

func (m *memory) freeAll() {
	for len(m.graphs) > 0 {
		m.drop(len(m.graphs) - 1)
	}
	m.pool.drain(m)
}

// keep returns what build has uploaded of a snapshot under a name, now or earlier. It stays at least until t ends.
func keep[G any](t *task, s *csr.Snapshot, name string, build func(up *task) (G, error)) (G, error) {
	m := &t.d.memory
	key := weak.Make(s)
	i := slices.IndexFunc(m.graphs, func(r *residentGraph) bool { return r.of == key && r.name == name })
	if i < 0 {
		up := &task{d: t.d}
		g, err := build(up)
		if err != nil {
			up.end()
			return g, err
		}
		m.graphs = append(m.graphs, &residentGraph{of: key, name: name, buffers: up.buffers, graph: g})
		i = len(m.graphs) - 1
		m.index.add(m.graphs[i])
	}
	r := m.graphs[i]
	m.graphs = append(slices.Delete(m.graphs, i, i+1), r)
	r.busy++
	t.holds = append(t.holds, r)
	return r.graph.(G), nil
}

// task is one request at work on the device: what it allocates is freed when it ends.
type task struct {
	d       *Device
	buffers []buffer
	holds   []*residentGraph
	starts  int // of the device, where the task outlasts requests
}

func (t *task) end() {
	for _, b := range t.buffers {
		t.d.memory.free(b)
	}
	for _, r := range t.holds {
		r.busy--
	}
	t.buffers, t.holds = nil, nil
}

// give makes memory another task's.
func (t *task) give(b buffer, to *task) {
	t.buffers = slices.DeleteFunc(t.buffers, func(x buffer) bool { return x.at == b.at })
	to.buffers = append(to.buffers, b)
}

// hold begins a task that outlasts requests, and check tells in a later one whether what it holds is still there.
func (t *task) hold() { t.starts = t.d.starts }

func (t *task) check() error {
	if t.starts != t.d.starts {
		return errRestarted
	}
	return nil
}

var errRestarted = errors.New("the device was started anew after a failure of another query, between two pages of this one; run it again")

// alloc returns memory that holds anything.
func (t *task) alloc(bytes int64) (buffer, error) {
	b, err := t.d.memory.alloc(bytes)
	if err == nil {
		t.buffers = append(t.buffers, b)
	}
	return b, err
}

// zeros returns n words of 4 bytes that are 0.
func (t *task) zeros(n int64) (buffer, error) { return t.filled(n, 0) }

// filled returns n words of 4 bytes that are x.
func (t *task) filled(n int64, x uint32) (buffer, error) {
	b, err := t.alloc(4 * n)
	if err != nil {
		return b, err
	}
	return b, fill(b, n, x)
}

func fill(b buffer, n int64, x uint32) error {
	if n == 0 {
		return nil
	}
	if err := cu.MemsetD32Async(b.at, uint(x), n, cu.Stream{}); err != nil {
		return failed("cuMemsetD32Async", err)
	}
	return nil
}

// upload copies to the device.
func upload[T uint32 | uint64 | csr.VertexID](t *task, list []T) (buffer, error) {
	b, err := t.alloc(int64(len(list)) * int64(unsafe.Sizeof(T(0))))
	if err != nil {
		return b, err
	}
	return b, t.d.staging.upload(t.d, b.at, bytesOf(list))
}

// download copies from the device, after all that was launched before; it fails with what that failed with.
func download[T uint32 | uint64 | int32 | csr.VertexID](b buffer, list []T) error {
	d, err := here()
	if err != nil || len(list) == 0 {
		return err
	}
	return d.staging.download(d, bytesOf(list), b.at)
}

// uploadTo copies to the start of a buffer.
func uploadTo[T uint32 | uint64](b buffer, list []T) error {
	d, err := here()
	if err != nil {
		return err
	}
	return d.staging.upload(d, b.at, bytesOf(list))
}

// counts are eight numbers that kernels add to. The second is the complement of a smallest number, so that 0 says there is none.
type counts struct{ buffer }

func newCounts(t *task) (counts, error) {
	b, err := t.zeros(8)
	return counts{b}, err
}

// read returns the numbers, the second one itself.
func (c counts) read() (n [8]uint32, err error) {
	err = download(c.buffer, n[:])
	n[1] = ^n[1]
	return n, err
}
