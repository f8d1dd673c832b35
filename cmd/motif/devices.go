package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
)

type devicesCmd struct{}

// Run lists the CPU and the GPUs, or says why there is no GPU.
func (devicesCmd) Run() error {
	fmt.Printf("cpu      %d processors, %s\n", runtime.GOMAXPROCS(0), runtime.GOARCH)
	gpus, err := motif.GPUs()
	if len(gpus) == 0 {
		fmt.Fprintf(os.Stderr, "no GPU: %v\n", err)
		return nil
	}
	for _, g := range gpus {
		fmt.Printf("%-8s %s, %d multiprocessors, %.1f of %.1f GiB free, capability %s, driver %s\n", g.Name, g.Model, g.Processors,
			float64(g.Free)/(1<<30), float64(g.Memory)/(1<<30), g.Capability, g.Driver)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return nil
}

// verify compares the rows of a reading query on a GPU with those on the CPU, in any order. The GPU takes all requests it
// has a kernel for, unless the session names a device.
func verify(ctx context.Context, s *repl.Session, text string) error {
	if repl.Writes(text, 0) {
		return usageError("--verify runs a query twice, so the query must only read")
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(text), " "); strings.EqualFold(first, "EXPLAIN") || strings.EqualFold(first, "PROFILE") {
		return usageError("--verify compares rows, but EXPLAIN and PROFILE return a plan")
	}
	device, note := s.Knobs["device"], ""
	if device == "" || device == "auto" {
		if device = "cuda"; len(firstOf(motif.GPUs())) == 0 {
			device, note = "cpu", " (there is no GPU: both are the CPU's; motif devices says why)"
		}
	}
	var rows [2][]string
	for i, device := range []string{device, "cpu"} {
		list, err := rowsOn(ctx, s, text, device)
		if err != nil {
			return fmt.Errorf("on %s: %w", device, err)
		}
		rows[i] = list
	}
	if at := difference(rows[0], rows[1]); at >= 0 {
		return fmt.Errorf("the rows on %s and on cpu differ: %d and %d rows, which sorted by text first differ in %s and %s; "+
			"LIMIT and collect() without ORDER BY may take different rows, or else please report this query",
			device, len(rows[0]), len(rows[1]), rowAt(rows[0], at), rowAt(rows[1], at))
	}
	count := "1 row"
	if n := len(rows[0]); n != 1 {
		count = fmt.Sprintf("%d rows", n)
	}
	fmt.Fprintf(os.Stderr, "verified: %s on %s, the same on cpu%s\n", count, device, note)
	return nil
}

func firstOf[T any](list []T, _ error) []T { return list }

// rowsOn returns the rows of a query on a device, with the session's knobs, as sorted text.
func rowsOn(ctx context.Context, s *repl.Session, text, device string) (rows []string, err error) {
	options, err := s.QueryOptions()
	if err != nil {
		return nil, err
	}
	r, err := s.DB.Query(ctx, text, s.Params, append(options, motif.WithDevice(device))...)
	if err != nil {
		return nil, err
	}
	for row, err := range r.All() {
		if err != nil {
			return nil, err
		}
		rows = append(rows, fmt.Sprintf("%#v", row.Values()))
	}
	slices.Sort(rows)
	return rows, nil
}

// difference returns the first place where two sorted lists differ, -1 if they are equal.
func difference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func rowAt(rows []string, i int) string {
	if i >= len(rows) {
		return "none"
	}
	return fmt.Sprintf("%.200s", rows[i])
}
