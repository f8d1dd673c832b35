package enginetest

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// toyNetwork is what a call with weights sees of a toy graph, as matrices over all its nodes. Nodes that the options leave out have no
// relationships.
type toyNetwork struct {
	*toyOptions
	g      *toyGraph
	nodes  []int       // that the options leave
	weight [][]float64 // from row to column: the sum of parallel relationships
	length [][]float64 // the least of them, infinite where there is none
}

// network draws the options of a call that reads weights. The weights are small integers, so that sums of them are exact.
func (g *toyGraph) network(r *rand.Rand, weights map[int64]float64, directions ...string) *toyNetwork {
	n := &toyNetwork{toyOptions: g.draw(r, directions...), g: g}
	if len(directions) == 1 { // there is no such option
		n.text = slices.DeleteFunc(n.text, func(s string) bool { return strings.HasPrefix(s, "direction:") })
	}
	weighted, missing := r.IntN(2) == 0, float64(1+r.IntN(3))
	if weighted {
		n.text = append(n.text, "weight: 'w'", fmt.Sprint("defaultWeight: ", missing))
	}
	for v := range g.ids {
		if n.within>>v&1 == 1 {
			n.nodes = append(n.nodes, v)
		}
		n.weight = append(n.weight, make([]float64, len(g.ids)))
		n.length = append(n.length, slices.Repeat([]float64{math.Inf(1)}, len(g.ids)))
	}
	join := func(from, to int, w float64) {
		n.weight[from][to] += w
		n.length[from][to] = min(n.length[from][to], w)
		if !weighted {
			n.weight[from][to] = 1
		}
	}
	for _, e := range g.rels {
		if e.from == e.to || n.types != nil && !slices.Contains(n.types, e.typ) || (n.within>>e.from)&(n.within>>e.to)&1 == 0 {
			continue
		}
		w := 1.0
		if weighted {
			w = missing
			if given, ok := weights[e.id]; ok {
				w = given
			}
		}
		if n.direction != "IN" {
			join(e.from, e.to, w)
		}
		if n.direction != "OUT" {
			join(e.to, e.from, w)
		}
	}
	return n
}

// distances has the length of the shortest path between each two nodes, by Floyd and Warshall.
func (n *toyNetwork) distances() [][]float64 {
	d := make([][]float64, len(n.g.ids))
	for v := range d {
		d[v] = slices.Clone(n.length[v])
		d[v][v] = 0
	}
	for m := range d {
		for v := range d {
			for w := range d {
				d[v][w] = min(d[v][w], d[v][m]+d[m][w])
			}
		}
	}
	return d
}

// sums has the sum of the weights of each row.
func (n *toyNetwork) sums() []float64 {
	s := make([]float64, len(n.weight))
	for v, row := range n.weight {
		for _, w := range row {
			s[v] += w
		}
	}
	return s
}

// scores compares the rows of a call, a node and a number, with what each node should have.
func (n *toyNetwork) scores(t *testing.T, db *motif.DB, query string, want []float64, within float64) string {
	t.Helper()
	got := map[int]float64{}
	for _, row := range allRows(t, db, query, n.g.workers) {
		got[n.g.node(int64(row[0].(motif.Node).ID))] = number(row[1])
	}
	if len(got) != len(n.nodes) {
		return fmt.Sprintf("gave %d nodes, want %d", len(got), len(n.nodes))
	}
	for _, v := range n.nodes {
		if x, ok := got[v]; !ok || math.Abs(x-want[v]) > within*max(1, math.Abs(want[v])) {
			return fmt.Sprintf("node %d has %v, want %v", n.g.ids[v], x, want[v])
		}
	}
	return ""
}

// weightedCheck asks a random call of one procedure and says what is wrong with its rows, or "".
type weightedCheck func(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string)

