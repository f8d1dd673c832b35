//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/workgroup"
)

// BFS searches breadth first. Parents are any neighbour one level nearer.
func (d *Device) BFS(ctx context.Context, s *csr.Snapshot, r *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error) {
	if err := checkSources(s, r); err != nil {
		return nil, err
	}
	open := openVertices(s, r, max(1, env.Workers))
	out := new(pattern.Levels)
	err := d.run(ctx, func(t *task) error {
		b, err := newSearch(t, ctx, s, r, env, open)
		if err != nil {
			return err
		}
		if err := b.begin(); err != nil {
			return err
		}
		if err := b.run(); err != nil {
			return err
		}
		return b.result(out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func checkSources(s *csr.Snapshot, r *pattern.Traversal) error {
	for _, v := range r.Sources {
		if uint64(v) >= s.N() {
			return fmt.Errorf("breadth-first search from vertex %d of %d", v, s.N())
		}
	}
	return nil
}

// openVertices is the bitmap of the vertices that may be entered; nil: all.
func openVertices(s *csr.Snapshot, r *pattern.Traversal, workers int) []uint64 {
	if r.Blocked == nil {
		if r.Within == nil {
			return nil
		}
		return r.Within.Bits()
	}
	open := make([]uint64, (s.N()+63)/64)
	inParallel(len(open), workers, func(lo, hi int) {
		for v := csr.VertexID(lo) << 6; uint64(v) < min(s.N(), uint64(hi)<<6); v++ {
			if (r.Within == nil || r.Within.Has(v)) && !r.Blocked(v) {
				open[v>>6] |= 1 << (v & 63)
			}
		}
	})
	return open
}

// inParallel runs f over [0, n) in as many parts as there are workers.
func inParallel(n, workers int, f func(lo, hi int)) {
	var all workgroup.Group
	for i := range workers {
		lo, hi := n*i/workers, n*(i+1)/workers
		if lo < hi {
			all.Go(func() { f(lo, hi) })
		}
	}
	all.Wait()
}

// bfsLevel is Level in bfs.cuh.
type bfsLevel struct {
	edges, unseen, alive  uint64
	level, size           uint32
	few, some, many       uint32
	queue, bitmap         uint32
	pulled, last, waiting uint32
	vertex, source        uint32
}

const levelWords = int(unsafe.Sizeof(bfsLevel{}) / 8)

// Bits of how, as in bfs.cuh.
const (
	mayPull = 1 << iota
	mustPull
	earlyStop
	goesAlone
)

// Techniques by their place in tally, as in bfs.cuh.
var bfsTally = [8]pattern.Technique{pattern.GPUNarrow, pattern.GPUHubs, pattern.GPUBlocks, pattern.BFSPrivate, pattern.BFSEarly,
	pattern.BFSSwitch, pattern.BFSEdges, pattern.GPUTogether}

const (
	togetherBlock = 1024    // one on each multiprocessor: fewer blocks wait for each other
	togetherSlots = 4       // OWN_SLOTS in bfs_together.cu
	bfsSlots      = 128     // levels before those on the device are used again
	mostAhead     = 16      // slots of the launches between two looks
	wholeRow      = 1 << 26 // edges of a row that one warp may be given: 32 such rows have fewer than 2^32
	privateRoom   = 2048    // PRIVATE in bfs.cuh
	pullFrom      = 1 << 20 // edges that a push goes along in the time that the launches of a pull take
	rowDegree     = 128     // edges of a vertex that are a block's share
)

// bfsLimits are the sizes at which a search changes its ways.
type bfsLimits struct {
	row   uint64 // a block takes a vertex of so many edges
	room  int    // a block keeps at most so many vertices of a frontier to itself
	block int    // lanes of a block that waits for others
	pull  uint64 // a frontier of up to so many edges is pushed
}

var defaultBFSLimits = bfsLimits{rowDegree, privateRoom, togetherBlock, pullFrom}

// bfsRoom is what a search needs by vertex. It stays on the device with the graph.
type bfsRoom struct {
	vertices, words  int
	results          buffer // depths, and then parents
	queues, hubLists buffer // two each
	cleared          buffer // tally, levels, three bitmaps, and a gate of the grid
	packed           buffer // depths in a byte each
}

const bytesOfSlots = 8*8 + 8*int64(levelWords)*(bfsSlots+1)

// roomFor returns the room for a search, which is its own until it ends.
func roomFor(t *task, s *csr.Snapshot) (*bfsRoom, error) {
	return keep(t, s, "breadth-first search", func(up *task) (*bfsRoom, error) {
		n := int64(s.N())
		r := &bfsRoom{vertices: int(n), words: int(n+31) / 32}
		var err error
		for _, b := range []struct {
			at    *buffer
			bytes int64
		}{{&r.results, 8 * n}, {&r.queues, 8 * n}, {&r.hubLists, 8 * n}, {&r.packed, n + 3}, {&r.cleared, bytesOfSlots + 12*int64(r.words) + 4}} {
			if *b.at, err = up.alloc(b.bytes); err != nil {
				return nil, err
			}
		}
		return r, nil
	})
}

// search is a breadth-first search at work.
type search struct {
	*task
	*bfsRoom
	ctx            context.Context
	request        *pattern.Traversal
	env            *pattern.Env
	s              *csr.Snapshot
	graph, reverse *adjacent
	open           buffer
	source         buffer                // of each edge, for edge-centric levels
	looked         func(b *search) error // nil, or told of every look
	masks          buffer                // of several searches at once (bfs_many.go)
	how, most      uint32
	room           int      // of a block's own frontier
	row, hub       uint64   // edges that make a vertex a block's, or the grid's
	slot           int      // of the level that is next
	looks          int      // that the host has taken, or is to take: a search that goes on for long is worth more launches at a time
	pullWords      int      // of a bitmap, that have vertices to be pulled
	level, deepest bfsLevel // the one that is next; the last one that had vertices
}

func newSearch(t *task, ctx context.Context, s *csr.Snapshot, r *pattern.Traversal, env *pattern.Env, open []uint64) (*search, error) {
	b := &search{task: t, ctx: ctx, request: r, env: env, s: s, most: ^uint32(0) - 1}
	if r.MaxDepth >= 0 {
		b.most = uint32(min(r.MaxDepth, int(b.most)))
	}
	b.choose()
	var err error
	if b.graph, err = adjacencyOf(t, s, r.Types, r.Direction); err != nil {
		return nil, err
	}
	if b.request.Direction == csr.Both {
		b.wayBackIs(b.graph)
	}
	if b.bfsRoom, err = roomFor(t, s); err != nil {
		return nil, err
	}
	if open != nil {
		if b.open, err = upload(t, open); err != nil {
			return nil, err
		}
	}
	if r.Variant == pattern.EdgeCentric {
		if b.source, err = sourcesOf(t, s, r.Types, r.Direction, b.graph); err != nil {
			return nil, err
		}
	}
	return b, fill(b.cleared, bytesOfSlots/4+3*int64(b.words)+1, 0)
}

// choose settles which techniques are used.
func (b *search) choose() {
	switch b.request.Variant {
	case pattern.Pull:
		b.how = mayPull | mustPull
	case pattern.Auto, pattern.Switching:
		if b.env.Uses(pattern.BFSSwitch) {
			b.how = mayPull
		}
	}
	if b.env.Uses(pattern.BFSEarly) {
		b.how |= earlyStop
	}
	if b.env.Uses(pattern.GPUNarrow) {
		b.how |= goesAlone
	}
	if b.env.Uses(pattern.BFSPrivate) {
		b.room = b.d.bfs.room
	}
	b.hub = wholeRow
	if b.env.Uses(pattern.GPUHubs) {
		b.hub = b.d.hubDegree
	}
	b.row = b.hub
	if b.env.Uses(pattern.GPUBlocks) {
		b.row = min(b.hub, b.d.bfs.row)
	}
}

// begin makes the sources the first frontier.
func (b *search) begin() error {
	n := int64(b.vertices)
	if err := fill(b.results, 2*n, ^uint32(0)); err != nil {
		return err
	}
	var list buffer
	var one uint64
	switch len(b.request.Sources) {
	case 0:
	case 1:
		one = uint64(b.request.Sources[0])
	default:
		var err error
		if list, err = upload(b.task, b.request.Sources); err != nil {
			return err
		}
	}
	count := len(b.request.Sources)
	return b.d.launch("bfs_begin", b.d.grid(count, 256), 256, 0, b.args(list.arg(), one, uint64(count), uint64(b.graph.edges))...)
}

// args are SEARCH in bfs.cuh, and more.
func (b *search) args(more ...uint64) []uint64 {
	var back adjacent
	if b.reverse != nil {
		back = *b.reverse
	}
	n := uint64(b.vertices)
	tally := b.cleared.arg()
	levels := tally + 8*8
	return append([]uint64{b.graph.offsets.arg(), b.graph.targets.arg(), back.offsets.arg(), back.targets.arg(), b.open.arg(),
		tally + uint64(bytesOfSlots), b.results.arg(), b.results.arg() + 4*n, b.queues.arg(), b.hubLists.arg(), levels, tally, b.d.stop.arg(),
		n, uint64(b.pullWords), uint64(b.most), uint64(b.how), uint64(b.room), b.row, b.hub, max(n>>6, b.d.bfs.pull)}, more...)
}

// run launches levels ahead of what is known of them, and looks only now and then how far the search has come.
func (b *search) run() error {
	for {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		from := b.slot
		if err := b.ahead(); err != nil {
			return err
		}
		if err := b.look(from); err != nil {
			return err
		}
		if b.looked != nil {
			if err := b.looked(b); err != nil {
				return err
			}
		}
		if b.level.size == 0 || b.level.level >= b.most {
			return nil
		}
		if b.level.waiting != 0 {
			if err := b.wayBack(); err != nil {
				return err
			}
		}
	}
}

// ahead launches the next levels: one block's, and then some of the whole grid, a few times. Which of them do anything they find
// out by themselves.
func (b *search) ahead() error {
	rounds := []int{1}
	if b.together() {
		if rounds = []int{0}; b.how&mayPull != 0 {
			rounds = []int{2, 0} // mostly two levels are pulled, and pushes are before and behind
		}
	} else if b.env.Uses(pattern.GPULevels) {
		rounds = []int{4, 2, 4, 2}[:2*min(2, 1+b.looks)]
	}
	b.looks++
	for _, levels := range rounds {
		if err := b.launchLevels(levels); err != nil {
			return err
		}
	}
	return nil
}

func (b *search) launchLevels(levels int) error {
	if b.masks.at != 0 {
		return b.launchMany(levels)
	}
	edgeCentric := b.request.Variant == pattern.EdgeCentric
	if b.together() {
		slot := b.slot
		b.slot += togetherSlots
		gate := b.cleared.arg() + uint64(bytesOfSlots) + 12*uint64(b.words)
		if err := launchTogether(b.d, "bfs_together", b.d.bfs.block, b.args(uint64(slot), gate)...); err != nil || b.how&mayPull == 0 {
			return err
		}
	} else if b.env.Uses(pattern.GPUNarrow) && !edgeCentric && b.request.Variant != pattern.Pull {
		if err := b.d.launch("bfs_narrow", 1, 1024, 0, b.args(b.next())...); err != nil {
			return err
		}
	}
	for range levels {
		var err error
		if edgeCentric {
			edges := uint64(b.graph.edges)
			err = b.d.launch("bfs_edges", b.d.grid(int(edges), 256), 256, 0, b.args(b.source.arg(), edges, b.next())...)
		} else {
			err = b.d.launch("bfs_level", b.blocks(), 256, 0, b.args(b.next())...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// together tells whether one launch does the levels that are pushed, whose blocks wait for each other.
func (b *search) together() bool {
	return b.env.Uses(pattern.GPUTogether) && b.masks.at == 0 && b.how&mustPull == 0 && b.request.Variant != pattern.EdgeCentric
}

// blocks is how many do a level: no more than run at once, for those behind them would start when they should end.
func (b *search) blocks() int { return min(b.d.grid(b.vertices, 256), 4*b.d.info.Multiprocessor) }

// next is the slot of the next launch.
func (b *search) next() uint64 {
	b.slot++
	return uint64(b.slot - 1)
}

// look reads how far the search has come since a slot.
func (b *search) look(from int) error {
	words := make([]uint64, 8+levelWords*(b.slot+1))
	if err := download(b.cleared, words); err != nil {
		return err
	}
	slots := unsafe.Slice((*bfsLevel)(unsafe.Pointer(&words[8])), b.slot+1)
	for _, l := range slots[from:] {
		if l.size > 0 {
			b.deepest = l
		}
	}
	before := b.level.level
	if b.level = slots[b.slot]; b.level.level > before+1 && b.env.Uses(pattern.GPULevels) && !b.together() {
		b.env.Took(pattern.GPULevels, uint64(b.level.level-before-1))
	}
	ended := b.level.size == 0 || b.level.level >= b.most
	if !ended && b.slot < bfsSlots-mostAhead {
		return nil
	}
	for i, uses := range words[:8] {
		if m := bfsTally[i]; m != 0 && b.env.Uses(m) && (m != pattern.BFSSwitch || b.how&mustPull == 0) {
			b.env.Took(m, uses)
		}
	}
	if ended {
		return nil
	}
	last := unsafe.Slice((*uint32)(unsafe.Pointer(&words[8+levelWords*b.slot])), 2*levelWords)
	b.slot = 0
	if err := fill(b.cleared, bytesOfSlots/4, 0); err != nil {
		return err
	}
	return uploadTo(buffer{b.cleared.at + 8*8, int64(8 * levelWords)}, last)
}

// wayBack gets the edges to pull along, or gives pulling up if there is no room for them.
func (b *search) wayBack() error {
	back, err := adjacencyOf(b.task, b.s, b.request.Types, b.request.Direction.Reverse())
	if errors.Is(err, errNoRoom) && b.how&mustPull == 0 {
		b.how &^= mayPull
		return nil
	}
	if err == nil {
		b.wayBackIs(back)
	}
	return err
}

// wayBackIs takes the edges to pull along. Vertices without any are mostly the last: no pull looks at those.
func (b *search) wayBackIs(g *adjacent) {
	b.reverse = g
	b.pullWords = int(b.s.Adjacency(b.request.Types, b.request.Direction.Reverse()).Span().Hi+31) / 32
}

// sourcesOf returns for every edge where it comes from.
func sourcesOf(t *task, s *csr.Snapshot, types csr.TypeSet, dir csr.Direction, g *adjacent) (buffer, error) {
	return keep(t, s, "sources "+dir.String()+" "+typesName(types), func(up *task) (buffer, error) {
		list, err := up.alloc(4 * g.edges)
		if err != nil {
			return list, err
		}
		return list, t.d.launch("bfs_sources", t.d.grid(g.vertices, 8), 256, 0, g.offsets.arg(), uint64(g.vertices), list.arg())
	})
}
