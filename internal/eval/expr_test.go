package eval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// society is the graph of the expression tests. Its nodes have the ids 0 to 3 and the variables n0 to n3, its
// relationships r0 to r4 likewise.
func society(t testing.TB) *csr.Snapshot {
	tags, err := value.OfList([]value.Value{value.OfInt(1), value.OfString("x")}).Cell()
	if err != nil {
		t.Fatal(err)
	}
	return testgraph.Society(tags)
}

// societyVars are the variables n0 to n3 and r0 to r4.
func societyVars(s *csr.Snapshot) map[string]value.Value {
	vars := map[string]value.Value{}
	for i := range s.N() {
		v, _ := s.VertexByNodeID(csr.NodeID(i))
		vars["n"+string(rune('0'+i))] = value.OfNode(v)
	}
	// Relationships are numbered by type and ends, and keep these numbers as ids: find them by what they join.
	for i, r := range [][3]int{{0, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 2, 1}, {1, 0, 1}} {
		v, _ := s.VertexByNodeID(csr.NodeID(r[0]))
		w, _ := s.VertexByNodeID(csr.NodeID(r[1]))
		es := s.Relationships(nil, v, w, csr.TypeSet{csr.TypeID(r[2])}, csr.Out)
		vars["r"+string(rune('0'+i))] = value.OfRel(es[0])
	}
	return vars
}

