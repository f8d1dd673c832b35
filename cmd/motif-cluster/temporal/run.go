package temporal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/motifql/motif/internal/repl"
)

// UsualBudget is for how long a unit runs until it is cut.
const UsualBudget = 30 * time.Second

// RunCmd is the command that submits a query and prints its rows.
type RunCmd struct {
	Text     string        `arg:"" optional:"" name:"query" help:"The query; - reads it from standard input."`
	Engine   string        `required:"" placeholder:"temporal://HOST:PORT" help:"The Temporal server, with /NAMESPACE if that is not default."`
	Snapshot string        `placeholder:"URL" help:"The graph: the URL of a snapshot, or the folder of a store that all workers see."`
	Blobs    string        `placeholder:"URL" help:"Where parts above 256 KiB go: the URL of a bucket, or a folder that all workers see."`
	ID       string        `name:"id" placeholder:"NAME" help:"Name of the job (default: a random one)."`
	Attach   string        `placeholder:"NAME" help:"Wait for a job that was submitted before, and print its rows."`
	Param    []string      `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"Set parameter $$NAME to a JSON value or a string. Repeat for more."`
	Output   string        `short:"o" default:"table" help:"Output format of the rows, as for motif query; no pictures."`
	Memory   string        `placeholder:"64MiB" help:"Cut a unit that needs more memory than this, and fail if that cannot be."`
	Slots    int           `placeholder:"N" help:"Units that all workers run at the same time (default: what the workers say that are there)."`
	Units    int           `placeholder:"N" help:"About how many units to begin with (default: 50 a slot, or none for a short query)."`
	Budget   time.Duration `default:"30s" help:"Cut a unit that takes longer than this."`
	Dry      bool          `help:"Print what the job will cost, guessed from a sample of its units, instead of running it."`
	PerRun   int           `hidden:"" help:"Batches of units in a run of the workflow."`
}

// Run submits the query, or attaches to a job, and prints the rows. When ctx ends, it cancels the job.
func (c *RunCmd) Run(ctx context.Context) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	engine, err := dial(ctx, c.Engine, 0)
	if err != nil {
		return err
	}
	defer engine.Close()
	id := c.Attach
	if id == "" {
		if id, err = c.submit(ctx, engine, r); err != nil {
			return err
		}
	}
	answer, err := follow(ctx, engine, id)
	if err != nil {
		if gone := removePieces(context.WithoutCancel(ctx), r.Blobs, id); gone != nil {
			fmt.Fprintln(os.Stderr, repl.Visible("warning: blobs of the job stay: "+gone.Error()))
		}
		return err
	}
	return answer.print(ctx, id, os.Stdout)
}

// request checks the command line.
func (c *RunCmd) request() (r Request, err error) {
	switch {
	case c.Attach != "" && c.Text != "":
		return r, errors.New("a query, or --attach for one that was submitted before, not both")
	case c.Attach != "":
		return r, nil
	case c.Text == "":
		return r, errors.New("a query is missing; - reads it from standard input")
	case c.Snapshot == "":
		return r, errors.New("--snapshot is missing: the URL of a snapshot, or the folder of a store that all workers see")
	case c.Budget <= 0:
		return r, errors.New("--budget: more than nothing, such as 30s")
	case !slices.Contains(repl.Formats, c.Output):
		return r, fmt.Errorf("there is no output format %s%s formats: %s", c.Output, repl.DidYouMean(c.Output, repl.Formats), strings.Join(repl.Formats, ", "))
	}
	r = Request{Query: c.Text, Params: c.Param, Format: c.Output, Slots: c.Slots, Units: c.Units, Budget: c.Budget, Dry: c.Dry, PerRun: c.PerRun}
	if c.Text == "-" {
		if r.Query, err = repl.ReadText(os.Stdin, 0); err != nil {
			return r, err
		}
	}
	if c.Memory != "" {
		if r.Memory, err = repl.ParseBytes(c.Memory); err != nil {
			return r, fmt.Errorf("--memory: %w", err)
		}
	}
	if _, err := repl.ParseParams(c.Param); err != nil {
		return r, err
	}
	if r.Snapshot, err = absolute(c.Snapshot); err != nil {
		return r, err
	}
	r.Blobs, err = absolute(c.Blobs)
	return r, err
}

