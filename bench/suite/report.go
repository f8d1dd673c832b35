package suite

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/motifql/motif/internal/figures"
)

// Status says how a row ended.
type Status string

// The statuses. Only OK has times that count.
const (
	OK      Status = "ok"
	Wrong   Status = "wrong"   // another answer than the known one
	Stopped Status = "stopped" // the time limit ended it
	Lacking Status = "not in the language"
	Failed  Status = "failed"
)

// Result is one row with one number of workers.
type Result struct {
	Row, Group string
	Graph      *GraphFigures
	Workers    int
	Status     Status
	Note       string // why it is not OK
	Answer     string
	First      time.Duration   // the first run, which may build indexes
	Runs       []time.Duration // the runs after it
	CPU        time.Duration   // least processor time of a run; 0 where the system does not tell
	Prepare    time.Duration   // parsing and planning
	Candidates uint64          // after the filter, of all query vertices; 0 for kernels
	Peak       int64           // most memory of the process during the row, graph and all, in bytes
	Charged    int64           // most memory charged to the query, in bytes
	Reference  Reference
	matches    float64
	rated      bool
}

// Rate is the number of matches a second in the best run.
func (res *Result) Rate() float64 {
	if res.Best() == 0 {
		return 0
	}
	return res.matches / res.Best().Seconds()
}

// Report is what a suite found.
type Report struct {
	Machine Machine
	Graphs  []GraphFigures
	Results []*Result
	LeftOut []LeftOut
	peers   []Peer
}

// LeftOut are rows that were not run.
type LeftOut struct {
	Rows []string
	Why  string
}

// Machine is the class of machine, without anything that names one.
type Machine struct {
	CPU    string
	Cores  int
	OS     string
	Arch   string
	GoVers string
}

func machine() Machine {
	return Machine{CPU: cpuModel("/proc/cpuinfo"), Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, GoVers: runtime.Version()}
}

