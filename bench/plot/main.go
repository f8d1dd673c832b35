// Command plot draws what `motif bench suite --out suite.csv` measured:
//
//	go run . suite.csv ../../docs/img
//
// writes growth-time.png and growth-memory.png, time and memory over edges with a line a pattern, both axes logarithmic, and
// ratios.png, Motif's time over that of the reference codes, a bar a row.
//
// Of what `motif bench gpu --csv gpu.csv` measured it draws gpu-scale.png, the time by scale on GPU and CPU, gpu-ablation.png, what
// each technique is worth, gpu-bfs.png and gpu-cores.png, ways to do the same, gpu-queries.png, filter, formula and join by query, gpu-deal.png,
// how evenly devices share, gpu-lanes.png, the lanes at work, and gpu-lambda.png, times by KCMiner's lambda.
//
// Of what `motif bench large --csv large.csv` measured it draws large-time.png and large-memory.png, a line a step. Which of these a file
// is, its columns say.
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
		log.Fatal("usage: plot MEASURED.csv FOLDER")
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
	t, err := readTable(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if t.has(gpuColumns) == nil {
		list, err := readGPU(t)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		return drawGPU(list, folder)
	}
	if t.has(largeColumns) == nil {
		list, err := readLarge(t)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		return drawLarge(list, folder)
	}
	rows, err := read(t)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return errors.Join(
		drawGrowth(rows, "Time over edges", "best run", func(r row) float64 { return r.seconds }, seconds, filepath.Join(folder, "growth-time.png")),
		drawGrowth(rows, "Memory over edges", "peak memory of the process, graph and all", func(r row) float64 { return r.peak }, bytes, filepath.Join(folder, "growth-memory.png")),
		drawRatios(rows, filepath.Join(folder, "ratios.png")))
}

// table is a CSV file whose columns are found by name.
type table struct {
	at    map[string]int
	lines [][]string
	err   error // the first cell that should be a number and is none
}

func readTable(in io.Reader) (*table, error) {
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("the file is empty")
	}
	t := &table{at: make(map[string]int), lines: lines[1:]}
	for i, name := range lines[0] {
		t.at[name] = i
	}
	return t, nil
}

// has says which of the columns is missing.
func (t *table) has(columns []string) error {
	for _, name := range columns {
		if _, ok := t.at[name]; !ok {
			return fmt.Errorf("no column %s", name)
		}
	}
	return nil
}

func (t *table) text(line int, column string) string { return t.lines[line][t.at[column]] }

// number is 0 for an empty cell.
func (t *table) number(line int, column string) float64 {
	text := t.text(line, column)
	if text == "" {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("line %d, %s: %w", line+2, column, err)
	}
	return x
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

// read takes the rows with status ok.
func read(t *table) (rows []row, err error) {
	if err := t.has([]string{"row", "group", "workers", "status", "edges", "best_s", "peak_bytes", "reference_s", "reference", "kuzu_s", "kuzu_stopped"}); err != nil {
		return nil, err
	}
	for i := range t.lines {
		if t.text(i, "status") != "ok" {
			continue
		}
		rows = append(rows, row{t.text(i, "row"), t.text(i, "group"), int(t.number(i, "workers")), t.number(i, "edges"), t.number(i, "best_s"),
			t.number(i, "peak_bytes"), t.number(i, "reference_s"), t.number(i, "kuzu_s"), t.text(i, "reference"), t.text(i, "kuzu_stopped") == "true"})
	}
	return rows, t.err
}

// series is the line that a growth row such as growth/house-16 belongs to.
func series(name string) string {
	pattern, _, _ := strings.Cut(strings.TrimPrefix(name, "growth/"), "-")
	if long, ok := map[string]string{"clique4": "4-clique", "house": "house, 5 labels"}[pattern]; ok {
		return long
	}
	return pattern
}
