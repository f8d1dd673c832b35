package pattern

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Mechanism is one technique of a kernel, the filter or the join that can be switched off without changing any answer, and
// whose uses are counted. Tests switch each off and compare; PROFILE shows how often each was taken.
type Mechanism uint8

// Techniques by the part that owns them. A block has room for 16.
const (
	CompleteHood    Mechanism = iota // cliques: a complete candidate set is a binomial
	CliqueCore                       // vertices of too small a coreness are left out
	CliqueThin                       // candidates of too small a degree among the candidates are left out
	CliqueWord                       // tasks of at most 64 candidates have code of their own
	CliqueLevel1                     // where bitmaps are built: for a root's candidates,
	CliqueLevel2                     // for those of one more vertex,
	CliqueLevel3                     // or for those of still more
	CliqueEnumerate                  // how a sub-problem is counted
	CliquePivot
	CliqueComplement
	CliqueTail  // the dense end of the order is one sub-problem
	CliqueSplit // tasks are shared by workers
)

// The techniques of the triangle kernel.
const (
	TriangleKernel Mechanism = iota + 92 // 3-cliques without conditions are counted as triangles
	DenseRows                            // hubs of hubs are looked up in bitmaps
	HubBits                              // on a GPU: the hubs of a vertex are a bitmap, not in a hash table
	HubCounts                            // on a GPU: blocks keep counts of the first hubs to themselves
)

// The techniques of core decomposition.
const (
	CoreSkip     Mechanism = iota + 16 // levels that no vertex is at are skipped
	CoreShrink                         // rounds: what has been removed leaves the list that levels scan
	CoreAlone                          // rounds: a short queue is worked off by one worker
	CoreBuffers                        // rounds: workers fill private buffers
	CoreRestore                        // rounds: a decrement that passes the level is taken back, not prevented
	CoreFlags                          // passes: removed vertices are found by flags, not by lists
	CoreActivate                       // estimates: only neighbours of what has changed are looked at again
)

// The techniques of truss decomposition.
const (
	TrussCore    Mechanism = iota + 32 // a k-truss is looked for in the (k-1)-core only
	TrussBound                         // the largest k is approached from dense cores, by lower bounds
	TrussRecount                       // edges of too little support go at once, and the others are counted again
	TrussLevels                        // levels that no edge is at are skipped
	TrussZero                          // edges without triangles go without a search
	TrussLast                          // the last edges go without updates
	TrussEarly                         // the search for an edge's triangles ends with the last of them
	TrussMarks                         // rows of hubs are marked, not searched, where that pays
	TrussGallop                        // long rows are searched by galloping, short ones one by one
	TrussRestore                       // a support that passes the level is put back when the edge goes, not before
	TrussBuffers                       // workers queue in private buffers
	TrussCompact                       // rows drop edges that are gone
)

// The techniques of breadth-first search, and of what is made of it.
const (
	BFSSwitch      Mechanism = iota + 48 // the direction switches between levels
	BFSEarly                             // a pulling vertex stops at its first parent
	BFSPrivate                           // found vertices go to private buffers
	BFSAlone                             // small levels are done by one worker
	BFSRows                              // large rows are shared by all workers
	BFSEdges                             // edge-centric levels, where these are asked for
	BFSMask                              // searches share passes by bits
	PathEnds                             // a path is looked for from both ends
	ComponentFirst                       // components are roughly joined by one relationship a vertex first
	DiameterBound                        // sources near the middle are spared by bounds
)

// Those that it has on a GPU alone.
const (
	GPUBlocks Mechanism = iota + 160 // vertices of more edges than a warp should have are a block's
	GPULevels                        // levels are enqueued before those in front of them are known
)

// The techniques of filter and join.
const (
	SignatureQuantity Mechanism = iota + 64 // filter: the parts of the composite signature
	SignaturePath
	SignatureTriangle
	DenseSearch // join: bitmaps over the neighbours of a matched vertex
	FailingSets // join: no second try where the vertex had no part in the failure
)

// The filter's tiers that go by the structure around a vertex.
const (
	CoreTier  Mechanism = iota + 84 // candidates of too small a coreness go
	TrussTier                       // candidates without an edge of enough trussness go
)

// The techniques that watch a search.
const (
	Replan Mechanism = iota + 80 // join: a search that goes far beyond its estimate tries other orders
)

