package gpu

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/motifql/motif/internal/figures"
)

// How a row's answer compares with the CPU's.
const (
	Same        = "ok"
	Wrong       = "WRONG"
	NotCompared = "not compared" // the CPU had no answer within the budget
)

// Measurement is one work as measured. Durations are medians, and 0 where something was not measured.
type Measurement struct {
	Part, Graph  string
	Scale        int    // of an RMAT graph; else 0
	Edges        uint64 // of the graph, without directions and repeats
	Variant, Off string // Off: the technique that was switched off
	Runs         int
	Kernel       time.Duration // on the card
	Call         time.Duration // with the graph on the card: launches, kernels, looks in between, result
	EndToEnd     time.Duration // with nothing on the card: upload, compilation for the card, and the call
	First        time.Duration // of that: compilation for the card, in the first use of a kernel by the process
	Upload       time.Duration // of that: the graph's way
	CPU          time.Duration
	Workers      int     // of the CPU
	Ratio        float64 // of CPU to Call
	Rate         float64 // of Unit a second of Kernel; or, for a unit that has no seconds, a figure
	Unit         string
	Bytes        int64   // that must be read or written at least
	Share        float64 // of the card's copy bandwidth, that Bytes in Kernel are
	Answer       string
	Verified     string // Same, Wrong or NotCompared
	Peers        []Peer // that answered the same request
}

// Peer is what another program took on this machine for the request of a row.
type Peer struct {
	Row     string // Name of the row
	Program string
	Seconds float64
}

// Name is what files of peers call a row: part/graph/variant, with - for spaces, such as cliques/rmat-20x16/4-nodes.
func (r *Measurement) Name() string {
	return strings.ReplaceAll(r.Part+"/"+r.Graph+"/"+r.Variant, " ", "-")
}

// peers lists the programs with their times, and those times divided by the call's.
func (r *Measurement) peers() string {
	var list []string
	for _, p := range r.Peers {
		text := p.Program + " " + figures.Seconds(p.Seconds)
		if r.Call > 0 {
			text += " (x" + figures.Digits(p.Seconds/r.Call.Seconds()) + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

var columns = []string{"part", "graph", "scale", "edges", "variant", "off", "kernel_ms", "call_ms", "end_to_end_ms", "first_ms", "upload_ms", "cpu_ms",
	"cpu_workers", "ratio", "rate", "unit", "bytes", "bandwidth_share", "runs", "answer", "verified", "peers"}

func (r *Measurement) record() []string {
	ms := func(d time.Duration) string { return optional(float64(d)/1e6, 'f', 4) }
	return []string{r.Part, r.Graph, optional(float64(r.Scale), 'f', 0), strconv.FormatUint(r.Edges, 10), r.Variant, r.Off, ms(r.Kernel), ms(r.Call),
		ms(r.EndToEnd), ms(r.First), ms(r.Upload), ms(r.CPU), optional(float64(r.Workers), 'f', 0), optional(r.Ratio, 'f', 3),
		optional(r.Rate, 'g', 5), r.Unit, optional(float64(r.Bytes), 'f', 0), optional(r.Share, 'g', 4), strconv.Itoa(r.Runs), r.Answer, r.Verified, r.peers()}
}

// optional prints a number, and nothing for 0.
func optional(x float64, format byte, digits int) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, format, digits, 64)
}

// printer writes rows as they come.
type printer struct {
	table  io.Writer
	csv    *csv.Writer
	peers  []Peer
	header bool
	err    error
}

func newPrinter(table, file io.Writer, peers []Peer) *printer {
	p := &printer{table: table, peers: peers}
	if file != nil {
		p.csv = csv.NewWriter(file)
		p.flush(p.csv.Write(columns))
	}
	return p
}

func (p *printer) flush(err error) {
	p.csv.Flush()
	if err == nil {
		err = p.csv.Error()
	}
	if p.err == nil {
		p.err = err
	}
}

func (p *printer) print(r *Measurement) {
	if r.Peers = nil; r.Off == "" {
		for _, x := range p.peers {
			if x.Row == r.Name() {
				r.Peers = append(r.Peers, x)
			}
		}
	}
	if p.csv != nil {
		p.flush(p.csv.Write(r.record()))
	}
	if p.table == nil {
		return
	}
	if !p.header {
		p.header = true
		p.line("part", "graph", "variant", "kernel", "call", "cold", "upload", "JIT", "CPU", "ratio", "rate", "copy", "answer")
	}
	what := r.Variant
	if r.Off != "" {
		what = "  without " + r.Off
	}
	cpu, share := span(r.CPU), "-"
	if r.CPU > 0 {
		cpu += fmt.Sprintf(" x%d", r.Workers)
	}
	if r.Share > 0 {
		share = fmt.Sprintf("%.1f%%", 100*r.Share)
	}
	ratio := "-"
	if r.Ratio > 0 {
		ratio = figures.Digits(r.Ratio)
	}
	rate := "-"
	if r.Unit != "" {
		rate = figures.Quantity(r.Rate) + " " + r.Unit
	}
	p.line(r.Part, r.Graph, what, span(r.Kernel), span(r.Call), span(r.EndToEnd), span(r.Upload), span(r.First), cpu, ratio,
		rate, share, strings.TrimRight(r.Verified+"  "+r.Answer+"  "+r.peers(), " "))
}

// widths of the table's columns; negative ones are aligned to the left. The last column is as wide as it has to be.
var widths = []int{-10, -12, -28, 8, 8, 8, 8, 8, 12, 6, 16, 6, 0}

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

// span prints a duration with three digits; - for 0.
func span(d time.Duration) string { return figures.Seconds(d.Seconds()) }
