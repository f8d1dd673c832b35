package hom_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/kernels"
	"github.com/motifql/motif/kernels/hom"
)

// A path of two edges has a homomorphism for each pair of neighbours of each vertex.
func ExampleCounter() {
	ctx := context.Background()
	triangle := slices.Values([]kernels.Edge{{Source: 0, Target: 1}, {Source: 1, Target: 2}, {Source: 2, Target: 0}})
	g, _ := kernels.NewGraph(ctx, 3, triangle)
	c := hom.NewCounter(g)
	all := c.AddSet(nil)
	ok := c.Add(hom.Graph{
		Sets:    []int{all, all, all},
		Factors: []kernels.Factor{{From: 0, To: 1, Undirected: true}, {From: 1, To: 2, Undirected: true}},
	})
	counts, err := c.Count(ctx, &kernels.Env{})
	fmt.Println(ok, counts, err)
	// Output: true [12] <nil>
}
