package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// holder is what the file LOCK says of the process that writes: its number, its program, since when it has the lock, and
// whether it keeps the lock only for transactions. Each stands on a line of its own.
type holder struct {
	pid     int // 0: unknown
	program string
	since   time.Time
	briefly bool
}

const brieflyWord = "briefly"

func writeHolder(dir string, briefly bool) error {
	word := "always"
	if briefly {
		word = brieflyWord
	}
	text := fmt.Sprintf("%d\n%s\n%s\n%s\n", os.Getpid(), filepath.Base(os.Args[0]), time.Now().Format(time.RFC3339), word)
	return os.WriteFile(filepath.Join(dir, lockName), []byte(text), 0o666)
}

// readHolder reads the file LOCK. What cannot be read stays empty.
func readHolder(dir string) (h holder) {
	text, err := os.ReadFile(filepath.Join(dir, lockName))
	if err != nil {
		return h
	}
	lines := append(strings.Split(string(text), "\n"), "", "", "")
	h.pid, _ = strconv.Atoi(strings.TrimSpace(lines[0]))
	h.program, h.briefly = lines[1], lines[3] == brieflyWord
	h.since, _ = time.Parse(time.RFC3339, lines[2])
	return h
}

// String names the process: process 4711 (motif).
func (h holder) String() string {
	if h.program == "" {
		return fmt.Sprintf("process %d", h.pid)
	}
	return fmt.Sprintf("process %d (%s)", h.pid, h.program)
}

// when says since when the holder has the lock, to end a clause with.
func (h holder) when() string {
	if h.since.IsZero() {
		return ""
	}
	return ", since " + h.since.Local().Format(time.DateTime)
}
