package gpu

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/core"
)

// kind is a family of graphs; parts say which they are measured on.
type kind uint8

const (
	rmat     kind = 1 << iota // skewed degrees
	planted                   // a few dense spots
	grid                      // no dense spots, a long way across
	labelled                  // an RMAT graph with labels
)

// graph is a graph to be made.
type graph struct {
	kind     kind
	name     string
	scale    int
	largest  bool // of its kind
	vertices int
	edges    iter.Seq2[uint32, uint32]

	s      *csr.Snapshot // once it is made
	simple uint64        // edges without directions and repeats
}

const seed = 1 // of all graphs

// graphs lists those of the options: RMAT graphs by rising scale, then one with labels, one with near-cliques and a grid, all at most
// as large as the largest of these.
func graphs(o *Options) (list []*graph) {
	scales := slices.Sorted(slices.Values(o.Scales))
	for _, scale := range slices.Compact(scales) {
		list = append(list, &graph{kind: rmat, name: fmt.Sprintf("rmat-%dx%d", scale, o.Edges), scale: scale, vertices: 1 << scale,
			edges: testgraph.RMAT(scale, o.Edges, seed)})
	}
	top := list[len(list)-1].scale
	list[len(list)-1].largest = true
	list = append(list, &graph{kind: labelled, name: fmt.Sprintf("labels-%dx%d", min(top, 20), o.Edges), scale: min(top, 20), largest: true,
		vertices: 1 << min(top, 20), edges: testgraph.Undirected(testgraph.RMAT(min(top, 20), o.Edges, seed))})
	sizes, count := []int{48, 64, 80}, 30
	if top < 14 {
		sizes, count = []int{10, 12, 14}, 3
	}
	n := 1 << min(top, 17)
	list = append(list, &graph{kind: planted, name: fmt.Sprintf("planted-%d", min(top, 17)), largest: true, vertices: n, edges: nearCliques(n, count, sizes)})
	side := 1 << min(top/2, 10)
	return append(list, &graph{kind: grid, name: fmt.Sprintf("grid-%dx%d", side, side), largest: true, vertices: side * side,
		edges: testgraph.Grid(uint32(side), uint32(side))})
}

// nearCliques yields an Erdős-Rényi graph of n vertices with eight edges each, and among its first vertices count cliques of the
// sizes in turn, which miss a tenth of their edges.
func nearCliques(n, count int, sizes []int) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		rng := rand.New(rand.NewPCG(seed, 7))
		for u, v := range testgraph.Cliques(count, sizes...) {
			if rng.IntN(10) > 0 && !yield(u, v) {
				return
			}
		}
		for u, v := range testgraph.ER(uint32(n), 8*uint64(n), seed) {
			if !yield(u, v) {
				return
			}
		}
	}
}

// make builds the graph, and what the kernels of the CPU and the GPU derive from it alike.
func (g *graph) make(ctx context.Context, workers int) error {
	b := csr.NewBuilder()
	if g.kind == labelled {
		for i := range labels {
			b.Label(fmt.Sprint("L", i))
		}
		for v := range uint32(g.vertices) {
			b.AddVertex(csr.LabelID(labelOf(v)))
		}
	} else {
		b.AddVertices(g.vertices)
	}
	t := b.Type("E")
	const batch = 1 << 16
	src, dst := make([]uint32, 0, batch), make([]uint32, 0, batch)
	for u, v := range g.edges {
		if src, dst = append(src, u), append(dst, v); len(src) == batch {
			b.AddEdges(t, src, dst)
			src, dst = src[:0], dst[:0]
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	b.AddEdges(t, src, dst)
	b.DropRepeats(t)
	s, _, err := b.Build(ctx, workers)
	if err != nil {
		return err
	}
	if _, err := s.View(ctx, nil, csr.Both); err != nil {
		return err
	}
	oriented := make(chan uint64, 1)
	go func() { oriented <- uint64(len(core.Orientation(s, nil, workers).Targets)) }() // does not look at ctx: whoever stops does not wait for it
	select {
	case g.simple = <-oriented:
	case <-ctx.Done():
		return ctx.Err()
	}
	g.s = s
	return nil
}
