package lang

import "strings"

const (
	showNames  = "CALL db.labels(), CALL db.relationshipTypes() and CALL db.propertyKeys() list the names; in the shell, :schema shows all"
	createHint = "write CREATE (n:Label {key: value})"
	indexHint  = "write CREATE INDEX FOR (n:Label) ON (n.key)"
	uniqueHint = "write CREATE CONSTRAINT FOR (n:Label) REQUIRE n.key IS UNIQUE"
	txHint     = "the shell and motif run know BEGIN, COMMIT and ROLLBACK as statements of their own; a program calls DB.Update"
)

// startHabits are words that begin statements elsewhere.
var startHabits = map[string]string{
	"UPDATE": "write MATCH (n:Label) WHERE n.key = 1 SET n.other = 2", "UPSERT": "write MERGE (n:Label {key: 1}) SET n.other = 2",
	"REPLACE": "write MERGE (n:Label {key: 1}) SET n.other = 2", "VALUES": createHint, "ADD": createHint,
	"DESCRIBE": showNames, "DESC": showNames, "TABLES": showNames, "SCHEMA": showNames,
	"ALTER":    "there are no tables to alter: SET n.key = value adds a property, REMOVE n.key takes it away",
	"TRUNCATE": "write MATCH (n:Label) DETACH DELETE n",
	"BEGIN":    txHint, "COMMIT": txHint, "ROLLBACK": txHint, "START": "write MATCH (n) WHERE id(n) = 1", "FROM": "write MATCH (n:Label) RETURN n.key",
	"GRANT": "there are no users and rights: the rights of the store's files decide", "REVOKE": "there are no users and rights: the rights of the store's files decide",
	"ANALYZE": "leave ANALYZE out: statistics are kept up to date; PROFILE before a query measures it", "VACUUM": "leave VACUUM out: a store compacts itself",
	"WHERE": "WHERE follows MATCH or WITH: MATCH (n) WHERE n.key = 1 RETURN n", "AND": "a condition follows WHERE: MATCH (n) WHERE n.key = 1 RETURN n",
	"LIMIT": "LIMIT follows RETURN or WITH", "ORDER": "ORDER BY follows RETURN or WITH", "SKIP": "SKIP follows RETURN or WITH",
	"HELP": "in the shell write :help", "EXIT": "in the shell write :quit", "QUIT": "in the shell write :quit", "CLEAR": "Ctrl-L clears the screen of the shell",
	"FIND": "write MATCH (n:Label) RETURN n", "GET": "write MATCH (n:Label) RETURN n", "QUERY": "write MATCH (n:Label) RETURN n", "G": "write MATCH (n:Label) RETURN n",
	"TERMINATE": "Ctrl-C stops a query of the shell, and the end of its context one of a program",
	"SESSION":   "leave it out: a store has one graph, and parameters come with each query", "WHEN": "write CASE WHEN ... in an expression, or CALL { } with WHERE for each case",
	"FREE": "leave it out: a query gives its memory back when it ends", "STORAGE": "leave it out: there is one way to store a graph",
	"PRAGMA": "in the shell, :set shows and changes settings", "IMPORT": "write LOAD CSV FROM 'file' AS row, or load files with motif load", "COPY": "write LOAD CSV FROM 'file' AS row, or load files with motif load",
}

// habitOfStatement knows the beginnings of statements of SQL.
func (src habit) habitOfStatement(at int, want expected) string {
	switch {
	case src.atStart(at) && src.words(at, "START", "TRANSACTION"):
		return txHint
	case src.atStart(at) && src.isWordAt(at):
		return startHabits[src.word(at)]
	case at == 1 && at == len(src.toks) && src.atStart(at):
		return src.word(0) + " stands before a query: " + src.word(0) + " MATCH (n) RETURN n"
	case src.atStart(at) && src.word(at) == "(":
		return "a pattern follows MATCH: MATCH (a)-->(b) RETURN a, b"
	case src.atStart(at) && (src.word(at) == ":" || src.word(at) == "."):
		return "commands that begin with : are the shell's"
	case src.word(at-2) == "SHOW" && (src.word(at-1) == "RELATIONSHIP" || src.word(at-1) == "PROPERTY"):
		return showNames
	case src.word(at-1) == "SHOW":
		return showHint(src.word(at))
	case src.word(0) == "SHOW":
		return src.afterShow(at)
	case src.words(at-2, "ON", "ERROR") && src.isWordAt(at):
		return "write ON ERROR CONTINUE: the batch of rows that fails is undone, and the others stay"
	case src.word(at) == "ON" && src.word(at+1) == "ERROR" && src.seen(at, "REPORT"):
		return "ON ERROR stands before REPORT STATUS"
	case src.words(at-2, "DELETE", "FROM"), src.words(at-1, "DELETE", "FROM"):
		return "write MATCH (n:Label) WHERE n.key = 1 DETACH DELETE n"
	case src.word(at-1) == "LOAD" && src.isWordAt(at), src.word(at-1) == "CSV", src.seen(at, "CSV") && src.word(at) == "WITH":
		return "write LOAD CSV WITH HEADERS FROM 'file.csv' AS row"
	}
	return ""
}

