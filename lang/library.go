package lang

import "slices"

// The functions of the library. What their examples say is checked by a test.

var graphFunctions = []Function{
	fn("id(element) :: integer", "the number that identifies a node or relationship; it never changes", "id(a)", "0", kInt, kNode|kRel),
	fn("elementId(element) :: string", "the id as a string", "elementId(b)", "'1'", kString, kNode|kRel),
	fn("labels(node) :: list", "the labels of a node", "labels(b)", "['Person', 'Admin']", kList, kNode),
	fn("type(relationship) :: string", "the type of a relationship", "type(r)", "'KNOWS'", kString, kRel),
	fn("properties(x) :: map", "the properties of a node or relationship as a map; a map itself", "properties(r)", "{since: 2010}", kMap, kNode|kRel|kMap),
	fn("keys(x) :: list", "the property keys of a node or relationship, or the keys of a map", "keys(a)", "['name']", kList, kNode|kRel|kMap),
	fn("startNode(relationship) :: node", "the node that a relationship begins at", "startNode(r) = a", "true", kNode, kRel),
	fn("endNode(relationship) :: node", "the node that a relationship ends at", "endNode(r) = b", "true", kNode, kRel),
	fn("length(path) :: integer", "the number of relationships of a path", "length(p)", "1", kInt, kPath),
	fn("nodes(path) :: list", "the nodes of a path, from its start to its end", "nodes(p) = [a, b]", "true", kList, kPath),
	fn("relationships(path) :: list", "the relationships of a path, from its start to its end", "relationships(p) = [r]", "true", kList, kPath),
	fn("ALL_DIFFERENT(a, b, ...) :: boolean", "whether nodes or relationships are pairwise different", "ALL_DIFFERENT(a, b)", "true", kBool, kNode|kRel),
	fn("IS_CLIQUE(nodes, types?) :: boolean", "whether every two nodes of a list are joined by a relationship; types, a name or a list of names, limits which relationships count",
		"IS_CLIQUE([a, b], 'KNOWS')", "true", kBool, kList, kString|kList),
}

var valueFunctions = []Function{
	fn("coalesce(x, ...) :: any", "the first of its arguments that is not null", "coalesce(null, 'a', 'b')", "'a'", kAny, kAny),
	fn("exists(x) :: boolean", "whether x is not null; if x is a pattern, whether it has a match. IS NOT NULL and EXISTS { } mean the same", "exists(a.name)", "true", kBool, kAny),
	fn("nullIf(x, y) :: any", "null if x and y are equal, else x", "nullIf('n/a', 'n/a')", "null", kAny, kAny),
	fn("isEmpty(x) :: boolean", "whether a list, a string or a map is empty", "isEmpty([])", "true", kBool, kList|kString|kMap),
	fn("valueType(x) :: string", "the type of a value, as exactly as it can be told", "valueType([1, null])", "'LIST<INTEGER> NOT NULL'", kString, kAny),
	fn("timestamp() :: integer", "the milliseconds from 1970 to the start of the statement", "timestamp() > 1700000000000", "true", kInt),
	fn("rand() :: float", "a new random number at each call, at least 0 and less than 1", "0 <= rand() < 1", "true", kFloat),
	fn("linenumber() :: integer", "after LOAD CSV, the line of the file on which the record begins; null in a query without LOAD CSV", "linenumber()", "null", kInt|kNull),
	fn("file() :: string", "after LOAD CSV, the path of the file; null in a query without LOAD CSV", "file()", "null", kString|kNull),
	fn("randomUUID() :: string", "a new random UUID at each call", "size(randomUUID())", "36", kString),
}

var listFunctions = []Function{
	fn("size(x) :: integer", "the number of elements of a list or of characters of a string", "size([1, 2, 3])", "3", kInt, kList|kString),
	fn("head(list) :: any", "the first element of a list; null if it is empty", "head([1, 2, 3])", "1", kAny, kList),
	fn("last(list) :: any", "the last element of a list; null if it is empty", "last([1, 2, 3])", "3", kAny, kList),
	fn("tail(list) :: list", "a list without its first element", "tail([1, 2, 3])", "[2, 3]", kList, kList),
	fn("reverse(x) :: any", "a list or a string in reverse order", "reverse([1, 2, 3])", "[3, 2, 1]", kList|kString, kList|kString),
	fn("vector.similarity.cosine(a, b) :: float", "how alike the directions of two lists of numbers are: 1 for the same, 0.5 for a right angle, 0 for opposite ones", "vector.similarity.cosine([1, 0], [0, 2])", "0.5", kFloat, kList),
	fn("vector.similarity.euclidean(a, b) :: float", "1 / (1 + d * d) for the distance d of two lists of numbers", "vector.similarity.euclidean([1, 0], [0, 0])", "0.5", kFloat, kList),
	fn("range(start, end, step?) :: list", "the integers from start to end, both included", "range(0, 10, 5)", "[0, 5, 10]", kList, kAny),
}

