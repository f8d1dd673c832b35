package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/value"
)

// singles are expressions without a list among their values.
var singles = []string{"1", "-2.5", "0.0 / 0.0", "''", "'a'", "true", "false", "{a: 1}", "n0", "r1", "date('2024-02-29')", "duration('P1M')", "point({x: 1, y: 2})"}

// TestSingleValuesAreLists compares loops over a value that is no list with the same loops over the list of that value.
func TestSingleValuesAreLists(t *testing.T) {
	s := society(t)
	vars := societyVars(s)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	for range 400 {
		single := pick(singles...)
		where := pick("x = 1", "x = 'a'", "x < 2", "x IS NULL", "x", "true", "x = n0", "x <> "+pick(singles...))
		loop := pick("any(x IN %s WHERE "+where+")", "all(x IN %s WHERE "+where+")", "none(x IN %s WHERE "+where+")", "single(x IN %s WHERE "+where+")",
			"[x IN %s WHERE "+where+"]", "[x IN %s | [x, x]]", "[x IN %s]", "reduce(l = [], x IN %s | l + [x])", "[y IN [1, 2] | [x IN %s | [x, y]]]")
		run := func(list string) string {
			v, err := evaluate(s, parseExpr(t, fmt.Sprintf(loop, list)), vars, nil)
			return fmt.Sprint(show(v, vars), " ", err)
		}
		if got, want := run(single), run("["+single+"]"); got != want {
			t.Fatalf("seed %d: "+loop+" is %s, over a list %s", seed, single, got, want)
		}
	}
}

// TestTextPlusTemporal compares + of text and a date, a time or a duration with + of two texts.
func TestTextPlusTemporal(t *testing.T) {
	s := society(t)
	for _, temporal := range []string{"date('2024-02-29')", "time('08:40:00Z')", "localtime('23:59:59.5')", "localdatetime('2024-02-29T01:02')", "datetime('2024-02-29T01:02+01:00')", "duration('P1M2DT3.5S')"} {
		for _, text := range []string{"''", "'-'", "'größe '"} {
			for _, c := range [][2]string{{temporal + " + " + text, "toString(" + temporal + ") + " + text}, {text + " + " + temporal, text + " + toString(" + temporal + ")"}} {
				got, err := evaluate(s, parseExpr(t, c[0]), nil, nil)
				want, _ := evaluate(s, parseExpr(t, c[1]), nil, nil)
				if err != nil || got.Kind() != value.String || got.Str() != want.Str() {
					t.Errorf("%s is %v (%v), want %v", c[0], got, err, want)
				}
			}
		}
	}
}
