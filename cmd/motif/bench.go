package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/motifql/motif/bench/suite"
	"github.com/motifql/motif/internal/repl"
)

type benchCmd struct {
	Suite suiteCmd      `cmd:"" help:"Load graphs, run queries and kernels on them, compare the answers with known ones, and report times and memory."`
	GPU   benchGPUCmd   `cmd:"" name:"gpu" help:"Measure the kernels of a GPU beside the CPU's, on graphs made on the spot, and compare the answers."`
	Large benchLargeCmd `cmd:"" help:"Measure time and memory of loads and queries on graphs as large as the machine has room for."`
}

type suiteCmd struct {
	Only    []string      `placeholder:"NAME" help:"Run only these rows, groups (labelled, sets, unlabelled, lsqb, growth, kernels, user) or graphs, separated by commas; kron16/* works too."`
	Data    string        `placeholder:"DIR" help:"Folder of the real graphs (default: generated graphs only)."`
	Runs    int           `default:"3" help:"Timed runs of each row, after one that does not count; at least 3."`
	Workers []int         `default:"1" placeholder:"N" help:"Goroutines for one query; several numbers, separated by commas, run every row with each."`
	Scale   int           `default:"18" help:"Largest scale of the graphs that show growth, 14 to 22; 20 adds about two minutes."`
	Timeout time.Duration `default:"60s" help:"Stop a run after this long."`
	Changed float64       `default:"0" placeholder:"PERCENT" help:"Before measuring, change this share of the nodes of every graph by transactions, and change it back."`
	Peers   string        `placeholder:"FILE" help:"CSV with the columns row, peer and seconds: times of other programs on this machine, as bench/peers writes it."`
	Out     []string      `placeholder:"FILE" help:"Also write the results to a file: .txt for benchstat, .csv, or .md, whose marked part is replaced. Repeat for more."`
	Output  string        `short:"o" enum:"table,csv,benchstat,markdown" default:"table" help:"Output format: ${enum}."`
}

func (c *suiteCmd) Run(ctx context.Context) error {
	opt := suite.Defaults()
	opt.Only, opt.Data, opt.Runs, opt.Workers, opt.Scale, opt.Timeout = c.Only, c.Data, c.Runs, c.Workers, c.Scale, c.Timeout
	if c.Runs < 3 {
		return usageError("--runs must be at least 3")
	}
	if opt.Changed = c.Changed; c.Changed < 0 || c.Changed > 100 {
		return usageError("--changed must be from 0 to 100")
	}
	if c.Scale < 14 || c.Scale > 22 {
		return usageError("--scale must be from 14 to 22")
	}
	for _, name := range c.Out {
		if suite.FormatOf(name) == "" {
			return usageError(fmt.Sprintf("--out %s: the name must end in .txt, .csv or .md", name))
		}
	}
	var err error
	if c.Peers != "" {
		if opt.Peers, err = readPeers(c.Peers); err != nil {
			return err
		}
	}
	ctx, stop := repl.Interruptible(ctx)
	defer stop()
	bar := repl.NewBar(os.Stderr)
	opt.Note = bar.Note
	report, err := suite.Run(ctx, opt)
	bar.Close()
	if report == nil {
		return usageError(err.Error())
	}
	if ctx.Err() != nil && len(report.Results) > 0 {
		fmt.Fprintln(os.Stderr, "stopped; these rows were finished:")
	}
	err = errors.Join(err, report.Write(os.Stdout, c.Output))
	for _, name := range c.Out {
		if ctx.Err() == nil { // after an interrupt a file keeps its old content rather than half a suite
			err = errors.Join(err, report.WriteFile(name))
		}
	}
	return err
}

func readPeers(path string) ([]suite.Peer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	peers, err := suite.ReadPeers(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return peers, nil
}
