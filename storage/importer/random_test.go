package importer

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The loads of random files are compared with readers written line by line from the formats' definitions, which
// share nothing with the importers but the form of dump.

// plainGraph is what such a reader makes of a file.
type plainGraph struct {
	ids      []string // as dump prints them, by number
	labels   map[string]string
	props    map[string]string // of nodes, by id
	edges    []plainEdge
	directed bool
}

type plainEdge struct{ u, v, typ, props string }

// finish drops what an undirected load drops and prints the graph.
func (g *plainGraph) finish() (text string, loops, duplicates uint64) {
	number := make(map[string]int)
	var b strings.Builder
	for i, id := range g.ids {
		number[id] = i
		fmt.Fprintf(&b, "(%d%s {id: %s%s})\n", i, g.labels[id], id, g.props[id])
	}
	seen := make(map[string]bool)
	var rels []string
	for _, e := range g.edges {
		u, v := number[e.u], number[e.v]
		if !g.directed {
			u, v = min(u, v), max(u, v)
			key := fmt.Sprint(u, v, e.typ)
			if u == v {
				loops++
				continue
			}
			if seen[key] {
				duplicates++
				continue
			}
			seen[key] = true
		}
		rels = append(rels, fmt.Sprintf("(%d)-[:%s%s]->(%d)\n", u, e.typ, e.props, v))
	}
	slices.Sort(rels)
	return b.String() + strings.Join(rels, ""), loops, duplicates
}

