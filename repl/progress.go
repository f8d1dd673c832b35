package repl

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Bar is one line of progress on a terminal. A nil Bar shows nothing. It is safe for concurrent use.
type Bar struct {
	mu    sync.Mutex
	w     io.Writer
	label string
	start time.Time // of the current label
	shown time.Time
	dirty bool
	over  bool
}

// NewBar returns a bar on w, nil if w is no terminal.
func NewBar(w io.Writer) *Bar {
	if Width(w) == 0 {
		return nil
	}
	return &Bar{w: w, start: time.Now()}
}

// Show draws done of total with the rate, at most ten times a second. A total of 0 means that it is unknown.
func (b *Bar) Show(label string, done, total uint64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.over || label == b.label && now.Sub(b.shown) < 100*time.Millisecond {
		return
	}
	if label != b.label {
		b.label, b.start = label, now
	}
	line := fmt.Sprintf("%-12s", Visible(label))
	if total > 0 {
		const cells = 30
		share := min(1, float64(done)/float64(total))
		full := int(share * cells)
		line += fmt.Sprintf(" %s%s %3.0f %%", strings.Repeat("█", full), strings.Repeat("░", cells-full), 100*share)
	}
	line += "  " + Quantity(done)
	if s := now.Sub(b.start).Seconds(); s > 0.5 {
		line += "  " + Quantity(uint64(float64(done)/s)) + "/s"
	}
	fmt.Fprintf(b.w, "\r\x1b[K%s", line)
	b.shown, b.dirty = now, true
}

// Note draws a line in place of a bar.
func (b *Bar) Note(line string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		fmt.Fprintf(b.w, "\r\x1b[K%s", Visible(line))
		b.dirty = true
	}
}

// Close wipes the line. Nothing is drawn afterwards.
func (b *Bar) Close() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dirty {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
	b.over, b.dirty = true, false
}

// Quantity returns n with three digits and a unit: 1.2 M.
func Quantity(n uint64) string {
	f, unit := float64(n), ""
	for _, u := range []string{"k", "M", "G", "T", "P", "E"} {
		if f < 999.5 {
			break
		}
		f, unit = f/1000, u
	}
	switch {
	case unit == "":
		return fmt.Sprint(n)
	case f < 99.95:
		return fmt.Sprintf("%.1f %s", f, unit)
	}
	return fmt.Sprintf("%.0f %s", f, unit)
}

// duration returns d with at most three digits.
func duration(d time.Duration) string {
	for _, unit := range []time.Duration{time.Microsecond, time.Millisecond, time.Second} {
		switch {
		case d < 10*unit:
			return d.Round(unit / 10).String()
		case d < 1000*unit:
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}
