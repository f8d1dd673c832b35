package lang

import "strings"

// foreignCalls are the algorithms of Neo4j's Graph Data Science library, without gds. before the name and the mode behind it, with the call
// that does the same here.
var foreignCalls = map[string]string{
	"pagerank":                   "CALL algo.pageRank({label: 'Label', type: 'TYPE'}) YIELD node, score",
	"articlerank":                "CALL algo.articleRank({label: 'Label', type: 'TYPE'}) YIELD node, score",
	"eigenvector":                "CALL algo.eigenvector({label: 'Label', type: 'TYPE'}) YIELD node, score",
	"degree":                     "CALL algo.degree({label: 'Label', type: 'TYPE'}) YIELD node, score",
	"closeness":                  "CALL algo.closeness({label: 'Label', type: 'TYPE'}) YIELD node, score",
	"closeness.harmonic":         "CALL algo.closeness({label: 'Label', type: 'TYPE', variant: 'harmonic'}) YIELD node, score",
	"betweenness":                "CALL algo.betweenness({label: 'Label', type: 'TYPE'}) YIELD node, score",
	"wcc":                        "CALL algo.connectedComponents({label: 'Label', type: 'TYPE'}) YIELD node, component",
	"scc":                        "CALL algo.connectedComponents({label: 'Label', type: 'TYPE', direction: 'OUT'}) YIELD node, component",
	"louvain":                    "CALL algo.louvain({label: 'Label', type: 'TYPE'}) YIELD node, community",
	"labelpropagation":           "CALL algo.labelPropagation({label: 'Label', type: 'TYPE'}) YIELD node, community",
	"nodesimilarity":             "CALL algo.nodeSimilarity({label: 'Label', type: 'TYPE'}) YIELD source, target, similarity",
	"trianglecount":              "CALL algo.triangleCount({label: 'Label', type: 'TYPE', perNode: true}) YIELD node, count",
	"localclusteringcoefficient": "CALL algo.clusteringCoefficient({label: 'Label', type: 'TYPE'}) YIELD node, coefficient",
	"kcore":                      "CALL algo.kcore({label: 'Label', type: 'TYPE'}) YIELD node, core",
	"shortestpath.dijkstra":      "CALL algo.kShortestPaths(from, to, {type: 'TYPE', weight: 'key'}) YIELD path, cost",
	"shortestpath.astar":         "CALL algo.aStar(from, to, {type: 'TYPE', weight: 'key', latitude: 'key2', longitude: 'key3'}) YIELD path, cost",
	"shortestpath.yens":          "CALL algo.kShortestPaths(from, to, {k: 3, type: 'TYPE', weight: 'key'}) YIELD path, cost",
	"allshortestpaths.dijkstra":  "CALL algo.dijkstra(start, {type: 'TYPE', weight: 'key'}) YIELD node, distance",
	"bfs":                        "CALL algo.bfs(start, {type: 'TYPE'}) YIELD node, depth",
}

