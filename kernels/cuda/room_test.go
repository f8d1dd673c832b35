//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/hom"
	"github.com/motifql/motif/kernels/triangle"
	"github.com/motifql/motif/kernels/truss"
)

// request is something to ask of the device, and of the CPU; both give their answer as text.
type request struct {
	name    string
	on, cpu func(e *pattern.Env) (any, error)
}

// requests are all kinds there are, on one graph.
func requests(t *testing.T, d *Device, s *csr.Snapshot) []request {
	t.Helper()
	list := []request{{"triangles by vertex",
		func(e *pattern.Env) (any, error) {
			n, by, err := d.Triangles(background, s, nil, true, e)
			return fmt.Sprint(n, by), err
		},
		func(e *pattern.Env) (any, error) {
			n, by, err := triangle.Count(background, s, nil, true, e)
			return fmt.Sprint(n, by), err
		}}}
	for k := 3; k <= 6; k++ {
		c := (&pattern.Subgraph{}).Clique(k)
		list = append(list, request{fmt.Sprintf("%d-cliques", k),
			func(e *pattern.Env) (any, error) { return d.CountCliques(background, s, c, e) },
			func(e *pattern.Env) (any, error) { return clique.Count(background, s, c, e) }})
	}
	for _, v := range []pattern.CoreVariant{pattern.CorePark, pattern.CoreRL, pattern.CoreES} {
		list = append(list, request{"cores by " + v.String(),
			func(e *pattern.Env) (any, error) {
				c, err := d.Cores(background, s, &pattern.CoreRequest{Direction: csr.Both, Variant: v}, e)
				return coresOf(c), err
			}, func(e *pattern.Env) (any, error) {
				c, err := core.Decompose(background, s, &pattern.CoreRequest{Direction: csr.Both}, e)
				return coresOf(c), err
			}})
	}
	for _, k := range []uint32{0, 4, pattern.KMax} {
		trusses := func(c *pattern.Trusses, err error) (any, error) {
			if err != nil {
				return nil, err
			}
			return fmt.Sprint(edgesOf(c)), nil
		}
		list = append(list, request{fmt.Sprintf("trusses %d", k),
			func(e *pattern.Env) (any, error) {
				return trusses(d.Trusses(background, s, &pattern.TrussRequest{K: k}, e))
			},
			func(e *pattern.Env) (any, error) {
				return trusses(truss.Decompose(background, s, &pattern.TrussRequest{K: k}, e))
			}})
	}
	for _, v := range []pattern.Variant{pattern.Auto, pattern.Push, pattern.Pull, pattern.EdgeCentric} {
		q := &pattern.Traversal{Sources: []csr.VertexID{0}, Direction: csr.Both, MaxDepth: -1, Variant: v}
		levels := func(l *pattern.Levels, err error) (any, error) {
			if err != nil {
				return nil, err
			}
			return fmt.Sprint(l.Depth), nil
		}
		list = append(list, request{"breadth-first search " + v.String(),
			func(e *pattern.Env) (any, error) { return levels(d.BFS(background, s, q, e)) },
			func(e *pattern.Env) (any, error) { return levels(bfs.Search(background, s, q, e)) }})
	}
	return append(append(list, homsRequest(d, s)), patternRequests(t, d, s)...)
}

// homsRequest counts closed walks of five steps.
func homsRequest(d *Device, s *csr.Snapshot) request {
	h := hom.NewCounter(s)
	some := h.AddSet(pattern.NewCandidateSet(s.N(), []csr.VertexID{1, 2, 3, 5, 8, 13, 21, 34}))
	all := h.AddSet(nil)
	g := hom.Graph{Sets: []int{some, all, some, all, some}}
	for v := range 5 {
		g.Factors = append(g.Factors, pattern.Factor{From: v, To: (v + 1) % 5, Undirected: true})
	}
	h.Add(g)
	return request{"formula", func(e *pattern.Env) (any, error) { return d.CountHoms(background, s, h, e) },
		func(e *pattern.Env) (any, error) { return h.Count(background, e) }}
}

func coresOf(c *pattern.Cores) any {
	if c == nil {
		return nil
	}
	return fmt.Sprint(c.Core)
}

