package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/motifql/motif"
)

// command is a colon command.
type command struct {
	name  string
	about string // for completion; the text of :help is in doc.go
	run   func(sh *Shell, ctx context.Context, arg string) error
}

// commands returns the commands in the order of the help text.
func commands() []command {
	return []command{
		{"help", "help topics", func(sh *Shell, _ context.Context, arg string) error { return printHelp(sh.Out, arg) }},
		{"schema", "labels, types and properties", (*Shell).showSchema},
		{"stats", "the size of the graph", (*Shell).showStats},
		{"mode", "output format", (*Shell).setMode},
		{"timing", "rows and time after each query", func(sh *Shell, _ context.Context, arg string) error {
			return sh.toggle(&sh.Timing, "timing", arg)
		}},
		{"param", "set or show parameters", (*Shell).setParam},
		{"brute", "try every assignment", func(sh *Shell, _ context.Context, arg string) error {
			return sh.toggle(&sh.Brute, "brute", arg)
		}},
		{"set", "how queries are matched", (*Shell).setKnob},
		{"read", "run the statements of a file", (*Shell).readFile},
		{"save", "save a query in the store", (*Shell).saveQuery},
		{"saved", "list the saved queries", (*Shell).showSaved},
		{"run", "run a saved query", (*Shell).runSaved},
		{"forget", "delete a saved query", (*Shell).forgetQuery},
		{"explain", "the plan of a query", (*Shell).explain},
		{"quit", "leave", func(*Shell, context.Context, string) error { return errQuit }},
	}
}

// command runs a colon command. Its name may be cut short as long as it stays unique.
func (sh *Shell) command(ctx context.Context, line string) error {
	word, arg, _ := strings.Cut(strings.TrimPrefix(line, ":"), " ")
	if i := strings.IndexAny(word, "\n\t;"); i >= 0 {
		word, arg = word[:i], word[i:]+" "+arg
	}
	arg = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(arg), ";"))
	all, names := commands(), []string{}
	var found []command
	for _, c := range all {
		names = append(names, ":"+c.name)
		if c.name == word {
			return c.run(sh, ctx, arg)
		}
		if word != "" && strings.HasPrefix(c.name, word) {
			found = append(found, c)
		}
	}
	if len(found) == 1 {
		return found[0].run(sh, ctx, arg)
	}
	return fmt.Errorf("no command :%s%s :help lists them", word, DidYouMean(":"+word, names))
}

func (sh *Shell) showStats(ctx context.Context, _ string) error {
	stats, err := sh.DB.Stats(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(sh.Out, strings.TrimRight(stats.String(), "\n"))
	return err
}

func (sh *Shell) setMode(_ context.Context, arg string) error {
	switch {
	case arg == "":
		_, err := fmt.Fprintf(sh.Out, "%s (there are %s)\n", sh.Format, strings.Join(Formats, ", "))
		return err
	case !slices.Contains(Formats, arg):
		return fmt.Errorf("no output format %q%s there are %s", arg, DidYouMean(arg, Formats), strings.Join(Formats, ", "))
	}
	sh.Format = arg
	return nil
}

// toggle sets a switch to on or off, or flips it without an argument, and reports it.
func (sh *Shell) toggle(on *bool, name, arg string) error {
	switch strings.ToLower(arg) {
	case "":
		*on = !*on
	case "on":
		*on = true
	case "off":
		*on = false
	default:
		return fmt.Errorf(":%s takes on or off, not %q", name, arg)
	}
	state := "off"
	if *on {
		state = "on"
	}
	_, err := fmt.Fprintf(sh.Err, "%s is %s\n", name, state)
	return err
}

// setKnob shows all knobs, shows one, or sets one.
func (sh *Shell) setKnob(_ context.Context, arg string) error {
	name, value, given := strings.Cut(arg, " ")
	value = strings.ReplaceAll(value, " ", "")
	var names []string
	for _, k := range motif.Knobs() {
		names = append(names, k.Name)
		if arg == "" || !given && k.Name == name {
			_, _ = io.WriteString(sh.Out, describeKnob(k, cmp.Or(sh.Knobs[k.Name], defaultOf(k)), !given && arg != ""))
		}
	}
	switch {
	case arg != "" && !slices.Contains(names, name):
		return fmt.Errorf("no knob %q%s there are %s", name, DidYouMean(name, names), strings.Join(names, ", "))
	case !given:
		return nil
	}
	if _, err := motif.ParseOption(name, value); err != nil {
		return err
	}
	if sh.Knobs == nil {
		sh.Knobs = make(map[string]string)
	}
	sh.Knobs[name] = value
	_, err := fmt.Fprintf(sh.Err, "%s is %s\n", name, value)
	return err
}

// defaultOf returns the value of a knob that nobody has set.
func defaultOf(k motif.Knob) string {
	if k.Values == nil {
		return "0"
	}
	return k.Values[0]
}

// describeKnob prints a knob, its value and its possible values. With whole set it says what each value does.
func describeKnob(k motif.Knob, value string, whole bool) string {
	text := k.Help
	switch {
	case whole:
	case k.Several:
		text += "; :set " + k.Name + " lists them"
	case k.Values != nil:
		text += ": " + strings.Join(k.Values, ", ")
	}
	text = fmt.Sprintf("%-9s", k.Name) + wrap(value+" ("+text+")", 9) + "\n"
	if whole {
		for i, v := range k.Values {
			text += fmt.Sprintf("    %-18s %s\n", v, k.About[i])
		}
	}
	return text
}

func (sh *Shell) setParam(_ context.Context, arg string) error {
	word, value, given := strings.Cut(arg, " ")
	word = strings.TrimPrefix(word, "$")
	switch {
	case arg == "":
		for _, k := range sortedKeys(sh.Params) {
			fmt.Fprintf(sh.Out, "$%s = %s\n", Visible(k), Visible(string(appendQuoted(nil, sh.Params[k]))))
		}
		return nil
	case !given:
		v, ok := sh.Params[word]
		if !ok {
			return fmt.Errorf("no parameter $%s%s set it with :param %s VALUE", word,
				DidYouMean(word, sortedKeys(sh.Params)), word)
		}
		_, err := fmt.Fprintf(sh.Out, "$%s = %s\n", Visible(word), Visible(string(appendQuoted(nil, v))))
		return err
	}
	set, err := ParseParams([]string{word + "=" + strings.TrimSpace(value)})
	maps.Copy(sh.Params, set)
	return err
}

func (sh *Shell) readFile(ctx context.Context, arg string) error {
	if arg == "" {
		return fmt.Errorf(":read takes the name of a file")
	}
	return sh.Session.ReadFile(ctx, unquote(arg))
}

// unquote removes the quotes around a file name with blanks.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

func (sh *Shell) explain(ctx context.Context, arg string) error {
	if arg == "" {
		return fmt.Errorf(":explain takes a query")
	}
	opts, err := sh.options()
	if err != nil {
		return err
	}
	plan, err := sh.DB.Explain(ctx, arg, opts...)
	if err != nil {
		return err
	}
	return PrintPlan(sh.Out, plan.String())
}
