package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/motifql/motif/bench/gpu"
	"github.com/motifql/motif/internal/repl"
)

type benchGPUCmd struct {
	Only    []string      `placeholder:"NAME" help:"Run only these parts, separated by commas: ${gpuparts}."`
	Scale   []int         `default:"16,18,20" placeholder:"N" help:"Scales of the RMAT graphs, which have 2^N nodes: 4 to 26."`
	Edges   int           `default:"16" placeholder:"N" help:"Edges drawn for each node of the RMAT graphs."`
	Budget  time.Duration `default:"8m" help:"Longest time for each part; the output names what did not fit."`
	CSV     string        `placeholder:"FILE" help:"Also write the rows to a file as CSV; - writes them to standard output instead of the table."`
	Device  string        `default:"cuda:0" help:"Which GPU: cuda:N; motif devices lists them."`
	Runs    int           `default:"10" help:"Timed runs of each request; long requests get fewer."`
	Kernels bool          `help:"Also show the time of each kernel of a request."`
	Peers   string        `placeholder:"FILE" help:"CSV with the columns row, peer and seconds: times of other programs on this machine. A row is PART/GRAPH/VARIANT, such as triangles/rmat-20x16/count."`
	Workers int           `placeholder:"N" help:"Goroutines of the CPU's kernels (default: all processors)."`
}

func (c *benchGPUCmd) Run(ctx context.Context) (err error) {
	ordinal, err := strconv.Atoi(cmp.Or(strings.TrimPrefix(strings.TrimPrefix(c.Device, "cuda"), ":"), "0"))
	if err != nil || ordinal < 0 || !strings.HasPrefix(c.Device, "cuda") {
		return usageError(fmt.Sprintf("--device %s: it must be cuda:N; motif devices lists them", c.Device))
	}
	var said io.Writer = os.Stdout
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	o := gpu.Options{Only: c.Only, Scales: c.Scale, Edges: c.Edges, Budget: c.Budget, Runs: c.Runs, Kernels: c.Kernels, Workers: cmp.Or(c.Workers, runtime.GOMAXPROCS(0)),
		Table: cleared{bar, os.Stdout}, Note: bar.Note}
	if c.Peers != "" {
		list, err := readPeers(c.Peers)
		if err != nil {
			return err
		}
		for _, p := range list {
			o.Peers = append(o.Peers, gpu.Peer{Row: p.Row, Program: strings.TrimSpace(p.Name + " " + p.Version), Seconds: p.Seconds})
		}
	}
	switch c.CSV {
	case "":
	case "-":
		o.Table, o.CSV, said = nil, cleared{bar, os.Stdout}, os.Stderr
	default:
		f, err := os.Create(c.CSV)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		o.CSV = f
	}
	o.Say = func(line string) { fmt.Fprintln(cleared{bar, said}, line) }
	if why := o.Check(); why != "" {
		return usageError(why)
	}
	ctx, stop := repl.Interruptible(ctx)
	defer stop()
	return gpu.Run(ctx, ordinal, o)
}

// cleared writes lines to a terminal that also shows progress.
type cleared struct {
	bar *repl.Bar
	io.Writer
}

func (w cleared) Write(text []byte) (int, error) {
	w.bar.Note("")
	return w.Writer.Write(text)
}
