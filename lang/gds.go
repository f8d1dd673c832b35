package lang

import (
	"slices"
	"strings"
)

// GdsProcedures lists the procedures that Neo4j's Graph Data Science library has, too, as far as they are here. Their code is in
// internal/exec/gds_table.go, docs/gds.md describes them.
var GdsProcedures = slices.Concat(gdsCatalog, gdsAlgorithms())

// gdsByName has them, and apoc.cypher.run, by lower-case name.
var gdsByName = func() map[string]*Procedure {
	by := map[string]*Procedure{}
	for i := range GdsProcedures {
		p := &GdsProcedures[i]
		p.Effect = true
		by[strings.ToLower(p.Name)] = p
	}
	return by
}()

// Arguments and options of procedures of projections.
var (
	gdsName = ProcedureArgument{Name: "graph", kinds: kString}
	gdsSelf = cols("graphName", kString, "nodeCount", kInt, "relationshipCount", kInt)

	gdsMade      = cols("graphName", kString, "nodeProjection", kAny, "nodeCount", kInt, "relationshipProjection", kAny, "relationshipCount", kInt, "projectMillis", kInt)
	gdsMadeByTwo = cols("graphName", kString, "nodeQuery", kString, "nodeCount", kInt, "relationshipQuery", kString, "relationshipCount", kInt, "projectMillis", kInt)
	gdsListed    = append(slices.Clone(gdsSelf), cols("sizeInBytes", kInt, "creationTime", kTemporal, "database", kString)...)

	gdsNoEffect = []ProcedureOption{
		gdsIdle("concurrency", kInt, "leave it out: the number of threads is that of the query"),
		gdsIdle("readConcurrency", kInt, "leave it out: the number of threads is that of the query"),
		gdsIdle("writeConcurrency", kInt, "leave it out: the number of threads is that of the query"),
		gdsIdle("logProgress", kBool, "leave it out: a long query shows its progress"),
		gdsIdle("sudo", kBool, "leave it out: the memory budget of the query limits it"),
		gdsIdle("jobId", kAny, "leave it out"),
	}
	gdsParts = []ProcedureOption{
		{Name: "nodeLabels", Help: "only nodes with one of these labels of the projection", kinds: kList | kString},
		{Name: "relationshipTypes", Help: "only relationships of these types of the projection", kinds: kList | kString},
	}
	gdsInline = []ProcedureOption{
		{Name: "nodeQuery", Help: "a query that gives the nodes: id, labels and properties", kinds: kString},
		{Name: "relationshipQuery", Help: "a query that gives the relationships: source, target, type and properties", kinds: kString},
		{Name: "nodeProjection", Help: "which nodes", kinds: kString | kList | kMap},
		{Name: "relationshipProjection", Help: "which relationships", kinds: kString | kList | kMap},
		{Name: "nodeProperties", Help: "which properties of nodes", kinds: kString | kList | kMap},
		{Name: "relationshipProperties", Help: "which properties of relationships", kinds: kString | kList | kMap},
		{Name: "parameters", Help: "the parameters of the queries", kinds: kMap},
	}
	gdsWeight       = ProcedureOption{Name: "relationshipWeightProperty", Help: "the property of relationships that is their weight; without it, each weighs 1", kinds: kString}
	gdsConsecutive  = ProcedureOption{Name: "consecutiveIds", Help: "true: number the communities 0, 1, 2 and so on", kinds: kBool}
	gdsLeast        = ProcedureOption{Name: "minCommunitySize", Help: "only nodes of communities that are at least so large", Least: 0, kinds: kInt}
	gdsLeastPart    = ProcedureOption{Name: "minComponentSize", Help: "only nodes of components that are at least so large", Least: 0, kinds: kInt}
	gdsDamping      = ProcedureOption{Name: "dampingFactor", Help: "the probability that a walk goes on, from 0 to 0.999; without it, 0.85", kinds: kNumber}
	gdsSources      = ProcedureOption{Name: "sourceNodes", Help: "a node, or a list of nodes, at which walks start", kinds: kNode | kInt | kList}
	gdsRounds       = gdsIdle("maxIterations", kInt, "leave it out: scores are the limit of the iteration")
	gdsTolerance    = gdsIdle("tolerance", kNumber, "leave it out: scores are the limit of the iteration")
	gdsOrientation  = ProcedureOption{Name: "orientation", Help: "which relationships of a node count; the default is 'NATURAL'", Words: []string{"NATURAL", "REVERSE", "UNDIRECTED"}, kinds: kString}
	gdsWriteKey     = ProcedureOption{Name: "writeProperty", Help: "the property of the stored nodes or relationships to write", Needed: true, kinds: kString}
	gdsWriteType    = ProcedureOption{Name: "writeRelationshipType", Help: "the type of the relationships to create", Needed: true, kinds: kString}
	gdsMutateKey    = ProcedureOption{Name: "mutateProperty", Help: "the property of the projection to add", Needed: true, kinds: kString}
	gdsMutateType   = ProcedureOption{Name: "mutateRelationshipType", Help: "the type of the relationships to add to the projection", Needed: true, kinds: kString}
	gdsDistribution = kMap
)

