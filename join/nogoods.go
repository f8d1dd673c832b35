package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Nogoods. A failing set ends a loop whose other vertices would fail, too. But the same vertex of a step also comes up again later, below
// other vertices of steps that had no part in its failure. So a long search notes, for a step and its vertex, the last step among the
// reasons. While that step keeps its vertex, so do all before it, and the vertex fails again: the search leaves it out. (Arai, Fujiwara,
// Onizuka, "GuP: Fast subgraph matching by guard-based pruning", 2023, has such guards.)
//
// Reservations (reservations.go) are the other thing that a long search guards itself with.

var (
	guardsAfter  = uint64(1 << 15) // list elements from which a worker guards its search
	guardsShare  = uint64(64)      // list elements a match: a search that finds more matches than that needs no guards
	nogoodSlots  = 1 << 14
	nogoodsTrial = uint64(1 << 16) // look-ups after which nogoods that have spared less work are given up
)

// guards is what keeps a worker from failing again. A search that fails seldom has none.
type guards struct {
	w       *worker
	nogoods []nogood // by hash of step and vertex, many of which share a slot; nil: given up
	began   []uint64 // by step: the worker's work when its vertex was tried, + 1; 0: it was not
	lookups uint64
	spared  uint64 // list elements that failures took which nogoods have spared

	reservations
}

// nogood says that a step cannot take a vertex while an earlier step keeps its own.
type nogood struct {
	version uint64 // of step dep when the vertex failed
	reasons uint64 // why it failed
	cost    uint32 // list elements that it took to find out
	v       csr.VertexID
	k       int16
	dep     int16 // -1: the vertex never fits
}

// beginGuards begins to guard a search that has gone through some list elements and has found little. It does so only where failures have
// reasons. A count does not know what it has found, so it waits for longer.
func beginGuards(w *worker) {
	after := guardsAfter
	if !w.emit {
		after *= guardsShare
	}
	if w.hadGuards || !w.failingSets || w.work < after || w.progress.found.Load() > w.work/guardsShare {
		return
	}
	w.hadGuards = true
	g := &guards{w: w, began: make([]uint64, len(w.steps))}
	if w.env.Uses(pattern.Nogoods) && w.charge(32*nogoodSlots) {
		g.nogoods = make([]nogood, nogoodSlots)
	}
	if w.env.Uses(pattern.Reservations) {
		g.reservations.init(w)
	}
	w.guards = g
	w.guards.drop()
}

// drop ends guarding once nothing is left to guard with.
func (g *guards) drop() {
	if g.nogoods == nil && g.byStep == nil {
		g.w.guards = nil
	}
}

// slot returns where the nogood of step k and vertex v would stand.
func (g *guards) slot(k int, v csr.VertexID) *nogood {
	h := (uint32(v) + uint32(k)*0x9e3779b1) * 0x85ebca6b
	return &g.nogoods[int(h>>8)&(len(g.nogoods)-1)]
}

// forbid reports whether step k would fail again with v. The reasons are then in worker.failure.
func (g *guards) forbid(k int, v csr.VertexID) bool {
	w := g.w
	if g.nogoods == nil {
		return false
	}
	g.began[k] = w.work + 1
	if g.lookups++; g.lookups%nogoodsTrial == 0 {
		g.review()
		return false
	}
	n := g.slot(k, v)
	if n.v != v || int(n.k) != k || n.reasons == 0 || n.version != w.version(int(n.dep)) {
		return false
	}
	w.failure, g.began[k] = n.reasons, 0
	g.spared += uint64(n.cost)
	w.nogoodHits++
	return true
}

// review gives nogoods up that have spared less work than they cost.
func (g *guards) review() {
	if g.spared < nogoodsTrial {
		g.nogoods = nil
		g.drop()
	}
	g.spared = 0
}

// learn notes why step k has failed with v, unless it has not, or the reasons hold no longer than this loop.
func (g *guards) learn(k int, v csr.VertexID) {
	began, why := g.began[k], g.w.failure
	g.began[k] = 0
	if began == 0 || g.nogoods == nil || why == everything || why>>k&1 == 0 {
		return
	}
	dep := bits.Len64(why&(1<<k-1)) - 1
	if dep == k-1 {
		return
	}
	*g.slot(k, v) = nogood{version: g.w.version(dep), reasons: why, cost: uint32(min(g.w.work+1-began, 1<<30)), v: v, k: int16(k), dep: int16(dep)}
}
