package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// A column without a type gets the narrowest type that fits all its values. The first chunk of a file is a sample; its types are
// assumed, and every later value is checked. Where one does not fit, the load starts again: it then looks at all values first.
// So the types are those of the whole file, and a file that keeps to its beginning is read once.

// class is what the text of a value looks like.
type class uint8

const (
	classNone class = iota // no value
	classInt               // an integer that a float can hold
	classLong              // a 64-bit integer that a float cannot hold
	classFloat
	classBool
	classDate
	classLocalTime
	classLocalDateTime
	classDateTime
	classText
)

var classKinds = [...]kind{classNone: kindString, classInt: kindInt, classLong: kindInt, classFloat: kindFloat, classBool: kindBool, classDate: kindDate,
	classLocalTime: kindLocalTime, classLocalDateTime: kindLocalDateTime, classDateTime: kindDateTime, classText: kindString}

// join is the narrowest class that values of both fit.
func (a class) join(b class) class {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == b || a == classNone:
		return b
	case a == classInt && b <= classFloat:
		return b
	}
	return classText
}

// exact is the largest integer up to which a float holds every integer.
const exact = 1 << 53

// classify tells the class of a value's text, which is not empty.
func classify(b []byte) class {
	switch c := b[0]; {
	case c >= '0' && c <= '9' || c == '-' || c == '.':
		if n, ok := parseInt(b); ok {
			return classOfInt(n)
		}
		if looksFloat(b) {
			if _, err := strconv.ParseFloat(string(b), 64); err == nil {
				return classFloat
			}
			return classText
		}
		if k := looksTemporal(b); k != classNone {
			if _, want := parseTemporal(k, b); want == "" {
				return k
			}
		}
	case c == 't' || c == 'T' || c == 'f' || c == 'F':
		if bytes.EqualFold(b, []byte("true")) || bytes.EqualFold(b, []byte("false")) {
			return classBool
		}
	case string(b) == "NaN" || string(b) == "Infinity":
		return classFloat
	}
	return classText
}

func classOfInt(n int64) class {
	if n > exact || n < -exact {
		return classLong
	}
	return classInt
}

