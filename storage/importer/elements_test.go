package importer

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/parquet"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/value"
)

// A file of a node or relationship a line: ids of any kind, relationships before their ends, every kind of value.
func TestJSONL(t *testing.T) {
	text := `{"type":"relationship","id":"9","label":"KNOWS","start":{"id":"5","labels":["x"]},"end":7,"properties":{"since":2000,"w":[1.5,{"$float":"NaN"}]}}
{"type":"node","id":"5","labels":["Person","A b"],"properties":{"name":"Ana \"\u00e9\u0000","id":"own","none":null,"ok":true},"external":{"People":"p1"}}

{"type":"node","id":7,"properties":{"list":[],"mixed":[1,"a",[2]]},"external":{"People":2}}
{"type":"relationship","id":3,"label":"KNOWS","start":7,"end":7}
`
	spec := Spec{Files: []string{"g.jsonl"}, Label: "All", FS: memory(map[string]string{"g.jsonl": text})}
	checkLoad(t, spec, `
(5:A b:All:Person {id: 'own', name: 'Ana "é\u0000', ok: true})
(7:All {list: [], mixed: [1, 'a', [2]]})
(5)-[:KNOWS {since: 2000, w: [1.5, NaN]}]->(7)
(7)-[:KNOWS]->(7)
`, 0, 0)
	s, _, err := loadChunks(spec, 64)
	if err != nil {
		t.Fatal(err)
	}
	if got := externals(s); got != "\"People\": 5='p1' 7=2\n" {
		t.Errorf("external ids: %s", got)
	}
	if s.RelID(0) != 3 || s.RelID(1) != 9 || s.NextNode != 8 || s.NextRel != 10 {
		t.Errorf("relationship ids %d, %d; next %d and %d", s.RelID(0), s.RelID(1), s.NextNode, s.NextRel)
	}
}

// Ids that are no integers become a property and external ids.
func TestJSONLTextIDs(t *testing.T) {
	spec := Spec{Files: []string{"f"}, FS: memory(map[string]string{"f": `{"type":"node","id":"ana"}
{"type":"node","id":"7","properties":{"id":null}}
{"type":"node","id":"8","properties":{"id":3}}
{"type":"relationship","start":"ana","end":"7"}`})}
	checkLoad(t, spec, "(0 {id: 'ana'})\n(1 {id: '7'})\n(2 {id: 3})\n(0)-[:EDGE]->(1)\n", 0, 0)
}

