package repl

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif"
)

// ParseParam reads a parameter's value as JSON or else as a string. Numbers without a dot or exponent are integers.
func ParseParam(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return text, nil
	}
	if _, err := d.Token(); err != io.EOF { // such as 2010-07-10: a number, then more
		return text, nil
	}
	return fromJSON(v)
}

func fromJSON(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			n, err := v.Int64()
			if err != nil {
				return nil, fmt.Errorf("%s does not fit a 64-bit integer", v)
			}
			return n, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("%s does not fit a float", v)
		}
		return f, nil
	case []any:
		for i, x := range v {
			y, err := fromJSON(x)
			if err != nil {
				return nil, err
			}
			v[i] = y
		}
	case map[string]any:
		for k, x := range v {
			y, err := fromJSON(x)
			if err != nil {
				return nil, err
			}
			v[k] = y
		}
	}
	return v, nil
}

// ParseParams reads parameters written as name=value or $name=value. A name may be anything without "=", as in
// $0 and $`any name`.
func ParseParams(list []string) (motif.Params, error) {
	params := motif.Params{}
	for _, p := range list {
		k, text, ok := strings.Cut(p, "=")
		k = strings.TrimPrefix(k, "$")
		switch {
		case !ok || k == "":
			return nil, fmt.Errorf("parameter %q: write it as name=value", p)
		case !utf8.ValidString(p):
			return nil, fmt.Errorf("parameter %q: it is not valid UTF-8", p)
		}
		v, err := ParseParam(text)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", k, err)
		}
		params[k] = v
	}
	return params, nil
}

func sortedKeys(p motif.Params) []string { return slices.Sorted(maps.Keys(p)) }
