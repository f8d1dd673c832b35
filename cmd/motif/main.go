// Motif is a subgraph matching query engine. This command loads graphs, queries them and opens a shell on them.
//
// Rows and other data go to standard output, everything else to standard error. The exit status is 0 after success, 1
// after a failed query or bad data, and 2 after a wrong command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/motifql/motif"
	"github.com/motifql/motif/bench/gpu"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/storage/exporter"
	"github.com/motifql/motif/storage/importer"
)

// cli is the command line. Each verb has a file of its own or stands in verbs.go.
type cli struct {
	Demo    demoCmd    `cmd:"" help:"Show what Motif does, on a built-in sample graph."`
	Load    loadCmd    `cmd:"" help:"Load a graph from files into a store."`
	Export  exportCmd  `cmd:"" help:"Write the graph of a store to files; load reads all formats but cypher and dot back."`
	Diff    diffCmd    `cmd:"" help:"Compare two graphs: stores, or files that load reads."`
	Query   queryCmd   `cmd:"" help:"Run one query and print its rows."`
	Run     runCmd     `cmd:"" help:"Run the statements of query files."`
	Explore exploreCmd `cmd:"" help:"Open a page in the browser: draw patterns, run queries, step through matches."`
	Shell   shellCmd   `cmd:"" aliases:"repl" default:"withargs" help:"Open a shell on a store; motif DB does the same. It runs what a pipe sends."`
	Explain explainCmd `cmd:"" help:"Show the plan of a query."`
	Schema  schemaCmd  `cmd:"" help:"Show the labels, types and properties of a graph."`
	Stats   statsCmd   `cmd:"" help:"Show the size of a store and its graph."`
	Backup  backupCmd  `cmd:"" help:"Write a store's graph to one file, even while it is in use."`
	Restore restoreCmd `cmd:"" help:"Make a store from a backup."`
	Check   checkCmd   `cmd:"" help:"Read a whole store and report damage."`
	Gen     genCmd     `cmd:"" help:"Generate a graph as an edge list."`
	Bench   benchCmd   `cmd:"" help:"Measure how fast Motif is on this machine."`
	Devices devicesCmd `cmd:"" help:"List the devices that queries can run on: the CPU and the GPUs."`
	Version versionCmd `cmd:"" help:"Print the version."`

	Completion  completionCmd    `cmd:"" help:"Write the completion script of a shell."`
	Man         manCmd           `cmd:"" help:"Write the man page; motif man | man -l - shows it."`
	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

const description = `Motif finds subgraphs. Start with: motif demo

A store is a folder. "motif load DB FILE" makes one, "motif DB" opens a shell on it.`

func main() { os.Exit(run(os.Args[1:])) }

const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is a mistake in the command line rather than in the data.
type usageError string

func (e usageError) Error() string { return string(e) }

// run parses the command line, runs the verb and returns the exit status.
func run(args []string) int {
	parser := newParser(&cli{})
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if word := unknownHelp(args, verbNames(parser.Model)); word != "" {
		fmt.Fprintf(os.Stderr, "motif: there is no command %s%s motif --help lists the commands, and :help in the shell explains the language\n", repl.Visible(word), repl.DidYouMean(word, verbNames(parser.Model)))
		return exitUsage
	}
	if n := paramFlags(args); n > maxParamFlags {
		fmt.Fprintf(os.Stderr, "motif: %d parameters, at most %d; give many values as one list or map: -p 'all=[1, 2]'\n", n, maxParamFlags)
		return exitUsage
	}
	args = adapt(args, verbNames(parser.Model))
	ctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "motif: %s\n", repl.Fit(repl.VisibleLines(err.Error()+verbHint(parser, args)), repl.Width(os.Stderr)))
		return exitUsage
	}
	err = ctx.Run()
	if err == nil {
		return 0
	}
	if errors.Is(err, errDiffer) {
		return exitFailed
	}
	fmt.Fprintln(os.Stderr, repl.Fit("motif: "+repl.Describe(err), repl.Width(os.Stderr)))
	if errors.As(err, new(usageError)) || errors.As(err, new(troubleError)) {
		return exitUsage
	}
	return exitFailed
}

// maxParamFlags limits the flags -p. kong copies all values of a flag for each value.
const maxParamFlags = 1000

// paramFlags counts the flags that set parameters.
func paramFlags(args []string) (n int) {
	for _, a := range args {
		if strings.HasPrefix(a, "-p") || a == "--param" || strings.HasPrefix(a, "--param=") {
			n++
		}
	}
	return n
}

func newParser(c *cli) *kong.Kong {
	parser, err := kong.New(c, kong.Name("motif"), kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Help(printHelp), vars(),
		kong.ExplicitGroups([]kong.Group{{Key: "knobs", Title: "How queries are matched (this changes no answer):"}}),
		kong.KindMapper(reflect.String, kong.MapperFunc(asWritten)), kong.BindTo(context.Background(), (*context.Context)(nil)))
	if err != nil {
		panic(err) // the struct tags are wrong
	}
	return parser
}

// printHelp prints the help within the width of the terminal.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	const usual = 80 // which kong takes for anything but a terminal; it does not break all lines
	width := repl.Width(os.Stdout)
	options.WrapUpperBound = max(0, width-1)
	if width == 0 || width > usual {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	var text strings.Builder
	out := ctx.Stdout
	ctx.Stdout = &text
	defer func() { ctx.Stdout = out }()
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := io.WriteString(out, repl.Fit(text.String(), width))
	return err
}

// vars returns the texts that help takes from elsewhere.
func vars() kong.Vars {
	v := kong.Vars{"version": version(), "formats": strings.Join(repl.OutputFormats, ","), "formatlist": strings.Join(repl.Formats, ", "), "picturelist": strings.Join(repl.Pictures, ", "), "pictures": strings.Join(repl.Pictures, ","),
		"layouts": strings.Join(repl.Layouts, ","), "layoutlist": strings.Join(repl.Layouts, ", "),
		"inputs": strings.Join(importer.FormatNames(), ","), "inputlist": strings.Join(importer.FormatNames(), ", "),
		"ways": strings.Join(motif.DiffWays(), ","), "exports": strings.Join(exporter.FormatNames(nil), ","),
		"exportfolders": strings.Join(exporter.FormatNames(func(f exporter.Format) bool { return f.Folder }), ", "), "exportfiles": strings.Join(exportFiles(), ", "),
		"gpuparts": strings.Join(gpu.Parts(), ", ")}
	for _, k := range motif.Knobs() {
		v[k.Name+"s"] = strings.Join(k.Values, ",")
	}
	return v
}

// asWritten keeps an argument's bytes. kong replaces bytes that are not UTF-8: it would run a query that must be refused,
// and miss a file of that name.
func asWritten(ctx *kong.DecodeContext, target reflect.Value) error {
	t, err := ctx.Scan.PopValue("string")
	if err == nil {
		target.SetString(fmt.Sprint(t.Value))
	}
	return err
}

// verbHint suggests the right verb for a mistyped one, else the help.
func verbHint(parser *kong.Kong, args []string) string {
	verbs := verbNames(parser.Model)
	if slices.Contains(verbs, args[0]) {
		return fmt.Sprintf("; motif %s --help tells more", args[0])
	}
	return repl.DidYouMean(args[0], verbs) + " motif --help lists the commands"
}

// verbNames lists the verbs.
func verbNames(model *kong.Application) (names []string) {
	for _, n := range model.Children {
		names = append(names, n.Name)
	}
	return names
}
