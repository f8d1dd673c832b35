package repl

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestProgressLine draws lines of all widths: none is wider than its terminal, and none says more than 100 %.
func TestProgressLine(t *testing.T) {
	for _, tt := range []struct {
		done, total uint64
		passed      time.Duration
		want        string
	}{
		{0, 0, 0, "reading     "},
		{0, 0, 12400 * time.Millisecond, "reading       12.4 s"},
		{5e6, 0, 2 * time.Second, "reading       5.0 M  2.5 M/s  2.0 s"},
		{999, 1000, 0, "reading      " + strings.Repeat("█", 29) + "░  99 %  999"},
		{1200, 1000, 90 * time.Second, "reading      " + strings.Repeat("█", 30) + " 100 %  1.0 k  11/s  90.0 s"},
	} {
		if got := progressLine(100, "reading", tt.done, tt.total, tt.passed); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.done, tt.total, got, tt.want)
		}
	}
	for width := 60; width < 120; width++ {
		if line := progressLine(width, "publishing", 999_400_000, 999_500_000, 100*time.Hour+59*time.Minute); len([]rune(line)) >= width {
			t.Errorf("%d columns: %q", width, line)
		}
	}
}

// locked is a buffer that two goroutines may use.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestBarTicks calls Show once: the time goes on until Close, and nothing is drawn afterwards.
func TestBarTicks(t *testing.T) {
	var screen locked
	b := &Bar{w: &screen, start: time.Now()}
	b.Show("building", 0, 0)
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(screen.String(), "building      1."); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the time does not go on: %q", screen.String())
		}
	}
	b.Note("a note")
	b.Close()
	b.Close()
	all := screen.String()
	if !strings.HasSuffix(all, "a note\r\x1b[K") {
		t.Errorf("the end is %q", all[len(all)-20:])
	}
	time.Sleep(2 * tickTime)
	if screen.String() != all {
		t.Error("the bar drew after Close")
	}
	(*Bar)(nil).Show("x", 1, 2)
	(*Bar)(nil).Close()
}
