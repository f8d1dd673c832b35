package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

type manCmd struct{}

// Run writes the man page.
func (manCmd) Run(app *kong.Kong) error {
	_, err := io.WriteString(os.Stdout, manPage(app.Model))
	return err
}

const manTail = `.SH EXIT STATUS
.TP
.B 0
The command did what it was asked.
.TP
.B 1
A query failed, data are damaged, or two graphs differ.
.TP
.B 2
The command line is wrong.
.SH FILES
A store is a folder.
The shell keeps what you typed in the state folder of your home;
.B \-\-history
names another file.
.SH EXAMPLES
.nf
motif demo
motif load my.db edges.txt
motif query my.db 'MATCH (a)\-\-(b)\-\-(c)\-\-(a) RETURN count(*)'
motif my.db
.fi
`

// manPage writes the whole command line as one page in the language of man(7).
func manPage(model *kong.Application) string {
	var b strings.Builder
	b.WriteString(".\\\" Written by \"motif man\".\n.TH MOTIF 1\n.SH NAME\nmotif \\- find subgraphs by patterns\n.SH SYNOPSIS\n.B motif\n" +
		".I command\n[\\fIflags\\fR] [\\fIarguments\\fR]\n.br\n.B motif\n.I store\n.SH DESCRIPTION\n")
	for _, paragraph := range strings.Split(model.Help, "\n\n") {
		fmt.Fprintf(&b, "%s\n.PP\n", roff(paragraph))
	}
	manFlags(&b, model.Flags)
	b.WriteString(".SH COMMANDS\n")
	for _, leaf := range model.Leaves(true) {
		manVerb(&b, leaf)
	}
	b.WriteString(manTail)
	return b.String()
}

// manVerb writes a verb as a section: how it is called, what it does, its arguments and flags.
func manVerb(b *strings.Builder, node *kong.Node) {
	fmt.Fprintf(b, ".SS %s\n.B motif %s", roff(verbPath(node)), roff(verbPath(node)))
	if len(node.Flags) > 0 {
		b.WriteString(" \\fR[\\fIflags\\fR]")
	}
	for _, p := range node.Positional {
		fmt.Fprintf(b, " \\fI%s\\fR", roff(p.Summary()))
	}
	fmt.Fprintf(b, "\n.PP\n%s\n", roff(node.Help))
	if node.Detail != "" {
		fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", roff(node.Detail))
	}
	for _, p := range node.Positional {
		if p.Help != "" {
			fmt.Fprintf(b, ".TP\n.I %s\n%s\n", roff(p.Name), roff(p.Help))
		}
	}
	for n := node; n != nil && n.Type != kong.ApplicationNode; n = n.Parent {
		manFlags(b, n.Flags)
	}
}

func manFlags(b *strings.Builder, flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		w := wordsOf(f)
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(strings.Join(w.names, ", ")))
		if w.takes != "" {
			fmt.Fprintf(b, "=\\fI%s\\fR", roff(w.takes))
		}
		fmt.Fprintf(b, "\n%s\n", roff(w.about))
	}
}

// roff keeps a text from being read as requests: backslashes, dashes, and dots and quotes at the start of a line.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(strings.TrimSpace(s))
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
