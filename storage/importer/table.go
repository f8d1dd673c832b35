package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sampleRecords is how many records of a table Motif looks at to tell its delimiter and whether it has a header.
const sampleRecords = 1000

// tableHead is the beginning of a table.
type tableHead struct {
	delim   byte
	first   []string   // the fields of the first line
	columns [][]string // by field, the values of the records below it
	quoted  []bool     // by field of the first line
	ragged  bool       // records differ in length
}

// headOf splits the beginning of a table into fields. The last record of head may be cut off, unless whole.
func headOf(head []byte, delim byte, whole bool) (t tableHead, ok bool) {
	if !whole {
		head = head[:cutRecords(head, delim)]
	}
	t.delim = delim
	r := records{c: &chunk{line: 1, data: head}, delim: delim}
	for n := range sampleRecords + 1 {
		some, err := r.next()
		if err != nil || !some {
			break
		}
		if n == 0 {
			t.columns = make([][]string, len(r.fields))
		}
		t.ragged = t.ragged || len(r.fields) != len(t.columns)
		for i, f := range r.fields {
			f.lo, f.hi = trimBlanks(head, f.lo, f.hi)
			switch text := string(r.bytes(f)); {
			case n == 0:
				t.first, t.quoted = append(t.first, text), append(t.quoted, f.quoted)
			case i < len(t.columns):
				t.columns[i] = append(t.columns[i], text)
			}
		}
	}
	return t, len(t.first) > 0
}

// tableDelimiter chooses the delimiter that cuts all records at the beginning of a table into as many fields, or else the one that
// the first line has most of.
func tableDelimiter(head []byte, whole bool) byte {
	line := bytes.TrimLeft(head, "\r\n")
	line = line[:lineEnd(line, 0)]
	best := findDelimiter(line)
	most := 1
	for i := range len(delimiters) {
		if bytes.IndexByte(line, delimiters[i]) < 0 {
			continue
		}
		if t, ok := headOf(head, delimiters[i], whole); ok && !t.ragged && (len(t.first) > most || len(t.first) == most && delimiters[i] == best) {
			best, most = delimiters[i], len(t.first)
		}
	}
	return best
}

// classOf is the class of the values of a column.
func (t *tableHead) classOf(i int) class {
	k := classNone
	for _, v := range t.columns[i] {
		if v != "" && !isMissing([]byte(v)) {
			k = k.join(classify([]byte(v)))
		}
	}
	return k
}

// unheaded finds a field of the first line that looks like the values below it and not like a column's name: a number, a date, or
// a text that occurs again; -1 if there is none.
func (t *tableHead) unheaded() int {
	for i, name := range t.first {
		if name == "" {
			continue
		}
		if k := classify([]byte(name)); k != classText && k.join(t.classOf(i)) != classText {
			return i
		}
	}
	for i, name := range t.first {
		for j, v := range t.columns[i] {
			if name != "" && v == name && !t.repeats(j) {
				return i
			}
		}
	}
	return -1
}

// repeats reports whether a record is the first line again.
func (t *tableHead) repeats(record int) bool {
	for i, name := range t.first {
		if record >= len(t.columns[i]) || t.columns[i][record] != name {
			return false
		}
	}
	return true
}

// meet reports whether a value of one column occurs in the other.
func (t *tableHead) meet(i, j int) bool {
	seen := make(map[string]bool)
	for _, v := range t.columns[i] {
		seen[v] = true
	}
	for _, v := range t.columns[j] {
		if seen[v] {
			return true
		}
	}
	return false
}

// tableKind is what the lines of a plain table stand for.
type tableKind uint8

const (
	tablePairs   tableKind = iota // relationships between the first two columns
	tableEnds                     // relationships between two columns whose names say so, with properties
	tableNodes                    // things
	tableUnclear                  // either
)

// reading is what a plain table is taken for.
type reading struct {
	kind       tableKind
	why        string // ends a sentence
	start, end string // the columns that are the ends, or may be
	first      bool   // they are the first two, which have no names of ends
}

