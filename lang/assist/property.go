package assist

import (
	"slices"
	"strings"

	"github.com/motifql/motif/lang"
)

// propertiesAt lists the keys that may stand at the end of tokens: those of the labels and types of the variable before the dot, or
// of the node or relationship around the map. Without labels and types these are all keys.
func (c *completer) propertiesAt(tokens, statement []token) []string {
	var names []string
	if n := len(tokens); n > 1 && tokens[n-1].text == "." {
		names = namesOf(statement, tokens[n-2].text)
	} else {
		names = namesAround(tokens)
	}
	var list []string
	for _, n := range names {
		list = append(list, c.keysNamed(c.ctx, c.known, n)...)
	}
	if len(list) == 0 {
		return keys(c.known)
	}
	slices.Sort(list)
	return slices.Compact(list)
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