// afterShow is about what stands behind the thing to show.
func (src habit) afterShow(at int) string {
	switch {
	case src.word(at) == "BRIEF" || src.word(at) == "VERBOSE" || src.word(at) == "INFO":
		return "leave it out: all columns are shown, and YIELD chooses among them"
	case src.word(at-1) == "DATABASE":
		return "a store has one graph: write SHOW DATABASES"
	case src.words(at-2, "EXECUTABLE", "BY"):
		return "leave it out: there are no users and rights"
	}
	return ""
}

func showHint(what string) string {
	switch what {
	case "RANGE", "TEXT", "BTREE", "LOOKUP", "POINT", "FULLTEXT", "VECTOR", "UNIQUE", "UNIQUENESS", "EXISTENCE", "NODE", "REL", "KEY":
		return "write SHOW INDEXES or SHOW CONSTRAINTS, and choose by WHERE type = ..."
	case "TRANSACTIONS", "TRANSACTION", "SERVERS", "PRIVILEGES", "ALIASES":
		return "a store is a folder, without a server: there are none to show"
	case "TABLES", "LABELS", "COLUMNS", "TYPES", "RELATIONSHIP", "RELATIONSHIPS", "SCHEMA", "SCHEMAS", "PROPERTIES", "PROPERTY", "KEYS", "NODES", "TABLE", "FIELDS", "CREATE":
		return showNames
	case "GRAPHS", "GRAPH":
		return "a store has one graph"
	case "HOME", "DEFAULT":
		return "a store has one graph: write SHOW DATABASES"
	case "USERS", "ROLES", "CURRENT", "USER":
		return "there are no users and rights"
	case "STORAGE", "MEMORY":
		return "motif stats shows the size of a store"
	case "VARIABLES", "SETTINGS", "STATUS", "CONFIG":
		return "in the shell, :set shows the settings"
	}
	return ""
}

// habitOfSchema knows commands about tables, indexes and constraints that are written otherwise.
func (src habit) habitOfSchema(at int, want expected) string {
	word, before := src.word(at), src.word(at-1)
	switch {
	case (before == "CREATE" || before == "DROP") && src.isWordAt(at):
		return src.creation(at)
	case src.word(0) == "CREATE" && src.seen(at, "INDEX", "CONSTRAINT") && src.seen(at, "FOR", "ON") && !src.seen(at, "REQUIRE", "ASSERT") && word == "|":
		return "write one statement for each label or type"
	case src.words(0, "CREATE", "INDEX", "ON") && word == "IF":
		return "write CREATE INDEX IF NOT EXISTS FOR (n:Label) ON (n.key)"
	case src.seen(at, "INDEX") && src.word(0) != "MATCH" && (word == "ON" || before == "ON" || at == len(src.toks) && src.words(at-3, "ON", ":")):
		return src.oldIndex(at)
	case src.seen(at, "CONSTRAINT") && before == "ON":
		return uniqueHint
	case src.seen(at, "REQUIRE", "ASSERT") && word == "," && src.seen(at, "CONSTRAINT"):
		return "several properties stand in round brackets: REQUIRE (n.a, n.b) IS UNIQUE"
	case src.seen(at, "REQUIRE", "ASSERT") && word == "NOT":
		return "write IS NOT NULL"
	case word == "UNIQUE" && src.seen(at, "CONSTRAINT") && !src.seen(at, "REQUIRE", "ASSERT"):
		return uniqueHint
	case src.seen(at, "REQUIRE", "ASSERT") && word == "UNIQUE":
		return "write IS UNIQUE"
	case src.seen(at, "REQUIRE", "ASSERT") && word == ":" && src.word(at+1) == ":":
		return "write IS :: TYPE"
	}
	return ""
}

// creation is about the word after CREATE or DROP.
func (src habit) creation(at int) string {
	switch word := src.word(at); word {
	case "TABLE", "VIEW", "TYPE", "SCHEMA", "COLLECTION":
		if src.word(at-1) == "DROP" {
			return "there are no tables: MATCH (n:Label) DETACH DELETE n deletes the nodes of a label"
		}
		return "there are no tables: nodes get labels and properties when they are made: CREATE (n:Label {key: value})"
	case "DATABASE", "GRAPH":
		return "a store has one graph: motif load and motif run make a new store"
	case "FULLTEXT":
		if src.word(at+1) == "INDEX" {
			return "there are no full-text indexes: CONTAINS and =~ read every value; STARTS WITH uses an index: CREATE INDEX FOR (n:Label) ON (n.key)"
		}
	case "VECTOR":
		if src.word(at+1) == "INDEX" {
			return "there are no vector indexes: leave the statement out"
		}
	case "HASH", "SPATIAL":
		return indexHint
	case "GLOBAL", "EDGE", "RELATIONSHIP":
		if src.seen(min(at+3, len(src.toks)), "INDEX") {
			return "write CREATE INDEX FOR ()-[r:TYPE]-() ON (r.key)"
		}
		return src.wordLeftOut(at)
	case "UNIQUE":
		if src.word(at+1) == "INDEX" {
			return uniqueHint
		}
		return "write MERGE, which finds what there is and makes the rest"
	case "NODE", "VERTEX", "VERTICES", "NODES", "REL", "EDGES":
		return src.wordLeftOut(at)
	case "OR":
		return "leave OR REPLACE out: DROP what is there before, or write IF NOT EXISTS"
	case "USER", "ROLE":
		return "there are no users and rights: the rights of the store's files decide"
	}
	return ""
}

