package planner

import (
	"regexp"
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
		return temporalLiteral(lit.Value.(string))
	}
	switch {
	case of&temporalKind != 0 && other == numberKind && isDifference(y):
		return temporalLiteral(strings.ReplaceAll(lang.Text(y), " ", ""))
	case isLiteral && of == stringKind && other == numberKind:
		return mendNumber(w, x, lit)
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

// temporalLiteral says how a text is written as a date or time.
func temporalLiteral(text string) string {
	day, rest := text[:min(len(text), 10)], text[min(len(text), 10):]
	parts := strings.FieldsFunc(day, func(r rune) bool { return r == '-' })
	if len(parts) != 3 || len(parts[0]) != 4 || strings.Trim(strings.Join(parts, ""), "0123456789") != "" {
		return "a date is written date('2024-12-31'), a time datetime('2024-12-31T12:00')"
	}
	if rest != "" {
		return "write datetime(" + lang.Text(&lang.Literal{Value: text}) + ")"
	}
	for i := range parts[1:] {
		if len(parts[i+1]) == 1 {
			parts[i+1] = "0" + parts[i+1]
		}
	}
	return "write date('" + strings.Join(parts, "-") + "')"
}

// isDifference reports whether x is one number minus others, as a date without quotes is.
func isDifference(x lang.Expr) bool {
	b, ok := x.(*lang.Binary)
	if !ok {
		l, isLiteral := x.(*lang.Literal)
		return isLiteral && literalKinds(l) == numberKind
	}
	return b.Op == "-" && isDifference(b.L) && isDifference(b.R)
}

// mendNumber says how to compare the texts of x with a number.
func mendNumber(w *warner, x lang.Expr, number *lang.Literal) string {
	name := lang.Text(x)
	plain := "write '" + lang.Text(number) + "' for a text, or toInteger(" + name + ") for a number"
	texts := storedTexts(w, x)
	if len(texts) == 0 {
		return plain
	}
	form := numberFormOf(texts)
	_, isInt := number.Value.(int64)
	switch {
	case form == nil:
		return "write '" + lang.Text(number) + "' for a text: " + name + " holds texts such as " + shownText(texts[0])
	case form.read == "%s" && isInt && !slices.ContainsFunc(texts, func(t string) bool { return strings.Trim(t, "+-0123456789") != "" }):
		if t := texts[0]; len(t) > 1 && t[0] == '0' {
			return name + " holds texts such as " + shownText(t) + ": write one of these, in quotes"
		}
		return plain
	}
	return name + " holds texts such as " + shownText(texts[0]) + ": write toFloat(" + strings.ReplaceAll(form.read, "%s", name) + ")"
}

// numberForm is a way to write numbers that toFloat does not read.
type numberForm struct {
	pattern *regexp.Regexp
	read    string // the expression that toFloat reads, of %s
}

// numberForms are tried in order; the first that fits all texts is taken.
var numberForms = []numberForm{
	{regexp.MustCompile(`^[-+]?\d*\.?\d+([eE][-+]?\d+)?$`), "%s"},
	{regexp.MustCompile(`^[-+]?\d{1,3}(,\d{3})+$`), "replace(%s, ',', '')"},
	{regexp.MustCompile(`^[-+]?\d+(,\d+)?$`), "replace(%s, ',', '.')"},
	{regexp.MustCompile(`^[-+]?\d{1,3}(,?\d{3})*(\.\d+)?$`), "replace(%s, ',', '')"},
	{regexp.MustCompile(`^[-+]?\d{1,3}(\.?\d{3})*(,\d+)?$`), "replace(replace(%s, '.', ''), ',', '.')"},
	{regexp.MustCompile(`^[-+]?\d*\.?\d+%$`), "replace(%s, '%', '')"},
	{regexp.MustCompile(`^\$[-+]?\d*\.?\d+$`), "replace(%s, '$', '')"},
	{regexp.MustCompile(`^[-+]?\d*\.?\d+ ?€$`), "trim(replace(%s, '€', ''))"},
}

// numberFormOf returns the form that all texts have; nil if they have none in common.
func numberFormOf(texts []string) *numberForm {
	for i := range numberForms {
		f := &numberForms[i]
		if !slices.ContainsFunc(texts, func(t string) bool { return !f.pattern.MatchString(t) }) {
			return f
		}
	}
	return nil
}

// shownText is a text in quotes, cut off where it is long.
func shownText(text string) string {
	if r := []rune(text); len(r) > 20 {
		text = string(r[:20]) + "…"
	}
	return lang.Text(&lang.Literal{Value: text})
}

// mendTemporal says how to compare the text x with a value of the temporal function name. Text that is no ISO 8601 needs more than
// the function.
func (w *warner) mendTemporal(x lang.Expr, name string) string {
	call := name + "(" + lang.Text(x) + ")"
	texts := storedTexts(w, x)
	if len(texts) == 0 || isoStart(name, texts[0]) {
		return "write " + call
	}
	text := texts[0]
	hint := lang.Text(x) + " holds texts such as " + shownText(text) + ", which " + name + "() does not read"
	if name == "date" && strings.ContainsAny(text, "0123456789") {
		hint += ": take their parts with split(), and write date({year: ..., month: ..., day: ...})"
	}
	return hint
}

// How many nodes or relationships the search for texts looks at, and how many texts it takes.
const (
	mostSampled = 1000
	mostTexts   = 100
)

// storedTexts returns texts that the graph has for a property; none if x is no property, or if the first elements have no text.
func storedTexts(w *warner, x lang.Expr) (texts []string) {
	p, ok := x.(*lang.Property)
	if !ok {
		return nil
	}
	of, ok := p.Of.(*lang.Var)
	if !ok {
		return nil
	}
	v := w.find(of.Name)
	id, ok := w.snap.Keys.Lookup(p.Key)
	if v == nil || !ok {
		return nil
	}
	add := func(c csr.Cell, ok bool) (more bool) {
		if ok && c.Kind == csr.KindString {
			texts = append(texts, c.Str)
		}
		return len(texts) < mostTexts
	}
	key := csr.KeyID(id)
	if v.kinds == relKind {
		for e := csr.EdgeID(0); e < csr.EdgeID(min(w.snap.M(), mostSampled)) && add(w.snap.EdgeProp(e, key)); e++ {
		}
		return texts
	}
	for i := range w.snap.Classes {
		class := &w.snap.Classes[i]
		if !hasLabels(w.snap, class, v) {
			continue
		}
		for at := class.Lo; at < min(class.Hi, class.Lo+mostSampled) && add(w.snap.VertexProp(at, key)); at++ {
		}
	}
	return texts
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