var weightedChecks = map[string]weightedCheck{
	"degree":                checkDegree,
	"pageRank":              checkPageRank,
	"articleRank":           checkArticleRank,
	"eigenvector":           checkEigenvector,
	"dijkstra":              checkDijkstra,
	"kShortestPaths":        checkKShortestPaths,
	"aStar":                 checkAStar,
	"closeness":             checkCloseness,
	"betweenness":           checkBetweenness,
	"labelPropagation":      checkLabelPropagation,
	"louvain":               checkLouvain,
	"nodeSimilarity":        checkNodeSimilarity,
	"clusteringCoefficient": checkClustering,
	"motifs":                checkMotifs,
	"orbits":                checkOrbits,
}

// TestRandomScores compares the procedures that give scores, weighted paths, communities and motifs, with random options, with their
// definitions, on random graphs with parallel relationships and loops. MOTIF_SEED repeats a run.
func TestRandomScores(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	r := rand.New(rand.NewPCG(seed, 3))
	rows := map[string]int{}
	const graphs = 60
	for range graphs {
		db, snap := randomDB(t, r.Uint64())
		g := readToy(t, db)
		weights := map[int64]float64{}
		for _, e := range g.rels {
			if r.IntN(4) > 0 {
				weights[e.id] = float64(1 + r.IntN(5))
				if _, err := db.Exec(t.Context(), "MATCH ()-[r]->() WHERE id(r) = $id SET r.w = $w", motif.Params{"id": e.id, "w": weights[e.id]}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(weightedChecks)) {
			for range 3 {
				g.workers = motif.WithWorkers(1 + r.IntN(3))
				query, wrong := weightedChecks[name](t, db, g, weights, rand.New(rand.NewPCG(r.Uint64(), 0)))
				if wrong != "" {
					t.Fatalf("MOTIF_SEED=%d: %s\n%s\non %v with weights %v", seed, query, wrong, describe(snap), weights)
				}
				rows[name] += len(g.ids)
			}
		}
		db.Close()
	}
	t.Logf("seed %d: %v", seed, rows)
	for i := range lang.Procedures {
		name, ok := strings.CutPrefix(lang.Procedures[i].Name, "algo.")
		old := map[string]string{"connectedComponents": "components"}[name]
		if ok && weightedChecks[name] == nil && toyChecks[name] == nil && toyChecks[old] == nil {
			t.Errorf("algo.%s is not compared with its definition", name)
		}
	}
}

func checkDegree(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "OUT", "IN", "BOTH")
	want := n.sums()
	if r.IntN(2) == 0 && len(n.nodes) > 1 {
		n.text = append(n.text, "normalize: true")
		for v := range want {
			want[v] /= float64(len(n.nodes) - 1)
		}
	}
	query = n.call("degree")
	return query, n.scores(t, db, query, want, 1e-12)
}

func checkPageRank(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "OUT", "IN", "BOTH")
	start, own := make([]float64, len(g.ids)), []string(nil)
	from := n.within
	if set, text := g.some(r, 3); set&n.within != 0 && r.IntN(2) == 0 {
		from, own = set&n.within, []string{"sources: " + text}
		if set != from {
			return "", "" // a source that is left out
		}
	}
	for v := range start {
		if from>>v&1 == 1 {
			start[v] = 1 / float64(bits.OnesCount64(from))
		}
	}
	damping := float64(r.IntN(10)) / 10
	own = append(own, fmt.Sprint("damping: ", damping))
	x, sums := slices.Clone(start), n.sums()
	for range 400 {
		next, lost := make([]float64, len(x)), 1-damping
		for v, row := range n.weight {
			if sums[v] == 0 {
				lost += damping * x[v]
				continue
			}
			for u, weight := range row {
				next[u] += damping * x[v] * weight / sums[v]
			}
		}
		for v := range next {
			next[v] += lost * start[v]
		}
		x = next
	}
	query = n.call("pageRank", own...)
	return query, n.scores(t, db, query, x, 1e-9)
}

