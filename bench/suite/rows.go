package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/motifql/motif/storage/importer"
)

// Groups of rows.
const (
	Labelled   = "labelled"   // patterns whose vertices ask for a label each
	Sets       = "sets"       // sets of query graphs of the subgraph matching papers
	Unlabelled = "unlabelled" // each subgraph once
	LSQB       = "lsqb"       // the labelled subgraph query benchmark
	Growth     = "growth"     // the same question on graphs of growing size
	Kernels    = "kernels"    // kernels by themselves
	User       = "user"       // queries as people type them, rows that come out and writes
)

// The shapes, by the vertices of their edges.
var (
	cycle3  = [][2]int{{0, 1}, {1, 2}, {0, 2}}
	path4   = [][2]int{{0, 1}, {1, 2}, {2, 3}}
	claw    = [][2]int{{0, 1}, {0, 2}, {0, 3}}
	cycle4  = [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}
	paw     = [][2]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}}
	diamond = [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}
	house   = [][2]int{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}}
	cycle5  = [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}
)

// complete has k vertices, each two joined.
func complete(k int) (edges [][2]int) {
	for v := range k {
		for u := range v {
			edges = append(edges, [2]int{u, v})
		}
	}
	return edges
}

// kron is the undirected simple graph of 2^scale vertices and at most 16 times as many edges by Graph500's parameters. labels deals
// so many labels; 0: none.
func kron(scale, labels int) *graph {
	g := &graph{name: fmt.Sprintf("kron%d", scale), scale: scale, labels: labels}
	if labels > 0 {
		g.name += "-labelled"
	}
	return g
}

// rows are all rows, with growing graphs up to a scale.
func rows(scale int) (all []row) {
	kron16, kron18 := kron(16, 0), kron(18, 0)
	kron16Labelled := kron(16, 5)
	wikiVote := &graph{name: "wiki-Vote", file: "wiki-Vote.txt.zst"}
	add := func(group string, g *graph, prefix string, list ...row) {
		for _, r := range list {
			r.group, r.graph, r.name = group, g, prefix+"/"+r.name
			if ref, ok := references[r.name]; ok {
				r.ref = ref
			}
			all = append(all, r)
		}
	}
	add(Labelled, &graph{name: "slashdot-labelled", file: "soc-Slashdot0902.txt.zst", labels: 5}, "slashdot",
		row{name: "triangle", ask: labelled(cycle3)}, row{name: "diamond", ask: labelled(diamond)},
		row{name: "clique4", ask: labelled(complete(4))}, row{name: "cycle4", ask: labelled(cycle4)},
		row{name: "house", ask: labelled(house)}, row{name: "cycle5", ask: labelled(cycle5)})
	add(Labelled, kron16Labelled, "kron16",
		row{name: "diamond", ask: labelled(diamond)}, row{name: "clique4", ask: labelled(complete(4))},
		row{name: "cycle4", ask: labelled(cycle4)}, row{name: "clique5", ask: labelled(complete(5))})
	addSets(add)
	add(Unlabelled, wikiVote, "wiki-Vote",
		row{name: "diamond", ask: distinct(diamond)}, row{name: "cycle4", ask: distinct(cycle4)},
		row{name: "house", ask: distinct(house)},
		row{name: "motifs4", ask: induced(path4, claw, cycle4, paw, diamond, complete(4))})
	add(Unlabelled, kron16, "kron16", row{name: "triangles", ask: distinct(cycle3)})
	addLSQB(add)
	for s := 14; s <= scale; s += 2 {
		g, withLabels := kron(s, 0), kron(s, 5)
		switch s {
		case 16:
			g, withLabels = kron16, kron16Labelled
		case 18:
			g = kron18
		}
		at := func(shape string) string { return fmt.Sprintf("%s-%d", shape, s) }
		add(Growth, g, "growth", row{name: at("triangle"), ask: distinct(cycle3)}, row{name: at("clique4"), ask: distinct(complete(4))})
		add(Growth, withLabels, "growth", row{name: at("house"), ask: labelled(house)})
	}
	addKernels(add, kron16, kron18, wikiVote)
	addUser(add, wikiVote)
	return all
}

type adder func(group string, g *graph, prefix string, list ...row)

