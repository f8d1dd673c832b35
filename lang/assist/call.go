package assist

import (
	"slices"
	"strings"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// call is the part of a CALL before the cursor.
type call struct {
	start int    // start of the procedure's name; -1: the word at the cursor
	place string // what the cursor stands at: "name", "option", "value" or "column"
	proc  *lang.Procedure
	of    *lang.ProcedureOption // the option of the value
}

// callBefore finds the CALL that the word after tokens belongs to: as the procedure's name, an option's key or a column.
// It returns nil if there is none.
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
	case yield < 0 && last.text == ":" && depth(rest) == "({":
		c.place = "value"
		if c.of = c.proc.Option(rest[len(rest)-2].text); c.of == nil {
			return nil
		}
	default:
		return nil
	}
	return c
}

// tokensBefore returns the tokens of the statement at the end of head.
func tokensBefore(head string) []token {
	tokens := statementAround(lex(head+"x"), len(head))
	return tokens[:max(0, len(tokens)-1)]
}

// nameBefore returns the CALL whose name tokens begin.
func nameBefore(tokens []token) *call {
	switch {
	case len(tokens) == 0:
		return &call{start: -1, place: "name"}
	case tokens[len(tokens)-1].text != ".":
		return nil
	}
	return &call{start: tokens[0].start, place: "name"}
}

// depth returns the brackets that are open after tokens.
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

// call offers procedures, or the options or columns of one.
func (co *completer) call(head string, c *call) Completion {
	start := c.start
	if c.place != "name" || start < 0 {
		start = wordStart(head)
	}
	if c.place == "value" {
		start = stringStart(head, start)
	}
	out := Completion{From: start, Word: head[start:]}
	offer := func(kind, text, about string) {
		if hasPrefixFold(text, out.Word) {
			out.Options = append(out.Options, Option{Text: text, About: about, Kind: kind})
		}
	}
	switch c.place {
	case "name":
		for i := range lang.Procedures {
			p := &lang.Procedures[i]
			offer("procedures", p.Name+"(", p.Brief)
		}
	case "option":
		for _, o := range c.proc.Options {
			offer("options", o.Name, o.Help)
		}
	case "value":
		for _, v := range co.values(c.of) {
			offer("values", v, "")
		}
	case "column":
		for _, col := range c.proc.Columns {
			offer("columns", col.Name, "")
		}
	}
	return out
}

// values returns the possible values of an option as they are written: constants, and names of the graph.
func (co *completer) values(o *lang.ProcedureOption) []string {
	list := o.Values()
	counts := map[string][]motif.NameCount{"type": co.known.Types, "label": co.known.Labels}[o.Names()]
	for _, c := range counts {
		list = append(list, "'"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(c.Name)+"'")
	}
	return list
}

// stringStart returns start, or the place of the quote before it that opens a string.
func stringStart(head string, start int) int {
	if start > 0 && head[start-1] == '\'' && strings.Count(head[:start], "'")%2 == 1 {
		return start - 1
	}
	return start
}