// collect numbers the ends of edges as an edge list's rule says.
func (g *plainGraph) collect() {
	set := make(map[string]bool)
	numbers := true
	for _, e := range g.edges {
		set[e.u], set[e.v] = true, true
	}
	for id := range set {
		n, err := strconv.ParseInt(id, 10, 64)
		numbers = numbers && err == nil && strconv.FormatInt(n, 10) == id
		g.ids = append(g.ids, id)
	}
	if numbers {
		sort.Slice(g.ids, func(i, j int) bool { return number(g.ids[i]) < number(g.ids[j]) })
		return
	}
	slices.Sort(g.ids)
	for i, id := range g.ids {
		g.ids[i] = "'" + id + "'"
	}
	for i, e := range g.edges {
		g.edges[i].u, g.edges[i].v = "'"+e.u+"'", "'"+e.v+"'"
	}
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// randomPairs makes edges over few or many ids, small, large, negative or text.
func randomPairs(rng *rand.Rand) (pairs [][2]string) {
	n, kind := 1+rng.IntN(30), rng.IntN(5)
	id := func() string {
		i := int64(rng.IntN(n))
		switch kind {
		case 1:
			i = i*i*i*1e12 - 5
		case 2:
			i -= int64(n / 2)
		case 3:
			i *= 1 << 20
		case 4:
			if rng.IntN(10) == 0 {
				return "n" + strconv.FormatInt(i, 36)
			}
		}
		return strconv.FormatInt(i, 10)
	}
	for range rng.IntN(80) {
		pairs = append(pairs, [2]string{id(), id()})
	}
	return pairs
}

func eol(rng *rand.Rand) string { return []string{"\n", "\n", "\r\n"}[rng.IntN(3)] }

// randomFile is one file with the graph that it stands for.
type randomFile func(rng *rand.Rand, directed bool) (text string, want plainGraph)

func randomEdges(rng *rand.Rand, _ bool) (string, plainGraph) {
	var b strings.Builder
	var g plainGraph
	b.WriteString("# c\n")
	for _, p := range randomPairs(rng) {
		g.edges = append(g.edges, plainEdge{p[0], p[1], EdgeType, ""})
		b.WriteString([]string{"", " ", "# x y\n", "\n", "%\n", "\r\n"}[rng.IntN(6)])
		b.WriteString(p[0] + []string{" ", "\t", " \t "}[rng.IntN(3)] + p[1] + []string{"", " ", " 0.5"}[rng.IntN(3)] + eol(rng))
	}
	if namesAlone(g.edges) {
		g.edges = g.edges[1:]
	}
	g.collect()
	return cutEnd(rng, b.String()), g
}

// namesAlone reports whether the first pair is read as the names of the columns: two words, and numbers below.
func namesAlone(edges []plainEdge) bool {
	word := func(id string) bool { return strings.HasPrefix(id, "n") }
	return len(edges) > 1 && word(edges[0].u) && word(edges[0].v) && edges[0].u != edges[0].v &&
		!slices.ContainsFunc(edges[1:], func(e plainEdge) bool { return word(e.u) || word(e.v) })
}

// cutEnd drops the last line end now and then.
func cutEnd(rng *rand.Rand, text string) string {
	if rng.IntN(4) == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text
}

func randomCSV(rng *rand.Rand, _ bool) (string, plainGraph) {
	var b bytes.Buffer
	var g plainGraph
	w := csv.NewWriter(&b)
	w.Comma = rune(delimiters[rng.IntN(len(delimiters))])
	w.UseCRLF = rng.IntN(2) == 0
	w.Write([]string{"from", "to"})
	awkward := []string{"a,b", "say \"hi\"", "two\nlines", "x|y", "\"", "\n\n", "é"}
	for _, p := range randomPairs(rng) {
		for k := range p {
			if rng.IntN(20) == 0 {
				p[k] = awkward[rng.IntN(len(awkward))]
			}
		}
		w.Write(p[:])
	}
	w.Flush()
	text := b.String()
	r := csv.NewReader(strings.NewReader(text)) // which turns CRLF inside a field into LF
	r.Comma = w.Comma
	rows, err := r.ReadAll()
	if err != nil {
		panic(err)
	}
	for _, row := range rows[1:] {
		g.edges = append(g.edges, plainEdge{row[0], row[1], EdgeType, ""})
	}
	if w.UseCRLF {
		text = strings.ReplaceAll(text, "two\r\nlines", "two\nlines")
		text = strings.ReplaceAll(text, "\"\r\n\r\n\"", "\"\n\n\"")
	}
	g.collect()
	for i := range g.ids {
		g.ids[i] = strings.NewReplacer("\n", `\n`).Replace(g.ids[i])
	}
	for i, e := range g.edges {
		g.edges[i].u, g.edges[i].v = strings.ReplaceAll(e.u, "\n", `\n`), strings.ReplaceAll(e.v, "\n", `\n`)
	}
	return text, g
}

func randomTVE(rng *rand.Rand, _ bool) (string, plainGraph) {
	g := plainGraph{labels: make(map[string]string)}
	n, spread := 1+rng.IntN(20), 1+rng.IntN(3)
	typed := rng.IntN(2) == 0
	var lines []string
	for i := range n {
		id, label := strconv.Itoa(i*spread-3), strconv.Itoa(rng.IntN(4))
		g.ids = append(g.ids, id)
		g.labels[id] = ":L" + label
		lines = append(lines, "v "+id+" "+label+[]string{"", " 7"}[rng.IntN(2)])
	}
	distinct := make(map[string]bool)
	for range rng.IntN(60) {
		e := plainEdge{u: g.ids[rng.IntN(n)], v: g.ids[rng.IntN(n)]}
		line := "e " + e.u + "  " + e.v
		if typed && rng.IntN(5) > 0 {
			e.typ = strconv.Itoa(rng.IntN(3))
			line += " " + e.typ
		}
		distinct[e.typ] = true
		g.edges = append(g.edges, e)
		lines = append(lines, line)
	}
	for i, e := range g.edges {
		g.edges[i].typ = EdgeType
		if e.typ != "" && len(distinct) > 1 {
			g.edges[i].typ = "E" + e.typ
		}
	}
	if rng.IntN(2) == 0 {
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		var edges []plainEdge // in the order of the file
		for _, line := range lines {
			if w := strings.Fields(line); w[0] == "e" {
				typ := EdgeType
				if len(w) > 3 && len(distinct) > 1 {
					typ = "E" + w[3]
				}
				edges = append(edges, plainEdge{w[1], w[2], typ, ""})
			}
		}
		g.edges = edges
	}
	head := []string{fmt.Sprintf("t %d %d\n", n, len(g.edges)), fmt.Sprintf("t 0 %d\r\n", n), "t # 5\n", ""}[rng.IntN(4)]
	return cutEnd(rng, head+strings.Join(lines, eol(rng))+"\n"), g
}

func randomLAW(rng *rand.Rand, _ bool) (string, plainGraph) {
	var b strings.Builder
	var g plainGraph
	n := rng.IntN(20)
	fmt.Fprintf(&b, "%d\n", n)
	for u := range n {
		g.ids = append(g.ids, strconv.Itoa(u))
		for range rng.IntN(4) * rng.IntN(3) {
			v := strconv.Itoa(rng.IntN(n))
			g.edges = append(g.edges, plainEdge{strconv.Itoa(u), v, EdgeType, ""})
			b.WriteString(v + []string{" ", "\t"}[rng.IntN(2)])
		}
		b.WriteString(eol(rng))
	}
	return cutEnd(rng, b.String()), g
}

func randomMETIS(rng *rand.Rand, directed bool) (string, plainGraph) {
	g := plainGraph{props: make(map[string]string)}
	n := rng.IntN(15)
	type entry struct{ v, w int }
	rows, m := make([][]entry, n), 0
	for range rng.IntN(40) {
		if n < 2 {
			break
		}
		u, v, w := rng.IntN(n), rng.IntN(n), rng.IntN(100)-20
		if u != v {
			rows[u], rows[v] = append(rows[u], entry{v, w}), append(rows[v], entry{u, w})
			m++
		}
	}
	sizes, weights, ncon := rng.IntN(2), rng.IntN(2), rng.IntN(3)
	var b strings.Builder
	fmt.Fprintf(&b, "%% c\n%d %d %d%d%d", n, m, sizes, min(ncon, 1), weights)
	if ncon > 1 {
		fmt.Fprintf(&b, " %d", ncon)
	}
	b.WriteString("\n")
	for u, row := range rows {
		id := strconv.Itoa(u + 1)
		g.ids = append(g.ids, id)
		if sizes > 0 {
			fmt.Fprintf(&b, "%d ", u*3)
			g.props[id] += fmt.Sprintf(", size: %d", u*3)
		}
		for k := range ncon {
			name := "weight"
			if ncon > 1 {
				name += strconv.Itoa(k + 1)
			}
			fmt.Fprintf(&b, "%d ", u-k)
			g.props[id] += fmt.Sprintf(", %s: %d", name, u-k)
		}
		for _, e := range row {
			fmt.Fprintf(&b, "%d ", e.v+1)
			props := ""
			if weights > 0 {
				fmt.Fprintf(&b, "%d ", e.w)
				props = fmt.Sprintf(" {weight: %d}", e.w)
			}
			if directed || e.v > u {
				g.edges = append(g.edges, plainEdge{id, strconv.Itoa(e.v + 1), EdgeType, props})
			}
		}
		b.WriteString(eol(rng))
		if rng.IntN(8) == 0 {
			b.WriteString("% c\n")
		}
	}
	return b.String(), g
}

func TestRandomGraphs(t *testing.T) {
	makers := map[string]randomFile{FormatEdges: randomEdges, FormatCSV: randomCSV, FormatTVE: randomTVE, FormatLAW: randomLAW, FormatMETIS: randomMETIS}
	for format, random := range makers {
		t.Run(format, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			for round := range uint64(400) {
				rng := rand.New(rand.NewPCG(seed, round))
				directed := rng.IntN(2) == 0
				text, g := random(rng, directed)
				g.directed = directed
				want, loops, duplicates := g.finish()
				spec := Spec{Files: []string{"g"}, Format: format, Directed: directed, Workers: 1 + rng.IntN(4), FS: memory(map[string]string{"g": text})}
				s, r, err := loadChunks(spec, 1+rng.IntN(100))
				if err != nil {
					t.Fatalf("seed %d, round %d: %v in\n%s", seed, round, err, text)
				}
				if diff := cmp.Diff(want, dump(s)); diff != "" || r.Loops != loops || r.Duplicates != duplicates {
					t.Fatalf("seed %d, round %d: %+v, want %d loops, %d duplicates; graph (-want +got)\n%s\nof\n%s", seed, round, r, loops, duplicates, diff, text)
				}
			}
		})
	}
}

