package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/motifql/motif/bench/large"
	"github.com/motifql/motif/internal/repl"
)

type benchLargeCmd struct {
	Scales  []int         `default:"20,21,22" placeholder:"N" help:"Scales of the RMAT graphs, which have 2^N nodes: 4 to 28. A graph of scale 24 takes 7 GB of disk meanwhile."`
	Edges   int           `default:"16" placeholder:"N" help:"Edges drawn for each node; repeats and loops are dropped."`
	Steps   []string      `placeholder:"NAME,..." help:"Steps after the load: open, count, triangles, clique4, cores, bfs (default: all)."`
	Memory  byteSize      `placeholder:"2GiB" help:"What a load may hold, and what a query may hold beside the graph (default: as load and query have it)."`
	Workers int           `placeholder:"N" help:"Goroutines for one query (default: all processors)."`
	Timeout time.Duration `default:"30m" help:"Stop a step after this long."`
	Dir     string        `placeholder:"DIR" help:"Folder for graphs and stores, which are removed in the end (default: the folder for temporary files)."`
	CSV     string        `placeholder:"FILE" help:"Also write the rows to a file as CSV."`
}

func (c *benchLargeCmd) Run(ctx context.Context) (err error) {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	o := large.Options{Scales: c.Scales, Edges: c.Edges, Steps: c.Steps, Workers: c.Workers, Memory: int64(c.Memory), Timeout: c.Timeout, Dir: c.Dir, Program: program,
		Table: cleared{bar, os.Stdout}, Note: bar.Note}
	if why := o.Check(); why != "" {
		return usageError(why)
	}
	if c.CSV != "" {
		f, err := os.Create(c.CSV)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		o.CSV = f
	}
	ctx, stop := repl.Interruptible(ctx)
	defer stop()
	return large.Run(ctx, o)
}
