package lang

// apocFunctions are the functions of APOC that public example graphs use, as far as each is one function.
var apocFunctions = []Function{
	fn("apoc.coll.max(list) :: any", "the largest value of a list, without nulls; null if there is none", "apoc.coll.max([1, 3, 2])", "3", kAny, kList),
	fn("apoc.coll.min(list) :: any", "the smallest value of a list, without nulls; null if there is none", "apoc.coll.min([1, 3, 2])", "1", kAny, kList),
	fn("apoc.coll.pairsMin(list) :: list", "each element with the one after it", "apoc.coll.pairsMin([1, 2, 3])", "[[1, 2], [2, 3]]", kList, kList),
	fn("apoc.coll.intersection(list, list) :: list", "the different elements of the first list that the second has, too", "apoc.coll.intersection([1, 2, 2, 3], [2, 3, 4])", "[2, 3]", kList, kList),
	fn("apoc.text.jaroWinklerDistance(a, b) :: float", "1 minus the Jaro-Winkler similarity of two strings: 0 for equal ones, 1 for strings without a common character", "round(apoc.text.jaroWinklerDistance('martha', 'marhta'), 4)", "0.0389", kFloat, kString),
	fn("apoc.text.sorensenDiceSimilarity(a, b) :: float", "the share of pairs of adjacent characters that two strings have in common, in any letter case, word by word", "apoc.text.sorensenDiceSimilarity('belly', 'jolly')", "0.5", kFloat, kString),
	fn("apoc.create.uuid() :: string", "the same as randomUUID()", "size(apoc.create.uuid())", "36", kString),
	fn("apoc.create.uuidBase64() :: string", "a new random UUID at each call, in base64 for addresses", "size(apoc.create.uuidBase64())", "22", kString),
	fn("apoc.date.format(time, unit?, format?, zone?) :: string", "the time after 1970 in a unit (default 'ms') as a text; a format is written as in yyyy-MM-dd HH:mm:ss, which is the default; the default zone is UTC", "apoc.date.format(86400, 's')", "'1970-01-02 00:00:00'", kString, kInt, kString),
	fn("apoc.date.parse(text, unit?, format?, zone?) :: integer", "the time after 1970 that a text gives, in a unit (default 'ms')", "apoc.date.parse('1970-01-02', 's', 'yyyy-MM-dd')", "86400", kInt, kString),
}

// gdsFunctions are the functions of Neo4j's Graph Data Science library that go with its procedures.
var gdsFunctions = []Function{
	fn("gds.util.asNode(id) :: node", "the node with an id, such as gds procedures give; null if there is none", "gds.util.asNode(0) = a", "true", kNode, kInt|kNode),
	fn("gds.util.asNodes(ids) :: list", "the nodes with some ids", "gds.util.asNodes([0, 1]) = [a, b]", "true", kList, kList),
	fn("gds.util.nodeProperty(graph, node, key) :: number", "what a projection has as a property of a node", "gds.util.nodeProperty(null, a, 'score')", "null", kNumber, kString, kNode|kInt, kString),
	fn("gds.graph.exists(graph) :: boolean", "whether there is a projection of a name", "gds.graph.exists('people')", "false", kBool, kString),
	fn("gds.similarity.cosine(a, b) :: float", "the cosine of the angle between two lists of numbers", "gds.similarity.cosine([1, 0], [0, 2])", "0.0", kFloat, kList),
	fn("gds.similarity.pearson(a, b) :: float", "the correlation of two lists of numbers", "gds.similarity.pearson([1, 2, 3], [3, 2, 1])", "-1.0", kFloat, kList),
	fn("gds.similarity.jaccard(a, b) :: float", "the number of common elements of two lists, divided by the number of all", "gds.similarity.jaccard([1, 2, 3], [2, 3, 4])", "0.5", kFloat, kList),
	fn("gds.alpha.similarity.jaccard(a, b) :: float", "the same as gds.similarity.jaccard()", "gds.alpha.similarity.jaccard([1], [1])", "1.0", kFloat, kList),
	fn("gds.similarity.overlap(a, b) :: float", "the number of common elements of two lists, divided by the length of the shorter one", "gds.similarity.overlap([1, 2], [2, 3, 4])", "0.5", kFloat, kList),
}