// looksFloat reports whether b is a decimal number: digits with a point or an exponent, and no leading zeros. So codes such
// as 007 stay text, as telephone numbers with a plus sign do.
func looksFloat(b []byte) bool {
	if b[0] == '-' {
		b = b[1:]
	}
	if string(b) == "Infinity" {
		return true
	}
	whole := digits(b)
	rest := b[whole:]
	if whole > 1 && b[0] == '0' {
		return false
	}
	fraction := 0
	if len(rest) > 0 && rest[0] == '.' {
		fraction = digits(rest[1:])
		rest = rest[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if len(rest) > 0 && rest[0]|0x20 == 'e' {
		rest = rest[1:]
		if len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		n := digits(rest)
		return n > 0 && n == len(rest)
	}
	return len(rest) == 0 && whole < len(b)
}

// digits counts the decimal digits that b begins with.
func digits(b []byte) int {
	for i, c := range b {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(b)
}

// matches reports whether b has a digit where shape has a 0, and the byte of shape elsewhere.
func matches(b []byte, shape string) bool {
	if len(b) != len(shape) {
		return false
	}
	for i := range b {
		if shape[i] == '0' {
			if b[i] < '0' || b[i] > '9' {
				return false
			}
		} else if b[i] != shape[i] {
			return false
		}
	}
	return true
}

// looksTemporal recognises the forms of dates and times that have one meaning only: those of ISO 8601, with a T or a blank
// between date and time.
func looksTemporal(b []byte) class {
	const date, clock = "0000-00-00", "00:00:00"
	switch {
	case matches(b, date):
		return classDate
	case len(b) >= len(clock) && matches(b[:len(clock)], clock) && isFraction(b[len(clock):]):
		return classLocalTime
	case len(b) < len(date)+1+len("00:00") || !matches(b[:len(date)], date) || b[len(date)] != 'T' && b[len(date)] != ' ':
		return classNone
	}
	b = b[len(date)+1:]
	if !matches(b[:5], clock[:5]) {
		return classNone
	}
	if b = b[5:]; len(b) >= 3 && matches(b[:3], ":00") {
		b = b[3:]
		if len(b) > 0 && b[0] == '.' {
			b = b[1+digits(b[1:]):]
		}
	}
	switch {
	case len(b) == 0:
		return classLocalDateTime
	case string(b) == "Z", matches(b, "+00:00"), matches(b, "-00:00"), matches(b, "+0000"), matches(b, "-0000"):
		return classDateTime
	}
	return classNone
}

// isFraction reports whether b is empty or a point with digits.
func isFraction(b []byte) bool {
	return len(b) == 0 || b[0] == '.' && len(b) > 1 && digits(b[1:]) == len(b)-1
}

// parseTemporal reads text of the form of looksTemporal.
func parseTemporal(k class, b []byte) (csr.Cell, string) {
	text := []byte(string(b))
	if len(text) > 10 && text[10] == ' ' {
		text[10] = 'T'
	}
	return classKinds[k].parse(string(text))
}

// mostTemporals is how many dates and times a chunk remembers.
const mostTemporals = 4096

// temporal reads a date or time of a class. Dates repeat in a file, so it remembers them.
func (r *records) temporal(k class, b []byte) (csr.Cell, bool) {
	if cell, ok := r.temporals[string(b)]; ok {
		return cell, true
	}
	if looksTemporal(b) != k {
		return csr.Cell{}, false
	}
	cell, want := parseTemporal(k, b)
	if r.temporals == nil || len(r.temporals) == mostTemporals {
		r.temporals = make(map[string]csr.Cell)
	}
	if want == "" {
		r.temporals[string(b)] = cell
	}
	return cell, want == ""
}

// missing lists the words that stand for no value in a column that is not text. In text only \N does.
var missing = map[string]bool{"NULL": true, "null": true, "NA": true, "N/A": true, "n/a": true, "#N/A": true, "None": true, `\N`: true}

// isMissing reports whether unquoted text stands for no value in a column that is not text.
func isMissing(b []byte) bool {
	return len(b) <= 4 && (b[0] >= 'A' || b[0] == '#') && missing[string(b)]
}

// errMisfit marks the error about a value that does not fit the type that a sample gave its column.
var errMisfit = errors.New("a value does not fit the type of its column")

// guess converts a field of a column whose type was inferred.
func (col *column) guess(r *records, f field) (cell csr.Cell, ok bool, err error) {
	if col.class == classText {
		if col.spaced && !f.quoted {
			if f.lo, f.hi = trimBlanks(r.c.data, f.lo, f.hi); f.lo < f.hi && r.c.data[f.lo] == '"' {
				return cell, false, r.c.errorAt(f.lo, "found a quote after a blank, where it opens no quoted field").hint("write the quote next to the delimiter, without a blank")
			}
		}
		if f.lo == f.hi && !f.quoted || !f.quoted && f.hi-f.lo == 2 && string(r.c.data[f.lo:f.hi]) == `\N` {
			return csr.Cell{}, false, nil
		}
		return csr.StringCell(r.str(f)), true, nil
	}
	f.lo, f.hi = trimBlanks(r.c.data, f.lo, f.hi)
	if f.lo == f.hi && (!f.quoted || col.class != classNone) {
		return csr.Cell{}, false, nil
	}
	b := r.c.data[f.lo:f.hi]
	fits := false
	switch col.class {
	case classInt, classLong:
		n, ok := parseInt(b)
		fits, cell = ok && (col.class == classLong || classOfInt(n) == classInt), csr.IntCell(n)
	case classFloat:
		if fits = looksFloat(b) || string(b) == "NaN" || string(b) == "Infinity"; !fits {
			n, ok := parseInt(b)
			fits = ok && classOfInt(n) == classInt
		}
		if fits {
			x, err := strconv.ParseFloat(r.c.str(f.lo, f.hi), 64)
			fits, cell = err == nil, csr.FloatCell(x)
		}
	case classBool:
		fits, cell = classify(b) == classBool, csr.BoolCell(b[0]|0x20 == 't')
	case classDate, classLocalTime, classLocalDateTime, classDateTime:
		cell, fits = r.temporal(col.class, b)
	}
	switch {
	case fits:
		return cell, true, nil
	case !f.quoted && isMissing(b) && col.class != classNone:
		return csr.Cell{}, false, nil
	}
	e := r.c.errorAt(f.lo, "found %s in column %q, whose values before are of type %s", shown(r.bytes(f)), col.name, kindTitles[col.kind])
	e.Err = errMisfit
	return csr.Cell{}, false, e
}

// classes is what the values of a run of records look like, by column.
type classes []class

func (s classes) bytes() int64 { return int64(cap(s)) }

func (s classes) add(o classes) {
	for i := range s {
		s[i] = s[i].join(o[i])
	}
}

// classesOf looks at all records of r. It stops at the first that cannot be read: who parses them says what is wrong.
// skip says that rows of another length are left out.
func (h *header) classesOf(r *records, skip bool) (s classes, rows int) {
	s = make(classes, len(h.columns))
	for {
		if ok, err := r.next(); err != nil || !ok {
			return s, rows
		}
		if rows++; skip && (len(r.fields) != len(h.columns) || h.repeated(r)) {
			continue
		}
		for i, f := range r.fields {
			if i == len(h.columns) {
				break
			}
			if !h.columns[i].inferred || s[i] == classText {
				continue
			}
			lo, hi := trimBlanks(r.c.data, f.lo, f.hi)
			if b := r.c.data[lo:hi]; lo < hi && (f.quoted || !isMissing(b)) {
				s[i] = s[i].join(classify(b))
			}
		}
	}
}

// settle gives the columns the types of their classes. all says that the classes are those of all values.
func (h *header) settle(s classes, all bool) {
	for i := range h.columns {
		col := &h.columns[i]
		if !col.inferred {
			continue
		}
		if col.class = s[i]; col.class == classNone && all {
			col.class = classText
		}
		col.kind = classKinds[col.class]
	}
}

// infers reports whether a column of h has to be looked at.
func (h *header) infers() bool {
	for i := range h.columns {
		if h.columns[i].inferred {
			return true
		}
	}
	return false
}

// infer chooses types for the columns of a group that have none; f is its first file, or the first below a header of its own.
func (p *properties) infer(ctx context.Context, f *file, h *header, paths []string) error {
	if h.settled = !h.infers(); h.settled {
		return nil
	}
	if p.survey {
		h.settled = true
		return p.surveyGroup(ctx, h, paths)
	}
	if err := f.fill(p.chunk); err != nil {
		return err
	}
	data := f.rest[:min(len(f.rest), p.chunk)]
	if !f.eof || len(data) < len(f.rest) {
		data = data[:cutRecords(data, h.delim)]
	}
	s, rows := h.classesOf(h.records(&chunk{file: f.src.file, line: f.line, data: data}), p.SkipBad)
	h.settle(s, false)
	h.settled = rows > 0
	return nil
}

// surveyGroup looks at all values of a group.
func (p *properties) surveyGroup(ctx context.Context, h *header, paths []string) error {
	before, done := p.report, p.done
	p.stage = stageTypes
	defer func() { p.report, p.done, p.stage = before, done, stageRead }()
	s := make(classes, len(h.columns))
	for i, path := range paths {
		if err := p.surveyFile(ctx, h, path, i == 0, s); err != nil {
			return err
		}
	}
	h.settle(s, true)
	return nil
}

func (p *properties) surveyFile(ctx context.Context, h *header, path string, first bool, s classes) error {
	f, err := p.openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case first:
		_, _, err = f.headerLine(true)
	default:
		err = p.skipHeader(f, h)
	}
	if err != nil {
		return err
	}
	f.quoted, f.delim, f.separators = true, h.delim, string(rune(h.delim))+"\n"
	return inOrder(ctx, p.loader, p.Workers, f.next, func(c *chunk) (classes, error) {
		s, _ := h.classesOf(h.records(c), p.SkipBad)
		return s, nil
	}, func(c *chunk, o classes) error {
		f.count(c)
		s.add(o)
		return nil
	})
}

// readAgain reads once more, from the beginning, where a value did not fit the type of its column in a sample.
func readAgain(ctx context.Context, l *loader, read func(context.Context) error) error {
	before := l.report
	before.Warnings = append([]string(nil), before.Warnings...)
	err := read(ctx)
	if err == nil || !errors.Is(err, errMisfit) || l.survey {
		return err
	}
	l.report, l.done, l.external, l.given = before, 0, nil, givenIDs{}
	l.b = csr.NewBuilder()
	l.graph = l.b
	if l.mem != nil {
		l.mem.Release(l.mem.Used())
		l.b.SetBudget(l.mem)
	}
	l.spill.reset(l.b)
	if l.store != nil {
		l.take(l.store.bytes)
	}
	l.survey = true
	return read(ctx)
}

// typeNames are other names of types, which Spec.Types may use.
var typeNames = map[string]string{"integer": "int", "bigint": "int", "bool": "boolean", "text": "string", "varchar": "string", "timestamp": "localdatetime"}

// columnTypes are the types that Spec.Types gives, and the columns of them that a file has.
type columnTypes struct {
	given map[string]string
	used  map[string]bool
}

// of is the type of a column; "" if none is given.
func (t *columnTypes) of(name string) string {
	typ := t.given[name]
	if typ == "" {
		return ""
	}
	if t.used == nil {
		t.used = make(map[string]bool)
	}
	t.used[name] = true
	if other, ok := typeNames[strings.ToLower(typ)]; ok {
		return other
	}
	return typ
}

// check refuses a type for a column that no file has.
func (t *columnTypes) check() error {
	for _, name := range slices.Sorted(maps.Keys(t.given)) {
		if !t.used[name] {
			return fmt.Errorf("no CSV file has a column %q, for which a type is given", name)
		}
	}
	return nil
}

// kindTitles are the names of types as people read them.
var kindTitles = func() (titles [kindDuration + 1]string) {
	for _, name := range kindNames {
		if k := kinds[name]; titles[k] == "" {
			titles[k] = name
		}
	}
	return titles
}()
