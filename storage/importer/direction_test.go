package importer

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDirection loads edge lists that say whether they are directed, and some that do not.
func TestDirection(t *testing.T) {
	snap := "# Directed graph (each unordered pair of nodes is saved once): a.txt\n# Nodes: 3 Edges: 2\n"
	for _, test := range []struct {
		name, text string
		spec       Spec
		directed   bool
		why        string
		m          uint64
	}{
		{"silent", "1 2\n2 1\n", Spec{}, false, "the file does not say", 1},
		{"flag", "1 2\n2 1\n", Spec{Directed: true}, true, "", 2},
		{"SNAP", snap + "1 2\n2 1\n2 3\n", Spec{}, true, `f:1 says "Directed graph"`, 3},
		{"SNAP, flag", snap + "1 2\n2 1\n2 3\n", Spec{Undirected: true}, false, "", 2},
		{"SNAP, both directions", snap + "1 2\n2 1\n2 3\n3 2\n4 4\n", Spec{}, false, `every pair stands in both directions, though f:1 says "Directed graph"`, 2},
		{"SNAP, both directions, flag", snap + "1 2\n2 1\n", Spec{Directed: true}, true, "", 2},
		{"SNAP, text", snap + "a b\nb a\nb c\n", Spec{}, true, `f:1 says "Directed graph"`, 3},
		{"SNAP, text, both directions", snap + "b a\na b\n", Spec{}, false, `every pair stands in both directions, though f:1 says "Directed graph"`, 1},
		{"SNAP, twice one way", snap + "1 2\n1 2\n2 1\n", Spec{}, true, `f:1 says "Directed graph"`, 3},
		{"SNAP, only loops", snap + "1 1\n", Spec{}, true, `f:1 says "Directed graph"`, 1},
		{"SNAP, undirected", "# a\n# Undirected graph: com-dblp\n1 2\n2 1\n", Spec{}, false, `f:2 says "Undirected graph"`, 1},
		{"SNAP, undirected, flag", "# Undirected graph: com-dblp\n1 2\n2 1\n", Spec{Directed: true}, true, "", 2},
		{"KONECT", "% asym unweighted\n% 2 3 3\n1 2\n2 3\n3 1\n", Spec{}, true, `f:1 says "asym"`, 3},
		{"KONECT, symmetric", "% sym unweighted\n1 2\n", Spec{}, false, `f:1 says "sym"`, 1},
		{"after the data", "1 2\n# Directed graph\n2 1\n", Spec{}, false, "the file does not say", 1},
		{"other words", "# Directed by Ann\n# A directed graph\n1 2\n", Spec{}, false, "the file does not say", 1},
		{"t/v/e", "v 0 1\nv 1 1\ne 0 1\n", Spec{Format: FormatTVE}, false, "tve graphs are", 1},
		{"jsonl", `{"type":"node","id":1}`, Spec{Format: FormatJSONL}, true, "jsonl files are", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.spec.Files, test.spec.FS = []string{"f"}, memory(map[string]string{"f": test.text})
			_, r, err := Load(context.Background(), test.spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Directed != test.directed || r.Direction != test.why || r.Relationships != test.m {
				t.Errorf("directed %t (%s), %d relationships; want %t (%s), %d", r.Directed, r.Direction, r.Relationships, test.directed, test.why, test.m)
			}
		})
	}
}

func TestDirectionRefused(t *testing.T) {
	files := memory(map[string]string{"a": "# Directed graph\n1 2\n", "b": "# Undirected graph\n1 2\n", "k": "% bip weighted\n1 1 3\n"})
	checkError(t, Spec{Files: []string{"a", "b"}, FS: files}, `b:1: found "Undirected graph", but a:1 says "Directed graph"; load with directed or undirected to choose (the file was taken for edges because its lines have two fields or more between blanks; if it is not, `+formatHint()+`)`)
	checkError(t, Spec{Files: []string{"k"}, Format: FormatEdges, FS: files}, `k:1: found "bip": the two sides of this graph number their nodes separately, so one id means two nodes; write the ids of the sides differently, such as l1 and r1, and drop this line`)
	checkError(t, Spec{Files: []string{"a"}, Directed: true, Undirected: true, FS: files}, "directed and undirected contradict each other; choose one")
}

// Random lists are reciprocal if and only if they equal their reversal.
func TestReciprocal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	met := map[bool]int{}
	for range 2000 {
		var all ends
		count := map[[2]uint32]int{}
		for range 1 + rng.IntN(3) {
			u, v := rng.Uint32N(3), rng.Uint32N(3)
			all.add(u, v, true)
			count[[2]uint32{u, v}]++
			if rng.IntN(3) > 0 {
				all.add(v, u, true)
				count[[2]uint32{v, u}]++
			}
		}
		want, pairs := true, 0
		for p, n := range count {
			if p[0] != p[1] {
				want, pairs = want && count[[2]uint32{p[1], p[0]}] == n, pairs+1
			}
		}
		if want = want && pairs > 0; reciprocal(all) != want {
			t.Fatalf("%v is reciprocal: %t", all, !want)
		}
		met[want]++
	}
	if min(met[false], met[true]) < 100 {
		t.Error("too few of a kind:", met)
	}
}

func TestDeclaredDirectionEnds(t *testing.T) {
	for _, head := range []string{"", "#", "# \n%", "% asym", strings.Repeat("\n", 10)} {
		if _, line, _ := declaredDirection([]byte(head)); line != 0 {
			t.Errorf("%q says something in line %d", head, line)
		}
	}
}
