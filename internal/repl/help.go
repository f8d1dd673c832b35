package repl

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif/lang"
)

// The package comment is the help text. One text serves godoc and :help, so the two cannot differ.
//
//go:embed doc.go
var docSource string

// section is one heading of the help text and the text below it.
type section struct{ title, body string }

// sections reads the package comment.
func sections() []section {
	var list []section
	for line := range strings.Lines(docSource) {
		text, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		text = strings.TrimPrefix(strings.TrimRight(text, "\n"), " ")
		if title, ok := strings.CutPrefix(text, "# "); ok {
			list = append(list, section{title: title})
		} else if len(list) > 0 {
			last := &list[len(list)-1]
			last.body += strings.ReplaceAll(text, "\t", "    ") + "\n"
		}
	}
	for i := range list {
		list[i].body = strings.Trim(list[i].body, "\n") + "\n"
	}
	return list
}

// topics lists what :help knows.
func topics() []string {
	var list []string
	for _, s := range sections() {
		list = append(list, strings.ToLower(s.title))
	}
	return list
}

// topicWords are other words for topics.
var topicWords = map[string]string{"ring": "rings", "cycle": "rings", "cycles": "rings", "picture": "export", "pictures": "export", "svg": "export", "png": "export", "pdf": "export", "dot": "export", "draw": "export", "graphviz": "export",
	"mode": "modes", "path": "paths", "pattern": "patterns", "query": "queries", "plan": "plans", "key": "keys", "command": "commands"}

// printHelp prints one section; without a topic, the first two.
func printHelp(w io.Writer, topic string) error {
	all := sections()
	if section, ok := topicWords[strings.ToLower(topic)]; ok {
		topic = section
	}
	if topic == "" {
		_, err := fmt.Fprintf(w, "%s\n%s", fitHelp(all[0].body, Width(w)), fitHelp(all[1].body, Width(w)))
		return err
	}
	for _, s := range all {
		if strings.EqualFold(s.title, topic) {
			_, err := io.WriteString(w, fitHelp(s.body, Width(w)))
			return err
		}
	}
	word := strings.Trim(topic, "'\"`;")
	command, commandNames := helpOnCommand(word)
	line, names := "", commandNames
	if !strings.HasPrefix(word, ":") {
		line, names = helpOnWord(word, widthOfHelp(w))
		names = append(names, commandNames...)
	}
	if line == "" && command == "" {
		return &noHelpError{fmt.Sprintf("no help on %q%s there is help on %s, and on every command, keyword, function and procedure", topic,
			DidYouMean(topic, append(topics(), names...)), strings.Join(topics(), ", "))}
	}
	if command != "" {
		command = fitHelp(command, Width(w))
	}
	if line != "" {
		line += "\n"
	}
	_, err := io.WriteString(w, command+line)
	return err
}

// noHelpError says that there is no help on a word.
type noHelpError struct{ text string }

func (e *noHelpError) Error() string { return e.text }

// help runs :help. A script goes on after a word without help: no later statement can depend on it.
func (sh *Shell) help(_ context.Context, topic string) error {
	err := printHelp(sh.Out, topic)
	if none, ok := errors.AsType[*noHelpError](err); ok {
		sh.tellf("%s", none)
		return nil
	}
	return err
}

// helpOnCommand returns the lines of a colon command in the section on commands. Names lists all commands.
func helpOnCommand(word string) (lines string, names []string) {
	word = strings.ToLower(strings.TrimPrefix(word, ":"))
	name := ""
	for _, c := range commands() {
		if names = append(names, c.name); c.name == word || slices.Contains(c.also, word) {
			name = c.name
		}
	}
	if name == "" {
		return "", names
	}
	for _, s := range sections() {
		if s.title != "Commands" {
			continue
		}
		inside := false
		for line := range strings.Lines(s.body) {
			head := strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(head, ":"):
				inside = strings.Fields(head)[0] == ":"+name
			case head == "":
				inside = false
			}
			if inside {
				lines += line
			}
		}
	}
	return lines, names
}

