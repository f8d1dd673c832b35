package pattern

import (
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// Shares. Several workers, perhaps in several processes, may divide the work of one job. A Scheme fixes what all of them must do alike, a
// Share says which part of the work one of them does. Shares that are disjoint and together everything add up to the job's answer.

// Route is the way in which a divided job is answered. It also says which numbers are divided.
type Route string

const (
	RouteSearch  Route = "search"  // the join: the numbers of the vertices that a box leaves to query vertices
	RouteFormula Route = "formula" // the formula of a count: the numbers of the values of its pivots
	RouteCliques Route = "cliques" // the clique kernel: the ranks of roots in the orientation by degeneracy
	RoutePairs   Route = "pairs"   // numbers of matches by two vertices: the numbers of the first one's vertices
	RouteRoots   Route = "roots"   // numbers of matches by one vertex, the root: the numbers of its vertices
	RouteGroups  Route = "groups"  // the numbers of groups by formulas without a root: the numbers of the values of their pivots
)

// Scheme is what all shares of a job have in common. Whoever made it decided by estimates and candidate sets, which differ from process to
// process. So these decisions travel, and nobody takes them anew.
type Scheme struct {
	Route Route `json:"route"`
	// Domain is how many numbers there are to divide.
	Domain uint64 `json:"domain"`
	// Order is the matching order of a search: query vertices. It decides which constraints break the symmetry of a DISTINCT scope.
	Order []int `json:"order,omitempty"`
	// Free: the search goes without these constraints, and finds each subgraph once for each automorphism.
	Free           bool `json:"free,omitempty"`
	DistinctPrefix int  `json:"distinctPrefix,omitempty"` // as in Job
	ReadPrefix     int  `json:"readPrefix,omitempty"`     // as in Job
	// Divided is the query vertex whose vertices' numbers are divided, where matches are counted by one vertex or two.
	Divided int `json:"divided,omitempty"`
	// Told is how many vertices of the order a box may bound, and a search may put aside; 0: all. Groups tell their vertices apart, so no
	// two shares have matches of one group.
	Told int `json:"told,omitempty"`
	// Divisor divides the sum of all shares. No share may divide its own: the number of a share need not be a multiple.
	Divisor uint64 `json:"divisor"`
	// Cost is what a formula was weighed against, and FormulaCost bounded the effort to find it.
	Cost        float64 `json:"cost,omitempty"`
	FormulaCost float64 `json:"formulaCost,omitempty"`
	// Plan names the numbers that a formula is made of, in the order in which they are counted.
	Plan string `json:"plan,omitempty"`
}

// Bounded lists the query vertices that a box of a search may bound, in the matching order.
func (s *Scheme) Bounded() []int {
	if s.Told > 0 {
		return s.Order[:s.Told]
	}
	return s.Order
}

// Bound limits a query vertex to the graph vertices [Lo, Hi).
type Bound struct {
	Vertex int
	Lo, Hi csr.VertexID
}

// Share is the part of a job's work that one run does.
type Share struct {
	*Scheme
	// Lo and Hi are the numbers [Lo, Hi) of every route but a search, whose candidate sets are cut down instead. A run that ends early lowers Hi.
	Lo, Hi uint64
	// All are the candidate sets of a search before they were cut down, by query vertex.
	All []*CandidateSet
	// Until is when a search has to put aside what it has not done yet, and a formula or pairs should end early; zero: never.
	Until time.Time
	// Pause has the search put aside what is left before that. It is set while a search runs.
	Pause func()
	// Rest is what a search has put aside, as boxes inside of the candidate sets: each bounds some query vertices. They are disjoint.
	Rest [][]Bound
	// Minus is to be subtracted from the number of a formula. A part of a formula may be below 0.
	Minus Count128
	// Groups are the numbers of the groups, in their order. A part of a number may be below 0, so the parts are added up before the groups
	// become matches.
	Groups []Signed
	// Kept is what the join keeps from one share of a job to the next. Shares that keep something belong to one goroutine.
	Kept any
	// Common is what shares of the job have in common that belong to other goroutines; nil: nothing.
	Common *Common
}

// Common is what a share without numbers has prepared for all shares of a job. They only read it. It is safe for concurrent use.
type Common struct {
	// Workers is how many workers prepare it; a share has one. It is set before the first share.
	Workers  int
	prepared atomic.Pointer[any]
}

// Prepared returns what has been prepared; nil: nothing yet.
func (c *Common) Prepared() any {
	if c != nil {
		if p := c.prepared.Load(); p != nil {
			return *p
		}
	}
	return nil
}

// Prepare notes what has been prepared; nil: nothing.
func (c *Common) Prepare(what any) {
	switch {
	case c == nil:
	case what == nil:
		c.prepared.Store(nil)
	default:
		c.prepared.Store(&what)
	}
}

// Signed is a number, or a part of one, that may be below 0: Plus less Minus.
type Signed struct{ Plus, Minus Count128 }

// Add returns the sum of two.
func (s Signed) Add(t Signed) (sum Signed, err error) {
	if sum.Plus, err = s.Plus.Add(t.Plus); err == nil {
		sum.Minus, err = s.Minus.Add(t.Minus)
	}
	return sum, err
}

// RankRange is the ranks [Lo, Hi) of roots.
type RankRange struct{ Lo, Hi uint64 }

// Clip returns the part of the ranks [lo, hi) that r has; a nil r has all.
func (r *RankRange) Clip(lo, hi int) (int, int) {
	if r == nil {
		return lo, hi
	}
	lo, hi = max(lo, int(min(r.Lo, uint64(hi)))), min(hi, int(min(r.Hi, uint64(hi))))
	return lo, max(lo, hi)
}
