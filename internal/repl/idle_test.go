package repl

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

var kept []byte

// TestIdleMemory leaves garbage behind, which goes back to the system once nobody works.
func TestIdleMemory(t *testing.T) {
	const garbage = 256 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // or the runtime may give it back by itself
	time.Sleep(2 * idleAfter)                        // shells of other tests may be about to give memory back
	m := &IdleMemory{}
	released := func() uint64 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapReleased
	}
	leave := func() {
		kept = make([]byte, garbage)
		for i := 0; i < len(kept); i += 4096 {
			kept[i] = 1
		}
		kept = nil
	}
	first, second := m.Work(), m.Work()
	leave()
	before := released()
	first()
	time.Sleep(2 * idleAfter)
	if now := released(); now > before+garbage/2 {
		t.Errorf("%d bytes were given back while somebody works", now-before)
	}
	leave()
	before = released()
	second()
	for range 100 {
		if released() > before+garbage/2 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%d of %d bytes given back", released()-before, garbage)
}
