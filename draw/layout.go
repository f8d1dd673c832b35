package draw

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// point is a place in the plane. Y grows downwards.
type point struct{ x, y float64 }

func (p point) plus(q point) point       { return point{p.x + q.x, p.y + q.y} }
func (p point) minus(q point) point      { return point{p.x - q.x, p.y - q.y} }
func (p point) times(f float64) point    { return point{p.x * f, p.y * f} }
func (p point) length() float64          { return math.Sqrt(p.x*p.x + p.y*p.y) }
func (p point) distance(q point) float64 { return p.minus(q).length() }

// Layout returns a place for each of n nodes, x and y, by the layout of pictures. Neighbours are about 90 units apart, dots at least 32; y grows
// downwards. An edge is the numbers of two nodes. The same arguments give the same places. There may be at most MostNodes nodes.
// When ctx ends, Layout returns its error.
func Layout(ctx context.Context, n int, edges [][2]int) ([][2]float64, error) {
	if n < 0 || n > MostNodes {
		return nil, fmt.Errorf("a picture has at most %d nodes, not %d", MostNodes, n)
	}
	for _, e := range edges {
		if min(e[0], e[1]) < 0 || max(e[0], e[1]) >= n {
			return nil, fmt.Errorf("an edge joins the nodes %d and %d, and there are %d nodes", e[0], e[1], n)
		}
	}
	at, err := layout(ctx, n, edges, spacing{unit: 90, dots: 32, wide: 72, high: 56, stretch: 1})
	if err != nil {
		return nil, err
	}
	out := make([][2]float64, n)
	for i, p := range at {
		out[i] = [2]float64{p.x, p.y}
	}
	return out, nil
}

// spacing says how far apart a layout puts things.
type spacing struct {
	unit    float64   // the length of an edge
	dots    float64   // the least distance of two dots
	wide    float64   // horizontal gap between parts
	high    float64   // vertical gap between parts
	stretch float64   // the factor by which the x axis is longer: text is wider than high
	room    []float64 // the least distance of each node from others, where that is more than dots; nil: none
}

// layout returns a place for each of n nodes. It lays out each connected part by stress and packs the parts in rows.
// The result depends on its arguments alone. When ctx ends, it returns the error of ctx.
func layout(ctx context.Context, n int, edges [][2]int, sp spacing) ([]point, error) {
	adj := adjacency(n, edges)
	at := make([]point, n)
	var boxes []box
	parts := components(adj)
	for _, part := range parts {
		if err := place(ctx, part, adj, at); err != nil {
			return nil, err
		}
		for _, v := range part {
			at[v] = at[v].times(sp.unit)
			at[v].x *= sp.stretch
		}
		if err := sp.spread(ctx, part, at); err != nil {
			return nil, err
		}
		boxes = append(boxes, around(part, at))
	}
	for i, shift := range pack(boxes, sp) {
		for _, v := range parts[i] {
			at[v] = at[v].plus(shift)
		}
	}
	return at, ctx.Err()
}

// adjacency returns the neighbours of each node, each once, without the node itself.
func adjacency(n int, edges [][2]int) [][]int {
	adj := make([][]int, n)
	for _, e := range edges {
		if e[0] != e[1] {
			adj[e[0]], adj[e[1]] = append(adj[e[0]], e[1]), append(adj[e[1]], e[0])
		}
	}
	for v := range adj {
		slices.Sort(adj[v])
		adj[v] = slices.Compact(adj[v])
	}
	return adj
}

