package lang

import (
	"slices"
	"strings"
)

// Procedure describes a procedure: what CALL runs. It gives rows with a value for every column. The code of the procedures listed
// below is in internal/exec/proc_table.go.
type Procedure struct {
	Name    string // as it is written, dots included
	Brief   string // a few words
	Help    string // one line
	Columns []ProcedureColumn
	Options []ProcedureOption // of the map that is its last argument; none: it takes no map

	Arguments []ProcedureArgument // of a declared procedure, which has no options
	Impl      any                 // what runs a declared procedure; nothing here looks at it

	Writes bool // it changes the graph
	Effect bool // what it gives depends on more than the graph and the arguments, or it changes what other calls give

	places []string          // its arguments before the map, each a node or a list of nodes
	split  *split            // an option that changes the columns
	spare  int               // how many of the last arguments may be left out
	inline []ProcedureOption // further options, if a map is the only argument
}

// split is an option that is true or false, written out, and the columns that a procedure has where it is true.
type split struct {
	option  string
	columns []ProcedureColumn
	needs   string // an option that is needed then; "": none
}

// ProcedureColumn is a column of a procedure's rows.
type ProcedureColumn struct {
	Name     string
	Nullable bool
	Extra    bool // only YIELD gives it

	kinds kinds
}

// Kind says what the column holds.
func (c ProcedureColumn) Kind() VarKind { return c.kinds.varKind() }

// ProcedureOption is a key of the map of options.
type ProcedureOption struct {
	Name, Help string
	Needed     bool
	Idle       bool     // it has no effect
	Words      []string // the strings that it may be, in the case that they are shown in; nil: any
	Least      int64    // the least integer that it may be

	kinds kinds
	names string // "type", "label" or "key": what its strings are names of
}

// Describe is its help with the words that it may be.
func (o *ProcedureOption) Describe() string {
	if slices.ContainsFunc(o.Words, func(w string) bool { return !strings.Contains(o.Help, w) }) {
		return o.Help + ": " + o.Admits()
	}
	return o.Help
}

// Values are the constants that it may be, as they are written in a query.
func (o *ProcedureOption) Values() (list []string) {
	if o.kinds&kBool != 0 {
		list = []string{"true", "false"}
	}
	for _, w := range o.Words {
		list = append(list, quoteString(w))
	}
	return list
}

// Names is "type", "label" or "key" if it holds names of these, else "".
func (o *ProcedureOption) Names() string { return o.names }

// Admits says what the option may be.
func (o *ProcedureOption) Admits() string {
	var list []string
	if k := o.kinds &^ kString; o.Words == nil {
		return o.kinds.String()
	} else if k != 0 {
		list = append(list, k.String())
	}
	for _, w := range o.Words {
		list = append(list, quoteString(w))
	}
	return joinOr(list)
}

