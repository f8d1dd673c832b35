package eval

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/motifql/motif/internal/value"
)

var normalForms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

// formOf reads the second argument of normalize() and isNormalized(), which may be missing.
func formOf(name string, args []value.Value) (norm.Form, error) {
	if len(args) == 1 {
		return norm.NFC, nil
	}
	if args[1].Kind() == value.String {
		if f, ok := normalForms[strings.ToUpper(args[1].Str())]; ok {
			return f, nil
		}
	}
	return 0, badArgument(name, "NFC, NFD, NFKC or NFKD as its second argument", args[1])
}

func normalize(rt *Runtime, args []value.Value) (value.Value, error) {
	f, err := formOf("normalize", args)
	if err != nil {
		return value.Value{}, err
	}
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument("normalize", "a string", args[0])
	}
	s := args[0].Str()
	if f.IsNormalString(s) {
		return args[0], nil
	}
	if err := rt.room(4 * int64(len(s))); err != nil {
		return value.Value{}, err
	}
	return value.OfString(f.String(s)), nil
}

// isNormalized is null for what is no string.
func isNormalized(_ *Runtime, args []value.Value) (value.Value, error) {
	f, err := formOf("isNormalized", args)
	if err != nil || args[0].Kind() != value.String {
		return value.Value{}, err
	}
	return value.OfBool(f.IsNormalString(args[0].Str())), nil
}