// patternRequests filter and count the matches of a path of four vertices.
func patternRequests(t *testing.T, d *Device, s *csr.Snapshot) []request {
	t.Helper()
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 4), Scopes: []pattern.Scope{{Vertices: []int{0, 1, 2, 3}, Edges: []int{0, 1, 2}, Order: []int{0, ^0, 1, ^1, 2, ^2, 3}}}}
	for i := range 3 {
		p.Edges = append(p.Edges, pattern.Edge{From: i, To: i + 1, Undirected: true})
	}
	candidates, err := filter.Run(background, s, p, env())
	if err != nil {
		t.Fatal(err)
	}
	j := &pattern.Job{Snapshot: s, Pattern: p, Candidates: candidates}
	j.Order = plannedOrder(j)
	text := func(c *pattern.Candidates, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return c.String(), nil
	}
	return []request{
		{"filter", func(e *pattern.Env) (any, error) { return text(d.Filter(background, s, p, e)) },
			func(e *pattern.Env) (any, error) { return text(filter.Run(background, s, p, e)) }},
		{"join", func(e *pattern.Env) (any, error) { return d.Count(background, j, e) },
			func(e *pattern.Env) (any, error) { return join.Count(background, j, e) }},
	}
}

// However little memory a device has, a request is answered right or left to the CPU for that reason, and nothing but graphs stays.
func TestLittleMemory(t *testing.T) {
	d, r := device(t), seeds(t)
	if r.IntN(2) == 0 {
		orientAll(t)
	}
	s := testgraph.Graph(80, testgraph.RMAT(6, 5, r.Uint64()), true)
	base := d.memory.used // of the device itself
	held := func() (n int64) {
		for _, g := range d.memory.graphs {
			for _, b := range g.buffers {
				n += b.bytes
			}
		}
		return n
	}
	d.memory.fixed = true
	for _, q := range requests(t, d, s) {
		want, err := q.cpu(env())
		if err != nil {
			t.Fatal(q.name, err)
		}
		answered, declined := 0, 0
		for room := int64(1 << 20); room > 0; room = room * int64(2+r.IntN(50)) / 100 {
			d.memory.limit = base + room
			if err := d.Evict(); err != nil {
				t.Fatal(err)
			}
			got, err := q.on(env())
			switch {
			case errors.Is(err, ErrDeclined):
				if declined++; !strings.Contains(err.Error(), errNoRoom.Error()) {
					t.Errorf("%s with %d bytes: %v", q.name, room, err)
				}
			case err != nil || fmt.Sprint(got) != fmt.Sprint(want):
				t.Fatalf("%s with %d bytes: %v, %v; want %v", q.name, room, got, err, want)
			default:
				answered++
			}
			if d.memory.used != base+held() {
				t.Fatalf("%s with %d bytes: %d bytes are used, %d by the device and %d by graphs that stay", q.name, room, d.memory.used, base, held())
			}
		}
		if answered == 0 || declined == 0 {
			t.Errorf("%s was answered %d times and declined %d times", q.name, answered, declined)
		}
	}
}

// Buffers that requests have left are used again, and given back where their room is needed.
func TestSpare(t *testing.T) {
	d := device(t)
	defer func(from int64) { poolFrom = from }(poolFrom)
	poolFrom = 1 << 10
	err := d.do(func() error {
		m := &d.memory
		m.pool.drain(m)
		m.fixed, m.limit = true, m.used+1<<17
		a, err := m.alloc(5000)
		if err != nil {
			return err
		}
		used := m.used
		m.free(a)
		b, err := m.alloc(4800)
		if err != nil || b != a || m.used != used || m.pool.bytes != 0 {
			t.Errorf("%v, after %v was left: %v; %d bytes are used, %d spare", b, a, err, m.used, m.pool.bytes)
		}
		c, err := m.alloc(2000) // too small for the one that comes
		if err != nil {
			return err
		}
		m.free(b)
		m.free(c)
		if m.pool.bytes != b.bytes+c.bytes {
			t.Errorf("%d bytes are spare, not %d", m.pool.bytes, b.bytes+c.bytes)
		}
		large, err := m.alloc(m.limit - m.used - 1000)
		if err != nil || m.pool.bytes != 0 {
			t.Errorf("all that is left: %v, %d bytes spare", err, m.pool.bytes)
		}
		m.free(large)
		m.pool.drain(m)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
