package enginetest

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif"
)

// simple lists the costs of all paths between two nodes that have no node twice.
func (n *toyNetwork) simple(from, to int, seen uint64) (costs []float64) {
	if from == to {
		return []float64{0}
	}
	for next, length := range n.length[from] {
		if !math.IsInf(length, 1) && seen>>next&1 == 0 {
			for _, c := range n.simple(next, to, seen|1<<next) {
				costs = append(costs, length+c)
			}
		}
	}
	return costs
}

// pathCosts asks for paths and adds up their lengths.
func (n *toyNetwork) pathCosts(t *testing.T, db *motif.DB, query string, from, to int) (costs []float64, wrong string) {
	t.Helper()
	seen := map[string]bool{}
	for _, row := range allRows(t, db, query, n.g.workers) {
		p, sum := row[0].(motif.Path), 0.0
		var nodes []int
		for i, x := range p.Nodes {
			nodes = append(nodes, n.g.node(int64(x.ID)))
			if i > 0 {
				sum += n.length[nodes[i-1]][nodes[i]]
			}
		}
		if key := fmt.Sprint(nodes); seen[key] || sum != row[1].(float64) || nodes[0] != from || nodes[len(nodes)-1] != to {
			return nil, fmt.Sprintf("the path %s of cost %v comes twice, or costs %v", key, row[1], sum)
		}
		seen[fmt.Sprint(nodes)] = true
		if wrong := n.g.walks(n.toyOptions, p, 1<<from, 1<<to, len(nodes)-1); wrong != "" {
			return nil, wrong
		}
		costs = append(costs, sum)
	}
	return costs, ""
}

func checkKShortestPaths(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "OUT", "IN", "BOTH")
	from, to, k := r.IntN(len(g.ids)), r.IntN(len(g.ids)), 1+r.IntN(6)
	var want []float64
	if (n.within>>from)&(n.within>>to)&1 == 1 {
		want = n.simple(from, to, 1<<from)
	}
	slices.Sort(want)
	query = n.call("kShortestPaths", fmt.Sprint(g.ids[from]), fmt.Sprint(g.ids[to]), fmt.Sprint("k: ", k))
	got, wrong := n.pathCosts(t, db, query, from, to)
	if want = want[:min(k, len(want))]; wrong == "" && !slices.Equal(got, want) {
		wrong = fmt.Sprintf("the costs are %v, want %v", got, want)
	}
	return query, wrong
}

// checkAStar gives every node a random estimate: the path is as short whatever it is.
func checkAStar(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	if _, err := db.Exec(t.Context(), "MATCH (n) SET n.left = $k * id(n) % 7", motif.Params{"k": r.IntN(5)}); err != nil {
		t.Fatal(err)
	}
	n := g.network(r, w, "OUT", "IN", "BOTH")
	from, to := r.IntN(len(g.ids)), r.IntN(len(g.ids))
	var want []float64
	if d := n.distances()[from][to]; !math.IsInf(d, 1) && (n.within>>from)&(n.within>>to)&1 == 1 {
		want = []float64{d}
	}
	query = n.call("aStar", fmt.Sprint(g.ids[from]), fmt.Sprint(g.ids[to]), "estimate: 'left'")
	got, wrong := n.pathCosts(t, db, query, from, to)
	if wrong == "" && !slices.Equal(got, want) {
		wrong = fmt.Sprintf("the costs are %v, want %v", got, want)
	}
	return query, wrong
}

func checkCloseness(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "OUT", "IN", "BOTH")
	d, want, others := n.distances(), make([]float64, len(g.ids)), float64(len(n.nodes)-1)
	variant := []string{"wasserman-faust", "classic", "harmonic"}[r.IntN(3)]
	for _, v := range n.nodes {
		reached, sum, inverse := 0.0, 0.0, 0.0
		for _, u := range n.nodes {
			if u != v && !math.IsInf(d[v][u], 1) {
				reached, sum, inverse = reached+1, sum+d[v][u], inverse+1/d[v][u]
			}
		}
		if reached > 0 {
			want[v] = map[string]float64{"wasserman-faust": reached / sum * reached / others, "classic": reached / sum, "harmonic": inverse / others}[variant]
		}
	}
	query = n.call("closeness", "variant: '"+variant+"'")
	return query, n.scores(t, db, query, want, 1e-12)
}

