package eval

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// function computes a function of one argument. The caller answers null for null.
type function func(rt *Runtime, v value.Value) (value.Value, error)

// functions holds the functions of one argument by lower-case name.
var functions = map[string]function{
	"id": id, "elementid": elementID, "labels": labels, "type": typeOf, "properties": properties, "keys": keys,
	"startnode": startNode, "endnode": endNode,
	"length": length, "nodes": nodesOf, "relationships": relationshipsOf,
	"size": size, "isempty": isEmpty, "head": head, "last": last, "tail": tail, "reverse": reverse,
	"abs": abs, "sign": sign, "isnan": isNaN,
	"ceil": float("ceil", math.Ceil), "floor": float("floor", math.Floor), "sqrt": float("sqrt", math.Sqrt),
	"exp": float("exp", math.Exp), "log": float("log", math.Log), "log10": float("log10", math.Log10),
	"sin": float("sin", math.Sin), "cos": float("cos", math.Cos), "tan": float("tan", math.Tan), "cot": float("cot", cot),
	"asin": float("asin", math.Asin), "acos": float("acos", math.Acos), "atan": float("atan", math.Atan),
	"degrees": float("degrees", degrees), "radians": float("radians", radians), "haversin": float("haversin", haversin),
	"tointeger": toInteger, "tofloat": toFloat, "tostring": toString, "toboolean": toBoolean,
	"tointegerornull": orNull(toInteger), "tofloatornull": orNull(toFloat), "tostringornull": orNull(toString), "tobooleanornull": orNull(toBoolean),
	"tointegerlist": eachOf("toIntegerList", toInteger), "tofloatlist": eachOf("toFloatList", toFloat),
	"tostringlist": eachOf("toStringList", toString), "tobooleanlist": eachOf("toBooleanList", toBoolean),
	"tolower": text("toLower", strings.ToLower), "toupper": text("toUpper", strings.ToUpper),
	"lower": text("lower", strings.ToLower), "upper": text("upper", strings.ToUpper),
	"apoc.coll.max": extremeOf("apoc.coll.max", 1), "apoc.coll.min": extremeOf("apoc.coll.min", -1), "apoc.coll.pairsmin": pairsMin,
	"gds.util.asnode": asNode, "gds.util.asnodes": asNodes,
	"point":       pointOfMap,
	"char_length": size, "character_length": size,
	"trim":  text("trim", strings.TrimSpace),
	"btrim": text("bTrim", strings.TrimSpace),
	"ltrim": text("lTrim", func(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }),
	"rtrim": text("rTrim", func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }),
}

// multi computes a function of several arguments. The caller answers null if one of them is null.
type multi func(rt *Runtime, args []value.Value) (value.Value, error)

// multis holds the functions that take no argument or several, by lower-case name.
var multis = map[string]multi{
	"range": rangeOf, "round": round, "atan2": atan2, "e": constantFloat(math.E), "pi": constantFloat(math.Pi),
	"left": left, "right": right, "substring": substring, "replace": replace, "split": split, "nullif": nullIf,
	"btrim": trimmed(strings.Trim), "ltrim": trimmed(strings.TrimLeft), "rtrim": trimmed(strings.TrimRight),
	"apoc.coll.intersection": intersection, "apoc.text.jarowinklerdistance": likeness("apoc.text.jaroWinklerDistance", jaroWinklerDistance),
	"apoc.text.sorensendicesimilarity": likeness("apoc.text.sorensenDiceSimilarity", sorensenDice),
	"apoc.date.format":                 formatDate, "apoc.date.parse": parseDate,
	"gds.similarity.cosine": likenessOf("gds.similarity.cosine", cosineOf), "gds.similarity.pearson": likenessOf("gds.similarity.pearson", pearsonOf),
	"gds.alpha.similarity.jaccard": multisets("gds.alpha.similarity.jaccard", jaccardOf), "gds.similarity.jaccard": multisets("gds.similarity.jaccard", jaccardOf), "gds.similarity.overlap": multisets("gds.similarity.overlap", overlapOf),
	"timestamp":        timestamp,
	"duration.between": between(temporalBetween), "duration.inmonths": between(temporalMonths),
	"duration.indays": between(temporalDays), "duration.inseconds": between(temporalSeconds),
	"vector.similarity.cosine": vectorCosine, "vector.similarity.euclidean": vectorEuclidean, "normalize": normalize, "isnormalized": isNormalized,
	"distance": distance, "point.distance": distance, "point.withinbbox": withinBox,
	"datetime.fromepoch": fromEpoch, "datetime.fromepochmillis": fromEpochMillis,
}

// volatile holds the functions whose value changes from call to call.
var volatile = map[string]multi{"rand": random, "randomuuid": randomUUID, "apoc.create.uuid": randomUUID, "apoc.create.uuidbase64": randomUUIDBase64, "gds.util.nodeproperty": projectedProperty, "gds.graph.exists": isProjected}

