package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/motifql/motif"
	"github.com/motifql/motif/cmd/motif-cluster/blobs"
	"github.com/motifql/motif/internal/repl"
)

type unitCmd struct {
	Split splitCmd `cmd:"" help:"Cut a query into units: files in a new folder, for any scheduler. Prints how many."`
	Run   workCmd  `cmd:"" help:"Run one unit, on one core."`
	Merge mergeCmd `cmd:"" help:"Merge the parts of all units, and print the rows of the query."`
}

// specFile is what all units share.
type specFile struct {
	Graph string          `json:"graph"` // URL of a snapshot, or folder of a store
	Job   json.RawMessage `json:"job"`   // what motif.OpenJob takes
}

const specName = "spec.json"

// memoryFlag limits what a process may take.
type memoryFlag struct {
	Memory byteSize `placeholder:"64MiB" help:"Fail if more memory than this is needed."`
}

func (f memoryFlag) options() (opts []motif.QueryOption) {
	if f.Memory > 0 {
		opts = append(opts, motif.WithMemory(int64(f.Memory)))
	}
	return opts
}

// byteSize is a number of bytes with or without a unit: 64MiB, 1.5GB, 4096.
type byteSize int64

// UnmarshalText reads a size.
func (b *byteSize) UnmarshalText(text []byte) error {
	n, err := repl.ParseBytes(string(text))
	*b = byteSize(n)
	return err
}

type splitCmd struct {
	Graph string   `arg:"" help:"Folder of a store that all machines have, or URL of a snapshot."`
	Query string   `arg:"" help:"The query."`
	Job   string   `arg:"" help:"Folder to make: spec.json, and unit-0.json and so on."`
	Units int      `default:"64" help:"About how many units to make, of about equal work."`
	Param []string `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"Set parameter $$NAME to a JSON value or a string. Repeat for more."`
	cacheFlag
	memoryFlag
}

// Run writes the spec and the units. The folder appears when it is complete.
func (c *splitCmd) Run(ctx context.Context) (err error) {
	if c.Units < 1 {
		return usageError("--units: at least 1")
	}
	params, err := repl.ParseParams(c.Param)
	if err != nil {
		return usageError(err.Error())
	}
	if _, err := os.Lstat(c.Job); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s exists already: name a folder that does not", c.Job), err)
	}
	graph, err := blobs.Pin(ctx, c.Graph)
	if err != nil {
		return err
	}
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	db, err := c.open(ctx, graph, bar)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	job, err := db.Distribute(ctx, c.Query, params, append(c.options(), motif.WithMergeOnly())...)
	bar.Close()
	if err != nil {
		return err
	}
	defer job.Close()
	n, err := writeJob(c.Job, graph, job, c.Units)
	if err == nil {
		fmt.Println(n)
	}
	return err
}

// writeJob writes the files of a job into a new folder, and returns the number of units.
func writeJob(folder, graph string, job *motif.Job, units int) (n int, err error) {
	temp, err := os.MkdirTemp(filepath.Dir(folder), filepath.Base(folder)+".part-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(temp) // fails to find it once it has its name
	write := func(name string, v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(temp, name), append(text, '\n'), 0o644)
	}
	for _, u := range job.Units(units) {
		if err := write(fmt.Sprintf("unit-%d.json", n), u); err != nil {
			return 0, err
		}
		n++
	}
	if err := write(specName, specFile{graph, job.Spec()}); err != nil {
		return 0, err
	}
	if err := os.Chmod(temp, 0o755); err != nil { // the scheduler may run units as another user
		return 0, err
	}
	return n, os.Rename(temp, folder)
}

// open opens a graph for reading. The bar shows what is fetched, then and when the job is opened.
func (f cacheFlag) open(ctx context.Context, graph string, bar *repl.Bar) (*blobs.Graph, error) {
	return blobs.OpenGraph(ctx, graph, f.Cache, show(bar, "fetching"))
}

