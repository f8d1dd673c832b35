package repl

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/lang/assist"
)

// candidates is what may stand at the cursor. before and one of the list replace the line up to the cursor.
type candidates struct {
	before string // the line up to the word at the cursor
	word   string // the part of the word that is typed
	list   []assist.Option
}

// completer offers what may come next: colon commands and their arguments itself, the rest by an assistant.
type completer struct{ *assist.Assistant }

// newCompleter returns a completer. params are the shell's, which it sets. Without a db, the schema is all that is known.
func newCompleter(db *motif.DB, schema *motif.Schema, params motif.Params) *completer {
	a := assist.New(db, schema)
	a.Params, a.Words = params, transactionWords
	return &completer{Assistant: a}
}

// transactionWords are statements of the shell and of motif run, not of the language.
var transactionWords = []lang.Keyword{
	{Word: "BEGIN", Help: "opens a transaction: what follows is kept by COMMIT, or dropped by ROLLBACK"},
	{Word: "COMMIT", Help: "ends a transaction and keeps what was written in it"},
	{Word: "ROLLBACK", Help: "ends a transaction and drops what was written in it"},
}

// forget makes the next completion look at the graph anew.
func (c *completer) forget() {
	if c != nil {
		c.Forget()
	}
}

// complete returns the candidates for line. cursor is the first byte after the cursor.
func (c *completer) complete(line string, cursor int) candidates {
	head := line[:cursor]
	if strings.HasPrefix(strings.TrimSpace(head), ":") {
		return c.completeCommand(head)
	}
	return c.completeQuery(head, line)
}

// completeQuery completes inside a query. line is the whole input.
func (c *completer) completeQuery(head, line string) candidates {
	found := c.Complete(context.Background(), line, len(head))
	if len(found.Options) == 0 {
		return candidates{}
	}
	return candidates{before: head[:found.From], word: found.Word, list: found.Options}
}

// add appends the names that begin with the word at the cursor, in any case.
func (out *candidates) add(kind string, names []string) {
	for _, n := range names {
		shown := Name(n)
		if hasPrefixFold(n, out.word) || hasPrefixFold(shown, out.word) {
			out.list = append(out.list, assist.Option{Text: shown, Kind: kind})
		}
	}
}

// completeCommand completes a colon command and its argument.
func (c *completer) completeCommand(head string) candidates {
	lead := len(head) - len(strings.TrimLeftFunc(head, unicode.IsSpace))
	word, arg, hasArg := strings.Cut(head[lead:], " ")
	if !hasArg {
		out := candidates{before: head[:lead], word: word}
		for _, cmd := range commands() {
			if strings.HasPrefix(":"+cmd.name, word) {
				out.list = append(out.list, assist.Option{Text: ":" + cmd.name, About: cmd.about, Kind: "commands"})
			}
		}
		return out
	}
	arg = strings.TrimLeft(arg, " ")
	out := candidates{before: strings.TrimSuffix(head, arg), word: arg}
	switch strings.TrimPrefix(word, ":") {
	case "mode":
		out.add("formats", Formats)
	case "help":
		out.add("topics", topics())
	case "timing", "brute":
		out.add("", []string{"on", "off"})
	case "param":
		out.add("parameters", sortedKeys(c.Params))
	case "set":
		out.addKnobs()
	case "schema":
		schema := c.Schema(context.Background())
		for _, n := range schema.Labels {
			out.add("labels", []string{n.Name})
		}
		for _, n := range schema.Types {
			out.add("types", []string{n.Name})
		}
	case "read", "source", "output":
		out.addFiles()
	case "explain", "watch", "edit":
		inner := c.completeQuery(arg, arg)
		inner.before = out.before + inner.before
		return inner
	}
	return out
}

// addKnobs offers the knobs, or the values of a named one.
func (out *candidates) addKnobs() {
	knob, value, named := strings.Cut(out.word, " ")
	for _, set := range settings() {
		switch {
		case !named && strings.HasPrefix(set.name, knob):
			out.list = append(out.list, assist.Option{Text: set.name, About: set.about, Kind: "settings"})
		case named && set.name == knob:
			out.before, out.word = out.before+knob+" ", value
			out.add("values", set.values)
			return
		}
	}
	for _, k := range motif.Knobs() {
		switch {
		case !named && strings.HasPrefix(k.Name, knob):
			out.list = append(out.list, assist.Option{Text: k.Name, About: k.Help, Kind: "knobs"})
		case named && k.Name == knob:
			list := value[:strings.LastIndexByte(value, ',')+1]
			out.before, out.word = out.before+knob+" "+list, value[len(list):]
			for i, v := range k.Values {
				if strings.HasPrefix(v, out.word) {
					out.list = append(out.list, assist.Option{Text: v, About: k.About[i], Kind: "values"})
				}
			}
			return
		}
	}
}

// addFiles offers the files and folders whose path begins with the word.
func (out *candidates) addFiles() {
	dir, base := filepath.Split(out.word)
	at := dir
	if at == "" {
		at = "."
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return // nothing to offer
	}
	for _, e := range entries {
		path := dir + e.Name()
		switch {
		case !strings.HasPrefix(e.Name(), base), base == "" && strings.HasPrefix(e.Name(), "."):
			continue
		case e.IsDir():
			path += string(filepath.Separator)
		}
		out.list = append(out.list, assist.Option{Text: path, Kind: "files"})
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
