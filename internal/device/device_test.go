package device

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// The CPU and brute force answer requests of every kind, and give the same numbers.
func TestEveryKind(t *testing.T) {
	s := testgraph.Graph(40, testgraph.Cliques(4, 7), false)
	g := &pattern.Subgraph{}
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 2), Edges: []pattern.Edge{{To: 1}},
		Scopes: []pattern.Scope{{Vertices: []int{0, 1}, Edges: []int{0}, Order: []int{0, 1, ^0}}}}
	env := &pattern.Env{Workers: 1, Tally: new(pattern.Tally)}
	candidates, err := CPU{}.Answer(t.Context(), &pattern.Request{Kind: pattern.KindFilter, Snapshot: s, Pattern: p}, env)
	if err != nil {
		t.Fatal(err)
	}
	job := &pattern.Job{Snapshot: s, Pattern: p, Candidates: candidates.Candidates, Order: pattern.Order{Steps: pattern.StepsOf(p, []int{0, 1}),
		Symmetric: make([]bool, 1), Chains: make([]pattern.Chain, 1)}, Vertices: make([]csr.VertexID, 2), Edges: make([]csr.EdgeID, 1)}
	path := &pattern.Path{Nodes: []pattern.PathNode{{Var: 0}, {Var: 1}}, Vertices: 2,
		Hops: []pattern.Hop{{Steps: []pattern.PathStep{{Direction: csr.Out, Var: -1}}, Min: 1, Max: 2, Loop: true}}}
	scores := &pattern.ScoreRequest{Network: pattern.Network{Direction: csr.Both}, Damping: 0.85, Tolerance: 1e-12, MaxIterations: 1000}
	requests := map[pattern.RequestKind]pattern.Request{
		pattern.KindFilter:           {Pattern: p},
		pattern.KindCount:            {Job: job},
		pattern.KindMatch:            {Job: job},
		pattern.KindCliqueCount:      {Clique: g.Clique(4)},
		pattern.KindCliqueList:       {Clique: g.Clique(4)},
		pattern.KindCliqueSizes:      {Subgraph: g},
		pattern.KindCliquesPerVertex: {Clique: g.Clique(3)},
		pattern.KindCliquesPerEdge:   {Subgraph: g, Size: 3},
		pattern.KindMaximalCliques:   {Subgraph: g, Size: 3},
		pattern.KindMaximumClique:    {Subgraph: g},
		pattern.KindTriangles:        {Triangles: &pattern.TriangleRequest{PerNode: true}},
		pattern.KindCores:            {Cores: &pattern.CoreRequest{Direction: csr.Both}},
		pattern.KindTrusses:          {Trusses: &pattern.TrussRequest{}},
		pattern.KindBFS:              {Traversal: &pattern.Traversal{Sources: []csr.VertexID{0}, MaxDepth: -1}},
		pattern.KindComponents:       {Components: &pattern.ComponentRequest{}},
		pattern.KindShortestPath:     {Path: &pattern.PathRequest{From: 0, To: 1, Direction: csr.Both, MaxDepth: -1}},
		pattern.KindPathSearch:       {PathJob: &pattern.PathJob{Snapshot: s, Path: path}},
		pattern.KindDiameter:         {Diameter: &pattern.DiameterRequest{Direction: csr.Both}},
		pattern.KindPageRank:         {Scores: scores},
		pattern.KindArticleRank:      {Scores: scores},
		pattern.KindEigenvector:      {Scores: scores},
		pattern.KindDegree:           {Scores: scores},
		pattern.KindCloseness:        {Scores: scores},
		pattern.KindLabels:           {Community: &pattern.CommunityRequest{}},
		pattern.KindLouvain:          {Community: &pattern.CommunityRequest{Resolution: 1}},
		pattern.KindDistances:        {WeightedPath: &pattern.WeightedPathRequest{Sources: []csr.VertexID{0}}},
		pattern.KindWeightedPaths:    {WeightedPath: &pattern.WeightedPathRequest{Sources: []csr.VertexID{0}, Network: pattern.Network{Direction: csr.Both}, Target: 1, K: 3}},
		pattern.KindAStar: {WeightedPath: &pattern.WeightedPathRequest{Sources: []csr.VertexID{0}, Network: pattern.Network{Direction: csr.Both}, Target: 1, K: 1,
			Estimate: make([]float64, s.N())}},
		pattern.KindSimilarity:  {Similarity: &pattern.SimilarityRequest{TopK: 3}},
		pattern.KindBetweenness: {Scores: &pattern.ScoreRequest{}},
		pattern.KindOrbits:      {Subgraph: g, Size: 4},
		pattern.KindMotifs:      {Subgraph: g, Size: 4},
		pattern.KindTriads:      {Subgraph: g},
	}
	for kind, r := range requests {
		numbers := func(d pattern.Device) []int {
			one, sent := r, new(sink)
			one.Kind, one.Snapshot, one.Sink = kind, s, sent
			one.Emit = func([]csr.VertexID) (bool, error) { sent.n++; return true, nil }
			a, err := d.Answer(t.Context(), &one, env)
			if err != nil {
				t.Fatalf("%v on %s: %v", kind, d.Name(), err)
			}
			n := []int{sent.n, int(a.Count.Lo), len(a.Counts), len(a.Vertices), len(a.ByVertex), len(a.Orbits)}
			for _, row := range a.Orbits {
				for _, x := range row {
					n = append(n, int(x))
				}
			}
			if a.Candidates != nil {
				n = append(n, len(a.Candidates.Sets))
			}
			if a.EdgeCounts != nil {
				n = append(n, len(slices.DeleteFunc(a.EdgeCounts.Count, func(c pattern.Count128) bool { return c == pattern.Count128{} })))
			}
			if a.Cores != nil {
				n = append(n, int(a.Cores.Degeneracy))
			}
			if a.Trusses != nil {
				n = append(n, int(a.Trusses.KMax), len(a.Trusses.Source))
			}
			if a.Levels != nil {
				n = append(n, int(slices.Max(a.Levels.Depth)))
			}
			if a.Components != nil {
				n = append(n, len(a.Components.Size))
			}
			if a.Communities != nil {
				n = append(n, len(a.Communities.Size), int(math.Round(1e6*a.Communities.Modularity)))
			}
			if a.Similarities != nil {
				n = append(n, len(a.Similarities.Score))
			}
			if a.Distances != nil {
				n = append(n, len(a.Distances.Dist))
			}
			n = append(n, len(a.WeightedPaths))
			if a.Diameter != nil {
				n = append(n, int(a.Diameter.Length))
			}
			n = append(n, len(a.Scores))
			for _, x := range a.Scores {
				n = append(n, int(math.Round(1e6*x)))
			}
			if a.PathSearch != nil {
				q := &pattern.PathQuery{Vertices: []csr.VertexID{0, csr.NoVertex}, Lists: make([][]csr.EdgeID, 1)}
				err := a.PathSearch.Run(t.Context(), q, func(*pattern.Walk) (bool, error) { sent.n++; return true, nil })
				if err != nil {
					t.Fatal(err)
				}
				n = append(n, sent.n)
			}
			return n
		}
		cpu, brute := numbers(CPU{}), numbers(testgraph.Brute{})
		if !slices.Equal(cpu, brute) || slices.Max(cpu) == 0 {
			t.Errorf("%v: CPU %v, brute force %v", kind, cpu, brute)
		}
	}
	for kind := range pattern.KindTriads + 1 {
		if _, ok := requests[kind]; !ok && kind != pattern.KindFormula {
			t.Errorf("no request of the kind %v", kind)
		}
		if _, err := (CPU{}).Answer(t.Context(), &pattern.Request{Kind: pattern.KindFormula, Snapshot: s}, env); err == nil {
			t.Error("the CPU answers a formula by itself")
		}
	}
}

