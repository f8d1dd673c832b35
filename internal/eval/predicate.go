package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// Predicates compiles conditions on the elements of one pattern. Workers run the closures side by side.
type Predicates struct{ *Compiler }

// Predicates returns a compiler for conditions on a pattern whose vertices and edges have these names; "" means no name.
// The names hide variables of c.
func (c *Compiler) Predicates(vertices, edges []string) *Predicates {
	rt := *c.Runtime
	p := &Predicates{&Compiler{Runtime: &rt, Live: c.Live, vars: maps.Clone(c.vars), worker: true}}
	for i, name := range vertices {
		if name != "" {
			p.vars[name] = variable{inVertex, i}
		}
	}
	for i, name := range edges {
		if name != "" {
			p.vars[name] = variable{inEdge, i}
		}
	}
	return p
}

// Alone lets conditions run subqueries: one goroutine alone will run the closures.
func (c *Predicates) Alone() *Predicates {
	c.worker = false
	return c
}

// OfPattern returns a compiler for conditions on the elements of p.
func (c *Compiler) OfPattern(p *pattern.Pattern) *Predicates {
	vertices, edges := make([]string, len(p.Vertices)), make([]string, len(p.Edges))
	for u := range p.Vertices {
		vertices[u] = p.Vertices[u].Name
	}
	for e := range p.Edges {
		edges[e] = p.Edges[e].Name
	}
	return c.Predicates(vertices, edges)
}

