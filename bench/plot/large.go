package main

import (
	"errors"
	"path/filepath"
	"strings"
)

var largeColumns = []string{"row", "edges", "workers", "status", "seconds", "anonymous_bytes", "anonymous_bytes_an_edge"}

// readLarge takes the rows of `motif bench large` with status ok, as rows of growth.
func readLarge(t *table) (rows []row, err error) {
	for i := range t.lines {
		if t.text(i, "status") == "ok" {
			rows = append(rows, row{name: strings.TrimPrefix(t.text(i, "row"), "large/"), group: "growth", workers: int(t.number(i, "workers")),
				edges: t.number(i, "edges"), seconds: t.number(i, "seconds"), peak: t.number(i, "anonymous_bytes")})
		}
	}
	return rows, t.err
}

func drawLarge(rows []row, folder string) error {
	return errors.Join(
		drawGrowth(rows, "Time over edges", "time of a process", func(r row) float64 { return r.seconds }, seconds, filepath.Join(folder, "large-time.png")),
		drawGrowth(rows, "Memory over edges", "peak of anonymous memory", func(r row) float64 { return r.peak }, bytes, filepath.Join(folder, "large-memory.png")))
}