// helpOnWord explains a keyword or function in a line, or a procedure with its options. names lists all words it knows.
func helpOnWord(word string, width int) (line string, names []string) {
	for _, f := range lang.Functions {
		if strings.EqualFold(f.Name, strings.TrimSuffix(word, "()")) {
			line = wrap(f.Signature, 8, width) + "\n    " + wrap(f.Help, 4, width)
		}
		names = append(names, f.Name)
	}
	for i := range lang.Procedures {
		if p := &lang.Procedures[i]; strings.EqualFold(p.Name, strings.TrimSuffix(word, "()")) {
			line = wrap(p.Signature(), 8, width) + "\n    " + wrap(p.Help, 4, width)
			for _, o := range p.Options {
				line += fmt.Sprintf("\n    %-10s %s", o.Name, wrap(o.Describe(), 15, width))
			}
		}
		names = append(names, lang.Procedures[i].Name)
	}
	keywords := slices.Concat(lang.Keywords, transactionWords)
	for _, k := range keywords {
		if line == "" && strings.EqualFold(k.Word, word) {
			line = k.Word + "\n    " + wrap(k.Help, 4, width)
		}
		names = append(names, k.Word)
	}
	if line == "" { // the first word of several
		for _, k := range keywords {
			if hasPrefixFold(k.Word, word+" ") {
				line += "\n" + k.Word + "\n    " + wrap(k.Help, 4, width)
			}
		}
	}
	return strings.TrimPrefix(line, "\n"), names
}

// helpWidth is the width of help where it is not for a narrower terminal.
const helpWidth = 96

// widthOfHelp returns the width of help on w.
func widthOfHelp(w any) int {
	if n := Width(w); n > 0 {
		return min(helpWidth, n-1)
	}
	return helpWidth
}

// wrap breaks text at blanks into lines. All lines but the first are indented; the first counts as if it were.
func wrap(text string, indent, width int) string {
	return wrapTo(text, strings.Repeat(" ", indent), indent, width)
}

// wrapTo breaks text into lines of width columns. The first line begins in column at, the others with prefix.
func wrapTo(text, prefix string, at, width int) string {
	var b strings.Builder
	gap := 0
	for i, word := range strings.Split(text, " ") {
		if i > 0 {
			gap++
		}
		n := utf8.RuneCountInString(word)
		switch {
		case word == "":
			continue
		case i > 0 && at+gap+n > width:
			b.WriteString("\n" + prefix)
			at = utf8.RuneCountInString(prefix)
		default:
			b.WriteString(strings.Repeat(" ", gap))
			at += gap
		}
		b.WriteString(word)
		at, gap = at+n, 0
	}
	return b.String()
}

// PrintPlan prints a plan. On a terminal it keeps to its width.
func PrintPlan(w io.Writer, plan string) error {
	for line := range strings.Lines(plan) {
		if _, err := fmt.Fprintln(w, wrapPlan(Visible(strings.TrimRight(line, "\n")), Width(w))); err != nil {
			return err
		}
	}
	return nil
}

// wrapPlan breaks a line of a plan. Further lines stand below its text, beside the lines of the tree. A width of 0 breaks
// nothing.
func wrapPlan(line string, width int) string {
	text := strings.TrimLeft(line, " │├└─")
	tree := line[:len(line)-len(text)]
	if at := utf8.RuneCountInString(tree); width > at+20 && at+utf8.RuneCountInString(text) > width {
		return tree + wrapTo(text, strings.NewReplacer("├", "│", "└", " ", "─", " ").Replace(tree)+"  ", at, width)
	}
	return line
}

// DidYouMean ends the clause before it: with the nearest of the names if one is near, else with a semicolon.
func DidYouMean(word string, names []string) string {
	best, ok := lang.Suggest(word, names)
	if !ok {
		return ";"
	}
	return fmt.Sprintf("; did you mean %s?", best)
}
