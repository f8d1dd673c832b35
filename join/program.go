package join

import (
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// program is a job made ready to run: the steps of its order, the adjacency that each reads, and every condition at the first
// step that can check it. All workers share it, and none changes it.
type program struct {
	s   *csr.Snapshot
	p   *pattern.Pattern
	job *pattern.Job

	steps      []step
	pos        []int                // step of each query vertex
	root       int                  // first step of a free vertex
	ends       []closing            // by edge that is not bound: how to look its relationships up
	closeOrder []int                // edges that bind a relationship, in the order in which the steps close them
	upfront    []*pattern.Predicate // tested before the search
	emit       bool                 // matches are wanted, not just how many there are
	byArrays   float64              // list elements that the formula of a count visits, or infinite if it cannot count; 0: nobody has asked
	none       bool                 // the bound elements alone rule out every match

	// Workers go through relationships one by one where a sink, a predicate or DISTINCT looks at them.
	enumerate bool
	choices   []choice
	distinct  []*rearrangement // DISTINCT scopes that need a look at every match
	replace   []int            // DISTINCT scopes that give a representative instead of the match found
	singly    bool             // relationships decide which vertices a match is given with
	early     int              // how many choices are closed before the last step
	runs      bool             // the last step may take the relationships of many vertices at once

	segments       []segment // parts whose numbers of matches multiply
	cost           float64   // of a count, in list elements, roughly
	costInElements bool      // the cost is in list elements, else in partial embeddings
	divisor        uint64    // matches that each subgraph is counted as; above 1 where the order leaves symmetry unbroken

	planOnly bool // whoever asks wants to know how the sink would get its rows, and no rows
	rooted   bool // then: by the values of one vertex
	divided  int  // then: that vertex, or that of pairs, whose values are taken one after the other

	failingSets bool           // workers keep failing sets
	equals      *equalVertices // vertices of the pattern that nothing tells apart; nil: none are searched together

	byValue *valueJoin
	unmet   unmetElements

	unread    uint64 // query vertices that the sink does not read, as bits: where no later one depends on it, its choices are taken by number
	readsNone bool   // these are all
	tail      int    // the first step whose vertex the sink does not read: from there on, the search counts. -1: there is no such step

	denseAt int     // the first step of the dense part, see dense_search.go; -1: there is no such part
	around  int     // the dense part's vertices are neighbours of the vertices of this step and earlier ones
	joint   [][]int // by step of the dense part and earlier step: the source that leads there; -1: none

	reserveOnce  sync.Once
	reservations []reservation // once planned

	domainsOnce sync.Once
	domains     *domainPlan // once planned; nil: forward checking does not know the program

	viewsAt        uint64                     // work after which a worker makes candidate views
	viewsTaken     atomic.Bool                // a worker makes candidateViews, or has
	candidateViews atomic.Pointer[[][]source] // sources over candidates only, by step, once there
	candidateRows  []candidateRowsCell        // relationships between candidates, by choice
}

// segment is a range of steps that depends on no free vertex outside it.
type segment struct{ lo, hi int }

// step extends a partial embedding by query vertex u.
type step struct {
	u     int
	bound bool
	set   *pattern.CandidateSet
	reach

	sources    []source // lists that hold every value of u, in the order in which they are known
	prefixStep int      // the last step on which a source but the last depends; -1: there is no such step

	less, greater []int   // query vertices whose dense number must be smaller, greater
	differ        []int   // query vertices that u must differ from
	clashes       []clash // ways in which an edge closed here may need a relationship that another has

	multi        []closing // edges closed here that may stand for several relationships
	loops        []closing // pattern loops on u
	boundEdges   []int     // bound edges closed here
	inducedRules []inducedRule
	preds        []*pattern.Predicate
	edgeTests    []edgeTest

	reasons      uint64 // steps that decide which vertices the step has to choose from, as bits
	rivalsOnly   bool   // the vertices of rivals are all that has to be avoided: a loop need not prepare
	rivals       uint64 // steps whose vertex the step's must not be, as bits; 0 if there are other things to avoid, too
	subtract     int    // vertices to be avoided that are in the list for sure, where the step is only counted
	last         int    // how many of program.closeOrder are closed after this step
	weighs       bool   // some clash asks for the exact weight
	needs        uint64 // steps that this one depends on, as bits
	prepares     bool   // prepare has something to do
	verifies     bool   // verify has something to do
	givesRuns    bool   // and if so, it tests predicates and finds weights only
	countable    bool   // a count may take the candidates together
	noDependents bool   // no later step depends on u
	needsAll     bool   // this step or a later one depends on all before it
	memo         memoPlan
	scatters     bool // scatterCounts can fill the table of memo
	sumsScatter  bool // it can fill the next step's, and nothing else depends on u
}

// source yields a rising list of vertices: the neighbours of an earlier vertex, or a list known beforehand.
type source struct {
	from           int            // query vertex whose neighbours are meant; -1: list
	view           *csr.Adjacency // as seen from it
	values         *valueLists    // instead of view: the vertices with a value that the earlier one has
	list           []csr.VertexID
	candidatesOnly bool           // lists hold candidates only
	edge           int            // the edge that the source stands for; -1: it stands for none
	back           *csr.Adjacency // the same edge seen from the step's vertex, where scatterCounts needs it
}

// closing is an edge of the pattern whose second end a step matches.
type closing struct {
	edge int
	from int            // the other end
	view *csr.Adjacency // as seen from it
}

// between returns how many relationships edge i has to choose from. The edge is not bound.
func (c *program) between(i int, match []csr.VertexID) int {
	e, x := &c.p.Edges[i], &c.ends[i]
	return x.view.Count(match[x.from], match[e.From+e.To-x.from])
}

// edgeTest is a predicate that reads one relationship, closed here, and vertices known by then.
type edgeTest struct {
	edge int
	pred *pattern.Predicate
}

// clash is a way in which two edges of one scope may have only the same relationship to choose from: the step's vertex equals that of query
// vertex x (any value will do if x < 0), and the pairs are equal too.
type clash struct {
	x    int
	when [][2]int
	kill bool // there is only one relationship, so there is no match
}

// mode returns the match mode of a scope, with what Induced and Distinct imply.
func mode(sc *pattern.Scope) pattern.Mode {
	if sc.Induced || sc.Distinct {
		return pattern.DifferentNodes
	}
	return sc.Mode
}
