package importer

import (
	"testing"

	"github.com/motifql/motif/internal/parquet"
	"github.com/motifql/motif/internal/value"
)

// TestMadeNodes loads relationship files without node files.
func TestMadeNodes(t *testing.T) {
	rels := parquetFileOf([]parquet.Column{{Name: ":START_ID", Type: parquet.Int}, {Name: ":END_ID", Type: parquet.Int}}, parquet.Row{value.OfInt(3), value.OfInt(5)})
	files := memory(map[string]string{"a.csv": ":START_ID,:END_ID,w:int\n7,5,1\n5,7,2\n9,9,3\n", "b.csv": ":START_ID(P),:END_ID(Q)\nx,1\nx,2\ny,1\n", "c.parquet": rels,
		"short.csv": ":START_ID,:END_ID\n1,2\n3\n", "wrong.csv": ":START_ID,:END_ID,w:int\n1,2,x\n", "plain.csv": "source,target,since\nAnn,Bo,2001\nBo,Cy,\n"})
	warning := func(n string) string { return "no node files: made " + n + " of the ends of relationships" }
	for _, test := range []struct {
		rels []string
		want string
		warn string
	}{
		{[]string{"R=a.csv"}, "(0 {id: 7})\n(1 {id: 5})\n(2 {id: 9})\n(0)-[:R {w: 1}]->(1)\n(1)-[:R {w: 2}]->(0)\n(2)-[:R {w: 3}]->(2)\n", warning("3 nodes")},
		{[]string{"R=b.csv"}, "(0 {id: 'x'})\n(1 {id: 'y'})\n(2 {id: 1})\n(3 {id: 2})\n(0)-[:R]->(2)\n(0)-[:R]->(3)\n(1)-[:R]->(2)\n", warning("4 nodes")},
		{[]string{"R=a.csv", "S=c.parquet"}, "(0 {id: 7})\n(1 {id: 5})\n(2 {id: 9})\n(3 {id: 3})\n(0)-[:R {w: 1}]->(1)\n(1)-[:R {w: 2}]->(0)\n(2)-[:R {w: 3}]->(2)\n(3)-[:S]->(1)\n", warning("4 nodes")},
		{[]string{"R=plain.csv"}, "(0 {id: 'Ann'})\n(1 {id: 'Bo'})\n(2 {id: 'Cy'})\n(0)-[:R {since: 2001}]->(1)\n(1)-[:R]->(2)\n", warning("3 nodes")},
	} {
		for _, chunk := range []int{1, 1 << 20} {
			s, r, err := loadChunks(Spec{Relationships: relFiles(test.rels...), FS: files}, chunk)
			if err != nil {
				t.Fatal(test.rels, err)
			}
			if got := dump(s); got != test.want || r.Warnings[0] != test.warn {
				t.Errorf("%v gives\n%s%q\nwant\n%s", test.rels, got, r.Warnings, test.want)
			}
		}
	}
	for file, want := range map[string]string{"short.csv": "short.csv:3:2: found 1 field, expected 2 (the next is \":END_ID\")", "wrong.csv": "wrong.csv:2:5: found \"x\" in column \"w\", expected a 64-bit integer"} {
		checkError(t, Spec{Relationships: relFiles("R=" + file), FS: files}, want)
	}
}
