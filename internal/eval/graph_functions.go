package eval

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// Functions that read the graph.

func id(rt *Runtime, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Node:
		return value.OfInt(int64(rt.graph().NodeID(v.Node()))), nil
	case value.Rel:
		return value.OfInt(int64(rt.graph().RelID(v.Rel()))), nil
	}
	if v.Kind() == value.Deleted {
		return value.OfInt(int64(v.Deleted().ID)), nil
	}
	return v, badArgument("id", "a node or a relationship", v)
}

// elementID returns the id as a string.
func elementID(rt *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.Node && v.Kind() != value.Rel {
		return v, badArgument("elementId", "a node or a relationship", v)
	}
	n, err := id(rt, v)
	return value.OfString(n.String()), err
}

func labels(rt *Runtime, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Node:
	case value.Deleted:
		return v, Gone("the labels")
	default:
		return v, badArgument("labels", "a node", v)
	}
	names, err := rt.graph().Labels(v.Node())
	list := make([]value.Value, len(names))
	for i, l := range names {
		list[i] = value.OfString(l)
	}
	return value.OfList(list), err
}

func typeOf(rt *Runtime, v value.Value) (value.Value, error) {
	switch {
	case v.Kind() == value.Rel:
		return value.OfString(rt.graph().TypeName(v.Rel())), nil
	case v.Kind() == value.Deleted && v.Deleted().Rel:
		return value.OfString(v.Deleted().Type), nil
	}
	return v, badArgument("type", "a relationship", v)
}

func startNode(rt *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.Rel {
		return v, badArgument("startNode", "a relationship", v)
	}
	from, _ := rt.graph().Endpoints(v.Rel())
	return value.OfNode(from), nil
}

func endNode(rt *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.Rel {
		return v, badArgument("endNode", "a relationship", v)
	}
	_, to := rt.graph().Endpoints(v.Rel())
	return value.OfNode(to), nil
}

// length returns the number of relationships of a path.
func length(_ *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.Path {
		return v, badArgument("length", "a path", v)
	}
	return value.OfInt(int64(len(v.Path().Rels))), nil
}

func nodesOf(_ *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.Path {
		return v, badArgument("nodes", "a path", v)
	}
	list := make([]value.Value, len(v.Path().Nodes))
	for i, n := range v.Path().Nodes {
		list[i] = value.OfNode(n)
	}
	return value.OfList(list), nil
}

func relationshipsOf(_ *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.Path {
		return v, badArgument("relationships", "a path", v)
	}
	list := make([]value.Value, len(v.Path().Rels))
	for i, r := range v.Path().Rels {
		list[i] = value.OfRel(r)
	}
	return value.OfList(list), nil
}

// properties returns all properties of a node or a relationship as a map.
func properties(rt *Runtime, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Map:
		return v, nil
	case value.Node, value.Rel, value.Deleted:
		props, err := rt.propsOf(v)
		if err != nil {
			return v, err
		}
		return rt.ofProps(props)
	}
	return v, badArgument("properties", "a node, a relationship or a map", v)
}

// propsOf returns the properties of a node or a relationship, not decoded.
func (rt *Runtime) propsOf(v value.Value) ([]csr.Prop, error) {
	switch v.Kind() {
	case value.Node:
		return rt.graph().NodeProps(v.Node())
	case value.Rel:
		return rt.graph().RelProps(v.Rel())
	}
	return nil, Gone("the properties")
}

func keys(rt *Runtime, v value.Value) (value.Value, error) {
	var names []value.Value
	switch v.Kind() {
	case value.Map:
		for _, k := range v.Map().Keys {
			names = append(names, value.OfString(k))
		}
	case value.Node, value.Rel, value.Deleted:
		props, err := rt.propsOf(v)
		if err != nil {
			return v, err
		}
		for _, p := range props {
			names = append(names, value.OfString(p.Key))
		}
	default:
		return v, badArgument("keys", "a node, a relationship or a map", v)
	}
	return value.OfList(names), nil
}