func parseExpr(t testing.TB, text string) lang.Expr {
	script, err := lang.Parse("RETURN " + text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	clauses := script.Statements[0].Query.Clauses
	return clauses[len(clauses)-1].(*lang.Return).Items[0].Expr
}

// unfold replaces every literal in x by a variable, so that nothing can be computed while compiling.
func unfold(x reflect.Value, vars map[string]value.Value) {
	switch x.Kind() {
	case reflect.Pointer:
		if !x.IsNil() {
			unfold(x.Elem(), vars)
		}
	case reflect.Slice:
		for i := range x.Len() {
			unfold(x.Index(i), vars)
		}
	case reflect.Struct:
		for i := range x.NumField() {
			unfold(x.Field(i), vars)
		}
	case reflect.Interface:
		if x.IsNil() {
			return
		}
		l, ok := x.Interface().(*lang.Literal)
		if !ok {
			unfold(x.Elem(), vars)
			return
		}
		k, _ := literal(l)
		name := "literal" + string(rune('a'+len(vars)))
		vars[name], _ = k.Fn(nil)
		x.Set(reflect.ValueOf(&lang.Var{Pos: l.Pos, Name: name}))
	}
}

// evaluate compiles x and evaluates it over vars.
func evaluate(s *csr.Snapshot, x lang.Expr, vars, params map[string]value.Value) (value.Value, error) {
	c := NewCompiler(&Runtime{Snapshot: s, Params: params})
	e := &Input{}
	for name, v := range vars {
		c.Declare(name, len(e.Row))
		e.Row = append(e.Row, v)
	}
	k, err := c.Compile(x)
	if err != nil {
		return value.Value{}, err
	}
	return k.Fn(e)
}

// show writes a value as the tests expect it: nodes and relationships as n0 and r0.
func show(v value.Value, vars map[string]value.Value) string {
	for name, w := range vars {
		if (v.Kind() == value.Node || v.Kind() == value.Rel) && v == w && len(name) == 2 {
			return name
		}
	}
	return v.String()
}

// expressions are texts and what they are; "!" and a code stand for an error.
var expressions = [][2]string{
	{"1 + 2", "3"}, {"1 + 2.5", "3.5"}, {"'a' + 'b'", "'ab'"}, {"'a' + 1", "'a1'"}, {"1.5 + 'a'", "'1.5a'"}, {"1 + null", "null"},
	{"[1] + [2]", "[1, 2]"}, {"[1] + 2", "[1, 2]"}, {"1 + [2]", "[1, 2]"}, {"[1] + null", "null"}, {"true + 1", "!TypeError.InvalidArgumentType"},
	{"'a' + true", "!TypeError.InvalidArgumentType"}, {"{a: 1} + 1", "!TypeError.InvalidArgumentType"},
	{"9223372036854775807 + 1", "!ArithmeticError.IntegerOverflow"}, {"-9223372036854775808 - 1", "!ArithmeticError.IntegerOverflow"},
	{"-9223372036854775808 + -1", "!ArithmeticError.IntegerOverflow"}, {"9223372036854775807 - -1", "!ArithmeticError.IntegerOverflow"},
	{"9223372036854775807 + 0", "9223372036854775807"}, {"-9223372036854775808 - 0", "-9223372036854775808"},
	{"-9223372036854775808 + 9223372036854775807", "-1"}, {"9223372036854775807 + 1.0", "9.223372036854776E18"},
	{"3 * 4", "12"}, {"-3 * 4", "-12"}, {"3037000500 * 3037000500", "!ArithmeticError.IntegerOverflow"},
	{"4611686018427387904 * -2", "-9223372036854775808"}, {"4611686018427387904 * 2", "!ArithmeticError.IntegerOverflow"},
	{"-9223372036854775808 * -1", "!ArithmeticError.IntegerOverflow"}, {"9223372036854775807 * 9223372036854775807", "!ArithmeticError.IntegerOverflow"},
	{"7 / 2", "3"}, {"-7 / 2", "-3"}, {"7 / 2.0", "3.5"}, {"1 / 0", "!ArithmeticError.DivisionByZero"}, {"1 / 0.0", "Infinity"}, {"0.0 / 0.0", "NaN"}, {"-0.0", "-0.0"}, {"1.0 / -0.0", "-Infinity"}, {"[-.0, -0e0, -(0.0), - 0.0, 0 * -1.0]", "[-0.0, -0.0, -0.0, -0.0, -0.0]"}, {"- -0.0", "0.0"}, {"-0", "0"}, {"-0.0 = 0.0 AND -0.0 = 0 AND NOT -0.0 < 0.0", "true"}, {"toFloat(toString(-0.0))", "-0.0"}, {"-0.0 IN [0]", "true"},
	{"-9223372036854775808 / -1", "!ArithmeticError.IntegerOverflow"}, {"null / 0", "null"},
	{"7 % 3", "1"}, {"-7 % 3", "-1"}, {"7 % 0", "!ArithmeticError.DivisionByZero"}, {"7.5 % 2", "1.5"}, {"7 % 0.0", "NaN"}, {"-9223372036854775808 % -1", "0"},
	{"2 ^ 10", "1024.0"}, {"2 ^ 0.5", "1.4142135623730951"}, {"2 ^ null", "null"}, {"'a' * 2", "!TypeError.InvalidArgumentType"}, {"true ^ 2", "!TypeError.InvalidArgumentType"},
	{"-(1)", "-1"}, {"-(-9223372036854775808)", "!ArithmeticError.IntegerOverflow"}, {"-(1.5)", "-1.5"}, {"-(null)", "null"}, {"-('a')", "!TypeError.InvalidArgumentType"}, {"+(1)", "1"}, {"+('a')", "!TypeError.InvalidArgumentType"},

	{"1 = 1.0", "true"}, {"1 = '1'", "false"}, {"1 <> 2", "true"}, {"null = null", "null"}, {"null <> 1", "null"}, {"[1, null] = [1, null]", "null"}, {"[1, null] <> [2, null]", "true"},
	{"1 < 2", "true"}, {"2 <= 2.0", "true"}, {"1 < 'a'", "null"}, {"'a' < 'b'", "true"}, {"null > 1", "null"}, {"0.0 / 0.0 > 1", "false"}, {"0.0 / 0.0 <> 0.0 / 0.0", "true"},
	{"[1] < [2]", "true"}, {"[1, 9] < [2]", "true"}, {"[1] < [1, null]", "true"}, {"[1] < ['a']", "null"}, {"{a: 1} < {a: 2}", "null"}, {"false < true", "true"}, {"[1, 0] >= [1]", "true"}, {"[1, null] >= [1]", "true"}, {"[1, 2] >= [1, null]", "null"}, {"[1, 2] >= [3, null]", "false"}, {"1 < 2 < 3", "true"}, {"1 < 3 > 2 = 2", "true"}, {"3 > 2 > 2", "false"},

	{"true AND null", "null"}, {"false AND null", "false"}, {"null AND false", "false"}, {"null AND null", "null"}, {"true AND true", "true"},
	{"true OR null", "true"}, {"null OR true", "true"}, {"false OR null", "null"}, {"false OR false", "false"}, {"true XOR true", "false"}, {"true XOR false", "true"}, {"true XOR null", "null"},
	{"NOT true", "false"}, {"NOT null", "null"}, {"NOT 1", "!TypeError.InvalidArgumentType"}, {"false AND 1 / 0 = 1", "false"}, {"true OR 1 / 0 = 1", "true"}, {"true AND 1 / 0 = 1", "!ArithmeticError.DivisionByZero"},
	{"1 AND true", "!TypeError.InvalidArgumentType"}, {"true AND 'a'", "!TypeError.InvalidArgumentType"}, {"true XOR 1", "!TypeError.InvalidArgumentType"}, {"null OR 1", "!TypeError.InvalidArgumentType"},
	{"null IS NULL", "true"}, {"1 IS NULL", "false"}, {"1 IS NOT NULL", "true"}, {"null IS NOT NULL", "false"},

	{"1 IN [1, 2]", "true"}, {"3 IN [1, 2]", "false"}, {"3 IN [1, null]", "null"}, {"1 IN [1, null]", "true"}, {"null IN [1]", "null"}, {"null IN []", "false"}, {"1 IN null", "null"}, {"1 IN 1", "!TypeError.InvalidArgumentType"},
	{"1.0 IN [1]", "true"}, {"[1] IN [[1]]", "true"}, {"[null] IN [null]", "null"}, {"[1] IN [[1, null]]", "false"}, {"[1, 2] IN [[null, 2], [1, 2]]", "true"}, {"[1, 2] IN [[null, 2], [1, 3]]", "null"},
	{"5 IN [1, 2, 3, 4, 5, 6, 7, 8, 9]", "true"}, {"5.0 IN [1, 2, 3, 4, 5, 6, 7, 8, 9]", "true"}, {"'5' IN [1, 2, 3, 4, 5, 6, 7, 8, 9]", "false"}, {"0 IN [1, 2, 3, 4, null, 6, 7, 8, 9]", "null"}, {"1 IN [1, 2, 3, 4, null, 6, 7, 8, 9]", "true"},
	{"null IN [1, 2, 3, 4, 5, 6, 7, 8, 9]", "null"}, {"0.0 / 0.0 IN [0.0 / 0.0, 2, 3, 4, 5, 6, 7, 8, 9]", "false"}, {"[1] IN [1, 2, 3, 4, 5, 6, 7, 8, 9]", "false"}, {"[1] IN [[1], 2, 3, 4, 5, 6, 7, 8, 9]", "true"},

	{"'abc' STARTS WITH 'ab'", "true"}, {"'abc' ENDS WITH 'ab'", "false"}, {"'abc' CONTAINS 'bc'", "true"}, {"'abc' STARTS WITH null", "null"}, {"1 CONTAINS 'a'", "null"}, {"'a' ENDS WITH ''", "true"},
	{"'abc' =~ 'a.c'", "true"}, {"'abc' =~ 'b'", "false"}, {"'abc' =~ 'a|abc'", "true"}, {"'a\\nc' =~ 'a.c'", "false"}, {"'ABC' =~ '(?i)abc'", "true"}, {"null =~ 'a'", "null"}, {"'a' =~ '('", "!ArgumentError.InvalidRegularExpression"},
	{"'abc' =~ ')|(?:'", "!ArgumentError.InvalidRegularExpression"}, {"'a' =~ '\\\\Qa'", "true"}, {"'a.b' =~ '\\\\Qa.b'", "true"}, {"'axb' =~ '\\\\Qa.b'", "false"}, {"'b' =~ 'a|b'", "true"}, {"'ab' =~ 'a|b'", "false"}, {"'a\\nb' =~ '(?m)a$'", "false"}, {"'a\\nb' =~ '(?s)a.b'", "true"},

	{"[1, 2, 3][0]", "1"}, {"[1, 2, 3][-1]", "3"}, {"[1, 2, 3][3]", "null"}, {"[1, 2, 3][-4]", "null"}, {"[1][null]", "null"}, {"null[0]", "null"}, {"[1]['a']", "!TypeError.InvalidArgumentType"}, {"[1][0.0]", "!TypeError.InvalidArgumentType"}, {"1[0]", "!TypeError.InvalidArgumentType"},
	{"{a: 1}['a']", "1"}, {"{a: 1}['b']", "null"}, {"{a: 1}[0]", "!TypeError.MapElementAccessByNonString"}, {"{a: 1}[null]", "null"}, {"{a: {b: 2}}.a.b", "2"}, {"{a: 1}.b", "null"}, {"null.a", "null"}, {"1 .a", "!TypeError.InvalidArgumentType"},
	{"[1, 2, 3][1..]", "[2, 3]"}, {"[1, 2, 3][..2]", "[1, 2]"}, {"[1, 2, 3][0..1]", "[1]"}, {"[1, 2, 3][-3..-1]", "[1, 2]"}, {"[1, 2, 3][3..1]", "[]"}, {"[1, 2, 3][-5..5]", "[1, 2, 3]"}, {"[1, 2, 3][null..]", "null"}, {"[1, 2][..'a']", "!TypeError.InvalidArgumentType"}, {"'ab'[0..1]", "!TypeError.InvalidArgumentType"}, {"null[0..1]", "null"}, {"null[..]", "null"}, {"[1][..null]", "null"}, {"null[null..null]", "null"}, {"null[null]", "null"},
	{"{a: 1, b: [2], a: 3}", "{a: 3, b: [2]}"}, {"[]", "[]"}, {"[1 / 0]", "!ArithmeticError.DivisionByZero"}, {"{a: 1 / 0}", "!ArithmeticError.DivisionByZero"},

	{"CASE WHEN false THEN 1 WHEN true THEN 2 ELSE 3 END", "2"}, {"CASE WHEN null THEN 1 END", "null"}, {"CASE 2 WHEN 1 THEN 'a' WHEN 2.0 THEN 'b' END", "'b'"}, {"CASE null WHEN null THEN 1 ELSE 2 END", "2"},
	{"CASE WHEN true THEN 1 ELSE 1 / 0 END", "1"}, {"CASE WHEN 1 / 0 = 1 THEN 1 END", "!ArithmeticError.DivisionByZero"}, {"CASE WHEN 1 THEN 1 END", "!TypeError.InvalidArgumentType"}, {"CASE 1 WHEN 'a' THEN 1 ELSE 2 END", "2"},

	{"coalesce(null, 1, 1 / 0)", "1"}, {"coalesce(null)", "null"}, {"coalesce(1 / 0, 1)", "!ArithmeticError.DivisionByZero"},
	{"size([1, 2])", "2"}, {"size('äb')", "2"}, {"size(null)", "null"}, {"size(1)", "!TypeError.InvalidArgumentValue"}, {"head([1, 2])", "1"}, {"head([])", "null"}, {"last([1, 2])", "2"}, {"last([])", "null"}, {"head(1)", "!TypeError.InvalidArgumentValue"}, {"last('a')", "!TypeError.InvalidArgumentValue"},
	{"abs(-3)", "3"}, {"abs(3)", "3"}, {"abs(-1.5)", "1.5"}, {"abs(-9223372036854775808)", "!ArithmeticError.IntegerOverflow"}, {"abs('a')", "!TypeError.InvalidArgumentValue"}, {"ceil(1.2)", "2.0"}, {"floor(-1.2)", "-2.0"}, {"sqrt(4)", "2.0"}, {"sqrt(-1)", "NaN"}, {"ceil(null)", "null"}, {"floor('a')", "!TypeError.InvalidArgumentValue"},
	{"round(1.5)", "2.0"}, {"round(-1.5)", "-1.0"}, {"round(2.5)", "3.0"}, {"round(0.49999999999999994)", "0.0"}, {"round(-0.5)", "0.0"}, {"round(1.0 / 0.0)", "Infinity"}, {"round(-1.2)", "-1.0"}, {"round(0.0 / 0.0)", "NaN"},
	{"sign(-2)", "-1"}, {"sign(0.0)", "0"}, {"sign(3.5)", "1"}, {"sign('a')", "!TypeError.InvalidArgumentValue"},
	{"toInteger('42')", "42"}, {"toInteger('1.7')", "1"}, {"toInteger(-2.9)", "-2"}, {"toInteger('foo')", "null"}, {"toInteger('')", "null"}, {"toInteger(true)", "1"}, {"toInteger(false)", "0"}, {"toInteger([])", "!TypeError.InvalidArgumentValue"}, {"toInteger(1e300)", "null"}, {"toInteger(1e30)", "null"}, {"toInteger('9223372036854775808')", "null"}, {"toInteger('0x10')", "null"}, {"toInteger(7)", "7"}, {"toInteger('1e400')", "null"},
	{"toFloat('1.5')", "1.5"}, {"toFloat(1)", "1.0"}, {"toFloat('inf')", "null"}, {"toFloat('Infinity')", "Infinity"}, {"toFloat('x')", "null"}, {"toFloat(true)", "!TypeError.InvalidArgumentValue"}, {"toFloat('1_0')", "null"}, {"toFloat(2.5)", "2.5"},
	{"toString(42)", "'42'"}, {"toString(true)", "'true'"}, {"toString(2.3)", "'2.3'"}, {"toString('apa')", "'apa'"}, {"toString(null)", "null"}, {"toString([])", "!TypeError.InvalidArgumentValue"},
	{"toBoolean('TRUE')", "true"}, {"toBoolean('false')", "false"}, {"toBoolean('x')", "null"}, {"toBoolean(0)", "false"}, {"toBoolean(true)", "true"}, {"toBoolean(1.5)", "!TypeError.InvalidArgumentValue"},
	{"toLower('AbÄ')", "'abä'"}, {"toUpper('abä')", "'ABÄ'"}, {"trim(' a b ')", "'a b'"}, {"trim(1)", "!TypeError.InvalidArgumentValue"},

	{"n0.name", "'Ann'"}, {"n0.age", "30"}, {"n1.age", "30.5"}, {"n2.name", "null"}, {"n0.nothing", "null"}, {"n0.tags", "[1, 'x']"}, {"n0.tags[1]", "'x'"}, {"n0['name']", "'Ann'"}, {"r0['since']", "2001"}, {"r0.since", "2001"}, {"r1.since", "null"}, {"n0[1]", "!TypeError.MapElementAccessByNonString"},
	{"n0:Person", "true"}, {"n0:Admin", "false"}, {"n1:Person&Admin", "true"}, {"n2:%", "false"}, {"n2:!Person", "true"}, {"n3:Person|City", "true"}, {"n0:Ghost", "false"}, {"r0:KNOWS", "true"}, {"r0:LIKES|HATES", "false"}, {"null:A", "null"},
	{"id(n2)", "2"}, {"labels(n1)", "['Person', 'Admin']"}, {"labels(n2)", "[]"}, {"type(r2)", "'LIKES'"}, {"properties(n0)", "{name: 'Ann', age: 30, tags: [1, 'x']}"}, {"properties(r0)", "{since: 2001}"}, {"properties({a: 1})", "{a: 1}"}, {"keys(n0)", "['name', 'age', 'tags']"}, {"keys(r1)", "[]"}, {"keys({b: null})", "['b']"},
	{"startNode(r0)", "n0"}, {"endNode(r0)", "n1"}, {"startNode(r3)", "n2"}, {"endNode(r4)", "n0"}, {"id(1)", "!TypeError.InvalidArgumentValue"}, {"labels(r0)", "!TypeError.InvalidArgumentValue"}, {"type(n0)", "!TypeError.InvalidArgumentValue"}, {"keys(1)", "!TypeError.InvalidArgumentValue"}, {"startNode(n0)", "!TypeError.InvalidArgumentValue"}, {"endNode(1)", "!TypeError.InvalidArgumentValue"}, {"properties([])", "!TypeError.InvalidArgumentValue"}, {"labels(null)", "null"},
	{"n0 = n0", "true"}, {"n0 = n1", "false"}, {"n0 <> n1", "true"}, {"n0 < n1", "null"}, {"r0 = r0", "true"}, {"n0 IN [n1, n0]", "true"},

	{"ALL_DIFFERENT(n0, n1, n2)", "true"}, {"ALL_DIFFERENT(n0, n1, n0)", "false"}, {"ALL_DIFFERENT(n0, null)", "null"}, {"ALL_DIFFERENT(n0, n0, null)", "null"}, {"ALL_DIFFERENT(r0, n0)", "true"}, {"ALL_DIFFERENT(r0, r0)", "false"}, {"ALL_DIFFERENT(n0, 1)", "!TypeError.InvalidArgumentValue"},
	{"IS_CLIQUE([n0, n1, n2])", "true"}, {"IS_CLIQUE([n0, n1, n2], 'KNOWS')", "false"}, {"IS_CLIQUE([n0, n1], 'KNOWS')", "true"}, {"IS_CLIQUE([n1, n0], 'KNOWS')", "true"}, {"IS_CLIQUE([n0, n2], ['KNOWS', 'LIKES'])", "true"}, {"IS_CLIQUE([n0, n3])", "false"}, {"IS_CLIQUE([n2, n2])", "false"},
	{"IS_CLIQUE([n0])", "true"}, {"IS_CLIQUE([])", "true"}, {"IS_CLIQUE([n0, null, n3])", "null"}, {"IS_CLIQUE(null)", "null"}, {"IS_CLIQUE([n0, n1], null)", "null"}, {"IS_CLIQUE([n0, n1], 'HATES')", "false"}, {"IS_CLIQUE([n0, n1], [])", "false"}, {"IS_CLIQUE([n0, 1])", "!TypeError.InvalidArgumentValue"}, {"IS_CLIQUE([n0, n1], 1)", "!TypeError.InvalidArgumentValue"}, {"IS_CLIQUE(n0)", "!TypeError.InvalidArgumentValue"},
	{"date('2015-07-21').year", "2015"}, {"datetime('2015-07-21T10:00+01:00').epochMillis", "1437469200000"}, {"datetime('2015-07-21T10:00[Europe/Paris]').timezone", "'Europe/Paris'"}, {"duration('PT90M').minutesOfHour", "30"}, {"date('2015-07-21')['month']", "7"}, {"date('2015-07-21').monht", "!ArgumentError.InvalidArgumentValue"}, {"localtime('12:00').year", "!ArgumentError.InvalidArgumentValue"}, {"duration('P1D').year", "!ArgumentError.InvalidArgumentValue"}, {"date('2015-07-21')[0]", "!TypeError.MapElementAccessByNonString"},
	{"date('2015-07-21') + duration('P1M')", "date('2015-08-21')"}, {"duration('P1M') + date('2015-07-21')", "date('2015-08-21')"}, {"date('2015-07-21') - duration('P1M')", "date('2015-06-21')"}, {"duration('P1D') - date('2015-07-21')", "!TypeError.InvalidArgumentType"}, {"date('2015-07-21') + date('2015-07-21')", "!TypeError.InvalidArgumentType"}, {"date('2015-07-21') + 1", "!TypeError.InvalidArgumentType"}, {"date('2015-07-21') + null", "null"},
	{"duration('P1D') + duration('PT1H')", "duration('P1DT1H')"}, {"duration('P1D') * 1.5", "duration('P1DT12H')"}, {"2 * duration('P1D')", "duration('P2D')"}, {"duration('P1D') / 2", "duration('PT12H')"}, {"2 / duration('P1D')", "!TypeError.InvalidArgumentType"}, {"duration('P1D') / 0", "!ArithmeticError.DivisionByZero"}, {"duration('P1D') * (0.0 / 0.0)", "!ArgumentError.NumberOutOfRange"}, {"duration('P1D') * 1e300", "!ArgumentError.InvalidArgumentValue"}, {"duration('P1D') % 2", "!TypeError.InvalidArgumentType"}, {"duration('P1D') * duration('P1D')", "!TypeError.InvalidArgumentType"},
	{"date('+999999999-12-31') + duration('P1D')", "!ArgumentError.InvalidArgumentValue"}, {"duration({months: 9223372036854775807}) + duration('P1M')", "!ArgumentError.InvalidArgumentValue"}, {"duration({seconds: 9223372036854775807}).nanoseconds", "!ArithmeticError.IntegerOverflow"},
	{"date('2015-07-21') < date('2015-07-22')", "true"}, {"date('2015-07-21') < localdatetime('2015-07-22')", "null"}, {"duration('P1D') < duration('P2D')", "null"}, {"duration('P1D') = duration('PT24H')", "false"}, {"date('2015-07-21') = date({year: 2015, ordinalDay: 202})", "true"}, {"date('2015-07-21') = '2015-07-21'", "false"}, {"time('10:00+01:00') = time('09:00Z')", "false"},
	{"date(datetime('2015-07-21T23:00-05:00'))", "date('2015-07-21')"}, {"datetime(date('2015-07-21'))", "datetime('2015-07-21T00:00Z')"}, {"localtime(date('2015-07-21'))", "!TypeError.InvalidArgumentValue"}, {"date(localtime('10:00'))", "!TypeError.InvalidArgumentValue"}, {"date(1)", "!TypeError.InvalidArgumentValue"}, {"date('x')", "!ArgumentError.InvalidArgumentValue"}, {"date({year: 'x'})", "!TypeError.InvalidArgumentType"}, {"date({yaer: 1})", "!ArgumentError.InvalidArgumentValue"}, {"date({year: null})", "null"}, {"date({date: 1})", "!TypeError.InvalidArgumentType"}, {"date(null)", "null"}, {"date({year: 2015, month: 13})", "!ArgumentError.InvalidArgumentValue"},
	{"date() = date.statement()", "true"}, {"datetime({timezone: 'Europe/Paris'}) = datetime.transaction('Europe/Paris')", "true"}, {"localtime.realtime() >= localtime('00:00')", "true"}, {"datetime.statement('Nowhere')", "!ArgumentError.InvalidArgumentValue"}, {"date.realtime(1)", "!TypeError.InvalidArgumentValue"}, {"date.transaction(null)", "null"},
	{"date.truncate('month', date('2015-07-21'))", "date('2015-07-01')"}, {"date.truncate('week', date('2015-07-21'), {dayOfWeek: 3})", "date('2015-07-22')"}, {"date.truncate('fortnight', date('2015-07-21'))", "!ArgumentError.InvalidArgumentValue"}, {"date.truncate('day') = date()", "true"}, {"date.truncate(1, date('2015-07-21'))", "!TypeError.InvalidArgumentValue"}, {"date.truncate('day', 1)", "!TypeError.InvalidArgumentValue"}, {"date.truncate('day', date('2015-07-21'), 1)", "!TypeError.InvalidArgumentValue"}, {"date.truncate('day', null)", "null"},
	{"duration('x')", "!ArgumentError.InvalidArgumentValue"}, {"duration({days: 'x'})", "!TypeError.InvalidArgumentType"}, {"duration({dasy: 1})", "!ArgumentError.InvalidArgumentValue"}, {"duration({days: null})", "null"}, {"duration(1)", "!TypeError.InvalidArgumentValue"}, {"duration(duration('P1D'))", "duration('P1D')"}, {"duration({})", "duration('PT0S')"},
	{"duration.between(date('2015-07-21'), 1)", "!TypeError.InvalidArgumentValue"}, {"datetime.fromEpoch(1, 'x')", "!TypeError.InvalidArgumentValue"}, {"datetime.fromEpoch(9223372036854775807, 9223372036854775807)", "!ArgumentError.InvalidArgumentValue"}, {"datetime({epochmillis: 1}) = datetime({EpochMillis: 1})", "true"}, {"datetime.fromEpochMillis(-1)", "datetime('1969-12-31T23:59:59.999Z')"}, {"datetime.fromEpochMillis(1.5)", "!TypeError.InvalidArgumentValue"}, {"toString(duration('PT1.5S'))", "'PT1.5S'"}, {"timestamp() = datetime().epochMillis", "true"},

	{"tail([1, 2])", "[2]"}, {"tail([])", "[]"}, {"tail('a')", "!TypeError.InvalidArgumentValue"}, {"reverse('aé')", "'éa'"}, {"reverse([1, null])", "[null, 1]"}, {"reverse(1)", "!TypeError.InvalidArgumentValue"}, {"isEmpty('')", "true"}, {"isEmpty({a: 1})", "false"}, {"isEmpty([1])", "false"}, {"isEmpty(1)", "!TypeError.InvalidArgumentValue"}, {"nullIf(1, 1.0)", "null"}, {"nullIf(1, 2)", "1"},
	{"range(1, 3)", "[1, 2, 3]"}, {"range(3, 1)", "[]"}, {"range(3, 1, -1)", "[3, 2, 1]"}, {"range(1, 1, -3)", "[1]"}, {"range(0, 9, 4)", "[0, 4, 8]"}, {"range(9223372036854775805, 9223372036854775807, 2)", "[9223372036854775805, 9223372036854775807]"}, {"range(9223372036854775807, -9223372036854775808, -9223372036854775808)", "[9223372036854775807, -1]"}, {"range(1, 3, 0)", "!ArgumentError.NumberOutOfRange"}, {"range(1, 2.0)", "!ArgumentError.InvalidArgumentType"}, {"range(null, 2)", "null"}, {"range(-9223372036854775808, 9223372036854775807)", "!ResourceError.MemoryLimit"},
	{"left('aéb', 2)", "'aé'"}, {"left('a', 5)", "'a'"}, {"left('a', -1)", "!ArgumentError.NumberOutOfRange"}, {"left(1, 1)", "!TypeError.InvalidArgumentValue"}, {"left('a', 1.0)", "!TypeError.InvalidArgumentType"}, {"right('aéb', 2)", "'éb'"}, {"right('a', 5)", "'a'"}, {"right('a', 0)", "''"}, {"right(1, 0)", "!TypeError.InvalidArgumentValue"}, {"substring('héllo', 1)", "'éllo'"}, {"substring('hello', 1, 2)", "'el'"}, {"substring('hello', 9)", "''"}, {"substring('hello', -1)", "!ArgumentError.NumberOutOfRange"}, {"substring('hello', 0, -1)", "!ArgumentError.NumberOutOfRange"}, {"substring(1, 1)", "!TypeError.InvalidArgumentValue"},
	{"replace('aaa', 'a', 'bb')", "'bbbbbb'"}, {"replace('abc', '', 'x')", "'abc'"}, {"replace(1, 'a', 'b')", "!TypeError.InvalidArgumentValue"}, {"split('a,b,,', ',')", "['a', 'b', '', '']"}, {"split('ab', '')", "['a', 'b']"}, {"split('a, b;c', [', ', ',', ';'])", "['a', 'b', 'c']"}, {"split('a', 1)", "!TypeError.InvalidArgumentValue"}, {"split(1, 'a')", "!TypeError.InvalidArgumentValue"}, {"split('a', [1])", "!TypeError.InvalidArgumentValue"}, {"split(null, 'a')", "null"}, {"lTrim('\t a ')", "'a '"}, {"rTrim(' a ')", "' a'"},
	{"toIntegerOrNull('x')", "null"}, {"toIntegerOrNull({})", "null"}, {"toFloatOrNull(1)", "1.0"}, {"toStringOrNull([])", "null"}, {"toBooleanOrNull(1.5)", "null"}, {"toIntegerList(['1', null, 'x', 1.9])", "[1, null, null, 1]"}, {"toStringList([1, [], null])", "['1', null, null]"}, {"toFloatList(1)", "!TypeError.InvalidArgumentValue"},
	{"round(3.14159, 3)", "3.142"}, {"round(-1.55, 1)", "-1.6"}, {"round(1.55, 1, 'HALF_EVEN')", "1.6"}, {"round(1.45, 1, 'HALF_EVEN')", "1.4"}, {"round(1.45, 1, 'HALF_DOWN')", "1.4"}, {"round(-1.45, 1, 'CEILING')", "-1.4"}, {"round(-1.41, 1, 'FLOOR')", "-1.5"}, {"round(1.41, 1, 'UP')", "1.5"}, {"round(1.49, 1, 'DOWN')", "1.4"}, {"round(2.5, 0)", "3.0"}, {"round(-1.5, 0)", "-1.0"}, {"round(-1.5, 0, 'HALF_UP')", "-2.0"}, {"round(1.0, 1, 'UP')", "1.0"}, {"round(0.0 / 0.0, 1)", "NaN"}, {"round(1.5, -1)", "!ArgumentError.NumberOutOfRange"}, {"round(1.5, 1, 'x')", "!ArgumentError.InvalidArgumentValue"}, {"round(1.5, 1, 1)", "!TypeError.InvalidArgumentValue"}, {"round('a')", "!TypeError.InvalidArgumentValue"}, {"round(null, 1)", "null"},
	{"isNaN(0.0 / 0.0)", "true"}, {"isNaN(1)", "false"}, {"isNaN('a')", "!TypeError.InvalidArgumentValue"}, {"log(0)", "-Infinity"}, {"atan2(1, 1) = pi() / 4", "true"}, {"atan2('a', 1)", "!TypeError.InvalidArgumentValue"}, {"haversin(pi())", "1.0"}, {"degrees(pi())", "180.0"}, {"e() = exp(1)", "true"}, {"0 <= rand() AND rand() < 1", "true"}, {"randomUUID() =~ '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'", "true"}, {"randomUUID() = randomUUID()", "false"}, {"apoc.create.uuid() = apoc.create.uuid()", "false"}, {"apoc.create.uuidBase64() = apoc.create.uuidBase64()", "false"}, {"apoc.create.uuidBase64() =~ '[-0-9A-Za-z_]{22}'", "true"}, {"elementId(n2)", "'2'"}, {"elementId(r0) = toString(id(r0))", "true"}, {"elementId(1)", "!TypeError.InvalidArgumentValue"},
	{"[x IN [1, 2, 3] WHERE x > 1 | x * 2]", "[4, 6]"}, {"[x IN [1, 2, 3] | x + $p]", "[8, 9, 10]"}, {"[x IN [1, null, 3] WHERE x > 1]", "[3]"}, {"[x IN null | 1]", "null"}, {"[x IN [] | 1 / 0]", "[]"}, {"[x IN [1] | x / 0]", "!ArithmeticError.DivisionByZero"}, {"[x IN $p | x + 1]", "[8]"}, {"[x IN [1, 2] WHERE head([x])]", "!TypeError.InvalidArgumentType"}, {"[x IN [[1, 2], [3]] | [x IN x | x * 10]]", "[[10, 20], [30]]"}, {"[x IN [1, 2] | [y IN [x, x + 1] WHERE y > x | x + y]]", "[[3], [5]]"}, {"[x IN [n0, n1] | x.name]", "['Ann', 'Bob']"}, {"[n0 IN [1] | n0] + [n0.name]", "[1, 'Ann']"},
	{"all(x IN [1, 2] WHERE x > 0)", "true"}, {"all(x IN [1, null] WHERE x > 0)", "null"}, {"all(x IN [-1, null] WHERE x > 0)", "false"}, {"any(x IN [null, 1] WHERE x > 0)", "true"}, {"any(x IN [null, -1] WHERE x > 0)", "null"}, {"none(x IN [null, 1] WHERE x > 0)", "false"}, {"none(x IN [null] WHERE x > 0)", "null"}, {"single(x IN [1, null] WHERE x > 0)", "null"}, {"single(x IN [1, null, 2] WHERE x > 0)", "false"}, {"single(x IN [] WHERE x)", "false"}, {"all(x IN [] WHERE x)", "true"}, {"any(x IN null WHERE x)", "null"}, {"any(x IN [head([1])] WHERE x)", "!TypeError.InvalidArgumentType"}, {"any(x IN $p WHERE x = 7)", "true"}, {"all(x IN [true, 1 / 0] WHERE x)", "!ArithmeticError.DivisionByZero"},
	{"reduce(s = 0, x IN [1, 2, 3] | s + x)", "6"}, {"reduce(s = '', x IN ['a', 'b'] | s + x)", "'ab'"}, {"reduce(s = 1, x IN [] | s / 0)", "1"}, {"reduce(s = 1, x IN null | s)", "null"}, {"reduce(s = 1, x IN [1] | s / 0)", "!ArithmeticError.DivisionByZero"}, {"reduce(s = 1, x IN $p | s + x)", "8"}, {"reduce(s = [], x IN [1, 2] | s + reduce(s = x, y IN [10, 20] | s + y))", "[31, 32]"}, {"reduce(s = 1, x IN range(1, 100) | s * 10)", "!ArithmeticError.IntegerOverflow"},
	{"reduce(s = 'a', x IN range(1, 60) | s + s)", "!ResourceError.MemoryLimit"}, {"reduce(s = [1], x IN range(1, 60) | s + s)", "!ResourceError.MemoryLimit"},
	{"exists(n0.name)", "true"}, {"exists(n0.nothing)", "false"}, {"exists(null)", "false"},
	{"$p + 1", "8"}, {"$missing", "!ParameterMissing.MissingParameter"}, {"CASE WHEN false THEN $missing END", "!ParameterMissing.MissingParameter"}, {"5 IN $list", "true"}, {"$list[2..4]", "[2, 3]"}, {"$map.k", "'v'"},
}

func TestExpressions(t *testing.T) {
	s := society(t)
	vars := societyVars(s)
	list := make([]value.Value, 20)
	for i := range list {
		list[i] = value.OfInt(int64(i))
	}
	params := map[string]value.Value{"p": value.OfInt(7), "list": value.OfList(list),
		"map": value.OfMap(&value.MapValue{Keys: []string{"k"}, Values: []value.Value{value.OfString("v")}})}
	for _, c := range expressions {
		x := parseExpr(t, c[0])
		check := func(how string, vars map[string]value.Value) {
			v, err := evaluate(s, x, vars, params)
			got := show(v, vars)
			var e *Error
			if errors.As(err, &e) {
				got = "!" + e.Code
				if e.Pos.Line == 0 && e.Code != codeRegexp {
					t.Errorf("%s, %s: the error %v has no place", c[0], how, e)
				}
			}
			if got != c[1] {
				t.Errorf("%s, %s: got %s (%v), want %s", c[0], how, got, err, c[1])
			}
		}
		check("folded", vars)
		more := maps.Clone(vars)
		root := reflect.ValueOf(&x).Elem()
		unfold(root, more)
		check("unfolded", more)
	}
}

// TestEvaluationDoesNotAllocate holds the promise that simple expressions cost no memory.
func TestEvaluationDoesNotAllocate(t *testing.T) {
	s := society(t)
	vars := societyVars(s)
	for _, text := range []string{
		"n0.age", "n0.age * 2 + 1 < 70 AND n0.name STARTS WITH 'A'", "n0.name = 'Ann' OR n1.name IN ['a', 'b']", "id(n0) % 2 = 0",
		"CASE WHEN n0:Person THEN 1 ELSE 2 END", "ALL_DIFFERENT(n0, n1, n2)", "n0.age IN [1, 2, 3, 4, 5, 6, 7, 8, 9, 30]", "type(r0)", "n0.name =~ 'A.*'",
	} {
		c := NewCompiler(&Runtime{Snapshot: s})
		e := &Input{}
		for name, v := range vars {
			c.Declare(name, len(e.Row))
			e.Row = append(e.Row, v)
		}
		k, err := c.Compile(parseExpr(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = k.Fn(e) }); n > 0 {
			t.Errorf("%s: %.0f allocations", text, n)
		}
	}
}

func TestUnknownExpressions(t *testing.T) {
	s := society(t)
	for _, x := range []lang.Expr{
		&lang.Var{Name: "ghost"}, &lang.CountStar{}, &lang.Call{Name: "ghost"}, &lang.Call{Name: "size"}, &lang.Unary{Op: "?", X: &lang.Literal{}},
		&lang.Binary{Op: "?", L: &lang.Literal{}, R: &lang.Literal{}}, &lang.Literal{Value: 1},
	} {
		_, err := evaluate(s, x, nil, nil)
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeInternal {
			t.Errorf("%#v: %v", x, err)
		}
	}
}

func TestErrorMessages(t *testing.T) {
	s := society(t)
	for text, want := range map[string]string{
		"true + 1":                "cannot add a boolean and an integer",
		"[1]['a']":                "a list is indexed by an integer, not by a string",
		"9223372036854775807 + 1": "9223372036854775807 + 1 does not fit a 64-bit integer",
		"labels(1)":               "labels() takes a node, not an integer",
		"1 IN 2":                  "IN needs a list on its right, not an integer",
		"$x":                      "the parameter $x has no value",
		"'a' =~ '['":              "'[' is not a regular expression: error parsing regexp: missing closing ]: `[`",
		"'a' =~ ')|(?:'":          "')|(?:' is not a regular expression: error parsing regexp: unexpected ): `)|(?:`",
	} {
		_, err := evaluate(s, parseExpr(t, text), nil, nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	_, err := evaluate(s, parseExpr(t, "1 +\n  [1][true]"), nil, nil)
	var e *Error
	if !errors.As(err, &e) || e.Pos.Line != 2 || !strings.Contains(e.Msg, "boolean") {
		t.Errorf("%v at %+v", err, e)
	}
}

// A regular expression matches whole strings: those that its longest match covers from end to end.
func TestWholeMatch(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{"a", "b", ".", "|", "(", ")", "(?:", "*", "*?", "+", "?", "^", "$", "(?i)", "(?m)", "(?s)", "(?U)", "[ab]", "[^a]", "\\Q", "\\E", "\\b", "\\A", "\\z", "\n", "{2}", "A"}
	for range 20000 {
		var pattern, text strings.Builder
		for range r.IntN(7) {
			pattern.WriteString(pieces[r.IntN(len(pieces))])
		}
		for range r.IntN(4) {
			text.WriteByte("abA\n"[r.IntN(4)])
		}
		alone, aloneErr := regexp.Compile(pattern.String())
		whole, err := compileWhole(&Runtime{}, pattern.String())
		if fmt.Sprint(err) != fmt.Sprint(aloneErr) {
			t.Fatalf("seed %d: %q: %v, want %v", seed, pattern.String(), err, aloneErr)
		}
		if err != nil {
			continue
		}
		alone.Longest()
		want := slices.Equal(alone.FindStringIndex(text.String()), []int{0, text.Len()})
		read := whole.re.MatchReader(&runes{ctx: t.Context(), text: strings.NewReader(text.String()), every: 1})
		if got, err := whole.match(t.Context(), text.String()); got.Bool() != want || read != want || err != nil {
			t.Fatalf("seed %d: %q =~ %q is %v, want %v", seed, text.String(), pattern.String(), got, want)
		}
	}
	deep := strings.Repeat("(", 999) + "a" + strings.Repeat(")", 999)
	if _, err := compileWhole(&Runtime{}, deep); err != nil && strings.Contains(err.Error(), `\z`) {
		t.Errorf("the error shows the anchors: %.100s", err)
	}
}

// TestQuantifiersByCases compares all, any, none and single with every way to make each null true or false. The answer is known where all ways
// agree.
func TestQuantifiersByCases(t *testing.T) {
	counts := map[string]func(yes, n int) bool{
		"all": func(yes, n int) bool { return yes == n }, "any": func(yes, n int) bool { return yes > 0 },
		"none": func(yes, n int) bool { return yes == 0 }, "single": func(yes, n int) bool { return yes == 1 },
	}
	s := society(t)
	for kind, holds := range counts {
		for code := range 3 * 3 * 3 * 3 * 5 {
			n := code % 5
			list := make([]value.Value, n)
			yes, unknown := 0, 0
			for i, c := 0, code/5; i < n; i, c = i+1, c/3 {
				switch c % 3 {
				case 0:
					list[i] = value.OfBool(false)
				case 1:
					list[i] = value.OfBool(true)
					yes++
				default:
					unknown++
				}
			}
			want := value.OfBool(holds(yes, n))
			for more := range unknown {
				if holds(yes+more+1, n) != want.Bool() {
					want = value.Value{}
					break
				}
			}
			got, err := evaluate(s, parseExpr(t, kind+"(x IN $list WHERE x)"), nil, map[string]value.Value{"list": value.OfList(list)})
			if err != nil || got != want {
				t.Fatalf("%s of %v is %v (%v), want %v", kind, value.OfList(list), got, err, want)
			}
		}
	}
}

// TestLoopsAreFolded checks that an expression with variables of its own is computed while compiling, unless it reads a row or an outer
// variable.
func TestLoopsAreFolded(t *testing.T) {
	s := society(t)
	vars := societyVars(s)
	for text, want := range map[string]bool{
		"[x IN [1, 2] | x + 1]": true, "reduce(s = 0, x IN range(1, 9) | s + x)": true, "all(x IN [1] WHERE any(y IN [x, 2] WHERE y = x))": true,
		"[x IN [1, 2] | x + id(n0)]": false, "[x IN [n0] | 1]": false, "[x IN [1, 2] | rand()]": false, "[x IN [1] | x / 0]": false, "[x IN [1] | [y IN [n0] | y]]": false,
		"reduce(s = n0, x IN [1] | 1)": false, "[x IN [1] | reduce(s = 0, y IN [x] | y)]": true,
	} {
		c := NewCompiler(&Runtime{Snapshot: s})
		for name := range vars {
			c.Declare(name, len(c.vars))
		}
		k, err := c.Compile(parseExpr(t, text))
		if err != nil || k.Constant != want {
			t.Errorf("%s: constant %v, %v", text, k.Constant, err)
		}
	}
}

// TestLoopsStop checks that a loop inside an expression ends when the query is cancelled, and that its list must fit the memory budget.
func TestLoopsStop(t *testing.T) {
	s := society(t)
	for _, text := range []string{
		"reduce(s = 0, x IN range(1, 3000000) + 0 | s + 1)", "[x IN range(1, 3000000) | x]", "all(x IN range(1, 3000000) + 1 WHERE x > 0)", "range(1, 3000000)",
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := NewCompiler(&Runtime{Snapshot: s, Ctx: ctx})
		why := errors.New("enough")
		cancel(why)
		k, err := c.Compile(parseExpr(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = k.Fn(&Input{}); !errors.Is(err, why) {
			t.Errorf("%s, cancelled: %v", text, err)
		}
		c = NewCompiler(&Runtime{Snapshot: s, Memory: &pattern.Memory{Limit: 1 << 20}})
		if k, err = c.Compile(parseExpr(t, text)); err != nil {
			t.Fatal(err)
		}
		var e *Error
		if _, err = k.Fn(&Input{}); !errors.As(err, &e) || e.Code != CodeMemory {
			t.Errorf("%s in 1 MiB: %v", text, err)
		}
		if used := c.Memory.Used(); used != 0 {
			t.Errorf("%s leaves %d bytes charged", text, used)
		}
	}
	c := NewCompiler(&Runtime{Snapshot: s, Memory: &pattern.Memory{Limit: 1 << 20}})
	for _, text := range []string{"[x IN range(1, 40000) | 'x']", "replace('aaaaaaaaaaaaaaaa', 'a', reduce(s = 'a', x IN range(1, 18) | s + s))", "reduce(s = 'a', x IN range(1, 30) | s + s)"} {
		k, err := c.Compile(parseExpr(t, text))
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.Fn(&Input{})
		var e *Error
		if fits := strings.HasPrefix(text, "["); fits != (err == nil) || !fits && (!errors.As(err, &e) || e.Code != CodeMemory) {
			t.Errorf("%s in 1 MiB: %v", text, err)
		}
	}
}

// TestFunctionExamples checks the example that the reference gives for each function.
func TestFunctionExamples(t *testing.T) {
	b := csr.NewBuilder()
	person, admin := b.Label("Person"), b.Label("Admin")
	name, since := b.Key("name"), b.Key("since")
	b.AddVertex(person)
	b.AddVertex(person, admin)
	b.SetVertex(0, name, csr.StringCell("Ann"))
	b.SetVertex(1, name, csr.StringCell("Bob"))
	b.SetEdge(b.AddEdge(0, 1, b.Type("KNOWS")), since, csr.IntCell(2010))
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	v0, _ := s.VertexByNodeID(0)
	v1, _ := s.VertexByNodeID(1)
	vars := map[string]value.Value{"a": value.OfNode(v0), "b": value.OfNode(v1), "r": value.OfRel(0),
		"p": value.OfPath(&value.PathValue{Nodes: []csr.VertexID{v0, v1}, Rels: []csr.EdgeID{0}})}
	for _, f := range lang.Functions {
		if f.Aggregate { // tested where rows are
			continue
		}
		v, err := evaluate(s, parseExpr(t, f.Example), vars, nil)
		if err != nil || v.String() != f.Value {
			t.Errorf("%s is %v (%v), the reference says %s", f.Example, v, err, f.Value)
		}
	}
}

// TestJoin checks that long texts are joined whole, and that joining ends with its context.
func TestJoin(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rt := &Runtime{Ctx: ctx}
	s, u := strings.Repeat("x", joinBlock+5), strings.Repeat("y", 2*joinBlock)
	if v, err := rt.join(s, u); err != nil || v.Str() != s+u {
		t.Errorf("%d bytes, %v", len(v.Str()), err)
	}
	cancel()
	if _, err := rt.join(s, u); err != context.Canceled {
		t.Errorf("ended with %v", err)
	}
}
