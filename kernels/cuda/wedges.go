//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// wedgeLimits are the sizes at which the count of ordered wedges changes its ways.
type wedgeLimits struct {
	room  int     // counters of a block in shared memory, at most
	few   uint64  // a warp has a top of fewer wedges; a power of two up to wedgesFew
	slack float64 // vertices keep their numbers if those give so many times as many wedges as degrees
}

var defaultWedgeLimits = wedgeLimits{1 << 20, wedgesFew, 1.25}

const (
	wedgesFew   = 256  // FEW in wedges.cu
	wedgeStatic = 1024 // bytes of shared memory that wedge_tops and the driver take besides
)

// cycle finds the total of a cycle of four: twice the pairs of different wedges of one end, and every wedge with itself.
func (h *homs) cycle(c *hom.Cycle, out *homOut) error {
	w := &wedges{homs: h}
	if err := w.rank(&h.p.Rows[c.Rows]); err != nil {
		return err
	}
	pairs, err := w.pairs()
	if err != nil {
		return err
	}
	total, err := pairs.Mul(2)
	var back pattern.Count128
	if err == nil && h.part.at == 0 {
		if back, err = w.back(); err != nil {
			return err
		}
		total, err = total.Add(w.all)
	}
	if err == nil {
		total, err = total.Mul(c.Strict)
	}
	if err == nil {
		back, err = back.Mul(c.Tied)
	}
	if err == nil {
		out.sum, err = total.Add(back)
	}
	h.env.Took(pattern.OrderedWedges, 1)
	return err
}

// wedges are those of a view whose vertices are numbered by falling degree, or nearly so.
type wedges struct {
	*homs
	view *adjacent
	load buffer           // by top
	all  pattern.Count128 // of all tops
}

// rank takes the view with its own numbers if they rank the vertices well, and else renumbers it.
func (w *wedges) rank(r *hom.Rows) (err error) {
	f := &r.Factors[0]
	if w.view, err = adjacencyOf(w.task, w.s, f.Types, f.Direction); err != nil {
		return err
	}
	if err := w.loads(); err != nil {
		return err
	}
	least, _ := f.View.RankedWork()
	if float64(w.all.Lo) <= w.d.wedges.slack*least {
		return nil
	}
	own := w.view
	w.view, err = keep(w.task, w.s, "by rank "+typesName(f.Types), func(up *task) (*adjacent, error) { return byRank(up, w.ctx, own) })
	if err != nil {
		return err
	}
	return w.loads()
}

// loads finds the wedges of every top.
func (w *wedges) loads() (err error) {
	n := w.view.vertices
	if w.load, err = w.zeros(2 * int64(n)); err != nil {
		return err
	}
	err = w.d.launch("wedge_loads", int((w.view.edges+8*viewPart-1)/(8*viewPart)), 256, 0, w.view.offsets.arg(), uint64(n), w.view.targets.arg(), w.load.arg())
	if err != nil {
		return err
	}
	w.all, err = w.sum(w.load, buffer{}, n)
	return err
}

// back returns the sum, over all tops, of the square of the wedges that lead back to them: of the neighbours behind them.
func (w *wedges) back() (sum pattern.Count128, err error) {
	n := w.view.vertices
	behind, err := w.alloc(8 * int64(n))
	if err != nil {
		return sum, err
	}
	if err := w.d.launch("wedge_behind", w.d.grid(n, 256), 256, 0, w.view.offsets.arg(), uint64(n), w.view.targets.arg(), behind.arg()); err != nil {
		return sum, err
	}
	return w.homs.sum(behind, behind, n)
}

// pairs counts the pairs of different wedges from one top of the device's part to one end.
func (w *wedges) pairs() (total pattern.Count128, err error) {
	order, counts, err := w.classesOf(w.load, w.view.vertices)
	if err != nil {
		return total, err
	}
	var sizes [loadClasses]uint32
	if err := download(counts, sizes[:]); err != nil {
		return total, err
	}
	atLeast := func(power int) (n int) { // tops of at least so many wedges
		for class := 0; class <= 63-power; class++ {
			n += int(sizes[class])
		}
		return n
	}
	few := 0
	for 1<<few < w.d.wedges.few {
		few++
	}
	many, some := atLeast(few), atLeast(1) // a wedge alone makes no pair
	sums, err := w.zeros(4)
	if err != nil {
		return total, err
	}
	if t := w.env.Tally; t != nil {
		t.Units.Add(uint64(some))
	}
	if err := w.launchMany(order, many, sums); err != nil {
		return total, err
	}
	if err := w.launchFew(order, many, some, sums); err != nil {
		return total, err
	}
	if t := w.env.Tally; t != nil {
		t.UnitsDone.Add(uint64(some - many))
	}
	var words [2]uint64
	err = download(sums, words[:])
	return pattern.Count128{Lo: words[0], Hi: words[1]}, err
}

