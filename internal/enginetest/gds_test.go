package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// arc is a relationship of a projection, as the test counts on it.
type arc struct {
	from, to int
	w        float64
}

// projection is a random graph, and what a projection of it must be. Nodes are numbered by rising id.
type projection struct {
	ids    []int64
	inside []bool
	arcs   []arc
	made   string // the call that makes it
	mutual bool
}

// drawProjection makes a random graph in db and draws a projection of it, native or by queries.
func drawProjection(t *testing.T, db *motif.DB, r *rand.Rand) *projection {
	t.Helper()
	n := 2 + r.IntN(9)
	for range n {
		if _, err := db.Exec(t.Context(), "CREATE (:"+[]string{"A", "B", "A:B", "C"}[r.IntN(4)]+")", nil); err != nil {
			t.Fatal(err)
		}
	}
	for range r.IntN(3 * n) {
		q := fmt.Sprintf("MATCH (a), (b) WITH a, b SKIP %d LIMIT 1 CREATE (a)-[:%s {w: %d}]->(b)", r.IntN(n*n), []string{"K", "L"}[r.IntN(2)], 1+r.IntN(4))
		if _, err := db.Exec(t.Context(), q, nil); err != nil {
			t.Fatal(err)
		}
	}
	p := &projection{}
	labels, types := [][]string{{"A"}, {"A", "B"}, nil}[r.IntN(3)], [][]string{{"K"}, {"K", "L"}, nil}[r.IntN(3)]
	for _, row := range allRows(t, db, "MATCH (a) RETURN id(a), labels(a) ORDER BY id(a)") {
		p.ids = append(p.ids, row[0].(int64))
		p.inside = append(p.inside, labels == nil || slices.ContainsFunc(row[1].([]any), func(l any) bool { return slices.Contains(labels, l.(string)) }))
	}
	orientation := []string{"NATURAL", "REVERSE", "UNDIRECTED"}[r.IntN(3)]
	p.mutual = orientation == "UNDIRECTED"
	for _, row := range allRows(t, db, "MATCH (a)-[r]->(b) RETURN id(a), id(b), type(r), r.w") {
		from, to := slices.Index(p.ids, row[0].(int64)), slices.Index(p.ids, row[1].(int64))
		if !p.inside[from] || !p.inside[to] || types != nil && !slices.Contains(types, row[2].(string)) {
			continue
		}
		w := float64(row[3].(int64))
		if orientation != "REVERSE" {
			p.arcs = append(p.arcs, arc{from, to, w})
		}
		if orientation != "NATURAL" {
			p.arcs = append(p.arcs, arc{to, from, w})
		}
	}
	p.made = p.native(labels, types, orientation)
	if r.IntN(2) == 0 {
		p.made, p.mutual = p.queries(labels, types, orientation), false
	}
	for _, l := range append(slices.Clone(labels), types...) { // names that no element has are an error
		if c := allRows(t, db, fmt.Sprintf("RETURN COUNT { (:`%s`) } + COUNT { ()-[:`%s`]->() }", l, l)); c[0][0].(int64) == 0 {
			return nil
		}
	}
	return p
}

func (p *projection) native(labels, types []string, orientation string) string {
	nodes, rels := "'*'", []string{}
	if labels != nil {
		nodes = "['" + strings.Join(labels, "', '") + "']"
	}
	for _, typ := range types {
		rels = append(rels, fmt.Sprintf("%s: {orientation: '%s', properties: 'w'}", typ, orientation))
	}
	if types == nil {
		rels = []string{fmt.Sprintf("ALL: {type: '*', orientation: '%s', properties: {w: {property: 'w'}}}", orientation)}
	}
	return fmt.Sprintf("CALL gds.graph.project('g', %s, {%s})", nodes, strings.Join(rels, ", "))
}

