package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/motifql/motif"
	"github.com/motifql/motif/repl"
)

type devicesCmd struct{}

// Run lists the CPU and the GPUs, or says why there is no GPU.
func (devicesCmd) Run() error {
	fmt.Printf("cpu      %d processors, %s\n", runtime.GOMAXPROCS(0), runtime.GOARCH)
	gpus, err := motif.GPUs()
	if err != nil {
		fmt.Fprintf(os.Stderr, "no GPU: %v\n", err)
		return nil
	}
	for _, g := range gpus {
		fmt.Printf("%-8s %s, %d multiprocessors, %.1f of %.1f GiB free, capability %s, driver %s\n", g.Name, g.Model, g.Processors,
			float64(g.Free)/(1<<30), float64(g.Memory)/(1<<30), g.Capability, g.Driver)
	}
	return nil
}

// verify compares the rows of a reading query on the session's device with those on the CPU, in whatever order they come.
func verify(ctx context.Context, s *repl.Session, text string) error {
	if repl.Writes(text) {
		return usageError("--verify runs a query twice: it is for queries that only read")
	}
	var rows [2][]string
	for i, device := range []string{s.Knobs["device"], "cpu"} {
		options := append(slices.Clone(s.Options), motif.Device(device))
		r, err := s.DB.Query(ctx, text, s.Params, options...)
		if err != nil {
			return err
		}
		for row, err := range r.All() {
			if err != nil {
				return err
			}
			rows[i] = append(rows[i], fmt.Sprintf("%#v", row.Values()))
		}
		slices.Sort(rows[i])
	}
	if !slices.Equal(rows[0], rows[1]) {
		return fmt.Errorf("the rows on the device and on the CPU differ (%d and %d of them): please report this query", len(rows[0]), len(rows[1]))
	}
	fmt.Fprintf(os.Stderr, "verified: %d rows, the same on the CPU\n", len(rows[0]))
	return nil
}
