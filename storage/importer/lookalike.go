package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// arrows are words that stand between the ids of a pair in files of other programs.
var arrows = []string{"->", "-->", "<-", "<--", "--", "-", "=>", "→"}

// checkLookalike refuses text that looks like an edge list but is not one. It skips a first line that names the columns. Where the
// format was given, lines of numbers of any length are read.
func checkLookalike(f *file) error {
	head := f.rest[:min(len(f.rest), sample)]
	rows := slices.DeleteFunc(sampleRows(slices.Clone(head), f.eof && len(head) == len(f.rest)), func(row []byte) bool { return len(row) == 0 })
	if len(rows) == 0 {
		return nil
	}
	first := bytes.Fields(rows[0])
	at := (&chunk{file: f.src.file, line: f.line, data: head}).errorAt
	place := bytes.Index(head, rows[0])
	switch {
	case len(first) > 2 && slices.Contains(arrows, string(first[1])):
		return at(place, "found %s between two ids, expected the ids alone", shown(first[1])).
			hint("sed 's/ %s / /' %s > edges.txt leaves it out", first[1], f.src.file)
	case len(first) > 1 && len(first[0]) > 1 && bytes.HasSuffix(first[0], []byte(":")) && all(rows, func(row []byte) bool { return bytes.IndexByte(row, ':') > 0 }):
		return at(place, "found %s, which begins a line of an adjacency list, expected an id", shown(first[0])).
			hint("awk '{sub(/:/, \"\"); for (i = 2; i <= NF; i++) print $1, $i}' %s > edges.txt makes a line of each pair", f.src.file)
	case f.l.Format == "" && f.l.Weight == "" && uneven(rows):
		return at(place, "found lines with different counts of ids, as an adjacency list has, expected two ids a line").
			hint("awk '{for (i = 2; i <= NF; i++) print $1, $i}' %s > edges.txt makes a line of each pair; --format edges reads the first two ids", f.src.file)
	case len(rows) > 1 && namesColumns(rows[0]) && all(rows[1:], func(row []byte) bool { return startsWithInts(row, false) }):
		return skipNames(f, rows[0])
	}
	return nil
}

func all(rows [][]byte, fits func([]byte) bool) bool {
	return !slices.ContainsFunc(rows, func(row []byte) bool { return !fits(row) })
}

// uneven reports whether all rows are integers, of which some rows have more than a pair and its weight, and others less.
func uneven(rows [][]byte) bool {
	least, most := len(rows[0]), 0
	for _, row := range rows {
		ns, ok := allInts(row)
		if !ok {
			return false
		}
		least, most = min(least, len(ns)), max(most, len(ns))
	}
	return most > 3 && least < most
}

// startsWithInts reports whether the first two words of a row are integers; if either is set, whether one of them is.
func startsWithInts(row []byte, either bool) bool {
	words := bytes.Fields(row)
	if len(words) < 2 {
		return false
	}
	a, b := isInt(words[0]), isInt(words[1])
	return a && b || either && (a || b)
}

// namesColumns reports whether the first two words of a row may be names of columns: words that differ and are no integers.
func namesColumns(row []byte) bool {
	words := bytes.Fields(row)
	return !startsWithInts(row, true) && (len(words) < 2 || !bytes.Equal(words[0], words[1]))
}

// skipNames leaves out the first line, which names the columns of an edge list.
func skipNames(f *file, row []byte) error {
	for {
		c, err := f.takeLine()
		if err != nil {
			return err
		}
		f.count(c)
		if bytes.Equal(bytes.TrimSpace(c.data), row) {
			f.l.warn("%s:%d: took the first line, %s, for a header", f.src.file, c.line, shown(row))
			return nil
		}
	}
}

// leadingComments counts the bytes of the comment lines above the header of a table. The last line with # is the header itself, if it
// has as many fields as the line below it, unless that one has names of ids or of ends.
func leadingComments(head []byte) int {
	end, last := 0, -1
	for end < len(head) && bytes.HasPrefix(bytes.TrimLeft(head[end:min(len(head), end+64)], " \t"), []byte("#")) {
		last = end
		end = min(len(head), lineEnd(head, end)+1)
	}
	if last < 0 || len(bytes.TrimSpace(head[end:])) == 0 {
		return 0
	}
	rest := head[end:]
	delim := tableDelimiter(rest, false)
	below := rest[:lineEnd(rest, 0)]
	switch n := bytes.Count(below, []byte{delim}); n {
	case 0: // one column, whose name may be this line
		return 0
	case bytes.Count(head[last:end], []byte{delim}):
		if !namesIDs(below, delim) {
			return last
		}
	}
	return end
}

// namesIDs reports whether a line has the name of an id, or names of ends.
func namesIDs(line []byte, delim byte) bool {
	h := header{}
	for name := range strings.SplitSeq(string(line), string(rune(delim))) {
		if name = strings.Trim(name, " \t\r\""); isIDName(name) || strings.Contains(name, ":") {
			return true
		}
		h.columns = append(h.columns, column{name: name})
	}
	return len(h.endPairs(tableHead{})) > 0
}

// checkTitle refuses a table whose first line is a title above the header: most of its fields are empty, though columns below have values.
func (t *tableHead) checkTitle(file string) error {
	empty := 0
	for i, name := range t.first {
		if name == "" && i < len(t.columns) && t.classOf(i) != classNone {
			empty++
		}
	}
	if empty < 2 || 2*empty < len(t.first) {
		return nil
	}
	e := &Error{File: file, Line: 1, Column: 1, Msg: fmt.Sprintf("found %s as first line, expected the names of %d columns", shown([]byte(strings.Join(t.first, string(rune(t.delim))))), len(t.first))}
	e.Hint = "leave out the lines above the header"
	for row := range t.columns[0] {
		if !slices.ContainsFunc(t.columns, func(column []string) bool { return row >= len(column) || column[row] == "" }) {
			e.Hint += fmt.Sprintf(", as tail -n +%d %s > table.csv does", row+2, file)
			break
		}
	}
	return e
}

// isMarkdown reports whether a line is the rule below the header of a Markdown table: |---|---|.
func isMarkdown(line []byte) bool {
	return bytes.Contains(line, []byte("---")) && bytes.Contains(line, []byte("|")) && len(bytes.Trim(line, "|-: \t\r")) == 0
}
