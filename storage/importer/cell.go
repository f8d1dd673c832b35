package importer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// kind is the type of a property column.
type kind uint8

const (
	kindString kind = iota
	kindInt
	kindFloat
	kindBool
	kindChar
	kindJSON // any value, in JSON
	kindPoint
	kindDate
	kindLocalTime
	kindTime
	kindLocalDateTime
	kindDateTime
	kindDuration
)

// kinds are the property types of neo4j-admin; header fields name them in any case. Integers of every width have
// 64 bits here, and so have floats.
var kinds = map[string]kind{
	"int": kindInt, "long": kindInt, "short": kindInt, "byte": kindInt,
	"float": kindFloat, "double": kindFloat, "boolean": kindBool, "char": kindChar, "string": kindString, "json": kindJSON,
	"point": kindPoint, "date": kindDate, "time": kindTime, "localtime": kindLocalTime, "datetime": kindDateTime, "localdatetime": kindLocalDateTime, "duration": kindDuration,
}

// temporals are the names of the types of dates and times, with an example each.
var temporals = map[kind][2]string{kindDate: {"date", "2020-01-31"}, kindLocalTime: {"localtime", "12:30:00"}, kindTime: {"time", "12:30:00+01:00"},
	kindLocalDateTime: {"localdatetime", "2020-01-31T12:30:00"}, kindDateTime: {"datetime", "2020-01-31T12:30:00+01:00"}, kindDuration: {"duration", "P1M2DT3H"}}

var kindNames = []string{"int", "long", "float", "double", "boolean", "byte", "short", "char", "string", "json",
	"point", "date", "localtime", "time", "localdatetime", "datetime", "duration"}

// cell converts a field to the column's type; ok is false where the field is empty and so the property absent.
// An empty string field in quotes is the empty string. Blanks around a field matter in strings only.
func (col *column) cell(r *records, f field, split string) (cell csr.Cell, ok bool, err error) {
	if col.inferred {
		return col.guess(r, f)
	}
	if col.array || col.kind != kindString {
		f.lo, f.hi = trimBlanks(r.c.data, f.lo, f.hi)
	}
	if f.lo == f.hi && (!f.quoted || col.array || col.kind != kindString) {
		return csr.Cell{}, false, nil
	}
	if col.array {
		return col.list(r, f, split)
	}
	if col.kind == kindJSON {
		v, err := value.ParseJSON(r.str(f))
		if err == nil {
			cell, err = propertyCell(v)
		}
		if err != nil {
			return csr.Cell{}, false, r.c.errorAt(f.lo, "found %s in column %q: %v", shown(r.bytes(f)), col.name, err)
		}
		return cell, cell.Kind != 0, nil
	}
	v, want := col.parse(r.str(f))
	if want != "" {
		return csr.Cell{}, false, r.c.errorAt(f.lo, "found %s in column %q, expected %s", shown(r.bytes(f)), col.name, want).
			hint("--types %s=string keeps the column as text; %s", col.name, col.localHint(r.str(f))+skipHint)
	}
	return v, true, nil
}

// parse converts one text, see kind.parse.
func (col *column) parse(s string) (cell csr.Cell, want string) {
	if col.kind == kindPoint {
		return parsePoint(s, col.crs)
	}
	return col.kind.parse(s)
}

// parsePoint converts the text of a point. crs is the system of a text that names none, or "".
func parsePoint(s, crs string) (cell csr.Cell, want string) {
	v, err := value.ParseSpatial(s, crs)
	if err == nil {
		cell, err = v.Cell()
	}
	if err != nil {
		return csr.Cell{}, "a point such as {latitude: 55.6, longitude: 12.9} or {x: 1, y: 2, crs: cartesian}"
	}
	return cell, ""
}

// parse converts one text; want says what was expected if it is not of the type.
func (k kind) parse(s string) (cell csr.Cell, want string) {
	switch k {
	case kindString:
		return csr.StringCell(s), ""
	case kindPoint:
		return parsePoint(s, "")
	}
	if k == kindChar {
		if utf8.RuneCountInString(s) != 1 {
			return cell, "one character"
		}
		return csr.StringCell(s), ""
	}
	s = strings.TrimSpace(s)
	if t, ok := temporals[k]; ok {
		v, err := value.ParseTemporal(t[0], s)
		if err == nil {
			cell, err = v.Cell()
		}
		if err != nil {
			return csr.Cell{}, "a " + t[0] + " such as " + t[1]
		}
		return cell, ""
	}
	switch k {
	case kindInt:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return cell, "a 64-bit integer"
		}
		return csr.IntCell(n), ""
	case kindFloat:
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || strings.ContainsAny(s, "_xX") {
			return cell, "a number"
		}
		return csr.FloatCell(x), ""
	}
	switch {
	case strings.EqualFold(s, "true"):
		return csr.BoolCell(true), ""
	case strings.EqualFold(s, "false"):
		return csr.BoolCell(false), ""
	}
	return cell, "true or false"
}

// list converts a field of elements separated by split.
func (col *column) list(r *records, f field, split string) (csr.Cell, bool, error) {
	var elements []value.Value
	for i, s := range strings.Split(r.str(f), split) {
		c, want := col.parse(s)
		if want != "" {
			return csr.Cell{}, false, r.c.errorAt(f.lo, "found %s as element %d of column %q, expected %s (elements are separated by %q)", shown([]byte(s)), i+1, col.name, want, split)
		}
		elements = append(elements, value.OfCell(c))
	}
	cell, err := value.OfList(elements).Cell()
	if err != nil {
		return csr.Cell{}, false, r.c.errorAt(f.lo, "column %q: %v", col.name, err)
	}
	return cell, true, nil
}

// key is an id of a node: an integer where its text is one (see parseInt), else the text.
type key struct {
	n    int64
	text string
}

func keyOf(b []byte) key {
	if n, ok := parseInt(b); ok {
		return key{n: n}
	}
	return key{text: string(b)}
}

// isText reports whether k is no integer. An id is never empty.
func (k key) isText() bool { return k.text != "" }

func (k key) String() string {
	if k.isText() {
		return k.text
	}
	return strconv.FormatInt(k.n, 10)
}