// Procedures lists the procedures in the order in which the reference presents them.
var Procedures = []Procedure{
	{Name: "db.labels", Brief: "the labels", Help: "the labels in the graph", Columns: cols("label", kString)},
	{Name: "db.relationshipTypes", Brief: "the relationship types", Help: "the types of relationships in the graph", Columns: cols("relationshipType", kString)},
	{Name: "db.propertyKeys", Brief: "the property keys", Help: "the keys of properties in the graph", Columns: cols("propertyKey", kString)},
	{Name: "db.procedures", Brief: "what can be called", Help: "what can be called; SHOW PROCEDURES is the same",
		Columns: append(cols("name", kString, "description", kString, "signature", kString), extra(cols("mode", kString, "admin", kBool))...)},
	{Name: "db.functions", Brief: "the functions", Help: "the functions of the language; SHOW FUNCTIONS is the same",
		Columns: append(cols("name", kString, "signature", kString, "description", kString, "aggregating", kBool), extra(cols("category", kString, "isBuiltIn", kBool))...),
		Options: []ProcedureOption{{Name: "type", Help: "which functions", kinds: kString, Words: []string{"BUILT IN", "USER DEFINED"}}}},
	{Name: "db.indexes", Brief: "the indexes", Help: "the indexes, and the constraints that are indexes, too; SHOW INDEXES is the same",
		Columns: append(cols("name", kString, "type", kString, "entityType", kString, "labelsOrTypes", kList, "properties", kList, "state", kString, "owningConstraint", kString|kNull),
			extra(cols("id", kInt, "populationPercent", kFloat, "indexProvider", kString, "lastRead", kTemporal|kNull, "readCount", kInt|kNull, "trackedSince", kTemporal|kNull,
				"options", kMap, "failureMessage", kString, "createStatement", kString))...),
		Options: []ProcedureOption{{Name: "type", Help: "which indexes", kinds: kString, Words: []string{"RANGE", "TEXT", "POINT", "LOOKUP", "FULLTEXT", "VECTOR"}}}},
	{Name: "db.constraints", Brief: "the constraints", Help: "the constraints; SHOW CONSTRAINTS is the same",
		Columns: append(cols("name", kString, "type", kString, "entityType", kString, "labelsOrTypes", kList, "properties", kList, "propertyType", kString|kNull),
			extra(cols("id", kInt, "ownedIndex", kString|kNull, "options", kMap, "createStatement", kString))...),
		Options: []ProcedureOption{{Name: "type", Help: "which constraints", kinds: kString, Words: constraintKinds}}},
	{Name: "db.databases", Brief: "the graph of the store", Help: "one row for the graph of the store; SHOW DATABASES is the same",
		Columns: cols("name", kString, "currentStatus", kString, "default", kBool, "home", kBool)},
	{Name: "db.resampleIndex", Brief: "renews the statistics of an index", Help: "does nothing: the statistics are always those of the graph",
		Arguments: []ProcedureArgument{{Name: "index", kinds: kString}}},
	{Name: "db.awaitIndexes", Brief: "waits for indexes", Help: "does nothing: an index is complete when it is made",
		Arguments: []ProcedureArgument{{Name: "timeout", kinds: kInt}}, spare: 1},
	{Name: "db.schema.nodeTypeProperties", Brief: "the properties of nodes by their labels", Help: "for every set of labels and each property of its nodes: the types of the values, and whether each node has one",
		Columns: cols("nodeType", kString, "nodeLabels", kList, "propertyName", kString|kNull, "propertyTypes", kList|kNull, "mandatory", kBool)},
	{Name: "db.schema.relTypeProperties", Brief: "the properties of relationships by type", Help: "for every type and each property of its relationships: the types of the values, and whether each relationship has one",
		Columns: cols("relType", kString, "propertyName", kString|kNull, "propertyTypes", kList|kNull, "mandatory", kBool)},
	{Name: "db.schema.visualization", Brief: "which labels which types join", Help: "one row: the labels with the number of their nodes, and the types with the labels that they join, as lists of maps",
		Columns: cols("nodes", kList, "relationships", kList)},
	{Name: "apoc.meta.stats", Brief: "how large the graph is", Help: "one row: the numbers of labels, types, keys, nodes and relationships, and maps with the numbers of each label and type",
		Columns: cols("labelCount", kInt, "relTypeCount", kInt, "propertyKeyCount", kInt, "nodeCount", kInt, "relCount", kInt, "labels", kMap, "relTypesCount", kMap)},
	{Name: "apoc.meta.data", Brief: "the properties and relationships by label", Help: "for every label and type, each property with its type; for every label, the types of relationships that leave its nodes, with the labels at their ends",
		Columns: cols("label", kString, "property", kString, "count", kInt, "type", kString, "array", kBool, "elementType", kString, "other", kList)},
	{Name: "apoc.meta.schema", Brief: "the properties and relationships by label, as a map", Help: "one row: a map from each label and type to the number of its elements, their properties and, of a label, its relationships",
		Columns: cols("value", kMap)},
	{Name: "apoc.load.json", Brief: "reads a JSON file", Help: "a row for each element of the list in a JSON file, or one row for its object; the program says which files queries may read, as for LOAD CSV",
		Arguments: []ProcedureArgument{{Name: "file", kinds: kString}}, Columns: cols("value", kMap)},
	{Name: "apoc.path.subgraphNodes", Brief: "the nodes around a node", Help: "the nodes that can be reached from a node, or from a list of nodes, each once",
		Columns: cols("node", kNode), places: []string{"start"}, Options: []ProcedureOption{
			{Name: "relationshipFilter", Help: "the types of relationships to follow, joined by |; `>` behind each follows them forwards, `<` before each backwards; without it, all are followed", kinds: kString},
			{Name: "minLevel", Help: "0, the default, gives the first nodes, too; 1 does not", kinds: kInt},
			{Name: "maxLevel", Help: "the largest distance; without it, any", Least: -1, kinds: kInt}}},
	{Name: "apoc.neighbors.tohop", Brief: "the nodes within a distance", Help: "the nodes that can be reached from a node, or from a list of nodes, by relationships of some types, at most so many",
		Columns: cols("node", kNode), spare: 2, Arguments: []ProcedureArgument{{Name: "node", Nullable: true, kinds: kNode | kInt | kList},
			{Name: "types", Nullable: true, kinds: kString}, {Name: "distance", Nullable: true, kinds: kInt}}},
	{Name: "dbms.components", Brief: "the program and its version", Help: "the name and the version of the program",
		Columns: cols("name", kString, "versions", kList, "edition", kString)},
	{Name: "algo.cliqueCount", Brief: "the number of cliques, by size",
		Help:    "how many sets of nodes are joined pairwise, by size; with perNode, how many of them contain each node",
		Columns: cols("size", kInt, "count", kInt), Options: options(countSize, maxSize, perNode, either),
		split: &split{"perNode", cols("node", kNode, "size", kInt, "count", kInt), "size"}},
	{Name: "algo.cliques", Brief: "the cliques of one size",
		Help:    "the sets of size nodes that are joined pairwise, as lists",
		Columns: cols("nodes", kList), Options: options(cliqueSize, either)},
	{Name: "algo.maximalCliques", Brief: "the cliques in no larger clique",
		Help:    "the sets of nodes that are joined pairwise and are in no larger such set, as lists",
		Columns: cols("nodes", kList, "size", kInt), Options: options(minSize, either)},
	{Name: "algo.maximumClique", Brief: "a largest clique",
		Help:    "a largest set of nodes that are joined pairwise, as a list",
		Columns: cols("nodes", kList, "size", kInt), Options: options(either)},
	{Name: "algo.kcore", Brief: "the coreness of every node",
		Help:    "the coreness of every node: the largest k such that the node is in a part of the graph where each has k neighbours",
		Columns: cols("node", kNode, "core", kInt), Options: options(coreK, coreVariant, degree)},
	{Name: "algo.ktruss", Brief: "the trussness of joined pairs",
		Help:    "pairs of joined nodes with the largest k such that the pair is in a part of the graph where each is in k-2 triangles",
		Columns: cols("source", kNode, "target", kNode, "truss", kInt), Options: options(trussK, either)},
	{Name: "algo.triangleCount", Brief: "the number of triangles",
		Help:    "how many triangles there are; with perNode, how many contain each node",
		Columns: cols("count", kInt), Options: options(perNode, either),
		split: &split{"perNode", cols("node", kNode, "count", kInt), ""}},
	{Name: "algo.motifs", Brief: "the number of each small pattern",
		Help:    "how many connected subgraphs of size nodes have each shape; with directed, how many sets of three nodes are each of the 16 triads",
		Columns: cols("motif", kString, "pattern", kString, "count", kInt), Options: options(motifSize, inducedOnly, directedTriads, either)},
	{Name: "algo.orbits", Brief: "the graphlet degrees of every node",
		Help:    "for every node a list: how often it stands at each place of the connected induced subgraphs of at most size nodes",
		Columns: cols("node", kNode, "orbits", kList), Options: options(orbitSize, either)},
	{Name: "algo.connectedComponents", Brief: "the component of every node",
		Help:    "which component every node is in; the smallest id of its nodes names a component",
		Columns: cols("node", kNode, "component", kInt), Options: options(strength)},
	{Name: "algo.bfs", Brief: "distances from a node",
		Help:    "the nodes that can be reached from a node, or from the nearest of a list, each with its distance and the node before it",
		Columns: cols("node", kNode, "depth", kInt, "parent", kNode|kNull), Options: options(maxDepth, follow, avoid, searchVariant), places: []string{"start"}},
	{Name: "algo.shortestPath", Brief: "a shortest path between two nodes",
		Help:    "a shortest path from a node to another; between lists of nodes, a path between the two nearest nodes",
		Columns: cols("path", kPath, "length", kInt), Options: options(maxDepth, follow, avoid), places: []string{"from", "to"}},
	{Name: "algo.diameter", Brief: "the largest distance of two nodes",
		Help:    "the largest distance between two nodes with a path from one to the other, and two nodes at this distance",
		Columns: cols("length", kInt, "source", kNode, "target", kNode), Options: options(follow)},
	{Name: "algo.dijkstra", Brief: "distances by weights from a node",
		Help:    "the nodes that can be reached from a node, or from the nearest of a list, each with the least sum of weights and the node before it",
		Columns: cols("node", kNode, "distance", kFloat, "parent", kNode|kNull), Options: weighted(follow), places: []string{"start"}},
	{Name: "algo.kShortestPaths", Brief: "the paths of least weight between two nodes",
		Help:    "the k paths between two nodes with the least sums of weights, by rising sum; no path has a node twice",
		Columns: cols("path", kPath, "cost", kFloat), Options: weighted(pathNumber, follow), places: []string{"from", "to"}},
	{Name: "algo.aStar", Brief: "a path of least weight, by estimates",
		Help:    "a path between two nodes with the least sum of weights, found faster by an estimate of how far each node is from the end",
		Columns: cols("path", kPath, "cost", kFloat), Options: weighted(position, latitude, longitude, estimate, follow), places: []string{"from", "to"}},
	{Name: "algo.pageRank", Brief: "the page rank of every node",
		Help:    "the share of time that a walk along relationships spends at each node; scores add up to 1",
		Columns: scoreCols, Options: weighted(damping, walkStarts, tolerance, maxIterations, follow)},
	{Name: "algo.articleRank", Brief: "the article rank of every node",
		Help:    "a page rank in which relationships of nodes with few relationships bring less",
		Columns: scoreCols, Options: weighted(damping, tolerance, maxIterations, follow)},
	{Name: "algo.eigenvector", Brief: "the eigenvector centrality of every node",
		Help:    "a node's score is proportional to the sum of the scores of the nodes that lead to it; the squares add up to 1",
		Columns: scoreCols, Options: weighted(tolerance, maxIterations, follow)},
	{Name: "algo.degree", Brief: "the number of neighbours of every node",
		Help:    "how many nodes each node's relationships lead to; with weight, the sum of the weights",
		Columns: scoreCols, Options: weighted(normalize, follow)},
	{Name: "algo.labelPropagation", Brief: "communities by labels that spread",
		Help:    "which community every node is in, found by labels that spread among neighbours; the smallest id of its nodes names a community",
		Columns: cols("node", kNode, "community", kInt), Options: weighted(labelRounds, seed)},
	{Name: "algo.louvain", Brief: "communities by modularity",
		Help:    "which community every node is in, found by moves that raise the modularity; the smallest id of its nodes names a community",
		Columns: cols("node", kNode, "community", kInt, "modularity", kFloat), Options: weighted(resolution, seed)},
	{Name: "algo.nodeSimilarity", Brief: "nodes with common neighbours",
		Help:    "for every node the nodes that are most similar to it, by the neighbours that they have in common",
		Columns: cols("source", kNode, "target", kNode, "similarity", kFloat), Options: options(metric, topK, cutoff, similarTo, follow)},
	{Name: "algo.clusteringCoefficient", Brief: "how many neighbours of every node are joined",
		Help:    "the share of pairs of neighbours of each node that are joined",
		Columns: cols("node", kNode, "coefficient", kFloat), Options: options(either)},
	{Name: "algo.closeness", Brief: "how near every node is to the others",
		Help:    "how near the nodes are that each node reaches; with weight, relationships have lengths",
		Columns: scoreCols, Options: weighted(closenessVariant, follow)},
	{Name: "algo.betweenness", Brief: "how many shortest paths lead through every node",
		Help:    "how many pairs of nodes have their shortest path through each node; of several shortest paths, each counts its share",
		Columns: scoreCols, Options: weighted(pathStarts, normalize, follow)},
}

