package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

// Help tells how to install the script.
func (completionCmd) Help() string {
	return `Where the script goes:

  bash:  motif completion bash > ~/.local/share/bash-completion/completions/motif

  zsh:   motif completion zsh > DIR/_motif     (DIR is a folder of $fpath)

  fish:  motif completion fish > ~/.config/fish/completions/motif.fish`
}

// Run writes the completion script of the shell.
func (c *completionCmd) Run(app *kong.Kong) error {
	return writeCompletion(os.Stdout, app.Model, c.Shell)
}

// word is something that can be completed: a flag, a verb or a value, with what it is for.
type word struct{ text, about string }

// verb is a command of the command line with its flags. Its path is empty for the program itself, "gen rmat" for a
// verb of two words.
type verb struct {
	path     string
	about    string
	below    []word // verbs that may follow
	flags    []flagWords
	operands []string // values of its arguments, where they are listed
}

// flagWords is a flag as it is typed: its names with their dashes, and its values where they are listed.
type flagWords struct {
	names  []string
	about  string
	takes  string // placeholder of the value; empty for a switch
	values []string
}

func writeCompletion(out io.Writer, model *kong.Application, shell string) error {
	write := map[string]func([]verb) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[shell]
	_, err := io.WriteString(out, write(verbsOf(model.Node, nil)))
	return err
}

// verbsOf lists a node of the command line and all below it, each with the flags of those above it.
func verbsOf(node *kong.Node, inherited []flagWords) []verb {
	v := verb{path: verbPath(node), about: node.Help, flags: slices.Clone(inherited)}
	for _, f := range node.Flags {
		if !f.Hidden {
			v.flags = append(v.flags, wordsOf(f))
		}
	}
	for _, p := range node.Positional {
		v.operands = append(v.operands, valuesOf(p)...)
	}
	list := []verb{v}
	for _, child := range node.Children {
		if !child.Hidden {
			list[0].below = append(list[0].below, word{child.Name, child.Help})
			list = append(list, verbsOf(child, v.flags)...)
		}
	}
	return list
}

// verbPath names a node without the program: "", "load", "gen rmat".
func verbPath(node *kong.Node) string {
	if node.Parent == nil {
		return ""
	}
	return strings.TrimSpace(verbPath(node.Parent) + " " + node.Name)
}

func wordsOf(f *kong.Flag) flagWords {
	w := flagWords{names: []string{"--" + f.Name}, about: f.Help, values: valuesOf(f.Value)}
	if f.Short != 0 {
		w.names = append(w.names, "-"+string(f.Short))
	}
	if !f.IsBool() && !f.IsCounter() {
		w.takes = f.FormatPlaceHolder()
	}
	return w
}

// valuesOf lists the values of an enumeration.
func valuesOf(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	values := v.EnumSlice()
	return slices.DeleteFunc(values, func(s string) bool { return s == "" })
}

func texts(words []word) (list []string) {
	for _, w := range words {
		list = append(list, w.text)
	}
	return list
}

// quote puts a text into single quotes, as bash and zsh read them.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// bashScript completes verbs, flags and listed values from words in one case statement, and files else. Bash
// splits --flag=value at the sign, so the flag may stand two words back.
func bashScript(verbs []verb) string {
	var b strings.Builder
	b.WriteString(`# bash completion for motif, written by "motif completion bash"
_motif() {
	local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} verb= word words= i
	if [[ $cur == "=" ]]; then
		cur=
	elif [[ $flag == "=" ]]; then
		flag=${COMP_WORDS[COMP_CWORD-2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case "${verb:+$verb }$word" in
`)
	for _, v := range verbs[1:] {
		fmt.Fprintf(&b, "\t\t%s) verb=%s ;;\n", quote(v.path), quote(v.path))
	}
	b.WriteString("\t\t*) [[ $word == -* ]] || break ;;\n\t\tesac\n\tdone\n\tcase \"$verb:$flag\" in\n")
	for _, v := range verbs {
		for _, f := range v.flags {
			for _, name := range f.names {
				switch {
				case f.takes == "":
				case len(f.values) > 0:
					fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", quote(v.path+":"+name), quote(strings.Join(f.values, " ")))
				default:
					fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", quote(v.path+":"+name))
				}
			}
		}
	}
	b.WriteString("\tesac\n\tcase \"$verb:$cur\" in\n")
	for _, v := range verbs {
		var names []string
		for _, f := range v.flags {
			names = append(names, f.names...)
		}
		fmt.Fprintf(&b, "\t%s-*) words=%s ;;\n", quote(v.path+":"), quote(strings.Join(names, " ")))
		if listed := append(texts(v.below), v.operands...); len(listed) > 0 {
			fmt.Fprintf(&b, "\t%s*) words=%s ;;\n", quote(v.path+":"), quote(strings.Join(listed, " ")))
		}
	}
	b.WriteString(`	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
	if [[ ${#COMPREPLY[@]} == 0 && $cur != -* ]]; then
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -F _motif motif
`)
	return b.String()
}

