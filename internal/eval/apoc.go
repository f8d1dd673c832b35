package eval

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/motifql/motif/internal/value"
)

// extremeOf returns the first element that is the largest (sign 1) or the smallest (sign -1), without nulls.
func extremeOf(name string, sign int) function {
	return func(rt *Runtime, v value.Value) (best value.Value, err error) {
		if v.Kind() != value.List {
			return v, badArgument(name, "a list", v)
		}
		order := value.Ordering{Snapshot: rt.Snapshot}
		for i, e := range v.List() {
			if err := rt.poll(i); err != nil {
				return best, err
			}
			if !e.IsNull() && (best.IsNull() || sign*order.Compare(e, best) > 0) {
				best = e
			}
		}
		return best, nil
	}
}

// pairsMin returns each element with the one after it.
func pairsMin(rt *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.List {
		return v, badArgument("apoc.coll.pairsMin", "a list", v)
	}
	l := v.List()
	if err := rt.room(2*v.Bytes() + 48*int64(len(l))); err != nil {
		return v, err
	}
	pairs := make([]value.Value, max(0, len(l)-1))
	for i := range pairs {
		if err := rt.poll(i); err != nil {
			return v, err
		}
		pairs[i] = value.OfList([]value.Value{l[i], l[i+1]})
	}
	return value.OfList(pairs), nil
}

// intersection returns the different elements of the first list that the second has.
func intersection(rt *Runtime, args []value.Value) (value.Value, error) {
	for _, v := range args {
		if v.Kind() != value.List {
			return v, badArgument("apoc.coll.intersection", "lists", v)
		}
	}
	if err := rt.room(args[0].Bytes() + 3*args[1].Bytes()); err != nil {
		return value.Value{}, err
	}
	has := map[string]bool{}
	var key []byte
	for i, e := range args[1].List() {
		if err := rt.poll(i); err != nil {
			return e, err
		}
		key = value.AppendKey(key[:0], e)
		has[string(key)] = true
	}
	list := []value.Value{}
	for i, e := range args[0].List() {
		if err := rt.poll(i); err != nil {
			return e, err
		}
		if key = value.AppendKey(key[:0], e); has[string(key)] {
			has[string(key)] = false
			list = append(list, e)
		}
	}
	return value.OfList(list), nil
}

// likeness makes a function of two strings.
func likeness(name string, f func(rt *Runtime, a, b string) (float64, error)) multi {
	return func(rt *Runtime, args []value.Value) (value.Value, error) {
		for _, v := range args {
			if v.Kind() != value.String {
				return v, badArgument(name, "strings", v)
			}
		}
		if err := rt.room(16*args[0].Bytes() + 16*args[1].Bytes()); err != nil {
			return value.Value{}, err
		}
		x, err := f(rt, args[0].Str(), args[1].Str())
		return value.OfFloat(x), err
	}
}

// jaroWinklerDistance is 1 minus the similarity, which adds a tenth of the rest for each of the first four characters that are equal, if it
// is at least 0.7.
func jaroWinklerDistance(rt *Runtime, a, b string) (float64, error) {
	s, t := []rune(a), []rune(b)
	if string(s) == string(t) {
		return 0, nil
	}
	same, swapped, err := jaroMatches(rt, s, t)
	if err != nil || same == 0 {
		return 1, err
	}
	m := float64(same)
	sim := (m/float64(len(s)) + m/float64(len(t)) + (m-float64(swapped)/2)/m) / 3
	if sim >= 0.7 {
		prefix := 0
		for prefix < min(4, len(s), len(t)) && s[prefix] == t[prefix] {
			prefix++
		}
		sim += 0.1 * float64(prefix) * (1 - sim)
	}
	return 1 - sim, nil
}

// jaroMatches pairs equal characters that stand less than half of the longer text apart, each with the first that is free. It returns
// the number of pairs, and how many characters are another one in the order of the other text.
func jaroMatches(rt *Runtime, s, t []rune) (same, swapped int, err error) {
	reach := max(0, max(len(s), len(t))/2-1)
	taken := make([]bool, len(t))
	var found []rune
	for i, r := range s {
		for j := max(0, i-reach); j < min(len(t), i+reach+1); j++ {
			if err := rt.poll(j); err != nil {
				return 0, 0, err
			}
			if !taken[j] && t[j] == r {
				taken[j] = true
				found = append(found, r)
				break
			}
		}
	}
	for j, r := range t {
		if taken[j] {
			if found[same] != r {
				swapped++
			}
			same++
		}
	}
	return same, swapped, nil
}

