package importer

import (
	"strings"
	"testing"
)

// TestForeign refuses files that no reader knows, by their names and by how they begin.
func TestForeign(t *testing.T) {
	zip := "PK\x03\x04 and so on"
	for name, test := range map[string]struct{ file, text, want string }{
		"workbook":      {"a.xlsx", zip, "a.xlsx: this is a workbook of Excel, which load does not read; save its sheets as CSV"},
		"zip":           {"a", zip, "a: this is a zip archive; name the archive with the suffix .zip and the member after it (archive.zip/member.csv)"},
		"SQLite":        {"a.db", "SQLite format 3\x00\x10\x00", "a.db: this is a database of SQLite, which load does not read; write its tables as CSV: sqlite3 -header -csv FILE 'SELECT ...'"},
		"PDF":           {"a", "%PDF-1.4\n1 0 obj\n", "a: this is a PDF document, which load does not read; write its tables as CSV"},
		"LEDA":          {"a.txt", "# c\nLEDA.GRAPH\nstring\nint\n-1\n5\n", ""},
		"RDF":           {"a.txt", "<http://a> <http://b> <http://c> .\n", "a.txt: this is an RDF file, which load does not read; write its triples as relationships in CSV"},
		"Turtle":        {"a", "\n@prefix a: <http://a> .\n", "a: this is an RDF file, which load does not read; write its triples as relationships in CSV"},
		"graph6":        {"a.g6", "DQc\n", "a.g6: this is a graph6 or sparse6 file, which load does not read; write it as an edge list: showg -e or networkx"},
		"pickle":        {"a", "\x80\x04\x95\x00", "a: this is a pickle of Python, which load does not read; write it with networkx.write_graphml"},
		"Cypher":        {"a", "CREATE (a:A);\n", "a: this is a script of Cypher, which load does not read; motif run DB FILE runs it"},
		"tar":           {"a", strings.Repeat("a", 257) + "ustar\x0000", "a: this is an archive of tar; unpack it first"},
		"other binary":  {"a", "\x7fELF\x02\x01\x00\x00 1 2\n", "a: this is binary data (or UTF-16 text), which load does not read; export it as text first"},
		"JSON, no data": {"a.json", `{"a": 1}`, `a.json: found JSON that is no graph: expected an object with "nodes" and "links", "edges" or "adjacency" (NetworkX), "graph" (JSON Graph Format) or "elements" (Cytoscape), or JSON Lines in a file that ends in .jsonl`},
		"JSON array":    {"a", "[1, 2]\n", `a: found JSON that is no graph: expected an object with "nodes" and "links", "edges" or "adjacency" (NetworkX), "graph" (JSON Graph Format) or "elements" (Cytoscape), or JSON Lines in a file that ends in .jsonl`},
	} {
		_, _, err := Load(t.Context(), Spec{Files: []string{test.file}, FS: memory(map[string]string{test.file: test.text})}, nil)
		if err == nil || test.want != "" && err.Error() != test.want {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}
