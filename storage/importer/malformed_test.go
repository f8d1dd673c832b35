package importer

import (
	"strings"
	"testing"
)

// hint is what an error in a file of detected format ends with.
func hint(format, why string) string {
	return " (the file was taken for " + format + " because " + why + "; if it is not, " + formatHint() + ")"
}

func TestMalformedGraphs(t *testing.T) {
	tests := []struct {
		name, format, text, want string
	}{
		{"empty edge list", FormatEdges, "", "f.x: the file is empty"},
		{"empty CSV", FormatCSV, " \n\n", "f.x: the file is empty"},
		{"empty t/v/e", FormatTVE, "", "f.x: the file is empty"},
		{"empty LAW", FormatLAW, "", "f.x: the file is empty"},
		{"empty METIS", FormatMETIS, "", "f.x: the file is empty"},
		{"one id", FormatEdges, "1 2\r\n# c\n  3\n", "f.x:3:4: found the end of the line after one id, expected a second id"},
		{"one id, text", FormatEdges, "1 2\né\n", "f.x:2:2: found the end of the line after one id, expected a second id"},
		{"not UTF-8", FormatEdges, "a b\nM\xfcller b\n", "f.x:2:2: found byte 0xFC, which is not UTF-8 text; convert the file to UTF-8 first"},
		{"NUL", FormatEdges, "1 2\n3 4\x00\n", "f.x:2:4: found a NUL byte in an id, expected text"},
		{"NUL among text", FormatEdges, "a b\n\x00c d\n", "f.x:2:1: found a NUL byte in an id, expected text"},
		{"NUL", FormatCSV, "a,b\n1,\"x\x00\"\n", "f.x:2:5: found a NUL byte in an id, expected text"},
		{"CR alone", FormatEdges, "1 2\r3 4\r", "f.x:1: found lines that end in CR alone, expected LF or CRLF"},
		{"MatrixMarket", FormatEdges, "%%MatrixMarket matrix\n3 3 1\n1 2\n", "f.x:1:1: found a file of Matrix Market, expected an edge list; load it as format mtx"},
		{"UTF-16", FormatEdges, "\xff\xfe1\x00 \x002\x00", "f.x: this is UTF-16 text; convert it to UTF-8"},
		{"bzip2", FormatEdges, "BZh91AY&SY", "f.x: this is bzip2 data; decompress it first"},

		{"one column", FormatCSV, "id\n1\n", `f.x:1:1: found a first line with one field, "id", expected two separated by ','`},
		{"short record", FormatCSV, "a,b\n1,2\n3\n", `f.x:3:2: found the end of the line after one field, expected two ids separated by ','`},
		{"empty field", FormatCSV, "a,b\n1,2\n3, \n", `f.x:3:4: found an empty field, expected an id`},
		{"open quote", FormatCSV, "a,b\n1,2\n3,\"x\ny\n", `f.x:3:3: found a quoted field without its closing quote`},
		{"two mistakes, the later one not UTF-8", FormatCSV, "a,b\nx,y\nz\n\xff,y\n", `f.x:3:2: found the end of the line after one field, expected two ids separated by ','`},
		{"text after a quote", FormatCSV, "a,b\n1,\"ä\"x\n", `f.x:2:6: found "x" after a closing quote, expected the delimiter ',' or the end of the line (a quote inside a quoted field is written twice)`},

		{"unknown line", FormatTVE, "t 1 0\nv 0 0 0\nx 1\n", `f.x:3:1: found "x", expected a line that starts with t, v or e`},
		{"no label", FormatTVE, "t 1 0\nv 0\n", `f.x:2:4: found the end of the line, expected a label (an integer, 0 or more)`},
		{"negative label", FormatTVE, "v 0 -1\n", `f.x:1:5: found -1, expected a label (an integer, 0 or more)`},
		{"text id", FormatTVE, "v a 1\n", `f.x:1:3: found "a", expected a vertex id (an integer)`},
		{"huge id", FormatTVE, "v 9223372036854775808 1\n", `f.x:1:3: found "9223372036854775808", expected a vertex id (an integer)`},
		{"too long", FormatTVE, "v 0 1\ne 0 0 1 5\n", `f.x:2:9: found "5", expected the end of the line`},
		{"one end", FormatTVE, "v 0 1\ne 0\n", `f.x:2:4: found the end of the line, expected a second vertex id (an integer)`},
		{"negative edge label", FormatTVE, "v 0 1\ne 0 0 -2\n", `f.x:2:7: found -2, expected a label (an integer, 0 or more)`},
		{"unknown end", FormatTVE, "v 0 1\ne 0 0\ne 0 12\n", `f.x:3:5: found vertex 12, which has no v line; there are 1 vertex`},
		{"repeated vertex", FormatTVE, "v 0 1\nv 1 1\nv 0 1\nv 0 2\n", `f.x:3:3: found a second line for vertex 0`},
		{"too few edges", FormatTVE, "t 2 2\nv 0 1\nv 1 1\ne 0 1\n", `f.x:1: the t line says 2 vertices and 2 edges, but the file has 2 vertices and 1 edge`},
		{"too few vertices", FormatTVE, "t 0 2\nv 0 1\n", `f.x:1: the t line says 2 vertices, but the file has 1 vertex and 0 edges`},
		{"two graphs", FormatTVE, "t # 0\nv 0 1\nt # 1\nv 0 1\n", `f.x:3:1: found a second graph or a t line after its vertices, expected one graph that starts with its t line`},
		{"two mistakes, the first one seen last", FormatTVE, "t 0 0\nt 0 0\nv K 0", `f.x:2:1: found a second graph or a t line after its vertices, expected one graph that starts with its t line`},
		{"late t line", FormatTVE, "v 0 1\nt 1 0\n", `f.x:2:1: found a second graph or a t line after its vertices, expected one graph that starts with its t line`},
		{"bad t line", FormatTVE, "t 1\n", `f.x:1:4: found the end of the line, expected the number of edges`},
		{"comments only", FormatTVE, "# c\n", `f.x: found neither a t line nor vertices`},

		{"no count", FormatLAW, "1 2\n", `f.x:1:1: found 2 words, expected the number of nodes alone on the first line`},
		{"text count", FormatLAW, "n\n", `f.x:1:1: found "n", expected the number of nodes (at most 4294967294)`},
		{"huge count", FormatLAW, "4294967295\n", `f.x:1:1: found "4294967295", expected the number of nodes (at most 4294967294)`},
		{"successor too large", FormatLAW, "2\n0\n1 2\n", `f.x:3:3: found "2" as successor of node 1, expected a node from 0 to 1`},
		{"huge successor", FormatLAW, "2\n18446744073709551617\n\n", `f.x:2:1: found "18446744073709551617" as successor of node 0, expected a node from 0 to 1`},
		{"negative successor", FormatLAW, "2\n-1\n\n", `f.x:2:1: found "-1" as successor of node 0, expected a node from 0 to 1`},
		{"text successor", FormatLAW, "2\n1x 0\n\n", `f.x:2:1: found "1x" as successor of node 0, expected a node from 0 to 1`},
		{"too many lines", FormatLAW, "2\n1\n0\n\n 1\n", `f.x:5:2: found "1", expected the end of the file: the first line says 2 nodes`},
		{"too few lines", FormatLAW, "4\n1\n0\n", `f.x:4: found the end of the file after the lines of 2 nodes, expected 4 as the first line says`},

		{"one number", FormatMETIS, "5\n", `f.x:1:1: found 1 number, expected two to four: nodes, edges, format, weights a node`},
		{"text header", FormatMETIS, "5 x\n", `f.x:1:3: found "x", expected the number of edges`},
		{"comments only", FormatMETIS, "% 5\n", `f.x: found no line but comments, expected the number of nodes and of edges`},
		{"bad format", FormatMETIS, "2 1 2\n", `f.x:1:5: found "2", expected the format: up to three digits 0 or 1 (node sizes, node weights, edge weights)`},
		{"long format", FormatMETIS, "2 1 1000\n", `f.x:1:5: found "1000", expected the format: up to three digits 0 or 1 (node sizes, node weights, edge weights)`},
		{"weights without format", FormatMETIS, "2 1 1 2\n", `f.x:1:7: found 2 weights a node, but the format before it says that nodes have none`},
		{"neighbour 0", FormatMETIS, "2 1\n2\n0\n", `f.x:3:1: found "0", expected a neighbour from 1 to 2`},
		{"neighbour too large", FormatMETIS, "2 1\n2 3\n1\n", `f.x:2:3: found "3", expected a neighbour from 1 to 2`},
		{"edge weight missing", FormatMETIS, "2 1 1\n2 5\n1\n", `f.x:3:2: found the end of the line after neighbour 1, expected the weight of the edge`},
		{"edge weight not whole", FormatMETIS, "2 1 1\n2 0.5\n1 0.5\n", `f.x:2:3: found "0.5", expected the weight of the edge (an integer)`},
		{"node weights missing", FormatMETIS, "2 0 10 3\n1 2 3\n1 2\n", `f.x:3:4: found 2 sizes and weights, expected 3 before the node's neighbours`},
		{"node weight blank", FormatMETIS, "% c\n2 0 10\n\n2\n", `f.x:3:1: found a blank line, expected 1 size or weight of a node`},
		{"node weight at the end", FormatMETIS, "2 0 10\n5\n", `f.x:3: found the end of the file after the lines of 1 node, expected 2 as the first line says`},
		{"too many lines", FormatMETIS, "2 1\n2\n1\n%c\n\n  2\n", `f.x:6:3: found another line, expected the end of the file: the first line says 2 nodes`},
		{"too many lines, then a bad one", FormatMETIS, "%\n3 2\n2 3\n1\n\n3 2\n21", `f.x:6:1: found another line, expected the end of the file: the first line says 3 nodes`},
		{"node weight blank, then too many lines", FormatMETIS, "2 0 10\n1\n\n\n1\n", `f.x:3:1: found a blank line, expected 1 size or weight of a node`},
		{"blank lines at the end", FormatMETIS, "2 1\n\n 1\n\n\n", `f.x:3:2: node 2 lists neighbour 1, but not the other way round; METIS lists every edge at both ends (a directed load keeps the lines as they stand)`},
		{"too few lines", FormatMETIS, "3 1\n2\n", `f.x:3: found the end of the file after the lines of 1 node, expected 3 as the first line says`},
		{"wrong edge count", FormatMETIS, "%\n3 1\n2 3\n1 3\n1 2\n", `f.x:2: the first line says 1 edge, but the lines after it list 6 neighbours, not twice as many`},
		{"one-sided", FormatMETIS, "3 2\n2\n1 3\n1\n", `f.x:3:1: node 2 lists neighbour 3, but not the other way round; METIS lists every edge at both ends (a directed load keeps the lines as they stand)`},
		{"one-sided, from above", FormatMETIS, "3 1\n\n\n%c\n1 2\n", `f.x:5:1: node 3 lists neighbour 1, but not the other way round; METIS lists every edge at both ends (a directed load keeps the lines as they stand)`},
		{"weights differ", FormatMETIS, "2 1 1\n2 5\n1 6\n", `f.x:2:1: node 1 lists neighbour 2 with weight 5, but not the other way round; METIS lists every edge at both ends (a directed load keeps the lines as they stand)`},
	}
	for _, tt := range tests {
		t.Run(tt.format+", "+tt.name, func(t *testing.T) {
			checkError(t, Spec{Files: []string{"f.x"}, Format: tt.format, FS: memory(map[string]string{"f.x": tt.text})}, tt.want)
		})
	}
}

