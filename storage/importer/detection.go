package importer

import (
	"bytes"
	"fmt"
)

func detectEdges(o *opening) string {
	if len(o.words) < 2 {
		return ""
	}
	return "its lines have two fields or more between blanks"
}

func detectCSV(o *opening) string {
	switch {
	case bytes.ContainsAny(o.first, ",;|"):
		return "its first line has a delimiter"
	case tabHeader(o.rows):
		return "its first line is text between tabs and the next has numbers"
	}
	return ""
}

func detectTVE(o *opening) string {
	kind := string(o.words[0])
	if len(o.words) >= 3 && (kind == "t" || kind == "v" && isInt(o.words[1])) {
		return fmt.Sprintf("its first line starts with %q", kind)
	}
	return ""
}

func detectLAW(o *opening) string {
	if len(o.words) == 1 && isInt(o.words[0]) {
		return "its first line is a single number"
	}
	return ""
}

func detectJSONL(o *opening) string {
	if looksJSONL(o.first) {
		return "its first line is a JSON object of a node or relationship"
	}
	return ""
}

func detectGraphML(o *opening) string {
	if bytes.HasPrefix(o.first, []byte("<?xml")) || bytes.HasPrefix(o.first, []byte("<graphml")) {
		return "it is XML"
	}
	return ""
}

// isOtherXML reports whether a text is XML, but neither GraphML nor GEXF.
func isOtherXML(first []byte) bool {
	return len(first) > 2 && first[0] == '<' && (first[1]|0x20 >= 'a' && first[1]|0x20 <= 'z' || first[1] == '!' || first[1] == '?') && bytes.IndexByte(first, '>') > 0
}

// sampleRows splits head into lines, without the comments and a last line that may be cut off.
func sampleRows(head []byte, whole bool) [][]byte {
	rows := bytes.Split(head, []byte{'\n'})
	if !whole || len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	kept := rows[:0]
	for _, row := range rows {
		if row = bytes.TrimSpace(row); len(row) == 0 || row[0] != '#' && row[0] != '%' {
			kept = append(kept, row)
		}
	}
	return kept
}

func firstRow(rows [][]byte) (row []byte, ok bool) {
	for _, row := range rows {
		if len(row) > 0 {
			return row, true
		}
	}
	return nil, false
}

func isInt(word []byte) bool {
	_, ok := parseInt(word)
	return ok
}

// allInts parses every word of a row.
func allInts(row []byte) (ns []int64, ok bool) {
	for _, word := range bytes.Fields(row) {
		n, ok := parseInt(word)
		if !ok {
			return nil, false
		}
		ns = append(ns, n)
	}
	return ns, true
}

// tabHeader recognises "source<tab>target" above "1<tab>2".
func tabHeader(rows [][]byte) bool {
	if len(rows) < 2 || !bytes.Contains(rows[0], []byte{'\t'}) {
		return false
	}
	a, b := bytes.Split(rows[0], []byte{'\t'}), bytes.Split(rows[1], []byte{'\t'})
	return len(b) == len(a) && !isInt(a[0]) && !isInt(a[1]) && isInt(b[0]) && isInt(b[1])
}

// detectMETIS tells METIS from an edge list: both are lines of integers.
func detectMETIS(o *opening) string {
	rows, whole := o.rows, o.whole
	for len(rows) > 0 && len(rows[0]) == 0 {
		rows = rows[1:]
	}
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 && !whole {
		rows = rows[:len(rows)-1]
	}
	head, ok := allInts(rows[0])
	if !ok || len(head) < 2 || len(head) > 4 || head[0] < 0 || head[1] < 0 {
		return ""
	}
	if _, named := suffixOf(o.base, []string{".graph"}); named {
		return "its name ends in .graph and its first line is two to four numbers"
	}
	n, plain := head[0], len(head) == 2 || head[2] == 0
	entries, uneven := int64(0), false
	for _, row := range rows[1:] {
		ns, ok := allInts(row)
		if !ok {
			return ""
		}
		for _, v := range ns {
			if plain && (v < 1 || v > n) {
				return ""
			}
		}
		entries += int64(len(ns))
		uneven = uneven || len(ns) != len(head)
	}
	have := int64(len(rows) - 1) // a blank last line may be missing
	switch {
	case whole && plain && (have == n || have == n-1) && entries == 2*head[1]:
		return "its first line counts the nodes and edges that follow"
	case uneven && (!whole || have >= n-1):
		return "its first line is two to four numbers and the lines after it differ in length"
	}
	return ""
}

// delimiters in order of preference where a line has as many of one as of another.
const delimiters = ",|\t;"

// findDelimiter chooses the delimiter that a header line has most of outside quotes; a comma if it has none.
func findDelimiter(line []byte) byte {
	var counts [256]int
	quoted := false
	for _, b := range line {
		quoted = quoted != (b == '"')
		if !quoted {
			counts[b]++
		}
	}
	best := delimiters[0]
	for i := range len(delimiters) {
		if counts[delimiters[i]] > counts[best] {
			best = delimiters[i]
		}
	}
	return best
}
