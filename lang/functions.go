package lang

import (
	"fmt"
	"strings"
)

// Function describes a function of the language.
type Function struct {
	Name      string // as it is written
	Signature string // with parameter names, types and the type of the result
	Help      string // one line
	Aggregate bool   // computes one value from the rows of a group
	MinArgs   int
	MaxArgs   int // -1: any number

	args   []kinds // the kinds of value that argument i may have; the last one repeats
	result kinds
}

// Functions lists the functions of the language in the order in which the reference presents them.
var Functions = []Function{
	fn("id(element) :: integer", "the number that identifies a node or relationship", kNode|kRel, kInt),
	fn("labels(node) :: list", "the labels of a node", kNode, kList),
	fn("type(relationship) :: string", "the type of a relationship", kRel, kString),
	fn("properties(x) :: map", "the properties of a node or relationship, or the map itself", kNode|kRel|kMap, kMap),
	fn("keys(x) :: list", "the property keys of a node or relationship, or the keys of a map", kNode|kRel|kMap, kList),
	fn("startNode(relationship) :: node", "the node that a relationship begins at", kRel, kNode),
	fn("endNode(relationship) :: node", "the node that a relationship ends at", kRel, kNode),
	fn("length(path) :: integer", "the number of relationships of a path", kPath, kInt),
	fn("nodes(path) :: list", "the nodes of a path, from its start to its end", kPath, kList),
	fn("relationships(path) :: list", "the relationships of a path, from its start to its end", kPath, kList),
	fn("size(x) :: integer", "the number of elements of a list or of characters of a string", kList|kString, kInt),
	fn("head(list) :: any", "the first element of a list", kList, kAny),
	fn("last(list) :: any", "the last element of a list", kList, kAny),
	fn("abs(x) :: number", "the absolute value", kNumber, kNumber),
	fn("ceil(x) :: float", "the smallest whole number that is not smaller", kNumber, kFloat),
	fn("floor(x) :: float", "the largest whole number that is not larger", kNumber, kFloat),
	fn("round(x) :: float", "the nearest whole number; halves go up", kNumber, kFloat),
	fn("sign(x) :: integer", "-1, 0 or 1", kNumber, kInt),
	fn("sqrt(x) :: float", "the square root", kNumber, kFloat),
	fn("toInteger(x) :: integer", "a number or string as an integer, or null", kNumber|kString|kBool, kInt),
	fn("toFloat(x) :: float", "a number or string as a float, or null", kNumber|kString, kFloat),
	fn("toString(x) :: string", "a number, boolean or string as a string", kNumber|kString|kBool, kString),
	fn("toBoolean(x) :: boolean", "a string, boolean or integer as a boolean, or null", kString|kBool|kInt, kBool),
	fn("toLower(string) :: string", "the string in lower case", kString, kString),
	fn("toUpper(string) :: string", "the string in upper case", kString, kString),
	fn("trim(string) :: string", "the string without blanks at its ends", kString, kString),
	variadic("coalesce(x, ...) :: any", "the first of its arguments that is not null", 1, kAny, kAny),
	variadic("ALL_DIFFERENT(a, b, ...) :: boolean", "whether nodes or relationships are pairwise different", 2, kNode|kRel, kBool),
	isClique,
	aggregate("count(x) :: integer", "how many values are not null; count(*) counts rows", kAny, kInt),
	aggregate("sum(x) :: number", "the sum of numbers", kNumber, kNumber),
	aggregate("min(x) :: any", "the smallest value", kAny, kAny),
	aggregate("max(x) :: any", "the largest value", kAny, kAny),
	aggregate("avg(x) :: float", "the mean of numbers", kNumber, kFloat),
	aggregate("collect(x) :: list", "a list of the values that are not null", kAny, kList),
}

var isClique = Function{
	Name: "IS_CLIQUE", Signature: "IS_CLIQUE(nodes, types?) :: boolean",
	Help:    "whether between each two nodes of a list there is a relationship, of a type or list of types if given",
	MinArgs: 1, MaxArgs: 2, args: []kinds{kList, kString | kList}, result: kBool,
}

func fn(signature, help string, arg, result kinds) Function {
	name, _, _ := strings.Cut(signature, "(")
	return Function{Name: name, Signature: signature, Help: help, MinArgs: 1, MaxArgs: 1, args: []kinds{arg}, result: result}
}

func variadic(signature, help string, least int, arg, result kinds) Function {
	f := fn(signature, help, arg, result)
	f.MinArgs, f.MaxArgs = least, -1
	return f
}

func aggregate(signature, help string, arg, result kinds) Function {
	f := fn(signature, help, arg, result)
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

// arg is the kinds of value that argument i may have.
func (f *Function) arg(i int) kinds { return f.args[min(i, len(f.args)-1)] }

// arity says how many arguments f takes.
func (f *Function) arity() string {
	switch {
	case f.MaxArgs < 0:
		return fmt.Sprintf("%d or more arguments", f.MinArgs)
	case f.MinArgs < f.MaxArgs:
		return fmt.Sprintf("%d or %d arguments", f.MinArgs, f.MaxArgs)
	}
	return "one argument"
}

func functionNames() []string {
	names := make([]string, len(Functions))
	for i := range Functions {
		names[i] = Functions[i].Name
	}
	return names
}

// missingFunctions are openCypher's functions that this version does not have, with what to write in their place.
var missingFunctions = map[string]string{
	"exists": "write x.key IS NOT NULL",
	"range":  "", "reverse": "", "tail": "write list[1..]", "left": "", "right": "", "replace": "", "split": "", "substring": "",
	"ltrim": "", "rtrim": "", "rand": "", "timestamp": "", "percentilecont": "", "percentiledisc": "", "stdev": "", "stdevp": "",
	"e": "", "pi": "", "exp": "", "log": "", "log10": "", "sin": "", "cos": "", "tan": "", "cot": "", "asin": "", "acos": "",
	"atan": "", "atan2": "", "degrees": "", "radians": "", "haversin": "", "elementid": "id() gives a number", "isempty": "write size(x) = 0",
	"date": "", "time": "", "localtime": "", "datetime": "", "localdatetime": "", "duration": "", "point": "", "distance": "",
	"all": "", "any": "", "none": "", "single": "", "reduce": "",
}
