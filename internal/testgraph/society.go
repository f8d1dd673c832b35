package testgraph

import (
	"context"

	"github.com/motifql/motif/internal/csr"
)

// Society returns a graph of four nodes and five relationships that shows each kind of property, label and loop once. tags
// becomes the property of that name of the first node. It should be a list, which this package cannot encode.
func Society(tags csr.Cell) *csr.Snapshot {
	b := csr.NewBuilder()
	person, admin, city := b.Label("Person"), b.Label("Admin"), b.Label("City")
	name, age, tagged, since := b.Key("name"), b.Key("age"), b.Key("tags"), b.Key("since")
	knows, likes := b.Type("KNOWS"), b.Type("LIKES")
	b.AddVertex(person)
	b.AddVertex(person, admin)
	b.AddVertex()
	b.AddVertex(city)
	b.SetVertex(0, name, csr.StringCell("Ann"))
	b.SetVertex(0, age, csr.IntCell(30))
	b.SetVertex(0, tagged, tags)
	b.SetVertex(1, name, csr.StringCell("Bob"))
	b.SetVertex(1, age, csr.FloatCell(30.5))
	b.SetVertex(3, name, csr.IntCell(7))
	b.SetEdge(b.AddEdge(0, 1, knows), since, csr.IntCell(2001))
	b.AddEdge(1, 2, knows)
	b.AddEdge(0, 2, likes)
	b.AddEdge(2, 2, likes)
	b.AddEdge(1, 0, likes)
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		panic(err)
	}
	return s
}
