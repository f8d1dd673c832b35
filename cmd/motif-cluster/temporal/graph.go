package temporal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/cmd/motif-cluster/blobs"
)

// keptJobs limits the jobs that a worker keeps ready while no unit of theirs runs.
const keptJobs = 8

// graphs are the stores that a worker has open, and the jobs on them.
type graphs struct {
	cache string // folder for snapshots

	mu   sync.Mutex
	dbs  map[string]*opening[*blobs.Graph] // by request.Snapshot
	jobs map[string]*openJob               // by snapshot, spec and memory
}

// opening is a value that is opened once, whoever asks first. A failure is forgotten.
type opening[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// openJob is a job that units use.
type openJob struct {
	opening[*motif.Job]
	users int
	used  time.Time
}

func newGraphs(cache string) *graphs {
	return &graphs{cache: cache, dbs: map[string]*opening[*blobs.Graph]{}, jobs: map[string]*openJob{}}
}

// db returns the graph of a request. It is fetched and opened once.
func (g *graphs) db(ctx context.Context, snapshot string) (*blobs.Graph, error) {
	g.mu.Lock()
	o := g.dbs[snapshot]
	if o == nil {
		o = &opening[*blobs.Graph]{done: make(chan struct{})}
		g.dbs[snapshot] = o
		g.mu.Unlock()
		o.value, o.err = g.open(ctx, snapshot)
		if o.err != nil {
			g.mu.Lock()
			delete(g.dbs, snapshot)
			g.mu.Unlock()
		}
		close(o.done)
		return o.value, o.err
	}
	g.mu.Unlock()
	return o.wait(ctx)
}

// wait waits for whoever opens.
func (o *opening[T]) wait(ctx context.Context) (value T, err error) {
	select {
	case <-o.done:
		return o.value, o.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// open opens a graph, and fetches what that takes. The store of a folder is read where it is.
func (g *graphs) open(ctx context.Context, snapshot string) (*blobs.Graph, error) {
	db, err := blobs.OpenGraph(ctx, snapshot, g.cache, nil, motif.WithWorkers(1))
	if err == nil {
		return db, nil
	}
	err = fmt.Errorf("the graph of the job: %w", err)
	if errors.As(err, new(*motif.StoreError)) && !errors.Is(err, blobs.ErrUnfetched) || errors.Is(err, fs.ErrNotExist) {
		return nil, final(err)
	}
	return nil, err
}

// use returns the job of a spec, and what to call when it is used no more.
func (g *graphs) use(ctx context.Context, r Request, spec []byte) (*motif.Job, func(), error) {
	db, err := g.db(ctx, r.Snapshot)
	if err != nil {
		return nil, nil, err
	}
	key := fmt.Sprintf("%s\n%d\n%s", r.Snapshot, r.Memory, spec)
	g.mu.Lock()
	o := g.jobs[key]
	first := o == nil
	if first {
		o = &openJob{opening: opening[*motif.Job]{done: make(chan struct{})}}
		g.jobs[key] = o
	}
	o.users++
	g.mu.Unlock()
	leave := func() { g.leave(o) }
	if first {
		o.value, o.err = db.OpenJob(ctx, spec, r.options()...)
		if o.err != nil {
			g.mu.Lock()
			delete(g.jobs, key)
			g.mu.Unlock()
		}
		close(o.done)
	}
	job, err := o.wait(ctx)
	if err != nil {
		leave()
		if !first && ctx.Err() == nil && errors.Is(err, context.Canceled) { // the batch that opened it was cancelled, not this one
			return nil, nil, errors.New("another batch stopped opening the job")
		}
		return nil, nil, err
	}
	return job, leave, nil
}

// leave closes the jobs that were not used for longest.
func (g *graphs) leave(o *openJob) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o.users--
	o.used = time.Now()
	var idle []string
	for key, j := range g.jobs {
		if j.users == 0 {
			idle = append(idle, key)
		}
	}
	slices.SortFunc(idle, func(a, b string) int { return g.jobs[a].used.Compare(g.jobs[b].used) })
	for len(idle) > keptJobs {
		g.jobs[idle[0]].value.Close()
		delete(g.jobs, idle[0])
		idle = idle[1:]
	}
}

// close closes all stores. No unit may run any more.
func (g *graphs) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var errs []error
	for _, j := range g.jobs {
		if j.value != nil {
			errs = append(errs, j.value.Close())
		}
	}
	for _, o := range g.dbs {
		if o.value != nil {
			errs = append(errs, o.value.Close())
		}
	}
	return errors.Join(errs...)
}

// options returns the options of the job.
func (r Request) options() (opts []motif.QueryOption) {
	if r.Memory > 0 {
		opts = append(opts, motif.WithMemory(r.Memory))
	}
	return opts
}