// submit starts the workflow of a job.
func (c *RunCmd) submit(ctx context.Context, engine client.Client, r Request) (id string, err error) {
	if r.Slots == 0 {
		if r.Slots, err = slotsOf(ctx, engine); err != nil {
			return "", err
		}
		if r.Slots == 0 {
			fmt.Fprintln(os.Stderr, "no worker is there yet; the job waits for one")
		}
	}
	if id = c.ID; id == "" {
		id = "motif-" + uuid.NewString()[:8]
	}
	_, err = engine.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue, WorkflowTaskTimeout: 5 * time.Second,
		WorkflowExecutionErrorWhenAlreadyStarted: true}, queryType, r, nil)
	if errors.As(err, new(*serviceerror.WorkflowExecutionAlreadyStarted)) {
		return "", fmt.Errorf("a job %s runs already; --attach %s waits for it", id, id)
	}
	if err == nil && repl.Width(os.Stderr) > 0 {
		fmt.Fprintf(os.Stderr, "job %s; --attach %s comes back to it\n", id, id)
	}
	return id, err
}

// follow waits for the end of a job and shows its progress. When ctx ends, it cancels the job.
func follow(ctx context.Context, engine client.Client, id string) (*Answer, error) {
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	if bar != nil {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		go watch(watching, engine, id, bar)
	}
	answer, err := await(ctx, engine, id)
	if ctx.Err() == nil {
		return answer, plain(err)
	}
	bar.Note("cancelling the job")
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if err := engine.CancelWorkflow(closing, id, ""); err != nil {
		return nil, fmt.Errorf("the job %s could not be cancelled: %w", id, err)
	}
	await(closing, engine, id) // its end frees the workers; the error is that it was cancelled
	return nil, ctx.Err()
}

// await waits for the end of a job, also while the server is away.
func await(ctx context.Context, engine client.Client, id string) (*Answer, error) {
	for {
		a := &Answer{}
		err := engine.GetWorkflow(ctx, id, "").Get(ctx, a)
		if err == nil || ctx.Err() != nil || !away(err) {
			return a, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// away reports whether err says that the server does not answer now.
func away(err error) bool {
	return errors.As(err, new(*serviceerror.Unavailable)) || errors.As(err, new(*serviceerror.DeadlineExceeded)) ||
		errors.As(err, new(*serviceerror.ResourceExhausted)) || errors.Is(err, context.DeadlineExceeded)
}

// plain returns the error of the query without what Temporal says around it.
func plain(err error) error {
	var query *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &query):
		return errors.New(query.Message())
	case errors.As(err, new(*temporal.CanceledError)):
		return errors.New("the job was cancelled")
	case errors.As(err, new(*serviceerror.NotFound)):
		return errors.New("the engine has no such job")
	}
	return err
}

// watch shows how far a job is.
func watch(ctx context.Context, engine client.Client, id string, bar *repl.Bar) {
	ticks := time.NewTicker(500 * time.Millisecond)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		answer, err := engine.QueryWorkflow(ctx, id, "", progressQuery)
		if err != nil {
			continue // the server is away, or no worker has the workflow: the bar stands still
		}
		var c Counters
		if err := answer.Get(&c); err == nil {
			bar.Show("units", uint64(c.Done), uint64(c.Done+c.Open+c.Queued))
		}
	}
}

// print writes the rows and removes the blobs of the job.
func (a *Answer) print(ctx context.Context, id string, out io.Writer) error {
	rows, err := a.Rows.bytes(ctx, a.Blobs)
	if err != nil {
		return err
	}
	if _, err := out.Write(rows); err != nil {
		return err
	}
	for _, w := range a.Warnings {
		fmt.Fprintln(os.Stderr, repl.Visible("warning: "+w))
	}
	return removePieces(ctx, a.Blobs, id)
}