// kindOf tells a table of nodes from a list of pairs, and from a table of relationships.
func (t *tableHead) kindOf() reading {
	h := header{}
	for _, name := range t.first {
		name, _, _ = strings.Cut(name, ":")
		h.columns = append(h.columns, column{name: name})
	}
	if len(t.first) == 1 && isIDName(h.columns[0].name) {
		return reading{kind: tableNodes, why: fmt.Sprintf("its only column is %q", t.first[0])}
	}
	if len(t.first) < 2 {
		return reading{}
	}
	if pairs := h.endPairs(*t); len(pairs) > 0 {
		p := pairs[0]
		r := reading{kind: tableUnclear, start: t.first[p.start], end: t.first[p.end]}
		switch {
		case len(t.first) == 2:
			return reading{}
		case len(pairs) == 1 && h.joins(t, p):
			r.kind = tableEnds
			return r
		case !p.weak || t.classOf(p.start) > classLong || t.classOf(p.end) > classLong: // else they may well be numbers
			return r
		}
	}
	return t.kindOfFirst(&h)
}

// joins reports whether two columns named like ends are ends for certain: not if a name stands before them, or if their names may tell
// properties as well and they stand behind other columns.
func (h *header) joins(t *tableHead, p endPair) bool {
	first := min(p.start, p.end)
	for i := range first {
		if words := nameWords(h.columns[i].name); len(words) > 0 && slices.Contains(thingWords, words[len(words)-1]) {
			return false
		}
	}
	switch {
	case !p.weak, first == 0 && p.start+p.end == 1:
		return true
	case first == 1 && p.start+p.end == 3 && endsInID(h.columns[0].name):
		return t.meet(p.start, p.end)
	}
	return false
}

// thingWords are names of columns that only a thing has.
var thingWords = []string{"name", "title", "firstname", "lastname", "surname", "born", "birthday", "age"}

// kindOfFirst tells by the first two columns.
func (t *tableHead) kindOfFirst(h *header) reading {
	a, b := h.columns[0].name, h.columns[1].name
	x, y := t.classOf(0), t.classOf(1)
	ints := x <= classLong && y <= classLong
	bothInt := isInt([]byte(a)) && isInt([]byte(b))
	switch {
	case bothInt && ints, len(t.columns[0]) == 0:
		return reading{}
	case isIDName(a) && !endsInID(b):
		return reading{kind: tableNodes, why: fmt.Sprintf("its first column is %q", a)}
	case ints, endsInID(a) && endsInID(b), samePair(a, b):
		return reading{}
	case (x == classText) != (y == classText), x > classLong && x < classText, y > classLong && y < classText:
		return reading{kind: tableNodes, why: "its first two columns hold values of different types"}
	case t.meet(0, 1):
		return reading{}
	}
	return reading{kind: tableUnclear, start: t.first[0], end: t.first[1], first: true}
}

// endsInID reports whether a column's name ends in the word id.
func endsInID(name string) bool {
	rest, ok := strings.CutSuffix(name, "id")
	if !ok {
		return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
	}
	last := rune(0)
	for _, last = range rest {
	}
	return rest == "" || !unicode.IsLetter(last)
}

// samePair reports whether two names differ in a last digit or letter only, such as node_1 and node_2, a and b.
func samePair(a, b string) bool {
	if a == b {
		return true
	}
	n := len(a) - 1
	return len(a) == len(b) && n >= 0 && a[:n] == b[:n] && (a[n] == '1' && b[n] == '2' || a[n]|0x20 == 'a' && b[n]|0x20 == 'b' || a[n] == '0' && b[n] == '1' || n == 0 && a[n]+1 == b[n])
}