func TestWrongGuess(t *testing.T) {
	tests := []struct{ file, text, want string }{
		{"a", "", "a: the file is empty"},
		{"a", "# c\n\n", "a: no line but comments and blank ones, so the format cannot be told; " + formatHint()},
		{"a", "hello\n", `a: found "hello" as first line, which no format starts with; ` + formatHint()},
		{"a.csv", "a b\n", `a.csv:1:1: found a first line with one field, "a b", expected two separated by ','` + hint("csv", "its name ends in .csv")},
		{"a.graph", "3 1\n4 5\n", `a.graph:2:1: found "4", expected a neighbour from 1 to 3` + hint("metis", "its name ends in .graph and its first line is two to four numbers")},
		{"a", "12\n1 2\n3 4\n", `a:4: found the end of the file after the lines of 2 nodes, expected 12 as the first line says` + hint("law", "its first line is a single number")},
		{"a", "t 1 2\nx\n", `a:2:1: found "x", expected a line that starts with t, v or e` + hint("tve", `its first line starts with "t"`)},
	}
	for _, tt := range tests {
		checkError(t, Spec{Files: []string{tt.file}, FS: memory(map[string]string{tt.file: tt.text})}, tt.want)
	}
}

func TestDetect(t *testing.T) {
	long := strings.Repeat("1 2\n", 30000)
	tests := []struct{ file, text, want string }{
		{"a.csv.gz", "x", FormatCSV},
		{"a.GRAPH-TXT.zst", "x", FormatLAW},
		{"a.metis", "x", FormatMETIS},
		{"a.graph", "3 2\n2\n", FormatMETIS},
		{"a.graph", "t 3 2\n", FormatTVE},
		{"a.graph", "v 3 2\n", FormatTVE},
		{"a.graph", "a b\n1 2\n", FormatEdges},
		{"a", "\n# c\n7 8 \n", FormatEdges},
		{"a", "v w x\n", FormatEdges},
		{"a", long, FormatEdges},
		{"a", "5 6\n5 6\n5 6 1.5\n", FormatEdges},
		{"a", "3 3\n2 3\n1 3\n1 2\n", FormatMETIS},     // counts agree
		{"a", "3 4\n2 3\n1 3\n1 2\n", FormatEdges},     // counts disagree
		{"a", "4 5\n2 3\n\n1 2\n4\n", FormatMETIS},     // uneven
		{"a", "4 5\n2 7\n\n1 2\n4\n", FormatEdges},     // 7 is no node
		{"a", "30000 4\n1 2\n3\n" + long, FormatMETIS}, // uneven, more to come
		{"a", "2 1 1\n2 9\n1 9\n", FormatMETIS},        // weights need not be nodes
		{"a", "a,b\n", FormatCSV},
		{"a", "a\tb\n1\t2\n", FormatCSV},
		{"a", "a\tb\nc\td\n", FormatEdges},
		{"a", "12\n\n3\n", FormatLAW},
	}
	for _, tt := range tests {
		const head = 64 << 10
		f, why, err := detect(tt.file, []byte(tt.text[:min(head, len(tt.text))]), len(tt.text) <= head)
		if err != nil || f.Name != tt.want {
			t.Errorf("%s %.30q: %v (%s), %v; want %s", tt.file, tt.text, f, why, err, tt.want)
		}
	}
}

