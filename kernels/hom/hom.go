package hom

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cyclic"
)

// Counter counts homomorphisms of the graphs that Add accepted, all in one run. It is for one goroutine.
type Counter struct {
	s       *csr.Snapshot
	sets    []*pattern.CandidateSet // nil: all vertices
	sizes   map[int]float64         // of sets known by size alone
	rowsOf  map[string]*rowsPlan
	statics map[string]*weightPlan
	passes  []*passPlan
	slots   []slotPlan
	slotOf  map[string]int
	graphs  [][]int // slots whose product is a graph's number
	cost    float64
	log     []*bool // flags to clear again on undo
	without pattern.Techniques

	unweighed bool // lists with weights are not intersected
	given     []Graph
	rooted    []*Rooted
	pairs     []*pairs
	parts     *pairParts // nil: EachPair is called once
	apart     bool       // nobody wants the pairs of a vertex with itself
	ranks     *ranking
	rival     float64 // list elements that another way visits; infinite if there is none
	works     map[cyclicPlan]*cyclic.Work
	portion   *portion // nil: all values are counted
}

// Graph is a graph to count: the set of each vertex, and the factors of a homomorphism's weight.
type Graph struct {
	Sets    []int
	Factors []pattern.Factor
}

// slotPlan is a number that graphs share.
type slotPlan struct {
	static *weightPlan // its sum, or
	out    *outputPlan // its total, or
	cyclic *cyclicPlan // found by package cyclic
	byPair bool        // in portions, the sum is one of supportSums
	value  pattern.Count128
}

// outputPlan is a number that a pass computes for each pivot. The plan needs their sum or, with keep, all of them.
type outputPlan struct {
	own   *weightPlan // the pivot's own weight
	mate  *weightPlan // the second pivot's weight, if it has any
	roots []int       // nodes whose sums the number is a product of
	keep  bool
	fan   *csr.TypeSet // the number is twice that of the triangles at the pivot, over these types
	cycle *cyclePlan   // the number is that of the homomorphisms of this cycle
	each  []uint64
	total pattern.Count128
	done  bool // a portion, or another counter's, has found the number of all values
	last  bool // only roots need it: a portion of their values computes no others
}

// passPlan is a loop over the values of one pivot, or of two adjacent pivots.
type passPlan struct {
	key        string
	set, stage int
	second     *rowsPlan // from the first pivot to the second
	nodes      []*nodePlan
	nodeOf     map[string]int
	accs       []*accPlan
	accOf      map[string]int
	tables     []*tablePlan
	tableOf    map[string]int
	outs       []*outputPlan
	outOf      map[string]*outputPlan
	last       bool // so is some number of outs
}

// nodePlan is a vertex of the forest: by value, the number of ways to match it and the tree below.
type nodePlan struct {
	key    string
	rows   *rowsPlan // from the pivot; nil if they are not adjacent
	also   *rowsPlan // from the second pivot
	own    *weightPlan
	feeds  []feedPlan
	dense  bool    // some node sums its numbers up along lists
	values float64 // estimate: number of values, over all pivots
}

// feedPlan is the contribution of a node's child to the node. The node reads it from an accumulator, or sums it up along rows; in
// a table, if the node is adjacent to the pivot. The first feed of a node that is not adjacent has an accumulator.
type feedPlan struct {
	child, acc, table int       // -1: none
	rows              *rowsPlan // from the node to the child
}

// accPlan adds the numbers of a node up along rows.
type accPlan struct {
	key   string
	child int
	rows  *rowsPlan
}

// tablePlan holds the sums of a node's numbers along rows for all neighbours of the pivots, in the neighbours' order.
type tablePlan struct{ key string }

// NewCounter returns a counter for s without sets and graphs.
func NewCounter(s *csr.Snapshot) *Counter {
	return &Counter{s: s, rowsOf: map[string]*rowsPlan{}, sizes: map[int]float64{}, statics: map[string]*weightPlan{},
		slotOf: map[string]int{}, rival: math.Inf(1)}
}