// components returns the connected parts of a graph, each in the order of a breadth-first search.
func components(adj [][]int) (parts [][]int) {
	seen := make([]bool, len(adj))
	for v := range adj {
		if seen[v] {
			continue
		}
		seen[v] = true
		part := []int{v}
		for i := 0; i < len(part); i++ {
			for _, u := range adj[part[i]] {
				if !seen[u] {
					seen[u] = true
					part = append(part, u)
				}
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// place tries several starts for parts of at most largeTries nodes. Of those with a stress of at most lowStress times the least, it takes
// the one with the fewest faults.
const (
	largeTries = 60
	lowStress  = 1.15
)

// place lays out a connected part; the unit is the length of an edge.
func place(ctx context.Context, part []int, adj [][]int, at []point) error {
	s, err := newStress(ctx, part, adj)
	if err != nil {
		return err
	}
	tries := 1
	if len(part) <= largeTries {
		tries = 12
	}
	solutions := make([][]point, tries)
	stresses := make([]float64, tries)
	for seed := range solutions {
		if solutions[seed], err = s.solve(ctx, uint64(seed)); err != nil {
			return err
		}
		if tries > 1 {
			stresses[seed] = s.stress(solutions[seed])
		}
	}
	best := solutions[0]
	least, fewest := slices.Min(stresses), math.MaxInt
	for seed, p := range solutions {
		if tries == 1 || stresses[seed] > lowStress*least {
			continue
		}
		s.clearLines(p)
		if faults := s.faults(p); faults < fewest {
			best, fewest = p, faults
		}
	}
	upright(best, s.edges)
	for i, v := range part {
		at[v] = best[i]
	}
	return nil
}

// term is a pair of nodes with the distance that it should have, and a weight.
type term struct {
	i, j   int32
	wi, wj float64 // how strongly the pair moves i, and j
	d      float64
}

// stressModel lays out one connected part by stochastic gradient descent on stress: J. X. Zheng, S. Pawar and D. F. M. Goodman,
// "Graph Drawing by Stochastic Gradient Descent", IEEE TVCG 2018.
type stressModel struct {
	n     int
	edges [][2]int // each once
	terms []term
}

// allPairs is the largest part whose stress has a term for each pair. Larger parts have terms for edges and pivots.
const (
	allPairs = 1000
	pivots   = 100
)

func newStress(ctx context.Context, part []int, adj [][]int) (*stressModel, error) {
	s := &stressModel{n: len(part)}
	index := make(map[int]int, len(part))
	for i, v := range part {
		index[v] = i
	}
	local := make([][]int, len(part))
	for i, v := range part {
		for _, u := range adj[v] {
			j := index[u]
			local[i] = append(local[i], j)
			if j < i {
				s.edges = append(s.edges, [2]int{j, i})
			}
		}
	}
	if s.n > allPairs {
		return s, s.pivotTerms(ctx, local)
	}
	dist := make([]int, s.n)
	s.terms = make([]term, 0, s.n*(s.n-1)/2)
	for i := range local {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		distances(i, local, dist)
		for j := range i {
			d := float64(dist[j])
			s.terms = append(s.terms, term{int32(i), int32(j), 1 / (d * d), 1 / (d * d), d})
		}
	}
	return s, nil
}

// pivotTerms makes a term of each edge, and of each node with each pivot. A pivot stands for the nodes nearest to it, so it moves
// a node with the weight of those that are at most half as far from the pivot as the node is: M. Ortmann, M. Klimenta and
// U. Brandes, "A Sparse Stress Model", JGAA 2017.
func (s *stressModel) pivotTerms(ctx context.Context, adj [][]int) error {
	for _, e := range s.edges {
		s.terms = append(s.terms, term{int32(e[0]), int32(e[1]), 1, 1, 1})
	}
	nearest, owner := make([]int, s.n), make([]int, s.n)
	for i := range nearest {
		nearest[i] = math.MaxInt
	}
	var from [][]int
	for next := 0; len(from) < pivots; {
		if err := ctx.Err(); err != nil {
			return err
		}
		dist := make([]int, s.n)
		distances(next, adj, dist)
		for v, d := range dist {
			if d < nearest[v] {
				nearest[v], owner[v] = d, len(from)
			}
		}
		from = append(from, dist)
		next = 0
		for v, d := range nearest {
			if d > nearest[next] {
				next = v
			}
		}
	}
	for p, dist := range from {
		within := make([]float64, slices.Max(dist)+1) // nodes of the pivot's region by distance, summed up
		for v, o := range owner {
			if o == p {
				within[dist[v]]++
			}
		}
		for d := 1; d < len(within); d++ {
			within[d] += within[d-1]
		}
		pivot := slices.Index(dist, 0)
		for v, steps := range dist {
			if steps > 1 {
				d := float64(steps)
				s.terms = append(s.terms, term{int32(v), int32(pivot), within[steps/2] / (d * d), 0, d})
			}
		}
	}
	return nil
}

// distances sets dist to the numbers of edges from a node.
func distances(from int, adj [][]int, dist []int) {
	for i := range dist {
		dist[i] = -1
	}
	dist[from] = 0
	queue := make([]int, 1, len(adj))
	queue[0] = from
	for i := 0; i < len(queue); i++ {
		for _, u := range adj[queue[i]] {
			if dist[u] < 0 {
				dist[u] = dist[queue[i]] + 1
				queue = append(queue, u)
			}
		}
	}
}

// rounds is how often solve visits all terms.
const rounds = 40

// solve returns places of low stress. It moves the nodes of one pair at a time, in random order, by steps that get smaller.
func (s *stressModel) solve(ctx context.Context, seed uint64) ([]point, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(s.n)))
	at := make([]point, s.n)
	for i := range at {
		at[i] = point{rng.Float64(), rng.Float64()}
	}
	if len(s.terms) == 0 {
		return at, nil
	}
	least, most := math.Inf(1), 0.0
	for _, t := range s.terms {
		least, most = min(least, t.wi), max(most, t.wi)
	}
	from, to := 1/least, 0.05/most
	terms := slices.Clone(s.terms)
	blocks := [][]term{terms}
	for r := range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		eta := from * math.Pow(to/from, float64(r)/(rounds-1))
		if r == 0 || s.n <= allPairs {
			shuffle(rng, terms)
		} else if r == 1 {
			blocks = slices.Collect(slices.Chunk(terms, blockLen))
		}
		shuffle(rng, blocks)
		for _, block := range blocks {
			move(at, block, eta)
		}
	}
	return at, nil
}

// blockLen is how many terms of a large part keep their order after the first round: to shuffle all took as long as to use them.
const blockLen = 64

// shuffle puts a list in random order.
func shuffle[T any](rng *rand.Rand, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := int(rng.Uint64() >> 32 * uint64(i+1) >> 32)
		list[i], list[j] = list[j], list[i]
	}
}

