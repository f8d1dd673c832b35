package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/storage/exporter"
)

type exportCmd struct {
	storeArg
	copyFlag
	To      string `arg:"" help:"A new folder (${exportfolders}) or a file (${exportfiles}; .gz and .zst are compressed); - is standard output."`
	Format  string `enum:",${exports}" default:"" placeholder:"FORMAT" help:"${exports} (default: by the ending of the file; a folder is csv)."`
	Replace bool   `help:"Replace the file if it exists."`
	CSVSafe bool   `name:"csv-safe" help:"In CSV, put ' before text that a spreadsheet would run as a formula; load keeps it."`
}

// exportFiles lists the formats that fit one file.
func exportFiles() []string {
	return exporter.FormatNames(func(f exporter.Format) bool { return !f.Folder })
}

// Run exports, and reports on standard error.
func (c *exportCmd) Run(ctx context.Context) error {
	ctx, stop := repl.Interruptible(ctx)
	defer stop()
	start := time.Now()
	db, err := c.open(c.DB, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	opt := exporter.Options{Path: c.To, Format: c.Format, Replace: c.Replace, CSVSafe: c.CSVSafe}
	if c.To == "-" {
		if c.Format == "" {
			return usageError("standard output needs a format: --format " + strings.Join(exportFiles(), ", "))
		}
		opt.Path, opt.Writer = "", os.Stdout
	}
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	opt.Progress = showStage(bar)
	r, err := db.Export(ctx, opt)
	bar.Close()
	if errors.Is(err, exporter.ErrExists) {
		return fmt.Errorf("%w; --replace replaces it", err)
	}
	if err != nil {
		return err
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(os.Stderr, "warning: %s\n", repl.Visible(w))
	}
	_, err = fmt.Fprintf(os.Stderr, "exported %s as %s in %s\n", graphSize(r.Nodes, r.Relationships), r.Format, time.Since(start).Round(time.Millisecond))
	return err
}
