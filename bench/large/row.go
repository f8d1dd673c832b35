package large

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/motifql/motif/internal/figures"
)

// Row is one step on one graph.
type Row struct {
	Step    string
	Scale   int
	Edges   uint64 // of the graph, without repeats and loops; 0: the load failed
	Workers int    // 0: all processors
	Disk    int64  // bytes of the store after the load; else 0
	result
}

var columns = []string{"row", "scale", "edges", "workers", "status", "seconds", "cpu_s", "anonymous_bytes", "file_bytes", "peak_bytes", "anonymous_bytes_an_edge",
	"disk_bytes", "answer", "note"}

func (r *Row) record() []string {
	status, note := "ok", ""
	if r.err != nil {
		status, note = "failed", r.err.Error()
	}
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 4, 64) }
	whole := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	return []string{"large/" + r.Step + "-" + strconv.Itoa(r.Scale), strconv.Itoa(r.Scale), strconv.FormatUint(r.Edges, 10), strconv.Itoa(r.Workers), status,
		seconds(r.took), seconds(r.cpu), whole(r.memory.Anonymous), whole(r.memory.File), whole(r.memory.Resident), r.anEdge(r.memory.Anonymous), whole(r.Disk), r.answer, note}
}

// anEdge divides bytes by the edges; "" if either is unknown.
func (r *Row) anEdge(bytes int64) string {
	if r.Edges == 0 || bytes == 0 {
		return ""
	}
	return figures.Digits(float64(bytes) / float64(r.Edges))
}

// printer writes rows as they come.
type printer struct {
	table io.Writer
	csv   *csv.Writer
	err   error
}

func newPrinter(table, file io.Writer) *printer {
	p := &printer{table: table}
	p.line("scale", "edges", "step", "time", "CPU", "anonymous", "B/edge", "files", "B/edge", "peak", "answer")
	if file != nil {
		p.csv = csv.NewWriter(file)
		p.keep(p.csv.Write(columns))
	}
	return p
}

// keep flushes a line of CSV, and keeps the first error.
func (p *printer) keep(err error) {
	p.csv.Flush()
	if err == nil {
		err = p.csv.Error()
	}
	if p.err == nil {
		p.err = err
	}
}

func (p *printer) print(r *Row) {
	answer := r.answer
	switch {
	case r.err != nil:
		answer = "failed: " + r.err.Error()
	case r.Disk > 0:
		answer = fmt.Sprintf("%s on disk, %s an edge", size(r.Disk), r.anEdge(r.Disk))
	}
	p.line(strconv.Itoa(r.Scale), strconv.FormatUint(r.Edges, 10), r.Step, figures.Seconds(r.took.Seconds()), figures.Seconds(r.cpu.Seconds()),
		size(r.memory.Anonymous), dash(r.anEdge(r.memory.Anonymous)), size(r.memory.File), dash(r.anEdge(r.memory.File)), size(r.memory.Resident), answer)
	if p.csv != nil {
		p.keep(p.csv.Write(r.record()))
	}
}

// size prints bytes; - for 0.
func size(n int64) string {
	if n == 0 {
		return "-"
	}
	return figures.Quantity(float64(n)) + "B"
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// widths of the table's columns; negative ones are aligned to the left. The last column is as wide as it has to be.
var widths = []int{5, 11, -10, 8, 8, 9, 6, 8, 6, 8, 0}

func (p *printer) line(cells ...string) {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		fmt.Fprintf(&b, "%*s", widths[i], c)
	}
	if _, err := fmt.Fprintln(p.table, strings.TrimRight(b.String(), " ")); p.err == nil {
		p.err = err
	}
}
