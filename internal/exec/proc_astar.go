package exec

import (
	"fmt"
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// aStar gives a path of the least cost between two nodes. Options say how to estimate what is left of a path.
func aStar(c *callStage) (source, error) {
	r, err := pathRequest(c)
	if err != nil {
		return nil, err
	}
	of, err := estimator(c)
	if err != nil || r == nil || r.Within != nil && !r.Within.Has(r.Target) {
		return func() (bool, error) { return true, nil }, err
	}
	r.K = 1
	n := c.x.s.N()
	if err := c.account.Charge(8 * int64(n)); err != nil {
		return nil, err
	}
	end, ok := of(r.Target)
	if !ok {
		return nil, noEstimate(c, r.Target)
	}
	r.Estimate = make([]float64, n)
	g := &graph{s: c.x.s, Subgraph: pattern.Subgraph{Within: r.Within}}
	_, err = g.each(func(v csr.VertexID) (bool, error) {
		r.Estimate[v] = math.NaN()
		if p, ok := of(v); ok {
			r.Estimate[v] = p.from(end)
		}
		if v%4096 == 0 {
			return true, c.x.ctx.Err()
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return weightedPaths(c, pattern.KindAStar, r)
}

// whereabouts is where a node is: a point, or an estimate of how far the end is from there.
type whereabouts struct {
	point    value.Value
	estimate float64
	isPoint  bool
}

// from returns how far p is from the end; NaN if the two points have different systems.
func (p whereabouts) from(end whereabouts) float64 {
	if !p.isPoint {
		return p.estimate
	}
	d, ok := value.Apart(p.point, end.point)
	if !ok {
		return math.NaN()
	}
	return d
}

// estimator reads the options position, latitude, longitude and estimate, of which one way is given. It returns what a node has.
func estimator(c *callStage) (func(v csr.VertexID) (whereabouts, bool), error) {
	var keys [4]csr.KeyID
	var given [4]bool
	for i, name := range estimateOptions {
		o := c.option(name)
		if o == nil {
			continue
		}
		if o.value.Kind() != value.String {
			return nil, o.wrong("a string", o.value)
		}
		key, ok := c.x.s.Keys.Lookup(o.value.Str())
		if keys[i], given[i] = csr.KeyID(key), true; !ok {
			keys[i] = csr.KeyID(len(c.x.s.VertexProps)) // no node has it
		}
	}
	switch given {
	case [4]bool{true, false, false, false}:
		return func(v csr.VertexID) (whereabouts, bool) { return pointOf(c, v, keys[0]) }, nil
	case [4]bool{false, true, true, false}:
		return func(v csr.VertexID) (whereabouts, bool) {
			lat, ok := numberOf(c, v, keys[1])
			lon, also := numberOf(c, v, keys[2])
			p, exists := value.InDegrees(lon, lat)
			return whereabouts{point: p, isPoint: true}, ok && also && exists
		}, nil
	case [4]bool{false, false, false, true}:
		return func(v csr.VertexID) (whereabouts, bool) {
			x, ok := numberOf(c, v, keys[3])
			return whereabouts{estimate: x}, ok && math.Abs(x) <= pattern.MaxWeight
		}, nil
	}
	return nil, &eval.Error{Code: eval.CodeArgumentValue, Pos: c.plan.Pos, Hint: "without an estimate, `algo.kShortestPaths` finds the same path",
		Msg: c.plan.Procedure.Name + " needs one of the options `position`, `estimate`, or `latitude` with `longitude`"}
}

var estimateOptions = [4]string{"position", "latitude", "longitude", "estimate"}

func pointOf(c *callStage, v csr.VertexID, key csr.KeyID) (whereabouts, bool) {
	cell, ok := c.x.s.VertexProp(v, key)
	if !ok || cell.Kind != csr.KindEncoded {
		return whereabouts{}, false
	}
	p := value.OfCell(cell)
	_, ok = p.Spatial()
	return whereabouts{point: p, isPoint: true}, ok
}

func numberOf(c *callStage, v csr.VertexID, key csr.KeyID) (float64, bool) {
	cell, _ := c.x.s.VertexProp(v, key)
	switch cell.Kind {
	case csr.KindInt:
		return float64(int64(cell.Num)), true
	case csr.KindFloat:
		return math.Float64frombits(cell.Num), true
	}
	return 0, false
}

// noEstimate says which node has no place.
func noEstimate(c *callStage, v csr.VertexID) error {
	for _, name := range estimateOptions {
		o := c.option(name)
		if o == nil {
			continue
		}
		what := map[string]string{"position": "a point in the system of the end", "estimate": "a number that serves as an estimate"}[name]
		if what == "" {
			what = "a place in degrees"
		}
		return &eval.Error{Code: eval.CodeArgumentValue, Pos: o.pos, Hint: "give all nodes with relationships one, or leave out other nodes with the option `label`",
			Msg: fmt.Sprintf("the node with the id %d has no property %v that is %s", c.x.s.NodeID(v), o.value.Str(), what)}
	}
	return eval.Errorf(eval.CodeInternal, "an estimate is missing")
}
