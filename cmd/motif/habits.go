package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/repl"
)

// adapt rewrites a command line that other programs would take: help VERB, and DB with -c TEXT, -e TEXT or -f FILE.
func adapt(args, verbs []string) []string {
	if args[0] == "help" && !exists("help") {
		return append(slices.Clone(args[1:]), "--help")
	}
	verb, rest := "shell", args
	switch {
	case args[0] == "query" || args[0] == "shell":
		verb, rest = args[0], args[1:]
	case slices.Contains(verbs, args[0]):
		return args
	}
	for i := 0; i+1 < len(rest) && rest[i] != "--"; i++ {
		others := slices.Concat(rest[:i], rest[i+2:])
		switch rest[i] {
		case "-c", "-e", "--command", "--execute":
			return slices.Concat([]string{verb}, others, rest[i+1:i+2])
		case "-f", "--file":
			return slices.Concat([]string{"run"}, others, rest[i+1:i+2])
		}
	}
	return args
}

// unknownHelp returns WORD of "help WORD" if no verb has that name, and otherwise "".
func unknownHelp(args, verbs []string) string {
	if args[0] != "help" || exists("help") || len(args) == 1 || strings.HasPrefix(args[1], "-") || slices.Contains(append(verbs, "repl"), args[1]) {
		return ""
	}
	return args[1]
}

// dataEndings end the names of files that are loaded or run.
var dataEndings = []string{".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".graphml", ".xml", ".parquet", ".gz", ".zst", ".bz2", ".xz", ".zip", ".tar", ".edges", ".mtx", ".gml",
	".dot", ".gv", ".gexf"}

// mistaken returns the error for a name that is no store and does not look like a new one.
func mistaken(name string, verbs []string) error {
	ending := strings.ToLower(filepath.Ext(name))
	hint := "motif load my.db " + name + " loads it into one"
	switch {
	case ending == ".cypher" || ending == ".cql":
		hint = "motif run my.db " + name + " runs its statements"
	case !slices.Contains(dataEndings, ending):
		hint = ""
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.Mode().IsRegular() && hint != "":
		return usageError(fmt.Sprintf("%s is a file, not a store; %s", name, hint))
	case !os.IsNotExist(err):
		return nil
	case hint != "":
		return usageError(fmt.Sprintf("there is no file %s; %s", name, hint))
	case strings.ContainsAny(name, `./\`):
		return nil
	}
	return usageError(fmt.Sprintf("there is no command and no store %q%s motif --help lists the commands, and motif shell %s makes that store", name, repl.DidYouMean(name, append(slices.Clone(verbs), "help")), name))
}

// notQuery returns the command that runs what stands in place of a query: a saved query or a file of statements; "" if it may be a query.
func notQuery(store, text string) string {
	if strings.ContainsAny(text, " \t\n;(") {
		return ""
	}
	if name, ok := strings.CutPrefix(text, "@"); ok && name != "" {
		return fmt.Sprintf("%s is no query; motif run %s %[1]s runs a saved query", text, store)
	}
	ending := strings.ToLower(filepath.Ext(text))
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() || ending == ".cypher" || ending == ".cql" {
		return fmt.Sprintf("%s is the name of a file, and no query; motif run %s %[1]s runs its statements", text, store)
	}
	return ""
}
