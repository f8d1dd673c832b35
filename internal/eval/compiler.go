// Package eval computes the values of expressions.
//
// In goes a checked expression; out comes a closure. The closure computes the value over a row or, for a predicate of a
// pattern, over a match.
//
// It is fast because the compiler settles what is known before the first row. It looks up the names of labels, types and
// keys, turns parameters into constants and computes constant parts. A comparison of a property with a constant becomes
// one test of a column.
//
// Aggregates live here too, and the accounts that charge operators for the memory they hold.
//
// The package never runs a plan and never changes a graph. Runtime says what a closure reads of its execution. The
// execution runs subqueries, through the interface Subplans.
package eval

import (
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Input holds what an expression reads: the slots of a row or, in a predicate of a pattern, the elements of a match.
type Input struct {
	Row      []value.Value
	Vertices []csr.VertexID
	Edges    []csr.EdgeID
	locals   []value.Value // variables of comprehensions, the outermost first

	made    int64 // bytes of the values that live, see Runtime.settle
	granted int64 // those taken from the budget
	steps   int   // until the next look at the context
}

// Func computes the value of an expression. It allocates only for values that need memory themselves.
type Func func(e *Input) (value.Value, error)

// Closure is an expression ready to run. A constant one runs without an Input.
type Closure struct {
	Fn       Func
	Constant bool
}

func constant(v value.Value) Closure {
	return Closure{func(*Input) (value.Value, error) { return v, nil }, true}
}

// fold computes fn now if everything below it is constant. An expression that fails stays as it is, because no row may
// ever reach it.
func (rt *Runtime) fold(fn Func, constantBelow bool) Closure {
	if constantBelow {
		if v, err := rt.now(fn); err == nil {
			return constant(v)
		}
	}
	return Closure{fn, constantBelow}
}

// now evaluates an expression that reads no row. Its value stays charged, because closures keep it.
func (rt *Runtime) now(fn Func) (value.Value, error) {
	mark := rt.folded.made
	v, err := fn(rt.folded)
	if err != nil {
		rt.Settle(rt.folded, mark)
	}
	return v, err
}

// variable says where to find a variable's value.
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

func (v variable) eval() Func {
	i := v.index
	switch v.kind {
	case inVertex:
		return func(e *Input) (value.Value, error) { return value.OfNode(e.Vertices[i]), nil }
	case inLocal:
		return func(e *Input) (value.Value, error) { return e.locals[i], nil }
	case inEdge:
		return func(e *Input) (value.Value, error) { return value.OfRel(e.Edges[i]), nil }
	}
	return func(e *Input) (value.Value, error) { return e.Row[i], nil }
}

// Compiler turns expressions into closures for one execution. It looks names up once, makes parameters constants and
// computes what is constant. Closures keep its Runtime, not the Compiler.
type Compiler struct {
	*Runtime
	Live   map[int]bool // the slots that somebody above reads, and the expressions compiled so far
	vars   map[string]variable
	locals int       // the number of local variables in scope
	reads  freeReads // see closed
	worker bool      // workers run the closures, so they may contain no subquery
}

// NewCompiler returns a compiler that knows no variables yet.
func NewCompiler(rt *Runtime) *Compiler {
	rt.folded = &Input{}
	return &Compiler{Runtime: rt, Live: map[int]bool{}, vars: map[string]variable{}}
}

// Declare makes name stand for a slot of the row.
func (c *Compiler) Declare(name string, slot int) { c.vars[name] = variable{inSlot, slot} }

// Slot returns the slot that a variable stands for.
func (c *Compiler) Slot(name string) int { return c.vars[name].index }

// On returns a compiler with the same variables and the same Live whose closures read rt.
func (c *Compiler) On(rt *Runtime) *Compiler {
	d := *c
	d.Runtime = rt
	return &d
}

// Compile returns x as a closure. It fails for a missing parameter; any other error is a bug of the planner.
func (c *Compiler) Compile(x lang.Expr) (Closure, error) {
	switch x := x.(type) {
	case *lang.Literal:
		return literal(x)
	case *lang.Param:
		if v, ok := c.Params[x.Name]; ok {
			return constant(v), nil
		}
		return Closure{}, &Error{Code: CodeParameter, Msg: fmt.Sprintf("the parameter $%s has no value", x.Name),
			Hint: "pass a value for it along with the query", Pos: x.Pos}
	case *lang.Var:
		return c.variable(x)
	case *lang.Property:
		return c.property(x)
	case *lang.Index:
		return c.binaryOf(x.Pos, x.Of, x.At, false, c.index)
	case *lang.Slice:
		return c.slice(x)
	case *lang.Unary:
		return c.unaryOp(x)
	case *lang.Binary:
		return c.binaryOp(x)
	case *lang.IsNull:
		return c.unary(x.Pos, x.X, func(v value.Value) (value.Value, error) { return value.OfBool(v.IsNull() != x.Not), nil })
	case *lang.IsType:
		return c.unary(x.Pos, x.X, func(v value.Value) (value.Value, error) { return value.OfBool(IsOfType(v, x.Type) != x.Not), nil })
	case *lang.HasLabels:
		return c.hasLabels(x)
	}
	return c.compound(x)
}

func (c *Compiler) compound(x lang.Expr) (Closure, error) {
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
		return c.subplan(x)
	case *lang.ListComprehension:
		return c.closed(func() (Func, error) { return c.listComprehension(x) })
	case *lang.Quantifier:
		return c.closed(func() (Func, error) { return c.quantifier(x) })
	case *lang.Reduce:
		return c.closed(func() (Func, error) { return c.reduce(x) })
	case *lang.MapProjection:
		return c.mapProjection(x)
	}
	return Closure{}, &Error{Code: CodeInternal, Msg: fmt.Sprintf("cannot evaluate a %T here", x), Pos: x.Position()}
}

