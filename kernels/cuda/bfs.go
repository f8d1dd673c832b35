//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"fmt"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

const (
	unseen  = ^uint32(0)     // the depth of a vertex not yet reached
	blocked = ^uint32(0) - 1 // that of one that must not be entered
	narrow  = 1024           // the largest frontier that one block takes (NARROW in bfs.cu)
)

// BFS searches breadth first. Parents are any neighbour one level nearer.
func (d *Device) BFS(ctx context.Context, s *csr.Snapshot, r *pattern.Traversal, env *pattern.Env) (levels *pattern.Levels, err error) {
	err = d.run(ctx, func(t *task) error {
		b, err := newSearch(t, ctx, s, r, env)
		if err != nil {
			return err
		}
		if err := b.run(); err != nil {
			return err
		}
		levels, err = b.result()
		return err
	})
	return levels, err
}

// search is a breadth-first search at work.
type search struct {
	*task
	ctx            context.Context
	request        *pattern.Traversal
	env            *pattern.Env
	s              *csr.Snapshot
	graph, reverse *adjacent
	depth, parent  buffer
	front, next    buffer // queues
	counts         buffer // of next, of hubs; of edges from next, in 8 bytes; what bfs_narrow found
	hubs           buffer
	source         buffer // of each edge, for edge-centric levels
	level          uint32
	most           uint32 // levels
	size           int    // of the frontier
	frontEdges     uint64
	unseenEdges    uint64
	pulling        bool
}

func newSearch(t *task, ctx context.Context, s *csr.Snapshot, r *pattern.Traversal, env *pattern.Env) (*search, error) {
	b := &search{task: t, ctx: ctx, request: r, env: env, s: s, most: blocked - 1}
	if r.MaxDepth >= 0 {
		b.most = uint32(min(r.MaxDepth, int(blocked-1)))
	}
	var err error
	if b.graph, err = adjacencyOf(t, s, r.Types, r.Direction); err != nil {
		return nil, err
	}
	n := int64(b.graph.vertices)
	front, err := b.begin()
	if err != nil {
		return nil, err
	}
	for _, q := range []*buffer{&b.front, &b.next, &b.hubs} {
		if *q, err = t.alloc(4 * n); err != nil {
			return nil, err
		}
	}
	if b.parent, err = t.filled(n, uint32(csr.NoVertex)); err != nil {
		return nil, err
	}
	if b.counts, err = t.zeros(8); err != nil {
		return nil, err
	}
	return b, uploadTo(b.front, front)
}

// begin sets the depths that the search starts with and returns its frontier.
func (b *search) begin() (front []uint32, err error) {
	n := b.graph.vertices
	if b.depth, err = b.filled(int64(n), unseen); err != nil {
		return nil, err
	}
	barred := func(v csr.VertexID) bool {
		return b.request.Within != nil && !b.request.Within.Has(v) || b.request.Blocked != nil && b.request.Blocked(v)
	}
	if b.request.Within != nil || b.request.Blocked != nil {
		depth := make([]uint32, n)
		for v := range depth {
			if depth[v] = unseen; barred(csr.VertexID(v)) {
				depth[v] = blocked
			}
		}
		if err := uploadTo(b.depth, depth); err != nil {
			return nil, err
		}
	}
	a := b.s.Adjacency(b.request.Types, b.request.Direction)
	b.unseenEdges = uint64(b.graph.edges)
	begun := make(map[csr.VertexID]bool)
	for _, v := range b.request.Sources {
		if uint64(v) >= b.s.N() {
			return nil, fmt.Errorf("breadth-first search from vertex %d of %d", v, b.s.N())
		}
		if begun[v] || barred(v) {
			continue
		}
		begun[v] = true
		front = append(front, uint32(v))
		b.frontEdges += uint64(a.Degree(v))
	}
	b.size = len(front)
	for _, v := range front {
		if err := fill(buffer{b.depth.at + cu.DevicePtr(4*v), 4}, 1, 0); err != nil {
			return nil, err
		}
	}
	return front, nil
}

