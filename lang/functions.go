package lang

import (
	"fmt"
	"slices"
	"strings"
)

// Function describes a function of the language.
type Function struct {
	Name      string // as it is written
	Signature string // with parameter names, types and the type of the result
	Help      string // one line
	Group     string // the heading under which the reference lists it
	Example   string // an expression with a call; those on graphs speak of a, b, r and p, see ExampleGraph
	Value     string // what the example is, as the language writes it; "" where it is another each time
	Aggregate bool   // computes one value from the rows of a group
	Volatile  bool   // gives another value at each call
	MinArgs   int
	MaxArgs   int // -1: any number

	args   []kinds // the kinds of value that argument i may have; the last one repeats
	result kinds
}

// ExampleGraph is the graph of the examples of functions on graphs; there, p is the path from a to b.
const ExampleGraph = "(a:Person {name: 'Ann'})-[r:KNOWS {since: 2010}]->(b:Person:Admin {name: 'Bob'})"

// sections are the functions of the library by what they are about, in the order in which the reference presents them.
var sections = []struct {
	title     string
	functions []Function
}{
	{"Nodes, relationships and paths", graphFunctions},
	{"Any value", valueFunctions},
	{"Lists", listFunctions},
	{"Strings", stringFunctions},
	{"Conversions", conversionFunctions},
	{"Numbers", numberFunctions},
	{"Dates and times", temporalFunctions},
	{"Points", spatialFunctions},
	{"APOC", apocFunctions},
	{"Projections", gdsFunctions},
	{"Aggregates", aggregateFunctions},
}

// volatileNames are functions that give another value at each call.
var volatileNames = []string{"rand", "randomUUID", "apoc.create.uuid", "apoc.create.uuidBase64", "gds.util.nodeProperty", "gds.graph.exists"}

// Functions lists the functions of the language in the order in which the reference presents them.
var Functions = func() (all []Function) {
	for _, s := range sections {
		for _, f := range s.functions {
			f.Group = s.title
			f.Volatile = slices.Contains(volatileNames, f.Name) || strings.HasSuffix(f.Name, ".realtime")
			all = append(all, f)
		}
	}
	return all
}()

// fn makes a function from its signature, where ? marks what may be left out and "..." what may be repeated.
func fn(signature, help, example, val string, result kinds, args ...kinds) Function {
	name, rest, _ := strings.Cut(signature, "(")
	params, _, _ := strings.Cut(rest, ")")
	f := Function{Name: name, Signature: signature, Help: help, Example: example, Value: val, args: args, result: result}
	for _, p := range strings.FieldsFunc(params, func(r rune) bool { return r == ',' }) {
		switch {
		case strings.Contains(p, "..."):
			f.MaxArgs = -1
			continue
		case !strings.HasSuffix(p, "?"):
			f.MinArgs++
		}
		if f.MaxArgs >= 0 {
			f.MaxArgs++
		}
	}
	return f
}

// aggregate makes an aggregate; val is the example's value over the rows x = 1, 2, 2, null.
func aggregate(signature, help, example, val string, result kinds, args ...kinds) Function {
	f := fn(signature, help, example, val, result, args...)
	f.Aggregate = true
	return f
}

// functionIndex finds a function by its name in lower case.
var functionIndex = func() map[string]*Function {
	index := map[string]*Function{}
	for i := range Functions {
		index[Functions[i].key()] = &Functions[i]
	}
	return index
}()

// key is the name as a Call holds it.
func (f *Function) key() string { return strings.ToLower(f.Name) }

// function returns the function called name, in any case, or nil.
func function(name string) *Function { return functionIndex[strings.ToLower(name)] }

// IsAggregate tells whether name, in any case, is that of an aggregate.
func IsAggregate(name string) bool {
	f := function(name)
	return f != nil && f.Aggregate
}

// arg is the kinds of value that argument i may have.
func (f *Function) arg(i int) kinds { return f.args[min(i, len(f.args)-1)] }

// arity says how many arguments f takes.
func (f *Function) arity() string {
	count := func(n int) string {
		switch n {
		case 0:
			return "no arguments"
		case 1:
			return "one argument"
		}
		return fmt.Sprintf("%d arguments", n)
	}
	switch {
	case f.MaxArgs < 0:
		return fmt.Sprintf("%d or more arguments", f.MinArgs)
	case f.MinArgs == f.MaxArgs:
		return count(f.MinArgs)
	case f.MinArgs == 0 && f.MaxArgs == 1:
		return "at most one argument"
	}
	if f.MaxArgs == f.MinArgs+1 {
		return fmt.Sprintf("%d or %d arguments", f.MinArgs, f.MaxArgs)
	}
	return fmt.Sprintf("%d to %d arguments", f.MinArgs, f.MaxArgs)
}

