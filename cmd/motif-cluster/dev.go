package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// devCmd runs the program motif-cluster-dev, which has the Temporal server in it.
type devCmd struct {
	Args []string `arg:"" optional:"" passthrough:"" help:"What motif-cluster-dev takes: --workers N, a store and a query; --help tells more."`
}

// devProgram is the name of the program.
const devProgram = "motif-cluster-dev"

// Run finds the program beside this one, or on the path.
func (c *devCmd) Run(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program := filepath.Join(filepath.Dir(self), devProgram)
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath(devProgram); err != nil {
			return fmt.Errorf("%s is neither beside this program nor on the path: go build -C cmd/motif-cluster/dev -o %s . makes it", devProgram, filepath.Join(filepath.Dir(self), devProgram))
		}
	}
	dev := exec.CommandContext(ctx, program, c.Args...)
	dev.Stdin, dev.Stdout, dev.Stderr = os.Stdin, os.Stdout, os.Stderr
	dev.Cancel = func() error { return dev.Process.Signal(os.Interrupt) }
	var status *exec.ExitError
	if err := dev.Run(); errors.As(err, &status) {
		os.Exit(status.ExitCode()) // it has said why
	} else if err != nil {
		return err
	}
	return nil
}
