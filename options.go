package motif

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
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

// Knob is a choice of how queries are matched. No setting of any knob changes an answer, unless it is how soon a limit of
// time or memory is reached.
type Knob struct {
	Name    string
	Values  []string // what it can be set to, the default first; nil: a number
	About   []string // what each of the values does
	Several bool     // takes several values, separated by commas
	Help    string
}

// Knobs lists the knobs there are; see Set.
func Knobs() []Knob {
	var orders []string
	for _, s := range pattern.AllOrderStrategies() {
		orders = append(orders, s.String())
	}
	techniques, counted := []string{"none"}, []string{"all are used"}
	for m := range pattern.AllTechniques() {
		techniques, counted = append(techniques, m.String()), append(counted, m.Owner()+", counted: "+m.Unit())
	}
	return []Knob{
		{Name: "order", Values: orders, Help: "how the order is chosen in which a pattern is matched",
			About: []string{"by cost, and for long counts by what they can remember", "the smallest candidate sets first", "by the pattern only",
				"looking one step ahead", "by estimates of all that a search visits"}},
		{Name: "filter", Values: pattern.FilterDepths, Help: "how far the candidates of query nodes are filtered",
			About: []string{"all there is, but signatures only once they are worth building", "labels and conditions only", "degrees, too",
				"signatures of the neighbourhood, too", "all there is"}},
		{Name: "kernel", Values: pattern.KernelChoices, Help: "who answers complete patterns",
			About: []string{"who is expected to be faster", "the join", "the clique kernel wherever it can"}},
		{Name: "without", Values: techniques, About: counted, Several: true, Help: "techniques to do without, as PROFILE names them"},
		{Name: "device", Values: deviceNames, Help: "what the kernels run on",
			About: []string{"the CPU, and a GPU where that is expected to be faster", "the CPU only", "GPUs, wherever they have a kernel: all of them, or one, such as cuda:1"}[:len(deviceNames)]},
		{Name: "workers", Help: "goroutines for one query; 0: as many as the database was opened with"},
	}
}

// known refuses a value that a knob does not have.
func (k Knob) known(value string) error {
	what, values := k.Name, []string{value}
	if k.Several {
		what, values = "technique", strings.Split(value, ",")
	}
	for _, v := range values {
		v = strings.ToLower(strings.TrimSpace(v))
		if v == "" || k.Values == nil || slices.Contains(k.Values, v) || k.Name == "device" {
			continue
		}
		if near, ok := lang.Suggest(v, k.Values); ok {
			return fmt.Errorf("there is no %s %q; did you mean %s?", what, v, near)
		}
		return fmt.Errorf("there is no %s %q: there are %s", what, v, strings.Join(k.Values, ", "))
	}
	return nil
}

// Set returns the option that sets a knob by name, or an error that lists what there is. It is for what people type;
// a program calls Order, FilterBy, Kernel, Device, Without and Workers.
func Set(knob, value string) (QueryOption, error) {
	set := func(c *queryConfig) error { return c.set(knob, value) }
	if err := set(new(queryConfig)); err != nil {
		return nil, err
	}
	return func(c *queryConfig) { _ = set(c) }, nil
}

// Order sets how the order is chosen in which a pattern is matched: "smallest", which takes the smallest candidate sets
// first, "ri", which looks at the pattern only, "graphql", which looks one step ahead, "cost", which estimates all that a
// match will visit, or "auto", which is cost and for long counts what they can remember.
func Order(strategy string) QueryOption { return knob("order", strategy) }

// FilterBy sets how far the candidates of query nodes are filtered: "label", "degree", "signature", "refine", each of
// which does what the ones before it do and more, or "auto", which is all tiers, but signatures only once they are worth
// building.
func FilterBy(depth string) QueryOption { return knob("filter", depth) }

// Kernel sets who answers patterns in which every two nodes are related: "join", "clique", which is the clique kernel
// wherever it can answer, or "auto".
func Kernel(name string) QueryOption { return knob("kernel", name) }

// Device sets what the kernels run on; see WithDevice.
func Device(name string) QueryOption { return knob("device", name) }

// Without does without some techniques, named as PROFILE names them; Knobs lists them.
func Without(techniques ...string) QueryOption { return knob("without", strings.Join(techniques, ",")) }

// Workers sets how many goroutines the query may use; see WithWorkers.
func Workers(n int) QueryOption { return func(c *queryConfig) { c.workers = max(1, n) } }

// knob defers the error of an unknown value to the query.
func knob(name, value string) QueryOption {
	return func(c *queryConfig) { c.err = errors.Join(c.err, c.set(name, value)) }
}

func (c *queryConfig) set(knob, value string) (err error) {
	for _, k := range Knobs() {
		if k.Name == knob {
			err = k.known(value)
		}
	}
	if err != nil {
		return err
	}
	switch knob {
	case "order":
		c.order, err = pattern.ParseOrderStrategy(value)
	case "filter":
		c.filter, err = pattern.ParseFilterDepth(value)
	case "kernel":
		c.kernel, err = pattern.ParseKernelChoice(value)
	case "without":
		if value == "none" {
			value = ""
		}
		c.without, err = pattern.ParseTechniques(value)
	case "device":
		c.device, err = parseDevice(value)
	case "workers":
		n, convErr := strconv.Atoi(value)
		if convErr != nil || n < 0 {
			return fmt.Errorf("%q is no number of workers", value)
		}
		c.workers = n
	default:
		var names []string
		for _, k := range Knobs() {
			names = append(names, k.Name)
		}
		return fmt.Errorf("there is no knob %q: there are %s", knob, strings.Join(names, ", "))
	}
	return err
}

// planning are the choices that a plan depends on.
func (c *queryConfig) planning() planner.Options {
	return planner.Options{Brute: c.brute, Order: c.order, Kernel: c.kernel, Declared: c.declared}
}

// knobs describes those that are not at their defaults; "" if all are.
func (c *queryConfig) knobs() string {
	var set []string
	note := func(name, value string, isSet bool) {
		if isSet {
			set = append(set, name+" "+value)
		}
	}
	note("order", c.order.String(), c.order != pattern.OrderAuto)
	note("filter", c.filter.String(), c.filter != pattern.FilterAuto)
	note("kernel", c.kernel.String(), c.kernel != pattern.KernelAuto)
	note("device", c.device.String(), c.device.kind != anyDevice)
	note("workers", strconv.Itoa(c.workers), c.workers > 0)
	if off := slices.DeleteFunc(slices.Collect(pattern.AllTechniques()), func(m pattern.Technique) bool { return !c.without.Has(m) }); len(off) > 0 {
		note("without", strings.Join(names(off), ","), true)
	}
	return strings.Join(set, ", ")
}

func names(ms []pattern.Technique) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = m.String()
	}
	return out
}