func checkBetweenness(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "OUT", "IN", "BOTH")
	d, paths := n.distances(), n.shortest()
	sources, text := g.some(r, 3)
	var own []string
	scale := 1.0
	if n.direction == "BOTH" {
		scale = 0.5
	}
	if r.IntN(2) == 0 || sources&^n.within != 0 {
		sources = n.within
	} else {
		own, scale = append(own, "sources: "+text), 1
	}
	if len(own) == 0 && len(n.nodes) > 2 && r.IntN(2) == 0 {
		own, scale = append(own, "normalize: true"), 1/float64((len(n.nodes)-1)*(len(n.nodes)-2))
	}
	want := make([]float64, len(g.ids))
	for _, s := range n.nodes {
		for _, e := range n.nodes {
			for _, v := range n.nodes {
				if sources>>s&1 == 1 && s != e && v != s && v != e && paths[s][e] > 0 && d[s][v]+d[v][e] == d[s][e] {
					want[v] += scale * paths[s][v] * paths[v][e] / paths[s][e]
				}
			}
		}
	}
	query = n.call("betweenness", own...)
	return query, n.scores(t, db, query, want, 1e-9)
}

// shortest counts the shortest paths between each two nodes: those to a node go through one that is as much nearer as their
// relationship is long.
func (n *toyNetwork) shortest() [][]float64 {
	d, counts := n.distances(), make([][]float64, len(n.g.ids))
	for s := range counts {
		counts[s] = make([]float64, len(n.g.ids))
		counts[s][s] = 1
		byDistance := slices.Clone(n.nodes)
		slices.SortFunc(byDistance, func(a, b int) int { return int(min(d[s][a], 1e6)) - int(min(d[s][b], 1e6)) })
		for _, v := range byDistance {
			for u, length := range n.length[v] {
				if !math.IsInf(length, 1) && !math.IsInf(d[s][v], 1) && d[s][v]+length == d[s][u] {
					counts[s][u] += counts[s][v]
				}
			}
		}
	}
	return counts
}

// communities asks for communities and checks that each is named by its smallest id.
func (n *toyNetwork) communities(t *testing.T, db *motif.DB, query string) (of []int64, last []any, wrong string) {
	t.Helper()
	of = slices.Repeat([]int64{-1}, len(n.g.ids))
	least := map[int64]int64{}
	for _, row := range allRows(t, db, query, n.g.workers) {
		id, community := int64(row[0].(motif.Node).ID), row[1].(int64)
		of[n.g.node(id)] = community
		if x, ok := least[community]; !ok || id < x {
			least[community] = id
		}
		last = row
	}
	for community, id := range least {
		if community != id {
			return nil, nil, fmt.Sprintf("the smallest id of community %d is %d", community, id)
		}
	}
	for v, c := range of {
		if (c < 0) != (n.within>>v&1 == 0) {
			return nil, nil, fmt.Sprintf("node %d has the community %d", n.g.ids[v], c)
		}
	}
	return of, last, ""
}

// checkLabelPropagation: no other community weighs more among the neighbours of a node than its own.
func checkLabelPropagation(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "BOTH")
	query = n.call("labelPropagation", fmt.Sprint("seed: ", r.IntN(5)))
	of, _, wrong := n.communities(t, db, query)
	for v := range of {
		sums := map[int64]float64{}
		for u, weight := range n.weight[v] {
			sums[of[u]] += weight
		}
		for c, sum := range sums {
			if sum > sums[of[v]] {
				return query, fmt.Sprintf("among the neighbours of %d, %d weighs %v and its own %d only %v", g.ids[v], c, sum, of[v], sums[of[v]])
			}
		}
	}
	return query, wrong
}

// modularity is that of a division, from its definition.
func (n *toyNetwork) modularity(of []int64, resolution float64) (q float64) {
	sums, all := n.sums(), 0.0
	for _, s := range sums {
		all += s
	}
	if all == 0 {
		return 0
	}
	for v := range of {
		for u := range of {
			if of[v] == of[u] && of[v] >= 0 {
				q += (n.weight[v][u] - resolution*sums[v]*sums[u]/all) / all
			}
		}
	}
	return q
}

// checkLouvain: the modularity is that of the communities, and no move of one node to another community raises it.
func checkLouvain(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "BOTH")
	resolution := []float64{0.5, 1, 2}[r.IntN(3)]
	query = n.call("louvain", fmt.Sprint("seed: ", r.IntN(5)), fmt.Sprint("resolution: ", resolution))
	of, last, wrong := n.communities(t, db, query)
	if wrong != "" || len(n.nodes) == 0 {
		return query, wrong
	}
	q := n.modularity(of, resolution)
	if math.Abs(q-last[2].(float64)) > 1e-9 {
		return query, fmt.Sprintf("the modularity is %v, not %v", q, last[2])
	}
	for v, own := range of {
		for _, other := range append(slices.Clone(of), 1<<40) {
			of[v] = other
			if moved := n.modularity(of, resolution); own >= 0 && other >= 0 && moved > q+1e-9 {
				return query, fmt.Sprintf("%d in community %d has the modularity %v, not %v", g.ids[v], other, moved, q)
			}
		}
		of[v] = own
	}
	return query, ""
}

