package eval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif/internal/value"
)

func text(name string, f func(string) string) function {
	return func(rt *Runtime, v value.Value) (value.Value, error) {
		if v.Kind() != value.String {
			return v, badArgument(name, "a string", v)
		}
		if err := rt.room(2 * v.Bytes()); err != nil { // an upper-case letter may take more bytes
			return v, err
		}
		return piece(v.Str(), f(v.Str())), nil
	}
}

// piece returns s, which may be a part of the string of. A short part of a long string is copied, so that it does not keep
// the long one alive unseen.
func piece(of, s string) value.Value {
	if len(of) > slack && len(s) < len(of)/2 {
		s = strings.Clone(s)
	}
	return value.OfString(s)
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
	return piece(s, s[:prefixLen(s, n)]), err
}

// right returns the last n characters.
func right(_ *Runtime, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument("right", "a string", args[0])
	}
	n, err := lengthArgument("right", args[1])
	s := args[0].Str()
	return piece(s, s[prefixLen(s, int64(utf8.RuneCountInString(s))-n):]), err
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
	of := args[0].Str()
	s := of[prefixLen(of, start):]
	if len(args) == 3 {
		n, err := lengthArgument("substring", args[2])
		return piece(of, s[:prefixLen(s, n)]), err
	}
	return piece(of, s), nil
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
	if err := rt.room(int64(len(s)) + int64(n)*int64(len(with))); err != nil {
		return value.Value{}, err
	}
	return value.OfString(strings.ReplaceAll(s, old, with)), nil
}

// split cuts a string at a delimiter, or at any of a list of delimiters. At one place the longest delimiter wins. An empty
// delimiter cuts between all characters.
func split(rt *Runtime, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument("split", "a string", args[0])
	}
	s := args[0].Str()
	var delimiters []string
	var err error
	switch args[1].Kind() {
	case value.String:
		delimiters = []string{args[1].Str()}
	case value.List:
		if delimiters, err = delimitersOf(args[1].List()); err != nil {
			return value.Value{}, err
		}
	default:
		return value.Value{}, badArgument("split", "a string or a list of strings to cut at", args[1])
	}
	if s == "" && slices.Contains(delimiters, "") {
		return value.OfList(nil), nil
	}
	n, copied := 0, 0 // parts, and bytes of those that piece copies
	if err := rt.cuts(s, delimiters, func(part string) {
		if n++; len(part) < len(s)/2 {
			copied += (len(part) + 7) / 8 * 8
		}
	}); err != nil {
		return value.Value{}, err
	}
	if err := rt.room(24*int64(n) + int64(copied)); err != nil {
		return value.Value{}, err
	}
	list := make([]value.Value, 0, n)
	err = rt.cuts(s, delimiters, func(part string) { list = append(list, piece(s, part)) })
	return value.OfList(list), err
}

// cuts calls visit for the parts of s.
func (rt *Runtime) cuts(s string, delimiters []string, visit func(part string)) error {
	for i, from := 0, 0; ; i++ {
		at, end := nextCut(s, from, delimiters)
		if err := rt.poll(i); err != nil {
			return err
		}
		visit(s[from:at])
		if end < 0 {
			return nil
		}
		from = end
	}
}

// nextCut returns where the part of s at from ends and where the next part begins; a negative end means that it is the
// last part.
func nextCut(s string, from int, delimiters []string) (at, end int) {
	if slices.Contains(delimiters, "") {
		_, n := utf8.DecodeRuneInString(s[from:])
		if from+n >= len(s) {
			return len(s), -1
		}
		return from + n, from + n
	}
	if len(delimiters) == 1 {
		if i := strings.Index(s[from:], delimiters[0]); i >= 0 {
			return from + i, from + i + len(delimiters[0])
		}
		return len(s), -1
	}
	for at := from; at < len(s); at++ {
		if i := slices.IndexFunc(delimiters, func(d string) bool { return strings.HasPrefix(s[at:], d) }); i >= 0 {
			return at, at + len(delimiters[i])
		}
	}
	return len(s), -1
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

func reverseText(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// trimmed makes a function that takes characters off the ends of a string.
func trimmed(trim func(s, cutset string) string) multi {
	return func(_ *Runtime, args []value.Value) (value.Value, error) {
		for _, a := range args {
			if a.Kind() != value.String {
				return a, badArgument("trim", "strings", a)
			}
		}
		s := args[0].Str()
		return piece(s, trim(s, args[1].Str())), nil
	}
}
