package kernels_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/motifql/motif/kernels"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/triangle"
)

// Two cliques of four vertices share an edge.
var twoCliques = []kernels.Edge{
	{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3},
	{2, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5},
}

func Example() {
	ctx := context.Background()
	g, err := kernels.NewGraph(ctx, 6, slices.Values(twoCliques))
	if err != nil {
		log.Fatal(err)
	}
	env := &kernels.Env{Workers: 2}
	triangles, _, err := triangle.Count(ctx, g, nil, false, env)
	if err != nil {
		log.Fatal(err)
	}
	all := new(kernels.Subgraph)
	fours, err := clique.Count(ctx, g, all.Clique(4), env)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(triangles, "triangles,", fours, "cliques of four")
	// Output: 8 triangles, 2 cliques of four
}

func ExampleNewGraph() {
	ctx := context.Background()
	g, err := kernels.NewGraph(ctx, 6, slices.Values(twoCliques))
	if err != nil {
		log.Fatal(err)
	}
	env := &kernels.Env{Memory: &kernels.Memory{Limit: 1 << 20}}
	cores, err := core.Decompose(ctx, g, &kernels.CoreRequest{Direction: kernels.Both}, env)
	if err != nil {
		log.Fatal(err)
	}
	start, _ := g.VertexByNodeID(0)
	levels, err := bfs.Search(ctx, g, &kernels.Traversal{Sources: []kernels.VertexID{start}, Direction: kernels.Out, MaxDepth: -1}, env)
	if err != nil {
		log.Fatal(err)
	}
	end, _ := g.VertexByNodeID(5)
	fmt.Println("degeneracy", cores.Degeneracy, "and 5 is", levels.Depth[end], "away from 0")
	// Output: degeneracy 3 and 5 is 2 away from 0
}
