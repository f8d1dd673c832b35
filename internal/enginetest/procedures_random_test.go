package enginetest

import (
	"fmt"
	"github.com/motifql/motif"
	"maps"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// toyGraph is a small graph as queries show it, with which the tests below compute what the procedures should give. Nodes
// are numbered from 0 by rising id, and sets of them are bit masks.
type toyGraph struct {
	ids    []int64
	labels [][]any
	rels   []toyRel

	workers motif.QueryOption // of the calls
}

type toyRel struct {
	id       int64
	from, to int
	typ      string
}

func readToy(t *testing.T, db *motif.DB) *toyGraph {
	t.Helper()
	g := &toyGraph{}
	for _, r := range allRows(t, db, "MATCH (a) RETURN id(a), labels(a) ORDER BY id(a)") {
		g.ids, g.labels = append(g.ids, r[0].(int64)), append(g.labels, r[1].([]any))
	}
	for _, r := range allRows(t, db, "MATCH (a)-[r]->(b) RETURN id(r), id(a), id(b), type(r)") {
		g.rels = append(g.rels, toyRel{r[0].(int64), g.node(r[1]), g.node(r[2]), r[3].(string)})
	}
	return g
}

func (g *toyGraph) node(id any) int { return slices.Index(g.ids, id.(int64)) }

func allRows(t *testing.T, db *motif.DB, query string, opts ...motif.QueryOption) [][]any {
	t.Helper()
	return allRowsWith(t, db, query, nil, opts...)
}

func allRowsWith(t *testing.T, db *motif.DB, query string, params motif.Params, opts ...motif.QueryOption) (list [][]any) {
	t.Helper()
	rows, err := db.Query(t.Context(), query, params, opts...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		list = append(list, row.Values())
	}
	return list
}

// toyOptions are the options of a call, as text and as what they mean for the toy graph.
type toyOptions struct {
	text      []string
	types     []string // nil: all
	within    uint64   // the nodes that count
	direction string
}

// draw chooses the options that all algorithms have. The first of the directions is what holds without the option.
func (g *toyGraph) draw(r *rand.Rand, directions ...string) *toyOptions {
	o := &toyOptions{within: 1<<len(g.ids) - 1, direction: directions[0]}
	switch r.IntN(6) {
	case 0:
		o.text, o.types = append(o.text, "type: 'R'"), []string{"R"}
	case 1:
		o.text, o.types = append(o.text, "types: ['R', 'S']"), []string{"R", "S"}
	case 2:
		o.text, o.types = append(o.text, "types: []"), []string{}
	}
	has := func(v int, label string) bool { return slices.Contains(g.labels[v], any(label)) }
	if i := r.IntN(10); i < 4 {
		o.text = append(o.text, "label: '"+[]string{"A", "!A", "A|B", "%&!`B`"}[i]+"'")
		for v := range g.ids {
			if a, b := has(v, "A"), has(v, "B"); ![]bool{a, !a, a || b, len(g.labels[v]) > 0 && !b}[i] {
				o.within &^= 1 << v
			}
		}
	}
	if r.IntN(2) == 0 {
		o.direction = directions[r.IntN(len(directions))]
		o.text = append(o.text, "direction: '"+o.direction+"'")
	}
	return o
}

// call writes the options, own ones first.
func (o *toyOptions) call(name string, args ...string) string {
	places := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.Contains(a, ": ") })
	own := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return !strings.Contains(a, ": ") })
	return "CALL algo." + name + "(" + strings.Join(append(places, "{"+strings.Join(append(own, o.text...), ", ")+"}"), ", ") + ")"
}

// rows is the adjacency that the options leave: row v has the nodes that v is joined to in the direction.
func (g *toyGraph) rows(o *toyOptions) []uint64 {
	out, in := make([]uint64, len(g.ids)), make([]uint64, len(g.ids))
	for _, r := range g.rels {
		if r.from != r.to && (o.types == nil || slices.Contains(o.types, r.typ)) && (o.within>>r.from)&(o.within>>r.to)&1 == 1 {
			out[r.from] |= 1 << r.to
			in[r.to] |= 1 << r.from
		}
	}
	adj := make([]uint64, len(g.ids))
	for v := range adj {
		adj[v] = map[string]uint64{"OUT": out[v], "IN": in[v], "BOTH": out[v] | in[v], "MUTUAL": out[v] & in[v]}[o.direction]
	}
	return adj
}