var stringFunctions = []Function{
	fn("toLower(string) :: string", "the string in lower case", "toLower('Ann')", "'ann'", kString, kString),
	fn("toUpper(string) :: string", "the string in upper case", "toUpper('Ann')", "'ANN'", kString, kString),
	fn("lower(string) :: string", "the same as toLower()", "lower('Ann')", "'ann'", kString, kString),
	fn("upper(string) :: string", "the same as toUpper()", "upper('Ann')", "'ANN'", kString, kString),
	fn("trim(string) :: string", "the string without blanks at its ends", "trim('  Ann ')", "'Ann'", kString, kString),
	fn("bTrim(string, characters?) :: string", "the string without blanks, or without the given characters, at its ends", "bTrim('xyAnnx', 'xy')", "'Ann'", kString, kString, kString),
	fn("lTrim(string, characters?) :: string", "the string without blanks, or without the given characters, at its start", "lTrim('  Ann ')", "'Ann '", kString, kString, kString),
	fn("rTrim(string, characters?) :: string", "the string without blanks, or without the given characters, at its end", "rTrim('  Ann ')", "'  Ann'", kString, kString, kString),
	fn("char_length(string) :: integer", "the number of characters of a string", "char_length('Ann')", "3", kInt, kString),
	fn("character_length(string) :: integer", "the same as char_length()", "character_length('Ann')", "3", kInt, kString),
	fn("normalize(string, form?) :: string", "the string in a normal form of Unicode: NFC, which is the default, NFD, NFKC or NFKD", "normalize('A\\u030A') = 'Å'", "true", kString, kString, kString),
	fn("isNormalized(string, form?) :: boolean", "whether the string is in a normal form of Unicode; the same as string IS NFC NORMALIZED", "isNormalized('A\\u030A')", "false", kBool, kAny, kString),
	fn("left(string, length) :: string", "the first characters of a string", "left('hello', 2)", "'he'", kString, kString, kInt),
	fn("right(string, length) :: string", "the last characters of a string", "right('hello', 2)", "'lo'", kString, kString, kInt),
	fn("substring(string, start, length?) :: string", "a part of a string; the first character is at 0", "substring('hello', 1, 3)", "'ell'", kString, kString, kInt),
	fn("replace(string, search, replacement) :: string", "the string with every occurrence of the search string replaced", "replace('hello', 'l', 'w')", "'hewwo'", kString, kString),
	fn("split(string, delimiter) :: list", "the parts of a string between delimiters; the delimiter is a string or a list of strings", "split('a,b,c', ',')", "['a', 'b', 'c']", kList, kString, kString|kList),
}

var conversionFunctions = []Function{
	fn("toInteger(x) :: integer", "a number without its fraction, or the number that a string spells. If a string spells no number, or the number does not fit, the result is null", "toInteger('42')", "42", kInt, kNumber|kString|kBool),
	fn("toFloat(x) :: float", "a number as a float, or the number that a string spells. If a string spells no number, the result is null", "toFloat('1.5')", "1.5", kFloat, kNumber|kString),
	fn("toString(x) :: string", "a number, boolean, temporal value, point or string as a string", "toString(42)", "'42'", kString, kNumber|kString|kBool|kTemporal|kPoint),
	fn("toBoolean(x) :: boolean", "a string, boolean or integer as a boolean. If a string is neither true nor false, the result is null", "toBoolean('TRUE')", "true", kBool, kString|kBool|kInt),
	fn("toIntegerOrNull(x) :: integer", "as toInteger(), but null for what cannot be converted", "toIntegerOrNull([])", "null", kInt, kAny),
	fn("toFloatOrNull(x) :: float", "as toFloat(), but null for what cannot be converted", "toFloatOrNull(true)", "null", kFloat, kAny),
	fn("toStringOrNull(x) :: string", "as toString(), but null for what cannot be converted", "toStringOrNull({})", "null", kString, kAny),
	fn("toBooleanOrNull(x) :: boolean", "as toBoolean(), but null for what cannot be converted", "toBooleanOrNull(1.5)", "null", kBool, kAny),
	fn("toIntegerList(list) :: list", "each element by toIntegerOrNull()", "toIntegerList(['1', 2.5, []])", "[1, 2, null]", kList, kList),
	fn("toFloatList(list) :: list", "each element by toFloatOrNull()", "toFloatList(['1', 2])", "[1.0, 2.0]", kList, kList),
	fn("toStringList(list) :: list", "each element by toStringOrNull()", "toStringList([1, true])", "['1', 'true']", kList, kList),
	fn("cast(x, type) :: any", "x as a value of a type; it is written CAST(x AS INTEGER). A value that cannot be converted is an error", "CAST('42' AS INTEGER)", "42", kAny, kAny, kString),
	fn("toBooleanList(list) :: list", "each element by toBooleanOrNull()", "toBooleanList(['true', 0])", "[true, false]", kList, kList),
}

