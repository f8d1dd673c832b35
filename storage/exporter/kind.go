package exporter

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// kind is how the values of a column are written.
type kind uint8

const (
	kindLong kind = iota
	kindDouble
	kindBoolean
	kindString
	kindLongs // lists, not empty, of one kind each
	kindDoubles
	kindBooleans
	kindStrings
	kindJSON // what fits no other kind
	kindDate
	kindLocalTime
	kindTime
	kindLocalDateTime
	kindDateTime
	kindDuration
)

// kindNames are the types of package importer's headers.
var kindNames = [...]string{"long", "double", "boolean", "string", "long[]", "double[]", "boolean[]", "string[]", "json",
	"date", "localtime", "time", "localdatetime", "datetime", "duration"}

func (k kind) String() string { return kindNames[k] }

// kindIn is the kind that a format writes a value as: what it has no form for becomes JSON.
func kindIn(format string, c csr.Cell) kind {
	k := kindOf(c)
	switch {
	case format == GraphML && k > kindJSON:
		return kindJSON
	case format == CSV && k > kindString && k < kindJSON && !flat(c), format == GraphML && k == kindString && !xmlText(c.Str):
		return kindJSON
	}
	return k
}

// kindOf is the kind of a property's value.
func kindOf(c csr.Cell) kind {
	switch c.Kind {
	case csr.KindInt:
		return kindLong
	case csr.KindFloat:
		return kindDouble
	case csr.KindBool:
		return kindBoolean
	case csr.KindString:
		return kindString
	}
	return kindOfValue(value.OfCell(c))
}

func kindOfValue(v value.Value) kind {
	if v.Kind() == value.Temporal {
		return kind(slices.Index(kindNames[:], v.TemporalType()))
	}
	if v.Kind() != value.List || len(v.List()) == 0 {
		return kindJSON
	}
	first := v.List()[0].Kind()
	for _, e := range v.List() {
		if e.Kind() != first {
			return kindJSON
		}
	}
	switch first {
	case value.Int:
		return kindLongs
	case value.Float:
		return kindDoubles
	case value.Bool:
		return kindBooleans
	case value.String:
		return kindStrings
	}
	return kindJSON
}

// flat reports whether a list can be written with semicolons between its elements and read back.
func flat(c csr.Cell) bool {
	v := value.OfCell(c)
	if v.Kind() != value.List {
		return false
	}
	l := v.List()
	for i, e := range l {
		if e.Kind() != value.String {
			continue
		}
		s := e.Str()
		edge := i == 0 || i == len(l)-1
		if strings.Contains(s, ";") || edge && (s == "" || strings.Trim(s, " \t\r\v\f") != s) {
			return false
		}
	}
	return true
}

// xmlText reports whether XML can hold the text: it has no words for most control characters.
func xmlText(s string) bool {
	for _, r := range s {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return false
		}
	}
	return true
}