// addKernels adds the rows of kernels by themselves.
func addKernels(add adder, kron16, kron18, wikiVote *graph) {
	add(Kernels, &graph{name: "slashdot", file: "soc-Slashdot0902.txt.zst"}, "slashdot",
		row{name: "k4", ask: cliques(4)}, row{name: "k8", ask: cliques(8)}, row{name: "trusses", ask: trusses})
	add(Kernels, &graph{name: "enron", file: "email-Enron.txt.zst"}, "enron", row{name: "k5", ask: cliques(5)}, row{name: "k8", ask: cliques(8)})
	add(Kernels, &graph{name: "stanford3", file: "fb100-Stanford3.txt.zst"}, "stanford3",
		row{name: "k6", ask: cliques(6)}, row{name: "k8", ask: cliques(8)})
	add(Kernels, wikiVote, "wiki-Vote", row{name: "k12", ask: cliques(12)}, row{name: "k14", ask: cliques(14)})
	add(Kernels, kron16, "kron16", row{name: "k4", ask: cliques(4)}, row{name: "tc", ask: triangles}, row{name: "trusses", ask: trusses})
	add(Kernels, kron18, "kron18", row{name: "cores", ask: cores}, row{name: "tc", ask: triangles},
		row{name: "bfs", ask: searches}, row{name: "trusses", ask: trusses})
}

// inFile loads one file of an archive.
func inFile(name string) func(dir string) (importer.Spec, error) {
	return func(dir string) (importer.Spec, error) {
		return importer.Spec{Files: []string{filepath.Join(dir, filepath.FromSlash(name))}}, nil
	}
}

// addSets adds the sets of query graphs. Where matches are limited, so many of each query graph are found and then left.
func addSets(add adder) {
	const first = 100_000
	add(Sets, &graph{name: "hprd", file: "lsm_hprd.tar.zst", spec: inFile("hprd_rapids_test/data_graph/HPRD.graph")}, "hprd",
		row{name: "dense16", ask: patternFiles("hprd_rapids_test/query_graph/query_dense_16_%d.graph", 200, 0)})
	add(Sets, &graph{name: "wordnet", file: "lsm_wordnet.tar.zst", spec: inFile("wordnet/data_graph/wordnet.graph")}, "wordnet",
		row{name: "dense16", ask: patternFiles("wordnet/query_graph/query_dense_16_%d.graph", 15, first)})
	yeast := &graph{name: "yeast", file: "lsm_yeast.tar.zst", spec: inFile("yeast/data_graph/yeast.graph")}
	for _, set := range []string{"dense_8", "sparse_8", "dense_16", "sparse_16"} {
		add(Sets, yeast, "yeast", row{name: strings.ReplaceAll(set, "_", ""),
			ask: patternFiles("yeast/query_graph/query_"+set+"_%d.graph", 50, first)})
	}
}

const (
	lsqbExample = "lsqb_sf0.003.tar.zst"
	lsqbTenth   = "lsqb_sf0.1_partial.tar.zst"
)

// addLSQB adds the nine queries on the example graph, and three on scale factor 0.1.
func addLSQB(add adder) {
	example := &graph{name: "lsqb-example", file: lsqbExample, spec: func(dir string) (importer.Spec, error) {
		data := filepath.Join(dir, "data", "social-network-sfexample-projected-fk")
		files, err := os.ReadDir(data)
		if err != nil {
			return importer.Spec{}, err
		}
		var list []string
		for _, f := range files {
			list = append(list, strings.TrimSuffix(f.Name(), ".csv"))
		}
		return lsqbSpec(data, list...), nil
	}}
	tenth := &graph{name: "lsqb-0.1", file: lsqbTenth, also: []string{lsqbExample}, spec: func(dir string) (importer.Spec, error) {
		return lsqbSpec(filepath.Join(dir, "dataset", "lsqb-sf01"), "Person", "City", "Country", "Tag",
			"Person_isLocatedIn_City", "City_isPartOf_Country", "Person_knows_Person", "Person_hasInterest_Tag"), nil
	}}
	for i := 1; i <= 9; i++ {
		name := fmt.Sprintf("q%d", i)
		add(LSQB, example, "lsqb-example", row{name: name, ask: textFile("cypher/" + name + ".cypher")})
	}
	for _, name := range []string{"q3", "q6", "q9"} {
		add(LSQB, tenth, "lsqb-0.1", row{name: name, ask: textFile("cypher/" + name + ".cypher")})
	}
}

// lsqbSpec loads files named Label.csv and Source_relation_Target.csv; types are named as in the queries.
func lsqbSpec(dir string, files ...string) (spec importer.Spec) {
	for _, name := range files {
		path := filepath.Join(dir, name+".csv")
		if parts := strings.Split(name, "_"); len(parts) > 1 {
			spec.Relationships = append(spec.Relationships, importer.RelationshipFile{Type: upperSnake(parts[1]), Paths: []string{path}})
			continue
		}
		labels := []string{name}
		if name == "Comment" || name == "Post" {
			labels = append(labels, "Message")
		}
		spec.Nodes = append(spec.Nodes, importer.NodeFile{Labels: labels, Paths: []string{path}})
	}
	return spec
}

// upperSnake turns isPartOf into IS_PART_OF.
func upperSnake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToUpper(b.String())
}
