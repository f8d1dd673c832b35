package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/motifql/motif"
	"github.com/motifql/motif/draw"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/storage/importer"
)

// storeArg is the first argument of most verbs.
type storeArg struct {
	DB string `arg:"" name:"db" help:"Folder of the store."`
}

// queryFlags set the limits and parameters of queries.
type queryFlags struct {
	Param   []string      `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"Set parameter $$NAME to a JSON value or a string. Repeat for more."`
	Output  string        `short:"o" enum:"${formats}" default:"table" help:"Output format: ${formatlist}; pictures of what the rows hold: ${picturelist}."`
	Layout  string        `enum:"${layouts}" default:"auto" help:"Layout of tables on a terminal: ${layoutlist}. auto shows rows that are too wide as lines."`
	CSVSafe bool          `name:"csv-safe" help:"In CSV, put ' before text that a spreadsheet would run as a formula."`
	Brute   bool          `help:"Answer by trying every assignment; slow, for checking an answer."`
	Timeout time.Duration `placeholder:"10s" help:"Stop a query after this long."`
	MaxRows int64         `placeholder:"N" help:"Fail a query that returns more than N rows."`
	Memory  byteSize      `placeholder:"64MiB" help:"Fail a query that needs more memory than this. Keep at most as much for later queries."`
	openFlags
	knobFlags
}

// knobFlags choose how queries are matched; see motif.Knobs.
type knobFlags struct {
	Order   string     `enum:"${orders}" default:"auto" group:"knobs" help:"How to choose the matching order: ${enum}."`
	Filter  string     `enum:"${filters}" default:"auto" group:"knobs" help:"How far to filter candidates: ${enum}."`
	Kernel  string     `enum:"${kernels}" default:"auto" group:"knobs" help:"What answers complete patterns: ${enum}."`
	Device  device     `default:"auto" group:"knobs" help:"What kernels run on: auto, cpu, cuda or cuda:N; motif devices lists them."`
	Without techniques `placeholder:"NAME,..." group:"knobs" help:"Switch techniques off by the names that PROFILE shows; :set without in the shell lists them."`
	Workers int        `placeholder:"N" group:"knobs" help:"Goroutines for one query (default: all processors)."`
}

// set returns the knobs that have a value, by name.
func (f *knobFlags) set() map[string]string {
	knobs := map[string]string{"order": f.Order, "filter": f.Filter, "kernel": f.Kernel, "device": string(f.Device), "without": string(f.Without)}
	maps.DeleteFunc(knobs, func(_, value string) bool { return value == "" || value == "auto" })
	return knobs
}

// session prepares a session on an open store.
func (f *queryFlags) session(db *motif.DB) (repl.Session, error) {
	params, err := repl.ParseParams(f.Param)
	if err != nil {
		return repl.Session{}, usageError(err.Error())
	}
	s := repl.Session{DB: db, Out: os.Stdout, Err: os.Stderr, Format: f.Output, Layout: f.Layout, CSVSafe: f.CSVSafe, Params: params, Brute: f.Brute, Knobs: f.set(),
		Timeout: f.Timeout, MaxRows: f.MaxRows, Memory: int64(f.Memory)}
	return s, nil
}

// with opens the store, gives fn a session on it, and closes it.
func (f *queryFlags) with(path string, m mode, fn func(*repl.Session) error) (err error) {
	var opts []motif.Option
	if f.Memory > 0 {
		opts = append(opts, motif.WithCache(int64(f.Memory)))
	}
	db, err := f.open(path, m, f.Workers, opts...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s, err := f.session(db)
	if err != nil {
		return err
	}
	defer s.Close()
	return fn(&s)
}

type queryCmd struct {
	storeArg
	Text        string `arg:"" optional:"" help:"The query; - reads it from standard input."`
	PatternFile string `placeholder:"Q.graph" help:"Match a query graph in t/v/e format instead, as a subgraph with different nodes."`
	Count       bool   `help:"With --pattern-file: print only the number of matches."`
	Verify      bool   `help:"Also run the query on the CPU, and fail if the rows differ."`
	queryFlags
}

func (c *queryCmd) Run(ctx context.Context) error {
	began := time.Now()
	text, err := c.text()
	if err != nil {
		return err
	}
	m := reads
	if repl.Writes(text, c.Timeout) {
		m = writes
	}
	took := time.Since(began)
	if c.Timeout > 0 && took >= c.Timeout {
		return &motif.StoppedError{After: took, Reason: context.DeadlineExceeded}
	}
	return c.with(c.DB, m, func(s *repl.Session) error {
		if c.PatternFile != "" {
			if text, err = c.pattern(ctx, s.DB); err != nil {
				return err
			}
		}
		s.WarnUnused(text)
		if c.Verify {
			if err := verify(ctx, s, text); err != nil {
				return err
			}
		}
		s.Spent = took
		return s.Run(ctx, "", text)
	})
}

func (c *queryCmd) text() (string, error) {
	switch {
	case c.PatternFile != "" && c.Text != "":
		return "", usageError("a query text or --pattern-file, not both")
	case c.PatternFile != "":
		return "", nil
	case c.Count:
		return "", usageError("--count goes with --pattern-file; in a query write RETURN count(*)")
	case c.Text == "":
		return "", usageError("a query text is missing; - reads it from standard input")
	}
	if hint := notQuery(c.DB, c.Text); hint != "" {
		return "", usageError(hint)
	}
	return textOf(c.Text, int64(c.Memory))
}

// textOf reads standard input if arg is "-", as much as a query may have with a memory budget; 0 is none.
func textOf(arg string, memory int64) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	return repl.ReadText(os.Stdin, memory)
}

