package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/storage/importer"
)

type loadCmd struct {
	storeArg
	Files      []string  `arg:"" optional:"" help:"Edge lists, tables of nodes and relationships, or one file of another format; - is standard input. Files may be compressed with gzip or zstd, or lie in a zip archive or a folder."`
	Format     string    `enum:",${inputs}" default:"" placeholder:"FORMAT" help:"Format of the files: ${inputlist} (default: detected)."`
	Directed   bool      `xor:"direction" help:"Keep directions, loops and repeated lines."`
	Undirected bool      `xor:"direction" help:"Make one relationship of a pair of nodes, also where a file says that it is directed."`
	Nodes      []string  `sep:"none" placeholder:"LABEL=FILE" help:"A node for each row of a CSV or Parquet file: the header names the columns, in plain words or as neo4j-admin has it. Repeat for more."`
	Rels       []string  `sep:"none" aliases:"relationships" placeholder:"TYPE=FILE" help:"A relationship for each row of a CSV or Parquet file. Repeat for more. Without --nodes, their ends become nodes."`
	Delimiter  delimiter `placeholder:"CHAR" help:"Field separator of CSV files (default: detected)."`
	SkipBad    bool      `help:"Skip bad rows of a property graph instead of failing: a value of another type, a missing, unknown or repeated id, too few or too many fields."`
	Label      string    `help:"Label for every node of the files."`
	Type       string    `help:"Relationship type of the files."`
	Weight     string    `placeholder:"NAME" help:"Keep the third column of edge lists, or the CSV column of this name, as a property of relationships: integers, or floats if one is not an integer."`
	Append     bool      `xor:"into" help:"Add to the graph that the store holds: nodes with ids that it knows are updated, others are added, as are all relationships."`
	Replace    bool      `xor:"into" help:"Replace the graph that the store holds."`
	Memory     byteSize  `placeholder:"2GiB" help:"Fail a load that needs more memory than this (default: three quarters of the free memory)."`

	Map bool `help:"Make a flat file beside the graph, which other commands map with --map."`

	Quiet    bool `short:"q" help:"Print warnings and errors only."`
	csvFlags `embed:""`
}

// Help lists the file formats.
func (*loadCmd) Help() string {
	var b strings.Builder
	b.WriteString("Formats of files:\n\n")
	for _, f := range importer.Formats {
		fmt.Fprintf(&b, "  %-8s %s\n", f.Name, f.Help)
	}
	b.WriteString("\nTables of nodes and relationships, CSV or Parquet, need no --format: --nodes and --rels say what they hold, or their headers do.\n")
	return b.String()
}

func (c *loadCmd) spec() (importer.Spec, error) {
	spec := importer.Spec{Files: c.Files, Format: c.Format, Directed: c.Directed, Undirected: c.Undirected, Label: c.Label, Type: c.Type, Weight: c.Weight,
		Delimiter: rune(c.Delimiter), SkipBad: c.SkipBad, Memory: int64(c.Memory), Stdin: os.Stdin}
	c.csvFlags.set(&spec)
	for _, arg := range c.Nodes {
		f, err := importer.ParseNodeFile(arg)
		if err != nil {
			return spec, usageError(err.Error())
		}
		spec.Nodes = append(spec.Nodes, f)
	}
	for _, arg := range c.Rels {
		f, err := importer.ParseRelationshipFile(arg)
		if err != nil {
			return spec, usageError(err.Error())
		}
		spec.Relationships = append(spec.Relationships, f)
	}
	if len(c.Files)+len(c.Nodes)+len(c.Rels) == 0 {
		return spec, usageError("nothing to load: name files, or --nodes and --rels")
	}
	return spec, nil
}

// Run loads, and reports on standard error.
func (c *loadCmd) Run(ctx context.Context) error {
	spec, err := c.spec()
	if err != nil {
		return err
	}
	if err := c.checkBadRows(); err != nil {
		return err
	}
	limitMemory(&spec)
	start := time.Now()
	ctx, stop := repl.Interruptible(ctx)
	defer stop()
	_, err = os.Stat(c.DB)
	isNew := errors.Is(err, fs.ErrNotExist)
	report, err := c.load(ctx, spec)
	if err != nil {
		if isNew { // leave no empty store behind
			os.RemoveAll(c.DB)
		}
		return err
	}
	describe(os.Stderr, report, time.Since(start), c.Quiet)
	if !c.Quiet {
		c.describeBadRows(os.Stderr, report)
	}
	return c.writeBadRows(report.BadRows)
}