// Leave switches techniques off for the graphs that Add gets from now on.
func (h *Counter) Leave(without pattern.Techniques) { h.without = without }

// AddSet adds a set of vertices and returns its number. A nil set means all vertices.
func (h *Counter) AddSet(c *pattern.CandidateSet) int {
	h.sets = append(h.sets, c)
	return len(h.sets) - 1
}

// AddSize adds a set by its size alone and returns its number. Such a counter has a Cost and no Count.
func (h *Counter) AddSize(n float64) int {
	i := h.AddSet(nil)
	h.sizes[i] = n
	return i
}

// Set returns set i.
func (h *Counter) Set(i int) *pattern.CandidateSet { return h.sets[i] }

// Cost returns an estimate of the list elements that Count reads.
func (h *Counter) Cost() float64 { return h.cost }

// shape is the state of a graph during its decomposition into blocks.
type shape struct {
	h     *Counter
	sets  []int
	pairs [][][]pattern.Factor // by ordered pair of different vertices
	alive []bool
	parts [][]partPlan // factors of a vertex's weight
	tips  [][][]tip    // by ordered pair: what has become a weight of the pair
	root  int          // the vertex that stays to the end; -1: none
	mate  int          // another such vertex; the root if there is none
}

// Add adds g, and returns false if the counter cannot count it.
func (h *Counter) Add(g Graph) bool {
	slot, ok := h.addCyclic(g)
	product := []int{slot}
	if !ok {
		product, ok = h.shape(g, -1).product()
	}
	if ok {
		h.graphs, h.given = append(h.graphs, product), append(h.given, g)
	}
	return ok
}

// shape begins the decomposition of g.
func (h *Counter) shape(g Graph, root int) *shape {
	n := len(g.Sets)
	x := &shape{h: h, sets: g.Sets, alive: make([]bool, n), parts: make([][]partPlan, n), root: root, mate: root}
	for range n {
		x.pairs, x.tips = append(x.pairs, make([][]pattern.Factor, n)), append(x.tips, make([][]tip, n))
	}
	for _, f := range g.Factors {
		if f.From == f.To {
			x.parts[f.From] = append(x.parts[f.From], partPlan{key: "loops" + f.Ask(0, 0), loops: &f})
			continue
		}
		x.pairs[f.From][f.To] = append(x.pairs[f.From][f.To], f)
		x.pairs[f.To][f.From] = append(x.pairs[f.To][f.From], f)
	}
	return x
}

// product plans the components without the root, and returns their slots.
func (x *shape) product() (product []int, ok bool) {
	seen := make([]bool, len(x.sets))
	if x.root >= 0 {
		clear(x.alive)
		x.mark(x.root, seen)
	}
	for v := range seen {
		if seen[v] {
			continue
		}
		clear(x.alive)
		x.mark(v, seen)
		slot, ok := x.component()
		if !ok {
			return nil, false
		}
		product = append(product, slot)
	}
	return product, true
}

// mark makes v's component alive.
func (x *shape) mark(v int, seen []bool) {
	seen[v], x.alive[v] = true, true
	for w := range x.sets {
		if !seen[w] && len(x.pairs[v][w]) > 0 {
			x.mark(w, seen)
		}
	}
}

// near lists the live neighbours of v.
func (x *shape) near(v int) (ws []int) {
	for w, alive := range x.alive {
		if alive && w != v && len(x.pairs[v][w]) > 0 {
			ws = append(ws, w)
		}
	}
	return ws
}

func (x *shape) living() (vs []int) {
	for v, alive := range x.alive {
		if alive {
			vs = append(vs, v)
		}
	}
	return vs
}