var (
	cliqueSize = ProcedureOption{Name: "size", Help: "how many nodes", Needed: true, Least: 1, kinds: kInt}
	countSize  = ProcedureOption{Name: "size", Help: "how many nodes; without it, there is a row for every size", Least: 1, kinds: kInt}
	minSize    = ProcedureOption{Name: "minSize", Help: "the least number of nodes; without it, 1", Least: 1, kinds: kInt}
	maxSize    = ProcedureOption{Name: "maxSize", Help: "the largest size that is counted", Least: 1, kinds: kInt}
	coreK      = ProcedureOption{Name: "k", Help: "only the nodes of the k-core for this k; 'max': of the core with the largest k",
		Words: []string{"max"}, Least: 1, kinds: kInt | kString}
	coreVariant = ProcedureOption{Name: "variant", Help: "how it is computed, which changes nothing but the time", kinds: kString,
		Words: []string{"auto", "bz", "park", "rlcore", "escore"}}
	searchVariant = ProcedureOption{Name: "variant", Help: "how it is computed, which changes nothing but the time", kinds: kString,
		Words: []string{"auto", "push", "pull", "switching", "edge-centric"}}
	degree = ProcedureOption{Name: "direction", Words: []string{"BOTH", "OUT", "IN", "MUTUAL"}, kinds: kString,
		Help: "which neighbours count: 'BOTH', the default: all; 'OUT' or 'IN': nodes that relationships run to or come from; 'MUTUAL': nodes joined in each direction"}
	strength = ProcedureOption{Name: "direction", Words: []string{"BOTH", "OUT", "MUTUAL"}, kinds: kString,
		Help: "'BOTH', the default: weak components, which ignore directions; 'OUT': strong components; 'MUTUAL': components of nodes joined in each direction"}
	trussK = ProcedureOption{Name: "k", Help: "only the pairs of the k-truss for this k; 'max': of the truss with the largest k",
		Words: []string{"max"}, Least: 2, kinds: kInt | kString}
	motifSize   = ProcedureOption{Name: "size", Help: "how many nodes: 3, 4 or 5", Needed: true, Least: 3, kinds: kInt}
	orbitSize   = ProcedureOption{Name: "size", Help: "the largest number of nodes: 3, 4 or 5", Needed: true, Least: 3, kinds: kInt}
	inducedOnly = ProcedureOption{Name: "induced", Help: "true, the default: no other relationships join the nodes; false: others may", kinds: kBool}

	directedTriads = ProcedureOption{Name: "directed", Help: "true: sets of three nodes by the directions of their relationships, also sets that are not connected", kinds: kBool}

	perNode  = ProcedureOption{Name: "perNode", Help: "true: a row for each node, with the number of cliques or triangles that contain the node", kinds: kBool}
	maxDepth = ProcedureOption{Name: "maxDepth", Help: "the largest distance; without it, there is no limit", kinds: kInt}
	follow   = ProcedureOption{Name: "direction", Help: "which way relationships are followed; the default is 'OUT'",
		Words: []string{"OUT", "IN", "BOTH"}, kinds: kString}
	either = ProcedureOption{Name: "direction", Words: []string{"BOTH", "MUTUAL"}, kinds: kString,
		Help: "'BOTH', the default: a relationship in either direction joins two nodes; 'MUTUAL': only a relationship in each direction joins them"}
	avoid = ProcedureOption{Name: "avoid", Help: "a node, or a list of nodes, that no path goes through, begins or ends at",
		kinds: kNode | kInt | kList}
	typeOptions = []ProcedureOption{
		{Name: "type", Help: "the type of relationships that count; without it, all do", kinds: kString, names: "type"},
		{Name: "types", Help: "several types of relationships", kinds: kList | kString, names: "type"},
	}
)