// The techniques of counting.
const (
	Separators Mechanism = iota + 72 // a count by arrays over separators
	Quotients                        // a count by those of quotients
	FirstMatch                       // a search that ends at the first match of the elements wanted
	RowProbe                         // the matches around what a row gives are found without starting a search
	IndexSeek                        // an index on a property finds the candidates
)

// The techniques of the kernels on a GPU. Those that the CPU's kernels have, too, go by the same names.
const (
	GPUWarp   Mechanism = iota + 96 // cliques: roots of few neighbours are a warp's, with a word a row
	GPUShared                       // cliques: bitmaps lie in shared memory where they fit
	GPUNarrow                       // levels of a thin frontier are done by one block, without a launch for each
	GPUHubs                         // vertices of many edges are shared by the whole grid
)

// The techniques of several GPUs.
const (
	GPUDeal Mechanism = iota + 101 // the roots of a count are dealt to all devices
)

// The techniques of the filter on a GPU.
const (
	GPUFilterPass     Mechanism = iota + 144 // one pass over the graph tests for all query vertices
	GPUFilterMark                            // large sets are revised from the other end of the arc, by marking
	GPUFilterRows                            // warps look through what lanes have left of long rows
	GPUFilterGenerate                        // signatures are generated on the device
	GPUFilterFull                            // what can fill full buckets only is left out
	GPUFilterLists                           // sets are listed on the device
)

// The techniques of cores and trusses on a GPU.
const (
	GPUCascade Mechanism = iota + 176 // a block works off what falls to the level by its own removals
	GPUAhead                          // launches are enqueued before it is known whether they are needed
)

// The techniques of the join on a GPU.
const (
	JoinPages   Mechanism = iota + 128 // a page of matches is filled while the sink takes the one before
	JoinPacked                         // the short lists of 32 partial matches are spread over the lanes of a warp together
	JoinShared                         // partial matches lie in shared memory where they fit
	JoinChunks                         // launches end by the clock
	JoinDealt                          // and deal what is left to all warps
	JoinSlices                         // long searches go through lists of candidates only
	JoinClasses                        // lists that numbers are added up along are a lane's, a warp's or a block's, by their lengths
	JoinLengths                        // a last vertex from one list is counted by the list's length
	JoinBreadth                        // all warps extend one table of partial matches, as much as fits, by one step
	JoinBits                           // some neighbour lists are bitmaps, too, where others are looked up in them
)

// The techniques of counting by arrays on a GPU.
const (
	HomOrder Mechanism = iota + 120 // the pivots with most around them come first
	HomParts                        // long counts take several launches
)

// The techniques by which a GPU looks for cliques one by one. Sizes of tasks are numbers of candidates.
const (
	GPUTaskQueue Mechanism = iota + 112 // tasks are dealt to lanes from a queue without holes
	GPURing3                            // lanes share what their sets hold by way of a ring: at the third level of the search,
	GPURing4                            // at the fourth,
	GPURing5                            // and from the fifth on
	GPUTaskSmall                        // edges by size: up to 32 are a word a row, in shared memory
	GPUTaskWarp                         // a warp's
	GPUTaskBlock                        // above 1,024 a block's
)

const maxMechanisms = 192

