package bfs

import (
	"context"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Up to 64 breadth-first searches in one pass (Then et al. 2014): bit i of a vertex's mask says that source i has
// reached it.
//
// Input: as for Search. What makes it fast: searches that meet at a vertex in the same level go on from it as one and read
// its row once. A level with many edges is pulled. A pull stops reading a row when the vertex has all searches that it can get.

// MaxSources is how many searches a mask holds.
const MaxSources = 64

// Many runs one search from each of t.Sources, at most 64. It calls visit once for each vertex and each depth at which
// searches reach the vertex; bit i of sources stands for t.Sources[i]. Depths rise, so the first call for a vertex names its
// nearest sources. Calls do not overlap. visit returns false to stop. t.Variant may force Push or Pull.
func Many(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env,
	visit func(depth int32, v csr.VertexID, sources uint64) (more bool, err error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(t.Sources) > MaxSources {
		return fmt.Errorf("%d sources in one pass of at most %d", len(t.Sources), MaxSources)
	}
	if err := checkSources(s, t); err != nil {
		return err
	}
	scratch := (3*8 + 2*4) * int64(s.N()) // three masks and places in two queues for every vertex
	defer func() { env.Memory.Release(scratch) }()
	if err := env.Memory.Charge(scratch); err != nil {
		return err
	}
	m, err := newMasks(ctx, s, t, env)
	if err != nil {
		return err
	}
	if env.Tally != nil {
		env.Tally.Units.Add(uint64(len(t.Sources)))
		defer env.Tally.UnitsDone.Add(uint64(len(t.Sources)))
	}
	err = m.run(visit)
	m.report()
	if len(t.Sources) > 1 {
		env.Took(pattern.BFSMask, uint64(len(t.Sources)))
	}
	if err == parallel.ErrStop {
		return nil
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// Depths returns the depth of every vertex from each source, 64 sources a pass. depths[i][v] is -1 if source i does not
// reach v. The result stays charged to env.Memory: the caller releases it.
func Depths(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (depths [][]int32, err error) {
	size := 4 * int64(s.N()) * int64(len(t.Sources))
	if err = env.Memory.Charge(size); err == nil {
		depths, err = depthsOf(ctx, s, t, env)
	}
	if err != nil {
		env.Memory.Release(size)
		return nil, err
	}
	return depths, nil
}

func depthsOf(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) ([][]int32, error) {
	depths := make([][]int32, len(t.Sources))
	for i := range depths {
		depths[i] = hugepages.Make[int32](s.N())
		fillWith(depths[i], -1)
	}
	together := 1
	if env.Uses(pattern.BFSMask) {
		together = MaxSources
	}
	for first := 0; first < len(t.Sources); first += together {
		pass := *t
		pass.Sources = t.Sources[first:min(first+together, len(t.Sources))]
		err := Many(ctx, s, &pass, env, func(depth int32, v csr.VertexID, sources uint64) (bool, error) {
			for ; sources != 0; sources &= sources - 1 {
				depths[first+bits.TrailingZeros64(sources)][v] = depth
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return depths, nil
}

// TraceBack returns a shortest path from a vertex of depth 0 to v, both included. It needs only depths: it steps back from level to
// level. It returns nil if v has no depth.
func TraceBack(s *csr.Snapshot, t *pattern.Traversal, depth []int32, v csr.VertexID) []csr.VertexID {
	if depth[v] < 0 {
		return nil
	}
	back := s.Adjacency(t.Types, t.Direction.Reverse())
	path := make([]csr.VertexID, depth[v]+1)
	for at := depth[v]; at > 0; at-- {
		path[at] = v
		for _, u := range back.Neighbours(v) {
			if depth[u] == at-1 {
				v = u
				break
			}
		}
	}
	path[0] = v
	return path
}

// masks is one pass.
type masks struct {
	*traversal         // its queue, workers and dealing; its bitmaps and levels are not used
	all         uint64 // the bits of the sources
	visits      []uint64
	front, next []uint64 // by vertex: the searches that are there in this level, and in the next
	active      []csr.VertexID
}

func newMasks(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*masks, error) {
	n := int(s.N())
	b := newCrew(ctx, s, t, env)
	var err error
	if b.forward, err = s.View(ctx, t.Types, t.Direction); err != nil {
		return nil, err
	}
	b.queue = hugepages.Make[csr.VertexID](n)
	if t.Variant != pattern.Push && t.Variant != pattern.Pull {
		b.variant = chooseVariant(b.forward.Len())
	}
	m := &masks{traversal: b, visits: hugepages.Make[uint64](n), front: hugepages.Make[uint64](n), next: hugepages.Make[uint64](n)}
	if t.Within != nil {
		for v := range csr.VertexID(n) {
			if !t.Within.Has(v) {
				m.visits[v] = ^uint64(0)
			}
		}
	}
	if k := len(t.Sources); k > 0 {
		m.all = ^uint64(0) >> (MaxSources - k)
	}
	return m, nil
}

func (m *masks) run(visit func(int32, csr.VertexID, uint64) (bool, error)) error {
	defer context.AfterFunc(m.ctx, func() { m.stop.Store(true) })()
	m.alone = true
	for i, v := range m.Sources {
		if m.Within == nil || m.Within.Has(v) {
			m.arrive(&m.crew[0], v, 1<<i)
		}
	}
	for {
		if err := m.settle(visit); err != nil {
			return err
		}
		if len(m.active) == 0 || m.stop.Load() || m.MaxDepth >= 0 && int(m.level) >= m.MaxDepth {
			return nil
		}
		m.level++
		before := m.pullMode
		if m.pullMode = m.choosePull(); m.pullMode != before && m.variant == pattern.Switching {
			m.switches++
		}
		if m.pullMode {
			m.pull()
		} else {
			m.push()
		}
	}
}

// choosePull compares the frontier's edges with all edges. Searches that start apart leave few vertices that none or all of
// them have visited.
func (m *masks) choosePull() bool {
	if m.variant != pattern.Switching {
		return m.variant == pattern.Pull
	}
	if !m.env.Uses(pattern.BFSSwitch) {
		return false
	}
	return shouldPull(m.frontEdges, m.forward.Len(), m.n>>6)
}

// arrive notes that the searches in fresh reach v in the next level. None of them has visited v.
func (m *masks) arrive(w *worker, v csr.VertexID, fresh uint64) {
	before := atomic.LoadUint64(&m.next[v])
	if before|fresh == before {
		return
	}
	if m.alone {
		m.next[v] |= fresh
	} else {
		before = atomic.OrUint64(&m.next[v], fresh)
	}
	if before != 0 {
		return // queued already
	}
	if w.own == nil {
		w.own = make([]csr.VertexID, 0, min(m.room, m.n))
	}
	if w.own = append(w.own, v); len(w.own) == cap(w.own) {
		w.overflows++
		m.flush(w)
	}
}

// settle ends a level: it marks the arrivals as visited, calls visit with them, and makes them the frontier.
func (m *masks) settle(visit func(int32, csr.VertexID, uint64) (bool, error)) error {
	for i := range m.crew {
		m.flush(&m.crew[i])
	}
	for _, v := range m.active {
		m.front[v] = 0
	}
	m.front, m.next = m.next, m.front
	found := m.queue[:m.tail.Load()]
	m.tail.Store(0)
	m.active, m.frontEdges = m.active[:0], 0
	for i, v := range found {
		if i%1024 == 0 && m.stop.Load() {
			return nil
		}
		if m.visits[v] == 0 && m.refuses(v) {
			m.visits[v], m.front[v] = ^uint64(0), 0
			continue
		}
		m.visits[v] |= m.front[v]
		m.active = append(m.active, v)
		m.frontEdges += uint64(m.forward.Degree(v))
		if more, err := visit(m.level, v, m.front[v]); err != nil {
			return err
		} else if !more {
			return parallel.ErrStop
		}
	}
	return nil
}

func (m *masks) push() {
	m.deal(m.frontEdges, len(m.active), frontChunk, func(w *worker, lo, hi int) {
		for _, v := range m.active[lo:hi] {
			if m.stop.Load() {
				return
			}
			here := m.front[v]
			for _, x := range m.forward.Neighbours(v) {
				if fresh := here &^ m.visits[x]; fresh != 0 {
					m.arrive(w, x, fresh)
				}
			}
		}
	})
}

// pull gathers for every vertex the searches at its neighbours. A vertex has one writer, so arrive only has to queue it.
func (m *masks) pull() {
	back := m.backward()
	if back == nil {
		return
	}
	first, last := wordsOf(back)
	lo, n := first<<6, min(last<<6, m.n)-first<<6
	m.deal(uint64(n), n, wordChunk<<6, func(w *worker, from, to int) {
		for v := csr.VertexID(lo + from); v < csr.VertexID(lo+to) && !m.stop.Load(); v++ {
			missing := m.all &^ m.visits[v]
			if missing == 0 {
				continue
			}
			got := uint64(0)
			for _, u := range back.Neighbours(v) {
				if got |= m.front[u]; got&missing == missing && m.early {
					w.earlyStops++
					break
				}
			}
			if got &= missing; got != 0 {
				m.arrive(w, v, got)
			}
		}
	})
}