// wordLeftOut is about NODE and the like after CREATE.
func (src habit) wordLeftOut(at int) string {
	return "leave " + src.word(at) + " out: CREATE (n:Label {key: value}), CREATE (a)-[:TYPE]->(b)"
}

// oldIndex translates CREATE INDEX ON :Label(key), with or without a name or a colon.
func (src habit) oldIndex(at int) string {
	on := at
	if src.word(at) != "ON" {
		on = at - 1
	}
	i := on + 1
	if src.word(i) == ":" {
		i++
	}
	if src.word(0) == "DROP" {
		return "an index is dropped by its name: DROP INDEX name; SHOW INDEXES lists the names"
	}
	if src.isWordAt(i) && src.word(i+1) == "(" && src.isWordAt(i+2) {
		return "write CREATE INDEX FOR (n:" + src.toks[i].Value + ") ON (n." + src.toks[i+2].Value + ")"
	}
	if src.seen(at, "FOR") {
		return "the key stands in round brackets: ON (n.key)"
	}
	return indexHint
}

// habitOfComment knows comments that begin with -- or #.
func (src habit) habitOfComment(at int, want expected) string {
	if src.words(at, "-", "-") && src.atStart(at) {
		return "comments begin with //"
	}
	line := src.positionAt(at).Line
	for i := at; i > 0 && i < len(src.toks) && src.toks[i].Pos.Line >= line-1; i-- {
		dashes := src.words(i-1, "-", "-") && src.adjacent(i) && !src.adjacent(i-1)
		if dashes && src.isWordAt(i+1) && (!src.adjacent(i+1) || src.isWordAt(i+2) && !isReservedWord(src.toks[i+2])) {
			return "comments begin with //"
		}
	}
	return ""
}

// habitOfWrite knows what is wrong in clauses that change the graph.
func (src habit) habitOfWrite(at int, want expected) string {
	word, before := src.word(at), src.word(at-1)
	switch {
	case word == "WHERE" && src.seen(at, "SET", "REMOVE", "DELETE", "CREATE", "MERGE"):
		return "WHERE stands before the change, after MATCH: MATCH (n) WHERE ... SET n.key = value"
	case word == "ON" && before == "," && src.seen(at, "MERGE"):
		return "leave the comma before ON out"
	case word == "ON" && src.seen(at, "MERGE"):
		return "ON CREATE and ON MATCH follow MERGE, before other clauses: MERGE (n) ON CREATE SET n.key = 1"
	case before == "ON" && src.seen(at, "MERGE"):
		return "write ON MATCH SET for a node that is there, ON CREATE SET for a new one"
	case before == "MERGE" && word == "INTO":
		return "write MERGE (n:Label {key: 1}) ON CREATE SET ... ON MATCH SET ..."
	case before == "SET" && word == "(":
		return "leave the brackets out: SET n.key = value"
	case src.words(at-3, "SET") && src.word(at-1) != "=" && src.isWordAt(at-1) && want.punct["="] && at < len(src.toks) && src.toks[at].Type == kindString,
		at >= 4 && src.word(at-4) == "SET" && src.word(at-2) == "." && at < len(src.toks) && (src.toks[at].Type == kindString || src.toks[at].Type == kindNumber):
		return "write SET " + src.left(at) + " = " + src.toks[at].Value
	case (word == "UPDATE" || word == "CHANGE" || word == "ALTER") && hasWord(want, "SET"):
		return "write SET n.key = value"
	case word == "DROP" && hasWord(want, "DELETE"):
		return "write DETACH DELETE n for a node, REMOVE n.key for a property"
	case before == "DELETE" && word == "*":
		return "name what is to be deleted: DETACH DELETE n"
	case before == "OPTIONAL":
		return "write OPTIONAL MATCH, or OPTIONAL CALL"
	case before == "UNION" && word == "DISTINCT":
		return "leave DISTINCT out: UNION returns equal rows once"
	case word == "UNION" && src.atStart(at):
		return "leave out the semicolon before UNION, which joins two queries"
	case word == "DETACH" && before == "DELETE":
		return "write DETACH DELETE"
	case word == "=" && src.seen(at, "REMOVE") && src.word(at-2) == ".":
		return "write REMOVE " + src.left(at) + ", or SET " + src.left(at) + " = value"
	case src.seen(at, "SET") && before == ":" && at >= 2 && src.word(at-3) == ".":
		return "write SET " + src.left(at-1) + " = " + src.right(at)
	case before == "FOREACH":
		return "write FOREACH (x IN list | CREATE ...)"
	case strings.EqualFold(word, "CREATE") && want.oper && src.seen(at, "FOREACH"):
		return "a | separates the list from the clauses: FOREACH (x IN list | CREATE ...)"
	}
	return ""
}
