package importer

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/parquet"
	"github.com/motifql/motif/internal/value"
)

// fuzzLoad loads spec in one piece and in small ones on several workers, which must agree in every respect. A file
// that is refused gives an *Error; one that is accepted gives a graph that agrees with its report.
func fuzzLoad(t *testing.T, spec Spec) {
	spec.Workers = 1
	whole, report, err := loadChunks(spec, defaultChunk)
	spec.Workers = 3
	pieces, again, err2 := loadChunks(spec, 5)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%T: %v", err, err)
		}
		if err2 == nil || err2.Error() != err.Error() {
			t.Fatalf("in one piece %v, in small ones %v", err, err2)
		}
		if e.Line < 0 || e.Column < 0 || e.Msg == "" {
			t.Fatalf("%+v", e)
		}
		return
	}
	if err2 != nil {
		t.Fatalf("accepted in one piece, in small ones %v", err2)
	}
	if a, b := dump(whole), dump(pieces); a != b {
		t.Fatalf("in one piece\n%s\nin small ones\n%s", a, b)
	}
	if report.Nodes != whole.N() || report.Relationships != whole.M() || report.Loops != again.Loops || report.Duplicates != again.Duplicates || report.Lines != again.Lines {
		t.Fatalf("%+v, in small pieces %+v; %d vertices, %d edges", report, again, whole.N(), whole.M())
	}
	if len(spec.Files) == 0 || formatOf(report.Format).complete || report.Directed {
		return
	}
	for e := range csr.EdgeID(whole.M()) {
		u, v := whole.Endpoints(e)
		if !spec.Directed && whole.NodeID(u) >= whole.NodeID(v) {
			t.Fatalf("undirected relationship %d -> %d", whole.NodeID(u), whole.NodeID(v))
		}
	}
	if spec.Directed && report.Loops+report.Duplicates > 0 {
		t.Fatalf("a directed load dropped something: %+v", report)
	}
}

// fuzzFormat fuzzes a format of one file.
func fuzzFormat(f *testing.F, format string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, directed bool) {
		fuzzLoad(t, Spec{Files: []string{"f"}, Format: format, Directed: directed, FS: memory(map[string]string{"f": text})})
	})
}

func FuzzEdges(f *testing.F) {
	fuzzFormat(f, FormatEdges, "", "# c\n1 2\r\n2\t3 0.5\n", "a b\nb a", "\xef\xbb\xbf-9223372036854775808 9223372036854775807\n1 1", "007 7\n", "1\n")
}

func FuzzCSV(f *testing.F) {
	fuzzFormat(f, FormatCSV, "", "a,b\n1,2\n", "a|b\r\n\"x\"\"y\"|\"two\nlines\"\r\n", "1;2\n", "a\tb\n\"\n", "# c\n\na,b\n \"x\",1\n", "\"a\nb\",c\n1,2\n")
}

func FuzzTVE(f *testing.F) {
	fuzzFormat(f, FormatTVE, "", "t 2 1\nv 0 1 1\nv 1 2 1\ne 0 1\n", "t 0 2\nv 5 1\nv -1 2\ne 5 -1 3\ne -1 5 4\n", "t # 0\nv 0 0\nt # -1\n", "e 1 2\n", "v 0 1\nv 0 1\n")
}

func FuzzLAW(f *testing.F) {
	fuzzFormat(f, FormatLAW, "", "3\n1 2\n\n0 \n", "0\n", "2\r\n1\r\n0", "4294967294\n1\n", "1\n0 0\n\n")
}

func FuzzMETIS(f *testing.F) {
	fuzzFormat(f, FormatMETIS, "", "% c\n3 2\n2 3\n1\n1\n", "2 1 111 2\n1 2 3 2 9\n1 2 3 1 9\n", "2 1 1\n2 5\n1 6\n", "1 1\n1 1\n", "3 1 0\n2\n1\n", "2 0 10\n1\n\n2")
}

