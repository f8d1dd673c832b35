package pattern

// The techniques, by the part that owns them; those of a GPU alone come last in each part.
const (
	// The techniques of cliques.
	CompleteHood     Technique = iota // a complete candidate set is a binomial
	CliqueCore                        // vertices of too small a coreness leave
	CliqueThin                        // candidates of too small a degree among the candidates leave
	CliqueWord                        // tasks of at most 64 candidates have code of their own
	CliqueLevel1                      // bitmaps are built for a root's candidates
	CliqueLevel2                      // bitmaps are built for the candidates of two vertices
	CliqueLevel3                      // bitmaps are built for the candidates of three vertices or more
	CliqueEnumerate                   // a sub-problem is enumerated
	CliquePivot                       // a sub-problem is counted by pivoting
	CliqueComplement                  // a sub-problem is counted by its missing edges
	CliqueTail                        // the dense end of the order is one sub-problem
	CliqueSplit                       // workers share tasks
	GPUWarp                           // a warp takes a root of few neighbours, with a word a row
	GPUShared                         // bitmaps lie in shared memory where they fit
	GPUTaskQueue                      // tasks are dealt to lanes from a queue without holes
	GPURing3                          // lanes share the third level of the search by a ring
	GPURing4                          // lanes share the fourth level
	GPURing5                          // lanes share the fifth level and those below
	GPUTaskSmall                      // edges of up to 32 candidates: a word a row, in shared memory
	GPUTaskWarp                       // edges whose candidates a warp searches
	GPUTaskBlock                      // edges of more than 1,024 candidates: a block searches

	// The techniques of triangles.
	TriangleKernel // 3-cliques without conditions are counted as triangles
	DenseRows      // bitmaps look up hubs of hubs
	HubBits        // the hubs of a vertex are a bitmap, not a hash table
	HubCounts      // blocks count the first hubs by themselves

	// The techniques of core decomposition.
	CoreSkip     // levels without vertices are skipped
	CoreShrink   // rounds: removed vertices leave the list that levels scan
	CoreAlone    // rounds: one worker works off a short queue
	CoreBuffers  // rounds: workers fill private buffers
	CoreRestore  // rounds: a decrement that passes the level is taken back, not prevented
	CoreFlags    // passes: flags find removed vertices, not lists
	CoreActivate // estimates: only neighbours of changed vertices are looked at again

	// The techniques of truss decomposition.
	TrussCore    // a k-truss is looked for in the (k-1)-core only
	TrussBound   // lower bounds from dense cores approach the largest k
	TrussRecount // edges of too little support go at once, and the others are counted again
	TrussLevels  // levels without edges are skipped
	TrussZero    // edges without triangles go without a search
	TrussLast    // the last edges go without updates
	TrussEarly   // the search for an edge's triangles ends with the last of them
	TrussMarks   // rows of hubs are marked, not searched, where that pays
	TrussGallop  // long rows are searched by galloping, short ones one by one
	TrussRestore // a support that passes the level is put back when the edge goes, not before
	TrussBuffers // workers queue in private buffers
	TrussCompact // rows drop removed edges
	GPUCascade   // a block works off what its own removals bring to the level
	GPUAhead     // launches are enqueued before the host knows whether they are needed

	// The techniques of breadth-first search, paths, components and diameter.
	BFSSwitch      // the direction switches between levels
	BFSEarly       // a pulling vertex stops at its first parent
	BFSPrivate     // private buffers take found vertices
	BFSAlone       // one worker does a small level
	BFSRows        // all workers share a large row
	BFSEdges       // edge-centric levels, where these are asked for
	BFSMask        // searches share passes by bits
	PathEnds       // a path is looked for from both ends
	ComponentFirst // one relationship a vertex joins components roughly first
	DiameterBound  // bounds spare sources near the middle
	GPUNarrow      // one block does the levels of a thin frontier, without a launch for each
	GPUHubs        // the whole grid shares a vertex of many edges
	GPUBlocks      // a block takes a vertex of more edges than a warp should have; in one launch of many levels all blocks share it
	GPULevels      // levels are enqueued before the level in front of them is known
	GPULoans       // an answer lies in memory that the device writes into directly, and that is used again
	GPUTogether    // one launch pushes level after level, and its blocks wait for each other between

	// The techniques of the filter.
	SignatureQuantity // signatures: labels of the neighbours
	SignaturePath     // signatures: labels two steps away
	SignatureTriangle // signatures: labels of the triangles
	CoreTier          // candidates of too small a coreness leave
	TrussTier         // candidates without an edge of enough trussness leave
	IndexSeek         // an index on a property finds the candidates
	GPUFilterPass     // one pass over the graph tests for all query vertices
	GPUFilterMark     // large sets are revised from the other end of the arc, by marking
	GPUFilterRows     // a warp looks through the long rows that its lanes have left
	GPUFilterGenerate // signatures are generated on the device
	GPUFilterFull     // runs of neighbours whose buckets are full are skipped
	GPUFilterLists    // sets are listed on the device

	// The techniques of the join.
	DenseSearch       // bitmaps over the neighbours of a matched vertex
	FailingSets       // no second try where the vertex had no part in the failure
	Nogoods           // no second try while the earlier vertices stand that made it fail
	ForwardChecking   // a branch ends as soon as it leaves a vertex still to come no candidate
	Reservations      // vertices that others need are not taken
	Replan            // a search that goes far beyond its estimate tries other orders
	OrderTurns        // a search that has found nothing takes turns with other orders
	RootRounds        // orders that take turns go through their first vertices in rounds
	EqualVertices     // vertices of the pattern that nothing tells apart are searched in rising order
	RowProbe          // a probe finds the matches around a row's nodes, without starting a search
	FirstMatch        // a search ends at the first match of the elements wanted
	CountedChoices    // a search for rows that nobody reads takes the choices of a vertex by their number
	RowRuns           // rows go to the sink as runs, which have a vertex once for many rows
	CountedTail       // a search counts from the last element on that is read
	ValueLists        // an equal value leads to a node where no relationship does
	DistinctValues    // a condition on different values is one on different vertices
	RelationshipViews // relationships that fail a condition are left out before the search
	EdgeScan          // the relationships of a pattern of one edge are gone through row by row
	JoinPages         // a page of matches is filled while the sink takes the one before
	JoinPacked        // the short lists of 32 partial matches are spread over the lanes of a warp together
	JoinShared        // partial matches lie in shared memory where they fit
	JoinChunks        // launches end by the clock
	JoinDealt         // a launch that ends deals its rest to all warps
	JoinSlices        // long searches go through lists of candidates only
	JoinClasses       // a lane, a warp or a block adds up a list, by its length
	JoinLengths       // a last vertex from one list is counted by the list's length
	JoinBreadth       // all warps extend one table of partial matches, as much as fits, by one step
	JoinBits          // some neighbour lists are bitmaps, too, for lookups

	// The techniques of counting by arrays.
	Separators    // arrays over separators count homomorphisms
	Quotients     // counts of quotients are summed
	GroupSums     // groups of matches are counted by formulas, one for each pair of values
	PairSums      // matches are counted by two of their vertices, row by row
	OrderedWedges // cycles of four are counted at their vertex of the highest degree
	EdgeSupports  // triangles become weights of their relationships
	CyclicKernel  // cycles, wheels, prisms and the like have counts of their own
	HomOrder      // the pivots with most around them come first
	HomParts      // long counts take several launches

	// The techniques of rows.
	VertexKeys // rows are grouped by numbers of their nodes

	// The techniques of several GPUs.
	GPUDeal // devices share the roots of a count

	maxTechniques
)

