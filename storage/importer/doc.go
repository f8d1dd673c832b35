// Package importer reads graph files into a csr.Snapshot.
//
// Files go in; a whole snapshot and a report come out, or an error with file, line and column. A load happens in memory, so a
// store is never left half loaded. One goroutine decompresses a file and cuts it into chunks at line ends; workers parse
// the chunks. Results are used in file order. So a load gives the same snapshot on every run, and it reports the first mistake of
// a file. Package importer never writes to a store.
//
// # Files
//
// Text must be UTF-8 (ASCII will do), with or without a byte order mark, lines ending in LF or CRLF. Every file may
// be compressed with gzip or zstd (windows up to 2 GiB, zstd --long=31), which shows from its first bytes.
// A pipe is copied to a temporary file while the load reads it; the path - is Spec.Stdin, if that is set. A member
// of a zip archive is written archive.zip/member.csv or archive.zip!member.csv; an archive of one member needs no
// member name.
//
// # Graphs
//
//	edges   two ids a line between blanks; lines that start with # or % are comments; further fields are left out
//	        (Spec.Weight keeps the third)
//	csv     the same between commas, vertical bars, semicolons or tabs, quoted as in RFC 4180, below a header line
//	        (the first line is one unless its first two fields are integers)
//	tve     "t N M", "v id label degree", "e u v"; or "t 0 N", "v id label", "e u v label"; the t line may be missing
//	        or be "t # number", a closing "t # -1" is allowed; the degree is not checked
//	law     ASCIIGraph of the Laboratory for Web Algorithmics: the number of nodes, then a line for each node from 0
//	        on with its successors
//	metis   "n m [fmt [ncon]]", then a line for each node from 1 on with its neighbours; % starts a comment
//
//	jsonl   a JSON object a line: {"type": "node", "id": 1, "labels": [...], "properties": {...}} or
//	        {"type": "relationship", "id": 1, "label": "KNOWS", "start": 1, "end": 2, "properties": {...}}, in any order
//	graphml GraphML with typed keys; labels as data "labels" (":A:B") and types as data "label", as Neo4j has them
//
//	mtx     Matrix Market: a square matrix of coordinates, pattern, integer or real, general or symmetric. An entry in row i
//	        and column j is a relationship from node i to node j, its value the property weight
//	gml     GML: graph [ directed 1 node [ id 1 ... ] edge [ source 1 target 2 ... ] ]; lists inside nodes and edges are left
//	        out, repeated keys become lists
//	gexf    GEXF 1.1 to 1.3: nodes and edges with label, weight and attributes; an edge's kind is its type
//	pajek   *Vertices with labels, *Arcs, *Edges, *Arcslist, *Edgeslist; a third number is the property weight; a name in
//	        the line of a section, *Arcs :1 "likes", is the type
//	tgf     Trivial Graph Format: "id label", a line "#", "id id label"
//	json    one JSON object: NetworkX's node-link or adjacency data, JSON Graph Format, Cytoscape; objects inside nodes
//	        and edges become properties with dots in their names
//	dot     GraphViz: nodes, edges and their attributes as properties; defaults and attributes of graphs are left out
//
// The formats from jsonl on, but for mtx, say all of a property graph. If all their ids are integers from 0 on, these become the stable ids, which id()
// shows. Else the nodes are numbered, and their ids are external ids and the property id. In the formats from gml on every id also
// becomes the property id. Where such a file says that its graph is undirected, relationships lead from the first end to the second.
//
// Any other graph is undirected, unless Spec.Directed or a comment of an edge list says otherwise: "# Directed graph", as SNAP has
// it, or "% asym" in the first line, as KONECT has it. Such a comment does not count under Spec.Undirected, nor where every pair
// stands in both directions, as in several graphs that SNAP calls directed. In an undirected graph a pair of nodes (and edge
// label) has one relationship, from the smaller original id to the larger; loops and duplicates are dropped and counted.
// Directed keeps every line as it stands. Nodes get their original id as property id. It is an integer if all ids of the load are 64-bit integers without plus sign and leading
// zeros. Else it is text, and a warning shows the first other id. Nodes are numbered by rising id, text by its bytes. The
// relationship type is EDGE, or Spec.Type.
//
// Labels of tve are named L0, L1, ...; if e lines have labels and two of them differ, the relationship types
// are E0, E1, ... . METIS edge weights become the property weight, vertex sizes size, and vertex weights weight, or
// weight1, weight2, ... if there are several. Without Directed METIS must list each edge at both ends.
//
// # Detection
//
// An empty Spec.Format is chosen by the first file, without its suffix .gz or .zst. The first rule that fits counts:
//
//  1. The name ends in .csv: csv; in .graph-txt: law; in .metis: metis; in .jsonl or .ndjson: jsonl; in .graphml: graphml; in .mtx,
//     .gml, .gexf, .tgf or .json: the format of that name; in .net or .paj: pajek; in .dot or .gv: dot.
//     A file of a format that Load does not read, told by its name or beginning, is refused.
//  2. The first line that is neither blank nor a comment starts with t and two more words, or v and an integer: tve.
//     It is a JSON object that speaks of a node or relationship: jsonl. It begins XML: graphml, or gexf
//     if <gexf> follows. It begins like the first line of mtx, gml, pajek, json or dot: that format.
//  3. That line has a comma, semicolon or vertical bar: csv. It is one integer alone: law.
//  4. It is text between tabs, and the next line has integers instead: csv.
//  5. It is two to four integers and the name ends in .graph; or the lines after it are as many as it says and list
//     twice as many neighbours as it says; or they are integers within the nodes it says and differ in length: metis.
//  6. It has two words or more: edges.
//
// An error in a file whose format was detected says so and lists the formats.
//
// # Property graphs
//
// Spec.Nodes and Spec.Relationships are CSV files in neo4j-admin's convention. The header of a node file has one :ID
// column, a header of a relationship file :START_ID and :END_ID; each may name an id space, :ID(Person), and
// ids are unique in one space. A name before :ID makes the id a property too, an integer if all ids of the space are.
// :LABEL lists further labels, :TYPE gives the relationship's type, :IGNORE leaves a column out. Other columns are properties,
// name:type:
//
//	int long short byte                 64-bit integer
//	float double                        64-bit float
//	boolean                             true or false, in any case
//	char string                         string
//	date time localtime datetime        the temporal types, in the forms of ISO 8601
//	localdatetime duration
//	point                               {latitude: 55.6, longitude: 12.9} or {x: 1, y: 2, z: 3, crs: cartesian-3d}
//	json                                any value in JSON; {"$float": "NaN"} is what JSON has no word for
//	type[]                              list of elements separated by Spec.ArrayDelimiter
//
// A column without a type gets the narrowest type that all its values in the group of files fit: int, float, boolean, date,
// localtime, localdatetime, datetime, or else string. Integers with leading zeros or a plus sign are strings. Unquoted NULL, null, NA,
// N/A, n/a, #N/A, None and \N stand for no value, in strings \N alone does. Spec.Types gives types beside the header.
//
// A property may have columns of several types, all of them given; a row fills at most one of them. Package exporter writes some columns that other
// programs ignore. Ids of the id space motif are Motif's own: integers that become the stable ids, which id() shows. Relationships
// have theirs in a column motif.id:IGNORE. Ids of further id spaces stand in columns motif.external.long.SPACE:IGNORE or
// motif.external.string.SPACE:IGNORE. :LABEL{encoding:json} and :TYPE{encoding:json} hold JSON lists of names.
// :type{name:NAME} is a column whose property's name is written as in a URL.
//
// A Parquet file, whose name ends in .parquet, does for a CSV file: its columns are named like the fields of such a header, and
// a property's type is the column's own.
//
// Without node files, every id at an end of a relationship is a node, with the id as property id.
//
// Spec.Files may name plain tables: a table whose first column is named id, or whose first two columns hold values of different types, is
// a file of nodes with the label of its name. A header line that looks like a line of data fails the load.
//
// With Spec.SkipBad, rows with mistakes are left out and listed in Report.BadRows.
//
// A folder, or a zip archive of several files, is loaded by the headers of the files in it.
//
// An empty field is no property; an empty string in quotes is one. A quote inside an unquoted field stands for
// itself. A header may stand in a file of its own, header.csv,part1.csv,part2.csv; where a later file repeats it, that
// line is left out. A header without :ID takes an untyped column named id or _id for it; one without :START_ID and :END_ID
// takes from and to, source and target, src and dst, start and end, or head and tail. If no name says so, and no column of
// the header has a type, the first column (of relationships, the first two) is taken for the id, with a warning. A node
// file with types and without an id has nodes that no relationship can refer to.
package importer