// FuzzDetect leaves the choice of the format to the importer too.
func FuzzDetect(f *testing.F) {
	for _, s := range []string{"", "1 2\n", "a,b\n1,2\n", "t 0 0\n", "3\n1\n\n\n", "3 3\n2 3\n1 3\n1 2\n", "v 0 1\n", "a\tb\n1\t2\n", "\x1f\x8b", "%\n#\n", "2 1\n2\n\n1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzzLoad(t, Spec{Files: []string{"f"}, FS: memory(map[string]string{"f": text})})
	})
}

func FuzzProperties(f *testing.F) {
	f.Add(":ID,a:int,:LABEL\n1,2,X;Y\n2,,\n", ":START_ID,:END_ID,:TYPE\n1,2,T\n", false)
	f.Add("a:ID(P),b:string[],c:boolean\nx,\"u;v\",true\n\"y\"\"\",,FALSE", ":END_ID(P)|:START_ID(P)|w:double\nx|\"y\"\"\"|1e3\n", false)
	f.Add("id,name\n1,\"two\nlines\"\n1,x\n", "a,b,c\r\n1,1,\"\"\r\n1,2,\r\n", true)
	f.Add(":ID(motif),motif.external.long.P:IGNORE,a:long,a:json,:string{name:%0Ax},:LABEL{encoding:json}\n5,7,1,,,\"[\"\"A\"\"]\"\n9,,,\"[1,null,{\"\"$float\"\":\"\"NaN\"\"}]\",x,[]\n",
		":START_ID(motif),:END_ID(motif),motif.id:IGNORE,:TYPE{encoding:json}\n5,9,3,\"[\"\"T\"\"]\"\n", false)
	f.Add(":ID{id-type:int},d:date,x:IGNORE\n5,2020-01-01,\"\n\"\n", ":START_ID(Q),:END_ID\n", false)
	f.Fuzz(func(t *testing.T, nodes, rels string, skip bool) {
		fuzzLoad(t, Spec{Nodes: nodeFiles("N=n.csv"), Relationships: relFiles("R=r.csv"), SkipBad: skip, FS: memory(map[string]string{"n.csv": nodes, "r.csv": rels})})
	})
}

func FuzzReadPattern(f *testing.F) {
	f.Add("t 2 1\nv 0 1 1\nv 1 2 1\ne 0 1\n")
	f.Add("v 5 1\ne 5 5 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := readPattern("q", openIn(memory(map[string]string{"q": text})))
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, e := range q.Edges {
			if min(e.From, e.To) < 0 || max(e.From, e.To) >= len(q.Vertices) {
				t.Fatalf("edge %+v of %d vertices", e, len(q.Vertices))
			}
		}
		_ = q.Query()
	})
}

// fuzzWhole fuzzes a format whose files say all of a property graph.
func fuzzWhole(f *testing.F, format string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzzLoad(t, Spec{Files: []string{"f"}, Format: format, FS: memory(map[string]string{"f": text})})
	})
}

func FuzzJSONL(f *testing.F) {
	fuzzWhole(f, FormatJSONL, "",
		`{"type":"node","id":"0","labels":["A","B"],"properties":{"x":1,"y":[1.5,null,"\u00e9\ud83d\ude00"],"z":{"$float":"NaN"}},"external":{"P":5}}`+"\n"+
			`{"type":"relationship","id":7,"label":"T","start":{"id":"0"},"end":0,"properties":{"w":true}}`+"\n",
		`{"type":"relationship","label":"T","start":"b","end":"a"}`+"\r\n\n"+`{"type":"node","id":"a"}`+"\n"+`{"id":"b","type":"node","labels":null,"properties":null}`,
		`{"type":"node","id":9223372036854775807}`, `{"type":"node","id":-1,"properties":{"id":3}}`, "[", `{"type":"node","id":1,"id":2}`)
}

func FuzzGraphML(f *testing.F) {
	fuzzWhole(f, FormatGraphML, "", "<graphml/>",
		`<?xml version="1.0" encoding="UTF-8"?><graphml><key id="d" for="all" attr.name="w" attr.type="double"><default>1</default></key>`+
			`<key id="l" for="node" attr.name="tags" attr.type="string" attr.list="string"/><key id="j" for="node" attr.name="j" attr.type="string" attr.encoding="json"/>`+
			"<graph edgedefault=\"undirected\">\n<node id=\"n0\" labels=\":A:B\"><data key=\"l\">[\"x\"]</data></node><edge source=\"n0\" target=\"1\" label=\"T\" id=\"5\"/><node id=\"1\"><data key=\"labels\">:C</data><data key=\"j\">{\"$float\":\"NaN\"}</data></node></graph></graphml>",
		"<graphml><graph><node id=\"0\"/><node id=\"0\"/></graph></graphml>", "<a>&b;</a>", "<graphml><node id=\"1\"><graph/></node>")
}

