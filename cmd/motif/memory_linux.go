package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// freeMemory returns how many bytes this machine, or the control group of this process, has left; 0 if that is not known.
func freeMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	free := int64(0)
	for line := range bytes.Lines(text) {
		if f := strings.Fields(string(line)); len(f) == 3 && f[0] == "MemAvailable:" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			free = n << 10
		}
	}
	for _, group := range []struct{ limit, used string }{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
	} {
		if limit, ok := readNumber(group.limit); ok {
			used, _ := readNumber(group.used)
			free = min(free, max(1, limit-used))
		}
	}
	return free
}

// readNumber reads the number in a file; a word, such as max, is none.
func readNumber(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