// jobFlags say where the job's graph is.
type jobFlags struct {
	Spec  string `arg:"" help:"The file spec.json of the job."`
	Graph string `placeholder:"GRAPH" help:"Where the graph is on this machine, if it is not where the spec says: a folder of a store, or a URL."`
	cacheFlag
	memoryFlag
}

// with opens the job and gives it to fn.
func (f *jobFlags) with(ctx context.Context, fn func(*motif.Job) error, opts ...motif.QueryOption) (err error) {
	text, err := os.ReadFile(f.Spec)
	if err != nil {
		return err
	}
	var spec specFile
	if err := json.Unmarshal(text, &spec); err != nil || spec.Graph == "" {
		return errors.Join(fmt.Errorf("%s is not the spec of a job: unit split writes one", f.Spec), err)
	}
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	db, err := f.open(ctx, cmp.Or(f.Graph, spec.Graph), bar)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	job, err := db.OpenJob(ctx, spec.Job, append(f.options(), opts...)...)
	bar.Close()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Spec, err)
	}
	defer job.Close()
	return fn(job)
}

type workCmd struct {
	jobFlags
	Unit string `arg:"" help:"The file of the unit."`
	Out  string `short:"o" placeholder:"FILE" help:"File for the part, which appears when it is complete (default: standard output)."`
}

// Run runs a unit.
func (c *workCmd) Run(ctx context.Context) error {
	text, err := os.ReadFile(c.Unit)
	if err != nil {
		return err
	}
	var unit motif.Unit
	if err := json.Unmarshal(text, &unit); err != nil {
		return fmt.Errorf("%s is not a unit: unit split writes some: %w", c.Unit, err)
	}
	return c.with(ctx, func(job *motif.Job) error {
		part, _, err := job.Run(ctx, unit, motif.Budget{})
		if err != nil {
			return fmt.Errorf("%s: %w", c.Unit, err)
		}
		data, err := part.MarshalBinary()
		if err != nil {
			return err
		}
		if c.Out == "" {
			_, err = os.Stdout.Write(data)
			return err
		}
		return writeFile(c.Out, data)
	})
}

// writeFile writes a file that appears when it is complete.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once the file has its name
	_, err = io.Copy(f, bytes.NewReader(data))
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

type mergeCmd struct {
	jobFlags
	Parts  []string `arg:"" help:"The files of the parts, in any order. A folder stands for its files that end in .part."`
	Output string   `short:"o" enum:"${formats}" default:"table" help:"Output format: ${formatlist}."`
}

// Run merges parts and prints the rows.
func (c *mergeCmd) Run(ctx context.Context) error {
	files, err := partFiles(c.Parts)
	if err != nil {
		return err
	}
	return c.with(ctx, func(job *motif.Job) error {
		bar := repl.NewBar(os.Stderr)
		defer bar.Close()
		total := motif.Part{}
		for i, file := range files {
			bar.Show("merging", uint64(i), uint64(len(files)))
			if err := mergeFile(ctx, job, &total, file); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		bar.Close()
		rows, err := job.Rows(ctx, total)
		if err != nil {
			return err
		}
		out := bufio.NewWriter(os.Stdout)
		if err := repl.WriteRows(out, rows, c.Output); err != nil {
			if errors.Is(err, motif.ErrPartMissing) { // no row has come, and what is written so far is but the head of a table
				return err
			}
			return errors.Join(err, out.Flush())
		}
		return out.Flush()
	}, motif.WithMergeOnly())
}

func mergeFile(ctx context.Context, job *motif.Job, total *motif.Part, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var part motif.Part
	if err := part.UnmarshalBinary(data); err != nil {
		return err
	}
	return job.Merge(ctx, total, part)
}

// partFiles replaces folders by the parts in them.
func partFiles(names []string) (files []string, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, name)
			continue
		}
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".part") {
				files = append(files, filepath.Join(name, e.Name()))
			}
		}
	}
	return files, nil
}
