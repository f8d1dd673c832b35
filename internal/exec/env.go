package exec

import (
	"context"
	"fmt"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// env is what an expression reads: the slots of a row or, in a predicate of a pattern, the elements of a match.
type env struct {
	row      []value.Value
	vertices []csr.VertexID
	edges    []csr.EdgeID
	locals   []value.Value // of comprehensions and the like, by how deep they stand in each other
}

// eval evaluates a compiled expression. It allocates nothing unless the value itself needs memory.
type eval func(e *env) (value.Value, error)

// compiled is an expression ready to run. A constant one may be evaluated without an env.
type compiled struct {
	fn       eval
	constant bool
}

func constant(v value.Value) compiled {
	return compiled{func(*env) (value.Value, error) { return v, nil }, true}
}

// fold evaluates fn once and for all if everything below it is constant. An expression that fails stays as it
// is, since it may never be reached.
func fold(fn eval, constantBelow bool) compiled {
	if constantBelow {
		if v, err := fn(nil); err == nil {
			return constant(v)
		}
	}
	return compiled{fn, constantBelow}
}

// variable says where a variable's value is found.
type variable struct {
	kind  variableKind
	index int // slot, query vertex, query edge or local variable
}

type variableKind uint8

const (
	inSlot variableKind = iota
	inVertex
	inEdge
	inLocal
)

func (v variable) eval() eval {
	i := v.index
	switch v.kind {
	case inVertex:
		return func(e *env) (value.Value, error) { return value.OfNode(e.vertices[i]), nil }
	case inLocal:
		return func(e *env) (value.Value, error) { return e.locals[i], nil }
	case inEdge:
		return func(e *env) (value.Value, error) { return value.OfRel(e.edges[i]), nil }
	}
	return func(e *env) (value.Value, error) { return e.row[i], nil }
}

// compiler turns expressions into closures for one execution: names of labels, types and keys are looked up and
// parameters put in as constants.
type compiler struct {
	s      *csr.Snapshot
	params map[string]value.Value
	vars   map[string]variable
	used   map[int]bool    // slots that the expressions compiled so far read
	ctx    context.Context // ends long loops; nil for never
	memory *pattern.Memory // bounds single values; nil for no bound
	now    time.Time       // see clock
	locals int             // how many local variables are in scope
	reads  freeReads       // by the expressions compiled so far, see closed
	live   reader          // what a writing clause reads; nil: the snapshot

	x       *execution
	pattern bool // the expressions are predicates of a pattern, which workers evaluate
}

// reader is what nodes and relationships are read through.
func (c *compiler) reader() reader {
	if c.live != nil {
		return c.live
	}
	return settled{c.s}
}

// compile returns x as a closure. Errors are missing parameters; any other is a bug of the planner.
func (c *compiler) compile(x lang.Expr) (compiled, error) {
	switch x := x.(type) {
	case *lang.Literal:
		return literal(x)
	case *lang.Param:
		if v, ok := c.params[x.Name]; ok {
			return constant(v), nil
		}
		return compiled{}, &Error{Code: CodeParameter, Msg: fmt.Sprintf("the parameter $%s has no value", x.Name),
			Hint: "pass a value for it along with the query", Pos: x.Pos}
	case *lang.Var:
		return c.variable(x)
	case *lang.Property:
		return c.property(x)
	case *lang.Index:
		return c.binary(x.Pos, x.Of, x.At, c.index)
	case *lang.Slice:
		return c.slice(x)
	case *lang.Unary:
		return c.unaryOp(x)
	case *lang.Binary:
		return c.binaryOp(x)
	case *lang.IsNull:
		return c.unary(x.Pos, x.X, func(v value.Value) (value.Value, error) { return value.OfBool(v.IsNull() != x.Not), nil })
	case *lang.HasLabels:
		return c.hasLabels(x)
	}
	return c.compound(x)
}

func (c *compiler) compound(x lang.Expr) (compiled, error) {
	switch x := x.(type) {
	case *lang.Call:
		if x.Name == planner.PathFunction {
			return c.pathOf(x)
		}
		return c.call(x)
	case *lang.ListLit:
		return c.list(x)
	case *lang.MapLit:
		return c.mapping(x)
	case *lang.Case:
		return c.caseOf(x)
	case *lang.PatternExpr, *lang.PatternComprehension, *lang.Subquery:
		c.reads.row = true
		return c.subPlan(x)
	case *lang.ListComprehension:
		return c.closed(func() (eval, error) { return c.listComprehension(x) })
	case *lang.Quantifier:
		return c.closed(func() (eval, error) { return c.quantifier(x) })
	case *lang.Reduce:
		return c.closed(func() (eval, error) { return c.reduce(x) })
	case *lang.MapProjection:
		return c.mapProjection(x)
	}
	return compiled{}, &Error{Code: codeInternal, Msg: fmt.Sprintf("cannot evaluate a %T here", x), Pos: x.Position()}
}

func literal(x *lang.Literal) (compiled, error) {
	switch v := x.Value.(type) {
	case nil:
		return constant(value.Value{}), nil
	case bool:
		return constant(value.OfBool(v)), nil
	case int64:
		return constant(value.OfInt(v)), nil
	case float64:
		return constant(value.OfFloat(v)), nil
	case string:
		return constant(value.OfString(v)), nil
	}
	return compiled{}, &Error{Code: codeInternal, Msg: fmt.Sprintf("literal of type %T", x.Value), Pos: x.Pos}
}

func (c *compiler) variable(x *lang.Var) (compiled, error) {
	v, ok := c.vars[x.Name]
	if !ok {
		return compiled{}, &Error{Code: codeInternal, Msg: fmt.Sprintf("the variable %s is not in the plan", x.Name), Pos: x.Pos}
	}
	switch v.kind {
	case inLocal:
		c.reads.local = min(c.reads.local, v.index)
	case inSlot:
		c.used[v.index] = true
		fallthrough
	default:
		c.reads.row = true
	}
	return compiled{fn: v.eval()}, nil
}

// all compiles several expressions; constant tells whether all of them are.
func (c *compiler) all(xs []lang.Expr) (fns []eval, constant bool, err error) {
	fns, constant = make([]eval, len(xs)), true
	for i, x := range xs {
		k, err := c.compile(x)
		if err != nil {
			return nil, false, err
		}
		fns[i], constant = k.fn, constant && k.constant
	}
	return fns, constant, nil
}

// unary applies op to the value of x; its errors are placed at pos.
func (c *compiler) unary(pos lang.Pos, x lang.Expr, op func(value.Value) (value.Value, error)) (compiled, error) {
	k, err := c.compile(x)
	if err != nil {
		return k, err
	}
	return fold(func(e *env) (value.Value, error) {
		v, err := k.fn(e)
		if err != nil {
			return v, err
		}
		if v, err = op(v); err != nil {
			return v, at(pos, err)
		}
		return v, nil
	}, k.constant), nil
}

// binary applies op to the values of x and y; its errors are placed at pos.
func (c *compiler) binary(pos lang.Pos, x, y lang.Expr, op func(a, b value.Value) (value.Value, error)) (compiled, error) {
	l, err := c.compile(x)
	if err != nil {
		return l, err
	}
	r, err := c.compile(y)
	if err != nil {
		return r, err
	}
	return fold(func(e *env) (value.Value, error) {
		a, err := l.fn(e)
		if err != nil {
			return a, err
		}
		b, err := r.fn(e)
		if err != nil {
			return b, err
		}
		v, err := op(a, b)
		if err != nil {
			return v, at(pos, err)
		}
		return v, nil
	}, l.constant && r.constant), nil
}

func (c *compiler) list(x *lang.ListLit) (compiled, error) {
	items, constant, err := c.all(x.Items)
	if err != nil {
		return compiled{}, err
	}
	return fold(func(e *env) (value.Value, error) {
		l := make([]value.Value, len(items))
		for i, item := range items {
			var err error
			if l[i], err = item(e); err != nil {
				return value.Value{}, err
			}
		}
		return value.OfList(l), nil
	}, constant), nil
}

// mapping compiles a map literal. Of a key that is written twice the last value counts.
func (c *compiler) mapping(x *lang.MapLit) (compiled, error) {
	values, constant, err := c.all(x.Values)
	if err != nil {
		return compiled{}, err
	}
	var keys []string
	place := make([]int, len(values)) // of the value among the keys
	seen := map[string]int{}
	for i, k := range x.Keys {
		p, ok := seen[k.Text]
		if !ok {
			p = len(keys)
			seen[k.Text] = p
			keys = append(keys, k.Text)
		}
		place[i] = p
	}
	return fold(func(e *env) (value.Value, error) {
		m := &value.MapValue{Keys: keys, Values: make([]value.Value, len(keys))}
		for i, fn := range values {
			v, err := fn(e)
			if err != nil {
				return value.Value{}, err
			}
			m.Values[place[i]] = v
		}
		return value.OfMap(m), nil
	}, constant), nil
}
