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
	mu          sync.Mutex
	w           io.Writer
	label       string // "": the line is a note, or nothing
	done, total uint64
	start       time.Time // of the label
	shown       time.Time
	dirty       bool
	over        bool
	stop        chan struct{} // ends tick; nil before the first Show
}

// NewBar returns a bar on w, nil if w is no terminal.
func NewBar(w io.Writer) *Bar {
	if Width(w) == 0 {
		return nil
	}
	return &Bar{w: w, start: time.Now()}
}

// Show draws done of total with the rate and the time, at most ten times a second. A total of 0 means that it is unknown. The time
// goes on between calls, so that a step without counts moves, too.
func (b *Bar) Show(label string, done, total uint64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.over {
		return
	}
	again := label == b.label
	if b.done, b.total = done, total; again && now.Sub(b.shown) < 100*time.Millisecond {
		return
	}
	if !again {
		b.label, b.start = label, now
	}
	if b.stop == nil {
		b.stop = make(chan struct{})
		go b.tick(b.stop)
	}
	b.draw(now)
}

// tick draws the line again while nobody calls Show.
func (b *Bar) tick(stop <-chan struct{}) {
	ticker := time.NewTicker(tickTime)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-ticker.C:
			b.mu.Lock()
			if !b.over && b.label != "" && now.Sub(b.shown) >= tickTime {
				b.draw(now)
			}
			b.mu.Unlock()
		}
	}
}

const tickTime = 250 * time.Millisecond

// draw draws the line of a label. A caller holds b.mu.
func (b *Bar) draw(now time.Time) {
	fmt.Fprintf(b.w, "\r\x1b[K%s", progressLine(Width(b.w), b.label, b.done, b.total, now.Sub(b.start)))
	b.shown, b.dirty = now, true
}

// progressLine is the line of a label that began a while ago. It is shorter than width.
func progressLine(width int, label string, done, total uint64, passed time.Duration) string {
	line := fmt.Sprintf("%-12s", Visible(label))
	if total > 0 {
		done = min(done, total)
		cells := max(0, min(30, width-50))
		full := int(float64(done) / float64(total) * float64(cells))
		line += fmt.Sprintf(" %s%s %3d %%", strings.Repeat("█", full), strings.Repeat("░", cells-full), int(100*float64(done)/float64(total)))
	}
	if done > 0 || total > 0 {
		line += "  " + Quantity(done)
		if s := passed.Seconds(); s > 0.5 {
			line += "  " + Quantity(uint64(float64(done)/s)) + "/s"
		}
	}
	if passed >= tickTime {
		line += fmt.Sprintf("  %.1f s", passed.Seconds())
	}
	return line
}

// Note draws a line in place of a bar.
func (b *Bar) Note(line string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		b.label = ""
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
	if b.stop != nil && !b.over {
		close(b.stop)
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
