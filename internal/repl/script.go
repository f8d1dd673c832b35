package repl

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// Scripts that other programs write for Neo4j's shells have lines of their own between the statements, such as :begin, and a few
// statements that need no counterpart here. apoc.export.cypher writes such scripts.

// shellLine matches a line of a script that is no statement: a colon command of cypher-shell, or a word of neo4j-shell.
var shellLine = regexp.MustCompile(`^(?i)(:[^\n]*|begin|commit|rollback|schema await)[ \t]*\r?(\n|$)`)

// peel yields the lines that are no statements at the beginning of a statement, then the rest. It reports whether yield wants more.
func peel(st statement, yield func(statement) bool) bool {
	for {
		blanks := len(st.text) - len(strings.TrimLeft(st.text, " \t\r\n"))
		st.text, st.offset = st.text[blanks:], st.offset+blanks
		at := shellLine.FindStringSubmatchIndex(st.text)
		if at == nil {
			break
		}
		if !yield(statement{st.text[at[2]:at[3]], st.offset}) {
			return false
		}
		st.text, st.offset = st.text[at[1]:], st.offset+at[1]
	}
	return strings.Trim(st.text, "; \t\r\n") == "" || yield(st)
}

var (
	waits     = regexp.MustCompile(`^(?i)\s*(CALL\s+db\.awaitIndex(es)?\s*(\([^)]*\))?|schema\s+await)\s*;?\s*$`)
	indexKind = regexp.MustCompile(`^(?i)(\s*CREATE\s+)(RANGE|BTREE)(\s+INDEX\b)`)
	endNode   = regexp.MustCompile(`(?i)\(\s*end\b`)
)

// shellStatement runs what is no statement of the language. It reports whether text was that.
func (s *Session) shellStatement(ctx context.Context, text string) (bool, error) {
	if waits.MatchString(text) { // indexes are there at once
		return true, nil
	}
	if !strings.HasPrefix(text, ":") || transaction(text) != "" {
		return false, nil
	}
	word, rest, _ := strings.Cut(strings.TrimRight(text, "; \t\r"), " ")
	if word != ":param" && word != ":params" {
		return true, fmt.Errorf("a script has no command %s; it has :begin, :commit, :rollback and :param", word)
	}
	return true, s.shellParam(ctx, strings.TrimSpace(rest))
}

// shellParam sets parameters: name => expression, or a map of them.
func (s *Session) shellParam(ctx context.Context, text string) error {
	name, expr, single := strings.Cut(text, "=>")
	if strings.HasPrefix(text, "{") {
		name, expr, single = "", text, true
	}
	if !single || strings.TrimSpace(expr) == "" {
		return fmt.Errorf(":param takes a name and a value, as in :param limit => 10")
	}
	query := s.DB.Query
	if s.tx != nil {
		query = s.tx.Query
	}
	rows, err := query(ctx, "RETURN "+expr+" AS value", s.Params)
	if err != nil {
		return err
	}
	value, err := motif.One[any](rows)
	if err != nil {
		return err
	}
	if s.Params == nil {
		s.Params = motif.Params{}
	}
	if name = strings.Trim(strings.TrimSpace(name), "`"); name != "" {
		s.Params[name] = value
		return nil
	}
	all, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf(":param takes a name and a value, or a map, as in :param {limit: 10}")
	}
	maps.Copy(s.Params, all)
	return nil
}

// fromNeo4j rewrites what Neo4j's exports write otherwise: kinds of indexes, and the word END as the name of a node.
func fromNeo4j(text string) string {
	text = indexKind.ReplaceAllStringFunc(text, func(m string) string {
		at := indexKind.FindStringSubmatchIndex(m)
		return m[:at[4]] + strings.Repeat(" ", at[5]-at[4]) + m[at[5]:]
	})
	if !endNode.MatchString(text) {
		return text
	}
	var b strings.Builder
	done, last := 0, ""
	for p := range lang.TokenPlaces(text) {
		word := text[p.Offset : p.Offset+p.Len]
		if last == "(" && strings.EqualFold(word, "end") {
			b.WriteString(text[done:p.Offset] + "`" + word + "`")
			done = p.Offset + p.Len
		}
		last = word
	}
	return b.String() + text[done:]
}
