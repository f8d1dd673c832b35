// Package repl is the shell of Motif: it reads statements and commands, runs them, and prints rows. The text below is also
// what :help prints, section by section.
//
// # Start
//
// A query names a pattern to find and what to return for each match. It ends with a semicolon and may run over several
// lines:
//
//	MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.name < b.name
//	RETURN a.name, b.name LIMIT 10;
//
// A line that begins with a colon is a command of the shell. :schema shows what the graph holds, and :help queries explains
// how to ask for it. Tab completes, and Ctrl-C stops a running query.
//
// # Commands
//
//	:help [TOPIC]          start, commands, queries, patterns, paths, rings, changes, modes, expressions,
//	                       functions, procedures, parameters, plans, output, export, keys; or a command, a
//	                       keyword, a function or a procedure
//	:schema [NAME]         labels, relationship types and property keys; of a label or a type, the properties with
//	                       their types and how many nodes or relationships have them
//	:stats                 the sizes of the graph and its store
//	:mode [FORMAT]         output format: table, csv, json, jsonl or markdown
//	:more                  the next rows of the last answer
//	:output [FILE]         write answers to a file; its ending may choose the format. Without FILE: to the screen again
//	:draw [WHAT] [FILE]    draw the last answer (or WHAT: plan, schema) to a file; its ending chooses the format: svg,
//	                       png, html, dot or gexf. Without FILE: answer.svg
//	:timing [on|off]       rows and time after each query
//	:param [NAME [VALUE]]  set $NAME to a JSON value or a string; show one or all
//	:brute [on|off]        answer by trying every assignment; slow, for checking answers on a small graph
//	:set [NAME [VALUE]]    layout (auto, table, lines), rows (on the screen at once), timeout, max-rows and memory;
//	                       also how patterns are matched, which changes no answer: order, filter, kernel, without,
//	                       device, workers. Without NAME it lists them
//	:read FILE             run the statements of a file; so does :source
//	:edit [QUERY]          edit a query, or the last statement, in $EDITOR, and run it
//	:watch [SEC] [QUERY]   repeat a query, or the last one, every 2 seconds until Ctrl-C
//	:history [N]           the last N inputs, 20 without N
//	:save NAME [QUERY]     save a query, or the last one, in the store; the parameters set now tell
//	                       the types of its parameters
//	:saved [NAME]          list the saved queries, or show the text of one
//	:run NAME [x=V ...]    run a saved query with parameters; motif run DB @NAME does it from outside
//	:forget NAME           delete a saved query
//	:explain QUERY         show the plan of a query without running it
//	:quit                  leave the shell; so do :exit and Ctrl-D
//
// BEGIN; opens a transaction. COMMIT; keeps its changes and shows them to others; ROLLBACK; drops them. Without BEGIN each
// statement is a transaction of its own. The prompt shows a star while a transaction is open. Ctrl-C stops a statement and
// undoes it; the transaction stays open.
//
// # Queries
//
//	[EXPLAIN | PROFILE]
//	MATCH [mode] pattern, pattern ... [WHERE condition]
//	OPTIONAL MATCH ...                            keeps rows without a match
//	UNWIND list AS name                           a row for every element; also FOR name IN list
//	LET name = expression, FILTER condition       a column more, fewer rows; ORDER BY, SKIP and LIMIT may stand alone, too
//	query NEXT query                              the second goes on with the rows of the first
//	FINISH                                        in place of RETURN: no rows
//	WITH expression AS name, ... [ORDER BY ...] [SKIP n] [LIMIT n] [WHERE condition]
//	CALL (a, b) { query }                         runs for every row; CALL name(arguments) runs a procedure
//	LOAD CSV [WITH HEADERS] FROM 'file' AS row [FIELDTERMINATOR ';']
//	RETURN [DISTINCT] expression [AS name], ... [ORDER BY expression [ASC|DESC], ...] [SKIP n] [LIMIT n] ;
//
// RETURN * returns every variable. Aggregates group by the other items of RETURN. Keywords work in upper and lower case.
// Comments are // to the end of the line and /* ... */. UNION and UNION ALL add the rows of a second query.
// EXCEPT takes the rows of a second query away, INTERSECT keeps those that both have, and OTHERWISE runs the second if the first has no rows.
// FOR x IN list WITH ORDINALITY i is UNWIND with the places of the elements.
// The prefix CYPHER 25 and hints such as USING INDEX are read and have no effect.
//
// # Patterns
//
//	(a)                    a node
//	(a:Person)             a node with a label
//	(a:Person&!Bot)        label expressions: & and, | or, ! not, % any label, ( )
//	(a {name: 'Ann'})      a node with this property
//	(a WHERE a.age > 30)   a condition inside the node
//	(a)-->(b)              a relationship from a to b
//	(a)--(b)               a relationship in either direction
//	(a)-[r:KNOWS]->(b)     with a type and a name; [r:KNOWS|LIKES] any of several
//	(a)-[r {since: 2010}]-(b)
//	(a)--(b)--(c)--(a)     a triangle: naming a node again closes the cycle
//
// Write a name in backquotes if it has other characters than letters, digits and _: (a:`Big City`).
//
// # Paths
//
//	p = (a)-->(b)                 names a path
//	(a)-[:T*1..3]->(b)            one to three relationships; also -[:T]->{1,3}, -[:T]->+ and -[:T]->*
//	(a) ((x)-->(y)){2,4} (b)      the part in brackets, two to four times
//	p = ANY SHORTEST (a)-->+(b)   a shortest path; ALL SHORTEST, SHORTEST 3, SHORTEST 2 GROUPS, ANY 2
//	shortestPath((a)-[*]->(b))    the older spelling; allShortestPaths(...)
//
// A word before a path says what the path may repeat. In a WALK anything may repeat, in a TRAIL no relationship, in an ACYCLIC
// path no node. A SIMPLE path repeats no node either, but it may end where it began. PATHS may follow these words.
//
// # Rings
//
// A ring (a cycle) is a path that ends where it began. This finds rings of three and four relationships, and each ring once from
// each of its nodes:
//
//	MATCH p = SIMPLE (a)-[:T]->{3,4}(a) RETURN [n IN nodes(p) | n.name];
//
// This line keeps one of them, which begins at the smallest id:
//
//	WHERE all(n IN nodes(p) WHERE id(a) <= id(n))
//
// Without an arrow, as in -[:T]-{3,4}, a ring is found in both directions. This line keeps one:
//
//	AND id(nodes(p)[1]) < id(nodes(p)[-2])
//
// A ring of known length is a pattern, and DISTINCT SUBGRAPHS finds it once: :help modes.
//
// # Changes
//
//	CREATE (a:Person {name: 'Ann'})-[:KNOWS]->(b)
//	MERGE (a:Person {name: 'Ann'}) [ON CREATE SET ...] [ON MATCH SET ...]
//	SET a.age = 3, a += {city: 'Rome'}, a:Label   REMOVE a.age, a:Label
//	DELETE r   DETACH DELETE a                    DETACH deletes a's relationships too
//	FOREACH (x IN list | SET a.x = x)
//
//	CREATE INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON (n.key)       RANGE, TEXT, POINT and BTREE before INDEX, and OPTIONS behind, change nothing; a LOOKUP index is not needed
//	CREATE CONSTRAINT [name] [IF NOT EXISTS] FOR (n:Label) REQUIRE n.key IS UNIQUE
//	                              also IS NOT NULL, IS KEY, IS TYPED INTEGER; (n.a, n.b) IS UNIQUE
//	DROP INDEX name [IF EXISTS]   DROP CONSTRAINT name
//	SHOW INDEXES, SHOW CONSTRAINTS, SHOW FUNCTIONS, SHOW DATABASES   [YIELD columns] [WHERE condition]
//	BEGIN; ... COMMIT; or ROLLBACK;               several statements in one transaction
//
// # Modes
//
// A mode says what may repeat in one match of a MATCH clause:
//
//	MATCH DIFFERENT RELATIONSHIPS   no relationship twice; nodes may repeat (this is the default)
//	MATCH REPEATABLE ELEMENTS       anything may repeat
//	MATCH DIFFERENT NODES           no node twice: subgraph isomorphism
//	MATCH INDUCED SUBGRAPHS         no node twice, and no other relationship between the matched nodes
//	MATCH DISTINCT SUBGRAPHS        no node twice, and each subgraph once, however symmetric it is
//	MATCH DISTINCT INDUCED SUBGRAPHS
//
// This counts every triangle once:
//
//	MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(a) RETURN count(*);
//
// # Expressions
//
//	1  2.5  'text'  "text"  true  false  null  [1, 2]  {k: 1}  $parameter
//	a.name  list[0]  list[1..3]  (a:Label)
//	=  <>  <  <=  >  >=  and chains: 1 < x <= 5
//	AND  OR  XOR  NOT  IS NULL  IS NOT NULL  IS :: INTEGER  IS NORMALIZED  IN
//	STARTS WITH  ENDS WITH  CONTAINS  =~ (regular expression)
//	+  -  *  /  %  ^  || (joins strings or lists)
//	CASE [x] WHEN a THEN b ... [ELSE c] END   CASE x WHEN 1, 2 THEN b WHEN > 3 THEN c END   CAST(x AS INTEGER)
//	[x IN list WHERE condition | value]  all(x IN list WHERE condition)  any  none  single
//	reduce(sum = 0, x IN list | sum + x)  a{.name, .*, key: value}
//	EXISTS { (a)-->(b) }  COUNT { (a)-->() }  COLLECT { MATCH (a)-->(b) RETURN b.name }  [(a)-->(b) | b.name]
//
// A comparison with null is null, and WHERE keeps only what is true.
//
// # Functions
//
//	count(*) count(x) sum min max avg collect     aggregates; DISTINCT inside: count(DISTINCT x)
//	percentileCont percentileDisc stDev stDevP
//	id elementId labels type properties keys      of nodes and relationships
//	startNode endNode                             of relationships
//	length nodes relationships                    of paths
//	size head last tail reverse range isEmpty     of lists; also vector.similarity.cosine .similarity.euclidean
//	coalesce exists nullIf valueType timestamp rand randomUUID linenumber file
//	abs ceil floor round sign isNaN sqrt exp log log10 e pi
//	sin cos tan cot asin acos atan atan2 degrees radians haversin
//	point point.distance point.withinBBox distance   point({x: 1, y: 2}), point({longitude: 12.9, latitude: 55.6})
//	toInteger toFloat toString toBoolean cast     also with OrNull or List behind the name: toIntegerOrNull toFloatOrNull
//	                                              toStringOrNull toBooleanOrNull, toIntegerList toFloatList toStringList toBooleanList
//	toLower toUpper lower upper trim bTrim lTrim rTrim left right substring replace split char_length character_length
//	normalize isNormalized
//	apoc.coll.max .coll.min .coll.pairsMin .coll.intersection apoc.text.jaroWinklerDistance .text.sorensenDiceSimilarity
//	apoc.date.format .date.parse apoc.create.uuid .create.uuidBase64
//	gds.util.asNode .util.asNodes .util.nodeProperty .graph.exists gds.similarity.cosine .similarity.pearson
//	gds.similarity.jaccard .similarity.overlap gds.alpha.similarity.jaccard
//	date localtime time localdatetime datetime    each with .truncate .transaction .statement .realtime
//	duration                                      duration.between .inMonths .inDays .inSeconds
//	datetime.fromEpoch datetime.fromEpochMillis
//	ALL_DIFFERENT(a, b, ...)                      no two of the nodes are the same
//	IS_CLIQUE([a, b, c] [, 'TYPE'])               every two of the nodes are joined, in either direction
//
// The fastest way to find cliques:
//
//	MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person)
//	WHERE IS_CLIQUE([a, b, c, d], 'KNOWS') RETURN a.name, b.name, c.name, d.name;
//
// # Procedures
//
//	CALL name(arguments)                          on its own it returns all columns
//	CALL name(arguments) YIELD column [AS name], ... [WHERE condition]
//	SHOW PROCEDURES                               lists the procedures
//
// Between MATCH clauses, CALL runs for every row so far. The clauses after it see its columns as variables:
//
//	CALL algo.kcore({type: 'KNOWS'}) YIELD node, core WHERE core > 5
//	MATCH (node)-[:LIKES]->(x) RETURN x, count(*);
//
//	db.labels db.relationshipTypes db.propertyKeys db.procedures db.functions db.indexes db.constraints db.databases db.awaitIndexes db.resampleIndex
//	db.schema.nodeTypeProperties db.schema.relTypeProperties db.schema.visualization apoc.meta.stats apoc.meta.data
//	apoc.meta.schema apoc.load.json dbms.components
//	gds.graph.project gds.pageRank.stream and the like: CALL gds.list()        docs/procedures.md, projections
//	apoc.path.subgraphNodes(start, {relationshipFilter, minLevel, maxLevel})   node
//	apoc.neighbors.tohop(node, types, distance)   node
//	algo.cliqueCount({size, maxSize, perNode})    size, count; with perNode: node, size, count
//	algo.cliques({size})                          nodes
//	algo.maximalCliques({minSize})                nodes, size
//	algo.maximumClique()                          nodes, size
//	algo.kcore({k})                               node, core; k may be 'max'
//	algo.ktruss({k})                              source, target, truss; k may be 'max'
//	algo.triangleCount({perNode})                 count; with perNode: node, count
//	algo.motifs({size, induced, directed})        motif, pattern, count
//	algo.orbits({size})                           node, orbits
//	algo.connectedComponents()                    node, component
//	algo.bfs(start, {maxDepth, avoid})            node, depth, parent
//	algo.shortestPath(from, to, {maxDepth, avoid})   path, length
//	algo.diameter()                               length, source, target
//	algo.dijkstra(start, {weight})                node, distance, parent
//	algo.kShortestPaths(from, to, {k, weight})    path, cost
//	algo.aStar(from, to, {weight, position})      path, cost; or estimate, or latitude and longitude for position
//	algo.pageRank({damping, sources})             node, score; so are algo.articleRank, algo.eigenvector and algo.degree
//	algo.labelPropagation({seed})                 node, community
//	algo.louvain({resolution, seed})              node, community, modularity
//	algo.nodeSimilarity({metric, topK, cutoff})   source, target, similarity
//	algo.clusteringCoefficient()                  node, coefficient
//	algo.closeness({variant})                     node, score
//	algo.betweenness({sources})                   node, score
//
// All algo.* take the options type, types, label and direction. :help algo.bfs lists all options of that procedure.
//
// # Parameters
//
// $name stands for a value set outside the query: by :param name VALUE in the shell, by -p name=VALUE on the command line.
// VALUE is JSON or else a string. Long lists belong in parameters.
//
// # Plans
//
// EXPLAIN before a query shows how Motif would answer it: the order in which it matches the pattern, the rows it expects,
// and the kernel that does the work. PROFILE runs the query. It shows the actual rows and times beside the estimates, the
// time of each stage, and the techniques used.
//
// # Output
//
// table is for reading, and is cut to the width of a terminal; a line below says how many cells were cut. If a column would keep
// only a few letters, each row becomes a block with a line a value; :set layout chooses. The screen shows 40 rows at once, and
// :more the next; :set rows chooses. csv, json, jsonl (an object a line) and markdown are never cut. json is an array of rows; if
// several statements run, each answer is an array on a line of its own. A node in JSON is {"id", "labels", "properties"}. In CSV null is an empty field, and "" is the empty string.
//
// # Export
//
// :output FILE writes the answers that follow to a file, as csv, json, jsonl or markdown. :draw FILE draws the last answer; return
// nodes and relationships whole for it, or paths. Outside the shell:
//
//	motif query DB 'MATCH p = (a)-->(b) RETURN p LIMIT 40' -o svg > answer.svg
//	motif explain DB 'MATCH ...' -o svg > plan.svg
//	motif schema DB -o html > schema.html
//	motif export DB graph.graphml                 the whole graph, for other programs
//
// # Keys
//
//	Enter        runs the query if it ends with ; or else starts a new line
//	Tab          completes keywords, functions, procedures, variables, and the graph's own labels, types and properties
//	Up, Down     move between lines, then through the history; Ctrl-R searches it
//	Ctrl-C       stops the running query, or drops the line; pressed twice during a query it leaves
//	Ctrl-D       leaves
package repl
