package pattern

import "sync/atomic"

// Memory is a query's memory budget in bytes. All operators of the query share it: each charges what it allocates before or
// when it allocates it, and releases that when it is done. A nil budget has no limit and counts nothing.
type Memory struct {
	Limit int64 // 0: none
	used  atomic.Int64
	peak  atomic.Int64
}

// Charge takes n bytes and returns ErrMemory if more than the limit is taken then. The bytes count as taken also after an
// error, so that the caller releases what it has charged in every case. A negative n gives back what an
// operator charged too much.
func (m *Memory) Charge(n int64) error {
	if m == nil {
		return nil
	}
	u := m.used.Add(n)
	for p := m.peak.Load(); u > p && !m.peak.CompareAndSwap(p, u); p = m.peak.Load() {
	}
	if m.Limit > 0 && u > m.Limit {
		return ErrMemory
	}
	return nil
}

// Release gives back n bytes that were charged.
func (m *Memory) Release(n int64) {
	if m != nil {
		m.used.Add(-n)
	}
}

// Used returns the bytes taken now.
func (m *Memory) Used() int64 { return m.used.Load() }

// Peak returns the most bytes that were taken at any time.
func (m *Memory) Peak() int64 { return m.peak.Load() }