// move moves the nodes of each pair towards their distance, by steps of at most eta times the pair's weight.
func move(at []point, terms []term, eta float64) {
	for k := range terms {
		t := &terms[k]
		a, b := &at[t.i], &at[t.j]
		dx, dy := a.x-b.x, a.y-b.y
		l := max(math.Sqrt(float64(dx*dx)+float64(dy*dy)), 1e-9)
		m := (l - t.d) / 2 / l
		mi, mj := min(1, eta*t.wi)*m, min(1, eta*t.wj)*m
		a.x -= float64(mi * dx)
		a.y -= float64(mi * dy)
		b.x += float64(mj * dx)
		b.y += float64(mj * dy)
	}
}

// stress returns the stress of a layout.
func (s *stressModel) stress(at []point) (sum float64) {
	for _, t := range s.terms {
		d := at[t.i].distance(at[t.j]) - t.d
		sum += t.wi * d * d
	}
	return sum
}

// nearLine is how near a node may be to the line of an edge that is not its own.
const nearLine = 0.18

// faults counts the pairs of edges that cross, and twice the nodes that an edge passes closely.
func (s *stressModel) faults(at []point) (n int) {
	for i, e := range s.edges {
		for _, f := range s.edges[:i] {
			if e[0] != f[0] && e[0] != f[1] && e[1] != f[0] && e[1] != f[1] && cross(at[e[0]], at[e[1]], at[f[0]], at[f[1]]) {
				n++
			}
		}
		for v, p := range at {
			if v != e[0] && v != e[1] && offSegment(at[e[0]], at[e[1]], p) < nearLine {
				n += 2
			}
		}
	}
	return n
}

// clearLines moves nodes off the lines of edges that are not their own.
func (s *stressModel) clearLines(at []point) {
	for range 24 {
		for _, e := range s.edges {
			a, b := &at[e[0]], &at[e[1]]
			for v := range at {
				p := &at[v]
				if v == e[0] || v == e[1] {
					continue
				}
				off := offSegment(*a, *b, *p)
				if off >= nearLine*1.7 || off < 1e-9 {
					continue
				}
				d := b.minus(*a)
				t := p.minus(*a)
				if along := float64(t.x*d.x) + float64(t.y*d.y); along < 0 || along > float64(d.x*d.x)+float64(d.y*d.y) {
					continue
				}
				normal := point{-d.y, d.x}.times(0.25 * (nearLine*1.7 - off) / max(d.length(), 1e-9))
				if !side(*a, *b, *p) {
					normal = normal.times(-1)
				}
				*p = p.plus(normal)
				*a, *b = a.minus(normal.times(0.5)), b.minus(normal.times(0.5))
			}
		}
	}
}

// offSegment returns the distance of p from the segment ab.
func offSegment(a, b, p point) float64 {
	d := b.minus(a)
	t := (float64((p.x-a.x)*d.x) + float64((p.y-a.y)*d.y)) / max(float64(d.x*d.x)+float64(d.y*d.y), 1e-12)
	return p.distance(a.plus(d.times(min(1, max(0, t)))))
}

// cross reports whether the segments ab and cd cross.
func cross(a, b, c, d point) bool {
	return side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
}

func side(a, b, c point) bool { return (b.x-a.x)*(c.y-a.y) > (b.y-a.y)*(c.x-a.x) }

// upright turns a layout so that it is wide rather than high. A layout without a long axis gets its first edge at the bottom.
func upright(at []point, edges [][2]int) {
	var centre point
	for _, p := range at {
		centre = centre.plus(p.times(1 / float64(len(at))))
	}
	var xx, yy, xy float64
	for _, p := range at {
		q := p.minus(centre)
		xx, yy, xy = xx+q.x*q.x, yy+q.y*q.y, xy+q.x*q.y
	}
	angle := math.Atan2(2*xy, xx-yy) / 2
	if long := math.Hypot(2*xy, xx-yy); len(edges) > 0 && long < 0.2*(xx+yy) {
		a, b := at[edges[0][0]], at[edges[0][1]]
		angle = math.Atan2(b.y-a.y, b.x-a.x)
		if side(a, b, centre) {
			angle += math.Pi
		}
	}
	sin, cos := math.Sincos(-angle)
	for i, p := range at {
		q := p.minus(centre)
		at[i] = point{q.x*cos - q.y*sin, q.x*sin + q.y*cos}
	}
}