// zshScript hands the flags of each verb to _arguments, which shows what they are for.
func zshScript(verbs []verb) string {
	var b strings.Builder
	b.WriteString(`#compdef motif
# zsh completion for motif, written by "motif completion zsh"
_motif() {
	local verb= word
	local -i i
	local -a below
	for ((i = 2; i < CURRENT; i++)); do
		word=$words[i]
		case "${verb:+$verb }$word" in
`)
	for _, v := range verbs[1:] {
		fmt.Fprintf(&b, "\t\t(%s) verb=%s ;;\n", quote(v.path), quote(v.path))
	}
	b.WriteString("\t\t(*) [[ $word == -* ]] || break ;;\n\t\tesac\n\tdone\n\tcase $verb in\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "\t(%s)\n", quote(v.path))
		if len(v.below) > 0 {
			b.WriteString("\t\tbelow=(\n")
			for _, w := range v.below {
				fmt.Fprintf(&b, "\t\t\t%s\n", quote(w.text+":"+w.about))
			}
			b.WriteString("\t\t)\n\t\tif [[ $PREFIX != -* ]]; then\n\t\t\t_describe verb below\n")
			if v.path == "" {
				b.WriteString("\t\t\t_files\n")
			}
			b.WriteString("\t\t\treturn\n\t\tfi\n")
		}
		b.WriteString("\t\t_arguments -S \\\n")
		for _, f := range v.flags {
			for _, name := range f.names {
				fmt.Fprintf(&b, "\t\t\t%s \\\n", quote(zshSpec(name, f)))
			}
		}
		operand := "*:file:_files"
		if len(v.operands) > 0 {
			operand = "*:value:(" + strings.Join(v.operands, " ") + ")"
		}
		fmt.Fprintf(&b, "\t\t\t%s ;;\n", quote(operand))
	}
	b.WriteString("\tesac\n}\nif [[ $funcstack[1] == _motif ]]; then _motif \"$@\"; else compdef _motif motif; fi\n")
	return b.String()
}

// zshSpec writes a flag as _arguments takes it. A flag may be repeated, and a long one take its value after a sign.
func zshSpec(name string, f flagWords) string {
	about := strings.NewReplacer("[", `\[`, "]", `\]`, `\`, `\\`).Replace(f.about)
	spec := "*" + name
	if f.takes == "" {
		return spec + "[" + about + "]"
	}
	if strings.HasPrefix(name, "--") {
		spec += "="
	}
	what := ":_files"
	if len(f.values) > 0 {
		what = ":(" + strings.Join(f.values, " ") + ")"
	}
	return spec + "[" + about + "]:value" + what
}

// fishScript writes one line a word, with the verb after which it is offered.
func fishScript(verbs []verb) string {
	var b strings.Builder
	b.WriteString("# fish completion for motif, written by \"motif completion fish\"\n" + `function __motif_verb --description "The verb that has been typed is the one given"
	set -l verb
	for word in (commandline -opc)[2..]
		switch (string join -- " " $verb $word)
`)
	for _, v := range verbs[1:] {
		fmt.Fprintf(&b, "\t\t\tcase %s\n\t\t\t\tset -a verb $word\n", fishQuote(v.path))
	}
	b.WriteString("\t\t\tcase '*'\n\t\t\t\tstring match -q -- '-*' $word; or break\n\t\tend\n\tend\n\ttest \"$argv\" = \"$verb\"\nend\n")
	for _, v := range verbs {
		when := "complete -c motif -n " + fishQuote(strings.TrimSpace("__motif_verb "+v.path))
		for _, w := range v.below {
			fmt.Fprintf(&b, "%s -a %s -d %s\n", when, fishQuote(w.text), fishQuote(w.about))
		}
		if len(v.operands) > 0 {
			fmt.Fprintf(&b, "%s -f -a %s\n", when, fishQuote(strings.Join(v.operands, " ")))
		}
		for _, f := range v.flags {
			b.WriteString(when)
			for _, name := range f.names {
				if long, ok := strings.CutPrefix(name, "--"); ok {
					b.WriteString(" -l " + long)
				} else {
					b.WriteString(" -s " + name[1:])
				}
			}
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(&b, " -x -a %s", fishQuote(strings.Join(f.values, " ")))
			case f.takes != "":
				b.WriteString(" -r -F")
			}
			fmt.Fprintf(&b, " -d %s\n", fishQuote(f.about))
		}
	}
	return b.String()
}

// fishQuote puts a text into single quotes, as fish reads them.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