// cliques lists all sets of nodes that are joined pairwise, the empty one too.
func (g *toyGraph) cliques(o *toyOptions) (sets []uint64) {
	adj := g.rows(o)
	for set := range uint64(1) << len(g.ids) {
		ok := set&^o.within == 0
		for v := range g.ids {
			ok = ok && (set>>v&1 == 0 || set&^adj[v] == 1<<v)
		}
		if ok {
			sets = append(sets, set)
		}
	}
	return sets
}

// distances are those from the sources, without the nodes that must be avoided; -1 where there is no way.
func (g *toyGraph) distances(o *toyOptions, sources uint64, maxDepth int) []int {
	adj := g.rows(o)
	dist := slices.Repeat([]int{-1}, len(g.ids))
	for seen, level, depth := uint64(0), sources&o.within, 0; level != 0 && depth <= maxDepth; depth++ {
		seen |= level
		next := uint64(0)
		for v := range g.ids {
			if level>>v&1 == 1 {
				dist[v] = depth
				next |= adj[v]
			}
		}
		level = next &^ seen
	}
	return dist
}

func (g *toyGraph) idList(set uint64) (list []any) {
	for v, id := range g.ids {
		if set>>v&1 == 1 {
			list = append(list, id)
		}
	}
	return list
}

// some draws nodes as a set and as the text of a list of ids.
func (g *toyGraph) some(r *rand.Rand, most int) (set uint64, text string) {
	for range r.IntN(most+1) + r.IntN(2) {
		set |= 1 << r.IntN(len(g.ids))
	}
	return set, strings.ReplaceAll(fmt.Sprint(g.idList(set)), " ", ", ")
}

func nodeIDs(list any) (ids []any) {
	for _, n := range list.([]any) {
		ids = append(ids, int64(n.(motif.Node).ID))
	}
	return ids
}

// toyCheck asks a random call of one procedure and says what is wrong with its rows, or "".
type toyCheck func(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string)

var toyChecks = map[string]toyCheck{
	"cliqueCount":    checkCliqueCount,
	"cliques":        checkCliques,
	"maximalCliques": checkMaximalCliques,
	"maximumClique":  checkMaximumClique,
	"kcore":          checkCores,
	"ktruss":         checkTrusses,
	"triangleCount":  checkTriangles,
	"bfs":            checkBFS,
	"shortestPath":   checkShortestPath,
	"components":     checkComponents,
	"diameter":       checkDiameter,
}

// TestRandomProcedures compares every procedure, with random options, with a computation over all sets of nodes, or
// by the definition, on random graphs with parallel relationships and loops. MOTIF_SEED repeats a run.
func TestRandomProcedures(t *testing.T) {
	seed, graphs := uint64(time.Now().UnixNano()), 150
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	r := rand.New(rand.NewPCG(seed, 2))
	rows := map[string]int{}
	for range graphs {
		db, snap := randomDB(t, r.Uint64())
		g := readToy(t, db)
		for _, name := range slices.Sorted(maps.Keys(toyChecks)) {
			for range 3 {
				g.workers = motif.WithWorkers(1 + r.IntN(3))
				query, wrong := toyChecks[name](t, db, g, rand.New(rand.NewPCG(r.Uint64(), 0)))
				if wrong != "" {
					t.Fatalf("MOTIF_SEED=%d: %s\n%s\non %v", seed, query, wrong, describe(snap))
				}
				rows[name] += len(allRows(t, db, query, g.workers))
			}
		}
		db.Close()
	}
	t.Logf("seed %d: rows %v", seed, rows)
	for name := range toyChecks {
		if rows[name] < graphs/3 {
			t.Errorf("seed %d: %s gave %d rows only", seed, name, rows[name])
		}
	}
}

