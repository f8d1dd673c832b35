package paths_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels"
	"github.com/motifql/motif/kernels/paths"
)

// NewSearch prepares a pattern of one to three edges; Run sends its walks from one start.
func ExampleNewSearch() {
	ctx := context.Background()
	g, _ := kernels.NewGraph(ctx, 3, slices.Values([]kernels.Edge{{Source: 0, Target: 1}, {Source: 1, Target: 2}, {Source: 2, Target: 0}}))
	pattern := &kernels.Path{
		Nodes:    []kernels.PathNode{{Var: 0}, {Var: 1}},
		Hops:     []kernels.Hop{{Steps: []kernels.PathStep{{Direction: kernels.Out, Var: -1}}, Min: 1, Max: 3, Loop: true}},
		Mode:     kernels.TrailMode,
		Vertices: 2,
	}
	search, err := paths.NewSearch(ctx, &kernels.PathJob{Snapshot: g, Path: pattern}, new(kernels.Env))
	if err != nil {
		panic(err)
	}
	n := 0
	err = search.Run(ctx, &kernels.PathQuery{Vertices: []kernels.VertexID{0, csr.NoVertex}}, func(*kernels.Walk) (bool, error) { n++; return true, nil })
	fmt.Println(n, "walks", err)
	// Output: 3 walks <nil>
}
