// Motif-cluster runs one query of Motif on many machines. Every machine has a copy of the graph, and does some units of the query's work.
//
// Rows, parts and other data go to standard output, everything else to standard error. The exit status is 0 after success, 1
// after a failed query or bad data, and 2 after a wrong command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/motifql/motif/cmd/motif-cluster/temporal"
	"github.com/motifql/motif/internal/repl"
)

// cli is the command line. Each command has a file of its own.
type cli struct {
	Snapshot snapshotCmd        `cmd:"" help:"Carry graphs to machines, by object storage."`
	Unit     unitCmd            `cmd:"" help:"Run a query in pieces, as plain commands."`
	Worker   temporal.WorkerCmd `cmd:"" help:"Do the work of the queries that others submit."`
	Run      temporal.RunCmd    `cmd:"" help:"Submit a query to the workers, and print its rows."`
	Dev      devCmd             `cmd:"" help:"Run a query by a Temporal server and worker processes of this machine."`
}

const description = `Motif-cluster runs one query of Motif on many machines.`

func main() { os.Exit(run(os.Args[1:])) }

const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is a mistake in the command line rather than in the data.
type usageError string

func (e usageError) Error() string { return string(e) }

// run parses the command line, runs the command and returns the exit status. Ctrl-C ends the command's context.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parser := newParser(ctx, &cli{})
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "motif-cluster: %s; motif-cluster --help lists the commands\n", repl.VisibleLines(err.Error()))
		return exitUsage
	}
	if err = command.Run(); err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, repl.Fit("motif-cluster: "+repl.Describe(err), repl.Width(os.Stderr)))
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	return exitFailed
}

func newParser(ctx context.Context, c *cli) *kong.Kong {
	parser, err := kong.New(c, kong.Name("motif-cluster"), kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Vars{"formats": strings.Join(repl.Formats, ","), "formatlist": strings.Join(repl.Formats, ", ")})
	if err != nil {
		panic(err) // the struct tags are wrong
	}
	return parser
}
