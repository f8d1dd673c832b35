package draw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// randomGraph makes rows of a graph of n nodes in one of several shapes.
func randomGraph(shape string, n int) *collector {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	c := newCollector(Options{MaxNodes: MostNodes})
	words := []string{"Ann", "Bartholomew van der Meer", "Li", "Deccan Aviation", "x", "Grand Central Station of the North", "东京都", "Юрий Гагарин"}
	nodeOf := func(i int) motif.Node {
		return motif.Node{ID: uint64(i), Labels: []string{[]string{"Person", "Company", "City"}[i%3]}, Props: map[string]any{"name": fmt.Sprint(words[i%len(words)], " ", i)}}
	}
	relate := func(a, b int) {
		r := motif.Relationship{ID: uint64(len(c.edges)), Type: []string{"KNOWS", "LIKES"}[(a+b)%2], Start: uint64(a), End: uint64(b), Props: map[string]any{}}
		c.row([]any{nodeOf(a), r, nodeOf(b)})
	}
	for i := range n {
		c.row([]any{nodeOf(i)})
		switch shape {
		case "path":
			relate(i, (i+1)%n)
		case "star":
			relate(0, i)
		case "hubs":
			relate(i%4, i)
		case "tree":
			relate(i/2, i)
		case "random":
			relate(i, rng.IntN(n))
			relate(rng.IntN(n), rng.IntN(n))
		case "parts":
			relate(i, i-i%5)
			relate(i-i%5, i)
		case "clique":
			for j := range min(i, 30) {
				relate(i, j)
			}
		case "grid":
			side := int(math.Sqrt(float64(n)))
			relate(i, (i+1)%n)
			relate(i, (i+side)%n)
		}
	}
	return c
}

var randomShapes = []string{"dots", "path", "star", "hubs", "tree", "random", "parts", "clique", "grid"}

// TestLaws draws graphs of many shapes. No two captions overlap, no caption covers a dot, and there is at least a radius between two dots.
// Everything lies in the picture, and the same graph gives the same bytes.
func TestLaws(t *testing.T) {
	for _, n := range []int{1, 2, 10, 60, 300, 1100} {
		for _, shape := range randomShapes {
			if n == 1100 && shape != "random" {
				continue
			}
			t.Run(fmt.Sprint(shape, n), func(t *testing.T) {
				var first []byte
				for range 2 {
					c := randomGraph(shape, n)
					c.group()
					net, err := drawNetwork(t.Context(), &c.graph)
					if err != nil {
						t.Fatal(err)
					}
					checkLaws(t, net)
					p := &Picture{}
					if err := p.drawGraph(t.Context(), &randomGraph(shape, n).graph); err != nil {
						t.Fatal(err)
					}
					b := p.scene.bounds()
					if b.x0 < 0 || b.y0 < 0 || b.x1 > p.scene.width || b.y1 > p.scene.height {
						t.Errorf("the shapes lie in %v, the picture is %v by %v", b, p.scene.width, p.scene.height)
					}
					var out bytes.Buffer
					if err := p.SVG(&out); err != nil {
						t.Fatal(err)
					}
					if first == nil {
						first = out.Bytes()
					} else if !bytes.Equal(first, out.Bytes()) {
						t.Error("the same graph gives another picture")
					}
					if n > 300 {
						break
					}
				}
			})
		}
	}
}

func checkLaws(t *testing.T, n *network) {
	t.Helper()
	for i, p := range n.at {
		if math.IsNaN(p.x) || math.IsNaN(p.y) || math.IsInf(p.x, 0) || math.IsInf(p.y, 0) {
			t.Fatalf("dot %d is at %v", i, p)
		}
		for j, q := range n.at[:i] {
			if d := p.distance(q); d < 3*n.radius {
				t.Fatalf("dots %d and %d are %.1f apart; their radius is %.1f", i, j, d, n.radius)
			}
		}
	}
	var texts []box
	for _, s := range n.scene.shapes {
		if s.kind == text && s.role == captionRole {
			texts = append(texts, s.textBox())
		}
	}
	if len(n.nodes) <= 10 && n.unnamed > 0 {
		t.Errorf("%d of %d nodes have no name", n.unnamed, len(n.nodes))
	}
	for i, b := range texts {
		b = b.grown(-1.2) // lines of one caption may touch
		for _, c := range texts[:i] {
			if b.overlaps(c.grown(-1.2)) {
				t.Errorf("two captions overlap: %v and %v", b, c)
			}
		}
		for _, p := range n.at {
			near := point{min(max(p.x, b.x0), b.x1), min(max(p.y, b.y0), b.y1)}
			if near.distance(p) < n.radius {
				t.Errorf("caption %v covers the dot at %v", b, p)
			}
		}
	}
}

// TestCancelled ends the context of a layout at its beginning and in its middle.
func TestCancelled(t *testing.T) {
	var edges [][2]int
	for i := range MostNodes {
		edges = append(edges, [2]int{i, (i + 1) % MostNodes}, [2]int{i, (i*7 + 3) % MostNodes})
	}
	for _, wait := range []time.Duration{0, 20 * time.Millisecond} {
		ctx, stop := context.WithTimeout(t.Context(), wait)
		defer stop()
		began := time.Now()
		if _, err := Layout(ctx, MostNodes, edges); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a layout of %d nodes with %v of time gives %v", MostNodes, wait, err)
		}
		if d := time.Since(began); d > 5*time.Second { // 10 times what one step may take
			t.Errorf("a layout that is to end after %v takes %v", wait, d)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := new(Picture).drawGraph(ctx, &randomGraph("random", 60).graph); !errors.Is(err, context.Canceled) {
		t.Errorf("a picture that nobody waits for gives %v", err)
	}
}

// BenchmarkSVG draws 300 nodes of each shape. The clique has 8,535 relationships.
func BenchmarkSVG(b *testing.B) {
	for _, shape := range randomShapes {
		b.Run(shape, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				g := randomGraph(shape, 300)
				b.StartTimer()
				p := &Picture{}
				err := p.drawGraph(b.Context(), &g.graph)
				if err == nil {
					err = p.SVG(new(bytes.Buffer))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
