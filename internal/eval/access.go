package eval

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// columns holds the property columns of one key; nil where no node or no relationship has it.
type columns struct{ vertices, edges *csr.Column }

func (rt *Runtime) columns(key string) columns {
	var cols columns
	if id, ok := rt.Snapshot.Keys.Lookup(key); ok {
		if int(id) < len(rt.Snapshot.VertexProps) {
			cols.vertices = rt.Snapshot.VertexProps[id]
		}
		if int(id) < len(rt.Snapshot.EdgeProps) {
			cols.edges = rt.Snapshot.EdgeProps[id]
		}
	}
	return cols
}

// PropertyColumns returns the columns of a property, of nodes and of relationships; nil where there is none.
func (rt *Runtime) PropertyColumns(key string) (vertices, edges *csr.Column) {
	cols := rt.columns(key)
	return cols.vertices, cols.edges
}

func cellOf(col *csr.Column, i uint64) csr.Cell {
	cell, _ := col.Get(i)
	return cell
}

// ofCell decodes a property; the zero Cell is null. A long list takes many times the memory of its cell, so the budget pays for it
// before it is made.
func (rt *Runtime) ofCell(e *Input, c csr.Cell) (value.Value, error) {
	if c.Kind == 0 {
		return value.Value{}, nil
	}
	long := c.Kind == csr.KindEncoded && len(c.Str) > slack/24
	if long {
		if err := rt.room(value.DecodedBytes(c.Str)); err != nil {
			return value.Value{}, err
		}
	}
	v := value.OfCell(c)
	if long {
		return v, rt.charge(e, v.Bytes()-24)
	}
	return v, nil
}

// ofProps makes a map of properties.
func (rt *Runtime) ofProps(props []csr.Prop) (value.Value, error) {
	m := &value.MapValue{Keys: make([]string, len(props)), Values: make([]value.Value, len(props))}
	for i, p := range props {
		v, err := rt.ofCell(nil, p.Value)
		if err != nil {
			return v, err
		}
		m.Keys[i], m.Values[i] = p.Key, v
	}
	return value.OfMap(m), nil
}

// property compiles of.key for nodes, relationships, maps, temporal values and points. The property of null is null.
func (c *Compiler) property(x *lang.Property) (Closure, error) {
	rt, cols := c.Runtime, c.columns(x.Key)
	of, err := c.Compile(x.Of)
	if err != nil {
		return of, err
	}
	return c.fold(func(e *Input) (value.Value, error) {
		v, err := of.Fn(e)
		if err != nil {
			return v, err
		}
		if k := v.Kind(); k == value.Node || k == value.Rel {
			var cell csr.Cell
			if cell, err = rt.cell(cols, v, x.Key); err == nil {
				v, err = rt.ofCell(e, cell)
			}
		} else {
			v, err = entry(v, x.Key)
		}
		if err != nil {
			return v, At(x.Pos, err)
		}
		return v, nil
	}, of.Constant), nil
}

// cell reads a property of a node or a relationship, whose columns are cols.
func (rt *Runtime) cell(cols columns, v value.Value, key string) (csr.Cell, error) {
	switch {
	case v.Kind() == value.Node && rt.Reader != nil:
		return rt.Reader.NodeProp(v.Node(), key)
	case v.Kind() == value.Node:
		return cellOf(cols.vertices, uint64(v.Node())), nil
	case rt.Reader != nil:
		return rt.Reader.RelProp(v.Rel(), key)
	}
	return cellOf(cols.edges, uint64(v.Rel())), nil
}

// entry reads a key of what is not a node or a relationship.
func entry(v value.Value, key string) (value.Value, error) {
	switch v.Kind() {
	case value.Deleted:
		return v, Gone("the property " + key)
	case value.Map:
		w, _ := v.Map().Get(key)
		return w, nil
	case value.Temporal:
		return component(v, key)
	case value.Spatial:
		return coordinate(v, key)
	case value.Null:
		return v, nil
	}
	return v, Errorf(CodeArgumentType, "%s has no properties, so there is no .%s of it", Describe(v), key)
}

// index returns of[i]: an element of a list, or the value of a key. A negative i counts from the end of the list. A place
// or key that does not exist gives null.
func (rt *Runtime) index(of, i value.Value) (value.Value, error) {
	if of.IsNull() || i.IsNull() {
		return value.Value{}, nil
	}
	switch of.Kind() {
	case value.List:
		if i.Kind() != value.Int {
			return i, Errorf(CodeArgumentType, "a list is indexed by an integer, not by %s", Describe(i))
		}
		l, n := of.List(), i.Int()
		if n < 0 {
			n += int64(len(l))
		}
		if n < 0 || n >= int64(len(l)) {
			return value.Value{}, nil
		}
		return l[n], nil
	case value.Map, value.Node, value.Rel, value.Temporal, value.Spatial:
		if i.Kind() != value.String {
			return i, Errorf(CodeMapKey, "the keys of %s are strings, not %s", Describe(of), Describe(i))
		}
		if k := of.Kind(); k == value.Temporal || k == value.Spatial {
			return entry(of, i.Str())
		}
		return rt.lookup(of, i.Str())
	case value.Deleted:
		return of, Gone("a property")
	}
	return of, Errorf(CodeArgumentType, "%s cannot be indexed; lists, maps, nodes and relationships can", Describe(of))
}