// TestRandomProperties writes random tables with encoding/csv and compares the graph with the tables.
func TestRandomProperties(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	words := []string{"", "a", "b c", " d", "\"", "x\"y", "two\nlines", "é,|;\té", "7", "\n", "'"}
	for round := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, round))
		delim := rune(",|\t;"[rng.IntN(4)])
		table := func(header string, rows [][]string) string {
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			w.Comma = delim
			w.Write(strings.Split(header, ","))
			w.WriteAll(rows)
			return b.String()
		}
		n := 1 + rng.IntN(20)
		var nodes, rels [][]string
		var want strings.Builder
		for i := range n {
			word, num := words[rng.IntN(len(words))], rng.IntN(1000)-500
			nodes = append(nodes, []string{word, "n" + strconv.Itoa(i), strconv.Itoa(num)})
			fmt.Fprintf(&want, "(%d:N {k: %d", i, num)
			if word != "" {
				fmt.Fprintf(&want, ", s: %s", quoted(word))
			}
			want.WriteString("})\n")
		}
		var lines []string
		for range rng.IntN(40) {
			u, v, word := rng.IntN(n), rng.IntN(n), words[1+rng.IntN(len(words)-1)]
			rels = append(rels, []string{"n" + strconv.Itoa(v), word, "n" + strconv.Itoa(u)})
			lines = append(lines, fmt.Sprintf("(%d)-[:R {s: %s}]->(%d)\n", u, quoted(word), v))
		}
		slices.Sort(lines)
		spec := Spec{
			FS:            memory(map[string]string{"n": table("s:string,:ID,k:int", nodes), "r": table(":END_ID,s:string,:START_ID", rels)}),
			Nodes:         nodeFiles("N=n"),
			Relationships: relFiles("R=r"),
			Workers:       1 + rng.IntN(4),
		}
		s, _, err := loadChunks(spec, 1+rng.IntN(60))
		if err != nil {
			t.Fatalf("seed %d, round %d: %v", seed, round, err)
		}
		if diff := cmp.Diff(want.String()+strings.Join(lines, ""), dump(s)); diff != "" {
			t.Fatalf("seed %d, round %d: graph (-want +got)\n%s", seed, round, diff)
		}
	}
}

// quoted writes a string as dump does.
func quoted(s string) string {
	return "'" + strings.NewReplacer("\n", `\n`, "\t", `\t`, "'", `\'`).Replace(s) + "'"
}
