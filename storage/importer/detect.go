package importer

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// guess is what detect made of a file.
type guess struct{ format, why string }

// detect chooses the format of a file from its name and the beginning of its text; whole says that head is all of
// it. The rules stand in the package comment.
func detect(name string, head []byte, whole bool) (guess, error) {
	base := strings.ToLower(filepath.Base(name))
	for _, suffix := range []string{".gz", ".zst", ".zstd"} {
		base = strings.TrimSuffix(base, suffix)
	}
	for suffix, format := range map[string]string{".csv": FormatCSV, ".graph-txt": FormatLAW, ".metis": FormatMETIS,
		".jsonl": FormatJSONL, ".ndjson": FormatJSONL, ".graphml": FormatGraphML} {
		if strings.HasSuffix(base, suffix) {
			return guess{format, "its name ends in " + suffix}, nil
		}
	}
	rows := sampleRows(head, whole)
	first, ok := firstRow(rows)
	if !ok {
		return guess{}, &Error{File: name, Msg: "no line but comments and blank ones, so the format cannot be told; " + formatHint}
	}
	words := bytes.Fields(first)
	switch kind := string(words[0]); {
	case looksJSONL(first):
		return guess{FormatJSONL, "its first line is a JSON object of a node or relationship"}, nil
	case bytes.HasPrefix(first, []byte("<?xml")), bytes.HasPrefix(first, []byte("<graphml")):
		return guess{FormatGraphML, "it is XML"}, nil
	case kind == "t" && len(words) >= 3, kind == "v" && len(words) >= 3 && isInt(words[1]):
		return guess{FormatTVE, fmt.Sprintf("its first line starts with %q", kind)}, nil
	case bytes.ContainsAny(first, ",;|"):
		return guess{FormatCSV, "its first line has a delimiter"}, nil
	case len(words) == 1 && isInt(words[0]):
		return guess{FormatLAW, "its first line is a single number"}, nil
	case len(words) == 1:
		return guess{}, &Error{File: name, Msg: fmt.Sprintf("found %s as first line, which no format starts with; %s", shown(first), formatHint)}
	case tabHeader(rows):
		return guess{FormatCSV, "its first line is text between tabs and the next has numbers"}, nil
	}
	if why := metis(rows, strings.HasSuffix(base, ".graph"), whole); why != "" {
		return guess{FormatMETIS, why}, nil
	}
	return guess{FormatEdges, "its lines have two fields or more between blanks"}, nil
}

const formatHint = "choose one with --format (edges, csv, tve, law, metis, jsonl, graphml)"

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

// metis says why rows are METIS and not an edge list, or "".
func metis(rows [][]byte, named, whole bool) string {
	for len(rows) > 0 && len(rows[0]) == 0 {
		rows = rows[1:]
	}
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 && !whole {
		rows = rows[:len(rows)-1]
	}
	head, ok := allInts(rows[0])
	if !ok || len(head) > 4 || head[0] < 0 || head[1] < 0 {
		return ""
	}
	if named {
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
