package repl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// command is a colon command.
type command struct {
	name  string
	about string // for completion; the text of :help is in doc.go
	run   func(sh *Shell, ctx context.Context, arg string) error
	also  []string // other names
}

// commands returns the commands in the order of the help text.
func commands() []command {
	return []command{
		{"help", "help topics", (*Shell).help, []string{"h"}},
		{"schema", "labels, types and properties; of one label or type", (*Shell).showSchema, nil},
		{"stats", "the size of the graph", (*Shell).showStats, nil},
		{"mode", "output format", (*Shell).setMode, nil},
		{"more", "the next rows of the last answer", (*Shell).showMore, nil},
		{"output", "write answers to a file", (*Shell).setOutput, nil},
		{"draw", "draw the last answer, its plan, or the schema", (*Shell).draw, nil},
		{"timing", "rows and time after each query", func(sh *Shell, _ context.Context, arg string) error {
			return sh.toggle(&sh.Timing, "timing", arg)
		}, nil},
		{"param", "set or show parameters", (*Shell).setParam, nil},
		{"brute", "try every assignment", func(sh *Shell, _ context.Context, arg string) error {
			return sh.toggle(&sh.Brute, "brute", arg)
		}, nil},
		{"set", "layout, limits, and how queries are matched", (*Shell).set, nil},
		{"read", "run the statements of a file", (*Shell).readFile, []string{"source"}},
		{"edit", "edit the last statement in $EDITOR, and run it", (*Shell).edit, nil},
		{"watch", "repeat a query", (*Shell).watch, nil},
		{"history", "what you typed before", (*Shell).showHistory, nil},
		{"save", "save a query in the store", (*Shell).saveQuery, nil},
		{"saved", "list the saved queries", (*Shell).showSaved, nil},
		{"run", "run a saved query", (*Shell).runSaved, nil},
		{"forget", "delete a saved query", (*Shell).forgetQuery, nil},
		{"explain", "the plan of a query", (*Shell).explain, nil},
		{"quit", "leave", func(*Shell, context.Context, string) error { return errQuit }, []string{"exit", "q"}},
	}
}

// command runs a colon command. Its name may be cut short as long as it stays unique.
func (sh *Shell) command(ctx context.Context, line string) error {
	word, arg, _ := strings.Cut(strings.TrimPrefix(line, ":"), " ")
	if i := strings.IndexAny(word, "\n\t;"); i >= 0 {
		word, arg = word[:i], word[i:]+" "+arg
	}
	arg = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(arg), ";"))
	var names, found []string
	var run command
	for _, c := range commands() {
		for _, name := range append([]string{c.name}, c.also...) {
			if name == word {
				return c.run(sh, ctx, arg)
			}
			names = append(names, ":"+name)
			if word != "" && strings.HasPrefix(name, word) && !slices.Contains(found, ":"+c.name) {
				run, found = c, append(found, ":"+c.name)
			}
		}
	}
	switch len(found) {
	case 1:
		return run.run(sh, ctx, arg)
	case 0:
		if word == "export" || word == "picture" {
			return fmt.Errorf("no command :%s; :draw FILE draws the last answer, :output FILE writes answers, and outside the shell motif export writes the graph; :help export tells more", word)
		}
		return fmt.Errorf("no command :%s%s :help lists them", word, DidYouMean(":"+word, names))
	}
	return fmt.Errorf("no command :%s; these begin so: %s", word, strings.Join(found, ", "))
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
	case slices.Contains(Pictures, arg):
		return fmt.Errorf("%s is a picture; :draw FILE.%s draws the last answer", arg, arg)
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
	opts, err := sh.QueryOptions()
	if err != nil {
		return err
	}
	plan, err := sh.DB.Explain(ctx, arg, opts...)
	if err != nil {
		return err
	}
	return PrintPlan(sh.Out, plan.String())
}