// queries makes the same projection by queries.
func (p *projection) queries(labels, types []string, orientation string) string {
	of := func(all []string, element string) string {
		if all == nil {
			return element
		}
		return element + ":" + strings.Join(all, "|")
	}
	rel := fmt.Sprintf("MATCH (%s)-[%s]->(%s)", of(labels, "a"), of(types, "r"), of(labels, "b"))
	there, back := rel+" RETURN id(a) AS source, id(b) AS target, r.w AS w", rel+" RETURN id(b) AS source, id(a) AS target, r.w AS w"
	text := map[string]string{"NATURAL": there, "REVERSE": back, "UNDIRECTED": there + " UNION ALL " + back}[orientation]
	return fmt.Sprintf("CALL gds.graph.project.cypher('g', 'MATCH (%s) RETURN id(n) AS id', $rels) YIELD graphName", of(labels, "n")) + "\x00" + text
}

// make runs the call that makes p.
func (p *projection) make(t *testing.T, db *motif.DB) {
	t.Helper()
	call, rels, _ := strings.Cut(p.made, "\x00")
	if _, err := db.Exec(t.Context(), call, motif.Params{"rels": rels}); err != nil {
		t.Fatalf("%s: %v", p.made, err)
	}
}

// pageRank iterates the definition: 1-d of its own for every node, and d times what leads to it.
func (p *projection) pageRank(weighted bool) map[int64]float64 {
	out, x := make([]float64, len(p.ids)), make([]float64, len(p.ids))
	weight := func(a arc) float64 {
		switch {
		case a.from == a.to:
			return 0 // loops do not count
		case weighted:
			return a.w
		}
		return 1
	}
	for _, a := range p.arcs {
		out[a.from] += weight(a)
	}
	for range 300 {
		y := make([]float64, len(x))
		for v := range y {
			y[v] = 0.15
		}
		for _, a := range p.arcs {
			if out[a.from] > 0 {
				y[a.to] += 0.85 * x[a.from] * weight(a) / out[a.from]
			}
		}
		x = y
	}
	return p.byID(x)
}

// byID gives the values of the nodes of the projection by id.
func (p *projection) byID(x []float64) map[int64]float64 {
	all := map[int64]float64{}
	for v, id := range p.ids {
		if p.inside[v] {
			all[id] = x[v]
		}
	}
	return all
}

// degree adds up the weights of the relationships that leave each node.
func (p *projection) degree() map[int64]float64 {
	x := make([]float64, len(p.ids))
	for _, a := range p.arcs {
		if a.from != a.to {
			x[a.from] += a.w
		}
	}
	return p.byID(x)
}

// component names each node's weak component by its smallest id.
func (p *projection) component(more float64) map[int64]float64 {
	x := make([]float64, len(p.ids))
	for v, id := range p.ids {
		x[v] = float64(id)
	}
	for range p.ids {
		for _, a := range p.arcs {
			if a.w > more {
				least := min(x[a.from], x[a.to])
				x[a.from], x[a.to] = least, least
			}
		}
	}
	return p.byID(x)
}

// joined reports which nodes are joined in either direction.
func (p *projection) joined() [][]bool {
	j := make([][]bool, len(p.ids))
	for v := range j {
		j[v] = make([]bool, len(p.ids))
	}
	for _, a := range p.arcs {
		if a.from != a.to {
			j[a.from][a.to], j[a.to][a.from] = true, true
		}
	}
	return j
}

func (p *projection) triangles() map[int64]float64 {
	j, x := p.joined(), make([]float64, len(p.ids))
	for u := range j {
		for v := range j {
			for w := range v {
				if j[u][v] && j[u][w] && j[v][w] {
					x[u]++
				}
			}
		}
	}
	return p.byID(x)
}

