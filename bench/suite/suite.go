// Package suite is the benchmark suite behind `motif bench suite`: it loads graphs, real ones where their folder is given and
// generated ones otherwise, runs queries and kernels on them, compares every answer with the known one, and reports times,
// candidates and memory. Its rows are in rows.go, the figures they are compared with in reference.go.
package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Options says what to run.
type Options struct {
	Only    []string      // groups, rows, or patterns of rows such as slashdot/*; nothing means all
	Data    string        // folder with the real graphs; "" leaves out the rows that need one
	Runs    int           // timed runs a row, at least 3
	Workers []int         // goroutines a query; every row is run with each
	Scale   int           // the largest scale of the graphs that show growth
	Timeout time.Duration // of one run
	Enough  time.Duration // a quick row is run more often than Runs, until so much time has gone by
	Changed float64       // percent of the nodes of every graph that transactions have changed, to nothing, since it was loaded
	Peers   []Peer        // what others took on this machine
	// Note is called with a line whenever something begins.
	Note func(line string)
}

// Peer is the time that another program took for a row on this machine.
type Peer struct {
	Row, Name string
	Seconds   float64
	First     float64 // of the first run of a process; 0: not known
	Version   string
}

// Defaults are the options of `motif bench suite` without flags.
func Defaults() Options {
	return Options{Runs: 3, Workers: []int{1}, Scale: 18, Timeout: time.Minute, Enough: time.Second}
}

// row is a line of the suite: what is asked of one graph.
type row struct {
	name  string // graph/question; the key of the reference table
	group string
	graph *graph
	ask   asker
	ref   Reference
	rated bool // tables show matches a second, not times
}

// asker prepares a question for an opened graph. What it returns is run again and again.
type asker interface {
	prepare(ctx context.Context, o *opened) (question, error)
}

// question is a prepared question.
type question interface {
	run(ctx context.Context) (answer, error)
}

// answer is what one run found.
type answer struct {
	result     string        // compared with the expected one
	matches    float64       // how many results a second are counted from
	took       time.Duration // 0: the time of the run
	candidates uint64
	prepared   time.Duration // parsing and planning
	charged    int64         // bytes charged to the query's memory budget at most
}

// Run runs the rows that opt asks for, graph by graph. The report holds what was finished, also beside an error: that of ctx, of a
// graph that could not be loaded, or ErrWrong if an answer was wrong. Without a report the options were wrong.
func Run(ctx context.Context, opt Options) (*Report, error) { return run(ctx, opt, rows(opt.Scale)) }

// ErrWrong says that an answer is not the known one.
var ErrWrong = errors.New("wrong answer")

func run(ctx context.Context, opt Options, all []row) (*Report, error) {
	if opt.Runs < 3 || len(opt.Workers) == 0 || slices.Min(opt.Workers) < 1 || opt.Timeout <= 0 {
		return nil, errors.New("a row needs three runs or more, one worker or more, and a time limit")
	}
	chosen, err := choose(all, opt.Only)
	if err != nil {
		return nil, err
	}
	if opt.Note == nil {
		opt.Note = func(string) {}
	}
	r := &runner{Options: opt, report: &Report{Machine: machine(), peers: opt.Peers}}
	if r.dir, err = os.MkdirTemp("", "motif-bench-"); err != nil {
		return r.report, err
	}
	defer os.RemoveAll(r.dir)
	defer r.report.sort(chosen)
	for _, part := range byGraph(chosen) {
		if part[0].graph.real() && opt.Data == "" {
			r.report.LeftOut = append(r.report.LeftOut, LeftOut{names(part), "needs the folder of real graphs (--data)"})
			continue
		}
		if missing := part[0].graph.missing(opt.Data); missing != "" {
			r.report.LeftOut = append(r.report.LeftOut, LeftOut{names(part), missing + " is not in the folder of real graphs (--data)"})
			continue
		}
		if err := r.graph(ctx, part); err != nil {
			return r.report, err
		}
	}
	return r.report, r.report.wrong()
}

// choose keeps the rows that a word of only names, as a group, a row, or a pattern.
func choose(all []row, only []string) ([]row, error) {
	if len(only) == 0 {
		return all, nil
	}
	keep := make([]bool, len(all))
	for _, word := range only {
		found := false
		for i, r := range all {
			matched, err := path.Match(word, r.name)
			if err != nil {
				return nil, fmt.Errorf("%q is no pattern: %w", word, err)
			}
			if matched || word == r.group || word == r.graph.name {
				keep[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no row, graph or group is called %q; there are the rows %s", word, strings.Join(names(all), ", "))
		}
	}
	var chosen []row
	for i, r := range all {
		if keep[i] {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

func names(list []row) (out []string) {
	for _, r := range list {
		out = append(out, r.name)
	}
	return out
}

// byGraph gathers the rows of each graph, in the order in which the graphs come up first.
func byGraph(list []row) (parts [][]row) {
	at := make(map[*graph]int)
	for _, r := range list {
		i, ok := at[r.graph]
		if !ok {
			i = len(parts)
			at[r.graph] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], r)
	}
	return parts
}

// runner is a suite at work.
type runner struct {
	Options
	dir    string
	report *Report
}

// graph loads the graph of the rows and runs them, with each number of workers on a store just opened.
func (r *runner) graph(ctx context.Context, rows []row) error {
	g := rows[0].graph
	dir := filepath.Join(r.dir, g.name)
	defer os.RemoveAll(dir)
	r.Note("load " + g.name)
	loaded, err := g.load(ctx, r.Data, dir)
	if err != nil {
		return fmt.Errorf("graph %s: %w", g.name, err)
	}
	if err := loaded.change(ctx, r.Changed); err != nil {
		return fmt.Errorf("changing graph %s: %w", g.name, err)
	}
	r.report.Graphs = append(r.report.Graphs, *loaded.figures())
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for _, workers := range r.Workers {
		runtime.GOMAXPROCS(workers) // the collector has no more than the query
		o := &opened{loaded: loaded, workers: workers, timeout: r.Timeout}
		for _, row := range rows {
			r.Note(fmt.Sprintf("%s, workers: %d", row.name, workers))
			if err := r.row(ctx, row, o); err != nil {
				return errors.Join(err, o.close())
			}
		}
		if err := o.close(); err != nil {
			return err
		}
		releaseMemory()
	}
	return nil
}

// row runs one row. The errors of its question go into the report; it returns those that end the suite.
func (r *runner) row(ctx context.Context, row row, o *opened) error {
	res := &Result{Row: row.name, Group: row.group, Graph: o.loaded.figures(), Workers: o.workers, Reference: row.ref, Status: OK, rated: row.rated}
	res.measure(ctx, row.ask, o, r.Runs, r.Enough)
	if err := ctx.Err(); err != nil {
		return err
	}
	if res.Status == OK && res.Reference.Want != "" && res.Answer != res.Reference.Want {
		res.Status, res.Note = Wrong, fmt.Sprintf("%s, want %s", res.Answer, res.Reference.Want)
	}
	r.report.Results = append(r.report.Results, res)
	return nil
}