// apocCalls are procedures of APOC, with what does the same here.
var apocCalls = map[string]string{
	"apoc.algo.pagerank":                   foreignCalls["pagerank"],
	"apoc.algo.betweenness":                foreignCalls["betweenness"],
	"apoc.algo.closeness":                  foreignCalls["closeness"],
	"apoc.algo.dijkstra":                   foreignCalls["shortestpath.dijkstra"],
	"pagerank.get":                         foreignCalls["pagerank"],
	"betweenness_centrality.get":           foreignCalls["betweenness"],
	"degree_centrality.get":                foreignCalls["degree"],
	"community_detection.get":              foreignCalls["louvain"],
	"weakly_connected_components.get":      foreignCalls["wcc"],
	"apoc.path.expand":                     "MATCH p = (start)-[:TYPE]-{1,3}(end)",
	"apoc.path.expandconfig":               "MATCH p = (start)-[:TYPE]-{1,3}(end)",
	"apoc.algo.pagerankwithcypher":         "CALL gds.graph.project.cypher(name, nodes, relationships), then CALL gds.pageRank.stream(name)",
	"apoc.do.when":                         "two CALL { }, one with WHERE condition, one with WHERE NOT condition",
	"apoc.do.case":                         "one CALL { } for each case, with WHERE condition",
	"apoc.util.sleep":                      "nothing in its place: queries do not wait",
	"apoc.spatial.geocodeonce":             "point({latitude: $latitude, longitude: $longitude}); a query calls no services",
	"dbms.checkconfigvalue":                "nothing in its place: a store has no settings",
	"dbms.listconfig":                      "nothing in its place: a store has no settings",
	"db.index.vector.querynodes":           "MATCH (n:Label) RETURN n ORDER BY vector.similarity.cosine(n.key, $vector) DESC LIMIT 5",
	"apoc.cypher.doit":                     "CALL { ... }, and labels from an expression as in (n:$(label))",
	"apoc.periodic.iterate":                "MATCH ... CALL (n) { ... } IN TRANSACTIONS",
	"apoc.periodic.commit":                 "one statement without LIMIT, with CALL (n) { ... } IN TRANSACTIONS",
	"apoc.when":                            "two CALL { }, one with WHERE condition, one with WHERE NOT condition",
	"apoc.case":                            "one CALL { } for each case, with WHERE condition",
	"apoc.schema.assert":                   "CREATE INDEX ... IF NOT EXISTS and CREATE CONSTRAINT ... IF NOT EXISTS",
	"apoc.create.setproperty":              "SET n[$key] = value",
	"apoc.create.setproperties":            "SET n += $properties",
	"apoc.create.removelabels":             "REMOVE n:$(labels)",
	"db.info":                              "CALL dbms.components()",
	"db.ping":                              "RETURN true",
	"db.resampleoutdatedindexes":           "nothing in its place: statistics are kept up to date",
	"apoc.create.node":                     "CREATE (n:$(labels) $properties)",
	"apoc.create.relationship":             "CREATE (a)-[r:$(type)]->(b) SET r = $properties",
	"apoc.create.addlabels":                "SET n:$(labels)",
	"apoc.merge.node":                      "MERGE (n:$(labels) {key: $value})",
	"apoc.merge.relationship":              "MERGE (a)-[r:$(type)]->(b)",
	"apoc.refactor.mergenodes":             "MATCH and SET the properties, then MERGE the relationships",
	"apoc.export.json.all":                 "motif export, outside of queries",
	"apoc.export.csv.all":                  "motif export, outside of queries",
	"apoc.import.json":                     "motif load, outside of queries, or CALL apoc.load.json(file)",
	"apoc.load.csv":                        "LOAD CSV WITH HEADERS FROM 'file' AS row",
	"db.awaitindex":                        "nothing in its place: an index is complete when it is made",
	"db.schema":                            "CALL db.schema.visualization()",
	"db.createindex":                       "CREATE INDEX FOR (n:Label) ON (n.key)",
	"db.index.fulltext.createnodeindex":    "CREATE INDEX FOR (n:Label) ON (n.key)",
	"dbms.procedures":                      "SHOW PROCEDURES",
	"dbms.functions":                       "SHOW FUNCTIONS",
	"db.index.fulltext.querynodes":         "MATCH (n:Label) WHERE n.key CONTAINS 'text'",
	"db.index.fulltext.queryrelationships": "MATCH ()-[r:TYPE]->() WHERE r.key CONTAINS 'text'",
}

// isAPOC reports whether a name looks like one of APOC.
func isAPOC(name string) bool { return strings.HasPrefix(strings.ToLower(name), "apoc.") }

const apocHint = "of APOC there is what SHOW PROCEDURES and SHOW FUNCTIONS list"

// otherNames are names that people give to algorithms, with those in foreignCalls.
var otherNames = map[string]string{
	"unionfind": "wcc", "components": "wcc", "weaklyconnectedcomponents": "wcc", "stronglyconnectedcomponents": "scc", "lpa": "labelpropagation",
	"similarity": "nodesimilarity", "jaccard": "nodesimilarity", "similarity.jaccard": "nodesimilarity", "lcc": "localclusteringcoefficient",
	"localclustering": "localclusteringcoefficient", "triangles": "trianglecount", "sssp": "allshortestpaths.dijkstra", "yens": "shortestpath.yens",
	"betweennesscentrality": "betweenness", "closenesscentrality": "closeness", "degreecentrality": "degree", "eigenvectorcentrality": "eigenvector",
	"harmonic": "closeness.harmonic", "kcores": "kcore", "coreness": "kcore", "communities": "louvain", "leiden": "louvain",
}

// algorithmNamed says what to write for the common name of an algorithm, with or without algo. before it and a mode behind it; "" if it is none.
func algorithmNamed(name string) string {
	name = strings.TrimPrefix(strings.ToLower(name), "algo.")
	before, _, _ := cutLast(name)
	for _, name := range []string{name, before} {
		if other := otherNames[name]; other != "" {
			name = other
		}
		if call := foreignCalls[name]; call != "" {
			return "write " + call
		}
	}
	return ""
}

