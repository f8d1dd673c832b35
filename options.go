package motif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/motifql/motif/internal/convert"
	"github.com/motifql/motif/internal/device"
	"github.com/motifql/motif/internal/files"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/kernels/cuda"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
	"github.com/motifql/motif/storage"
)

// Option configures Open. Every QueryOption is also an Option: given to Open, it is the default of all queries. A nil Option
// changes nothing.
type Option interface{ apply(*config) }

// QueryOption configures one query.
type QueryOption interface {
	Option
	applyQuery(*queryConfig)
}

type openOption func(*config)

func (o openOption) apply(c *config) { o(c) }

type queryOption func(*queryConfig)

func (o queryOption) apply(c *config)           { o(&c.query) }
func (o queryOption) applyQuery(c *queryConfig) { o(c) }

// workersOption also holds for what Open and Load do.
type workersOption int

func (n workersOption) apply(c *config)           { c.workers = int(n) }
func (n workersOption) applyQuery(c *queryConfig) { c.workers = int(n) }

type config struct {
	create   bool
	readOnly bool
	snapshot bool
	sharing  bool
	mapping  bool
	partial  *storage.Partial
	logger   *slog.Logger
	files    fs.FS // that queries may read; nil: none
	workers  int
	cache    int64       // bytes; negative: any
	query    queryConfig // defaults of every query

	durability Durability
}

func newConfig(opts []Option) (c *config, err error) {
	defer caught(&err, "an option", "")
	c = &config{workers: runtime.GOMAXPROCS(0), cache: -1, query: queryConfig{declared: &lang.Declared{}}}
	for _, o := range opts {
		if o != nil {
			o.apply(c)
		}
	}
	return c, c.query.err
}

// WithCreate lets Open make a new, empty store where there is none.
func WithCreate() Option { return openOption(func(c *config) { c.create = true }) }

// WithReadOnly opens the store for reading only, without a lock: another process may write to it meanwhile. A statement, or a
// transaction that reads, sees the graph that was published last when it begins.
func WithReadOnly() Option { return openOption(func(c *config) { c.readOnly = true }) }

// WithSharing locks the store only while a transaction writes, and for a tenth of a second after it. Between transactions
// other processes may write; each transaction sees what they have committed. BeginWrite waits two seconds for the transaction of
// another process that uses WithSharing; then it gives ErrLocked.
func WithSharing() Option { return openOption(func(c *config) { c.sharing = true }) }

// WithSnapshot opens a read-only copy of the last state that the writing process published. Close removes the copy.
func WithSnapshot() Option {
	return openOption(func(c *config) { c.snapshot, c.readOnly = true, true })
}

// WithMapping keeps a copy of the graph in the store, as a file of arrays that is mapped into memory. So the first query need not wait until the graph
// is decoded, processes share the memory, and the system takes it back when it is short. The file takes about 5 bytes
// for each relationship. Loads and compactions make it, and so does an Open for writing without WithSharing that finds none. Others use it if it is there. The copy
// holds nothing else: it may be deleted. A damaged part of it is ErrCorrupt, an unreadable one ErrIO, for the query that needs it; a value that
// cannot be read after Next has returned true is nil, and Rows.Err says so. Linux on amd64 and arm64 maps files; elsewhere, and in builds for GPUs,
// this option does nothing.
func WithMapping() Option { return openOption(func(c *config) { c.mapping = true }) }

// WithPartial opens, for reading, a store of which only parts of the flat file are there; the others are fetched when a query needs them. It implies WithReadOnly
// and WithMapping. An error of the fetching is ErrIO, which has that error inside.
func WithPartial(p storage.Partial) Option {
	return openOption(func(c *config) { c.readOnly, c.mapping, c.partial = true, true, &p })
}

// WithCache bounds what queries derive from the graph and leave for later ones: neighbours in both directions, signatures, coreness, rows with weights. When a query
// has ended, what has not been used for longest is dropped until the rest takes at most so many bytes. A query that needs it makes it again. A query may
// take more while it runs; see WithMemory. The graph itself and indexes are never dropped. Without WithCache there is no bound.
func WithCache(bytes int64) Option { return openOption(func(c *config) { c.cache = max(0, bytes) }) }

// WithDurability sets when a committed transaction is safe. The default is DurabilitySync.
func WithDurability(d Durability) Option { return openOption(func(c *config) { c.durability = d }) }

