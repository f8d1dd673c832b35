package lang

// Options of the procedures that read weights.
var (
	scoreCols = cols("node", kNode, "score", kFloat)

	damping    = ProcedureOption{Name: "damping", Help: "the probability that a walk goes on, from 0 to 0.999; without it, 0.85", kinds: kNumber}
	walkStarts = ProcedureOption{Name: "sources", Help: "a node, or a list of nodes, at which walks start; without it, they start anywhere",
		kinds: kNode | kInt | kList}
	tolerance        = ProcedureOption{Name: "tolerance", Help: "the largest error, as the reference states it", kinds: kNumber}
	maxIterations    = ProcedureOption{Name: "maxIterations", Help: "the most iterations; without it, 10000", Least: 1, kinds: kInt}
	normalize        = ProcedureOption{Name: "normalize", Help: "true: divide by the largest possible score", kinds: kBool}
	closenessVariant = ProcedureOption{Name: "variant", Help: "how distances become a score; the default is 'wasserman-faust'", kinds: kString,
		Words: []string{"wasserman-faust", "classic", "harmonic"}}
	pathStarts  = ProcedureOption{Name: "sources", Help: "a node, or a list of nodes: only paths from these count", kinds: kNode | kInt | kList}
	labelRounds = ProcedureOption{Name: "maxIterations", Help: "the most iterations; without it, 1000", Least: 1, kinds: kInt}
	resolution  = ProcedureOption{Name: "resolution", Help: "more than 1 gives smaller communities, less gives larger ones; without it, 1", kinds: kNumber}
	seed        = ProcedureOption{Name: "seed", Help: "the order in which nodes are looked at depends on it; without it, 0", kinds: kInt}
	metric      = ProcedureOption{Name: "metric", Help: "the number in common, divided by: all neighbours of both, the fewer neighbours of one, or the geometric mean; the default is 'jaccard'",
		Words: []string{"jaccard", "overlap", "cosine"}, kinds: kString}
	topK          = ProcedureOption{Name: "topK", Help: "the most rows for a node; without it, 10", Least: 1, kinds: kInt}
	cutoff        = ProcedureOption{Name: "cutoff", Help: "the least similarity, from 0 to 1", kinds: kNumber}
	similarTo     = ProcedureOption{Name: "sources", Help: "a node, or a list of nodes: rows for these only", kinds: kNode | kInt | kList}
	pathNumber    = ProcedureOption{Name: "k", Help: "the most paths; without it, 1", Least: 1, kinds: kInt}
	position      = ProcedureOption{Name: "position", Help: "the property of nodes that is their place, a point", kinds: kString, names: "key"}
	latitude      = ProcedureOption{Name: "latitude", Help: "the property of nodes that is their latitude in degrees; with longitude", kinds: kString, names: "key"}
	longitude     = ProcedureOption{Name: "longitude", Help: "the property of nodes that is their longitude in degrees; with latitude", kinds: kString, names: "key"}
	estimate      = ProcedureOption{Name: "estimate", Help: "the property of nodes that says about how far the end is, in any unit", kinds: kString, names: "key"}
	weightOptions = []ProcedureOption{
		{Name: "weight", Help: "the property of relationships that is their weight; without it, each weighs 1", kinds: kString, names: "key"},
		{Name: "defaultWeight", Help: "the weight of relationships without the property; without it, they are an error", kinds: kNumber},
	}
)

// weighted are the options of an algorithm that reads weights, and the ones that all have.
func weighted(own ...ProcedureOption) []ProcedureOption {
	return options(append(own, weightOptions...)...)
}