func checkArticleRank(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "OUT", "IN", "BOTH")
	x, sums, mean := make([]float64, len(g.ids)), n.sums(), 0.0
	for _, s := range sums {
		mean += s / float64(max(1, len(n.nodes)))
	}
	for range 400 {
		next := slices.Repeat([]float64{0.15}, len(x))
		for v, row := range n.weight {
			for u, weight := range row {
				if weight > 0 {
					next[u] += 0.85 * x[v] * weight / (sums[v] + mean)
				}
			}
		}
		x = next
	}
	query = n.call("articleRank")
	return query, n.scores(t, db, query, x, 1e-8)
}

// largest is the spectral radius of the matrix plus one: the growth of its powers.
func (n *toyNetwork) largest() float64 {
	m := make([][]float64, len(n.weight))
	for v := range m {
		m[v] = slices.Clone(n.weight[v])
		m[v][v]++
	}
	log, power := 0.0, 1.0
	for range 40 {
		top := 0.0
		for _, row := range m {
			top = max(top, slices.Max(row))
		}
		log += math.Log(top) / power
		power *= 2
		next := make([][]float64, len(m))
		for v := range m {
			next[v] = make([]float64, len(m))
			for u := range m {
				for k := range m {
					next[v][u] += m[v][k] / top * m[k][u] / top
				}
			}
		}
		m = next
	}
	return math.Exp(log)
}

func checkEigenvector(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "OUT", "IN", "BOTH")
	query = n.call("eigenvector")
	rows, err := db.Query(t.Context(), query, nil, g.workers)
	x := make([]float64, len(g.ids))
	if err == nil {
		for row, e := range rows.All() {
			if err = e; e == nil {
				x[g.node(int64(row.At(0).(motif.Node).ID))] = number(row.At(1))
			}
		}
	}
	c := n.largest() - 1
	if err != nil { // no cycles, or a walk that does not settle
		if n.direction == "BOTH" || (c < 0.5) != strings.Contains(err.Error(), "no cycle") {
			return query, err.Error()
		}
		return query, ""
	}
	if len(n.nodes) == 0 {
		return query, ""
	}
	if c < 0.5 && n.direction != "BOTH" {
		return query, "gave scores without a cycle"
	}
	length, off := 0.0, 0.0
	for v := range x {
		got := 0.0
		for u := range x {
			got += n.weight[u][v] * x[u]
		}
		length += x[v] * x[v]
		off = max(off, math.Abs(got-c*x[v]))
	}
	if math.Abs(length-1) > 1e-9 || off > 1e-6*max(1, c) {
		return query, fmt.Sprintf("the squares of %v add up to %v, and the equation is off by %v for %v", x, length, off, c)
	}
	return query, ""
}

func checkDijkstra(t *testing.T, db *motif.DB, g *toyGraph, w map[int64]float64, r *rand.Rand) (query, wrong string) {
	n := g.network(r, w, "OUT", "IN", "BOTH")
	sources, text := g.some(r, 3)
	d, best := n.distances(), slices.Repeat([]float64{math.Inf(1)}, len(g.ids))
	for v := range d {
		if sources&n.within>>v&1 == 1 {
			for u := range best {
				best[u] = min(best[u], d[v][u])
			}
		}
	}
	query = n.call("dijkstra", text)
	var got, want []string
	for _, row := range allRows(t, db, query, g.workers) {
		v, length := g.node(int64(row[0].(motif.Node).ID)), row[1].(float64)
		got = append(got, fmt.Sprint(g.ids[v], length))
		if parent, ok := row[2].(motif.Node); ok {
			if p := g.node(int64(parent.ID)); best[p]+n.length[p][v] != length {
				return query, fmt.Sprintf("%d is no parent of %d", parent.ID, g.ids[v])
			}
		} else if length != 0 {
			return query, fmt.Sprintf("%d has no parent", g.ids[v])
		}
	}
	for v, length := range best {
		if n.within>>v&1 == 1 && !math.IsInf(length, 1) {
			want = append(want, fmt.Sprint(g.ids[v], length))
		}
	}
	return query, differ(got, want)
}