// WithLogger sends the store's own messages to l. The default is silence. A panic in l's handler is dropped with its message.
func WithLogger(l *slog.Logger) Option {
	return openOption(func(c *config) {
		if c.logger = l; l != nil {
			c.logger = slog.New(guarded.Handler(l.Handler()))
		}
	})
}

// WithFiles lets queries read files: LOAD CSV FROM 'people.csv' and 'file:///people.csv' both read people.csv from the file system
// files, and so does apoc.load.json. Without WithFiles, a query that reads a file fails. Folder gives the files of one folder. Other choices are an embed.FS and
// the FS method of an os.Root. Choose os.DirFS only if no stranger can put symbolic links into the folder: it follows them everywhere.
func WithFiles(files fs.FS) Option { return openOption(func(c *config) { c.files = files }) }

// Folder returns the files of a folder and below, for WithFiles. Neither .. nor a symbolic link leads out of the folder. Queries
// may also use absolute paths that lie in the folder. Nothing needs to be closed.
func Folder(dir string) (fs.FS, error) {
	f, err := files.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	return f, nil
}

type queryConfig struct {
	maxRows  int64
	timeout  time.Duration
	memory   int64
	brute    bool
	profile  bool
	progress func(Progress)
	merges   bool // Distribute and OpenJob make nothing for units

	// The knobs; see Knobs.
	order    pattern.OrderStrategy
	filter   pattern.FilterDepth
	kernel   pattern.KernelChoice
	without  pattern.Techniques
	device   device.Choice
	workers  int            // 0: the database's
	declared *lang.Declared // procedures, shared by all queries of a database
	err      error          // of a knob with an unknown value

	runsOn pattern.Device // chosen by device and brute

	// Of Job.Rows.
	finish func(ctx context.Context, yield func([]value.Value) (bool, error)) error // instead of running the plan
	values map[string]value.Value                                                   // of the parameters
}

// WithMaxRows ends the query with ErrRowLimit when it would give more than n rows; 0 sets no limit. Use LIMIT in the query to
// get only the first n without an error.
func WithMaxRows(n int64) QueryOption { return queryOption(func(c *queryConfig) { c.maxRows = n }) }

// WithTimeout ends the query after d with an error that is context.DeadlineExceeded and says how far the query came. The time
// begins when the query's text is read. 0 sets no limit.
func WithTimeout(d time.Duration) QueryOption {
	return queryOption(func(c *queryConfig) { c.timeout = d })
}

// WithMemory ends the query with ErrMemory when it would hold more than the given number of bytes: values that expressions make,
// collected lists, rows to sort, groups, candidate sets, the changes of the transaction, and rows that wait for the reader. A value
// counts in full wherever it occurs. The graph itself does not count. 0 sets no limit.
func WithMemory(bytes int64) QueryOption {
	return queryOption(func(c *queryConfig) { c.memory = bytes })
}

// WithProfile makes the plan in the Summary say as much as that of PROFILE does: with notes on what was done, and with the Match of each
// operator that matches a pattern. The query gives its rows.
func WithProfile() QueryOption { return queryOption(func(c *queryConfig) { c.profile = true }) }

// WithProgress calls f about five times a second while the query runs, from a goroutine of its own. A panic in f ends the
// query with a *PanicError.
func WithProgress(f func(Progress)) QueryOption {
	return queryOption(func(c *queryConfig) { c.progress = f })
}

// Progress says how far a running query has come.
type Progress struct {
	Elapsed        time.Duration
	Rows           int64
	PartialMatches uint64  // visited so far
	Done           float64 // finished share of the work, below 1; 0 if it is unknown, as with several searches
}

// WithBruteForce answers by trying every assignment: no filter, no matching order, no kernels. The engine is tested against it.
// It is slow: use it on small graphs, or to check an answer.
func WithBruteForce() QueryOption { return queryOption(func(c *queryConfig) { c.brute = true }) }

// WithWorkers sets how many goroutines may work at once. As an option of Open it holds for opening, loads and all queries; as an
// option of a query, for that query. The default is GOMAXPROCS.
func WithWorkers(n int) QueryOption { return workersOption(max(1, n)) }

