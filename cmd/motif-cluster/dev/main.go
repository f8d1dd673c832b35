// Motif-cluster-dev runs a query on one machine as motif-cluster runs it on many: by a real Temporal server, and worker processes. It is a
// binary of its own since the server is several times as large as the rest.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/motifql/motif/cmd/motif-cluster/temporal"
	"github.com/motifql/motif/internal/repl"
)

// cli is the command line. Dev starts processes with the other commands.
type cli struct {
	Dev    devCmd             `cmd:"" default:"withargs" help:"Run a query by a Temporal server and worker processes of this machine."`
	Server serverCmd          `cmd:"" help:"Run the Temporal server alone."`
	Worker temporal.WorkerCmd `cmd:"" help:"Do the work of jobs, as motif-cluster worker does."`
	Run    temporal.RunCmd    `cmd:"" help:"Submit a query and print its rows, as motif-cluster run does."`
}

func main() { os.Exit(run(os.Args[1:])) }

// run parses the command line, runs the command and returns the exit status.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	parser, err := kong.New(&cli{}, kong.Name("motif-cluster-dev"), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		panic(err) // the struct tags are wrong
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "motif-cluster-dev: %s\n", repl.VisibleLines(err.Error()))
		return 2
	}
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, repl.Fit("motif-cluster-dev: "+repl.Describe(err), repl.Width(os.Stderr)))
		return 1
	}
	return 0
}