// mechanisms describes each: its name for people, and what one use of it is.
var mechanisms = [maxMechanisms]struct{ name, unit string }{
	CompleteHood:     {"complete", "candidate sets counted by a binomial"},
	CliqueCore:       {"clique-core", "vertices left out for their coreness"},
	CliqueThin:       {"clique-thin", "candidates left out for their degree among the candidates"},
	CliqueWord:       {"clique-word", "tasks of one machine word"},
	CliqueLevel1:     {"clique-level-1", "bitmaps built on the candidates of a vertex"},
	CliqueLevel2:     {"clique-level-2", "bitmaps built on the candidates of an edge"},
	CliqueLevel3:     {"clique-level-3", "bitmaps built on the candidates of a triangle or more"},
	CliqueEnumerate:  {"clique-enumerate", "sub-problems counted by enumeration"},
	CliquePivot:      {"clique-pivot", "sub-problems counted by pivoting"},
	CliqueComplement: {"clique-complement", "sub-problems counted by their missing edges"},
	CliqueTail:       {"clique-tail", "dense ends of the order counted in one go"},
	CliqueSplit:      {"clique-split", "branches taken over from another worker"},

	CoreSkip:     {"core-skip", "levels skipped"},
	CoreShrink:   {"core-shrink", "vertices dropped from the list"},
	CoreAlone:    {"core-alone", "vertices removed by one worker alone"},
	CoreBuffers:  {"core-buffers", "buffers appended to the queue"},
	CoreRestore:  {"core-restore", "decrements taken back"},
	CoreFlags:    {"core-flags", "vertices flagged"},
	CoreActivate: {"core-activate", "vertices activated"},

	TrussCore:    {"truss-core", "vertices outside of the core"},
	TrussBound:   {"truss-bound", "lower bounds"},
	TrussRecount: {"truss-recount", "edges dropped at once"},
	TrussLevels:  {"truss-levels", "levels skipped"},
	TrussZero:    {"truss-zero", "edges without triangles"},
	TrussLast:    {"truss-last", "edges of last levels"},
	TrussEarly:   {"truss-early", "searches ended early"},
	TrussMarks:   {"truss-marks", "rows marked"},
	TrussGallop:  {"truss-gallop", "rows searched by galloping"},
	TrussRestore: {"truss-restore", "supports put back to the level"},
	TrussBuffers: {"truss-buffers", "edges queued in private buffers"},
	TrussCompact: {"truss-compact", "entries dropped from rows"},

	BFSSwitch:      {"bfs-switch", "changes of direction"},
	BFSEarly:       {"bfs-early", "rows left at the first parent"},
	BFSPrivate:     {"bfs-private", "private buffers overflown"},
	BFSAlone:       {"bfs-alone", "levels done by one worker of several"},
	BFSRows:        {"bfs-rows", "rows shared by the workers"},
	BFSEdges:       {"bfs-edges", "relationships tried"},
	BFSMask:        {"bfs-mask", "searches run together"},
	PathEnds:       {"path-ends", "vertices reached from the far end"},
	GPUBlocks:      {"gpu-blocks", "vertices given to a block"},
	GPULevels:      {"gpu-levels", "levels enqueued before the one in front was known"},
	ComponentFirst: {"component-first", "relationships found joined"},
	DiameterBound:  {"diameter-bound", "sources spared"},

	TriangleKernel: {"triangle-kernel", "counts of 3-cliques by the triangle kernel"},
	DenseRows:      {"dense-rows", "hubs whose own hubs were looked up as a bitmap"},
	HubBits:        {"hub-bits", "vertices whose hubs were a bitmap"},
	HubCounts:      {"hub-counts", "hubs whose triangles blocks counted by themselves"},

	SignatureQuantity: {"signature-quantity", "candidates dropped for the labels of their neighbours"},
	SignaturePath:     {"signature-path", "candidates dropped for the labels two steps away"},
	SignatureTriangle: {"signature-triangle", "candidates dropped for the labels of their triangles"},
	CoreTier:          {"core-tier", "candidates removed by coreness"},
	TrussTier:         {"truss-tier", "candidates removed by trussness"},
	Separators:        {"separators", "graphs whose homomorphisms were counted by arrays"},
	Quotients:         {"quotients", "terms summed up in place of matches"},
	DenseSearch:       {"dense-search", "neighbourhoods searched by bitmaps"},
	Replan:            {"replan", "searches that were started anew in another order"},
	FailingSets:       {"failing-sets", "vertices not tried, for another one had no part in failing"},
	IndexSeek:         {"index-seek", "candidate sets found by an index"},
	RowProbe:          {"row-probe", "rows whose matches were found without starting a search"},

	GPUWarp:   {"gpu-warp", "roots given to a warp each"},
	GPUShared: {"gpu-shared", "roots with their bitmap in shared memory"},
	GPUNarrow: {"gpu-narrow", "levels done by one block"},
	GPUHubs:   {"gpu-hubs", "vertices shared by the grid"},

	GPUDeal:           {"gpu-deal", "parts of counts given to devices"},
	GPUFilterPass:     {"gpu-filter-pass", "query vertices tested in one pass with others"},
	GPUFilterMark:     {"gpu-filter-mark", "revisions by marks"},
	GPUFilterRows:     {"gpu-filter-rows", "rows looked through by a warp"},
	GPUFilterGenerate: {"gpu-filter-generate", "parts of signatures generated"},
	GPUFilterFull:     {"gpu-filter-full", "runs of neighbours left out, for their buckets are full"},
	GPUFilterLists:    {"gpu-filter-lists", "sets listed by prefix sums"},

	GPUCascade:   {"gpu-cascade", "removals by the block that freed them"},
	GPUAhead:     {"gpu-ahead", "launches enqueued before the host looked"},
	GPUTaskQueue: {"gpu-task-queue", "tasks dealt to lanes from a queue"},
	GPURing3:     {"gpu-ring-3", "launches of 32 lanes from the ring of level 3"},
	GPURing4:     {"gpu-ring-4", "launches of 32 lanes from the ring of level 4"},
	GPURing5:     {"gpu-ring-5", "launches of 32 lanes from the rings of deeper levels"},
	GPUTaskSmall: {"gpu-task-small", "edges of up to 32 candidates"},
	GPUTaskWarp:  {"gpu-task-warp", "edges whose candidates a warp searches"},
	GPUTaskBlock: {"gpu-task-block", "edges whose candidates a block searches"},

	JoinPages:   {"join-pages", "pages of matches filled while another one was taken"},
	JoinPacked:  {"join-packed", "batches of partial matches whose lists shared the lanes of a warp"},
	JoinShared:  {"join-shared", "searches with their partial matches in shared memory"},
	JoinChunks:  {"join-chunks", "launches that went on with a search"},
	JoinDealt:   {"join-dealt", "partial matches dealt to other warps"},
	JoinSlices:  {"join-slices", "views cut down to candidates"},
	JoinClasses: {"join-classes", "lists gone through by a lane or by a block"},
	JoinLengths: {"join-lengths", "partial matches whose last vertex was counted by a length"},
	JoinBreadth: {"join-breadth", "tables of partial matches extended by one step"},
	JoinBits:    {"join-bits", "neighbour lists made bitmaps"},

	HomOrder: {"hom-order", "pivots ordered by the work around them"},
	HomParts: {"hom-parts", "launches after the first"},

	FirstMatch: {"first-match", "searches ended at the first match of what is wanted"},
}

