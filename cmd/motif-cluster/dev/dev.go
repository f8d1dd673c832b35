package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/motifql/motif/cmd/motif-cluster/temporal"
)

// devCmd runs one query.
type devCmd struct {
	DB      string   `arg:"" name:"db" help:"Folder of the store."`
	Text    string   `arg:"" name:"query" help:"The query; - reads it from standard input."`
	Workers int      `default:"2" help:"Worker processes, each for one unit at a time."`
	Param   []string `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"Set parameter $$NAME to a JSON value or a string. Repeat for more."`
	Output  string   `short:"o" default:"table" help:"Output format of the rows, as for motif query; no pictures."`
	Memory  string   `placeholder:"64MiB" help:"Cut a unit that needs more memory than this, and fail if that cannot be."`
	Units   int      `placeholder:"N" help:"About how many units to begin with (default: 50 a worker, or none for a short query)."`
	Dry     bool     `help:"Print what the job will cost, guessed from a sample of its units, instead of running it."`
	Verbose bool     `short:"v" help:"Log each batch of units."`
}

// Run starts the server and the workers, runs the query and ends them.
func (c *devCmd) Run(ctx context.Context) (err error) {
	if c.Workers < 1 {
		return errors.New("--workers: at least one")
	}
	if _, err := os.Stat(c.DB); err != nil { // before each worker says so
		return fmt.Errorf("%s: there is no such store; motif load makes one", c.DB)
	}
	folder, err := os.MkdirTemp("", "motif-cluster-dev")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ports, err := freePorts(loopback, 0)
	if err != nil {
		return err
	}
	engine := fmt.Sprintf("temporal://%s:%d", loopback, ports[0])
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := &processes{lost: cancel}
	defer workers.end()
	if _, err := startServer(filepath.Join(folder, "temporal.db"), loopback, ports[0]); err != nil { // it ends with this process: nobody needs its state
		return err
	}
	for range c.Workers {
		args := []string{"worker", "--engine", engine, "--snapshot", c.DB, "--slots", "1", "--role", "units", "--with-input"}
		if c.Verbose {
			args = append(args, "--verbose")
		}
		if err := workers.start(args...); err != nil {
			return err
		}
	}
	err = c.query(running, engine, filepath.Join(folder, "blobs"))
	if err != nil && ctx.Err() == nil && running.Err() != nil {
		return context.Cause(running)
	}
	return err
}

// query runs workflows in this process, so that they survive the workers, and the query.
func (c *devCmd) query(ctx context.Context, engine, blobs string) error {
	workflows := temporal.WorkerCmd{Engine: engine, Slots: 1, Role: "workflows"}
	working, stop := context.WithCancel(context.WithoutCancel(ctx)) // the workflow cancels its units after ctx ends
	ended := make(chan error, 1)
	go func() { ended <- workflows.Run(working) }()
	defer func() {
		stop()
		<-ended
	}()
	query := temporal.RunCmd{Text: c.Text, Engine: engine, Snapshot: c.DB, Blobs: blobs, Param: c.Param, Output: c.Output, Memory: c.Memory,
		Slots: c.Workers, Units: c.Units, Dry: c.Dry, Budget: temporal.UsualBudget}
	return query.Run(ctx)
}