// sink counts matches.
type sink struct{ n int }

func (*sink) NeedEdges() bool { return false }
func (k *sink) Emit(batch []pattern.Embedding) (bool, error) {
	for _, e := range batch {
		k.n += int(e.Weight)
	}
	return true, nil
}

func TestParseChoice(t *testing.T) {
	for text, want := range map[string]string{"": "auto", "AUTO": "auto", "cpu": "cpu", " cuda ": "cuda", "cuda:1": "cuda:1"} {
		if c, err := ParseChoice(text); err != nil || c.String() != want || c.Auto() != (want == "auto") {
			t.Errorf("%q: %v, %v", text, c, err)
		}
	}
	for text, want := range map[string]string{"gpu": "did you mean cuda", "cuda:x": "there are auto, cpu", "cuda:-1": "there are auto"} {
		if _, err := ParseChoice(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A pool opens nothing that nobody asks for, and the CPU needs no GPU.
func TestPool(t *testing.T) {
	p := new(Pool)
	d, err := p.Device(Choice{kind: onCPU}, 1)
	if err != nil || d.Name() != "CPU" {
		t.Fatal(d, err)
	}
	if _, err := p.Device(Choice{kind: onGPU, ordinal: 1000, one: true}, 1); err == nil {
		t.Error("there is a GPU of the number 1000")
	}
	if notes := Explain(d, func() []*pattern.Request { t.Error("requests for a device without a choice"); return nil }); notes != nil {
		t.Error(notes)
	}
	p.Close()
}