// between counts shortest paths of the simple graph through each node by all pairs of distances.
func (p *projection) between() map[int64]float64 {
	n := len(p.ids)
	dist, paths := make([][]float64, n), make([][]float64, n)
	next := make([][]bool, n)
	for v := range n {
		next[v] = make([]bool, n)
	}
	for _, a := range p.arcs {
		next[a.from][a.to] = a.from != a.to
	}
	for s := range n {
		dist[s], paths[s] = slices.Repeat([]float64{math.Inf(1)}, n), make([]float64, n)
		dist[s][s], paths[s][s] = 0, 1
		for d := 0.0; d < float64(n); d++ {
			for v := range n {
				for w := range n {
					if dist[s][v] == d && next[v][w] && dist[s][w] >= d+1 {
						dist[s][w] = d + 1
						paths[s][w] += paths[s][v]
					}
				}
			}
		}
	}
	x := make([]float64, n)
	for s := range n {
		for v := range n {
			for u := range n {
				if s != v && u != s && u != v && dist[s][u]+dist[u][v] == dist[s][v] && !math.IsInf(dist[s][v], 1) {
					x[u] += paths[s][u] * paths[u][v] / paths[s][v]
				}
			}
		}
	}
	if p.mutual {
		for v := range x {
			x[v] /= 2
		}
	}
	return p.byID(x)
}

// similar compares the sets of nodes that relationships of two nodes lead to, by Jaccard.
func (p *projection) similar() map[[2]int64]float64 {
	to := make([]map[int]bool, len(p.ids))
	for v := range to {
		to[v] = map[int]bool{}
	}
	for _, a := range p.arcs {
		if a.from != a.to {
			to[a.from][a.to] = true
		}
	}
	all := map[[2]int64]float64{}
	for v := range to {
		for w := range to {
			common := 0
			for x := range to[v] {
				if to[w][x] {
					common++
				}
			}
			if v != w && common > 0 {
				all[[2]int64{p.ids[v], p.ids[w]}] = float64(common) / float64(len(to[v])+len(to[w])-common)
			}
		}
	}
	return all
}

func number(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}

// agree compares rows of a node and a number with what they must be.
func agree(t *testing.T, db *motif.DB, call string, want map[int64]float64) {
	t.Helper()
	rows := allRows(t, db, call)
	if len(rows) != len(want) {
		t.Fatalf("%s gives %d rows, not %d", call, len(rows), len(want))
	}
	for _, row := range rows {
		if x, w := number(row[1]), want[row[0].(int64)]; math.Abs(x-w) > 1e-9*max(1, math.Abs(w)) {
			t.Fatalf("%s: node %d has %v, not %v", call, row[0], x, w)
		}
	}
}

// The algorithms of projections give what plain loops over the relationships of the projection find, and what they write is what they give.
func TestRandomProjections(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 18))
	for range 60 {
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		if p := drawProjection(t, db, r); p != nil {
			p.make(t, db)
			checkProjection(t, db, p, r)
		}
		db.Close()
	}
}