// String returns the mechanism's name.
func (m Mechanism) String() string { return mechanisms[m].name }

// Unit says what is counted.
func (m Mechanism) Unit() string { return mechanisms[m].unit }

// AllMechanisms yields every technique there is.
func AllMechanisms() iter.Seq[Mechanism] {
	return func(yield func(Mechanism) bool) {
		for i := range mechanisms {
			if mechanisms[i].name != "" && !yield(Mechanism(i)) {
				return
			}
		}
	}
}

// MechanismNames lists the names of all techniques.
func MechanismNames() (names []string) {
	for m := range AllMechanisms() {
		names = append(names, m.String())
	}
	return names
}

// Mechanisms is a set of techniques.
type Mechanisms [(maxMechanisms + 63) / 64]uint64

// With returns the set and m.
func (s Mechanisms) With(m Mechanism) Mechanisms {
	s[m>>6] |= 1 << (m & 63)
	return s
}

// Has reports whether m is in the set.
func (s Mechanisms) Has(m Mechanism) bool { return s[m>>6]>>(m&63)&1 != 0 }

// ParseMechanisms reads names separated by commas.
func ParseMechanisms(text string) (Mechanisms, error) {
	var set Mechanisms
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		i := slices.IndexFunc(mechanisms[:], func(m struct{ name, unit string }) bool { return m.name == name })
		if i < 0 {
			return set, fmt.Errorf("there is no mechanism %q: there are %s", name, strings.Join(MechanismNames(), ", "))
		}
		set = set.With(Mechanism(i))
	}
	return set, nil
}

// Uses reports whether m is on. A nil Env has all on.
func (e *Env) Uses(m Mechanism) bool { return e == nil || !e.Without.Has(m) }

// TakeOver adds the uses that other has counted and sets them to 0 there.
func (t *Tally) TakeOver(other *Tally) {
	for m := range other.Taken {
		if n := other.Taken[m].Load(); n > 0 {
			other.Taken[m].Add(-n)
			t.Taken[m].Add(n)
		}
	}
	other.mu.Lock()
	answers := other.answers
	other.mu.Unlock()
	for _, a := range answers {
		t.Answered(a.what, a.device, reason(a.why))
	}
}

type reason string

func (r reason) String() string { return string(r) }

// Took counts n uses of m.
func (e *Env) Took(m Mechanism, n uint64) {
	if e != nil && e.Tally != nil && n > 0 {
		e.Tally.Taken[m].Add(n)
	}
}
