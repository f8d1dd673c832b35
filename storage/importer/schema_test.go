package importer

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// TestSchema compares the schema of a load with one counted node by node and relationship by relationship.
func TestSchema(t *testing.T) {
	nodes, rels := "id:ID,:LABEL,age,born,tags:string[]\n", "from,to,:TYPE,since,weight:float\n"
	for i := range 3 * csr.ChunkLen {
		labels := []string{"", "A", "B", "A;B", "C"}[i*7%5]
		age := ""
		if i%3 == 0 {
			age = fmt.Sprint(i)
		}
		nodes += fmt.Sprintf("%d,%s,%s,2020-01-%02d,%s\n", i, labels, age, 1+i%28, []string{"", "x;y"}[i%2])
		rels += fmt.Sprintf("%d,%d,T%d,%s,%d\n", i, i*5%1000, i%3, age, i)
	}
	spec := Spec{FS: memory(map[string]string{"n.csv": nodes, "r.csv": rels}), Nodes: nodeFiles("n.csv"), Relationships: relFiles("r.csv")}
	s, r, err := loadChunks(spec, defaultChunk)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(countedSchema(s), flatSchema(r.Schema)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

// flatSchema writes each count of a schema as a line.
func flatSchema(s Schema) map[string]uint64 {
	counts := make(map[string]uint64)
	for sigil, list := range map[string][]ElementSchema{"(": s.Labels, "[": s.Types} {
		for _, e := range list {
			counts[sigil+e.Name] = e.Count
			for _, p := range e.Properties {
				counts[fmt.Sprint(sigil, e.Name, ".", p.Key, p.Types)] = p.Count
			}
			for _, ends := range e.Ends {
				counts[ends.From+"-"+e.Name+"->"+ends.To] = ends.Count
			}
		}
	}
	return counts
}

func countedSchema(s *csr.Snapshot) map[string]uint64 {
	counts := make(map[string]uint64)
	labels := func(v csr.VertexID) []string {
		var names []string
		for _, l := range s.LabelsOf(v) {
			names = append(names, s.Labels.Name(uint32(l)))
		}
		if len(names) == 0 {
			names = append(names, "")
		}
		return names
	}
	props := func(of string, columns []*csr.Column, i uint64) {
		counts[of]++
		for k, c := range columns {
			if cell, ok := c.Get(i); ok {
				typ := map[value.Kind]string{value.Int: "int", value.Float: "float", value.String: "string", value.List: "list", value.Temporal: "date"}[value.OfCell(cell).Kind()]
				counts[fmt.Sprint(of, ".", s.Keys.Name(uint32(k)), []string{typ})]++
			}
		}
	}
	for v := range csr.VertexID(s.N()) {
		for _, l := range labels(v) {
			props("("+l, s.VertexProps, uint64(v))
		}
	}
	for t := range s.Types.Len() {
		r := s.Rels(csr.TypeID(t))
		name := s.Types.Name(uint32(t))
		for v := range csr.VertexID(s.N()) {
			lo, hi := r.Row(v)
			for p := lo; p < hi; p++ {
				props("["+name, s.EdgeProps, uint64(r.ID(p)))
				for _, from := range labels(v) {
					for _, to := range labels(r.Targets[p]) {
						counts[from+"-"+name+"->"+to]++
					}
				}
			}
		}
	}
	return counts
}

func TestSchemaOrder(t *testing.T) {
	spec := Spec{FS: memory(map[string]string{"n.csv": "z,id,a\n1,1,x\n2,2,\n"}), Nodes: nodeFiles("N=n.csv")}
	_, r, err := loadChunks(spec, defaultChunk)
	if err != nil {
		t.Fatal(err)
	}
	want := []PropertySchema{{"z", []string{"int"}, 2}, {"id", []string{"int"}, 2}, {"a", []string{"string"}, 1}}
	if got := r.Schema.Labels[0].Properties; !slices.EqualFunc(got, want, func(a, b PropertySchema) bool { return cmp.Equal(a, b) }) {
		t.Errorf("got %v", got)
	}
}