func checkProjection(t *testing.T, db *motif.DB, p *projection, r *rand.Rand) {
	t.Helper()
	if list := allRows(t, db, "CALL gds.graph.list('g') YIELD nodeCount, relationshipCount"); list[0][1].(int64) != int64(len(p.arcs)) {
		t.Fatalf("%s: %v, want %d relationships", p.made, list, len(p.arcs))
	}
	agree(t, db, "CALL gds.pageRank.stream('g')", p.pageRank(false))
	agree(t, db, "CALL gds.degree.stream('g', {relationshipWeightProperty: 'w'})", p.degree())
	agree(t, db, "CALL gds.pageRank.stream('g', {relationshipWeightProperty: 'w'})", p.pageRank(true))
	agree(t, db, "CALL gds.wcc.stream('g')", p.component(0))
	agree(t, db, "CALL gds.wcc.stream('g', {relationshipWeightProperty: 'w', threshold: 2})", p.component(2))
	agree(t, db, "CALL gds.triangleCount.stream('g')", p.triangles())
	agree(t, db, "CALL gds.betweenness.stream('g')", p.between())
	want, rows := p.similar(), allRows(t, db, "CALL gds.nodeSimilarity.stream('g', {topK: 100})")
	if len(rows) != len(want) {
		t.Fatalf("%s: %d similar pairs, not %d", p.made, len(rows), len(want))
	}
	for _, row := range rows {
		if w := want[[2]int64{row[0].(int64), row[1].(int64)}]; math.Abs(w-row[2].(float64)) > 1e-12 {
			t.Fatalf("%s: %v, not %v", p.made, row, w)
		}
	}
	p.checkPaths(t, db, r)
	written := allRows(t, db, "CALL gds.triangleCount.write('g', {writeProperty: 'triangles'}) YIELD nodePropertiesWritten")
	if n := len(p.triangles()); written[0][0].(int64) != int64(n) {
		t.Fatalf("%v properties written, not %d", written[0][0], n)
	}
	agree(t, db, "MATCH (n) WHERE n.triangles IS NOT NULL RETURN id(n), n.triangles", p.triangles())
	allRows(t, db, "CALL gds.degree.mutate('g', {mutateProperty: 'd', relationshipWeightProperty: 'w'})")
	allRows(t, db, "CALL gds.nodeSimilarity.mutate('g', {mutateProperty: 's', mutateRelationshipType: 'ALIKE', topK: 100})")
	agree(t, db, "MATCH (n) WITH id(n) AS id, gds.util.nodeProperty('g', id(n), 'd') AS d WHERE d IS NOT NULL RETURN id, d", p.degree())
	if n := allRows(t, db, "CALL gds.graph.writeRelationship('g', 'ALIKE', 's') YIELD relationshipsWritten"); n[0][0].(int64) != int64(len(want)) {
		t.Fatalf("%v relationships written, not %d", n[0][0], len(want))
	}
	for _, row := range allRows(t, db, "MATCH (a)-[r:ALIKE]->(b) RETURN id(a), id(b), r.s") {
		if want[[2]int64{row[0].(int64), row[1].(int64)}] != row[2].(float64) {
			t.Fatalf("%s wrote %v", p.made, row)
		}
	}
}

// checkPaths compares the least weight from one node to all others with repeated relaxation.
func (p *projection) checkPaths(t *testing.T, db *motif.DB, r *rand.Rand) {
	t.Helper()
	s := r.IntN(len(p.ids))
	if !p.inside[s] {
		return
	}
	dist := slices.Repeat([]float64{math.Inf(1)}, len(p.ids))
	dist[s] = 0
	for range p.ids {
		for _, a := range p.arcs {
			dist[a.to] = min(dist[a.to], dist[a.from]+a.w)
		}
	}
	for v, id := range p.ids {
		if !p.inside[v] || v == s {
			continue
		}
		rows := allRows(t, db, fmt.Sprintf("CALL gds.shortestPath.dijkstra.stream('g', {sourceNode: %d, targetNode: %d, relationshipWeightProperty: 'w'}) YIELD totalCost, nodeIds, costs", p.ids[s], id))
		if (len(rows) == 0) != math.IsInf(dist[v], 1) || len(rows) == 1 && rows[0][0].(float64) != dist[v] {
			t.Fatalf("%s: from %d to %d: %v, not %v", p.made, p.ids[s], id, rows, dist[v])
		}
		if len(rows) == 1 {
			nodes, costs := rows[0][1].([]any), rows[0][2].([]any)
			if nodes[0].(int64) != p.ids[s] || nodes[len(nodes)-1].(int64) != id || costs[len(costs)-1].(float64) != dist[v] {
				t.Fatalf("%s: %v", p.made, rows[0])
			}
		}
	}
}

