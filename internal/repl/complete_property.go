package repl

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/lang"
)

// completionTime is how long completion may ask the graph.
const completionTime = 300 * time.Millisecond

// forget makes the next completion look at the graph anew.
func (c *completer) forget() {
	if c != nil {
		c.stale, c.keysByName = true, nil
	}
}

// refresh reads the names of the graph if they may have changed.
func (c *completer) refresh() {
	if !c.stale || c.db == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), completionTime)
	defer stop()
	if schema, err := c.db.Schema(ctx); err == nil {
		c.schema, c.stale = schema, false
	}
}

// propertiesAt lists the keys that may stand at the end of tokens: those of the labels and types of the variable before the dot, or
// of the node or relationship around the map. Without labels and types these are all keys.
func (c *completer) propertiesAt(tokens, statement []token) []string {
	var names []string
	if n := len(tokens); n > 1 && tokens[n-1].text == "." {
		names = namesOf(statement, tokens[n-2].text)
	} else {
		names = namesAround(tokens)
	}
	var keys []string
	for _, n := range names {
		keys = append(keys, c.keysNamed(n)...)
	}
	if len(keys) == 0 {
		return c.keys()
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// namesOf lists the labels and types that a statement gives a variable.
func namesOf(statement []token, variable string) (names []string) {
	for i, t := range statement {
		if t.text != variable || i == 0 || !strings.Contains("([", statement[i-1].text) {
			continue
		}
		for _, t := range statement[i+1:] {
			switch t.kind {
			case lang.TokenLabel, lang.TokenType:
				names = append(names, strings.Trim(t.text, "`"))
				continue
			}
			if !strings.Contains(":|&", t.text) {
				break
			}
		}
	}
	return names
}

// namesAround lists the labels and types of the node or relationship whose map the tokens end in.
func namesAround(tokens []token) (names []string) {
	depth := 0
	for _, t := range slices.Backward(tokens) {
		switch {
		case strings.Contains(")]}", t.text):
			depth++
		case t.text == "{" && depth == 0:
		case strings.Contains("([", t.text) && depth == 0:
			return names
		case strings.Contains("([{", t.text):
			depth--
		case depth == 0 && (t.kind == lang.TokenLabel || t.kind == lang.TokenType):
			names = append(names, strings.Trim(t.text, "`"))
		}
	}
	return nil
}

// keysNamed lists the keys that the first elements of a label or a type have.
func (c *completer) keysNamed(word string) []string {
	if keys, ok := c.keysByName[word]; ok || c.db == nil {
		return keys
	}
	ctx, stop := context.WithTimeout(context.Background(), completionTime)
	defer stop()
	var keys []string
	list, _ := elementsNamed(c.schema, word)
	for _, e := range list {
		rows, err := c.db.Query(ctx, "MATCH "+e.pattern+" WITH x LIMIT 1000 UNWIND keys(x) AS k RETURN DISTINCT k", nil)
		if err != nil {
			continue
		}
		for row, err := range rows.All() {
			if err != nil {
				break
			}
			if k, ok := row.At(0).(string); ok {
				keys = append(keys, k)
			}
		}
	}
	if c.keysByName == nil {
		c.keysByName = make(map[string][]string)
	}
	c.keysByName[word] = keys
	return keys
}