func gdsIdle(name string, k kinds, help string) ProcedureOption {
	return ProcedureOption{Name: name, Help: help, kinds: k, Idle: true}
}

// gdsCatalog are the procedures that make, list and drop projections, and apoc.cypher.run, which runs a query as they do.
var gdsCatalog = slices.Concat(
	gdsProject("gds.graph.project", gdsMade, "nodeProjection", "relationshipProjection", kString|kList|kMap,
		ProcedureOption{Name: "nodeProperties", Help: "which properties of nodes", kinds: kString | kList | kMap},
		ProcedureOption{Name: "relationshipProperties", Help: "which properties of relationships", kinds: kString | kList | kMap}),
	gdsProject("gds.graph.project.cypher", gdsMadeByTwo, "nodeQuery", "relationshipQuery", kString,
		ProcedureOption{Name: "parameters", Help: "the parameters of the queries", kinds: kMap},
		ProcedureOption{Name: "validateRelationships", Help: "false: leave out relationships between nodes that the first query does not give; without it, they are an error", kinds: kBool}),
	[]Procedure{
		{Name: "gds.graph.list", Brief: "the projections", Help: "the projections, or the one of a name", Columns: gdsListed, Arguments: []ProcedureArgument{gdsName}, spare: 1},
		{Name: "gds.graph.exists", Brief: "whether there is a projection", Help: "whether there is a projection of a name", Columns: cols("graphName", kString, "exists", kBool),
			Arguments: []ProcedureArgument{gdsName}},
		{Name: "gds.graph.drop", Brief: "drops a projection", Help: "drops a projection; false as the second argument: if there is one", Columns: gdsListed,
			Arguments: []ProcedureArgument{gdsName, {Name: "failIfMissing", kinds: kBool}}, spare: 1},
		{Name: "gds.graph.writeRelationship", Brief: "stores relationships of a projection", Help: "creates the relationships of one type of a projection in the stored graph", Writes: true,
			Arguments: []ProcedureArgument{gdsName, {Name: "relationshipType", kinds: kString}, {Name: "relationshipProperty", kinds: kString}}, spare: 1,
			Columns: cols("graphName", kString, "relationshipType", kString, "relationshipProperty", kString|kNull, "relationshipsWritten", kInt, "propertiesWritten", kInt)},
		{Name: "gds.list", Brief: "the procedures of projections", Help: "the procedures whose names begin with gds", Columns: cols("name", kString, "description", kString, "signature", kString, "type", kString)},
		{Name: "apoc.cypher.run", Brief: "runs a query", Help: "runs a query that only reads: each of its rows is a map", Columns: cols("value", kMap),
			Arguments: []ProcedureArgument{{Name: "query", kinds: kString}, {Name: "parameters", kinds: kMap | kNull}}},
	})

// gdsProject is a procedure that makes a projection, by its name and by the one it had before.
func gdsProject(name string, columns []ProcedureColumn, nodes, rels string, k kinds, own ...ProcedureOption) []Procedure {
	p := Procedure{Name: name, Brief: "makes a projection", Help: "makes a graph of a part of the stored graph, for calls of gds", Columns: columns,
		Arguments: []ProcedureArgument{gdsName, {Name: nodes, kinds: k}, {Name: rels, kinds: k}}, Options: slices.Concat(own, gdsNoEffect)}
	old := p
	old.Name = strings.Replace(name, ".project", ".create", 1)
	return []Procedure{p, old}
}

// gdsAlgorithm is an algorithm with what it gives for each node or pair, and about all of them.
type gdsAlgorithm struct {
	name, brief   string
	stream, stats []ProcedureColumn
	options       []ProcedureOption
	pairs         bool // it gives relationships
	only          bool // there is a stream only
}