// run goes level by level. What is done next depends on how many vertices and edges the last level gave, so the host reads
// those after each.
func (b *search) run() error {
	for b.size > 0 && b.level < b.most {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case b.request.Variant == pattern.EdgeCentric:
			err = b.byEdges()
		case b.size <= narrow && b.frontEdges <= 1<<14 && b.env.Uses(pattern.GPUNarrow):
			err = b.narrow()
		case b.pull():
			err = b.pullLevel()
		default:
			err = b.pushLevel()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pull tells whether the level is better looked at from the vertices not yet reached: when their edges are few beside the
// frontier's, since each stops at the first that leads to it.
func (b *search) pull() bool {
	pull := false
	switch b.request.Variant {
	case pattern.Pull:
		pull = true
	case pattern.Auto, pattern.Switching:
		pull = b.frontEdges > b.unseenEdges/8 && b.env.Uses(pattern.BFSSwitch)
	}
	if pull != b.pulling {
		b.pulling = pull
		b.env.Took(pattern.BFSSwitch, 1)
	}
	return pull
}

func (b *search) pushLevel() error {
	if err := fill(b.counts, 4, 0); err != nil {
		return err
	}
	limit := b.d.hubDegree
	if !b.env.Uses(pattern.GPUHubs) {
		limit = 1 << 26 // so that 32 rows together have fewer than 2^32 entries
	}
	edges := b.counts.arg() + 8
	err := b.d.launch("bfs_push", b.d.grid(b.size, 256), 256, 0, b.graph.offsets.arg(), b.graph.targets.arg(), b.depth.arg(), b.parent.arg(),
		uint64(b.level), b.front.arg(), uint64(b.size), b.next.arg(), b.counts.arg(), b.hubs.arg(), limit, edges)
	if err != nil {
		return err
	}
	err = b.d.launch("bfs_hubs", 4*b.d.info.Multiprocessor, 256, 0, b.graph.offsets.arg(), b.graph.targets.arg(), b.depth.arg(), b.parent.arg(),
		uint64(b.level), b.hubs.arg(), b.next.arg(), b.counts.arg(), edges)
	if err != nil {
		return err
	}
	return b.advance()
}

func (b *search) pullLevel() error {
	if b.reverse == nil {
		var err error
		if b.reverse, err = adjacencyOf(b.task, b.s, b.request.Types, b.request.Direction.Reverse()); err != nil {
			return err
		}
	}
	if err := fill(b.counts, 4, 0); err != nil {
		return err
	}
	err := b.d.launch("bfs_pull", b.d.grid(b.graph.vertices, 256), 256, 0, b.reverse.offsets.arg(), b.reverse.targets.arg(), b.graph.offsets.arg(),
		b.depth.arg(), b.parent.arg(), uint64(b.graph.vertices), uint64(b.level), b.next.arg(), b.counts.arg(), b.counts.arg()+8)
	if err != nil {
		return err
	}
	return b.advance()
}

// advance reads what a level gave, and makes it the frontier.
func (b *search) advance() error {
	var c [4]uint32
	if err := download(b.counts, c[:]); err != nil {
		return err
	}
	b.env.Took(pattern.GPUHubs, uint64(c[1]))
	b.unseenEdges -= min(b.unseenEdges, b.frontEdges)
	b.size, b.frontEdges = int(c[0]), uint64(c[2])|uint64(c[3])<<32
	b.front, b.next = b.next, b.front
	b.level++
	return nil
}

// narrow does levels in one block until the frontier is too large for it.
func (b *search) narrow() error {
	err := b.d.launch("bfs_narrow", 1, 1024, 0, b.graph.offsets.arg(), b.graph.targets.arg(), b.depth.arg(), b.parent.arg(), uint64(b.level),
		uint64(b.most), b.front.arg(), uint64(b.size), b.counts.arg()+16)
	if err != nil {
		return err
	}
	var c [8]uint32
	if err := download(b.counts, c[:]); err != nil {
		return err
	}
	b.level, b.size = c[4], int(c[5])
	b.env.Took(pattern.GPUNarrow, uint64(c[6]))
	b.frontEdges = uint64(b.size) * uint64(b.graph.edges) / uint64(max(1, b.graph.vertices)) // a guess: nobody counted
	if b.size > narrow {
		b.frontEdges = max(b.frontEdges, 1<<14+1)
	}
	return nil
}

// byEdges tries all edges.
func (b *search) byEdges() error {
	if b.source.at == 0 {
		list := make([]uint32, 0, b.graph.edges)
		a := b.s.Adjacency(b.request.Types, b.request.Direction)
		for v := range b.graph.vertices {
			for range a.Degree(csr.VertexID(v)) {
				list = append(list, uint32(v))
			}
		}
		var err error
		if b.source, err = upload(b.task, list); err != nil {
			return err
		}
	}
	if err := fill(b.counts, 4, 0); err != nil {
		return err
	}
	err := b.d.launch("bfs_edges", b.d.grid(int(b.graph.edges), 256), 256, 0, b.source.arg(), b.graph.targets.arg(), uint64(b.graph.edges),
		b.depth.arg(), b.parent.arg(), uint64(b.level), b.counts.arg())
	if err != nil {
		return err
	}
	b.env.Took(pattern.BFSEdges, uint64(b.graph.edges))
	return b.advance()
}

func (b *search) result() (*pattern.Levels, error) {
	n := b.graph.vertices
	out := &pattern.Levels{Depth: make([]int32, n), Parent: make([]csr.VertexID, n)}
	if err := download(b.depth, out.Depth); err != nil {
		return nil, err
	}
	if err := download(b.parent, out.Parent); err != nil {
		return nil, err
	}
	for v, depth := range out.Depth {
		if depth < 0 {
			out.Depth[v] = -1
		}
	}
	return out, nil
}
