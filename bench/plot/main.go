// Command plot draws what `motif bench suite --out suite.csv` measured:
//
//	go run . suite.csv ../../docs/img
//
// writes growth-time.png and growth-memory.png, time and memory over edges with a line a pattern, both axes logarithmic, and
// ratios.png, Motif's time over that of the reference codes, a bar a row.
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: plot SUITE.csv FOLDER")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(file, folder string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return errors.Join(
		drawGrowth(rows, "Time over edges", "best run", func(r row) float64 { return r.seconds }, seconds, filepath.Join(folder, "growth-time.png")),
		drawGrowth(rows, "Memory over edges", "peak memory of the process, graph and all", func(r row) float64 { return r.peak }, bytes, filepath.Join(folder, "growth-memory.png")),
		drawRatios(rows, filepath.Join(folder, "ratios.png")))
}

// row is a line of the CSV that has a time.
type row struct {
	name, group string
	workers     int
	edges       float64
	seconds     float64
	peak        float64 // bytes
	reference   float64 // seconds; 0: not known
	kuzu        float64
	code        string
	stopped     bool // Kùzu was stopped after that time
}

// read takes the rows with status ok. Columns are found by name.
func read(in io.Reader) (rows []row, err error) {
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("the file is empty")
	}
	at := make(map[string]int)
	for i, name := range lines[0] {
		at[name] = i
	}
	for _, name := range []string{"row", "group", "workers", "status", "edges", "best_s", "peak_bytes", "reference_s", "reference", "kuzu_s", "kuzu_stopped"} {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("no column %s", name)
		}
	}
	for i, line := range lines[1:] {
		if line[at["status"]] != "ok" {
			continue
		}
		number := func(name string) float64 {
			text := line[at[name]]
			if text == "" {
				return 0
			}
			x, e := strconv.ParseFloat(text, 64)
			if e != nil {
				err = fmt.Errorf("line %d, %s: %w", i+2, name, e)
			}
			return x
		}
		rows = append(rows, row{line[at["row"]], line[at["group"]], int(number("workers")), number("edges"), number("best_s"), number("peak_bytes"),
			number("reference_s"), number("kuzu_s"), line[at["reference"]],
			line[at["kuzu_stopped"]] == "true"})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// series is the line that a growth row such as growth/house-16 belongs to.
func series(name string) string {
	pattern, _, _ := strings.Cut(strings.TrimPrefix(name, "growth/"), "-")
	if long, ok := map[string]string{"clique4": "4-clique", "house": "house, 5 labels"}[pattern]; ok {
		return long
	}
	return pattern
}