var numberFunctions = []Function{
	fn("abs(x) :: number", "the absolute value", "abs(-3)", "3", kNumber, kNumber),
	fn("ceil(x) :: float", "the smallest whole number that is at least x", "ceil(1.2)", "2.0", kFloat, kNumber),
	fn("floor(x) :: float", "the largest whole number that is at most x", "floor(1.8)", "1.0", kFloat, kNumber),
	fn("round(x, precision?, mode?) :: float",
		"the nearest whole number; halves go up. With a precision above 0, or with a mode, x rounded to that many decimals; halves go away from zero, unless the mode says otherwise: UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN, HALF_EVEN",
		"round(3.14159, 2)", "3.14", kFloat, kNumber, kInt, kString),
	fn("sign(x) :: integer", "-1, 0 or 1", "sign(-2.5)", "-1", kInt, kNumber),
	fn("isNaN(x) :: boolean", "whether a float is NaN", "isNaN(0.0 / 0.0)", "true", kBool, kNumber),
	fn("sqrt(x) :: float", "the square root", "sqrt(16)", "4.0", kFloat, kNumber),
	fn("exp(x) :: float", "e to the power of x", "exp(0)", "1.0", kFloat, kNumber),
	fn("log(x) :: float", "the natural logarithm", "log(1)", "0.0", kFloat, kNumber),
	fn("log10(x) :: float", "the logarithm to base 10", "log10(1000)", "3.0", kFloat, kNumber),
	fn("e() :: float", "Euler's number", "round(e(), 3)", "2.718", kFloat),
	fn("pi() :: float", "the ratio of a circle's circumference to its diameter", "round(pi(), 3)", "3.142", kFloat),
	fn("sin(x) :: float", "the sine; angles are in radians", "sin(0)", "0.0", kFloat, kNumber),
	fn("cos(x) :: float", "the cosine", "cos(0)", "1.0", kFloat, kNumber),
	fn("tan(x) :: float", "the tangent", "tan(0)", "0.0", kFloat, kNumber),
	fn("cot(x) :: float", "the cotangent", "round(cot(pi() / 4), 6)", "1.0", kFloat, kNumber),
	fn("asin(x) :: float", "the arcsine", "asin(0)", "0.0", kFloat, kNumber),
	fn("acos(x) :: float", "the arccosine", "acos(1)", "0.0", kFloat, kNumber),
	fn("atan(x) :: float", "the arctangent", "atan(0)", "0.0", kFloat, kNumber),
	fn("atan2(y, x) :: float", "the angle of the point (x, y)", "atan2(0, 1)", "0.0", kFloat, kNumber),
	fn("degrees(x) :: float", "radians as degrees", "degrees(pi())", "180.0", kFloat, kNumber),
	fn("radians(x) :: float", "degrees as radians", "round(radians(180), 3)", "3.142", kFloat, kNumber),
	fn("haversin(x) :: float", "half the versine", "haversin(0)", "0.0", kFloat, kNumber),
}

// temporal are the functions of one type of date or time.
func temporal(name, what, text, isText, unit, truncated string) []Function {
	now := "the " + what + " in the given zone (default UTC) "
	ex := func(f string) string { return name + "." + f + "() IS NOT NULL" }
	return []Function{
		fn(name+"(x?) :: "+name, "the "+what+" given by a map of parts, an ISO 8601 text or another temporal value; without x, the "+what+" when the statement began",
			"toString("+name+"("+text+"))", isText, kTemporal, kMap|kString|kTemporal),
		fn(name+".transaction(zone?) :: "+name, now+"when the transaction began", ex("transaction"), "true", kTemporal, kString),
		fn(name+".statement(zone?) :: "+name, now+"when the statement began", ex("statement"), "true", kTemporal, kString),
		fn(name+".realtime(zone?) :: "+name, now+"at the moment of the call", ex("realtime"), "true", kTemporal, kString),
		fn(name+".truncate(unit, of?, parts?) :: "+name, "cuts `of` (default: now) down to a unit, such as '"+unit+"'; the map `parts` then replaces single parts of the result",
			"toString("+name+".truncate('"+unit+"', datetime('2015-07-21T21:40:32Z')))", truncated, kTemporal, kString, kTemporal, kMap),
	}
}