// launchMany counts at the first tops of an order, a block each, in so many launches that progress shows.
func (w *wedges) launchMany(order buffer, many int, sums buffer) error {
	n := w.view.vertices
	if many == 0 {
		return nil
	}
	blocks := min(int64(many), int64(w.d.info.Multiprocessor), w.d.memory.limit/4/int64(4*n))
	if blocks == 0 {
		return errNoRoom
	}
	far, err := w.zeros(blocks * int64(n))
	if err != nil {
		return err
	}
	next, err := w.zeros(1)
	if err != nil {
		return err
	}
	room := max(0, min(w.d.wedges.room, n, (w.d.sharedMost-wedgeStatic)/4))
	parts := min(uint64(many), 1+w.all.Lo/homLoad)
	for k := range parts {
		if err := fill(next, 1, 0); err != nil {
			return err
		}
		err := w.d.launch("wedge_tops", int(blocks), 1024, 4*room, w.view.offsets.arg(), uint64(n), w.view.targets.arg(), order.arg(), k, uint64(many), parts,
			next.arg(), w.d.stop.arg(), uint64(room), far.arg(), sums.arg())
		if err != nil {
			return err
		}
		if err := w.fits(); err != nil {
			return err
		}
		if t := w.env.Tally; t != nil {
			t.UnitsDone.Add(uint64(many)*(k+1)/parts - uint64(many)*k/parts)
		}
	}
	w.env.Took(pattern.HomParts, parts-1)
	return nil
}

// launchFew counts at further tops of the order, a warp each.
func (w *wedges) launchFew(order buffer, from, to int, sums buffer) error {
	if from == to {
		return nil
	}
	next, err := w.zeros(1)
	if err != nil {
		return err
	}
	err = w.d.launch("wedge_few", min((to-from+7)/8, 6*w.d.info.Multiprocessor), 256, 0, w.view.offsets.arg(), w.view.targets.arg(), order.arg(), w.load.arg(),
		uint64(from), uint64(to), next.arg(), w.d.stop.arg(), sums.arg())
	if err != nil {
		return err
	}
	w.env.Took(pattern.GPUWarp, uint64(to-from))
	return w.fits()
}

// byRank numbers the vertices of a simple undirected view by falling degree. Its entries are sorted by the ranks of their targets, and then by
// those of their vertices.
func byRank(up *task, ctx context.Context, a *adjacent) (*adjacent, error) {
	t := &task{d: up.d} // of what does not stay
	defer t.end()
	n := int64(a.vertices)
	vertex, rank, err := t.ranks(ctx, a)
	if err != nil {
		return nil, err
	}
	source, err := t.alloc(4 * a.edges)
	if err != nil {
		return nil, err
	}
	if err := t.d.launch("bfs_sources", t.d.grid(a.vertices, 8), 256, 0, a.offsets.arg(), uint64(n), source.arg()); err != nil {
		return nil, err
	}
	keys, err := t.alloc(4 * a.edges)
	if err != nil {
		return nil, err
	}
	grid := t.d.grid(int(a.edges), 1024)
	if err := t.d.launch("wedge_targets", grid, 256, 0, a.targets.arg(), uint64(a.edges), rank.arg(), keys.arg()); err != nil {
		return nil, err
	}
	targets, order, err := t.sortPairs(ctx, keys, buffer{}, a.edges, uint32(n))
	if err != nil {
		return nil, err
	}
	if keys, err = t.alloc(4 * a.edges); err != nil {
		return nil, err
	}
	size, err := t.alloc(4 * n)
	if err != nil {
		return nil, err
	}
	err = t.d.launch("wedge_rows", max(grid, t.d.grid(a.vertices, 1024)), 256, 0, a.offsets.arg(), uint64(n), order.arg(), uint64(a.edges), source.arg(), vertex.arg(), rank.arg(), keys.arg(),
		size.arg())
	if err != nil {
		return nil, err
	}
	if _, targets, err = t.sortPairs(ctx, keys, targets, a.edges, uint32(n)); err != nil {
		return nil, err
	}
	g := &adjacent{vertices: a.vertices, edges: a.edges, targets: targets}
	t.give(targets, up)
	if g.offsets, err = up.alloc(8 * (n + 1)); err != nil {
		return nil, err
	}
	scan, err := newScan(t, n)
	if err != nil {
		return nil, err
	}
	return g, scan.sum(size, n, false, g.offsets, buffer{})
}

// ranks lists all vertices by falling degree, and their ranks.
func (t *task) ranks(ctx context.Context, a *adjacent) (vertex, rank buffer, err error) {
	n, grid := uint64(a.vertices), t.d.grid(a.vertices, 256)
	keys, err := t.alloc(4 * int64(n))
	if err != nil {
		return vertex, rank, err
	}
	if rank, err = t.alloc(4 * int64(n)); err != nil {
		return vertex, rank, err
	}
	if err := t.d.launch("orient_degrees", grid, 256, 0, a.offsets.arg(), n, n, keys.arg()); err != nil { // no vertex has more than n neighbours
		return vertex, rank, err
	}
	if _, vertex, err = t.sortPairs(ctx, keys, buffer{}, int64(n), uint32(n)); err != nil {
		return vertex, rank, err
	}
	return vertex, rank, t.d.launch("orient_ranks", grid, 256, 0, vertex.arg(), n, rank.arg())
}
