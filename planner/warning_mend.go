package planner

import (
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// mend says how to compare x with y, which are of different kinds; "" if nothing is likely.
func (w *warner) mend(x, y lang.Expr, of, other kinds) string {
	lit, isLiteral := y.(*lang.Literal)
	call, isCall := y.(*lang.Call)
	if labels, ok := x.(*lang.HasLabels); ok && labels.Labels.Op == lang.LabelName {
		return "a property follows a dot: " + lang.Text(&lang.Property{Of: labels.X, Key: labels.Labels.Name})
	}
	if isLiteral && of&temporalKind != 0 && other == stringKind {
		return "a date is written date('2024-12-31'), a time datetime('2024-12-31T12:00')"
	}
	switch {
	case isLiteral && of == stringKind && other == numberKind:
		return "write '" + lang.Text(lit) + "' for a text, or toInteger(" + lang.Text(x) + ") for a number"
	case isLiteral && of == numberKind && other == stringKind:
		if _, err := strconv.ParseFloat(lit.Value.(string), 64); err == nil {
			return "write " + lit.Value.(string) + " without quotes"
		}
		return "write toString(" + lang.Text(x) + ")"
	case isLiteral && of == boolKind && other == stringKind && slices.Contains([]string{"true", "false"}, strings.ToLower(lit.Value.(string))):
		return "write " + strings.ToLower(lit.Value.(string)) + " without quotes"
	case isLiteral && of == stringKind && other == boolKind:
		return "write '" + lang.Text(lit) + "'"
	case isCall && of == stringKind && other == temporalKind:
		return w.mendTemporal(x, call.Name)
	case of == relKind && other == stringKind:
		return "write type(" + lang.Text(x) + ")"
	case of == nodeKind && other == stringKind:
		return "compare a property, such as " + lang.Text(x) + ".name"
	case (of == nodeKind || of == relKind) && other == numberKind:
		return "write id(" + lang.Text(x) + ")"
	}
	return ""
}

// mendTemporal says how to compare the text x with a value of the temporal function name. Text that is no ISO 8601 needs more than
// the function.
func (w *warner) mendTemporal(x lang.Expr, name string) string {
	call := name + "(" + lang.Text(x) + ")"
	text, ok := storedText(w, x)
	if !ok || isoStart(name, text) {
		return "write " + call
	}
	if r := []rune(text); len(r) > 20 {
		text = string(r[:20]) + "…"
	}
	hint := lang.Text(x) + " holds texts such as " + lang.Text(&lang.Literal{Value: text}) + ", which " + name + "() does not read"
	if name == "date" && strings.ContainsAny(text, "0123456789") {
		hint += ": take their parts with split(), and write date({year: ..., month: ..., day: ...})"
	}
	return hint
}

// mostSampled is how many nodes or relationships the search for a text looks at.
const mostSampled = 1000

// storedText is a text that the graph has for a property; false if x is none, or if the first elements have no text.
func storedText(w *warner, x lang.Expr) (string, bool) {
	p, ok := x.(*lang.Property)
	if !ok {
		return "", false
	}
	of, ok := p.Of.(*lang.Var)
	if !ok {
		return "", false
	}
	v := w.find(of.Name)
	id, ok := w.snap.Keys.Lookup(p.Key)
	if v == nil || !ok {
		return "", false
	}
	key := csr.KeyID(id)
	if v.kinds == relKind {
		for e := range min(w.snap.M(), mostSampled) {
			if c, ok := w.snap.EdgeProp(csr.EdgeID(e), key); ok && c.Kind == csr.KindString {
				return c.Str, true
			}
		}
		return "", false
	}
	for i := range w.snap.Classes {
		class := &w.snap.Classes[i]
		if !hasLabels(w.snap, class, v) {
			continue
		}
		for at := class.Lo; at < min(class.Hi, class.Lo+mostSampled); at++ {
			if c, ok := w.snap.VertexProp(at, key); ok && c.Kind == csr.KindString {
				return c.Str, true
			}
		}
	}
	return "", false
}

// hasLabels reports whether the nodes of a class have the plain labels of v.
func hasLabels(s *csr.Snapshot, class *csr.Class, v *known) bool {
	for _, l := range v.labels {
		if id, ok := s.Labels.Lookup(l.Name); ok && l.Op == lang.LabelName && !slices.Contains(class.Labels, csr.LabelID(id)) {
			return false
		}
	}
	return true
}

// isoStart reports whether a text begins as ISO 8601 writes the values of a temporal function: 2015, 2015-07, 20150721, 12:30.
func isoStart(name, text string) bool {
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	next := byte('-')
	if digits < len(text) {
		next = text[digits]
	}
	switch name {
	case "duration":
		return strings.HasPrefix(strings.TrimPrefix(text, "-"), "P")
	case "time", "localtime":
		return digits > 2 && next != '.' || digits == 2 && (next == ':' || next == '-')
	}
	return digits >= 4 && (next == '-' || next == 'T' && digits > 4)
}