func literal(x *lang.Literal) (Closure, error) {
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
	return Closure{}, &Error{Code: CodeInternal, Msg: fmt.Sprintf("literal of type %T", x.Value), Pos: x.Pos}
}

func (c *Compiler) variable(x *lang.Var) (Closure, error) {
	v, ok := c.vars[x.Name]
	if !ok {
		return Closure{}, &Error{Code: CodeInternal, Msg: fmt.Sprintf("the variable %s is not in the plan", x.Name), Pos: x.Pos}
	}
	switch v.kind {
	case inLocal:
		c.reads.local = min(c.reads.local, v.index)
	case inSlot:
		c.Live[v.index] = true
		fallthrough
	default:
		c.reads.row = true
	}
	return Closure{Fn: v.eval()}, nil
}

// CompileAll compiles several expressions. constant reports whether all of them are constant.
func (c *Compiler) CompileAll(xs []lang.Expr) (fns []Func, constant bool, err error) {
	fns, constant = make([]Func, len(xs)), true
	for i, x := range xs {
		k, err := c.Compile(x)
		if err != nil {
			return nil, false, err
		}
		fns[i], constant = k.Fn, constant && k.Constant
	}
	return fns, constant, nil
}

// unary applies op to the value of x and gives op's errors the place pos.
func (c *Compiler) unary(pos lang.Pos, x lang.Expr, op func(value.Value) (value.Value, error)) (Closure, error) {
	k, err := c.Compile(x)
	if err != nil {
		return k, err
	}
	return c.fold(func(e *Input) (value.Value, error) {
		v, err := k.Fn(e)
		if err != nil {
			return v, err
		}
		if v, err = op(v); err != nil {
			return v, At(pos, err)
		}
		return v, nil
	}, k.Constant), nil
}

// binary applies op to the values of x and y and gives op's errors the place pos.
func (c *Compiler) binary(pos lang.Pos, x, y lang.Expr, op func(a, b value.Value) (value.Value, error)) (Closure, error) {
	return c.binaryOf(pos, x, y, true, op)
}

// binaryOf is binary for an operator that may read its operands whole, or only a part of them.
func (c *Compiler) binaryOf(pos lang.Pos, x, y lang.Expr, whole bool, op func(a, b value.Value) (value.Value, error)) (Closure, error) {
	l, err := c.Compile(x)
	if err != nil {
		return l, err
	}
	r, err := c.Compile(y)
	if err != nil {
		return r, err
	}
	rt := c.Runtime
	return c.fold(func(e *Input) (value.Value, error) {
		mark := e.Mark()
		a, err := l.Fn(e)
		if err != nil {
			return a, err
		}
		b, err := r.Fn(e)
		if err != nil {
			return b, err
		}
		v, err := op(a, b)
		if err == nil && (a.Large() || b.Large()) {
			read := int64(0)
			if whole {
				read = a.Bytes() + b.Bytes()
			}
			err = rt.keep(e, mark, read, v)
		}
		if err != nil {
			return v, At(pos, err)
		}
		return v, nil
	}, l.Constant && r.Constant), nil
}

func (c *Compiler) list(x *lang.ListLit) (Closure, error) {
	items, constant, err := c.CompileAll(x.Items)
	if err != nil {
		return Closure{}, err
	}
	rt := c.Runtime
	return c.fold(func(e *Input) (value.Value, error) {
		l := make([]value.Value, len(items))
		for i, item := range items {
			var err error
			if l[i], err = item(e); err != nil {
				return value.Value{}, err
			}
		}
		v := value.OfList(l)
		return v, At(x.Pos, rt.contain(e, 24+24*int64(len(l)), v))
	}, constant), nil
}

// mapping compiles a map literal. The last value of a repeated key counts.
func (c *Compiler) mapping(x *lang.MapLit) (Closure, error) {
	values, constant, err := c.CompileAll(x.Values)
	if err != nil {
		return Closure{}, err
	}
	var keys []string
	place := make([]int, len(values)) // where each value goes among the keys
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
	rt := c.Runtime
	return c.fold(func(e *Input) (value.Value, error) {
		m := &value.MapValue{Keys: keys, Values: make([]value.Value, len(keys))}
		for i, fn := range values {
			v, err := fn(e)
			if err != nil {
				return value.Value{}, err
			}
			m.Values[place[i]] = v
		}
		v := value.OfMap(m)
		return v, At(x.Pos, rt.contain(e, 48+24*int64(len(keys)), v))
	}, constant), nil
}