// techniques is the one table of techniques: a technique gets its name here.
var techniques = [maxTechniques]struct {
	name  string // as PROFILE and the knob "without" call it
	unit  string // what one use of it is
	owner string // the part of the engine that takes it
	gpu   bool   // only kernels of a GPU have it
}{
	CompleteHood:     {"complete", "candidate sets counted by a binomial", "cliques", false},
	CliqueCore:       {"clique-core", "vertices left out for their coreness", "cliques", false},
	CliqueThin:       {"clique-thin", "candidates left out for their degree among the candidates", "cliques", false},
	CliqueWord:       {"clique-word", "tasks of one machine word", "cliques", false},
	CliqueLevel1:     {"clique-level-1", "bitmaps built on the candidates of a vertex", "cliques", false},
	CliqueLevel2:     {"clique-level-2", "bitmaps built on the candidates of an edge", "cliques", false},
	CliqueLevel3:     {"clique-level-3", "bitmaps built on the candidates of a triangle or more", "cliques", false},
	CliqueEnumerate:  {"clique-enumerate", "sub-problems counted by enumeration", "cliques", false},
	CliquePivot:      {"clique-pivot", "sub-problems counted by pivoting", "cliques", false},
	CliqueComplement: {"clique-complement", "sub-problems counted by their missing edges", "cliques", false},
	CliqueTail:       {"clique-tail", "dense ends of the order counted in one go", "cliques", false},
	CliqueSplit:      {"clique-split", "branches taken over from another worker", "cliques", false},
	GPUWarp:          {"gpu-warp", "roots given to a warp each", "cliques", true},
	GPUShared:        {"gpu-shared", "roots with their bitmap in shared memory", "cliques", true},
	GPUTaskQueue:     {"gpu-task-queue", "tasks dealt to lanes from a queue", "cliques", true},
	GPURing3:         {"gpu-ring-3", "launches of 32 lanes from the ring of level 3", "cliques", true},
	GPURing4:         {"gpu-ring-4", "launches of 32 lanes from the ring of level 4", "cliques", true},
	GPURing5:         {"gpu-ring-5", "launches of 32 lanes from the rings of deeper levels", "cliques", true},
	GPUTaskSmall:     {"gpu-task-small", "edges of up to 32 candidates", "cliques", true},
	GPUTaskWarp:      {"gpu-task-warp", "edges whose candidates a warp searches", "cliques", true},
	GPUTaskBlock:     {"gpu-task-block", "edges whose candidates a block searches", "cliques", true},

	TriangleKernel: {"triangle-kernel", "counts of 3-cliques by the triangle kernel", "triangles", false},
	DenseRows:      {"dense-rows", "hubs whose own hubs were looked up as a bitmap", "triangles", false},
	HubBits:        {"hub-bits", "vertices whose hubs were a bitmap", "triangles", true},
	HubCounts:      {"hub-counts", "hubs whose triangles blocks counted by themselves", "triangles", true},

	CoreSkip:     {"core-skip", "levels skipped", "cores", false},
	CoreShrink:   {"core-shrink", "vertices dropped from the list", "cores", false},
	CoreAlone:    {"core-alone", "vertices removed by one worker alone", "cores", false},
	CoreBuffers:  {"core-buffers", "buffers appended to the queue", "cores", false},
	CoreRestore:  {"core-restore", "decrements taken back", "cores", false},
	CoreFlags:    {"core-flags", "vertices flagged", "cores", false},
	CoreActivate: {"core-activate", "vertices activated", "cores", false},

	TrussCore:    {"truss-core", "vertices outside of the core", "trusses", false},
	TrussBound:   {"truss-bound", "lower bounds", "trusses", false},
	TrussRecount: {"truss-recount", "edges dropped at once", "trusses", false},
	TrussLevels:  {"truss-levels", "levels skipped", "trusses", false},
	TrussZero:    {"truss-zero", "edges without triangles", "trusses", false},
	TrussLast:    {"truss-last", "edges of last levels", "trusses", false},
	TrussEarly:   {"truss-early", "searches ended early", "trusses", false},
	TrussMarks:   {"truss-marks", "rows marked", "trusses", false},
	TrussGallop:  {"truss-gallop", "rows searched by galloping", "trusses", false},
	TrussRestore: {"truss-restore", "supports put back to the level", "trusses", false},
	TrussBuffers: {"truss-buffers", "edges queued in private buffers", "trusses", false},
	TrussCompact: {"truss-compact", "entries dropped from rows", "trusses", false},
	GPUCascade:   {"gpu-cascade", "removals by the block that freed them", "trusses", true},
	GPUAhead:     {"gpu-ahead", "launches enqueued before the host looked", "trusses", true},

	BFSSwitch:      {"bfs-switch", "changes of direction", "searches", false},
	BFSEarly:       {"bfs-early", "rows left at the first parent", "searches", false},
	BFSPrivate:     {"bfs-private", "private buffers overflown", "searches", false},
	BFSAlone:       {"bfs-alone", "levels done by one worker of several", "searches", false},
	BFSRows:        {"bfs-rows", "rows shared by the workers", "searches", false},
	BFSEdges:       {"bfs-edges", "relationships tried", "searches", false},
	BFSMask:        {"bfs-mask", "searches run together", "searches", false},
	PathEnds:       {"path-ends", "vertices reached from the far end", "searches", false},
	ComponentFirst: {"component-first", "relationships found joined", "searches", false},
	DiameterBound:  {"diameter-bound", "sources spared", "searches", false},
	GPUNarrow:      {"gpu-narrow", "levels done by one block", "searches", true},
	GPUHubs:        {"gpu-hubs", "vertices shared by the grid", "searches", true},
	GPUBlocks:      {"gpu-blocks", "vertices given to a block", "searches", true},
	GPULevels:      {"gpu-levels", "levels enqueued before the one in front was known", "searches", true},
	GPULoans:       {"gpu-loans", "answers written into memory that is used again", "searches", true},
	GPUTogether:    {"gpu-together", "levels done in one launch with others", "searches", true},

	SignatureQuantity: {"signature-quantity", "candidates dropped for the labels of their neighbours", "filter", false},
	SignaturePath:     {"signature-path", "candidates dropped for the labels two steps away", "filter", false},
	SignatureTriangle: {"signature-triangle", "candidates dropped for the labels of their triangles", "filter", false},
	CoreTier:          {"core-tier", "candidates removed by coreness", "filter", false},
	TrussTier:         {"truss-tier", "candidates removed by trussness", "filter", false},
	IndexSeek:         {"index-seek", "candidate sets found by an index", "filter", false},
	GPUFilterPass:     {"gpu-filter-pass", "query vertices tested in one pass with others", "filter", true},
	GPUFilterMark:     {"gpu-filter-mark", "revisions by marks", "filter", true},
	GPUFilterRows:     {"gpu-filter-rows", "rows looked through by a warp", "filter", true},
	GPUFilterGenerate: {"gpu-filter-generate", "parts of signatures generated", "filter", true},
	GPUFilterFull:     {"gpu-filter-full", "runs of neighbours left out, for their buckets are full", "filter", true},
	GPUFilterLists:    {"gpu-filter-lists", "sets listed by prefix sums", "filter", true},

	DenseSearch:       {"dense-search", "neighbourhoods searched by bitmaps", "join", false},
	FailingSets:       {"failing-sets", "vertices not tried, for another one had no part in failing", "join", false},
	Nogoods:           {"nogoods", "nodes not tried again, for they had failed with the same nodes before them", "join", false},
	ForwardChecking:   {"forward-checking", "branches ended, for they left some node still to come no candidate", "join", false},
	Reservations:      {"reservations", "nodes not tried, for they would take a neighbour that other nodes need", "join", false},
	Replan:            {"replan", "searches that were started anew in another order, or gave way to a formula", "join", false},
	OrderTurns:        {"order-turns", "searches without a match that took turns with other orders", "join", false},
	RootRounds:        {"root-rounds", "first vertices put off to a later round", "join", false},
	EqualVertices:     {"equal-vertices", "matches found by exchanging equal nodes of the pattern", "join", false},
	RowProbe:          {"row-probe", "rows whose matches were found without starting a search", "join", false},
	FirstMatch:        {"first-match", "searches ended at the first match of what is wanted", "join", false},
	CountedChoices:    {"counted-choices", "lists of nodes that nothing reads, taken by their number", "join", false},
	RowRuns:           {"row-runs", "rows whose nodes are kept once for many rows", "join", false},
	CountedTail:       {"counted-tail", "matches up to the last node that is read, with their numbers of matches", "join", false},
	ValueLists:        {"value-lists", "lists of nodes by equal values", "join", false},
	DistinctValues:    {"distinct-values", "conditions on different values taken as different nodes", "join", false},
	RelationshipViews: {"relationship-views", "lists of the relationships that meet a condition", "join", false},
	EdgeScan:          {"edge-scan", "relationships gone through without a look-up", "join", false},
	JoinPages:         {"join-pages", "pages of matches filled while another one was taken", "join", true},
	JoinPacked:        {"join-packed", "batches of partial matches whose lists shared the lanes of a warp", "join", true},
	JoinShared:        {"join-shared", "searches with their partial matches in shared memory", "join", true},
	JoinChunks:        {"join-chunks", "launches that went on with a search", "join", true},
	JoinDealt:         {"join-dealt", "partial matches dealt to other warps", "join", true},
	JoinSlices:        {"join-slices", "views cut down to candidates", "join", true},
	JoinClasses:       {"join-classes", "lists gone through by a lane or by a block", "join", true},
	JoinLengths:       {"join-lengths", "partial matches whose last vertex was counted by a length", "join", true},
	JoinBreadth:       {"join-breadth", "tables of partial matches extended by one step", "join", true},
	JoinBits:          {"join-bits", "neighbour lists made bitmaps", "join", true},

	Separators:    {"separators", "graphs whose homomorphisms were counted by arrays", "counts", false},
	Quotients:     {"quotients", "terms summed up in place of matches", "counts", false},
	GroupSums:     {"group-sums", "groups counted without listing their matches", "counts", false},
	PairSums:      {"pair-sums", "pairs counted without listing their matches", "counts", false},
	OrderedWedges: {"ordered-wedges", "cycles of four counted at their nodes of the highest degree", "counts", false},
	EdgeSupports:  {"edge-supports", "lists of relationships weighted by their triangles", "counts", false},
	CyclicKernel:  {"cyclic-kernel", "cycles, wheels, houses, prisms, and cliques with something more or less, counted by themselves", "counts", false},
	HomOrder:      {"hom-order", "pivots ordered by the work around them", "counts", true},
	HomParts:      {"hom-parts", "launches after the first", "counts", true},

	VertexKeys: {"vertex-keys", "operators that told rows apart by numbers of their nodes", "rows", false},

	GPUDeal: {"gpu-deal", "parts of counts given to devices", "devices", true},
}
