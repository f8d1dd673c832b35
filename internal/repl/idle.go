package repl

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// IdleMemory gives memory that a query has left behind back to the system, while the program waits for work. The garbage collector
// by itself would keep as much as lives beside it, for minutes.
type IdleMemory struct {
	mu    sync.Mutex
	busy  int
	timer *time.Timer
}

const (
	idleAfter = 300 * time.Millisecond // without work
	idleLeast = 32 << 20               // bytes that are worth a collection
)

// Work notes that work begins. The caller calls done at its end.
func (m *IdleMemory) Work() (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.busy++; m.timer != nil {
		m.timer.Stop()
	}
	return m.rest
}

// rest notes the end of a piece of work.
func (m *IdleMemory) rest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.busy--; m.busy > 0 {
		return
	}
	if m.timer != nil {
		m.timer.Reset(idleAfter)
		return
	}
	m.timer = time.AfterFunc(idleAfter, m.release)
}

// release gives memory back unless work has begun or there is little.
func (m *IdleMemory) release() {
	m.mu.Lock()
	idle := m.busy == 0
	m.mu.Unlock()
	if idle && unusedMemory() >= idleLeast {
		debug.FreeOSMemory()
	}
}

// unusedMemory returns the bytes of the heap that were not alive at the last collection and that the system does not have.
func unusedMemory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	n := int64(0)
	for _, s := range samples[:3] {
		n += int64(s.Value.Uint64())
	}
	return n - int64(samples[3].Value.Uint64())
}