func checkNodeSimilarity(t *testing.T, db *motif.DB, g *toyGraph, _ map[int64]float64, r *rand.Rand) (query, wrong string) {
	o := g.draw(r, "OUT", "IN", "BOTH")
	metric, cutoff, top := []string{"jaccard", "overlap", "cosine"}[r.IntN(3)], float64(r.IntN(4))/5, 1+r.IntN(4)
	adj := g.rows(o)
	var want []string
	for v := range g.ids {
		type found struct {
			id    int64
			value float64
		}
		var list []found
		for u := range g.ids {
			common, a, b := bits.OnesCount64(adj[v]&adj[u]), bits.OnesCount64(adj[v]), bits.OnesCount64(adj[u])
			if u != v && common > 0 {
				by := map[string]float64{"jaccard": float64(a + b - common), "overlap": float64(min(a, b)), "cosine": math.Sqrt(float64(a * b))}[metric]
				if value := float64(common) / by; value >= cutoff {
					list = append(list, found{g.ids[u], value})
				}
			}
		}
		slices.SortStableFunc(list, func(a, b found) int {
			switch {
			case a.value > b.value+1e-12:
				return -1
			case a.value < b.value-1e-12:
				return 1
			}
			return int(a.id - b.id)
		})
		for _, f := range list[:min(top, len(list))] {
			want = append(want, fmt.Sprintf("%d %d %.12f", g.ids[v], f.id, f.value))
		}
	}
	query = o.call("nodeSimilarity", "metric: '"+metric+"'", fmt.Sprint("cutoff: ", cutoff), fmt.Sprint("topK: ", top))
	var got []string
	for _, row := range allRows(t, db, query, g.workers) {
		got = append(got, fmt.Sprintf("%d %d %.12f", row[0].(motif.Node).ID, row[1].(motif.Node).ID, row[2]))
	}
	return query, differ(got, want)
}

func checkClustering(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := &toyNetwork{toyOptions: g.draw(r, "BOTH", "MUTUAL"), g: g}
	adj, want := g.rows(n.toyOptions), make([]float64, len(g.ids))
	for v, row := range adj {
		if n.within>>v&1 == 1 {
			n.nodes = append(n.nodes, v)
		}
		joined, degree := 0, bits.OnesCount64(row)
		for u := range adj {
			if row>>u&1 == 1 {
				joined += bits.OnesCount64(row & adj[u])
			}
		}
		if degree > 1 {
			want[v] = float64(joined) / float64(degree*(degree-1))
		}
	}
	query = n.call("clusteringCoefficient")
	return query, n.scores(t, db, query, want, 1e-12)
}

// threes counts the induced paths and triangles of three nodes: by end, middle and corner.
func (g *toyGraph) threes(o *toyOptions) (ends, middles, corners []int64) {
	adj := g.rows(o)
	ends, middles, corners = make([]int64, len(adj)), make([]int64, len(adj)), make([]int64, len(adj))
	for m, row := range adj {
		for a := range adj {
			for b := range a {
				switch {
				case row>>a&1 == 0 || row>>b&1 == 0:
				case adj[a]>>b&1 == 1:
					corners[m]++
				default:
					ends[a]++
					ends[b]++
					middles[m]++
				}
			}
		}
	}
	return ends, middles, corners
}

func checkMotifs(t *testing.T, db *motif.DB, g *toyGraph, _ map[int64]float64, r *rand.Rand) (query, wrong string) {
	o := g.draw(r, "BOTH", "MUTUAL")
	_, middles, corners := g.threes(o)
	paths, triangles := int64(0), int64(0)
	for v := range middles {
		paths, triangles = paths+middles[v], triangles+corners[v]
	}
	triangles /= 3
	induced := r.IntN(2) == 0
	if !induced {
		paths += 3 * triangles
	}
	query = o.call("motifs", "size: 3", fmt.Sprint("induced: ", induced)) + " YIELD motif, count"
	return query, differ(lines(allRows(t, db, query, g.workers)), []string{fmt.Sprint("path-3 ", paths), fmt.Sprint("triangle ", triangles)})
}

func checkOrbits(t *testing.T, db *motif.DB, g *toyGraph, _ map[int64]float64, r *rand.Rand) (query, wrong string) {
	o := g.draw(r, "BOTH", "MUTUAL")
	ends, middles, corners := g.threes(o)
	adj := g.rows(o)
	var got, want []string
	for v, id := range g.ids {
		if o.within>>v&1 == 1 {
			want = append(want, fmt.Sprint(id, []int64{int64(bits.OnesCount64(adj[v])), ends[v], middles[v], corners[v]}))
		}
	}
	query = o.call("orbits", "size: 3")
	for _, row := range allRows(t, db, query, g.workers) {
		got = append(got, fmt.Sprint(int64(row[0].(motif.Node).ID), row[1]))
	}
	return query, differ(got, want)
}
