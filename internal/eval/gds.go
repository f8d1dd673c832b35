package eval

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// Functions of Neo4j's Graph Data Science library. A projection knows stored nodes by their ids.

// asNode returns the stored node of an id; null if it is gone.
func asNode(rt *Runtime, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Node:
		return v, nil
	case value.Int:
		if n, ok := rt.graph().NodeByID(csr.NodeID(v.Int())); ok && v.Int() >= 0 {
			return value.OfNode(n), nil
		}
		return value.Value{}, nil
	}
	return v, badArgument("gds.util.asNode", "the id of a node", v)
}

// asNodes does so for a list.
func asNodes(rt *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.List {
		return v, badArgument("gds.util.asNodes", "a list of ids", v)
	}
	if err := rt.room(2 * v.Bytes()); err != nil {
		return v, err
	}
	list := make([]value.Value, len(v.List()))
	for i, e := range v.List() {
		if err := rt.poll(i); err != nil {
			return v, err
		}
		var err error
		if list[i], err = asNode(rt, e); err != nil {
			return v, err
		}
	}
	return value.OfList(list), nil
}

// projectedProperty returns a number that a projection has for a node; null if it has none.
func projectedProperty(rt *Runtime, args []value.Value) (value.Value, error) {
	const name = "gds.util.nodeProperty"
	if args[0].Kind() != value.String {
		return args[0], badArgument(name, "the name of a projection", args[0])
	}
	if args[2].Kind() != value.String {
		return args[2], badArgument(name, "the key of a property", args[2])
	}
	g := rt.Projections.Find(args[0].Str())
	if g == nil {
		return value.Value{}, Errorf(CodeArgumentValue, "there is no projection %v", args[0])
	}
	id := args[1]
	if id.Kind() == value.Node {
		id = value.OfInt(int64(rt.graph().NodeID(id.Node())))
	}
	if id.Kind() != value.Int {
		return id, badArgument(name, "a node or the id of one", args[1])
	}
	list, there := g.Scores[args[2].Str()]
	if !there {
		return value.Value{}, Errorf(CodeArgumentValue, "the nodes of the projection %v have no property %v", args[0], args[2])
	}
	v, ok := g.Snapshot.VertexByNodeID(csr.NodeID(id.Int()))
	switch {
	case !ok || math.IsNaN(list[v]):
		return value.Value{}, nil
	case g.Whole[args[2].Str()]:
		return value.OfInt(int64(list[v])), nil
	}
	return value.OfFloat(list[v]), nil
}

func isProjected(rt *Runtime, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.String {
		return args[0], badArgument("gds.graph.exists", "the name of a projection", args[0])
	}
	return value.OfBool(rt.Projections.Find(args[0].Str()) != nil), nil
}

// likenessOf returns a function that compares two lists of numbers of one length.
func likenessOf(name string, f func(a, b []float64) float64) multi {
	return func(_ *Runtime, args []value.Value) (value.Value, error) {
		a, b, err := vectors(name, args)
		if err != nil {
			return value.Value{}, err
		}
		return value.OfFloat(f(a, b)), nil
	}
}

// cosineOf is the cosine of the angle between a and b; NaN if one of them has no direction.
func cosineOf(a, b []float64) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot, aa, bb = dot+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	if p := aa * bb; p > 0 && !math.IsInf(p, 1) {
		return dot / math.Sqrt(p) // rounds once
	}
	return dot / math.Sqrt(aa) / math.Sqrt(bb)
}

// pearsonOf is the correlation of a and b; NaN if one of them is constant.
func pearsonOf(a, b []float64) float64 {
	var ma, mb float64
	for i := range a {
		ma, mb = ma+a[i]/float64(len(a)), mb+b[i]/float64(len(b))
	}
	x, y := make([]float64, len(a)), make([]float64, len(b))
	for i := range a {
		x[i], y[i] = a[i]-ma, b[i]-mb
	}
	return cosineOf(x, y)
}

// multisets returns a function that compares two lists by what they have in common. An element counts as often as both lists have it.
func multisets(name string, of func(common, a, b int) float64) multi {
	return func(rt *Runtime, args []value.Value) (value.Value, error) {
		var keys [2][]string
		for i := range keys {
			if args[i].Kind() != value.List {
				return args[i], badArgument(name, "lists", args[i])
			}
			if err := rt.room(3 * args[i].Bytes()); err != nil {
				return args[i], err
			}
			for j, e := range args[i].List() {
				if err := rt.poll(j); err != nil {
					return e, err
				}
				keys[i] = append(keys[i], string(value.AppendKey(nil, e)))
			}
			slices.Sort(keys[i])
		}
		common := 0
		for a, b := keys[0], keys[1]; len(a) > 0 && len(b) > 0; {
			switch {
			case a[0] < b[0]:
				a = a[1:]
			case a[0] > b[0]:
				b = b[1:]
			default:
				a, b, common = a[1:], b[1:], common+1
			}
		}
		return value.OfFloat(of(common, len(keys[0]), len(keys[1]))), nil
	}
}

// jaccardOf and overlapOf are 0 for empty lists.
func jaccardOf(common, a, b int) float64 { return float64(common) / float64(max(1, a+b-common)) }
func overlapOf(common, a, b int) float64 { return float64(common) / float64(max(1, min(a, b))) }