// WithDevice sets what queries run on, without changing an answer:
//
//   - "auto", the default: the CPU and, in builds with GPU support, as many GPUs as are expected to be faster
//   - "cpu": the CPU
//   - "cuda": GPUs wherever they have a kernel; all of them where they can share the work, else the first
//   - "cuda:1": one GPU by its number
//
// A query fails if its GPU is missing.
func WithDevice(name string) QueryOption { return knobOption("device", name) }

// WithOrder sets how Motif chooses the order in which it matches a pattern:
//
//   - "auto", the default: as cost; long counts also take reusable partial counts into account
//   - "cost": by an estimate of all partial matches
//   - "smallest": the smallest candidate sets first
//   - "ri": by the pattern only
//   - "graphql": looks one step ahead
func WithOrder(strategy string) QueryOption { return knobOption("order", strategy) }

// WithFilter sets how far Motif filters the candidates of a pattern's nodes: "label", "degree", "signature" or "refine". Each
// adds to the ones before it. The default, "auto", uses all of them, but signatures only once they are worth building.
func WithFilter(depth string) QueryOption { return knobOption("filter", depth) }

// WithKernel sets what answers patterns in which every two nodes are related: "join"; "clique", the kernel for cliques wherever
// it can; or "auto", the default: whichever is expected to be faster.
func WithKernel(name string) QueryOption { return knobOption("kernel", name) }

// WithoutTechniques switches techniques off, without changing an answer. PROFILE and Knobs name them.
func WithoutTechniques(names ...string) QueryOption {
	return knobOption("without", strings.Join(names, ","))
}

// knobOption defers the error of an unknown value to the query, or to Open.
func knobOption(name, value string) QueryOption {
	return queryOption(func(c *queryConfig) { c.err = errors.Join(c.err, c.set(name, value)) })
}

// ParseOption returns the option that sets a knob by name, or an error that lists the names or values. It is for what people
// type; a program calls WithOrder, WithFilter, WithKernel, WithDevice, WithoutTechniques and WithWorkers.
func ParseOption(knob, value string) (QueryOption, error) {
	set := func(c *queryConfig) error { return c.set(knob, value) }
	if err := set(new(queryConfig)); err != nil {
		return nil, err
	}
	return queryOption(func(c *queryConfig) { _ = set(c) }), nil
}

// Knob is a choice of how Motif matches queries. No setting changes an answer, but it can change how soon a query reaches a limit
// of time or memory.
type Knob struct {
	Name    string
	Values  []string // the values it accepts, the default first; nil: a number
	About   []string // what each of the values does
	Several bool     // the knob takes several values, separated by commas
	Help    string
}

// Knobs lists the knobs; see ParseOption.
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
		{Name: "kernel", Values: pattern.KernelChoices, Help: "what answers complete patterns",
			About: []string{"whichever is expected to be faster", "the join", "the clique kernel wherever it can"}},
		{Name: "without", Values: techniques, About: counted, Several: true, Help: "techniques to do without, as PROFILE names them"},
		{Name: "device", Values: device.Names, Help: "what the kernels run on",
			About: []string{"the CPU, and a GPU where that is expected to be faster", "the CPU only", "GPUs, wherever they have a kernel: all of them, or one, such as cuda:1"}[:len(device.Names)]},
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
		c.device, err = device.ParseChoice(value)
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

// planning returns the choices that a plan depends on.
func (c *queryConfig) planning() planner.Options {
	return planner.Options{Brute: c.brute, Order: c.order, Kernel: c.kernel, OnGPU: c.device.Asked(), Declared: c.declared}
}

// knobs describes the knobs that are not at their defaults; "" if all are.
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
	note("device", c.device.String(), !c.device.Auto())
	note("workers", strconv.Itoa(c.workers), c.workers > 0)
	var off []string
	for m := range pattern.AllTechniques() {
		if c.without.Has(m) {
			off = append(off, m.String())
		}
	}
	note("without", strings.Join(off, ","), len(off) > 0)
	return strings.Join(set, ", ")
}

// GPU describes a graphics processor that queries can run on.
type GPU struct {
	Name       string // as WithDevice and the knob "device" take it: cuda:0
	Model      string
	Memory     int64 // bytes
	Free       int64 // bytes
	Processors int
	Capability string // such as 9.0
	Driver     string // version of the driver's interface
}