func functionNames() []string {
	names := make([]string, len(Functions))
	for i := range Functions {
		names[i] = Functions[i].Name
	}
	return names
}

// missingFunctions are functions that others have and this version does not, with what to write in their place.
var missingFunctions = map[string]string{
	"percentile": "write percentileCont()",
	"charlength": "write size()",
	"length_of":  "", "rels": "write relationships()", "filter": "write [x IN list WHERE ...]",
	"extract": "write [x IN list | ...]",
	"concat":  "write x + y", "concat_ws": "write x + ' ' + y", "len": "write size()", "strlen": "write size()", "count_distinct": "write count(DISTINCT x)",
	"substr": "write substring(), which counts from 0", "mid": "write substring(), which counts from 0", "ucase": "write toUpper()", "lcase": "write toLower()",
	"touppercase": "write toUpper()", "tolowercase": "write toLower()", "uppercase": "write toUpper()", "lowercase": "write toLower()", "initcap": "",
	"ifnull": "write coalesce()", "nvl": "write coalesce()", "isnull": "write x IS NULL", "isnotnull": "write x IS NOT NULL", "zeroifnull": "write coalesce(x, 0)",
	"if": "write CASE WHEN condition THEN x ELSE y END", "iif": "write CASE WHEN condition THEN x ELSE y END", "decode": "write CASE x WHEN 1 THEN y ELSE z END",
	"convert": "write toInteger(), toFloat(), toString(), toBoolean() or date()",
	"to_char": "write toString()", "to_date": "write date()", "str": "write toString()", "tostr": "write toString()", "string": "write toString()", "text": "write toString()",
	"int": "write toInteger()", "toint": "write toInteger()", "integer": "write toInteger()", "float": "write toFloat()", "tonumber": "write toFloat()", "bool": "write toBoolean()",
	"now": "write datetime()", "getdate": "write datetime()", "curdate": "write date()", "today": "write date()", "current_date": "write date()",
	"current_timestamp": "write datetime()", "sysdate": "write datetime()", "year": "write date(x).year", "month": "write date(x).month", "day": "write date(x).day",
	"datediff": "write duration.inDays(from, to).days", "dateadd": "write date + duration({days: 1})", "date_add": "write date + duration({days: 1})", "date_trunc": "write date.truncate('month', x)",
	"group_concat": "write collect(x), and reduce() to join the texts", "string_agg": "write collect(x), and reduce() to join the texts", "listagg": "write collect(x), and reduce() to join the texts",
	"array_agg": "write collect(x)", "list": "write collect(x)", "mean": "write avg()", "average": "write avg()", "median": "write percentileCont(x, 0.5)",
	"stddev": "write stDev()", "stddev_samp": "write stDev()", "stddev_pop": "write stDevP()", "std": "write stDevP()", "maximum": "write max()", "minimum": "write min()", "total": "write sum()",
	"greatest": "write reduce(), or CASE WHEN a > b THEN a ELSE b END", "least": "write reduce(), or CASE WHEN a < b THEN a ELSE b END",
	"startswith": "write x STARTS WITH 'text'", "endswith": "write x ENDS WITH 'text'", "instr": "write x CONTAINS 'text'", "position": "write x CONTAINS 'text'", "regexp_like": "write x =~ 'A.*'", "like": "write x CONTAINS 'text'",
	"power": "write x ^ y", "pow": "write x ^ y", "mod": "write x % y", "ln": "write log()", "trunc": "write toInteger()", "ceiling": "write ceil()", "random": "write rand()",
	"row_number": "there are no window functions: group with WITH, or collect the rows", "rank": "there are no window functions: group with WITH, or collect the rows",
	"lag": "there are no window functions: group with WITH, or collect the rows", "lead": "there are no window functions: group with WITH, or collect the rows",
	"exist": "write EXISTS { pattern }", "node_id": "write id()", "nodeid": "write id()", "label": "write labels(n)", "degree": "write COUNT { (n)--() }", "indegree": "write COUNT { (n)<--() }", "outdegree": "write COUNT { (n)-->() }",
	"uuid": "write randomUUID()", "gen_random_uuid": "write randomUUID()", "array_length": "write size()", "cardinality": "write size()", "collect_list": "write collect()", "unnest": "write UNWIND list AS x", "distinct": "write RETURN DISTINCT x, or count(DISTINCT x)", "not_null": "write x IS NOT NULL",
	"has": "write n.key IS NOT NULL", "haslabel": "write n:Label", "has_label": "write n:Label", "name": "write n.name", "shortest_path": "write shortestPath((a)-[*]-(b))", "neighbors": "write COLLECT { MATCH (n)--(m) RETURN m }",
}