func TestJSONLMalformed(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"node","id":1`: "f:1:22: found the end of the text, expected , or } in an object",
		"{\"type\":\"node\",\"id\":1}\n{\"type\":\"node\",\"id\":\"1\"}": "f:2: found node id \"1\" a second time",
		`{"type":"node"}`:                    `f:1:1: a node needs the key "id"`,
		`{"type":"edge"}`:                    `f:1:1: expected the key "type" to be "node" or "relationship"`,
		`[1]`:                                `f:1:1: expected an object {"type":"node",...} or {"type":"relationship",...} on every line`,
		`{"type":"node","id":1,"label":"A"}`: `f:1:1: a node has no key "label"; its keys are type, id, labels, properties and external`,
		`{"type":"node","id":1,"properties":{"a":{"b":1}}}`:                                                                                                    `f:1:1: property "a": a property cannot be a map or hold one`,
		`{"type":"relationship","label":"T","start":1,"end":2}`:                                                                                                `f:1: found a relationship of node "1", which the file does not have`,
		`{"type":"relationship","label":"T","start":1}`:                                                                                                        `f:1:1: a relationship needs the keys "start" and "end"`,
		"{\"type\":\"node\",\"id\":1,\"external\":{\"a\":1}}\n{\"type\":\"node\",\"id\":2,\"external\":{\"a\":1}}":                                             `f:2: found external id 1 of id space "a" a second time`,
		"{\"type\":\"node\",\"id\":1}\n{\"type\":\"relationship\",\"id\":4,\"start\":1,\"end\":1}\n{\"type\":\"relationship\",\"id\":4,\"start\":1,\"end\":1}": `f: relationship id 4 occurs twice; leave the ids of relationships out or make them different`,
		"{\"type\":\"node\",\"id\":\"\xff\"}":                                                                                                                  "f:1:22: found byte 0xFF, which is not UTF-8 text; convert the file to UTF-8 first",
	} {
		checkError(t, Spec{Files: []string{"f"}, Format: FormatJSONL, FS: memory(map[string]string{"f": text})}, want)
	}
}

func TestGraphML(t *testing.T) {
	text := `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<!-- a comment -->
<key id="labels" for="node" attr.name="labels" attr.type="string"/>
<key id="k0" for="node" attr.name="name" attr.type="string"><desc>d</desc><default>none</default></key>
<key id="k1" for="node" attr.name="tags" attr.type="string" attr.list="string"/>
<key id="k2" for="node" attr.name="x" attr.type="string" attr.encoding="json"/>
<key id="k3" for="edge" attr.name="w" attr.type="double"/>
<key id="k4" for="all" attr.name="n" attr.type="int"/>
<graph id="G" edgedefault="directed">
<edge id="1" source="10" target="11" label="KNOWS"><data key="k3">1.5</data></edge>
<node id="10" labels=":A"><data key="labels">:Person:Old</data><data key="k0">Ana &lt;&#xD;é</data><data key="k1">["a","b;c"]</data><data key="k4">5</data></node>
<node id="11" labels=":A"><desc>what</desc><data key="k2">{"$float":"NaN"}</data></node>
<edge id="0" source="11" target="10"><data key="label">LIKES</data></edge>
</graph></graphml>`
	checkLoad(t, Spec{Files: []string{"g"}, FS: memory(map[string]string{"g": text})}, `
(10:Old:Person {n: 5, name: 'Ana <\ré', tags: ['a', 'b;c']})
(11:A {name: 'none', x: NaN})
(10)-[:KNOWS {w: 1.5}]->(11)
(11)-[:LIKES]->(10)
`, 0, 0)
}

func TestGraphMLMalformed(t *testing.T) {
	for text, want := range map[string]string{
		"<a/>":                       "f:1:5: found element <a>, expected <graphml>",
		"<graphml>":                  "f:1: this is not XML: unexpected EOF",
		"<graphml>\n</b>":            "f:2: this is not XML: element <graphml> closed by </b>",
		"  ":                         "f:1:3: found no <graphml> element",
		"<graphml><node/></graphml>": "f:1:17: found a <node> without id",
		"<graphml><node id='1'/>\n<node id='1'/></graphml>":                                                     "f:2: found node id \"1\" a second time",
		"<graphml><edge source='1' target='2'/></graphml>":                                                      "f:1: found a relationship of node \"1\", which the file does not have",
		"<graphml><node id='1'><data key='k'>1</data></node></graphml>":                                         "f:1:45: found data of key \"k\", which no <key> for a node declares",
		"<graphml><key id='k' for='node' attr.type='int'/><node id='1'><data key='k'>x</data></node></graphml>": "f:1:85: found \"x\" as \"k\", expected a 64-bit integer",
		"<graphml><graph/><graph/></graphml>":                                                                   "f:1:26: found a second <graph>, expected one",
		"<graphml><hyperedge/></graphml>":                                                                       "f:1:22: found a <hyperedge>: a relationship has two ends here; write it as a node with edges",
		"<?xml version='1.0' encoding='latin1'?><graphml/>":                                                     "f:1:40: xml: opening charset \"latin1\": the text is latin1; convert it to UTF-8",
	} {
		checkError(t, Spec{Files: []string{"f"}, Format: FormatGraphML, FS: memory(map[string]string{"f": text})}, want)
	}
}

// A builder keeps given ids through renumbering; ids for some only do not count.
func TestStableIDs(t *testing.T) {
	b := csr.NewBuilder()
	for i, id := range []csr.NodeID{40, 2, 7} {
		b.AddVertex()
		b.SetNodeID(uint32(i), id)
	}
	knows := b.Type("KNOWS")
	b.AddEdge(2, 1, knows)
	b.AddEdge(0, 2, knows)
	b.SetRelID(0, 5)
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(s); got != "(2)\n(7)\n(40)\n(40)-[:KNOWS]->(7)\n(7)-[:KNOWS]->(2)\n" || s.RelIDs != nil || s.NextNode != 41 {
		t.Errorf("%s%v, next %d", got, s.RelIDs, s.NextNode)
	}
}

// Parquet files of another program: the first columns are the ids, and types come from the file.
func TestSharedParquet(t *testing.T) {
	dir := filepath.Join(shared.Unpack(t, "kuzu_small.tar.zst"), "dataset", "demo-db", "parquet")
	file := func(name string) string { return filepath.Join(dir, name+".parquet") }
	s, r, err := Load(t.Context(), Spec{Nodes: nodeFiles("User="+file("user"), "City="+file("city")), Relationships: relFiles("FOLLOWS="+file("follows"), "LIVES_IN="+file("lives-in"))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `(0:User {f0: 'Adam', f1: 30})
(1:User {f0: 'Karissa', f1: 40})
(2:User {f0: 'Zhang', f1: 50})
(3:User {f0: 'Noura', f1: 25})
(4:City {f0: 'Waterloo', f1: 150000})
(5:City {f0: 'Kitchener', f1: 200000})
(6:City {f0: 'Guelph', f1: 75000})
(0)-[:FOLLOWS {f2: 2020}]->(1)
(0)-[:FOLLOWS {f2: 2020}]->(2)
(0)-[:LIVES_IN]->(4)
(1)-[:FOLLOWS {f2: 2021}]->(2)
(1)-[:LIVES_IN]->(4)
(2)-[:FOLLOWS {f2: 2022}]->(3)
(2)-[:LIVES_IN]->(5)
(3)-[:LIVES_IN]->(6)
`
	if diff := cmp.Diff(want, dump(s)); diff != "" || len(r.Warnings) != 4 {
		t.Errorf("%v (-want +got):\n%s", r.Warnings, diff)
	}
}

func TestParquetMalformed(t *testing.T) {
	ints := func(names ...string) string {
		var columns []parquet.Column
		for _, n := range names {
			columns = append(columns, parquet.Column{Name: n, Type: parquet.Int})
		}
		row := make(parquet.Row, len(names))
		for i := range row {
			row[i] = value.OfInt(int64(i))
		}
		return parquetFileOf(columns, row, row)
	}
	for _, c := range []struct{ nodes, rels, want string }{
		{"", ints(":START_ID", ":END_ID"), "n.parquet: this is not a Parquet file: it is too short"},
		{ints(":ID", "x"), ints(":START_ID", ":END_ID"), `n.parquet: row 2: found id "0" a second time in the id space without a name`},
		{ints("x:ID"), "", `n.parquet: row 2: found id "0" a second time in the id space without a name`},
		{ints("x"), "", `n.parquet: row 2: found id "0" a second time in the id space without a name; the header names no id, so the first column was taken for it (write name:ID for another, or name:string if there is none)`},
		{ints(":START_ID"), "", "n.parquet: found a :START_ID column in a node file"},
		{ints("x:long", "x:string"), "", "n.parquet: row 1: found a second value of property \"x\""},
		{ints("a:string"), strings.Repeat("x", 40), "r.parquet: this is not a whole Parquet file: it does not end as one"},
		{parquetFileOf([]parquet.Column{{Name: ":ID", Type: parquet.Int}}, parquet.Row{value.OfInt(7)}), ints(":START_ID", ":END_ID"), `r.parquet: row 1: found id "0", which no node has`},
	} {
		checkError(t, Spec{Nodes: nodeFiles("N=n.parquet"), Relationships: relFiles("R=r.parquet"), FS: memory(map[string]string{"n.parquet": c.nodes, "r.parquet": c.rels})}, c.want)
	}
}
