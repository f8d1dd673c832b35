package csr_test

import (
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// graphOf is a graph of rmat with its views built.
func graphOf(b *testing.B, scale int) *csr.Snapshot {
	src, dst := rmat(scale)
	g := csr.NewBuilder()
	t, l, k := g.Type("E"), g.Label("L"), g.Key("k")
	g.AddVertices(1<<scale, l)
	for v := range uint32(1 << scale) {
		g.SetVertex(v, k, csr.IntCell(int64(v)))
	}
	g.AddEdges(t, src, dst)
	s, _, err := g.Build(b.Context(), 0)
	if err != nil {
		b.Fatal(err)
	}
	for dir := csr.Out; dir <= csr.Both; dir++ {
		s.Adjacency(nil, dir)
	}
	return s
}

// BenchmarkTransaction makes small changes to a large graph, each with a snapshot: a new node with a relationship, a
// property, a node deleted.
func BenchmarkTransaction(b *testing.B) {
	for _, scale := range []int{12, 16} {
		s := graphOf(b, scale)
		for name, change := range map[string]func(d *csr.Draft, i int) error{
			"create": func(d *csr.Draft, i int) error {
				v, err := d.CreateNode([]string{"L"}, []csr.Prop{{Key: "k", Value: csr.IntCell(1)}})
				if err == nil {
					_, err = d.CreateRel("E", v, csr.VertexID(i*7919)%(1<<scale), nil)
				}
				return err
			},
			"set": func(d *csr.Draft, i int) error {
				return d.SetNodeProps(csr.VertexID(i*7919)%(1<<scale), csr.Prop{Key: "k", Value: csr.IntCell(1)})
			},
			"delete": func(d *csr.Draft, i int) error {
				_, err := d.DetachDelete(csr.VertexID(d.Base().N() - 1 - uint64(i*7919)%(d.Base().N()/2)))
				return err
			},
		} {
			b.Run(fmt.Sprintf("%s/scale=%d", name, scale), func(b *testing.B) {
				d, i := s.Draft(), 0
				for b.Loop() {
					if err := change(d, i); err != nil {
						b.Fatal(err)
					}
					if _, err := d.Snapshot(b.Context()); err != nil {
						b.Fatal(err)
					}
					i++
				}
			})
		}
	}
}

// BenchmarkLargeTransaction makes a million changes in one draft: nodes, relationships between them and to old ones,
// properties.
func BenchmarkLargeTransaction(b *testing.B) {
	for _, scale := range []int{10, 16} {
		s := graphOf(b, scale)
		b.Run(fmt.Sprintf("scale=%d", scale), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d := s.Draft()
				for i := range 250_000 {
					v, err := d.CreateNode([]string{"L"}, []csr.Prop{{Key: "k", Value: csr.IntCell(int64(i))}})
					if err == nil {
						_, err = d.CreateRel("E", v, csr.VertexID(i)%(1<<scale), nil)
					}
					if err == nil {
						_, err = d.CreateRel("E", v, v-csr.VertexID(i%100), nil)
					}
					if err == nil {
						err = d.SetNodeProps(csr.VertexID(i)%(1<<scale), csr.Prop{Key: "k", Value: csr.IntCell(1)})
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				if _, err := d.Snapshot(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