// headOfFile reads the beginning of a table. Of a table without a header the first line is that of Spec, or column numbers.
func headOfFile(l *loader, file string) (t tableHead, ok bool) {
	src, err := l.openSource(file)
	if err != nil {
		return t, false
	}
	defer src.Close()
	text, err := newText(src, sample, nil)
	if err != nil {
		return t, false
	}
	head, delim := separatorLine(text.rest[leadingComments(text.rest):])
	if l.Delimiter != 0 {
		delim = byte(l.Delimiter)
	}
	if delim == 0 {
		delim = tableDelimiter(head, text.eof)
	}
	if t, ok = headOf(head, delim, text.eof); ok && (l.NoHeader || len(l.Header) > 0) {
		t.addFirst(l.Header)
	}
	return t, ok
}

// addFirst makes the first line one of the records, and names the first line.
func (t *tableHead) addFirst(names []string) {
	for i, v := range t.first {
		t.columns[i] = append(t.columns[i], v)
	}
	t.first = slices.Clone(t.first)
	for i := range t.first {
		t.first[i] = fmt.Sprintf("column%d", i+1)
		if i < len(names) {
			t.first[i] = names[i]
		}
	}
}

// separatorLine cuts off a first line such as "sep=;", by which spreadsheets name the delimiter.
func separatorLine(head []byte) (rest []byte, delim byte) {
	line := bytes.TrimRight(head[:lineEnd(head, 0)], "\r")
	if len(line) == 5 && bytes.EqualFold(line[:4], []byte("sep=")) {
		return head[min(len(head), lineEnd(head, 0)+1):], line[4]
	}
	return head, 0
}

// pairHint says how to make relationships of a table.
func (r *reading) pairHint(file, typ string) string {
	if r.first {
		return "--format csv makes a relationship of the first two columns"
	}
	return fmt.Sprintf("--rels %s=%s %s makes a relationship of each", typ, file, endFlag(r.start, r.end))
}

// plainTables makes node and relationship files of plain tables if one of them holds nodes, or relationships with properties. A list
// of pairs alone stays one.
func plainTables(l *loader, files []string) error {
	if l.Format != "" || l.Directed || l.Undirected || l.Type != EdgeType || l.Weight != "" {
		return nil
	}
	t, err := tableFiles(l, files)
	if len(t.nodes) == 0 && l.Label == "" {
		t.why, l.ends = t.ends, t.taken
	}
	if err != nil || len(t.why) == 0 {
		return err
	}
	l.Nodes, l.Relationships, l.Files, l.Label, l.Type = t.nodes, t.rels, nil, "", ""
	l.report.Detected = strings.Join(t.why, "; ")
	return nil
}

// tables are plain tables as node and relationship files.
type tables struct {
	nodes []NodeFile
	rels  []RelationshipFile
	why   []string // of nodes
	ends  []string // the same of relationship files whose columns are named like ends, and that have others
	taken map[string][2]string
}

// tableFiles tells plain tables of nodes from tables of relationships, and says why. A table that cannot be read counts as the latter.
func tableFiles(l *loader, files []string) (out tables, err error) {
	out.taken = make(map[string][2]string)
	for _, file := range files {
		label := nameOf(file)
		if isParquet(file) {
			return out, &Error{File: file, Msg: "the names of the columns do not say whether the rows are nodes or relationships", Hint: fmt.Sprintf("--nodes %s=%[2]s or --rels TYPE=%[2]s says so", label, file)}
		}
		var r reading
		if t, ok := headOfFile(l, file); ok {
			if err := t.checkTitle(file); err != nil && !l.NoHeader && len(l.Header) == 0 {
				return out, err
			}
			r = t.kindOf()
			if l.part {
				err = checkAppended(l, file, &t, r.kind)
			}
			if err != nil {
				return out, err
			}
		}
		typ := strings.ToUpper(label)
		switch r.kind {
		case tableUnclear:
			return out, &Error{File: file, Line: 1, Msg: fmt.Sprintf("found columns %s and %s, which may be the ends of relationships, or properties of nodes", shown([]byte(r.start)), shown([]byte(r.end))),
				Hint: fmt.Sprintf("--nodes %s=%s makes a node of each line; %s", label, file, r.pairHint(file, typ))}
		case tablePairs, tableEnds:
			out.rels = append(out.rels, RelationshipFile{Type: typ, Paths: []string{file}})
			if r.kind == tableEnds {
				out.ends = append(out.ends, fmt.Sprintf("%s has a relationship in each line, and its columns %q and %q are the ends; --rels %s=%s %s says so, --nodes %s=%s makes nodes", file, r.start, r.end, typ, file, endFlag(r.start, r.end), label, file))
				out.taken[file] = [2]string{r.start, r.end}
			}
		case tableNodes:
			label = cmp.Or(l.Label, label)
			out.nodes = append(out.nodes, NodeFile{Labels: []string{label}, Paths: []string{file}, guess: r.why})
			out.why = append(out.why, fmt.Sprintf("%s has a node with the label %s in each line: %s", file, label, r.why))
		}
	}
	return out, nil
}

