package lang

import "strings"

// Keyword is a word of the language with one line of help.
type Keyword struct{ Word, Help string }

// Keywords lists the words of the language in the order in which the reference presents them.
var Keywords = []Keyword{
	{"MATCH", "find the places where a pattern occurs in the graph"},
	{"WHERE", "keep only matches for which the condition is true"},
	{"RETURN", "what the query gives: one column for each expression"},
	{"OPTIONAL MATCH", "like MATCH, but a row without a match is kept, with nulls"},
	{"ORDER BY", "sorts the rows; also a clause of its own, as are SKIP and LIMIT"},
	{"LET", "LET name = expression, ...: adds columns; the same as WITH *, expression AS name"},
	{"FILTER", "keeps the rows for which a condition is true"},
	{"FOR", "FOR name IN list: the same as UNWIND list AS name; see also INDEX and CONSTRAINT"},
	{"WITH ORDINALITY", "FOR x IN list WITH ORDINALITY i: the places of the elements from 1; WITH OFFSET i: from 0"},
	{"NEXT", "query NEXT query: the second query goes on with the rows of the first"},
	{"FINISH", "ends a query that returns nothing"},
	{"WITH", "the columns that the rest of the query goes on with: WITH expression AS name, ..."},
	{"UNWIND", "makes a row of every element of a list: UNWIND list AS name"},
	{"UNION", "puts the rows of two queries together, equal ones once"},
	{"EXCEPT", "the rows of a query that the next one does not have, equal ones once; EXCEPT ALL counts how often"},
	{"INTERSECT", "the rows that two queries both have, equal ones once; INTERSECT ALL counts how often"},
	{"OTHERWISE", "the rows of the next query if the one before it has none"},
	{"UNION ALL", "puts the rows of two queries together"},
	{"CREATE", "makes nodes and relationships: CREATE (a:Label {key: value})-[:TYPE]->(b)"},
	{"INSERT", "the same as CREATE"},
	{"MERGE", "matches a path, or makes it: MERGE path [ON CREATE SET ...] [ON MATCH SET ...]"},
	{"ON CREATE", "see MERGE"},
	{"SET", "changes properties and labels: SET n.key = value, n += {...}, n:Label"},
	{"REMOVE", "takes properties and labels away: REMOVE n.key, n:Label"},
	{"DELETE", "deletes nodes and relationships"},
	{"DETACH DELETE", "deletes nodes with their relationships"},
	{"NODETACH DELETE", "the same as DELETE"},
	{"FOREACH", "changes the graph for every element of a list: FOREACH (x IN list | clauses)"},
	{"LOAD CSV", "a row for every line of a file: LOAD CSV [WITH HEADERS] FROM 'file' AS row"},
	{"HEADERS", "see LOAD CSV"},
	{"FROM", "see LOAD CSV"},
	{"FIELDTERMINATOR", "the sign between the fields of a CSV file"},
	{"EXISTS", "EXISTS { pattern or query }: whether it has a row"},
	{"COUNT", "COUNT { pattern or query }: how many rows it has; count(x) is an aggregate"},
	{"COLLECT", "COLLECT { query }: a list of its only column; collect(x) is an aggregate"},
	{"ALL", "all(x IN list WHERE condition): whether it is true for all elements"},
	{"ANY", "ANY [k]: one path, or k, between two nodes; any(x IN list WHERE condition)"},
	{"NONE", "none(x IN list WHERE condition): whether it is true for no element"},
	{"SINGLE", "single(x IN list WHERE condition): whether it is true for exactly one element"},
	{"REDUCE", "reduce(sum = 0, x IN list | sum + x): goes through a list with a value"},
	{"SHORTEST", "ANY SHORTEST, ALL SHORTEST, SHORTEST k [GROUPS]: which paths between two nodes"},
	{"PATHS", "may follow what says which paths are wanted"},
	{"PATH", "the same as PATHS"},
	{"GROUPS", "SHORTEST k GROUPS: all paths of the k smallest lengths"},
	{"GROUP", "the same as GROUPS"},
	{"SHORTESTPATH", "shortestPath((a)-[*]-(b)): a shortest path between two nodes"},
	{"ALLSHORTESTPATHS", "allShortestPaths((a)-[*]-(b)): all shortest paths between two nodes"},
	{"WALK", "before a path: anything may repeat in it"},
	{"TRAIL", "before a path: no relationship repeats in it"},
	{"SIMPLE", "before a path: no node repeats in it, but the first may be the last"},
	{"ACYCLIC", "before a path: no node repeats in it"},
	{"CALL", "runs a procedure, for every row before it: CALL name(arguments)"},
	{"YIELD", "names the columns of a procedure that are wanted"},
	{"SHOW", "SHOW PROCEDURES, FUNCTIONS, INDEXES, CONSTRAINTS or DATABASES [YIELD columns] [WHERE ...]: what there is"},
	{"PROCEDURES", "see SHOW"},
	{"PROCEDURE", "the same as PROCEDURES"},
	{"FUNCTIONS", "see SHOW"},
	{"FUNCTION", "the same as FUNCTIONS"},
	{"DATABASES", "see SHOW"},
	{"DATABASE", "the same as DATABASES"},
	{"INDEX", "CREATE INDEX [name] FOR (n:Label) ON (n.key); DROP INDEX name"},
	{"INDEXES", "see SHOW"},
	{"CONSTRAINT", "CREATE CONSTRAINT [name] FOR (n:Label) REQUIRE n.key IS UNIQUE; DROP CONSTRAINT name"},
	{"CONSTRAINTS", "see SHOW"},
	{"IF NOT EXISTS", "CREATE INDEX IF NOT EXISTS does nothing where there is such an index"},
	{"IF EXISTS", "DROP INDEX name IF EXISTS does nothing where there is no such index"},
	{"REQUIRE", "see CONSTRAINT"},
	{"ASSERT", "the same as REQUIRE"},
	{"IS UNIQUE", "see CONSTRAINT"},
	{"IS KEY", "REQUIRE (n.key, ...) IS KEY: unique, and none of them is missing"},
	{"IS TYPED", "REQUIRE n.key IS TYPED INTEGER: every value has the type; IS :: is the same"},
	{"RANGE", "CREATE RANGE INDEX is the same as CREATE INDEX"},
	{"TEXT", "CREATE TEXT INDEX is the same as CREATE INDEX"},
	{"BTREE", "CREATE BTREE INDEX is the same as CREATE INDEX"},
	{"POINT", "CREATE POINT INDEX is the same as CREATE INDEX"},
	{"LOOKUP", "CREATE LOOKUP INDEX has no effect: Motif always knows the nodes of each label"},
	{"EACH", "see LOOKUP"},
	{"OPTIONS", "OPTIONS {...} of an index has no effect here"},
	{"DROP", "DROP INDEX name, DROP CONSTRAINT name"},
	{"REPEATABLE", "MATCH REPEATABLE ELEMENTS: nodes and relationships may repeat (homomorphism)"},
	{"ELEMENTS", "see REPEATABLE"},
	{"DIFFERENT", "MATCH DIFFERENT RELATIONSHIPS (the default) or DIFFERENT NODES (isomorphism)"},
	{"RELATIONSHIPS", "see DIFFERENT"},
	{"EDGES", "the same as RELATIONSHIPS"},
	{"NODES", "see DIFFERENT"},
	{"VERTICES", "the same as NODES"},
	{"SUBGRAPHS", "MATCH [DISTINCT] [INDUCED] SUBGRAPHS: all nodes of the pattern are different"},
	{"INDUCED", "no further relationship of the pattern's types between the nodes of a match"},
	{"DISTINCT", "each subgraph, row or value once"},
	{"AS", "names a column"},
	{"ASC", "rising order, the default"},
	{"ASCENDING", "the same as ASC"},
	{"DESC", "falling order"},
	{"DESCENDING", "the same as DESC"},
	{"SKIP", "leaves out the first rows"},
	{"OFFSET", "the same as SKIP"},
	{"LIMIT", "the largest number of rows"},
	{"AND", "true if both sides are true"},
	{"OR", "true if a side is true"},
	{"XOR", "true if exactly one side is true"},
	{"NOT", "true if its operand is false"},
	{"IN", "whether a value is in a list"},
	{"STARTS WITH", "whether a string begins with another"},
	{"ENDS WITH", "whether a string ends with another"},
	{"CONTAINS", "whether a string contains another"},
	{"IS NULL", "whether there is no value"},
	{"IS UNKNOWN", "the same as IS NULL"},
	{"IS NOT NULL", "whether there is a value"},
	{"CASE", "CASE [x] WHEN ... THEN ... [ELSE ...] END"},
	{"WHEN", "a branch of CASE"},
	{"THEN", "the value of a branch of CASE"},
	{"ELSE", "the value of CASE if no branch applies"},
	{"END", "ends CASE"},
	{"NULL", "no value"},
	{"TRUE", "the boolean true"},
	{"FALSE", "the boolean false"},
	{"USING", "USING INDEX, SCAN or JOIN behind a pattern has no effect: the planner chooses"},
	{"CYPHER", "a prefix with a version and options; it has no effect"},
	{"CAST", "CAST(x AS INTEGER): the value as one of the type"},
	{"IS NORMALIZED", "whether a string is in a normal form of Unicode, NFC or one that stands before the word"},
	{"DATE", "DATE '2026-11-22' is date('2026-11-22')"},
	{"DURATION", "DURATION 'P1D' is duration('P1D')"},
	{"EXPLAIN", "shows the plan of a query without running it"},
	{"PROFILE", "runs a query and shows its plan with actual rows and times"},
}

