package lang

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// When the parser stops at a token, the question is what it would have taken instead. The grammar is LL(1), so the answer is found by
// trial: the text before the token is parsed once more with each candidate after it. What the parser gets past was expected. That
// takes a hundred short parses, and only after an error.

// maxTrialTokens bounds the text that trials repeat. After a longer one the error does without what was expected.
const maxTrialTokens = 1000

// trialWords are the words of the language, one by one.
var trialWords = append(strings.Fields(`MATCH WHERE RETURN REPEATABLE ELEMENTS DIFFERENT RELATIONSHIPS EDGES NODES VERTICES
	SUBGRAPHS INDUCED DISTINCT AS ORDER BY ASC ASCENDING DESC DESCENDING SKIP OFFSET LIMIT WHEN THEN ELSE END EXPLAIN PROFILE YIELD CALL SHOW PROCEDURES PROCEDURE
	FUNCTIONS FUNCTION DATABASES DATABASE INDEXES INDEX CONSTRAINTS CONSTRAINT OPTIONAL UNWIND UNION ALL CREATE MERGE ON SET REMOVE DELETE DETACH FOREACH LOAD CSV HEADERS FROM
	FIELDTERMINATOR DROP IF EXISTS FOR REQUIRE ASSERT UNIQUE KEY TYPED OPTIONS RANGE TEXT BTREE ANY SHORTEST PATH PATHS GROUP GROUPS WALK TRAIL SIMPLE ACYCLIC
	COUNT COLLECT NONE SINGLE REDUCE SHORTESTPATH ALLSHORTESTPATHS LET FILTER NEXT FINISH INSERT NODETACH UNKNOWN USING CYPHER DATE DURATION EXCEPT INTERSECT OTHERWISE ORDINALITY CAST NORMALIZED LOOKUP POINT EACH`),
	operatorWords...)

// quietWords are other words for what errors name anyway, or words without effect. Errors suggest them for words that look like them.
var quietWords = wordSet(`ASCENDING DESCENDING OFFSET VERTICES EDGES GROUP PATH INDEX CONSTRAINT PROCEDURE FUNCTION DATABASE ASSERT TYPED OPTIONS
	LET FILTER NEXT FINISH INSERT NODETACH UNKNOWN USING CYPHER DATE DURATION EXCEPT INTERSECT OTHERWISE ORDINALITY CAST NORMALIZED LOOKUP POINT EACH`)

// operatorWords continue an expression; the rest of trialWords do not.
var operatorWords = strings.Fields(`AND OR XOR IN STARTS ENDS WITH CONTAINS IS NOT NULL CASE TRUE FALSE`)

// clauseWords begin a clause, wherever one may begin.
var clauseWords = strings.Fields(`MATCH OPTIONAL RETURN WITH UNWIND CALL CREATE MERGE SET REMOVE DELETE DETACH FOREACH LOAD`)

// pathWords stand before a path, and say which of its kind are wanted.
var pathWords = strings.Fields(`ALL ANY SHORTEST WALK TRAIL SIMPLE ACYCLIC PATH PATHS GROUP GROUPS`)

// twoWords are the words that only make sense with their second one.
var twoWords = map[string]string{
	"ORDER": "ORDER BY", "LOAD": "LOAD CSV", "DETACH": "DETACH DELETE", "OPTIONAL": "OPTIONAL MATCH", "STARTS": "STARTS WITH", "ENDS": "ENDS WITH", "REPEATABLE": "REPEATABLE ELEMENTS", "IS": "IS NULL",
}

// expected is what the parser would have taken at a place.
type expected struct {
	words []string        // trialWords, in upper case
	punct map[string]bool // brackets, ",", "-" and the like
	expr  bool            // an expression may begin here
	oper  bool            // an operator may stand here
	name  bool            // a name
	param bool            // a parameter, where no other expression will do
	text  bool            // a string, where no other expression will do
	typ   bool            // the name of a type of values
}

// tryAll finds what could follow tokens. accepts returns the index of the token that a list of tokens fails at.
func tryAll(toks []lexer.Token, accepts func([]lexer.Token) int) expected {
	n := len(toks)
	trial := append(slices.Clone(toks), lexer.Token{})
	try := func(kind lexer.TokenType, text string) bool {
		trial[n] = lexer.Token{Type: kind, Value: text}
		return accepts(trial) > n
	}
	e := expected{punct: map[string]bool{}}
	// Where any name will do, words of the language are taken as names: that does not make them expected.
	anyWord, anyKeyword := try(kindIdent, "a"), try(kindKeyword, "ON") && try(kindKeyword, "DELETE")
	for _, w := range trialWords {
		switch {
		case softWords[w]:
			if !anyWord && try(kindIdent, w) {
				e.words = append(e.words, w)
			}
		case !anyKeyword && try(wordKind(w), w):
			e.words = append(e.words, w)
		}
	}
	for _, p := range strings.Split(") ] } , ( [ { : | = - < * .", " ") {
		e.punct[p] = try(opKind(p), p)
	}
	e.expr = try(kindNumber, "1") && try(kindString, "''")
	e.oper = try(kindBinary, "^")
	if e.punct[":"] && !e.oper { // IS, too, may stand before a label
		e.words = slices.DeleteFunc(e.words, func(w string) bool { return w == "IS" })
	}
	e.name = !e.expr && try(kindQuoted, "`a`")
	e.param = !e.expr && try(kindParam, "$a")
	e.text = !e.expr && try(kindString, "''")
	e.typ = anyWord && !anyKeyword && !e.expr && !e.name
	return e
}
