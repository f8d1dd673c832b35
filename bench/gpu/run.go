package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/motifql/motif/internal/figures"
	"github.com/motifql/motif/kernels/cuda"
)

// ErrWrong says that the device gave another answer than the CPU.
var ErrWrong = errors.New("an answer of the GPU is wrong")

// part is what one name stands for.
type part struct {
	name   string
	graphs kind
	run    func(c *course) error
}

var parts = []part{
	{"cliques", rmat | planted, cliques},
	{"kcminer", rmat | planted, kcminer},
	{"triangles", rmat | planted, triangles},
	{"cores", rmat | planted, cores},
	{"trusses", rmat | planted, trusses},
	{"bfs", rmat | grid, searches},
	{"filter", labelled, sift},
	{"formula", labelled, formulas},
	{"unlabelled", labelled, unlabelled},
	{"join", labelled, matches},
	{"deal", rmat | planted, deal},
}

// bench is a measurement under way.
type bench struct {
	o         Options
	d         device
	all       together
	out       *printer
	bandwidth float64                  // of a copy on the device, in bytes a second; read and written ones
	spent     map[string]time.Duration // by part
	history   map[string][]past
	wrong     int

	references map[string]*reference // what the CPU found on the graph at hand, by work.key
}

// course is a part on one graph.
type course struct {
	*bench
	part  *part
	g     *graph
	ctx   context.Context // ends with the part's budget, too
	outer context.Context
	began time.Time
	limit time.Duration // from began on
}

// errSkip says that the rest of a part on a graph is left out, for which a line was printed.
var errSkip = errors.New("the budget is spent")

// run measures everything, and prints rows as they come. It ends with ctx, or ErrWrong at the end.
func run(ctx context.Context, d device, all together, o Options) error {
	b := &bench{o: o, d: d, all: all, out: newPrinter(o.Table, o.CSV, o.Peers), spent: make(map[string]time.Duration), history: make(map[string][]past)}
	var err error
	if b.bandwidth, err = d.CopyBandwidth(); err != nil {
		return err
	}
	i := d.Info()
	o.Say(fmt.Sprintf("%s, capability %s, driver %s, %.1f of %.1f GiB free, copies %s/s; CPU with %d workers", i.Name, i.Capability, i.Driver,
		float64(i.Free)/(1<<30), float64(i.Memory)/(1<<30), figures.Quantity(b.bandwidth)+"B", o.Workers))
	list := graphs(&o)
	for at, g := range list {
		b.references = make(map[string]*reference)
		for n := range parts {
			p := &parts[n]
			if !o.wants(p.name) || p.graphs&g.kind == 0 {
				continue
			}
			more := slices.ContainsFunc(list[at+1:], func(g *graph) bool { return p.graphs&g.kind != 0 })
			if err := b.course(ctx, p, g, more); err != nil {
				return err
			}
		}
		if err := d.Evict(); err != nil {
			return err
		}
		g.s = nil
	}
	if b.wrong > 0 {
		return fmt.Errorf("%w: %d rows say WRONG", ErrWrong, b.wrong)
	}
	return nil
}

// course runs a part on a graph. Where more graphs follow it leaves half of the part's budget to them.
func (b *bench) course(ctx context.Context, p *part, g *graph, more bool) error {
	left := b.o.Budget - b.spent[p.name]
	if more {
		left /= 2
	}
	if left <= 0 {
		b.o.Say(fmt.Sprintf("skipped: %s on %s, since the part's budget of %v is spent", p.name, g.name, b.o.Budget))
		return nil
	}
	if g.s == nil { // in nobody's time: all parts use it
		b.o.Note("making " + g.name)
		began := time.Now()
		if err := g.make(ctx, b.o.Workers); err != nil {
			return err
		}
		b.o.Say(fmt.Sprintf("%s: %d nodes, %d edges, made in %s", g.name, g.vertices, g.simple, span(time.Since(began))))
	}
	limited, stop := context.WithTimeout(ctx, left)
	defer stop()
	c := &course{bench: b, part: p, g: g, ctx: limited, outer: ctx, began: time.Now(), limit: left}
	defer func() { b.spent[p.name] += time.Since(c.began) }()
	err := p.run(c)
	if errors.Is(err, errSkip) {
		err = nil
	}
	return errors.Join(err, b.out.err)
}

// left is what there is of the part's budget for this graph.
func (c *course) left() time.Duration { return c.limit - time.Since(c.began) }

// skip turns the error of a part that ran out of its budget, or that the device leaves to the CPU, into a line. Others it returns.
func (c *course) skip(what string, err error) error {
	if c.outer.Err() != nil {
		return c.outer.Err()
	}
	name := fmt.Sprintf("%s on %s, %s", c.part.name, c.g.name, what)
	if errors.Is(err, cuda.ErrDeclined) {
		c.o.Say(fmt.Sprintf("skipped: %s: %v", name, err))
		return nil
	}
	if c.ctx.Err() != nil {
		c.o.Say(fmt.Sprintf("stopped: %s, since its share of the part's budget of %v is spent", name, c.o.Budget))
		return errSkip
	}
	return fmt.Errorf("%s: %w", name, err)
}
