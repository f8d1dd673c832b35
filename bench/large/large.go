// Package large is `motif bench large`: it measures how time and memory grow with a graph, up to what the machine has room for.
//
// Options go in; a row for each step on each graph comes out as it is finished. A graph is an RMAT graph, written as an edge list. Each step is a
// command that a user would type (load, then queries on the mapped store) and runs in a process of its own, so that its time and its
// peak of memory are its own. On Linux a row tells anonymous memory from pages of files, which the system may drop, by smaps_rollup.
package large

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options say what is measured.
type Options struct {
	Scales  []int         // of the RMAT graphs, 2^scale nodes each
	Edges   int           // drawn for each node
	Steps   []string      // names of the steps after the load; none: all
	Workers int           // of a query; 0: all processors
	Memory  int64         // bytes that a load, and a query beside the graph, may hold; 0: as these have it
	Timeout time.Duration // of a step
	Dir     string        // where graphs and stores lie meanwhile; "": the folder for temporary files
	Program string        // the motif command
	Table   io.Writer     // gets a line a row as they come
	CSV     io.Writer     // gets the same as CSV; or nil
	Note    func(line string)
}

// Check says what is wrong with the options; "" if nothing is.
func (o *Options) Check() string {
	for _, s := range o.Scales {
		if s < 4 || s > 28 {
			return fmt.Sprintf("a scale of %d: it must be from 4 to 28", s)
		}
	}
	switch {
	case len(o.Scales) == 0:
		return "no scale is given"
	case o.Edges < 1 || o.Edges > 256:
		return fmt.Sprintf("%d edges a node: they must be from 1 to 256", o.Edges)
	case slices.ContainsFunc(o.Steps, func(name string) bool { return !slices.Contains(Steps(), name) }):
		return fmt.Sprintf("unknown step in %s; there are %s", strings.Join(o.Steps, ","), strings.Join(Steps(), ", "))
	case o.Workers < 0:
		return "a negative number of workers"
	case o.Timeout <= 0:
		return "no time for a step"
	}
	return ""
}

// step is a query that a row measures.
type step struct{ name, query string }

var steps = []step{
	{"open", "RETURN 1 AS n"},
	{"count", "MATCH (a)--(b)--(c) RETURN count(*) AS n"},
	{"triangles", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(a) RETURN count(*) AS n"},
	{"clique4", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a)--(c), (b)--(d) RETURN count(*) AS n"},
	{"cores", "CALL algo.kcore({}) YIELD core RETURN max(core) AS n"},
	{"bfs", "MATCH (a) WHERE id(a) = 0 CALL algo.bfs(a, {direction: 'BOTH'}) YIELD depth RETURN count(*) AS n"},
}

// Steps names the steps after a load.
func Steps() (names []string) {
	for _, s := range steps {
		names = append(names, s.name)
	}
	return names
}

// known are answers on graphs with 16 edges drawn for each node, by step and scale. Those of scale 16 other programs have found, too.
var known = map[string]string{"triangles-14": "2829407", "triangles-16": "15615367", "triangles-18": "82885862", "triangles-20": "423979492",
	"clique4-14": "35670441", "clique4-16": "290935864", "clique4-18": "2276881897", "clique4-20": "17023577171"}

// ErrFailed says that a step failed, or has a wrong answer; its row says why.
var ErrFailed = errors.New("some steps failed")

// Run measures, and prints rows as they come. It ends with ctx, or with ErrFailed at the end.
func Run(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp(o.Dir, "motif-large-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{o: o, out: newPrinter(o.Table, o.CSV)}
	for _, scale := range o.Scales {
		if err := b.graph(ctx, filepath.Join(dir, strconv.Itoa(scale)), scale); err != nil {
			return err
		}
	}
	if b.failed {
		return ErrFailed
	}
	return b.out.err
}

// loaded finds the edges in what load says of the graph.
var loaded = regexp.MustCompile(`(?m)^loaded .* and ([0-9]+) relationships? in `)

// bench is a measurement under way.
type bench struct {
	o      Options
	out    *printer
	failed bool
}

// graph measures one graph below dir.
func (b *bench) graph(ctx context.Context, dir string, scale int) error {
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	list, store := filepath.Join(dir, "edges.txt"), filepath.Join(dir, "store")
	b.note("making", scale)
	made := b.run(ctx, "gen", "rmat", "--scale", strconv.Itoa(scale), "--edge-factor", strconv.Itoa(b.o.Edges), "-o", list)
	if made.err != nil {
		return made.err
	}
	b.note("load", scale)
	load := b.run(ctx, b.limited("load", "--undirected", "--map", store, list)...)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Remove(list); err != nil {
		return err
	}
	r := Row{Step: "load", Scale: scale, Workers: b.o.Workers, result: load}
	if load.err == nil {
		r.Disk = sizeOf(store)
		if m := loaded.FindStringSubmatch(load.messages); m != nil {
			r.Edges, _ = strconv.ParseUint(m[1], 10, 64)
		}
	}
	if b.print(r); load.err != nil {
		return nil // the next graph may do
	}
	for _, s := range steps {
		if len(b.o.Steps) > 0 && !slices.Contains(b.o.Steps, s.name) {
			continue
		}
		b.note(s.name, scale)
		r.Step, r.Disk, r.result = s.name, 0, b.run(ctx, b.query(store, s.query)...)
		if want := known[fmt.Sprint(s.name, "-", scale)]; want != "" && b.o.Edges == 16 && r.err == nil && r.answer != want {
			r.err = fmt.Errorf("the answer is WRONG: %s, not %s", r.answer, want)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		b.print(r)
	}
	return nil
}

// query is the command of a query on the mapped store.
func (b *bench) query(store, text string) []string {
	args := b.limited("query", "--map", "-o", "csv")
	if b.o.Workers > 0 {
		args = append(args, fmt.Sprint("--workers=", b.o.Workers))
	}
	return append(args, store, text)
}

// limited adds the limit of memory to a command.
func (b *bench) limited(args ...string) []string {
	if b.o.Memory > 0 {
		args = append(args, fmt.Sprint("--memory=", b.o.Memory))
	}
	return args
}

func (b *bench) note(what string, scale int) { b.o.Note(fmt.Sprintf("RMAT %d: %s", scale, what)) }

func (b *bench) print(r Row) {
	b.failed = b.failed || r.err != nil
	b.out.print(&r)
}

// sizeOf is the size of the files below dir.
func sizeOf(dir string) (bytes int64) {
	filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil // a file that went away has no size
	})
	return bytes
}

// lastLine is the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
