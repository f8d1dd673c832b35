package exec

import (
	"fmt"
	"math"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// option returns an option that has a value; nil if it is missing or null.
func (c *callStage) option(name string) *option {
	for i := range c.options {
		if o := &c.options[i]; o.name == name && !o.value.IsNull() {
			return o
		}
	}
	return nil
}

// wrong returns the error for an option with a value of the wrong type.
func (o *option) wrong(needs string, got value.Value) error {
	return eval.At(o.pos, eval.Errorf(eval.CodeArgumentType, "the option `%s` needs %s, not %s", o.name, needs, eval.Describe(got)))
}

// number returns an integer option that is at least least; missing if it has no value.
func (c *callStage) number(name string, least, missing int64) (int64, error) {
	o := c.option(name)
	switch {
	case o == nil:
		return missing, nil
	case o.value.Kind() != value.Int:
		return 0, o.wrong("an integer", o.value)
	case o.value.Int() < least:
		return 0, eval.At(o.pos, eval.Errorf(eval.CodeArgumentValue, "the option `%s` is at least %d, not %d", name, least, o.value.Int()))
	}
	return o.value.Int(), nil
}

// types returns the relationship types in the options type and types; nil for any. It ignores names that the graph does
// not have.
func (c *callStage) types() (csr.TypeSet, error) {
	o := c.option("type")
	if o == nil {
		if o = c.option("types"); o == nil {
			return nil, nil
		}
	}
	names := []value.Value{o.value}
	if o.name == "types" && o.value.Kind() == value.List {
		names = o.value.List()
	}
	set := csr.TypeSet{}
	for _, v := range names {
		if v.Kind() != value.String {
			return nil, o.wrong("a string", v)
		}
		if t, ok := c.x.s.Types.Lookup(v.Str()); ok {
			set = set.Union(csr.TypeSet{csr.TypeID(t)})
		}
	}
	return set, nil
}

// word returns an option that must be one of some words, spelt as there; "" if it is missing.
func (c *callStage) word(name string, of ...string) (string, error) {
	o := c.option(name)
	if o == nil {
		return "", nil
	}
	if o.value.Kind() != value.String {
		return "", o.wrong("a string", o.value)
	}
	for _, w := range of {
		if strings.EqualFold(w, o.value.Str()) {
			return w, nil
		}
	}
	list := "'" + strings.Join(of, "', '") + "'"
	if i := strings.LastIndex(list, ", "); i >= 0 {
		list = list[:i] + " or" + list[i+1:]
	}
	return "", eval.At(o.pos, eval.Errorf(eval.CodeArgumentValue, "the option `%s` is %s, not %v", name, list, o.value))
}

// direction reads the option direction of procedures that follow relationships.
func (c *callStage) direction() (csr.Direction, error) {
	word, err := c.word("direction", "OUT", "IN", "BOTH")
	switch word {
	case "IN":
		return csr.In, err
	case "BOTH":
		return csr.Both, err
	}
	return csr.Out, err
}

// graph is the simple graph that a procedure sees: the snapshot, or the graph of its mutual relationships, with the types
// and vertices that count. It is undirected unless direction says otherwise.
type graph struct {
	s *csr.Snapshot
	pattern.Subgraph
	direction csr.Direction
}

// graph reads the options type, types, label and direction. words are the values of direction beside BOTH and MUTUAL.
func (c *callStage) graph(words ...string) (*graph, error) {
	g := &graph{s: c.x.s, direction: csr.Both}
	var err error
	if g.Types, err = c.types(); err != nil {
		return nil, err
	}
	if g.Within, err = c.labelled(); err != nil {
		return nil, err
	}
	word, err := c.word("direction", append(append([]string{"BOTH"}, words...), "MUTUAL")...)
	switch word {
	case "OUT":
		g.direction = csr.Out
	case "IN":
		g.direction = csr.In
	case "MUTUAL":
		if !c.recording { // that takes a while, and the size of g is about the same
			g.s, err = c.x.s.Reciprocal(c.x.ctx, g.Types)
			g.Types = nil
		}
	}
	return g, err
}

// holds reports whether g has at least size vertices.
func (g *graph) holds(size int64) bool {
	if g.Within != nil {
		return size <= int64(g.Within.Len())
	}
	return uint64(size) <= g.s.N()
}

// listOf returns the vertices of a set; nil for all.
func listOf(within *pattern.CandidateSet) []csr.VertexID {
	if within == nil {
		return nil
	}
	if list := within.List(); list != nil {
		return list
	}
	return []csr.VertexID{}
}

// each calls row for the vertices of g until row returns false.
func (g *graph) each(row func(v csr.VertexID) (bool, error)) (more bool, err error) {
	if g.Within == nil {
		return each(int(g.s.N()), func(v int) (bool, error) { return row(csr.VertexID(v)) })
	}
	return each(g.Within.Len(), func(i int) (bool, error) { return row(g.Within.List()[i]) })
}

// level reads the option k of cores and trusses, which is at least least. It returns 0 for all and pattern.KMax for the
// largest.
func (c *callStage) level(least int64) (uint32, error) {
	o := c.option("k")
	if o != nil && o.value.Kind() == value.String {
		if strings.EqualFold(o.value.Str(), "max") {
			return pattern.KMax, nil
		}
		return 0, eval.At(o.pos, eval.Errorf(eval.CodeArgumentValue, "the option `k` is an integer or 'max', not %v", o.value))
	}
	n, err := c.number("k", least, 0)
	return uint32(min(n, math.MaxUint32-1)), err
}

// vertices returns the nodes in argument i: a node, the id of one, or a list of these. Null means none.
func (c *callStage) vertices(i int) ([]csr.VertexID, error) {
	list, err := c.nodesOf(c.values[i], c.plan.Procedure.Name)
	return list, eval.At(c.plan.Args[i].Position(), err)
}

// nodesOf reads a node, the id of one, or a list of these. what names the reader in errors.
func (c *callStage) nodesOf(v value.Value, what string) ([]csr.VertexID, error) {
	switch v.Kind() {
	case value.Null:
		return nil, nil
	case value.Node:
		return []csr.VertexID{v.Node()}, nil
	case value.Int:
		if n, ok := c.x.s.VertexByNodeID(csr.NodeID(v.Int())); ok && v.Int() >= 0 {
			return []csr.VertexID{n}, nil
		}
		return nil, eval.Errorf(eval.CodeArgumentValue, "there is no node with the id %d", v.Int())
	case value.List:
		all := make([]csr.VertexID, 0, len(v.List()))
		for _, e := range v.List() {
			if e.Kind() == value.List {
				return nil, eval.Errorf(eval.CodeArgumentType, "%s takes a node or a list of nodes, not a list of lists", what)
			}
			one, err := c.nodesOf(e, what)
			if err != nil {
				return nil, err
			}
			all = append(all, one...)
		}
		return all, nil
	}
	return nil, eval.Errorf(eval.CodeArgumentType, "%s takes a node or a list of nodes, not %s", what, eval.Describe(v))
}

// labelled returns the vertices that the label expression in the option label admits; nil without the option.
func (c *callStage) labelled() (*pattern.CandidateSet, error) {
	o := c.option("label")
	if o == nil {
		return nil, nil
	}
	if o.value.Kind() != value.String {
		return nil, o.wrong("a string", o.value)
	}
	x, err := lang.ParseLabels(o.value.Str())
	if err != nil {
		return nil, &eval.Error{Code: eval.CodeArgumentValue, Pos: o.pos, Hint: lang.LabelHint,
			Msg: fmt.Sprintf("the option `label` is a label expression, which %v is not", o.value)}
	}
	label := eval.ResolveLabels(x, c.x.s.Labels)
	bitmap, n := make([]uint64, (c.x.s.N()+63)/64), int64(0)
	for _, class := range c.x.s.Classes {
		if !label.Admits(class.Labels) {
			continue
		}
		n += int64(class.Len())
		for v := class.Lo; v < class.Hi; v++ {
			bitmap[v>>6] |= 1 << (v & 63)
		}
	}
	if err := c.account.Charge(8*int64(len(bitmap)) + 4*n); err != nil {
		return nil, err
	}
	return pattern.CandidateSetOf(bitmap), nil
}

// avoided returns a test for the vertices in the option avoid; nil without the option.
func (c *callStage) avoided() (func(csr.VertexID) bool, error) {
	o := c.option("avoid")
	if o == nil {
		return nil, nil
	}
	list, err := c.nodesOf(o.value, "the option `avoid`")
	if err != nil {
		return nil, eval.At(o.pos, err)
	}
	bitmap := make([]uint64, (c.x.s.N()+63)/64)
	for _, v := range list {
		bitmap[v>>6] |= 1 << (v & 63)
	}
	return func(v csr.VertexID) bool { return bitmap[v>>6]>>(v&63)&1 != 0 }, c.account.Charge(8 * int64(len(bitmap)))
}