// options are those of an algorithm and the ones that all have: which nodes and which relationships count.
func options(own ...ProcedureOption) []ProcedureOption {
	own = append(own, ProcedureOption{Name: "label", Help: "a label expression such as 'Person' or '!Bot': only nodes that it admits count",
		kinds: kString, names: "label"})
	return append(own, typeOptions...)
}

// constraintKinds are the words that SHOW takes before CONSTRAINTS.
var constraintKinds = []string{"UNIQUENESS", "NODE UNIQUENESS", "RELATIONSHIP UNIQUENESS", "KEY", "NODE KEY", "RELATIONSHIP KEY", "EXISTENCE", "NODE EXISTENCE",
	"RELATIONSHIP EXISTENCE", "PROPERTY TYPE", "NODE PROPERTY TYPE", "RELATIONSHIP PROPERTY TYPE"}

// cols makes columns of names and kinds in turn.
func cols(of ...any) (list []ProcedureColumn) {
	for i := 0; i < len(of); i += 2 {
		k := of[i+1].(kinds)
		list = append(list, ProcedureColumn{Name: of[i].(string), Nullable: k&kNull != 0, kinds: k &^ kNull})
	}
	return list
}

// FindProcedure returns the procedure called name, in any case, or nil.
func FindProcedure(name string) *Procedure {
	if p := procedureByName[name]; p != nil {
		return p
	}
	for i := range Procedures {
		if strings.EqualFold(Procedures[i].Name, name) {
			return &Procedures[i]
		}
	}
	return gdsByName[strings.ToLower(name)]
}