func TestOptions(t *testing.T) {
	files := memory(map[string]string{"a.txt": "1 2\n", "b.csv": ":ID\n1\n", "c.graph": "t 0 0\n"})
	tests := []struct {
		spec Spec
		want string
	}{
		{Spec{}, "no file to load"},
		{Spec{Files: []string{"a.txt"}, Nodes: []NodeFile{{Paths: []string{"b.csv"}}}}, "give either graph files or node and relationship files, not both"},
		{Spec{Files: []string{"a.txt"}, Format: "xml"}, `unknown format "xml"; there are ` + strings.Join(FormatNames(), ", ")},
		{Spec{Nodes: []NodeFile{{Paths: []string{"b.csv"}}}, Format: FormatLAW}, `node and relationship files are CSV; format "law" does not apply`},
		{Spec{Nodes: []NodeFile{{Paths: []string{"b.csv"}}}, Directed: true}, "directed, undirected, label and type apply to graph files only; node and relationship files say these themselves"},
		{Spec{Files: []string{"a.txt"}, SkipBad: true}, "skipping bad rows and the array delimiter apply to node and relationship files only"},
		{Spec{Files: []string{"a.txt"}, Delimiter: 'é'}, "'é' cannot be a delimiter; use one ASCII character other than the quote"},
		{Spec{Nodes: []NodeFile{{Paths: []string{"b.csv"}}}, ArrayDelimiter: '"'}, `'"' cannot be a delimiter; use one ASCII character other than the quote`},
		{Spec{Files: []string{"c.graph", "a.txt"}}, `a file of format "tve" holds a whole graph: give one file, not 2`},
		{Spec{Files: []string{"c.graph"}, Delimiter: ','}, `format "tve" has no delimiter to choose`},
		{Spec{Files: []string{"none.txt"}}, "none.txt: cannot open: file does not exist"},
		{Spec{Nodes: []NodeFile{{Paths: []string{"b.csv", "none.csv"}}}}, "none.csv: cannot open: file does not exist"},
	}
	for _, tt := range tests {
		tt.spec.FS = files
		checkError(t, tt.spec, tt.want)
	}
}
