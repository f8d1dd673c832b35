package repl

import (
	"slices"
	"strings"

	"github.com/motifql/motif/lang"
)

// call is the part of a CALL that stands before the cursor.
type call struct {
	start int    // where the name of the procedure begins; -1: at the word at the cursor
	place string // what stands at the cursor: "name", "option" or "column"
	proc  *lang.Procedure
}

// callBefore finds the CALL that the word after tokens belongs to: as the name of a procedure, as a key of its options,
// or as a column. It returns nil if there is none.
func callBefore(tokens []token) *call {
	i := len(tokens) - 1
	for i >= 0 && !(tokens[i].kind == lang.TokenKeyword && strings.EqualFold(tokens[i].text, "CALL")) {
		i--
	}
	if i < 0 {
		return nil
	}
	rest := tokens[i+1:]
	open := slices.IndexFunc(rest, func(t token) bool { return t.text == "(" })
	if open < 0 {
		return nameBefore(rest)
	}
	name := ""
	for _, t := range rest[:open] {
		name += t.text
	}
	c := &call{proc: lang.FindProcedure(name)}
	last := rest[len(rest)-1]
	yield := slices.IndexFunc(rest, func(t token) bool { return t.kind == lang.TokenKeyword && strings.EqualFold(t.text, "YIELD") })
	switch {
	case c.proc == nil:
		return nil
	case yield >= 0 && !slices.ContainsFunc(rest[yield+1:], func(t token) bool { return t.kind == lang.TokenKeyword && !strings.EqualFold(t.text, "AS") }):
		c.place = "column"
		if last.text != "," && yield != len(rest)-1 {
			return nil
		}
	case yield < 0 && (last.text == "{" || last.text == ",") && depth(rest) == "({":
		c.place = "option"
	default:
		return nil
	}
	return c
}

// nameBefore is the CALL of which tokens begin the name.
func nameBefore(tokens []token) *call {
	switch {
	case len(tokens) == 0:
		return &call{start: -1, place: "name"}
	case tokens[len(tokens)-1].text != ".":
		return nil
	}
	return &call{start: tokens[0].start, place: "name"}
}

// depth is the brackets that are open after tokens.
func depth(tokens []token) (open string) {
	for _, t := range tokens {
		switch {
		case t.kind != lang.TokenOperator:
		case strings.Contains("([{", t.text):
			open += t.text
		case strings.Contains(")]}", t.text) && open != "":
			open = open[:len(open)-1]
		}
	}
	return open
}

// completeCall offers procedures, or the options or columns of one.
func completeCall(head string, c *call) candidates {
	start := c.start
	if c.place != "name" || start < 0 {
		start = wordStart(head)
	}
	out := candidates{before: head[:start], word: head[start:]}
	offer := func(kind, text, about string) {
		if hasPrefixFold(text, out.word) {
			out.list = append(out.list, candidate{text: text, about: about, kind: kind})
		}
	}
	switch c.place {
	case "name":
		for i := range lang.Procedures {
			p := &lang.Procedures[i]
			offer("procedures", p.Name+"(", p.Signature())
		}
	case "option":
		for _, o := range c.proc.Options {
			offer("options", o.Name, o.Help)
		}
	case "column":
		for _, col := range c.proc.Columns {
			offer("columns", col.Name, "")
		}
	}
	return out
}