// allDifferent compiles ALL_DIFFERENT(a, b, ...): true if no two of the elements are the same, null if one is null.
func (c *Compiler) allDifferent(x *lang.Call) (Closure, error) {
	fns, constant, err := c.CompileAll(x.Args)
	if err != nil {
		return Closure{}, err
	}
	return c.fold(func(e *Input) (value.Value, error) {
		var buf [8]value.Value
		elements, known, different := buf[:0], true, true
		for i, fn := range fns {
			v, err := fn(e)
			if err != nil {
				return v, err
			}
			switch v.Kind() {
			case value.Null:
				known = false
			case value.Node, value.Rel:
			default:
				return v, At(x.Args[i].Position(), badArgument("ALL_DIFFERENT", "nodes and relationships", v))
			}
			for _, w := range elements {
				eq, _ := value.Equal(v, w)
				different = different && !eq
			}
			elements = append(elements, v)
		}
		return logic(different, known), nil
	}, constant), nil
}

// isClique compiles IS_CLIQUE(nodes [, types]).
func (c *Compiler) isClique(x *lang.Call) (Closure, error) {
	rt := c.Runtime
	if len(x.Args) == 1 {
		return c.unary(x.Pos, x.Args[0], func(v value.Value) (value.Value, error) { return isClique(rt.Snapshot, v, nil) })
	}
	return c.binary(x.Pos, x.Args[0], x.Args[1], func(nodes, types value.Value) (value.Value, error) {
		set, known, err := rt.typeSet(types)
		if err != nil || !known {
			return value.Value{}, err
		}
		return isClique(rt.Snapshot, nodes, set)
	})
}

// typeSet resolves a type name or a list of them. known is false if one of them is null.
func (rt *Runtime) typeSet(v value.Value) (set csr.TypeSet, known bool, err error) {
	names := []value.Value{v}
	if v.Kind() == value.List {
		names = v.List()
	}
	set = csr.TypeSet{}
	for _, name := range names {
		switch name.Kind() {
		case value.Null:
			return nil, false, nil
		case value.String:
		default:
			return nil, false, badArgument("IS_CLIQUE", "the name of a relationship type or a list of them as its second argument", name)
		}
		if t, ok := rt.Snapshot.Types.Lookup(name.Str()); ok {
			set = append(set, csr.TypeID(t))
		}
	}
	slices.Sort(set)
	return slices.Compact(set), true, nil
}

// isClique returns true if every two of the nodes differ and a relationship of these types joins them, in either
// direction. A null list or a null in it gives null.
func isClique(s *csr.Snapshot, list value.Value, types csr.TypeSet) (value.Value, error) {
	if list.IsNull() {
		return list, nil
	}
	if list.Kind() != value.List {
		return list, badArgument("IS_CLIQUE", "a list of nodes", list)
	}
	nodes, known := list.List(), true
	for _, v := range nodes {
		switch v.Kind() {
		case value.Null:
			known = false
		case value.Node:
		default:
			return v, badArgument("IS_CLIQUE", "a list of nodes", v)
		}
	}
	if !known {
		return value.Value{}, nil
	}
	for i, v := range nodes {
		for _, w := range nodes[:i] {
			if v.Node() == w.Node() || !joined(s, v.Node(), w.Node(), types) {
				return value.OfBool(false), nil
			}
		}
	}
	return value.OfBool(true), nil
}

// joined reports whether a relationship of these types joins v and w, in either direction. It searches the arrays of each
// type: a merged view of both directions would cost more than a query of few rows.
func joined(s *csr.Snapshot, v, w csr.VertexID, types csr.TypeSet) bool {
	if types == nil {
		for t := range s.Types.Len() {
			if runs(s.Rels(csr.TypeID(t)), v, w) {
				return true
			}
		}
		return false
	}
	for _, t := range types {
		if runs(s.Rels(t), v, w) {
			return true
		}
	}
	return false
}

func runs(r *csr.Rels, v, w csr.VertexID) bool {
	lo, hi := r.Row(v)
	if _, ok := slices.BinarySearch(r.Targets[lo:hi], w); ok {
		return true
	}
	lo, hi = r.Row(w)
	_, ok := slices.BinarySearch(r.Targets[lo:hi], v)
	return ok
}