func (rt *Runtime) lookup(of value.Value, key string) (value.Value, error) {
	var cell csr.Cell
	var err error
	switch of.Kind() {
	case value.Node:
		cell, err = rt.graph().NodeProp(of.Node(), key)
	case value.Rel:
		cell, err = rt.graph().RelProp(of.Rel(), key)
	default:
		v, _ := of.Map().Get(key)
		return v, nil
	}
	if err != nil {
		return value.Value{}, err
	}
	return rt.ofCell(nil, cell)
}

// slice compiles of[from..to].
func (c *Compiler) slice(x *lang.Slice) (Closure, error) {
	rt := c.Runtime
	var bounds [2]Closure
	for i, b := range []lang.Expr{x.From, x.To} {
		if b == nil {
			bounds[i] = constant(value.OfInt([]int64{0, 1<<63 - 1}[i]))
			continue
		}
		var err error
		if bounds[i], err = c.Compile(b); err != nil {
			return bounds[i], err
		}
	}
	of, err := c.Compile(x.Of)
	if err != nil {
		return of, err
	}
	return c.fold(func(e *Input) (value.Value, error) {
		v, err := of.Fn(e)
		if err != nil {
			return v, err
		}
		from, err := bounds[0].Fn(e)
		if err != nil {
			return from, err
		}
		to, err := bounds[1].Fn(e)
		if err != nil {
			return to, err
		}
		v, err = slice(rt, v, from, to)
		return v, At(x.Pos, err)
	}, of.Constant && bounds[0].Constant && bounds[1].Constant), nil
}

// slice returns of[from..to] without to. Negative bounds count from the end; bounds outside the list are cut to it.
func slice(rt *Runtime, of, from, to value.Value) (value.Value, error) {
	if of.IsNull() || from.IsNull() || to.IsNull() {
		return value.Value{}, nil
	}
	if of.Kind() != value.List {
		return of, Errorf(CodeArgumentType, "%s cannot be sliced; only lists can", Describe(of))
	}
	for _, b := range []value.Value{from, to} {
		if b.Kind() != value.Int {
			return b, Errorf(CodeArgumentType, "a list is sliced between integers, not %s", Describe(b))
		}
	}
	l := of.List()
	lo, hi := bound(from.Int(), len(l)), bound(to.Int(), len(l))
	if lo >= hi {
		return value.OfList(nil), nil
	}
	return part(rt, of, int(lo), int(hi))
}

func bound(i int64, n int) int64 {
	if i < 0 {
		i += int64(n)
	}
	return max(0, min(i, int64(n)))
}

// hasLabels compiles x:Labels. For a relationship it treats the type as the only label.
func (c *Compiler) hasLabels(x *lang.HasLabels) (Closure, error) {
	rt := c.Runtime
	labels, types := ResolveLabels(x.Labels, rt.Snapshot.Labels), ResolveLabels(x.Labels, rt.Snapshot.Types)
	return c.unary(x.Pos, x.X, func(v value.Value) (value.Value, error) {
		switch k := v.Kind(); {
		case k == value.Deleted:
			return v, Gone("the labels")
		case rt.Reader != nil && (k == value.Node || k == value.Rel):
			return rt.hasNames(x.Labels, v)
		}
		switch v.Kind() {
		case value.Node:
			return value.OfBool(labels.Admits(rt.Snapshot.LabelsOf(v.Node()))), nil
		case value.Rel:
			only := [1]csr.LabelID{csr.LabelID(rt.Snapshot.TypeOf(v.Rel()))}
			return value.OfBool(types.Admits(only[:])), nil
		case value.Null:
			return v, nil
		}
		return v, Errorf(CodeArgumentType, "%s has no labels", Describe(v))
	})
}

// hasNames does the work of hasLabels in a writing clause, where names are not numbered yet.
func (rt *Runtime) hasNames(x *lang.LabelExpr, v value.Value) (value.Value, error) {
	if v.Kind() == value.Rel {
		return value.OfBool(admits(x, []string{rt.Reader.TypeName(v.Rel())})), nil
	}
	names, err := rt.Reader.Labels(v.Node())
	return value.OfBool(admits(x, names)), err
}

var labelOps = [...]pattern.LabelOp{lang.LabelName: pattern.LabelName, lang.LabelAny: pattern.LabelAny,
	lang.LabelNot: pattern.LabelNot, lang.LabelAnd: pattern.LabelAnd, lang.LabelOr: pattern.LabelOr}

// ResolveLabels returns a label expression with the numbers that a dictionary gives its names.
func ResolveLabels(x *lang.LabelExpr, names *csr.Dict) *pattern.Label {
	l := &pattern.Label{Op: labelOps[x.Op], Name: x.Name}
	if x.Op == lang.LabelName {
		id, ok := names.Lookup(x.Name)
		l.ID, l.Unknown = csr.LabelID(id), !ok
	}
	for _, arg := range x.Args {
		l.Args = append(l.Args, ResolveLabels(arg, names))
	}
	return l
}