// FuzzParquet reads nodes and relationships from Parquet files, by header and, without one, by position.
func FuzzParquet(f *testing.F) {
	nodes := parquetFileOf([]parquet.Column{{Name: ":ID(motif)", Type: parquet.Int, Required: true}, {Name: "x", Type: parquet.Float, List: true}, {Name: "y:json", Type: parquet.JSON},
		{Name: "motif.external.string.P:IGNORE", Type: parquet.String}, {Name: ":LABEL", Type: parquet.String, List: true}},
		parquet.Row{value.OfInt(3), value.OfList([]value.Value{value.OfFloat(1)}), value.OfString("[1]"), value.OfString("p"), value.OfList([]value.Value{value.OfString("A")})},
		parquet.Row{value.OfInt(5), {}, {}, {}, {}})
	rels := parquetFileOf([]parquet.Column{{Name: ":START_ID(motif)", Type: parquet.Int}, {Name: ":END_ID(motif)", Type: parquet.Int}, {Name: "motif.id:IGNORE", Type: parquet.Int}, {Name: ":TYPE", Type: parquet.String}},
		parquet.Row{value.OfInt(3), value.OfInt(5), value.OfInt(0), value.OfString("T")})
	plain := parquetFileOf([]parquet.Column{{Name: "name", Type: parquet.String}, {Name: "to", Type: parquet.String}, {Name: "b", Type: parquet.Bool}},
		parquet.Row{value.OfString("a"), value.OfString("a"), value.OfBool(true)})
	f.Add(nodes, rels)
	f.Add(plain, plain)
	f.Fuzz(func(t *testing.T, nodes, rels string) {
		fuzzLoad(t, Spec{Nodes: nodeFiles("N=n.parquet"), Relationships: relFiles("R=r.parquet"), FS: memory(map[string]string{"n.parquet": nodes, "r.parquet": rels})})
	})
}

func parquetFileOf(columns []parquet.Column, rows ...parquet.Row) string {
	var b strings.Builder
	w, err := parquet.NewWriter(&b, columns)
	for _, row := range rows {
		if err == nil {
			err = w.Row(row)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.String()
}

// FuzzOtherFormats fuzzes the formats of whole graphs that have no fuzzer of their own.
func FuzzOtherFormats(f *testing.F) {
	formats := []string{FormatMTX, FormatGML, FormatGEXF, FormatPajek, FormatTGF, FormatJSON, FormatDOT}
	for i, name := range []string{"small.mtx", "karate-part.gml", "small.gexf", "small.net", "small.tgf", "nodelink.json", "small.gv"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), i)
	}
	f.Add("graph { a -- {b; c [x]} -- subgraph s {d}\n \"a\"+\"1\" [t=<<i>>, n=-2.5e1]; y=z}", 6)
	f.Add(`{"directed": false, "nodes": [{"id": "a"}, {"id": "b"}], "adjacency": [[{"id": "b", "w": 1}], [{"id": "a", "w": 1}]]}`, 5)
	f.Add(`{"graph": {"nodes": {"7": {"metadata": {"id": 1, "y": {"z": 2}}}}, "edges": [{"source": "7", "target": "7", "relation": "R"}]}}`, 5)
	many := regexp.MustCompile("[0-9]{6}")
	f.Fuzz(func(t *testing.T, text string, i int) {
		if many.MatchString(text) { // a header may announce more nodes than a fuzzer has memory for
			t.Skip()
		}
		fuzzLoad(t, Spec{Files: []string{"f"}, Format: formats[(i%len(formats)+len(formats))%len(formats)], FS: memory(map[string]string{"f": text})})
	})
}