// Tests returns a copy of p whose predicates have their Tests, compiled from exprs, and the compiler of these; nil for none. p belongs
// to the plan, which other executions share.
func (c *Compiler) Tests(p *pattern.Pattern, exprs []lang.Expr) (*pattern.Pattern, *Predicates, error) {
	out := *p
	if len(p.Predicates) == 0 {
		return &out, nil, nil
	}
	k := c.OfPattern(p)
	out.Predicates = slices.Clone(p.Predicates)
	for i := range out.Predicates {
		var err error
		q := &out.Predicates[i]
		if len(q.Vertices) > 1 || len(q.Edges) > 0 { // others are tested before the search
			q.Sift = k.sift(exprs[i])
		}
		if q.Test, err = k.Test(exprs[i]); err == nil && q.Equal != nil {
			q.Equal, err = k.keys(q.Equal, exprs[i].(*lang.Binary))
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return &out, k, nil
}

// keys compiles both sides of an equality.
func (c *Predicates) keys(q *pattern.Equality, x *lang.Binary) (*pattern.Equality, error) {
	out := &pattern.Equality{Of: q.Of}
	var err error
	for i, side := range []lang.Expr{x.L, x.R} {
		if out.Keys[i], err = c.key(q.Of[i], side); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// key compiles an expression that reads vertex u to its key.
func (c *Predicates) key(u int, x lang.Expr) (pattern.Key, error) {
	k, err := c.Compile(x)
	if err != nil {
		return nil, err
	}
	row := c.Row
	pool := &sync.Pool{New: func() any { return &Input{Row: row, Vertices: make([]csr.VertexID, u+1)} }}
	return func(dst []byte, v csr.VertexID) (key []byte, exact, ok bool, err error) {
		e := pool.Get().(*Input)
		defer pool.Put(e)
		e.Vertices[u] = v
		x, err := k.Fn(e)
		c.Settle(e, 0)
		switch {
		case err != nil || x.IsNull() || x.Kind() == value.Float && x.Float() != x.Float():
			return dst, true, false, err
		case x.Kind() == value.Bool, x.Kind() == value.Int, x.Kind() == value.Float, x.Kind() == value.String:
			exact = true
		}
		return value.AppendKey(dst, x), exact, true, nil
	}, nil
}

// Test compiles one predicate.
func (c *Predicates) Test(x lang.Expr) (pattern.Test, error) {
	if !c.runsPlan(x) {
		if t, err := c.fastTest(x); t != nil || err != nil {
			return t, err
		}
	}
	k, err := c.Compile(x)
	if err != nil {
		return nil, err
	}
	if k.Constant {
		if v, err := k.Fn(nil); err == nil && (v.IsNull() || v.Kind() == value.Bool) {
			return func([]csr.VertexID, []csr.EdgeID) (bool, error) { return v.Bool(), nil }, nil
		}
	}
	row := c.Row
	pool := &sync.Pool{New: func() any { return &Input{Row: row} }}
	return func(vertices []csr.VertexID, edges []csr.EdgeID) (bool, error) {
		e := pool.Get().(*Input)
		e.Vertices, e.Edges = vertices, edges
		v, err := k.Fn(e)
		c.Settle(e, 0)
		e.Vertices, e.Edges = nil, nil
		pool.Put(e)
		if err != nil {
			return false, err
		}
		return Holds(v, x)
	}, nil
}

// runsPlan reports whether x has a part that runs a plan.
func (c *Predicates) runsPlan(x lang.Expr) (found bool) {
	lang.Walk(x, func(x lang.Expr) bool {
		if c.Plans != nil {
			sub := c.Plans.Subplan(x)
			found = found || sub != nil && sub.Hop == nil
		}
		return !found
	})
	return found
}

// Holds reports whether a condition with the value v lets a row or match pass: only true does.
func Holds(v value.Value, x lang.Expr) (bool, error) {
	b, _, err := truth(v, "WHERE")
	return b, At(x.Position(), err)
}

// fastTest compiles the commonest predicates to a single test: a property or an id compared with a constant, or with another property. It
// returns nil for other expressions.
func (c *Predicates) fastTest(x lang.Expr) (pattern.Test, error) {
	b, ok := x.(*lang.Binary)
	if !ok || !comparison(b.Op) {
		return nil, nil
	}
	if t := c.pairTest(b); t != nil {
		return t, nil
	}
	op, subject, object := b.Op, b.L, b.R
	k, err := c.Compile(object)
	if err != nil {
		return nil, err
	}
	if !k.Constant {
		op, subject, object = mirrored(op), b.R, b.L
		if k, err = c.Compile(object); err != nil || !k.Constant {
			return nil, err
		}
	}
	v, err := k.Fn(nil)
	if err != nil {
		return nil, nil // the general path reports the error where a row reaches it
	}
	switch y := subject.(type) {
	case *lang.Property:
		return c.propertyTest(y, op, v), nil
	case *lang.Call:
		return c.idTest(y, op, v), nil
	}
	return nil, nil
}

func comparison(op lang.Op) bool {
	switch op {
	case "=", "<>", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// mirrored returns op with its sides exchanged.
func mirrored(op lang.Op) lang.Op {
	switch op[0] {
	case '<':
		if op == "<>" {
			return op
		}
		return ">" + op[1:]
	case '>':
		return "<" + op[1:]
	}
	return op
}

// element returns x as a query vertex or edge.
func (c *Predicates) element(x lang.Expr) (variable, bool) {
	if v, ok := x.(*lang.Var); ok {
		ref, ok := c.vars[v.Name]
		return ref, ok && ref.kind != inSlot
	}
	return variable{}, false
}

func (c *Predicates) propertyTest(x *lang.Property, op lang.Op, k value.Value) pattern.Test {
	ref, ok := c.element(x.Of)
	if !ok {
		return nil
	}
	cols, passes, i := c.columns(x.Key), cellTest(op, k), ref.index
	if ref.kind == inVertex {
		return func(vertices []csr.VertexID, _ []csr.EdgeID) (bool, error) {
			cell, ok := cols.vertices.Get(uint64(vertices[i]))
			return ok && passes(cell), nil
		}
	}
	return func(_ []csr.VertexID, edges []csr.EdgeID) (bool, error) {
		cell, ok := cols.edges.Get(uint64(edges[i]))
		return ok && passes(cell), nil
	}
}

// cellTest compares a property with the constant k. A missing property never passes: null is not true.
func cellTest(op lang.Op, k value.Value) func(csr.Cell) bool {
	compare := binaryOps[op]
	slow := func(c csr.Cell) bool {
		v, _ := compare(value.OfCell(c), k) // comparisons do not fail
		return v.Bool()
	}
	wanted := outcomes(op)
	switch k.Kind() {
	case value.Int:
		n := k.Int()
		return func(c csr.Cell) bool {
			if c.Kind == csr.KindInt {
				return wanted[cmp.Compare(int64(c.Num), n)+1]
			}
			return slow(c)
		}
	case value.String:
		s := k.Str()
		return func(c csr.Cell) bool {
			if c.Kind == csr.KindString {
				return wanted[strings.Compare(c.Str, s)+1]
			}
			return slow(c)
		}
	}
	return slow
}

// outcomes lists for the comparison results -1, 0 and 1 whether op is true.
func outcomes(op lang.Op) [3]bool {
	switch op {
	case "=":
		return [3]bool{false, true, false}
	case "<>":
		return [3]bool{true, false, true}
	case "<":
		return [3]bool{true, false, false}
	case "<=":
		return [3]bool{true, true, false}
	case ">":
		return [3]bool{false, false, true}
	}
	return [3]bool{false, true, true}
}

// idTest compiles id(x) = k. It looks the id up once.
func (c *Predicates) idTest(x *lang.Call, op lang.Op, k value.Value) pattern.Test {
	if x.Name != "id" || op != "=" || len(x.Args) != 1 {
		return nil
	}
	ref, ok := c.element(x.Args[0])
	n, isInt := wholeNumber(k)
	if !ok || !isInt {
		return nil
	}
	i := ref.index
	if ref.kind == inVertex {
		v, found := c.Snapshot.VertexByNodeID(csr.NodeID(n))
		return func(vertices []csr.VertexID, _ []csr.EdgeID) (bool, error) { return found && vertices[i] == v, nil }
	}
	e, found := c.Snapshot.EdgeByRelID(csr.RelID(n))
	return func(_ []csr.VertexID, edges []csr.EdgeID) (bool, error) { return found && edges[i] == e, nil }
}

func wholeNumber(v value.Value) (uint64, bool) {
	if v.Kind() == value.Int && v.Int() >= 0 {
		return uint64(v.Int()), true
	}
	return 0, false
}

// Count evaluates the number after SKIP or LIMIT, which may read no variables.
func (c *Compiler) Count(x lang.Expr, clause string) (uint64, error) {
	k, err := c.Compile(x)
	if err != nil {
		return 0, err
	}
	if !k.Constant && readsRow(x, c.vars) {
		return 0, &Error{Code: CodeNotInteger, Msg: clause + " cannot depend on a row", Pos: x.Position()}
	}
	v, err := c.now(k.Fn)
	switch {
	case err != nil:
		return 0, err
	case v.Kind() != value.Int:
		return 0, &Error{Code: CodeNotInteger, Msg: fmt.Sprintf("%s needs an integer, not %s", clause, Describe(v)), Pos: x.Position()}
	case v.Int() < 0:
		return 0, &Error{Code: CodeNegative, Msg: fmt.Sprintf("%s needs an integer of 0 or more, not %v", clause, v), Pos: x.Position()}
	}
	return uint64(v.Int()), nil
}

// readsRow reports whether x reads a variable. rand() is not constant and yet reads none.
func readsRow(x lang.Expr, vars map[string]variable) (reads bool) {
	lang.Walk(x, func(x lang.Expr) bool {
		switch x := x.(type) {
		case *lang.Var:
			_, known := vars[x.Name]
			reads = reads || known
		case *lang.PatternExpr, *lang.PatternComprehension, *lang.Subquery:
			reads = true
		}
		return !reads
	})
	return reads
}