// procedureByName has Procedures by their names as they are written there: most queries write them so.
var procedureByName = func() map[string]*Procedure {
	m := make(map[string]*Procedure, len(Procedures))
	for i := range Procedures {
		m[Procedures[i].Name] = &Procedures[i]
	}
	return m
}()

// With is p with the columns that it has for these arguments.
func (p *Procedure) With(args []Expr) *Procedure {
	if p = p.inlined(args); p.split == nil || len(args) == 0 {
		return p
	}
	m, ok := args[len(args)-1].(*MapLit)
	if !ok {
		return p
	}
	for i, key := range m.Keys {
		if lit, ok := m.Values[i].(*Literal); ok && key.Text == p.split.option && lit.Value == true {
			q := *p
			q.Columns, q.Options = p.split.columns, slices.Clone(p.Options)
			if o := q.Option(p.split.needs); o != nil {
				o.Needed = true
				o.Help, _, _ = strings.Cut(o.Help, ";") // what follows tells of doing without it
			}
			return &q
		}
	}
	return p
}

// inlined is p for a call whose only argument is a map.
func (p *Procedure) inlined(args []Expr) *Procedure {
	if p.inline == nil || len(args) != 1 {
		return p
	}
	if _, ok := args[0].(*MapLit); !ok {
		return p
	}
	q := *p
	q.Arguments, q.spare, q.inline = nil, 0, nil
	q.Options = slices.Concat(p.inline, p.Options)
	return &q
}

