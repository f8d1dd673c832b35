package temporal

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// WorkerCmd is the command that does the work of jobs.
type WorkerCmd struct {
	Engine   string `required:"" placeholder:"temporal://HOST:PORT" help:"The Temporal server, with /NAMESPACE if that is not default."`
	Snapshot string `placeholder:"URL" help:"Open this graph before the first job names it: the URL of a snapshot, or the folder of a store."`
	Cache    string `placeholder:"DIR" env:"MOTIF_CACHE" help:"Folder for the snapshots of jobs (default: motif-cluster in the user's cache folder)."`
	Slots    int    `placeholder:"N" help:"Units to run at the same time, each on one core (default: one for each processor)."`
	Role     string `enum:"all,units,workflows" default:"all" help:"What to do: ${enum}. A process for workflows alone needs no graph, and survives what units do."`
	Metrics  string `placeholder:"ADDR" help:"Count units for Prometheus, at http://ADDR/metrics. An address such as :9090 is open to whoever reaches this machine."`
	Verbose  bool   `short:"v" help:"Log each batch of units."`

	WithInput bool `hidden:"" help:"End with standard input, and by nothing else."`
}

// Run works until the context ends.
func (c *WorkerCmd) Run(ctx context.Context) error {
	if c.WithInput {
		ctx = context.WithoutCancel(ctx)
	}
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelInfo
	}
	if c.Slots <= 0 {
		c.Slots = runtime.GOMAXPROCS(0)
	}
	cache, err := cacheFolder(c.Cache)
	if err != nil {
		return err
	}
	g := newGraphs(cache)
	defer g.close()
	if c.Snapshot != "" {
		name, err := absolute(c.Snapshot)
		if err != nil {
			return err
		}
		if _, err := g.db(ctx, name); err != nil {
			return plain(err)
		}
	}
	m := newMetrics(c.Slots)
	if c.Metrics != "" {
		if _, err := m.serve(ctx, c.Metrics); err != nil {
			return err
		}
	}
	engine, err := dial(ctx, c.Engine, time.Minute)
	if err != nil {
		return err
	}
	defer engine.Close()
	w := newWorker(engine, c.Role, c.Slots, &activities{graphs: g, log: logger(level), sample: estimateTime, metrics: m})
	if err := w.Start(); err != nil {
		return err
	}
	if c.WithInput {
		io.Copy(io.Discard, os.Stdin) // its error is an end, too
	} else {
		<-ctx.Done()
	}
	w.Stop()
	return nil
}

// cacheFolder returns where snapshots go.
func cacheFolder(name string) (string, error) {
	if name != "" {
		return filepath.Abs(name)
	}
	user, err := os.UserCacheDir()
	return filepath.Join(user, "motif-cluster"), err
}

// newWorker makes a worker of Temporal.
func newWorker(c client.Client, role string, slots int, a *activities) worker.Worker {
	w := worker.New(c, queue, worker.Options{
		Identity:                           identity(slots),
		MaxConcurrentActivityExecutionSize: slots,
		MaxConcurrentActivityTaskPollers:   min(slots, 4),
		MaxHeartbeatThrottleInterval:       heartbeatEvery, // else the SDK holds heartbeats back for most of their timeout
		DefaultHeartbeatThrottleInterval:   heartbeatEvery,
		StickyScheduleToStartTimeout:       2 * time.Second, // when the worker of a workflow is lost, another one takes over after this
		WorkerStopTimeout:                  5 * time.Second,
		DeadlockDetectionTimeout:           time.Minute, // the workflow never waits for a lock, but a busy machine may hold it up
		DisableWorkflowWorker:              role == "units",
		LocalActivityWorkerOnly:            role == "workflows",
	})
	if role != "units" {
		w.RegisterWorkflowWithOptions(Query, workflow.RegisterOptions{Name: queryType})
	}
	if role != "workflows" {
		a.register(w)
	}
	return w
}

// register tells Temporal the names of activities.
func (a *activities) register(w worker.ActivityRegistry) {
	for name, fn := range map[string]any{"Prepare": a.Prepare, "Estimate": a.Estimate, "RunUnits": a.RunUnits, "MergeParts": a.MergeParts, "Finish": a.Finish} {
		w.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
}
