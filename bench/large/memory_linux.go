package large

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// held returns the resident memory of a process now, and its peak. ok is false if there is no such process.
func held(pid int) (m memory, ok bool) {
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return m, false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m, false
	}
	m.Anonymous, m.Resident = kilobytes(rollup, "Anonymous:"), kilobytes(status, "VmHWM:")
	m.File = max(0, kilobytes(rollup, "Rss:")-m.Anonymous)
	return m, m.Resident > 0
}

// kilobytes returns the bytes of a line such as "Rss:  12 kB".
func kilobytes(text []byte, name string) int64 {
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == name {
			n, _ := strconv.ParseInt(string(f[1]), 10, 64)
			return n << 10
		}
	}
	return 0
}