// Places is how many arguments p has before its options: nodes or lists of nodes, or those of a declared procedure.
func (p *Procedure) Places() int { return len(p.places) + len(p.Arguments) }

// Column is the number of the column called name, or -1.
func (p *Procedure) Column(name string) int {
	for i, c := range p.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Signature is the procedure with its arguments and columns: algo.kcore({type?, types?}) :: node, core.
func (p *Procedure) Signature() string {
	text := p.Name + "(" + p.arguments() + ")"
	if len(p.Columns) > 0 {
		text += " :: " + strings.Join(p.columnNames(), ", ")
	}
	if p.split != nil {
		q := Procedure{Columns: p.split.columns}
		text += " | " + strings.Join(q.columnNames(), ", ")
	}
	return text
}

// TypedSignature is the procedure with the types of its arguments and columns: db.propertyKeys() :: (propertyKey :: STRING). An argument
// that may be left out has a default.
func (p *Procedure) TypedSignature() string {
	var args []string
	for _, name := range p.places {
		args = append(args, name+" :: "+(kNode|kInt|kList).typeName())
	}
	for i, a := range p.Arguments {
		args = append(args, a.Name)
		if i >= len(p.Arguments)-p.spare {
			args[len(args)-1] += " = null"
		}
		args[len(args)-1] += " :: " + a.kinds.typeName()
	}
	if p.Options != nil {
		args = append(args, "options = {} :: MAP")
	}
	text := p.Name + "(" + strings.Join(args, ", ") + ")"
	if len(p.Columns) > 0 {
		text += " :: (" + typedColumns(p.Columns) + ")"
	}
	if p.split != nil {
		text += " | (" + typedColumns(p.split.columns) + ")"
	}
	return text
}

func typedColumns(columns []ProcedureColumn) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name + " :: " + c.kinds.typeName()
	}
	return strings.Join(list, ", ")
}

