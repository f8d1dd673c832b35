package lang

import "strings"

// undefinedHint says what an undefined variable perhaps stands for.
func (c *checker) undefinedHint(x *Var) string {
	near := didYouMean(x.Name, c.scope.all(), func(name string) string { return "`" + name + "`" })
	switch word := strings.ToLower(x.Name); {
	case c.outside.find(x.Name) != nil:
		return "write CALL (" + QuoteName(x.Name) + ") { ... } for the subquery to use it"
	case c.dropped[x.Name]:
		return "the WITH before passes on only what it lists: add " + QuoteName(x.Name) + " to it"
	case c.hyphenated(x) != "":
		return "a name with - stands in backticks: " + c.hyphenated(x)
	case near != "":
		return near
	case otherConstants[word] != "":
		return "write " + otherConstants[word]
	}
	if c.names.cat != nil {
		if owner := c.owner(); owner != "" && c.names.known("property key", c.names.cat.Keys, x.Name) {
			return "did you mean " + QuoteName(owner) + "." + QuoteKey(x.Name) + "?"
		}
		if c.names.known("label", c.names.cat.Labels, x.Name) {
			return QuoteKey(x.Name) + " is a label: name its nodes in a pattern, (n:" + QuoteKey(x.Name) + "), and use the name"
		}
	}
	return c.variablesInScope()
}

// otherConstants are names that other languages give to values.
var otherConstants = map[string]string{
	"none": "null", "nil": "null", "unknown": "UNKNOWN or null", "undefined": "null", "nan": "0.0 / 0.0", "infinity": "1.0 / 0.0", "inf": "1.0 / 0.0", "yes": "true", "no": "false",
	"current_timestamp": "datetime()", "current_date": "date()", "current_time": "time()", "sysdate": "datetime()", "now": "datetime()", "today": "date()",
}

// owner is a variable in scope that may have properties, or "".
func (c *checker) owner() string {
	for s := c.scope; s != nil; s = s.outer {
		for _, b := range s.vars {
			if b.kinds.known() && b.kinds&(kNode|kRel) != 0 {
				return b.Name
			}
		}
	}
	return ""
}

// hyphenated is the property that x is the second half of, n.first-name, or "".
func (c *checker) hyphenated(x *Var) string {
	text, at := c.stmt.source, x.Pos.Offset
	if at < 3 || at > len(text) || text[at-1] != '-' {
		return ""
	}
	start := strings.LastIndexFunc(text[:at-1], func(r rune) bool { return !isNamePart(r) })
	if start < 1 || start+1 == at-1 || text[start] != '.' {
		return ""
	}
	return "`" + text[start+1:at] + x.Name + "`"
}

// quotesHint is the hint for a property that is compared with an undefined variable: a text without quotes.
func (c *checker) quotesHint(x *Binary) {
	v, ok := x.R.(*Var)
	if _, isProperty := x.L.(*Property); !ok || !isProperty || c.scope.find(v.Name) != nil {
		return
	}
	if hint := c.undefinedHint(v); hint == c.variablesInScope() && (c.names.cat == nil || !c.names.known("label", c.names.cat.Labels, v.Name)) {
		c.fail("UndefinedVariable", v.Pos, "a text stands in quotes: '"+v.Name+"'; "+hint, "variable `%s` is not defined", v.Name)
	}
}

// callHint is the hint for an unknown function that is written as a method, a.size(), or "".
func (c *checker) callHint(x *Call) string {
	of, name, ok := strings.Cut(x.Name, ".")
	for ok && strings.Contains(name, ".") {
		i := strings.LastIndex(x.Name, ".")
		of, name = x.Name[:i], x.Name[i+1:]
	}
	first, _, _ := strings.Cut(of, ".")
	if !ok || c.scope.find(first) == nil {
		return ""
	}
	if oper := methodOperators[strings.ToLower(name)]; oper != "" {
		return "write " + of + " " + oper + " ..."
	}
	if f := functionIndex[strings.ToLower(name)]; f != nil {
		return "functions stand before their arguments: " + f.Name + "(" + of + ")"
	}
	if hint := missingFunctions[strings.ToLower(name)]; hint != "" {
		return hint
	}
	return "functions stand before their arguments: name(" + of + ")"
}

var methodOperators = map[string]string{
	"contains": "CONTAINS", "startswith": "STARTS WITH", "endswith": "ENDS WITH", "in": "IN", "isin": "IN", "equals": "=", "matches": "=~", "includes": "IN",
}

// aggregateHint says how to use an aggregate in a place that cannot have one.
func aggregateHint(place, name string) string {
	switch place {
	case "WHERE":
		return "compute it first: WITH n, " + name + "(...) AS k WHERE k > 1"
	case "ORDER BY":
		return "return it under a name, and sort by the name: RETURN " + name + "(...) AS k ORDER BY k"
	}
	return "compute it first: WITH " + name + "(...) AS k"
}