// differ compares rows, which come in any order.
func differ(got, want []string) string {
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("gave\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// lines writes rows with nodes as their ids.
func lines(rows [][]any) (list []string) {
	for _, row := range rows {
		parts := make([]string, len(row))
		for i, x := range row {
			switch x := x.(type) {
			case motif.Node:
				parts[i] = fmt.Sprint(x.ID)
			case []any:
				parts[i] = fmt.Sprint(nodeIDs(x))
			default:
				parts[i] = fmt.Sprint(x)
			}
		}
		list = append(list, strings.Join(parts, " "))
	}
	return list
}

func checkCliqueCount(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o, size := g.draw(r, "BOTH", "MUTUAL"), 1+r.IntN(5)
	counts, by := make([]int, len(g.ids)+1), make([]int, len(g.ids))
	for _, set := range g.cliques(o) {
		k := bits.OnesCount64(set)
		counts[k]++
		for v := range by {
			if k == size {
				by[v] += int(set >> v & 1)
			}
		}
	}
	var want []string
	switch r.IntN(4) {
	case 0: // every size
		query = o.call("cliqueCount")
		size = len(g.ids)
	case 1:
		query = o.call("cliqueCount", fmt.Sprint("maxSize: ", size))
	case 2:
		query = o.call("cliqueCount", "perNode: true", fmt.Sprint("size: ", size))
		for v, n := range by {
			if o.within>>v&1 == 1 {
				want = append(want, fmt.Sprint(g.ids[v], size, n))
			}
		}
		return query, differ(lines(allRows(t, db, query, g.workers)), want)
	case 3:
		query = o.call("cliqueCount", fmt.Sprint("size: ", size))
		n := 0
		if size < len(counts) {
			n = counts[size]
		}
		return query, differ(lines(allRows(t, db, query, g.workers)), []string{fmt.Sprint(size, n)})
	}
	for k := 1; k <= size && k < len(counts) && counts[k] > 0; k++ {
		want = append(want, fmt.Sprint(k, counts[k]))
	}
	return query, differ(lines(allRows(t, db, query, g.workers)), want)
}

func checkMaximalCliques(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o, least := g.draw(r, "BOTH", "MUTUAL"), 1+r.IntN(3)
	sets := g.cliques(o)
	var want []string
	for _, set := range sets {
		larger := func(other uint64) bool { return other != set && other&set == set }
		if k := bits.OnesCount64(set); k >= least && !slices.ContainsFunc(sets, larger) {
			want = append(want, fmt.Sprint(g.idList(set), k))
		}
	}
	if query = o.call("maximalCliques", fmt.Sprint("minSize: ", least)); least == 1 {
		query = o.call("maximalCliques")
	}
	return query, differ(lines(allRows(t, db, query, g.workers)), want)
}

func checkMaximumClique(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o, largest := g.draw(r, "BOTH", "MUTUAL"), 0
	sets := map[string]int{}
	for _, set := range g.cliques(o) {
		k := bits.OnesCount64(set)
		sets[fmt.Sprint(g.idList(set), k)] = k
		largest = max(largest, k)
	}
	query = o.call("maximumClique")
	got := lines(allRows(t, db, query, g.workers))
	if largest == 0 {
		return query, differ(got, nil)
	}
	if len(got) != 1 || sets[got[0]] != largest {
		return query, fmt.Sprintf("gave %v, want a clique of %d", got, largest)
	}
	return query, ""
}

func checkCliques(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o, size := g.draw(r, "BOTH", "MUTUAL"), 1+r.IntN(4)
	var want []string
	for _, set := range g.cliques(o) {
		if bits.OnesCount64(set) == size {
			want = append(want, fmt.Sprint(g.idList(set)))
		}
	}
	query = o.call("cliques", fmt.Sprint("size: ", size))
	return query, differ(lines(allRows(t, db, query, g.workers)), want)
}

// checkCores takes the best of all sets of nodes: the coreness of a node is the largest least degree of a set that it is in.
func checkCores(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o := g.draw(r, "BOTH", "OUT", "IN", "MUTUAL")
	adj, core := g.rows(o), make([]int, len(g.ids))
	for set := range uint64(1) << len(g.ids) {
		least := len(g.ids)
		for v := range g.ids {
			if set>>v&1 == 1 {
				least = min(least, bits.OnesCount64(adj[v]&set))
			}
		}
		for v := range g.ids {
			if set>>v&1 == 1 {
				core[v] = max(core[v], least)
			}
		}
	}
	k, least := g.level(r, "1", "2", "3", slices.Max(core))
	var want []string
	for v, id := range g.ids {
		switch {
		case o.within>>v&1 == 0 || core[v] < least:
		case k == "":
			want = append(want, fmt.Sprint(id, core[v]))
		default:
			want = append(want, fmt.Sprint(id, least))
		}
	}
	own := slices.DeleteFunc([]string{k, []string{"", "variant: 'BZ'", "variant: 'park'", "variant: 'rlcore'", "variant: 'escore'", "variant: 'auto'"}[r.IntN(6)]},
		func(s string) bool { return s == "" })
	query = o.call("kcore", own...)
	return query, differ(lines(allRows(t, db, query, g.workers)), want)
}

// level draws the option k, "" for none, and the least level that it leaves.
func (g *toyGraph) level(r *rand.Rand, a, b, c string, largest int) (option string, least int) {
	k := []string{"", "", a, b, c, "'max'"}[r.IntN(6)]
	if k == "" {
		return "", 0
	}
	if least, _ = strconv.Atoi(k); k == "'max'" {
		least = largest
	}
	return "k: " + k, least
}

// checkTrusses deletes pairs in too few triangles until none is left to delete, for every k.
func checkTrusses(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o := g.draw(r, "BOTH", "MUTUAL")
	truss, largest := map[[2]int]int{}, 0
	adj := g.rows(o)
	for k := 2; slices.Max(adj) > 0; k++ {
		for again := true; again; {
			again = false
			for v := range adj {
				for w := range v {
					if adj[v]>>w&1 == 1 && bits.OnesCount64(adj[v]&adj[w]) < k-2 {
						adj[v] &^= 1 << w
						adj[w] &^= 1 << v
						again = true
					}
				}
			}
		}
		for v := range adj {
			for w := range v {
				if adj[v]>>w&1 == 1 {
					truss[[2]int{w, v}], largest = k, k
				}
			}
		}
	}
	k, least := g.level(r, "2", "3", "4", largest)
	var want []string
	for pair, n := range truss {
		if n < least {
			continue
		}
		if k != "" {
			n = least
		}
		want = append(want, fmt.Sprint(g.ids[pair[0]], g.ids[pair[1]], n))
	}
	if query = o.call("ktruss"); k != "" {
		query = o.call("ktruss", k)
	}
	return query, differ(lines(allRows(t, db, query, g.workers)), want)
}

// checkComponents joins nodes that have ways to each other.
func checkComponents(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o := g.draw(r, "BOTH", "OUT", "MUTUAL")
	var reach []uint64
	for v := range g.ids {
		set := uint64(0)
		for w, d := range g.distances(o, 1<<v, len(g.ids)) {
			if d >= 0 {
				set |= 1 << w
			}
		}
		reach = append(reach, set)
	}
	var want []string
	for v, id := range g.ids {
		if o.within>>v&1 == 0 {
			continue
		}
		w := 0
		for reach[v]>>w&1 == 0 || reach[w]>>v&1 == 0 {
			w++
		}
		want = append(want, fmt.Sprint(id, g.ids[w]))
	}
	query = o.call("connectedComponents")
	return query, differ(lines(allRows(t, db, query, g.workers)), want)
}

func checkDiameter(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o, longest := g.draw(r, "OUT", "IN", "BOTH"), -1
	pairs := map[string]int{}
	for v := range g.ids {
		for w, d := range g.distances(o, 1<<v, len(g.ids)) {
			pairs[fmt.Sprint(d, g.ids[v], g.ids[w])] = d
			longest = max(longest, d)
		}
	}
	query = o.call("diameter")
	got := lines(allRows(t, db, query, g.workers))
	if longest < 0 {
		return query, differ(got, nil)
	}
	if d, ok := pairs[strings.Join(got, "")]; len(got) != 1 || !ok || d != longest {
		return query, fmt.Sprintf("gave %v, the longest is %d", got, longest)
	}
	return query, ""
}

func checkTriangles(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o := g.draw(r, "BOTH", "MUTUAL")
	total, by := 0, make([]int, len(g.ids))
	for _, set := range g.cliques(o) {
		if bits.OnesCount64(set) != 3 {
			continue
		}
		total++
		for v := range by {
			by[v] += int(set >> v & 1)
		}
	}
	if r.IntN(2) == 0 {
		query = o.call("triangleCount")
		return query, differ(lines(allRows(t, db, query, g.workers)), []string{fmt.Sprint(total)})
	}
	var want []string
	for v, id := range g.ids {
		if o.within>>v&1 == 1 {
			want = append(want, fmt.Sprint(id, by[v]))
		}
	}
	query = o.call("triangleCount", "perNode: true")
	return query, differ(lines(allRows(t, db, query, g.workers)), want)
}

// follow draws what algo.bfs and algo.shortestPath have in common.
func (g *toyGraph) follow(r *rand.Rand) (o *toyOptions, own []string, maxDepth int) {
	o, maxDepth = g.draw(r, "OUT", "IN", "BOTH"), len(g.ids)
	if r.IntN(3) == 0 {
		maxDepth = r.IntN(4)
		own = append(own, fmt.Sprint("maxDepth: ", maxDepth))
	}
	if r.IntN(3) == 0 {
		avoid, text := g.some(r, 3)
		o.within &^= avoid
		own = append(own, "avoid: "+text)
	}
	return o, own, maxDepth
}

func checkBFS(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o, own, maxDepth := g.follow(r)
	sources, text := g.some(r, 3)
	dist, adj := g.distances(o, sources, maxDepth), g.rows(o)
	if r.IntN(2) == 0 {
		own = append(own, "variant: '"+[]string{"Push", "pull", "switching", "edge-centric", "auto"}[r.IntN(5)]+"'")
	}
	query = o.call("bfs", append([]string{text}, own...)...)
	rows := allRows(t, db, query, g.workers)
	for _, row := range rows {
		v, parent := g.node(int64(row[0].(motif.Node).ID)), row[2]
		if u, ok := parent.(motif.Node); ok {
			p := g.node(int64(u.ID))
			if dist[p] != dist[v]-1 || adj[p]>>v&1 == 0 {
				return query, fmt.Sprintf("the parent of %d is %d", row[0].(motif.Node).ID, u.ID)
			}
		} else if dist[v] != 0 {
			return query, fmt.Sprintf("%d has no parent", row[0].(motif.Node).ID)
		}
	}
	var got, want []string
	for _, row := range rows {
		got = append(got, fmt.Sprint(row[0].(motif.Node).ID, row[1]))
	}
	for v, d := range dist {
		if d >= 0 {
			want = append(want, fmt.Sprint(g.ids[v], d))
		}
	}
	return query, differ(got, want)
}

func checkShortestPath(t *testing.T, db *motif.DB, g *toyGraph, r *rand.Rand) (query, wrong string) {
	o, own, maxDepth := g.follow(r)
	from, fromText := g.some(r, 2)
	to, toText := g.some(r, 2)
	best := -1
	for v, d := range g.distances(o, from, maxDepth) {
		if to>>v&1 == 1 && d >= 0 && (best < 0 || d < best) {
			best = d
		}
	}
	if bits.OnesCount64(from) == 1 && bits.OnesCount64(to) == 1 {
		fromText, toText = strings.Trim(fromText, "[]"), strings.Trim(toText, "[]")
	}
	query = o.call("shortestPath", append([]string{fromText, toText}, own...)...)
	rows := allRows(t, db, query, g.workers)
	if best < 0 {
		return query, differ(lines(rows), nil)
	}
	if len(rows) != 1 || rows[0][1] != int64(best) {
		return query, fmt.Sprintf("gave %v, want one of length %d", rows, best)
	}
	return query, g.walks(o, rows[0][0].(motif.Path), from, to, best)
}

// walks says what is wrong with a path.
func (g *toyGraph) walks(o *toyOptions, p motif.Path, from, to uint64, length int) string {
	if len(p.Nodes) != length+1 || len(p.Relationships) != length {
		return fmt.Sprintf("the path %v is not of length %d", p, length)
	}
	first, last := g.node(int64(p.Nodes[0].ID)), g.node(int64(p.Nodes[length].ID))
	if from>>first&1 == 0 || to>>last&1 == 0 {
		return fmt.Sprintf("the path %v begins or ends at another node", p)
	}
	for i, r := range p.Relationships {
		v, w := p.Nodes[i].ID, p.Nodes[i+1].ID
		way := map[string]bool{"OUT": r.Start == v && r.End == w, "IN": r.Start == w && r.End == v}
		way["BOTH"] = way["OUT"] || way["IN"]
		j := slices.IndexFunc(g.rels, func(x toyRel) bool { return x.id == int64(r.ID) })
		if !way[o.direction] || j < 0 || o.types != nil && !slices.Contains(o.types, g.rels[j].typ) {
			return fmt.Sprintf("the path %v cannot take relationship %d", p, r.ID)
		}
	}
	for _, n := range p.Nodes {
		if o.within>>g.node(int64(n.ID))&1 == 0 {
			return fmt.Sprintf("the path %v goes through %d", p, n.ID)
		}
	}
	return ""
}
