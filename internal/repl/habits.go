package repl

import (
	"strings"
)

// habits are the commands of other shells, with ours. Those that end in a blank take an argument.
var habits = map[string]string{
	"exit": ":quit", "quit": ":quit", `\q`: ":quit", ".quit": ":quit", ".exit": ":quit", "bye": ":quit",
	"help": ":help", "?": ":help", `\?`: ":help", ".help": ":help", `\h`: ":help",
	`\d`: ":schema", `\dt`: ":schema", `\dn`: ":schema", `\d+`: ":schema", `\l`: ":stats", ".tables": ":schema", ".schema": ":schema", ".dbinfo": ":stats",
	"show tables": ":schema", "show labels": ":schema", "show schema": ":schema", "describe": ":schema", "desc": ":schema",
	`\i`: ":read", ".read": ":read", "source": ":read", `\o`: ":output", ".output": ":output", `\e`: ":edit", ".edit": ":edit", `\s`: ":history", ".history": ":history", "history": ":history",
	`\timing`: ":timing", ".timer": ":timing", `\x`: ":set layout lines", `\watch`: ":watch", ".mode": ":mode", `\set`: ":param", ".param": ":param",
}

// argless are the habits that are words of people, which take no argument: a statement may begin with them.
var argless = map[string]bool{"exit": true, "quit": true, "bye": true, "help": true, "?": true, "history": true, "show tables": true, "show labels": true, "show schema": true}

// bareWord recognises words such as help and exit, and commands of other shells, which people type in a shell they do not
// know yet. It returns the command that does the same.
func bareWord(line string) (command string, ok bool) {
	line = strings.TrimRight(line, "; \t\n")
	if strings.Contains(line, "\n") {
		return "", false
	}
	whole := strings.ToLower(strings.Join(strings.Fields(line), " "))
	if command, ok := habits[whole]; ok {
		return command, true
	}
	word, arg, _ := strings.Cut(line, " ")
	word = strings.ToLower(word)
	if command, ok := habits[word]; ok && !argless[word] {
		arg = strings.TrimSpace(arg)
		switch {
		case command == ":help", command == ":quit":
			return command, true
		case word == `\x` && arg == "off":
			return ":set layout auto", true
		case word == `\x`:
			return command, true
		case command == ":param": // \set NAME VALUE, .param set NAME VALUE
			arg = strings.TrimPrefix(arg, "set ")
		case strings.HasPrefix(word, ".") && (arg == "on" || arg == "off") || !strings.HasPrefix(command, ":schema"):
		default:
			arg = strings.Trim(arg, `":`+"`")
		}
		return strings.TrimSpace(command + " " + arg), true
	}
	return "", false
}

// foreign reports whether an input is a command of another shell that has no counterpart here.
func foreign(line string) bool {
	return len(line) > 1 && (line[0] == '\\' || line[0] == '.') && (line[1] >= 'a' && line[1] <= 'z' || line[1] == '!')
}

// teach says which of our commands runs in place of a habit of another shell.
func (sh *Shell) teach(typed, command string) {
	if sh.Editor.Interactive() && (typed[0] == '\\' || typed[0] == '.' || strings.Contains(typed, " ")) {
		sh.tellf("here this is %s", Visible(command))
	}
}
