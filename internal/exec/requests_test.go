package exec

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/planner"
)

// Requests lists what an operator asks when it runs.
func TestRequests(t *testing.T) {
	s := line(t, 5)
	for text, want := range map[string]string{
		"MATCH (a)-->(b) RETURN a, b": "filter, join",
		"MATCH (a) RETURN a.x":        "filter",
		"MATCH DISTINCT SUBGRAPHS (a),(b),(c) WHERE IS_CLIQUE([a,b,c]) RETURN count(*)":   "filter, cliques",
		"MATCH DISTINCT SUBGRAPHS (a),(b),(c) WHERE IS_CLIQUE([a,b,c]) RETURN a, b, c":    "filter, lists of cliques",
		"CALL algo.triangleCount() YIELD count RETURN count":                              "triangles",
		"CALL algo.cliqueCount({size: 3}) YIELD count RETURN count":                       "cliques",
		"CALL algo.cliqueCount() YIELD size, count RETURN count":                          "cliques of every size",
		"CALL algo.cliqueCount({size: 9}) YIELD count RETURN count":                       "", // the graph has fewer nodes
		"CALL algo.cliques({size: 2}) YIELD nodes RETURN nodes":                           "lists of cliques",
		"CALL algo.maximalCliques() YIELD nodes RETURN nodes":                             "maximal cliques",
		"CALL algo.maximumClique() YIELD nodes RETURN nodes":                              "maximum clique",
		"CALL algo.kcore({direction: 'mutual'}) YIELD core RETURN core":                   "cores",
		"CALL algo.ktruss({k: 'max'}) YIELD truss RETURN truss":                           "trusses",
		"MATCH (a) CALL algo.bfs(a) YIELD depth RETURN depth":                             "breadth-first search",
		"CALL algo.shortestPath(0, 3) YIELD length RETURN length":                         "", // its ends are known when it runs
		"CALL algo.connectedComponents({direction: 'OUT'}) YIELD component RETURN 1 AS x": "components",
		"CALL algo.diameter() YIELD length RETURN length":                                 "diameter",
		"CALL algo.closeness({variant: 'harmonic'}) YIELD score RETURN score":             "closeness",
		"CALL algo.betweenness() YIELD score RETURN score":                                "betweenness",
		"CALL algo.labelPropagation() YIELD community RETURN community":                   "label propagation",
		"CALL algo.louvain({resolution: 2}) YIELD community RETURN community":             "Louvain",
		"CALL algo.nodeSimilarity({direction: 'BOTH'}) YIELD source RETURN source":        "node similarity",
		"CALL algo.clusteringCoefficient() YIELD node RETURN node":                        "triangles",
		"MATCH (a) CALL algo.dijkstra(a) YIELD distance RETURN distance":                  "weighted distances",
		"CALL algo.aStar(0, 3, {estimate: 'x'}) YIELD cost RETURN cost":                   "", // its ends are known when it runs
		"CALL algo.pageRank() YIELD score RETURN score":                                   "page rank",
		"CALL algo.articleRank({label: 'A'}) YIELD score RETURN score":                    "article rank",
		"CALL algo.eigenvector({direction: 'BOTH'}) YIELD score RETURN score":             "eigenvector centrality",
		"CALL algo.degree({normalize: true}) YIELD score RETURN score":                    "degrees",
		"CALL algo.motifs({size: 5}) YIELD count RETURN count":                            "motifs",
		"CALL algo.motifs({size: 3, directed: true}) YIELD count RETURN count":            "triads",
		"CALL algo.motifs({size: 4, directed: true}) YIELD count RETURN count":            "",
		"CALL algo.orbits({size: 4}) YIELD orbits RETURN orbits":                          "orbits of graphlets",
		"CALL db.labels() YIELD label RETURN label":                                       "",
		"CALL algo.kcore({variant: 'magic'}) YIELD core RETURN core":                      "",
	} {
		d := new(noting)
		q := &query{s: s, device: d}
		q.parse(t, text)
		plan := q.plan
		var kinds []string
		for n := plan.Root; n != nil; {
			if list := Requests(plan, s, n); len(list) > 0 || isAsking(n) {
				for _, r := range list {
					kinds = append(kinds, r.Kind.String())
				}
				break
			}
			inputs := n.Inputs()
			if len(inputs) == 0 {
				break
			}
			n = inputs[0]
		}
		if got := strings.Join(kinds, ", "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if want == "" {
			continue
		}
		if _, err := q.rows(t, text); err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			if !slices.Contains(d.kinds, kind) {
				t.Errorf("%s: asked for %v, expected %s", text, d.kinds, kind)
			}
		}
	}
}

func isAsking(n planner.Node) bool {
	_, call := n.(*planner.Call)
	return call
}

// noting is brute force that notes what it is asked.
type noting struct {
	testgraph.Brute
	kinds []string
}

func (d *noting) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (pattern.Answer, error) {
	d.kinds = append(d.kinds, r.Kind.String())
	return d.Brute.Answer(ctx, r, env)
}