// GPUs lists the graphics processors that this build can use. The error says why the list is empty, or why a GPU is missing from it.
func GPUs() ([]GPU, error) {
	list, err := cuda.List()
	out := make([]GPU, len(list))
	for i, d := range list {
		out[i] = GPU{Name: fmt.Sprintf("cuda:%d", d.Ordinal), Model: d.Name, Memory: d.Memory, Free: d.Free, Processors: d.Multiprocessor,
			Capability: d.Capability, Driver: d.Driver}
	}
	return out, err
}

// deviceOf returns what a query's stages run on.
func deviceOf(db *DB, c *queryConfig) (pattern.Device, error) {
	if c.brute {
		return testgraph.Brute{}, nil
	}
	d, err := db.devices.Device(c.device, cmp.Or(c.workers, db.cfg.workers))
	if err != nil {
		return nil, &QueryError{Code: "ArgumentError.NoDevice", Phase: PhaseCompile, Message: fmt.Sprintf("no %v: %v", c.device, err),
			pretty: fmt.Sprintf("no %v: %v", c.device, err)}
	}
	return d, nil
}

// queryConfig applies the options of one query after the options of the DB.
func (db *DB) queryConfig(opts []QueryOption) (_ *queryConfig, err error) {
	if !db.opened() {
		return nil, errNotOpened
	}
	defer caught(&err, "an option", "")
	cfg := db.cfg.query
	for _, o := range opts {
		if o != nil {
			o.applyQuery(&cfg)
		}
	}
	if cfg.err != nil {
		return nil, &QueryError{Code: "ArgumentError.UnknownOption", Phase: PhaseCompile, Message: cfg.err.Error(), pretty: cfg.err.Error()}
	}
	cfg.runsOn, err = deviceOf(db, &cfg)
	return &cfg, err
}

// Params holds the parameters of a query by name, without the dollar sign. Values may be nil, booleans, integers, floats,
// strings, a Point, a Temporal, time.Time, time.Duration, pointers to these, and slices and maps of them. A nil pointer is null. Text must be
// UTF-8. A value may be nested 1000 levels deep; so a slice or a map that contains itself is an error. Do not change the values
// before the call that takes them has returned.
type Params map[string]any

// Durability says when a committed transaction is safe; see WithDurability.
type Durability = storage.Durability

const (
	// DurabilitySync makes a committed transaction survive the loss of power. It is the default.
	DurabilitySync = storage.Sync
	// DurabilityRelaxed makes a committed transaction survive the end of the process at once. It survives a loss of power only
	// after the next commit with DurabilitySync, load, compaction or Close.
	DurabilityRelaxed = storage.Relaxed
)

// deadline returns ctx with the time limit of a query that began at a moment.
func (c *queryConfig) deadline(ctx context.Context, began time.Time) (context.Context, context.CancelFunc) {
	if c.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, began.Add(c.timeout))
}

// paramValues returns the values of the parameters: those of a job, or those of params.
func (c *queryConfig) paramValues(ctx context.Context, params Params, memory *pattern.Memory) (map[string]value.Value, error) {
	if c.values != nil {
		return c.values, nil
	}
	return paramValues(ctx, params, memory)
}

// paramValues turns the parameters of a query into runtime values. They take of its memory as long as it runs.
func paramValues(ctx context.Context, params Params, memory *pattern.Memory) (map[string]value.Value, error) {
	values := make(map[string]value.Value, len(params))
	for name, x := range params {
		v, err := toValue(ctx, x, memory)
		if !utf8.ValidString(name) {
			err = convert.ErrNotUTF8
		}
		if errors.Is(err, ErrMemory) {
			return nil, convert.ErrTooLarge
		}
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		if err != nil {
			text := fmt.Sprintf("parameter $%s: %v", strings.ToValidUTF8(name, "\uFFFD"), err)
			return nil, &QueryError{Code: "ArgumentError.InvalidParameter", Phase: PhaseCompile, Message: text, pretty: text}
		}
		values[name] = v
	}
	return values, nil
}

// toValue turns a value of the program into a runtime value.
func toValue(ctx context.Context, x any, memory *pattern.Memory) (_ value.Value, err error) {
	defer func() {
		if v := recover(); v != nil { // a type of the program embeds a nil Temporal
			err = guarded(fmt.Sprintf("a %T", x), v)
		}
	}()
	return goTypes.Value(ctx, x, memory)
}