// sorensenDice is twice the number of common pairs of adjacent characters of one word, divided by the number of all.
func sorensenDice(rt *Runtime, a, b string) (float64, error) {
	counts, all, common := map[[2]rune]int{}, 0, 0
	n := 0
	for side, text := range [...]string{a, b} {
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), unicode.IsSpace) {
			last, size := utf8.DecodeRuneInString(word)
			for _, r := range word[size:] {
				if n++; rt.poll(n) != nil {
					return 0, rt.poll(n)
				}
				pair := [2]rune{last, r}
				last = r
				all++
				switch {
				case side == 0:
					counts[pair]++
				case counts[pair] > 0:
					counts[pair]--
					common++
				}
			}
		}
	}
	switch {
	case all > 0:
		return 2 * float64(common) / float64(all), nil
	case strings.EqualFold(a, b):
		return 1, nil
	}
	return 0, nil
}

// dateUnits are the units of apoc.date in milliseconds.
var dateUnits = map[string]int64{"ms": 1, "milli": 1, "millis": 1, "milliseconds": 1, "s": 1000, "second": 1000, "seconds": 1000,
	"m": 60_000, "minute": 60_000, "minutes": 60_000, "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000, "d": 86_400_000, "day": 86_400_000, "days": 86_400_000}

// dateArguments reads the unit, the format and the zone behind the first argument.
func dateArguments(name string, args []value.Value) (unit int64, layout string, zone *time.Location, err error) {
	texts := [3]string{"ms", "yyyy-MM-dd HH:mm:ss", "UTC"}
	for i, v := range args[1:] {
		if v.Kind() != value.String {
			return 0, "", nil, badArgument(name, "strings behind the time", v)
		}
		texts[i] = v.Str()
	}
	unit, ok := dateUnits[strings.ToLower(texts[0])]
	if !ok {
		return 0, "", nil, Errorf(CodeArgumentValue, "%s() knows the units ms, s, m, h and d, not %s", name, Describe(args[1]))
	}
	if layout, ok = dateLayout(texts[1]); !ok {
		return 0, "", nil, Errorf(CodeArgumentValue, "%s() cannot read the format %s; one is written as in yyyy-MM-dd HH:mm:ss", name, Describe(args[2]))
	}
	if zone, err = time.LoadLocation(texts[2]); err != nil || texts[2] == "" || texts[2] == "Local" {
		return 0, "", nil, Errorf(CodeArgumentValue, "%s(): there is no time zone %s", name, Describe(args[3]))
	}
	return unit, layout, zone, nil
}

// datePieces are the letters of a format with the ones of Go.
var datePieces = map[string]string{"yyyy": "2006", "yy": "06", "MM": "01", "M": "1", "MMM": "Jan", "MMMM": "January", "dd": "02", "d": "2", "HH": "15", "hh": "03", "h": "3",
	"mm": "04", "m": "4", "ss": "05", "s": "5", "a": "PM", "EEE": "Mon", "EEEE": "Monday", "XXX": "Z07:00", "Z": "-0700"}

// dateLayout turns a format such as yyyy-MM-dd'T'HH:mm:ss.SSS into Go's.
func dateLayout(format string) (layout string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(format); {
		c := format[i]
		n := 1
		for i+n < len(format) && format[i+n] == c {
			n++
		}
		switch piece := format[i : i+n]; {
		case strings.HasPrefix(format[i:], "'T'"), strings.HasPrefix(format[i:], "'Z'"):
			b.WriteByte(format[i+1])
			n = 3
		case piece == "SSS" && i > 0 && (format[i-1] == '.' || format[i-1] == ','):
			b.WriteString("000")
		case datePieces[piece] != "":
			b.WriteString(datePieces[piece])
		case strings.Contains(" -/:.,()", piece[:1]):
			b.WriteString(piece)
		default:
			return "", false
		}
		i += n
	}
	return b.String(), true
}

func formatDate(_ *Runtime, args []value.Value) (value.Value, error) {
	const name = "apoc.date.format"
	if args[0].Kind() != value.Int {
		return value.Value{}, badArgument(name, "an integer", args[0])
	}
	unit, layout, zone, err := dateArguments(name, args)
	if err != nil {
		return value.Value{}, err
	}
	n := args[0].Int()
	if most := int64(1e15) / unit; n > most || n < -most {
		return value.Value{}, Errorf(codeRange, "%s() cannot show so distant a time: %v", name, args[0])
	}
	return value.OfString(time.UnixMilli(n * unit).In(zone).Format(layout)), nil
}

func parseDate(_ *Runtime, args []value.Value) (value.Value, error) {
	const name = "apoc.date.parse"
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument(name, "a string", args[0])
	}
	unit, layout, zone, err := dateArguments(name, args)
	if err != nil {
		return value.Value{}, err
	}
	t, err := time.ParseInLocation(layout, args[0].Str(), zone)
	if err != nil {
		return value.Value{}, Errorf(CodeArgumentValue, "%s() cannot read %s by its format", name, Describe(args[0]))
	}
	return value.OfInt(t.UnixMilli() / unit), nil
}