// insteadOf says what to write for a procedure of other engines that is not there; "" if nothing is known.
func insteadOf(name string) string {
	name = strings.ToLower(name)
	if hint := apocCalls[name]; hint != "" {
		return "write " + hint
	}
	rest, ok := strings.CutPrefix(name, "gds.")
	if !ok {
		return ""
	}
	if strings.HasSuffix(rest, ".estimate") {
		return "leave it out: the memory budget of a query ends a call that needs more"
	}
	if strings.HasPrefix(rest, "graph.") {
		return "write CALL gds.graph.project(name, nodes, relationships), or gds.graph.project.cypher"
	}
	for _, tier := range []string{"alpha.", "beta."} {
		rest = strings.TrimPrefix(rest, tier)
	}
	rest, mode, _ := cutLast(rest)
	call := foreignCalls[rest]
	if call == "" {
		return "the algorithms here are algo.*: SHOW PROCEDURES lists them"
	}
	switch _, columns, _ := strings.Cut(call, "YIELD "); mode {
	case "write", "mutate":
		first, second, _ := strings.Cut(columns, ", ")
		if first == "node" {
			call += " SET node.key = " + second
		}
	}
	return "write " + call
}

// cutLast cuts text at its last dot.
func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, '.')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// foreignFunctions are functions of these libraries, with what to write.
var foreignFunctions = map[string]string{
	"gds.alpha.similarity.cosine": "write gds.similarity.cosine()", "gds.alpha.similarity.pearson": "write gds.similarity.pearson(), which takes two lists of numbers",
	"gds.alpha.similarity.asvector": "collect the numbers of both sides in one order, and write gds.similarity.pearson()",
	"gds.alpha.graph.project":       "write CALL gds.graph.project.cypher(name, nodes, relationships)",
	"apoc.node.degree":              "write COUNT { (n)--() }", "apoc.node.degree.in": "write COUNT { (n)<--() }", "apoc.node.degree.out": "write COUNT { (n)-->() }",
	"apoc.agg.statistics": "write min(x), max(x), avg(x) and stDev(x)", "apoc.map.frompairs": "write SET n += {key: value}", "apoc.text.join": "write reduce(s = head(list), x IN tail(list) | s + ', ' + x)",
	"apoc.convert.tofloat": "write toFloat()", "apoc.convert.tointeger": "write toInteger()", "apoc.text.replace": "write replace()",
	"apoc.coll.toset": "write COLLECT { UNWIND list AS x RETURN DISTINCT x }", "apoc.coll.sort": "write COLLECT { UNWIND list AS x RETURN x ORDER BY x }",
	"apoc.coll.sum": "write reduce(s = 0, x IN list | s + x)", "apoc.coll.contains": "write x IN list", "apoc.text.clean": "write toLower() and replace()",
	"apoc.create.vrelationship": "return the type, the start and the end as columns: all relationships are stored", "apoc.create.vnode": "return a map: all nodes are stored",
	"same": "write a = b", "property_exists": "write x.key IS NOT NULL", "apoc.coll.union": "write COLLECT { UNWIND a + b AS x RETURN DISTINCT x }",
	"apoc.coll.subtract": "write [x IN a WHERE NOT x IN b]", "apoc.coll.flatten": "write reduce(l = [], x IN list | l + x)",
	"apoc.coll.avg": "write COLLECT { UNWIND list AS x RETURN avg(x) }[0]", "apoc.meta.type": "write valueType(x)", "apoc.meta.cypher.type": "write valueType(x)",
	"apoc.coll.zip": "write [i IN range(0, size(a) - 1) | [a[i], b[i]]]", "apoc.coll.indexof": "write [i IN range(0, size(list) - 1) WHERE list[i] = x][0]",
	"apoc.coll.reverse": "write reverse(list)", "apoc.map.setkey": "write m {.*, key: value}",
	"apoc.text.split": "write split()", "apoc.any.properties": "write properties(x)", "apoc.date.currenttimestamp": "write timestamp()",
	"graph.names": "leave it out: a store has one graph", "graph.propertiesbyname": "leave it out: a store has one graph",
	"db.namefromelementid": "leave it out: a store has one graph", "genai.vector.encode": "pass the vector as a parameter; a query calls no services",
}
