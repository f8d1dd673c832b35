package eval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif/internal/value"
)

func text(name string, f func(string) string) function {
	return func(_ *Runtime, v value.Value) (value.Value, error) {
		if v.Kind() != value.String {
			return v, badArgument(name, "a string", v)
		}
		return value.OfString(f(v.Str())), nil
	}
}

// prefixLen returns how many bytes the first n characters of s take.
func prefixLen(s string, n int64) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// lengthArgument reads a number of characters.
func lengthArgument(name string, v value.Value) (int64, error) {
	if v.Kind() != value.Int {
		return 0, Errorf(CodeArgumentType, "%s() takes an integer, not %s", name, Describe(v))
	}
	if v.Int() < 0 {
		return 0, Errorf(codeRange, "%s() takes a number of characters, which is not negative as %v is", name, v)
	}
	return v.Int(), nil
}

// left returns the first n characters.
func left(_ *Runtime, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument("left", "a string", args[0])
	}
	n, err := lengthArgument("left", args[1])
	s := args[0].Str()
	return value.OfString(s[:prefixLen(s, n)]), err
}

// right returns the last n characters.
func right(_ *Runtime, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument("right", "a string", args[0])
	}
	n, err := lengthArgument("right", args[1])
	s := args[0].Str()
	return value.OfString(s[prefixLen(s, int64(utf8.RuneCountInString(s))-n):]), err
}

// substring returns length characters, or all, from start, which counts from 0.
func substring(_ *Runtime, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument("substring", "a string", args[0])
	}
	start, err := lengthArgument("substring", args[1])
	if err != nil {
		return value.Value{}, err
	}
	s := args[0].Str()
	s = s[prefixLen(s, start):]
	if len(args) == 3 {
		n, err := lengthArgument("substring", args[2])
		return value.OfString(s[:prefixLen(s, n)]), err
	}
	return value.OfString(s), nil
}

// replace replaces every occurrence. An empty string occurs nowhere.
func replace(rt *Runtime, args []value.Value) (value.Value, error) {
	for _, v := range args {
		if v.Kind() != value.String {
			return v, badArgument("replace", "strings", v)
		}
	}
	s, old, with := args[0].Str(), args[1].Str(), args[2].Str()
	if old == "" {
		return args[0], nil
	}
	n := strings.Count(s, old)
	if err := rt.room(int64(n) * int64(len(with))); err != nil {
		return value.Value{}, err
	}
	return value.OfString(strings.ReplaceAll(s, old, with)), nil
}

// split cuts a string at a delimiter, or at any of a list of delimiters. At one place the longest delimiter wins. An empty
// delimiter cuts between all characters.
func split(_ *Runtime, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument("split", "a string", args[0])
	}
	s := args[0].Str()
	var parts []string
	switch args[1].Kind() {
	case value.String:
		parts = strings.Split(s, args[1].Str())
	case value.List:
		delimiters, err := delimitersOf(args[1].List())
		if err != nil {
			return value.Value{}, err
		}
		parts = splitAny(s, delimiters)
	default:
		return value.Value{}, badArgument("split", "a string or a list of strings to cut at", args[1])
	}
	list := make([]value.Value, len(parts))
	for i, p := range parts {
		list[i] = value.OfString(p)
	}
	return value.OfList(list), nil
}

// delimitersOf returns the strings of a list, longest first.
func delimitersOf(list []value.Value) ([]string, error) {
	var out []string
	for _, v := range list {
		if v.Kind() != value.String {
			return nil, badArgument("split", "strings to cut at", v)
		}
		out = append(out, v.Str())
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out, nil
}

func splitAny(s string, delimiters []string) (parts []string) {
	if slices.Contains(delimiters, "") {
		return strings.Split(s, "")
	}
	from := 0
	for at := 0; at < len(s); {
		i := slices.IndexFunc(delimiters, func(d string) bool { return strings.HasPrefix(s[at:], d) })
		if i < 0 {
			at++
			continue
		}
		parts = append(parts, s[from:at])
		at += len(delimiters[i])
		from = at
	}
	return append(parts, s[from:])
}

func reverseText(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
