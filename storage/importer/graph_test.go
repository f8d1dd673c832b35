package importer

import (
	"slices"
	"testing"
)

// TestGraphs loads one small file of each shape; the text of the graph was written by hand.
func TestGraphs(t *testing.T) {
	tests := []struct {
		name, file, text  string
		spec              Spec
		format            string
		loops, duplicates uint64
		want              string
		warnings          []string
	}{
		{
			name: "edge list", file: "g.txt", format: FormatEdges, loops: 1, duplicates: 2,
			text: "# comment\n% another\n10 2\n2\t10\n\n  7   7  \n2 -3\n10 2\n",
			want: `
(0 {id: -3})
(1 {id: 2})
(2 {id: 7})
(3 {id: 10})
(0)-[:EDGE]->(1)
(1)-[:EDGE]->(3)
`,
		},
		{
			name: "edge list, directed", file: "g.txt", format: FormatEdges, spec: Spec{Directed: true, Label: "Page", Type: "LINKS"},
			text: "10 2\n2 10\n7 7\n10 2",
			want: `
(0:Page {id: 2})
(1:Page {id: 7})
(2:Page {id: 10})
(0)-[:LINKS]->(2)
(1)-[:LINKS]->(1)
(2)-[:LINKS]->(0)
(2)-[:LINKS]->(0)
`,
		},
		{
			name: "CRLF, byte order mark, no final line end", file: "g.txt", format: FormatEdges,
			text: "\xef\xbb\xbf# c\r\n1 2\r\n\r\n2 3",
			want: "(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(0)-[:EDGE]->(1)\n(1)-[:EDGE]->(2)\n",
		},
		{
			name: "far apart ids", file: "g.txt", format: FormatEdges,
			text: "9223372036854775807 -9223372036854775808\n0 9223372036854775807\n",
			want: "(0 {id: -9223372036854775808})\n(1 {id: 0})\n(2 {id: 9223372036854775807})\n(0)-[:EDGE]->(2)\n(1)-[:EDGE]->(2)\n",
		},
		{
			name: "ids past 64 bits are text", file: "g.txt", format: FormatEdges,
			text: "1 2\n3 18446744073709551616\n",
			want: `
(0 {id: '1'})
(1 {id: '18446744073709551616'})
(2 {id: '2'})
(3 {id: '3'})
(0)-[:EDGE]->(2)
(1)-[:EDGE]->(3)
`,
			warnings: []string{`g.txt:2:3: "18446744073709551616" is not a 64-bit integer, so every id is kept as text`},
		},
		{
			name: "leading zeros are text", file: "g.txt", format: FormatEdges, duplicates: 1,
			text: "007 7\n7 007\n",
			want: "(0 {id: '007'})\n(1 {id: '7'})\n(0)-[:EDGE]->(1)\n",
			warnings: []string{
				`g.txt:1:1: "007" is not a 64-bit integer, so every id is kept as text`,
			},
		},
		{
			name: "weights are left out", file: "g.txt", format: FormatEdges,
			text:     "1 2 0.5\n2 3 0.25 x\n3 4\n",
			want:     "(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(3 {id: 4})\n(0)-[:EDGE]->(1)\n(1)-[:EDGE]->(2)\n(2)-[:EDGE]->(3)\n",
			warnings: []string{"g.txt: fields after the second were left out, on 2 lines; --weight NAME keeps the third as a property, node and relationship files keep all"},
		},
		{
			name: "only comments", file: "g.txt", format: FormatEdges, spec: Spec{Format: FormatEdges}, text: "# nothing\n", want: "",
		},
		{
			name: "edge list with a delimiter", file: "g.txt", format: FormatEdges, spec: Spec{Format: FormatEdges, Delimiter: '\t'}, loops: 1,
			text:     "# c\nNew York\tSan José\nNew York\tNew York\n",
			want:     "(0 {id: 'New York'})\n(1 {id: 'San José'})\n(0)-[:EDGE]->(1)\n",
			warnings: []string{`g.txt:2:1: "New York" is not a 64-bit integer, so every id is kept as text`},
		},
		{
			name: "CSV with header", file: "g.csv", format: FormatCSV, duplicates: 1,
			text: "id_1,id_2\r\n5,3\r\n3, 5\r\n",
			want: "(0 {id: 3})\n(1 {id: 5})\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "CSV without header", file: "g.txt", format: FormatCSV, text: "# c\n\n5;3\n", want: "(0 {id: 3})\n(1 {id: 5})\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "CSV, quoted", file: "g.csv", format: FormatCSV, duplicates: 1,
			text: "from|to\n\"a|b\"|\"say \"\"hi\"\"\"\n\"two\nlines\"|x\ny|\" x\"\n\"say \"\"hi\"\"\"|\"a|b\"\n",
			want: "(0 {id: ' x'})\n(1 {id: 'a|b'})\n(2 {id: 'say \"hi\"'})\n(3 {id: 'two\\nlines'})\n(4 {id: 'x'})\n(5 {id: 'y'})\n(0)-[:EDGE]->(5)\n(1)-[:EDGE]->(2)\n(3)-[:EDGE]->(4)\n",
			warnings: []string{
				`g.csv:2:2: "a|b" is not a 64-bit integer, so every id is kept as text`,
				`g.csv:1: took the first line, "from|to", for a header`,
			},
		},
		{
			name: "tabs with a header", file: "g.tsv", format: FormatCSV, text: "source\ttarget\n1\t2\n", want: "(0 {id: 1})\n(1 {id: 2})\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "t/v/e", file: "g.graph", format: FormatTVE, loops: 1, duplicates: 1,
			text: "t 3 4\nv 0 5 1\nv 1 0 2\nv 2 5 1\ne 0 1\ne 2 1\ne 1 0\ne 2 2\n",
			want: "(0:L5 {id: 0})\n(1:L0 {id: 1})\n(2:L5 {id: 2})\n(0)-[:EDGE]->(1)\n(1)-[:EDGE]->(2)\n",
		},
		{
			name: "t/v/e, one edge label", file: "g.graph", format: FormatTVE, text: "t 0 2\nv 4 1\nv 3 1\ne 4 3 7\n", spec: Spec{Label: "Node"},
			want: "(0:L1:Node {id: 3})\n(1:L1:Node {id: 4})\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "t/v/e, edge labels", file: "g.graph", format: FormatTVE, text: "t # 0\nv 4 1\nv 3 1\ne 4 3 7\ne 3 4 2\ne 3 4 7\ne 4 3\nt # -1\n", duplicates: 1,
			want: "(0:L1 {id: 3})\n(1:L1 {id: 4})\n(0)-[:E2]->(1)\n(0)-[:E7]->(1)\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "t/v/e, directed, edges before vertices, no t line", file: "g.txt", format: FormatTVE, text: "v -1 1\ne 9 -1\ne 9 9\ne -1 9\n\n# c\nv 9 1", spec: Spec{Directed: true},
			want: "(0:L1 {id: -1})\n(1:L1 {id: 9})\n(0)-[:EDGE]->(1)\n(1)-[:EDGE]->(0)\n(1)-[:EDGE]->(1)\n",
		},
		{
			name: "t/v/e, empty", file: "g.graph", format: FormatTVE, text: "t 0 0\n", want: "",
		},
		{
			name: "LAW", file: "g.graph-txt", format: FormatLAW, loops: 1, duplicates: 1,
			text: "4\n1 2 \n0\n\n3 0",
			want: "(0 {id: 0})\n(1 {id: 1})\n(2 {id: 2})\n(3 {id: 3})\n(0)-[:EDGE]->(1)\n(0)-[:EDGE]->(2)\n(0)-[:EDGE]->(3)\n",
		},
		{
			name: "LAW, directed", file: "g.txt", format: FormatLAW, spec: Spec{Directed: true}, text: "3\r\n1 2\r\n0\r\n2 2\r\n\r\n \n",
			want: "(0 {id: 0})\n(1 {id: 1})\n(2 {id: 2})\n(0)-[:EDGE]->(1)\n(0)-[:EDGE]->(2)\n(1)-[:EDGE]->(0)\n(2)-[:EDGE]->(2)\n(2)-[:EDGE]->(2)\n",
		},
		{
			name: "LAW, blank last line without line end", file: "g.txt", format: FormatLAW, text: "3\n1\n\n", want: "(0 {id: 0})\n(1 {id: 1})\n(2 {id: 2})\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "LAW, empty", file: "g.txt", format: FormatLAW, text: "0\n", want: "",
		},
		{
			name: "METIS", file: "g.graph", format: FormatMETIS, text: "% c\n4 3\n2 3\n1\n% c\n4 1\n3\n",
			want: "(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(3 {id: 4})\n(0)-[:EDGE]->(1)\n(0)-[:EDGE]->(2)\n(2)-[:EDGE]->(3)\n",
		},
		{
			name: "METIS, isolated last node without its line end", file: "g.txt", format: FormatMETIS, text: "3 1 0\n2\n1\n",
			want: "(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "METIS, edge weights", file: "g.metis", format: FormatMETIS, text: "3 2 1\n2 5 3 -1\n1 5\n1 -1\n",
			want: "(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(0)-[:EDGE {weight: -1}]->(2)\n(0)-[:EDGE {weight: 5}]->(1)\n",
		},
		{
			name: "METIS, all weights", file: "g.metis", format: FormatMETIS, text: "2 1 111 2\n10 1 2 2 9\n20 3 4 1 9\n\n",
			want: "(0 {id: 1, size: 10, weight1: 1, weight2: 2})\n(1 {id: 2, size: 20, weight1: 3, weight2: 4})\n(0)-[:EDGE {weight: 9}]->(1)\n",
		},
		{
			name: "METIS, node weights", file: "g.metis", format: FormatMETIS, text: "2 1 10\n7 2\n8 1\n",
			want: "(0 {id: 1, weight: 7})\n(1 {id: 2, weight: 8})\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "METIS, loops and repeats", file: "g.metis", format: FormatMETIS, text: "2 3\n2 2 1 1\n1 1\n", loops: 2, duplicates: 1,
			want: "(0 {id: 1})\n(1 {id: 2})\n(0)-[:EDGE]->(1)\n",
		},
		{
			name: "METIS, directed, one-sided", file: "g.metis", format: FormatMETIS, spec: Spec{Directed: true}, text: "3 2\n2\n3\n\n",
			want: "(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(0)-[:EDGE]->(1)\n(1)-[:EDGE]->(2)\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.FS, tt.spec.Files = memory(map[string]string{tt.file: tt.text}), []string{tt.file}
			r := checkLoad(t, tt.spec, tt.want, tt.loops, tt.duplicates)
			if r.Format != tt.format || !slices.Equal(r.Warnings, tt.warnings) {
				t.Errorf("format %s, warnings %q; want %s, %q", r.Format, r.Warnings, tt.format, tt.warnings)
			}
			if r.Bytes+3 < uint64(len(tt.text)) || r.Bytes > uint64(len(tt.text)) || r.Files != 1 {
				t.Errorf("%d bytes in %d files; want %d in 1", r.Bytes, r.Files, len(tt.text))
			}
		})
	}
}

func TestSeveralEdgeLists(t *testing.T) {
	spec := Spec{Files: []string{"a.txt", "b.txt.gz"}, FS: memory(map[string]string{"a.txt": "1 2\n", "b.txt.gz": "2 3\n3 2\n"})}
	checkLoad(t, spec, "(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(0)-[:EDGE]->(1)\n(1)-[:EDGE]->(2)\n", 0, 1)
	s, _, err := loadChunks(spec, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := externals(s), "\"\": 0=1 1=2 2=3\n"; got != want {
		t.Errorf("external ids %q, want %q", got, want)
	}
}
