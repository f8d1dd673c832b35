package exec

import (
	"errors"
	"fmt"
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// network reads the options type, types, label, direction, weight and defaultWeight.
func (c *callStage) network() (n pattern.Network, err error) {
	if n.Types, err = c.types(); err != nil {
		return n, err
	}
	if n.Direction, err = c.direction(); err != nil {
		return n, err
	}
	if n.Within, err = c.labelled(); err != nil {
		return n, err
	}
	o := c.option("weight")
	if o == nil {
		if o = c.option("defaultWeight"); o != nil {
			return n, eval.At(o.pos, eval.Errorf(eval.CodeArgumentValue, "the option `defaultWeight` needs the option `weight`"))
		}
		return n, nil
	}
	if o.value.Kind() != value.String {
		return n, o.wrong("a string", o.value)
	}
	n.Weight = &pattern.Weight{Absent: true}
	if key, ok := c.x.s.Keys.Lookup(o.value.Str()); ok {
		n.Weight.Key, n.Weight.Absent = csr.KeyID(key), false
	}
	n.Weight.Default, err = c.float("defaultWeight", math.NaN(), 0, pattern.MaxWeight)
	return n, err
}

// float returns a number option between two bounds; missing if it has no value.
func (c *callStage) float(name string, missing, least, most float64) (float64, error) {
	o := c.option(name)
	if o == nil {
		return missing, nil
	}
	x := missing
	switch o.value.Kind() {
	case value.Int:
		x = float64(o.value.Int())
	case value.Float:
		x = o.value.Float()
	default:
		return 0, o.wrong("a number", o.value)
	}
	if !(x >= least && x <= most) {
		return 0, eval.At(o.pos, eval.Errorf(eval.CodeArgumentValue, "the option `%s` is a number from %v to %v, not %v", name, least, most, o.value))
	}
	return x, nil
}

// truth returns an option that is true or false; false if it has no value.
func (c *callStage) truth(name string) (bool, error) {
	o := c.option(name)
	if o == nil {
		return false, nil
	}
	if o.value.Kind() != value.Bool {
		return false, o.wrong("true or false", o.value)
	}
	return o.value.Bool(), nil
}

// askNetwork is ask for requests that read weights or iterate. It says in the user's words what went wrong.
func (c *callStage) askNetwork(r *pattern.Request) (pattern.Answer, error) {
	a, err := c.ask(r)
	var weight *pattern.WeightError
	var slow *pattern.NotConvergedError
	var unknown *pattern.EstimateError
	switch {
	case errors.As(err, &weight):
		o := c.option("weight")
		e := weight.Edge
		from, to := c.x.s.Endpoints(e)
		err = &eval.Error{Code: eval.CodeArgumentValue, Pos: o.pos,
			Msg: fmt.Sprintf("the property %v of the relationship with the id %d, from node %d to node %d, %s", o.value.Str(), c.x.s.RelID(e),
				c.x.s.NodeID(from), c.x.s.NodeID(to), weight.Reason),
			Hint: weightHint(r)}
	case errors.As(err, &unknown):
		err = noEstimate(c, unknown.Vertex)
	case errors.Is(err, pattern.ErrWeightRange):
		err = &eval.Error{Code: eval.CodeArgumentValue, Pos: c.option("weight").pos, Msg: err.Error()}
	case errors.As(err, &slow) && r.Kind == pattern.KindLabels:
		err = unsettled(c, slow)
	case errors.As(err, &slow):
		err = &eval.Error{Code: eval.CodeArgumentValue, Pos: c.plan.Pos, Msg: unconverged(c, slow), Hint: "raise `maxIterations` or `tolerance`"}
		if math.IsInf(slow.Bound, 1) {
			err.(*eval.Error).Hint = "direction 'BOTH' always has scores"
		}
	}
	return a, err
}

// unconverged says what is wrong with scores that are still far from the solution, or have none.
func unconverged(c *callStage, slow *pattern.NotConvergedError) string {
	if math.IsInf(slow.Bound, 1) {
		return c.plan.Procedure.Name + " has no scores here: the relationships form no cycle"
	}
	return fmt.Sprintf("%s has not converged after %d iterations: the error may be %.2g", c.plan.Procedure.Name, slow.Iterations, slow.Bound)
}

// unsettled says of labels that still change what ended them.
func unsettled(c *callStage, slow *pattern.NotConvergedError) error {
	return &eval.Error{Code: eval.CodeArgumentValue, Pos: c.plan.Pos,
		Msg:  fmt.Sprintf("labels still change after %d iterations, in the last of them at %.2g of all nodes", slow.Iterations, slow.Bound),
		Hint: "raise `maxIterations`, or try another `seed`"}
}

// weightHint says what a weight is.
func weightHint(r *pattern.Request) string {
	if r.Scores != nil && r.Scores.Weight.Positive {
		return "here a weight is a number above 0, at most 1e100; `defaultWeight` stands for missing properties"
	}
	return "a weight is a number from 0 to 1e100; `defaultWeight` stands for missing properties"
}

// scoreRequest reads the options of procedures that score nodes.
func (c *callStage) scoreRequest(tolerance float64) (r *pattern.ScoreRequest, err error) {
	r = new(pattern.ScoreRequest)
	if r.Network, err = c.network(); err != nil {
		return nil, err
	}
	if r.Damping, err = c.float("damping", 0.85, 0, 0.999); err != nil {
		return nil, err
	}
	if r.Tolerance, err = c.float("tolerance", tolerance, 1e-15, 1); err != nil {
		return nil, err
	}
	if r.Normalize, err = c.truth("normalize"); err != nil {
		return nil, err
	}
	if o := c.option("sources"); o != nil {
		if r.Sources, err = c.nodesOf(o.value, "the option `sources`"); err != nil {
			return nil, eval.At(o.pos, err)
		}
		if r.Sources == nil {
			r.Sources = []csr.VertexID{} // nil means all
		}
	}
	n, err := c.number("maxIterations", 1, 10_000)
	r.MaxIterations = int(min(n, math.MaxInt32))
	return r, err
}

// scores gives the answer to a score request: a row for every node that counts.
func (c *callStage) scores(kind pattern.RequestKind, r *pattern.ScoreRequest) (source, error) {
	r.Late = true
	a, err := c.askNetwork(&pattern.Request{Kind: kind, Snapshot: c.x.s, Scores: r})
	if err != nil {
		return nil, err
	}
	if a.Degrees != nil {
		degrees := func(vertices []csr.VertexID) Column {
			return Column{Kind: DegreeColumn, Vertices: vertices, Degrees: a.Degrees}
		}
		n := int(c.x.s.N())
		return vertexRows(c, n, nil, degrees), c.charge(n, 4*int64(n)) // of the list of nodes, also where the snapshot has it
	}
	return vertexRows(c, len(a.Scores), listOf(r.Within), floatsBy(a.Scores)), c.charge(len(a.Scores), 8*int64(len(a.Scores)))
}

// score returns a procedure that gives every node a score.
func score(kind pattern.RequestKind, tolerance float64) procedure {
	return func(c *callStage) (source, error) {
		r, err := c.scoreRequest(tolerance)
		if err != nil {
			return nil, err
		}
		return c.scores(kind, r)
	}
}

// lengths makes the weights of r lengths: of parallel relationships the shortest counts.
func lengths(r *pattern.Network, positive bool) {
	if r.Weight != nil {
		r.Weight.Least, r.Weight.Positive = true, positive
	}
}

func nearness(c *callStage) (source, error) {
	r, err := c.scoreRequest(1)
	if err != nil {
		return nil, err
	}
	word, err := c.word("variant", "wasserman-faust", "classic", "harmonic")
	if err == nil && word != "" {
		r.Closeness, err = pattern.ParseCloseness(word)
	}
	if err != nil {
		return nil, err
	}
	lengths(&r.Network, r.Closeness == pattern.HarmonicCloseness)
	return c.scores(pattern.KindCloseness, r)
}

func betweenness(c *callStage) (source, error) {
	r, err := c.scoreRequest(1)
	if err != nil {
		return nil, err
	}
	lengths(&r.Network, true)
	return c.scores(pattern.KindBetweenness, r)
}
