package importer

import "testing"

// TestNetworkX loads GraphML as NetworkX writes it: integer ids, data without labels.
func TestNetworkX(t *testing.T) {
	text := `<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d1" for="edge" attr.name="weight" attr.type="double"/>
<key id="d0" for="node" attr.name="club" attr.type="string"/>
<graph edgedefault="undirected"><node id="7"><data key="d0">Hi</data></node><node id="3"/><edge source="7" target="3"><data key="d1">0.5</data></edge></graph></graphml>`
	spec := Spec{Files: []string{"a.graphml"}, FS: memory(map[string]string{"a.graphml": text})}
	s, r, err := Load(t.Context(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := dump(s), "(3 {id: 3})\n(7 {club: 'Hi', id: 7})\n(7)-[:EDGE {weight: 0.5}]->(3)\n"; got != want || r.Directed || r.Direction != "a.graphml says so" {
		t.Errorf("%s, %t, %s", got, r.Directed, r.Direction)
	}
}

// TestHeaderFiles loads a folder as neo4j-admin has it: headers in files of their own.
func TestHeaderFiles(t *testing.T) {
	files := memory(map[string]string{"d/persons_header.csv": "id:ID,name,:LABEL\n", "d/persons.csv": "1,Ann,Person\n", "d/persons_2.csv": "2,Bo,Person\n",
		"d/knows-header.csv": ":START_ID,:END_ID,:TYPE\n", "d/knows-part-1.csv": "1,2,KNOWS\n", "d/personsx.csv": "3,Cy\n"})
	s, r, err := Load(t.Context(), Spec{Files: []string{"d"}, FS: files}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := dump(s), "(0:Person {id: 1, name: 'Ann'})\n(1:Person {id: 2, name: 'Bo'})\n(0)-[:KNOWS]->(1)\n"; got != want {
		t.Errorf("%s", got)
	}
	if len(r.Warnings) != 1 || r.Warnings[0] != "d/personsx.csv: left out; it is no node or relationship file" {
		t.Errorf("%q", r.Warnings)
	}
}
