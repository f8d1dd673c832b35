package pattern

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Network is a part of a graph with weights. Two vertices have at most one edge in each direction, and no vertex has an edge to
// itself: loops do not count. Without weights parallel edges count once, with weight 1. With weights theirs add up, or the least counts.
type Network struct {
	Types     csr.TypeSet
	Direction csr.Direction // in Both every edge leads both ways
	Within    *CandidateSet // the graph is the one induced by these; nil: all
	Weight    *Weight       // nil: every edge weighs 1
}

// MaxWeight is the largest weight. Sums and products of such weights fit a float.
const MaxWeight = 1e100

// ErrWeightRange is the error of betweenness where a path and a longer one have the same length as floats.
var ErrWeightRange = errors.New("the weights differ too much: adding a small one to a large one changes nothing")

// Weight says which property is the weight of an edge: a number from 0 to MaxWeight.
type Weight struct {
	Key      csr.KeyID
	Absent   bool    // no edge has the property; Key means nothing
	Default  float64 // of edges without the property; NaN: it is an error
	Least    bool    // of parallel edges the least weight counts; otherwise they add up
	Positive bool    // zero is an error, too
}

// WeightError says which edge has no weight, and why.
type WeightError struct {
	Edge   csr.EdgeID
	Reason string // such as "is missing" or "is -2"
}

func (e *WeightError) Error() string {
	return fmt.Sprintf("the weight of edge %d %s", e.Edge, e.Reason)
}

// Of returns the weight of e, or a *WeightError.
func (w *Weight) Of(s *csr.Snapshot, e csr.EdgeID) (float64, error) {
	var cell csr.Cell
	if !w.Absent {
		cell, _ = s.EdgeProp(e, w.Key)
	}
	var x float64
	switch cell.Kind {
	case 0:
		if x = w.Default; math.IsNaN(x) {
			return 0, &WeightError{e, "is missing"}
		}
	case csr.KindInt:
		x = float64(int64(cell.Num))
	case csr.KindFloat:
		x = math.Float64frombits(cell.Num)
	default:
		return 0, &WeightError{e, "is no number"}
	}
	switch {
	case math.IsNaN(x):
		return 0, &WeightError{e, "is NaN"}
	case x < 0 || x > MaxWeight:
		return 0, &WeightError{e, fmt.Sprintf("is %v", x)}
	case x == 0 && w.Positive:
		return 0, &WeightError{e, "is 0"}
	}
	return x, nil
}

// ScoreRequest asks for a number for every vertex. The kind of the request says which.
type ScoreRequest struct {
	Network
	Damping       float64        // of page rank and article rank: in 0 to 1, 1 excluded
	Tolerance     float64        // page rank: the sum of all errors is at most this; see package rank for the others
	MaxIterations int            // it is an error if Tolerance is not reached by then
	Sources       []csr.VertexID // of page rank: walks start here; of betweenness: paths start here; nil: anywhere
	Normalize     bool           // of degree and betweenness: divide by the largest possible value
	Closeness     Closeness
	Late          bool // of degree: the answer may be Degrees in place of Scores
}

// Closeness says how distances become a score. Package closeness has the formulas.
type Closeness uint8

const (
	WassermanFaust Closeness = iota
	ClassicCloseness
	HarmonicCloseness
)

var closenessNames = []string{"wasserman-faust", "classic", "harmonic"}

// ParseCloseness reads the name of a formula.
func ParseCloseness(name string) (Closeness, error) {
	i := slices.Index(closenessNames, name)
	if i < 0 {
		return 0, fmt.Errorf("there is no closeness called %q; there are %v", name, closenessNames)
	}
	return Closeness(i), nil
}

// NotConvergedError is the error of an iteration that MaxIterations ended.
type NotConvergedError struct {
	Iterations int
	Bound      float64 // of the error, which Tolerance is compared with; infinite if there is no solution
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("no convergence in %d iterations: the error is still up to %.2g", e.Iterations, e.Bound)
}