// component plans the count of the live vertices, which must be connected, and returns their slot.
func (x *shape) component() (slot int, ok bool) {
	for {
		x.strip()
		left := x.living()
		if len(left) == 1 {
			own := x.own(left[0])
			return x.h.slot("sum "+own.key, slotPlan{static: own}), true
		}
		if x.dropTip(left) {
			continue
		}
		if key, out, ok := x.h.plan(x, left, false, false, left); ok {
			return x.h.slot(key, slotPlan{out: out}), true
		}
		block, joint := x.leafBlock(left)
		if block == nil {
			key, out, ok := x.h.plan(x, left, false, true, left)
			if !ok {
				return 0, false
			}
			return x.h.slot(key, slotPlan{out: out}), true
		}
		if !x.fold(block, joint) {
			return 0, false
		}
	}
}

// strip turns vertices with one neighbour into weights of the neighbour.
func (x *shape) strip() {
	for again := true; again; {
		again = false
		for _, v := range x.living() {
			ws := x.near(v)
			if len(ws) != 1 || v == x.root || v == x.mate {
				continue
			}
			w := ws[0]
			rows, own := x.rows(w, v), x.own(v)
			x.parts[w] = append(x.parts[w], partPlan{key: "(" + rows.key + own.key + ")", rows: rows, child: own, stage: max(rows.stage, own.stage)})
			x.alive[v], again = false, true
		}
	}
}

// leafBlock finds live vertices that only one of them, the joint, connects with the rest.
func (x *shape) leafBlock(left []int) (block []int, joint int) {
	for _, joint := range left {
		x.alive[joint] = false
		seen := slices.Clone(x.alive)
		for i := range seen {
			seen[i] = !x.alive[i]
		}
		var block []int
		for _, v := range left {
			if v == joint || seen[v] {
				continue
			}
			if part := x.reach(v, seen); !slices.Contains(part, x.root) && !slices.Contains(part, x.mate) && len(part) < len(left)-1 && x.forest(part) {
				block = append(part, joint)
				break
			}
		}
		x.alive[joint] = true
		if block != nil {
			return block, joint
		}
	}
	return nil, 0
}

// reach lists the live vertices reachable from v, and marks them in seen.
func (x *shape) reach(v int, seen []bool) []int {
	seen[v] = true
	part := []int{v}
	for _, w := range x.near(v) {
		if !seen[w] {
			part = append(part, x.reach(w, seen)...)
		}
	}
	return part
}

// forest reports whether vs have no cycle among them.
func (x *shape) forest(vs []int) bool {
	at := make([]int, len(x.sets))
	for _, v := range vs {
		at[v] = v + 1
	}
	for i, v := range vs {
		for _, w := range vs[:i] {
			if len(x.pairs[v][w]) == 0 {
				continue
			}
			a, b := at[v], at[w]
			if a == b {
				return false
			}
			for u := range at {
				if at[u] == a {
					at[u] = b
				}
			}
		}
	}
	return true
}

func (h *Counter) slot(key string, s slotPlan) int {
	if i, ok := h.slotOf[key]; ok {
		return i
	}
	h.slots = append(h.slots, s)
	h.slotOf[key] = len(h.slots) - 1
	if s.static != nil {
		h.cost += h.takeStatic(s.static)
	}
	return len(h.slots) - 1
}

// own returns the present weight of v.
func (x *shape) own(v int) *weightPlan { return x.h.static(x.sets[v], x.parts[v]) }

// rows returns the lists from v to w.
func (x *shape) rows(v, w int) *rowsPlan {
	key := fmt.Sprint(x.sets[v], ">", x.sets[w])
	var asks []string
	for i := range x.pairs[v][w] {
		asks = append(asks, x.pairs[v][w][i].Ask(v, 0))
	}
	slices.Sort(asks)
	key += "[" + strings.Join(asks, " ") + "]"
	for _, t := range x.tips[v][w] {
		key += t.key
	}
	r := x.h.rowsOf[key]
	if r == nil {
		r = x.h.newRows(key, x.sets[v], x.sets[w], x.pairs[v][w], v)
		r.bear(x.tips[v][w])
		x.h.rowsOf[key] = r
	}
	return r
}