// cpuModel is the processor's name as Linux has it, or unknown.
func cpuModel(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// sort puts the results into the order of the rows; those of a row stay together.
func (r *Report) sort(rows []row) {
	at := make(map[string]int)
	for i, row := range rows {
		at[row.name] = i
	}
	slices.SortStableFunc(r.Results, func(a, b *Result) int { return at[a.Row] - at[b.Row] })
}

// wrong is an error that names the rows with a wrong answer and those that failed.
func (r *Report) wrong() error {
	var errs []error
	for _, res := range r.Results {
		switch res.Status {
		case Wrong:
			errs = append(errs, fmt.Errorf("%w: %s with %d workers: %s", ErrWrong, res.Row, res.Workers, res.Note))
		case Failed:
			errs = append(errs, fmt.Errorf("%s with %d workers failed: %s", res.Row, res.Workers, res.Note))
		}
	}
	return errors.Join(errs...)
}

// WriteTable writes the results for a terminal, one line each, columns aligned.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "row\tworkers\tresult\tbest\tmedian\tcpu\tfirst\tparse+plan\tcandidates\tmatches/s\tpeak\treference\tratio\tKùzu\tratio\t"
	if len(r.peers) > 0 {
		head += "peers, measured here\t"
	}
	fmt.Fprintln(t, head)
	for _, res := range r.Results {
		if res.Status != OK && res.Status != Wrong {
			continue
		}
		ref := res.Reference
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t", res.Row, res.Workers, res.Answer, show(res.Best()), show(res.Median()),
			show(res.CPU), show(res.First), show(res.Prepare), dash(res.Candidates), rate(res.Rate()), bytesOf(res.Peak),
			figures.Seconds(ref.Seconds), ratio(res, ref.Seconds), ref.kuzu(), ref.kuzuRatio(res))
		if len(r.peers) > 0 {
			fmt.Fprintf(t, "%s\t", strings.Join(r.besides(res), ", "))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return r.writeRemarks(w)
}

// writeRemarks lists the rows without figures, and says what the reference columns are.
func (r *Report) writeRemarks(w io.Writer) error {
	var b strings.Builder
	for _, line := range r.remarks() {
		b.WriteString(line + "\n")
	}
	b.WriteString("reference: the best research code, and Kùzu 0.11.3; both measured elsewhere, not here. ratio: Motif's best time over theirs.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// remarks says of each row without figures why it has none, and of what was left out.
func (r *Report) remarks() (lines []string) {
	lacking := make(map[string]bool)
	for _, res := range r.Results {
		switch {
		case res.Status == Lacking && !lacking[res.Row]: // with any number of workers
			lacking[res.Row] = true
			lines = append(lines, fmt.Sprintf("%s: %s: %s", res.Row, res.Status, res.Note))
		case res.Status != OK && res.Status != Lacking:
			lines = append(lines, fmt.Sprintf("%s, %s: %s: %s", res.Row, plural(res.Workers, "thread"), res.Status, res.Note))
		}
	}
	for _, l := range r.LeftOut {
		lines = append(lines, fmt.Sprintf("left out: %s: %s", strings.Join(l.Rows, ", "), l.Why))
	}
	return lines
}

// besides tells what peers took for the row, with the ratios.
func (r *Report) besides(res *Result) (list []string) {
	for _, p := range r.peers {
		if p.Row == res.Row {
			list = append(list, fmt.Sprintf("%s %s (%s)", p.Name, figures.Seconds(p.Seconds), ratio(res, p.Seconds)))
		}
	}
	return list
}

// WriteBenchstat writes the runs in the format of go test -bench, a line each, for benchstat.
func (r *Report) WriteBenchstat(w io.Writer) error {
	b := bufio.NewWriter(w)
	m := r.Machine
	fmt.Fprintf(b, "goos: %s\ngoarch: %s\npkg: github.com/motifql/motif/bench/suite\ncpu: %s\ncores: %d\ngo: %s\n", m.OS, m.Arch, m.CPU, m.Cores, m.GoVers)
	for _, res := range r.Results {
		for _, run := range res.Runs {
			fmt.Fprintf(b, "BenchmarkSuite/%s/%s-%d\t1\t%d ns/op\t%d first-ns\t%d prepare-ns\t%d cpu-ns\t%d candidates\t%.0f matches/s\t%d peak-B\t%d charged-B\n",
				res.Group, res.Row, res.Workers, run.Nanoseconds(), res.First.Nanoseconds(), res.Prepare.Nanoseconds(), res.CPU.Nanoseconds(),
				res.Candidates, res.Rate(), res.Peak, res.Charged)
		}
	}
	for _, line := range r.remarks() {
		fmt.Fprintf(b, "# %s\n", line)
	}
	return b.Flush()
}

// WriteCSV writes a line a result, times in seconds and memory in bytes.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	lines := [][]string{{"row", "group", "graph", "vertices", "edges", "workers", "status", "result", "best_s", "median_s", "cpu_s", "first_s",
		"prepare_s", "candidates", "matches_per_s", "peak_bytes", "charged_bytes", "reference", "reference_s", "kuzu_s", "kuzu_stopped"}}
	for _, res := range r.Results {
		ref := res.Reference
		lines = append(lines, []string{res.Row, res.Group, res.Graph.Name, number(res.Graph.Vertices), number(res.Graph.Edges),
			strconv.Itoa(res.Workers), string(res.Status), res.Answer, precise(res.Best()), precise(res.Median()), precise(res.CPU), precise(res.First),
			precise(res.Prepare), number(res.Candidates), strconv.FormatFloat(res.Rate(), 'g', 4, 64), strconv.FormatInt(res.Peak, 10),
			strconv.FormatInt(res.Charged, 10), ref.Code, known(ref.Seconds), known(ref.Kuzu), strconv.FormatBool(ref.Over)})
	}
	return c.WriteAll(lines)
}

// ReadPeers reads the CSV of bench/peers: columns row, peer and seconds, in any order, among others. The column first_seconds may be
// missing or empty.
func ReadPeers(in io.Reader) (list []Peer, err error) {
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("the file is empty")
	}
	at := map[string]int{"row": -1, "peer": -1, "seconds": -1, "status": -1, "version": -1, "first_seconds": -1}
	for i, name := range lines[0] {
		at[name] = i
	}
	if at["row"] < 0 || at["peer"] < 0 || at["seconds"] < 0 {
		return nil, fmt.Errorf("the columns row, peer and seconds are needed; found %s", strings.Join(lines[0], ", "))
	}
	for i, line := range lines[1:] {
		if at["status"] >= 0 && line[at["status"]] != "ok" {
			continue
		}
		s, err := strconv.ParseFloat(line[at["seconds"]], 64)
		if err != nil || s <= 0 {
			return nil, fmt.Errorf("line %d: %q are no seconds", i+2, line[at["seconds"]])
		}
		peer := Peer{Row: line[at["row"]], Name: line[at["peer"]], Seconds: s}
		if at["version"] >= 0 {
			peer.Version = line[at["version"]]
		}
		if at["first_seconds"] >= 0 {
			peer.First, _ = strconv.ParseFloat(line[at["first_seconds"]], 64) // empty for rows that do not ask for it
		}
		list = append(list, peer)
	}
	return list, nil
}