// nameOf makes the name of a label of a file's name.
func nameOf(file string) string {
	base := filepath.Base(path.Base(filepath.ToSlash(file)))
	base, _, _ = strings.Cut(base, ".")
	name := strings.TrimFunc(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, base), func(r rune) bool { return r == '_' || unicode.IsDigit(r) })
	if name == "" {
		return "Node"
	}
	for i, r := range name {
		if i == 0 {
			return string(unicode.ToUpper(r)) + name[len(string(r)):]
		}
	}
	return name
}

// localTexts warns of columns without a type that hold dates or numbers as people write them: they stay text.
func (h *header) localTexts(file string, t tableHead) (warnings []string) {
	for i := range min(len(h.columns), len(t.columns)) {
		col := &h.columns[i]
		if !col.inferred || t.classOf(i) != classText {
			continue
		}
		if example, number := localNumber(t.columns[i], col.inQuery()); example != "" {
			warnings = append(warnings, fmt.Sprintf("%s: column %q holds numbers with commas, such as %s, and stays text; in queries, toFloat(%s) is the number", file, col.name, example, number))
		} else if warning, ok := localDates(file, col, t.columns[i]); ok {
			warnings = append(warnings, warning)
		}
	}
	return warnings
}

// localNumber finds a number with commas among values that are all numbers, and the expression that mends the text of property.
func localNumber(values []string, property string) (example, expression string) {
	groups, points := true, false
	for _, v := range values {
		switch {
		case v == "" || isMissing([]byte(v)):
		case isLocalNumber(v):
			example = cmp.Or(example, v)
			comma, point := strings.LastIndexByte(v, ','), strings.LastIndexByte(v, '.')
			groups = groups && (comma < point || len(v)-comma == 4)
			points = points || point >= 0 && point < comma
		case classify([]byte(v)) > classFloat:
			return "", ""
		}
	}
	switch {
	case groups:
		return example, fmt.Sprintf("replace(%s, ',', '')", property)
	case points:
		return example, fmt.Sprintf("replace(replace(%s, '.', ''), ',', '.')", property)
	}
	return example, fmt.Sprintf("replace(%s, ',', '.')", property)
}

// isLocalNumber reports whether a text is a number with a decimal comma or with commas between groups of digits.
func isLocalNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return strings.Contains(s, ",") && strings.Trim(s, "0123456789,.") == "" && s[0] >= '0' && s[0] <= '9' && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

// inQuery writes the property of a node n, or of a relationship r.
func (col *column) inQuery() string {
	if col.rel {
		return "r." + inQuery(col.name)
	}
	return "n." + inQuery(col.name)
}

// inQuery writes a property's name as a query does: in backticks, if it has more than letters, digits and underscores.
func inQuery(name string) string {
	plain := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	if first, _ := utf8.DecodeRuneInString(name); strings.TrimFunc(name, plain) == "" && !unicode.IsDigit(first) {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
