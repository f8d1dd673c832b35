package motif

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// Option configures Open.
type Option func(*config)

type config struct {
	create   bool
	readOnly bool
	snapshot bool
	logger   *slog.Logger
	workers  int
	query    queryConfig // defaults of every query

	durability Durability
}

func newConfig(opts []Option) *config {
	c := &config{workers: runtime.GOMAXPROCS(0), query: queryConfig{declared: &lang.Declared{}}}
	for _, o := range opts {
		o(c)
	}
	return c
}

// WithCreate lets Open make a new, empty store where there is none.
func WithCreate() Option { return func(c *config) { c.create = true } }

// WithReadOnly opens the store for reading only. Several processes may do so at once, but none while
// another has it open for writing.
func WithReadOnly() Option { return func(c *config) { c.readOnly = true } }

// WithDurability sets when a committed transaction is safe. The default is Sync.
func WithDurability(d Durability) Option { return func(c *config) { c.durability = d } }

// WithSnapshot opens a copy of the store as it is now, for reading: what another process that writes to it has published
// last. The copy goes when the DB is closed.
func WithSnapshot() Option { return func(c *config) { c.snapshot, c.readOnly = true, true } }

// WithDevice sets what queries run on: "cpu"; "cuda", GPUs for everything that they have a kernel for, the first one or, where
// they can share the work, all; "cuda:1", one GPU by its number; or "auto", the default, which is the CPU and, in builds with GPU
// support, as many GPUs as are expected to be faster. The answers are the same. A query fails where the GPU it is to run on is not there.
func WithDevice(name string) Option {
	return func(c *config) { Device(name)(&c.query) }
}

// WithLogger sends what the store reports of its own working to l. The default is silence.
func WithLogger(l *slog.Logger) Option { return func(c *config) { c.logger = l } }

// WithWorkers sets how many goroutines one query, load or open may use. The default is GOMAXPROCS.
func WithWorkers(n int) Option { return func(c *config) { c.workers = max(1, n) } }

// WithQueryMemory sets the memory budget of every query, in bytes; see Memory.
func WithQueryMemory(bytes int64) Option { return func(c *config) { c.query.memory = bytes } }

// WithDefaultTimeout sets the time limit of every query; see Timeout.
func WithDefaultTimeout(d time.Duration) Option { return func(c *config) { c.query.timeout = d } }

// QueryOption configures one query.
type QueryOption func(*queryConfig)

type queryConfig struct {
	maxRows  int64
	timeout  time.Duration
	memory   int64
	brute    bool
	progress func(ProgressInfo)

	// The knobs; see Knobs.
	order    pattern.OrderStrategy
	filter   pattern.FilterDepth
	kernel   pattern.KernelChoice
	without  pattern.Techniques
	device   deviceChoice
	workers  int            // 0: the database's
	declared *lang.Declared // procedures, shared by all queries of a database
	err      error          // a knob was set to what there is not

	runsOn pattern.Device // chosen by device and brute
}

// MaxRows ends the query with ErrRowLimit when it would give more than n rows. Use LIMIT in the query to get
// only the first n without an error.
func MaxRows(n int64) QueryOption { return func(c *queryConfig) { c.maxRows = n } }

// Timeout ends the query after d with an error that is context.DeadlineExceeded and says how far it came.
func Timeout(d time.Duration) QueryOption { return func(c *queryConfig) { c.timeout = d } }

// Memory ends the query with ErrMemory when what it holds (collected lists, rows to sort, groups, candidate sets)
// would pass so many bytes. The graph itself does not count.
func Memory(bytes int64) QueryOption { return func(c *queryConfig) { c.memory = bytes } }

// Brute answers by trying every assignment: no filter, no matching order, no kernels. It is the oracle that the
// engine is tested against, and slow: for small graphs, or to check an answer.
func Brute() QueryOption { return func(c *queryConfig) { c.brute = true } }

// Progress calls f about five times a second while the query runs, from a goroutine of its own.
func Progress(f func(ProgressInfo)) QueryOption { return func(c *queryConfig) { c.progress = f } }

// ProgressInfo is how far a running query has come.
type ProgressInfo struct {
	Elapsed time.Duration
	Rows    int64
	Partial uint64  // partial matches visited
	Done    float64 // share of the root candidates, or of a procedure's units of work, that are finished, 0 to 1
}