// limitMemory sets the memory that a load may hold, unless a flag has, and makes the garbage collector keep to it.
func limitMemory(spec *importer.Spec) {
	const fixed = 32 << 20 // of the program and its store
	debug.SetGCPercent(25) // a load holds few objects, most of them without pointers, so the collector has little to look at
	if spec.Memory == 0 {
		spec.Memory = freeMemory() / 4 * 3
	}
	if spec.Memory > 0 && spec.Memory < math.MaxInt64/2 {
		debug.SetMemoryLimit(spec.Memory + spec.Memory/8 + fixed)
	}
}

func (c *loadCmd) load(ctx context.Context, spec importer.Spec) (*motif.LoadReport, error) {
	opts := []motif.Option{motif.WithCreate()}
	if c.Map {
		opts = append(opts, motif.WithMapping())
	}
	db, err := motif.Open(c.DB, opts...)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	report, err := db.Load(ctx, spec, motif.LoadOptions{Replace: c.Replace, Append: c.Append, Progress: showStage(bar)})
	if errors.Is(err, motif.ErrNotEmpty) {
		err = fmt.Errorf("%w; --append adds to it, --replace puts the new graph in its place", err)
	}
	if e, ok := errors.AsType[*motif.FileError](err); ok && e.Hint != "" {
		err = fmt.Errorf("%w\nhint: %s", err, e.Hint)
	}
	if errors.Is(err, motif.ErrMemory) {
		err = fmt.Errorf("%w; --memory sets the limit", err)
	}
	if err != nil {
		return nil, err
	}
	return report, db.Close()
}

// describe reports what a load did; if quiet, its warnings alone.
func describe(w io.Writer, r *motif.LoadReport, took time.Duration, quiet bool) {
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", repl.Visible(warning))
	}
	if r.Differing > 0 {
		have := map[bool]string{true: "has", false: "have"}[r.Differing == 1]
		fmt.Fprintf(w, "warning: %s %s other properties than the first relationship of their pair, which stays\n", counted(r.Differing, "repeated pair"), have)
	}
	warnAppended(w, r)
	if quiet {
		return
	}
	if r.Detected != "" {
		fmt.Fprintf(w, "format: %s (%s)\n", r.Format, repl.Visible(r.Detected))
	}
	describeDirection(w, r)
	if r.Matched > 0 {
		fmt.Fprintf(w, "updated %s that the store had\n", counted(r.Matched, "node"))
	}
	if old := r.OldNodes + r.OldRelationships; old > 0 {
		fmt.Fprintf(w, "added %s in %s\n", graphSize(r.Nodes-r.OldNodes, r.Relationships-r.OldRelationships), took.Round(time.Millisecond))
		fmt.Fprintf(w, "the store now has %s\n", graphSize(r.Nodes, r.Relationships))
	} else {
		fmt.Fprintf(w, "loaded %s in %s\n", graphSize(r.Nodes, r.Relationships), took.Round(time.Millisecond))
	}
	if r.Loops > 0 {
		fmt.Fprintf(w, "left out %s\n", counted(r.Loops, "self-loop"))
	}
	if r.Duplicates > 0 {
		fmt.Fprintf(w, "left out %s, in either direction\n", counted(r.Duplicates, "repeated pair"))
	}
	if !r.Directed && r.Loops+r.Duplicates > 0 {
		fmt.Fprintln(w, "--directed keeps self-loops, repeated pairs and their directions")
	}
	describeSchema(w, &r.Schema)
}

// describeDirection says whether the load kept directions, and why.
func describeDirection(w io.Writer, r *motif.LoadReport) {
	way, flag := "undirected", "--directed"
	if r.Directed {
		way, flag = "directed", "--undirected"
	}
	switch why := repl.Visible(r.Direction); {
	case why == "":
		fmt.Fprintf(w, "read as %s, as --%s says\n", way, way)
	case !r.Fixed && (r.Directed || r.Loops+r.Duplicates == 0):
		fmt.Fprintf(w, "read as %s: %s (%s changes that)\n", way, why, flag)
	default:
		fmt.Fprintf(w, "read as %s: %s\n", way, why)
	}
}