var temporalFunctions = slices.Concat(
	temporal("date", "date", "{year: 2015, week: 30, dayOfWeek: 2}", "'2015-07-21'", "month", "'2015-07-01'"),
	temporal("localtime", "local time", "'214032.142'", "'21:40:32.142'", "minute", "'21:40'"),
	temporal("time", "time", "'21:40+0100'", "'21:40+01:00'", "hour", "'21:00Z'"),
	temporal("localdatetime", "local datetime", "'2015-202T21'", "'2015-07-21T21:00'", "day", "'2015-07-21T00:00'"),
	temporal("datetime", "datetime", "{year: 2015, month: 7, day: 21, timezone: 'Europe/London'}", "'2015-07-21T00:00+01:00[Europe/London]'", "quarter", "'2015-07-01T00:00Z'"),
	[]Function{
		fn("datetime.fromEpoch(seconds, nanoseconds?) :: datetime", "the datetime, in UTC, that lies the given number of seconds and nanoseconds after 1970-01-01", "toString(datetime.fromEpoch(86400, 0))", "'1970-01-02T00:00Z'", kTemporal, kInt),
		fn("datetime.fromEpochMillis(milliseconds) :: datetime", "the datetime, in UTC, that lies the given number of milliseconds after 1970-01-01", "toString(datetime.fromEpochMillis(1500))", "'1970-01-01T00:00:01.5Z'", kTemporal, kInt),
		fn("duration(x) :: duration", "the duration given by a map of parts or an ISO 8601 text", "toString(duration({months: 1.5, hours: 2}))", "'P1M15DT7H14M33S'", kTemporal, kMap|kString|kTemporal),
		fn("duration.between(from, to) :: duration", "the time between two dates or times, in whole months, then whole days, then seconds", "toString(duration.between(date('2015-01-01'), date('2016-02-03')))", "'P1Y1M2D'", kTemporal, kTemporal),
		fn("duration.inMonths(from, to) :: duration", "the time between two dates or times, in whole months", "toString(duration.inMonths(date('2015-01-01'), date('2016-02-03')))", "'P1Y1M'", kTemporal, kTemporal),
		fn("duration.inDays(from, to) :: duration", "the time between two dates or times, in whole days", "toString(duration.inDays(date('2015-01-01'), date('2016-02-03')))", "'P398D'", kTemporal, kTemporal),
		fn("duration.inSeconds(from, to) :: duration", "the time between two dates or times, in seconds", "toString(duration.inSeconds(localtime('12:00'), localtime('13:01')))", "'PT1H1M'", kTemporal, kTemporal),
	})

var spatialFunctions = []Function{
	fn("point(x) :: point", "the point that a map, a node or a relationship describes: it has the coordinates `x`, `y` and perhaps `z`, or `longitude`, `latitude` and perhaps `height`. `crs` or `srid` names the coordinate reference system", "point({longitude: 12.9, latitude: 55.6}).crs", "'wgs-84'", kPoint, kMap|kNode|kRel),
	fn("point.distance(from, to) :: float", "the distance of two points, in metres on the earth; null if their coordinate reference systems differ", "point.distance(point({x: 0, y: 3}), point({x: 4, y: 0}))", "5.0", kFloat, kPoint),
	fn("point.withinBBox(point, lowerLeft, upperRight) :: boolean", "whether a point lies in a box, edges included; null if the coordinate reference systems differ", "point.withinBBox(point({x: 1, y: 1}), point({x: 0, y: 0}), point({x: 2, y: 2}))", "true", kBool, kPoint),
	fn("distance(from, to) :: float", "the same as point.distance()", "distance(point({x: 0, y: 3}), point({x: 4, y: 0}))", "5.0", kFloat, kPoint),
}

var aggregateFunctions = []Function{
	aggregate("count(x) :: integer", "how many values are not null; count(*) counts rows", "count(x)", "3", kInt, kAny),
	aggregate("sum(x) :: number", "the sum of numbers or durations", "sum(x)", "5", kNumber|kTemporal, kNumber|kTemporal),
	aggregate("avg(x) :: number", "the mean of numbers or durations", "avg(DISTINCT x)", "1.5", kFloat|kTemporal, kNumber|kTemporal),
	aggregate("min(x) :: any", "the smallest value", "min(x)", "1", kAny, kAny),
	aggregate("max(x) :: any", "the largest value", "max(x)", "2", kAny, kAny),
	aggregate("collect(x) :: list", "a list of the values that are not null", "collect(x)", "[1, 2, 2]", kList, kAny),
	aggregate("percentileCont(x, percentile) :: float", "the percentile (0 to 1), interpolated between two values", "percentileCont(x, 0.25)", "1.5", kFloat, kNumber),
	aggregate("percentileDisc(x, percentile) :: number", "the smallest value such that at least this fraction (0 to 1) of the values are <= it", "percentileDisc(x, 0.5)", "2", kNumber, kNumber),
	aggregate("stDev(x) :: float", "the standard deviation of a sample", "round(stDev(x), 3)", "0.577", kFloat, kNumber),
	aggregate("stDevP(x) :: float", "the standard deviation of a population", "round(stDevP(x), 3)", "0.471", kFloat, kNumber),
}