// arguments shows what stands between the brackets.
func (p *Procedure) arguments() string {
	args := append([]string(nil), p.places...)
	for i, a := range p.Arguments {
		if args = append(args, a.Name); i >= len(p.Arguments)-p.spare {
			args[len(args)-1] += "?"
		}
	}
	var keys []string
	for _, o := range p.Options {
		if keys = append(keys, o.Name); !o.Needed {
			keys[len(keys)-1] += "?"
		}
	}
	if keys != nil {
		args = append(args, "{"+strings.Join(keys, ", ")+"}")
	}
	return strings.Join(args, ", ")
}

// given are the columns that a call without YIELD gives, or with it, by YIELD *, all of them.
func (p *Procedure) given(all bool) (list []ProcedureColumn) {
	for _, c := range p.Columns {
		if all || !c.Extra {
			list = append(list, c)
		}
	}
	return list
}

// Given are the columns that a call without YIELD gives.
func (p *Procedure) Given() []ProcedureColumn { return p.given(false) }

// extra marks columns that only YIELD gives.
func extra(list []ProcedureColumn) []ProcedureColumn {
	for i := range list {
		list[i].Extra = true
	}
	return list
}

func (p *Procedure) columnNames() []string {
	names := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		names[i] = c.Name
	}
	return names
}

// Option returns the option called name, or nil.
func (p *Procedure) Option(name string) *ProcedureOption {
	for i := range p.Options {
		if p.Options[i].Name == name {
			return &p.Options[i]
		}
	}
	return nil
}

func (p *Procedure) optionNames() []string {
	names := make([]string, len(p.Options))
	for i, o := range p.Options {
		names[i] = o.Name
	}
	return names
}

// arity says how many arguments p takes: at least and at most.
func (p *Procedure) arity() (least, most int) {
	least, most = p.Places()-p.spare, p.Places()
	if len(p.Options) > 0 {
		most++
	}
	for _, o := range p.Options {
		if o.Needed {
			least = most
		}
	}
	return least, most
}

func procedureNames() []string {
	names := make([]string, len(Procedures))
	for i := range Procedures {
		names[i] = Procedures[i].Name
	}
	return names
}