// pattern turns the query graph into a query. In a store with a single relationship type it leaves out the file's edge
// labels, as load leaves out a graph's only edge label.
func (c *queryCmd) pattern(ctx context.Context, db *motif.DB) (string, error) {
	q, err := importer.ReadPattern(c.PatternFile)
	if err != nil {
		return "", err
	}
	schema, err := db.Schema(ctx)
	if err != nil {
		return "", err
	}
	if len(schema.Types) == 1 && schema.Types[0].Name == importer.EdgeType {
		for i := range q.Edges {
			q.Edges[i].Type = ""
		}
	}
	if c.Count {
		return q.Query() + " RETURN count(*) AS count", nil
	}
	return q.Query() + " RETURN *", nil
}

type runCmd struct {
	storeArg
	Files             []string `arg:"" optional:"" help:"Files of statements, each ended by a semicolon; - is standard input, @NAME a query saved in the store. Without files, run reads a pipe."`
	SingleTransaction bool     `help:"Run all statements in one transaction, which keeps all of their changes or none."`
	queryFlags
}

func (c *runCmd) Run(ctx context.Context) error {
	if len(c.Files) == 0 {
		if repl.Width(os.Stdin) > 0 {
			return usageError("nothing to run: name files of statements, or send statements through a pipe")
		}
		c.Files = []string{"-"}
	}
	m := reads
	texts := make([]string, len(c.Files))
	saved := make([]*motif.SavedQuery, len(c.Files))
	for i, f := range c.Files {
		var err error
		if texts[i], saved[i], err = c.read(ctx, f); err != nil {
			return err
		}
		if !exists(c.DB) || c.SingleTransaction || m == reads && repl.Writes(texts[i], 0) {
			m = writes
		}
	}
	return c.with(c.DB, m, func(s *repl.Session) error {
		s.WarnUnused(texts...)
		s.JSONLines = len(c.Files) > 1
		all := func() error {
			for i, f := range c.Files {
				var err error
				if saved[i] != nil {
					err = s.RunSaved(ctx, saved[i], c.Param)
				} else {
					err = s.Run(ctx, f, texts[i])
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
		if c.SingleTransaction {
			return s.InTransaction(ctx, all)
		}
		return all()
	})
}

// read returns the text of a file, of standard input, or of a saved query.
func (c *runCmd) read(ctx context.Context, name string) (text string, saved *motif.SavedQuery, err error) {
	switch {
	case name == "-":
		text, err = repl.ReadText(os.Stdin, int64(c.Memory))
	case strings.HasPrefix(name, "@"):
		if saved, err = c.saved(ctx, name); err == nil {
			text = saved.Text
		}
	default:
		if text, err = repl.ReadFile(name, int64(c.Memory)); errors.Is(err, fs.ErrNotExist) {
			err = c.missing(ctx, name, err)
		}
	}
	return text, saved, err
}

// missing returns the error for a file that does not exist. A saved query of that name may be meant.
func (c *runCmd) missing(ctx context.Context, f string, err error) error {
	if q, other := c.saved(ctx, "@"+f); other == nil {
		return fmt.Errorf("%w; motif run %s @%s runs the saved query of that name", err, c.DB, q.Name)
	}
	return err
}

// saved returns a query saved in the store. Its text decides how to open the store to run it.
func (c *runCmd) saved(ctx context.Context, name string) (q *motif.SavedQuery, err error) {
	db, err := c.open(c.DB, reads, c.Workers)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return repl.FindSaved(ctx, db, name)
}

type shellCmd struct {
	storeArg
	Text    string `arg:"" optional:"" help:"Statements, or a command of the shell, to run instead of reading input."`
	History string `placeholder:"FILE" help:"Keep your input in FILE (default: in the state folder of your home); none keeps nothing."`
	queryFlags
}

// Run opens the shell. Only a new name that looks like a path makes a store without the word shell before it.
func (c *shellCmd) Run(ctx context.Context, line *kong.Context) error {
	if !slices.Contains(line.Args, "shell") && !slices.Contains(line.Args, "repl") {
		if err := mistaken(c.DB, verbNames(line.Model)); err != nil {
			return err
		}
	}
	m := either
	if c.Text != "" && !exists(c.DB) && !repl.Writes(c.Text, c.Timeout) {
		m = reads
	}
	made := !exists(c.DB)
	if slices.Contains(repl.Pictures, c.Output) && c.Text == "" {
		return usageError("-o " + c.Output + " draws one answer; in the shell, :draw FILE." + c.Output + " draws the last answer")
	}
	return c.with(c.DB, m, func(s *repl.Session) error {
		if made {
			fmt.Fprintf(os.Stderr, "new store %s\n", repl.Visible(c.DB))
		}
		if c.Text != "" {
			sh := &repl.Shell{Session: *s, Editor: repl.NewScanner(strings.NewReader(c.Text), 0)}
			return sh.Run(ctx)
		}
		return shell(ctx, *s, c.History)
	})
}

// shell runs the shell until the user leaves it.
func shell(ctx context.Context, s repl.Session, history string) error {
	switch history {
	case "":
		history = repl.HistoryFile()
	case "none":
		history = ""
	}
	sh, err := repl.Open(ctx, s, history)
	if err != nil {
		return err
	}
	return sh.Run(ctx)
}

// drawFlag chooses between text and pictures.
type drawFlag struct {
	Output string `short:"o" enum:"text,${pictures}" default:"text" help:"Output format: text, or a picture: ${picturelist}."`
}

type explainCmd struct {
	storeArg
	Text string `arg:"" help:"The query; - reads it from standard input."`
	drawFlag
	copyFlag
	knobFlags
}

func (c *explainCmd) Run(ctx context.Context) error {
	text, err := textOf(c.Text, 0)
	if err != nil {
		return err
	}
	var opts []motif.QueryOption
	for name, value := range c.set() {
		o, err := motif.ParseOption(name, value)
		if err != nil {
			return err
		}
		opts = append(opts, o)
	}
	db, err := c.open(c.DB, []motif.Option{motif.WithWorkers(cmp.Or(c.Workers, runtime.GOMAXPROCS(0)))})
	if err != nil {
		return err
	}
	defer db.Close()
	plan, err := db.Explain(ctx, text, opts...)
	if err != nil {
		return err
	}
	if c.Output != "text" {
		return repl.PrintPicture(os.Stdout, os.Stderr, draw.Plan(plan, draw.Options{}), c.Output)
	}
	return repl.PrintPlan(os.Stdout, plan.String())
}

type schemaCmd struct {
	storeArg
	drawFlag
	copyFlag
}

func (c *schemaCmd) Run(ctx context.Context) error {
	db, err := c.open(c.DB, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	schema, err := db.Schema(ctx)
	if err != nil {
		return err
	}
	if c.Output != "text" {
		return repl.PrintPicture(os.Stdout, os.Stderr, draw.Schema(schema, draw.Options{}), c.Output)
	}
	return repl.PrintSchema(os.Stdout, schema)
}

// printLine prints x and ends the line.
func printLine(x fmt.Stringer) error {
	_, err := fmt.Println(strings.TrimRight(x.String(), "\n"))
	return err
}

type statsCmd struct {
	storeArg
	copyFlag
}

func (c *statsCmd) Run(ctx context.Context) error {
	db, err := c.open(c.DB, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	stats, err := db.Stats(ctx)
	if err != nil {
		return err
	}
	return printLine(stats)
}

type checkCmd struct {
	storeArg
	copyFlag
}

func (c *checkCmd) Run(ctx context.Context) error {
	db, err := c.open(c.DB, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	bar.Show("checking", 0, 0)
	report, err := db.Check(ctx)
	bar.Close()
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		fmt.Println(repl.Visible(p.String()))
	}
	if !report.OK() {
		return fmt.Errorf("%s: %d problems found; load the graph again", c.DB, len(report.Problems))
	}
	log := ""
	if n := report.Transactions; n > 0 {
		log = fmt.Sprintf(", transactions in the change log: %d", n)
	}
	_, err = fmt.Printf("no problem found: %s, %s, %s%s\n", counted(report.Info.Nodes, "node"), counted(report.Info.Relationships, "relationship"), counted(uint64(report.Blocks), "block"), log)
	return err
}