func (c *Compiler) call(x *lang.Call) (Closure, error) {
	name := strings.ToLower(x.Name)
	switch name {
	case "coalesce":
		return c.coalesce(x)
	case "exists":
		return c.exists(x)
	case "valuetype":
		return c.unary(x.Pos, x.Args[0], func(v value.Value) (value.Value, error) { return value.OfString(TypeOf(v)), nil })
	case "cast":
		return castCall(c, x)
	case "all_different":
		return c.allDifferent(x)
	case "is_clique":
		return c.isClique(x)
	case "linenumber", "file": // after LOAD CSV, the planner has put a variable in its place
		return Closure{Fn: func(*Input) (value.Value, error) { return value.Value{}, nil }, Constant: true}, nil
	}
	if f := functions[name]; f != nil && len(x.Args) == 1 {
		return functionCall(c, x, f)
	}
	if f := multis[name]; f != nil {
		return c.multi(x, f, true)
	}
	if f := volatile[name]; f != nil {
		return c.multi(x, f, false)
	}
	if f, again := temporalFunction(name); f != nil {
		return c.multi(x, f, !again)
	}
	return Closure{}, &Error{Code: CodeInternal, Msg: fmt.Sprintf("no function %s of %d arguments", x.Name, len(x.Args)), Pos: x.Pos}
}

// functionCall compiles a call with one argument.
func functionCall(c *Compiler, x *lang.Call, f function) (Closure, error) {
	k, err := c.Compile(x.Args[0])
	if err != nil {
		return k, err
	}
	rt := c.Runtime
	return c.fold(func(e *Input) (value.Value, error) {
		mark := e.Mark()
		v, err := k.Fn(e)
		if err != nil || v.IsNull() {
			return v, err
		}
		w, err := f(rt, v)
		if err == nil {
			err = rt.keep(e, mark, v.Bytes(), w)
		}
		if err != nil {
			return w, At(x.Pos, err)
		}
		return w, nil
	}, k.Constant), nil
}

// multi compiles a call. A call that is not pure is never computed in advance.
func (c *Compiler) multi(x *lang.Call, f multi, pure bool) (Closure, error) {
	fns, constant, err := c.CompileAll(x.Args)
	if err != nil {
		return Closure{}, err
	}
	c.reads.row = c.reads.row || !pure
	rt := c.Runtime
	return c.fold(func(e *Input) (value.Value, error) {
		args := make([]value.Value, len(fns))
		null, mark, read := false, e.Mark(), int64(0)
		for i, fn := range fns {
			v, err := fn(e)
			if err != nil {
				return v, err
			}
			args[i], null, read = v, null || v.IsNull(), read+v.Bytes()
		}
		if null {
			return value.Value{}, nil
		}
		v, err := f(rt, args)
		if err == nil {
			err = rt.keep(e, mark, read, v)
		}
		if err != nil {
			return v, At(x.Pos, err)
		}
		return v, nil
	}, constant && pure), nil
}

func badArgument(name, wanted string, v value.Value) error {
	err := &Error{Code: CodeArgumentValue, Msg: fmt.Sprintf("%s() takes %s, not %s", name, wanted, Describe(v))}
	if v.Kind() == value.String && strings.Contains(wanted, "number") {
		err.Hint = "toFloat() reads a number from a text, such as '1.5'"
	}
	return err
}

// coalesce compiles coalesce(), which stops at its first argument that is not null.
func (c *Compiler) coalesce(x *lang.Call) (Closure, error) {
	fns, constant, err := c.CompileAll(x.Args)
	if err != nil {
		return Closure{}, err
	}
	return c.fold(func(e *Input) (v value.Value, err error) {
		for _, fn := range fns {
			if v, err = fn(e); err != nil || !v.IsNull() {
				return v, err
			}
		}
		return value.Value{}, nil
	}, constant), nil
}

// exists compiles the older spelling of IS NOT NULL, and of EXISTS { } for a pattern.
func (c *Compiler) exists(x *lang.Call) (Closure, error) {
	if len(x.Args) == 1 {
		if p, ok := x.Args[0].(*lang.PatternExpr); ok {
			return c.Compile(p)
		}
		return c.unary(x.Pos, x.Args[0], func(v value.Value) (value.Value, error) { return value.OfBool(!v.IsNull()), nil })
	}
	return Closure{}, &Error{Code: CodeInternal, Msg: fmt.Sprintf("exists() of %d arguments", len(x.Args)), Pos: x.Pos}
}

// nullIf returns null if its arguments are equal, else the first.
func nullIf(_ *Runtime, args []value.Value) (value.Value, error) {
	if eq, _ := value.Equal(args[0], args[1]); eq {
		return value.Value{}, nil
	}
	return args[0], nil
}

// timestamp returns the time of the statement in milliseconds since 1970.
func timestamp(rt *Runtime, _ []value.Value) (value.Value, error) {
	return value.OfInt(rt.clock().UnixMilli()), nil
}
