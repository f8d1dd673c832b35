package kernels_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/kernels/components"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/diameter"
	"github.com/motifql/motif/kernels/triangle"
	"github.com/motifql/motif/kernels/truss"
	"github.com/motifql/motif/storage/importer"
)

// figures are the quantities of TRUTH.tsv that cores, trusses, triangles and searches reproduce, by how: each
// function returns those it computes.
var figures = []func(t *testing.T, s *csr.Snapshot, env *pattern.Env) map[string]int64{
	shapeFigures, triangleFigures, coreFigures, trussFigures, componentFigures,
}

// TestTruth reproduces every such figure of every graph that is there. The Git histories, of 14.5 and 58 M edges, are
// left to MOTIF_TRUTH=all. Exact diameters are computed where one is known; a lower bound is only compared with.
func TestTruth(t *testing.T) {
	files, err := filepath.Glob(shared.File(t, "data", "*.zst"))
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for _, file := range files {
		graph, _, _ := strings.Cut(filepath.Base(file), ".")
		if strings.Contains(file, ".tar.") || strings.HasSuffix(file, ".types.zst") {
			continue
		}
		if strings.HasPrefix(graph, "gitdag") && os.Getenv("MOTIF_TRUTH") != "all" {
			continue
		}
		t.Run(graph, func(t *testing.T) {
			if graph == "github_labelled_D0" { // the same graph, with labels
				graph = "github_musae"
			}
			known := shared.Truths(t, graph)
			s, _, err := importer.Load(t.Context(), importer.Spec{Files: []string{file}, Undirected: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			env := &pattern.Env{Workers: 2}
			for _, compute := range figures {
				for quantity, got := range compute(t, s, env) {
					want, ok := known[quantity]
					switch {
					case graph == "gitdag-git" && !ok: // its trusses took the other programs too long
						t.Logf("%s: %d, not known before", quantity, got)
					case want != got || !ok:
						t.Errorf("%s: %d, want %d", quantity, got, want)
					default:
						met[quantity]++
					}
				}
			}
			if want, ok := known["diameter"]; ok {
				checkDiameterOf(t, s, env, want, want)
			} else if want, ok := known["diameter_lower_bound"]; ok {
				checkDiameterOf(t, s, env, want, math.MaxInt32)
			}
		})
	}
	t.Log("figures reproduced:", met)
	if met["vertices"] == 0 {
		t.Error("no graph found")
	}
}

func checkDiameterOf(t *testing.T, s *csr.Snapshot, env *pattern.Env, least, most int64) {
	d, err := diameter.Exact(t.Context(), s, &pattern.DiameterRequest{Direction: csr.Both}, env)
	if err != nil {
		t.Fatal(err)
	}
	if got := int64(d.Length); got < least || got > most {
		t.Errorf("diameter %d, want %d to %d", got, least, most)
	}
	t.Logf("diameter %d", d.Length)
}

func shapeFigures(_ *testing.T, s *csr.Snapshot, _ *pattern.Env) map[string]int64 {
	adj := s.Adjacency(nil, csr.Both)
	edges, wedges, most := int64(0), int64(0), int64(0)
	for v := range csr.VertexID(s.N()) {
		d := int64(adj.Degree(v))
		edges, wedges, most = edges+d, wedges+d*(d-1)/2, max(most, d)
	}
	return map[string]int64{"vertices": int64(s.N()), "edges_undirected_simple": edges / 2, "wedges": wedges, "max_degree": most}
}

func triangleFigures(t *testing.T, s *csr.Snapshot, env *pattern.Env) map[string]int64 {
	n, _, err := triangle.Count(t.Context(), s, nil, false, env)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]int64{"triangles": int64(n)}
}

// coreFigures asks every way but the slow one, and for the densest core alone.
func coreFigures(t *testing.T, s *csr.Snapshot, env *pattern.Env) map[string]int64 {
	var first *pattern.Cores
	for _, v := range []pattern.CoreVariant{pattern.CoreBZ, pattern.CorePark, pattern.CoreRL} {
		c, err := core.Decompose(t.Context(), s, &pattern.CoreRequest{Direction: csr.Both, Variant: v}, env)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = c
		}
		if !slices.Equal(first.Core, c.Core) {
			t.Errorf("%v differs from %v", v, pattern.CoreBZ)
		}
	}
	top, err := core.Decompose(t.Context(), s, &pattern.CoreRequest{Direction: csr.Both, K: first.Degeneracy}, env)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]int64{"max_core_degeneracy": int64(first.Degeneracy), "max_core_vertices": int64(len(top.Members))}
}

func trussFigures(t *testing.T, s *csr.Snapshot, env *pattern.Env) map[string]int64 {
	r, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: pattern.KMax}, env)
	if err != nil {
		t.Fatal(err)
	}
	in := make([]bool, s.N())
	vertices := int64(0)
	for e := range r.Truss {
		for _, v := range []csr.VertexID{r.Source[e], r.Target[e]} {
			if !in[v] {
				in[v] = true
				vertices++
			}
		}
	}
	return map[string]int64{"kmax_truss": int64(r.KMax), "kmax_truss_edges": int64(len(r.Truss)), "kmax_truss_vertices": vertices}
}

func componentFigures(t *testing.T, s *csr.Snapshot, env *pattern.Env) map[string]int64 {
	c, err := components.Find(t.Context(), s, &pattern.ComponentRequest{}, env)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]int64{"connected_components": int64(len(c.Size)), "largest_component": int64(c.Largest())}
}
