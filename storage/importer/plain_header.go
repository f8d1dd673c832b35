package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// assume finds the columns of ids in a header that does not say which they are: those whose names say so. A plain header has no
// type at all; the first column of nodes, and the first two of relationships, are then the ids if no name says otherwise.
func (h *header) assume(nodes, plain bool, head tableHead) {
	h.plain = plain
	if nodes {
		h.assumeID()
		return
	}
	start, end := h.find(roleStart), h.find(roleEnd)
	if start >= 0 || end >= 0 {
		h.told = start >= 0 && end >= 0
		return
	}
	if start, end, h.told = h.ends(head); start >= 0 {
		if !h.told {
			h.noteGuess(head, start, end)
		}
	} else if start, end = h.guessEnds(head, plain); start >= 0 {
		h.noteGuess(head, start, end)
	}
	if start >= 0 {
		h.columns[start].role, h.columns[end].role = roleStart, roleEnd
		h.columns[start].name, h.columns[end].name = "", ""
	}
}

func (h *header) assumeID() {
	id := h.find(roleID)
	if h.told = id >= 0; h.told {
		return
	}
	id = slices.IndexFunc(h.columns, func(col column) bool { return col.untyped() && isIDName(col.name) })
	if h.told = id >= 0; h.told || h.plain {
		h.columns[max(id, 0)].role = roleID
		h.told = h.told || h.columns[0].name == ""
	}
}

// unnamed leaves out columns without a name and without values, which a delimiter at the end of each line makes. In front of
// all others, a column without a name is the id of a plain table: so data frames write the numbers of their rows.
func (h *header) unnamed(head tableHead) error {
	for i := range h.columns {
		col := &h.columns[i]
		switch {
		case col.role != roleProperty || col.name != "":
		case i < len(head.columns) && len(head.columns[i]) > 0 && head.classOf(i) == classNone:
			col.role, col.empty = roleIgnore, true
		default:
			return h.c.errorAt(col.at, "found a column without a name, expected name or name:type (:IGNORE leaves a column out)").
				hint("name the column in the first line, or write :IGNORE there to leave it out")
		}
	}
	return nil
}

// space notes that blanks stand after all delimiters of the header: they do not count in the rows either.
func (h *header) space() {
	r := records{c: h.c, delim: h.delim}
	if ok, err := r.next(); err != nil || !ok || len(r.fields) < 2 {
		return
	}
	for _, f := range r.fields[1:] {
		if f.quoted || f.lo == f.hi || h.c.data[f.lo] != ' ' {
			return
		}
	}
	for i := range h.columns {
		h.columns[i].spaced = true
	}
}

// untyped reports whether the column is a property without a type.
func (col *column) untyped() bool { return col.role == roleProperty && col.typ == "" && col.name != "" }

// ends finds the columns whose names say that they are the start and the end of a relationship. It prefers columns whose values may
// be ids. told reports whether the names have no other meaning.
func (h *header) ends(head tableHead) (start, end int, told bool) {
	if h.taken != nil {
		at := func(name string) int {
			return slices.IndexFunc(h.columns, func(col column) bool { return col.untyped() && col.name == name })
		}
		if start, end = at(h.taken[0]), at(h.taken[1]); start >= 0 && end >= 0 {
			return start, end, true
		}
	}
	known := h.known
	h.known = nil // a name counts, also if its ids are unknown
	defer func() { h.known = known }()
	for _, values := range []tableHead{head, {}} {
		for _, p := range h.endPairs(values) {
			if p.rank < 2 {
				return p.start, p.end, slices.Contains(endWords[:plainEnds], p.words)
			}
		}
	}
	return -1, -1, false
}

// isIDName reports whether a column's name alone says that it holds the id of a row.
func isIDName(name string) bool {
	name = strings.ToLower(name)
	return name == "id" || name == "_id"
}

// headerLine takes the header line of f, or makes one if Spec says that f has none, and returns what f begins with besides.
func (f *file) headerLine(nodes bool) (h *header, head tableHead, err error) {
	l := f.l
	for n := leadingComments(f.rest); n > 0; {
		c, err := f.takeLine()
		if err != nil {
			return nil, head, err
		}
		n -= len(c.data)
		f.count(c)
	}
	rest, delim := separatorLine(f.rest)
	if delim != 0 {
		c, err := f.takeLine()
		if err != nil {
			return nil, head, err
		}
		f.count(c)
	}
	if l.Delimiter != 0 {
		delim = byte(l.Delimiter)
	}
	if delim == 0 {
		delim = tableDelimiter(rest, f.eof)
	}
	head, _ = headOf(rest, delim, f.eof)
	if l.NoHeader || len(l.Header) > 0 {
		names := l.Header
		if len(names) == 0 {
			names = columnNames(len(head.first), nodes)
		}
		line := []byte(strings.Join(names, string(rune(delim))))
		return &header{c: &chunk{file: f.src.file, line: f.line, data: line}, line: line, delim: delim, added: true}, head, nil
	}
	c, err := f.takeHeader()
	if err != nil {
		return nil, head, err
	}
	if _, err := c.checkUTF8(f.cut); err != nil {
		return nil, head, err
	}
	line := bytes.TrimRight(c.data, "\r\n")
	if bytes.HasPrefix(line, []byte("╭─")) {
		return nil, head, c.errorAt(0, "found a table drawn for the screen, expected CSV").hint("write the answer as CSV: motif query DB '...' -o csv > FILE")
	}
	if below := f.rest[:lineEnd(f.rest, 0)]; isMarkdown(below) {
		return nil, head, c.errorAt(0, "found a table of Markdown, expected CSV").hint("sed '2d; s/^| *//; s/ *|$//; s/ *| */,/g' %s > table.csv converts it", f.src.file)
	}
	return &header{c: c, line: line, delim: delim}, head, nil
}

// columnNames names the columns of a file without a header.
func columnNames(n int, nodes bool) []string {
	names := make([]string, max(n, 2))
	for i := range names {
		names[i] = fmt.Sprintf("column%d", i+1)
	}
	if nodes {
		names[0] = "id"
		return names[:max(n, 1)]
	}
	names[0], names[1] = "from", "to"
	return names
}

// checkPlain refuses a plain header that looks like a line of data.
func (h *header) checkPlain(head tableHead, nodes bool) error {
	if i := head.unheaded(); i >= 0 && i < len(h.columns) {
		return h.noHeader(i, nodes, "which looks like the values below it and not like a column's name")
	}
	return nil
}

// noHeader is the error about column i of a header line that is a line of data.
func (h *header) noHeader(i int, nodes bool, why string) error {
	r := records{c: h.c, delim: h.delim}
	_, _ = r.next()
	e := h.c.errorAt(h.columns[i].at, "found %s in the first line, %s", shown(r.bytes(r.fields[i])), why)
	e.Hint = fmt.Sprintf("if the file has no header, --header %s names its columns, and --no-header numbers them", strings.Join(columnNames(len(h.columns), nodes), ","))
	return e
}