// gdsAlgorithms makes the procedures of each algorithm: one for each thing that can become of what it gives.
func gdsAlgorithms() (list []Procedure) {
	scores := cols("nodeId", kInt, "score", kFloat)
	centrality := cols("centralityDistribution", gdsDistribution)
	iterated := append(cols("ranIterations", kInt|kNull, "didConverge", kBool), centrality...)
	paths := cols("index", kInt, "sourceNode", kInt, "targetNode", kInt, "totalCost", kFloat, "nodeIds", kList, "costs", kList, "path", kPath)
	ends := []ProcedureOption{{Name: "sourceNode", Help: "the node where paths start", Needed: true, kinds: kNode | kInt}, {Name: "targetNode", Help: "the node where paths end", Needed: true, kinds: kNode | kInt}, gdsWeight}
	walk := []ProcedureOption{gdsDamping, gdsRounds, gdsTolerance, gdsWeight}
	for _, a := range []gdsAlgorithm{
		{name: "pageRank", brief: "page rank", stream: scores, stats: iterated, options: append(slices.Clone(walk), gdsSources)},
		{name: "articleRank", brief: "article rank", stream: scores, stats: iterated, options: walk},
		{name: "eigenvector", brief: "eigenvector centrality", stream: scores, stats: iterated, options: []ProcedureOption{gdsRounds, gdsTolerance, gdsWeight}},
		{name: "degree", brief: "the number of relationships", stream: scores, stats: centrality, options: []ProcedureOption{gdsOrientation, gdsWeight}},
		{name: "betweenness", brief: "betweenness centrality", stream: scores, stats: centrality, options: []ProcedureOption{gdsWeight,
			{Name: "samplingSize", Help: "paths from so many nodes only, drawn at random", Least: 1, kinds: kInt}, {Name: "samplingSeed", Help: "on which the draw depends; without it, 0", kinds: kInt}}},
		{name: "wcc", brief: "weak components", stream: cols("nodeId", kInt, "componentId", kInt), stats: cols("componentCount", kInt, "componentDistribution", gdsDistribution),
			options: []ProcedureOption{gdsWeight, {Name: "threshold", Help: "only relationships that weigh more count", kinds: kNumber}, gdsConsecutive, gdsLeastPart}},
		{name: "louvain", brief: "communities by modularity", stream: cols("nodeId", kInt, "communityId", kInt),
			stats: cols("communityCount", kInt, "modularity", kFloat, "communityDistribution", gdsDistribution),
			options: []ProcedureOption{gdsWeight, gdsConsecutive, gdsLeast, gdsIdle("maxLevels", kInt, "leave it out: the search ends when no move raises the modularity"),
				gdsRounds, gdsTolerance, {Name: "includeIntermediateCommunities", Help: "false", kinds: kBool}}},
		{name: "labelPropagation", brief: "communities by labels that spread", stream: cols("nodeId", kInt, "communityId", kInt),
			stats: cols("communityCount", kInt, "ranIterations", kInt|kNull, "didConverge", kBool, "communityDistribution", gdsDistribution), options: []ProcedureOption{gdsWeight, labelRounds, gdsConsecutive, gdsLeast}},
		{name: "triangleCount", brief: "the triangles of every node", stream: cols("nodeId", kInt, "triangleCount", kInt), stats: cols("globalTriangleCount", kInt, "nodeCount", kInt),
			options: []ProcedureOption{{Name: "maxDegree", Help: "nodes with more relationships are left out; they get -1", Least: 2, kinds: kInt}}},
		{name: "localClusteringCoefficient", brief: "how many neighbours of every node are joined", stream: cols("nodeId", kInt, "localClusteringCoefficient", kFloat),
			stats: cols("averageClusteringCoefficient", kFloat, "nodeCount", kInt), options: []ProcedureOption{
				{Name: "triangleCountProperty", Help: "a property of the projection that has the number of triangles", kinds: kString}}},
		{name: "nodeSimilarity", brief: "nodes with common neighbours", stream: cols("node1", kInt, "node2", kInt, "similarity", kFloat),
			stats: cols("nodesCompared", kInt, "similarityPairs", kInt, "similarityDistribution", gdsDistribution), pairs: true, options: []ProcedureOption{
				{Name: "similarityMetric", Help: "how the number in common is weighed; the default is 'Jaccard'", Words: []string{"Jaccard", "Overlap", "Cosine"}, kinds: kString},
				{Name: "similarityCutoff", Help: "the least similarity, from 0 to 1", kinds: kNumber}, {Name: "degreeCutoff", Help: "only nodes with so many relationships are compared", Least: 1, kinds: kInt},
				topK, {Name: "topN", Help: "the most pairs of all", Least: 0, kinds: kInt}}},
		{name: "shortestPath.dijkstra", brief: "a path of least weight", stream: paths, options: ends, only: true},
		{name: "shortestPath.yens", brief: "the k paths of least weight", stream: paths, options: append(slices.Clone(ends), pathNumber), only: true},
	} {
		list = append(list, a.procedures()...)
	}
	return list
}

// procedures are stream, stats, write and mutate of an algorithm.
func (a *gdsAlgorithm) procedures() (list []Procedure) {
	add := func(mode, help string, columns []ProcedureColumn, writes bool, own ...ProcedureOption) {
		list = append(list, Procedure{Name: "gds." + a.name + "." + mode, Brief: a.brief, Help: a.brief + " of a projection: " + help, Columns: columns, Writes: writes,
			Arguments: []ProcedureArgument{gdsName}, Options: slices.Concat(own, a.options, gdsParts, gdsNoEffect), inline: gdsInline})
	}
	if add("stream", "a row for each result", a.stream, false); a.only {
		return list
	}
	common := append(cols("computeMillis", kInt), a.stats...)
	add("stats", "one row about all results", common, false)
	write, mutate := []ProcedureOption{gdsWriteKey}, []ProcedureOption{gdsMutateKey}
	counts := cols("nodePropertiesWritten", kInt)
	if a.pairs {
		write, mutate, counts = append(write, gdsWriteType), append(mutate, gdsMutateType), cols("relationshipsWritten", kInt)
	}
	counts = append(counts, common...)
	add("write", "the results become properties of the stored graph", counts, true, write...)
	add("mutate", "the results become properties of the projection", counts, false, mutate...)
	return list
}