// A projection is a snapshot of its own: later changes of the stored graph do not reach it. It belongs to the DB.
func TestProjectionStands(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{"CREATE (:A)-[:K]->(:A)", "CALL gds.graph.project('g', 'A', 'K')", "MATCH (n) DETACH DELETE n", "CREATE (:A), (:A)"} {
		if _, err := db.Exec(t.Context(), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	rows := allRows(t, db, "CALL gds.degree.stream('g') YIELD nodeId, score RETURN nodeId, score, gds.util.asNode(nodeId) AS node ORDER BY nodeId")
	if got := fmt.Sprint(rows); got != "[[0 1 <nil>] [1 0 <nil>]]" {
		t.Errorf("got %s", got)
	}
	if _, err := db.Exec(t.Context(), "CALL gds.degree.write('g', {writeProperty: 'd'})", nil); err != nil {
		t.Error(err)
	}
	if n := allRows(t, db, "MATCH (n) WHERE n.d IS NOT NULL RETURN count(*)"); n[0][0].(int64) != 0 {
		t.Errorf("%v nodes written that are new", n[0][0])
	}
	other, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got := allRows(t, other, "RETURN gds.graph.exists('g')"); got[0][0].(bool) {
		t.Error("another DB has the projection")
	}
}

// What cannot be done is an error with a way out, and leaves no projection behind.
func TestProjectionErrors(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE (:A)-[:K {w: -1, s: 'x'}]->(:A)-[:K]->(:B)", nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ query, says string }{
		{"CALL gds.graph.project('g', 'Z', 'K')", "no node has the label"},
		{"CALL gds.graph.project('g', 'A', 'Z')", "no relationship has the type"},
		{"CALL gds.graph.project('g', 'A', {K: {orientation: 'SIDEWAYS'}})", "orientation"},
		{"CALL gds.graph.project('g', 'A', {K: {properties: 's'}})", "is a number"},
		{"CALL gds.graph.project('g', 'A', {K: {foo: 'x'}})", "no key `foo`"},
		{"CALL gds.graph.project.cypher('g', 'MATCH (n) RETURN n.x', 'RETURN 1 AS source, 2 AS target')", "no column `id`"},
		{"CALL gds.graph.project.cypher('g', 'MATCH (n:A) RETURN id(n) AS id', 'MATCH (a)-->(b) RETURN id(a) AS source, id(b) AS target')", "does not give node"},
		{"CALL gds.graph.project.cypher('g', 'MATCH (n) RETURN id(n) AS id', 'MATCH (a) RETURN nope')", "in the query of the arguments, line 1, column 18"},
		{"CALL gds.graph.project.cypher('g', 'CREATE (n) RETURN id(n) AS id', 'RETURN 1 AS source, 1 AS target')", "queries that read"},
		{"CALL gds.graph.project.cypher('g', 'MATCH (n) WHERE n.x = $x RETURN id(n) AS id', 'RETURN 1 AS source, 1 AS target')", "lacks its parameter"},
		{"CALL gds.pageRank.stream('g')", "there is no projection 'g'"},
		{"CALL gds.graph.drop('g')", "there is no projection 'g'"},
		{"CALL gds.pageRank.stream('g', {foo: 1})", "has no option `foo`"},
		{"CALL gds.pageRank.stream.estimate('g')", "there is no procedure"},
		{"CALL apoc.cypher.run('MATCH (n) SET n.x = 1', {})", "queries that read"},
	} {
		if _, err := db.Exec(t.Context(), c.query, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.query, err, c.says)
		}
	}
	if got := allRows(t, db, "CALL gds.graph.list()"); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
	if _, err := db.Exec(t.Context(), "CALL gds.graph.project('g', '*', {K: {properties: 'w'}})", nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ query, says string }{
		{"CALL gds.graph.project('g', '*', '*')", "there is a projection 'g'"},
		{"CALL gds.louvain.stream('g', {relationshipWeightProperty: 'w'})", "the weight of a relationship"},
		{"CALL gds.louvain.stream('g', {relationshipWeightProperty: 'x'})", "no property of relationships"},
		{"CALL gds.louvain.stream('g', {includeIntermediateCommunities: true})", "not supported"},
		{"CALL gds.louvain.stream('g', {nodeLabels: ['Z']})", "no label"},
		{"CALL gds.wcc.stream('g', {threshold: 1})", "relationshipWeightProperty"},
	} {
		if _, err := db.Exec(t.Context(), c.query, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.query, err, c.says)
		}
	}
	if _, err := db.Exec(t.Context(), "CALL gds.graph.project('h', '*', '*')", nil, motif.WithMemory(2000)); err == nil {
		t.Error("a projection fits a budget of 2,000 bytes beside another")
	}
}
