package csr

import (
	"sync"
	"testing"
	"time"
)

type deriveKey int

func (deriveKey) String() string { return "a thing" }

// The times of things that are derived inside and beside each other add up to the time that passed while any was.
func TestDerivations(t *testing.T) {
	s, err := New(Data{Labels: NewDict(), Types: NewDict(), Keys: NewDict()})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	done := s.Deriving("outer")
	inner := s.Deriving("inner")
	time.Sleep(2 * time.Millisecond)
	inner()
	if d := s.Derivations(); len(d) != 2 || d[1].Name != "inner" || d[1].Time < 2*time.Millisecond || d[0].Time > d[1].Time {
		t.Errorf("%v", d)
	}
	var wait sync.WaitGroup
	for i := range deriveKey(4) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			s.Derived(i, func() any { time.Sleep(time.Millisecond); return 1 })
		}()
	}
	wait.Wait()
	done()
	passed, sum := time.Since(start), time.Duration(0)
	for _, d := range s.Derivations() {
		sum += d.Time
	}
	if d := s.Derivations(); sum != s.DerivationTime() || sum > passed || len(d) != 3 || d[2].Name != "a thing" {
		t.Errorf("%v: %v, in all %v of %v", d, sum, s.DerivationTime(), passed)
	}
	s.Derived(deriveKey(0), func() any { t.Error("built again"); return 1 })
}
