package temporal

import "time"

// clock measures the work of one goroutine.
type clock struct {
	wall time.Time
	cpu  time.Duration
}

func startClock() clock { return clock{time.Now(), processTime()} }

// took is the time since the start, less what the machine gave to other processes. Where units run beside this one, only part of that is
// known.
func (c clock) took() time.Duration { return min(time.Since(c.wall), processTime()-c.cpu) }