// reserved words cannot be variables or column names unless quoted with backticks. The words for match modes and procedures,
// OFFSET, EXPLAIN and PROFILE are not among them: queries written before those words came keep their meaning.
var reserved = wordSet(`MATCH WHERE RETURN DISTINCT AS ORDER BY ASC ASCENDING DESC DESCENDING SKIP LIMIT
	AND OR XOR NOT IN STARTS ENDS WITH CONTAINS IS NULL TRUE FALSE CASE WHEN THEN ELSE END
	OPTIONAL UNWIND UNION CREATE MERGE SET DELETE DETACH REMOVE ON EXISTS`)

// softWords are the words of the language that are not reserved.
var softWords = wordSet(`REPEATABLE ELEMENTS DIFFERENT NODES VERTICES RELATIONSHIPS EDGES INDUCED SUBGRAPHS OFFSET EXPLAIN PROFILE CALL YIELD SHOW PROCEDURES PROCEDURE
	FUNCTIONS FUNCTION DATABASES DATABASE INDEXES INDEX CONSTRAINTS CONSTRAINT ALL FOREACH LOAD CSV HEADERS FROM FIELDTERMINATOR DROP IF FOR REQUIRE ASSERT UNIQUE KEY TYPED OPTIONS
	EXCEPT INTERSECT OTHERWISE ORDINALITY CAST NORMALIZED LOOKUP EACH
	RANGE TEXT BTREE CYPHER USING SEEK SCAN JOIN POINT NEXT LET FILTER FINISH INSERT NODETACH UNKNOWN DATE DURATION ANY SHORTEST PATH PATHS
	GROUP GROUPS WALK TRAIL SIMPLE ACYCLIC COUNT COLLECT NONE SINGLE REDUCE SHORTESTPATH ALLSHORTESTPATHS`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// longestReserved is the length of the longest reserved word, DESCENDING: longer names need no look-up.
const longestReserved = 10

func isReserved(word string) bool { return wordKind(word) != kindIdent }
