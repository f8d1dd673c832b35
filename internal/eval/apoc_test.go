package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/value"
)

func randomList(rng *rand.Rand, n int) value.Value {
	list := make([]value.Value, rng.IntN(n))
	for i := range list {
		switch rng.IntN(6) {
		case 0:
		case 1:
			list[i] = value.OfFloat(float64(rng.IntN(4)))
		case 2:
			list[i] = value.OfString(string(rune('a' + rng.IntN(3))))
		default:
			list[i] = value.OfInt(int64(rng.IntN(4)))
		}
	}
	return value.OfList(list)
}

// The functions of lists give what loops give that compare all with all.
func TestApocLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 18))
	rt := &Runtime{}
	for range 2000 {
		a, b := randomList(rng, 7), randomList(rng, 7)
		var low, high value.Value
		var common []value.Value
		for _, x := range a.List() {
			if !x.IsNull() {
				if low.IsNull() || value.Compare(x, low) < 0 {
					low = x
				}
				if high.IsNull() || value.Compare(x, high) > 0 {
					high = x
				}
			}
			same := func(y value.Value) bool { return value.Compare(x, y) == 0 }
			if slices.ContainsFunc(b.List(), same) && !slices.ContainsFunc(common, same) {
				common = append(common, x)
			}
		}
		check := func(name string, got, want value.Value, err error) {
			if err != nil || got.String() != want.String() {
				t.Fatalf("%s of %v and %v: %v, %v, want %v", name, a, b, got, err, want)
			}
		}
		got, err := extremeOf("min", -1)(rt, a)
		check("min", got, low, err)
		got, err = extremeOf("max", 1)(rt, a)
		check("max", got, high, err)
		got, err = intersection(rt, []value.Value{a, b})
		check("intersection", got, value.OfList(common), err)
		got, err = pairsMin(rt, a)
		text := "["
		for i := 1; i < len(a.List()); i++ {
			text += strings.Repeat(", ", min(i-1, 1)) + fmt.Sprintf("[%v, %v]", a.List()[i-1], a.List()[i])
		}
		if err != nil || got.String() != text+"]" {
			t.Fatalf("pairs of %v: %v, %v", a, got, err)
		}
	}
}

// Likeness has the values that the literature gives, is symmetric where it must be, and stays between 0 and 1.
func TestApocLikeness(t *testing.T) {
	rt := &Runtime{}
	for _, c := range []struct {
		a, b string
		want float64
	}{{"martha", "marhta", 0.9611}, {"dixon", "dicksonx", 0.8133}, {"dwayne", "duane", 0.84}, {"abc", "abc", 1}, {"", "a", 0}, {"", "", 1}, {"jones", "johnson", 0.8324}} {
		if d, err := jaroWinklerDistance(rt, c.a, c.b); err != nil || math.Abs(1-d-c.want) > 5e-5 {
			t.Errorf("%s and %s: %v, %v", c.a, c.b, 1-d, err)
		}
	}
	rng := rand.New(rand.NewPCG(2, 18))
	word := func() string {
		b := make([]byte, rng.IntN(9))
		for i := range b {
			b[i] = "abc "[rng.IntN(4)]
		}
		return string(b)
	}
	for range 3000 {
		a, b := word(), word()
		d, _ := jaroWinklerDistance(rt, a, b)
		s, _ := sorensenDice(rt, a, b)
		back, _ := sorensenDice(rt, b, a)
		if s != back || d < 0 || d > 1 || s < 0 || s > 1 {
			t.Fatalf("%q and %q: %v, %v, %v", a, b, d, s, back)
		}
		if want := dice(a, b); want >= 0 && s != want {
			t.Fatalf("%q and %q: %v, want %v", a, b, s, want)
		}
	}
}

// dice counts common pairs by removing them from a list; -1 without any pair.
func dice(a, b string) float64 {
	pairs := func(s string) (list []string) {
		for _, w := range strings.Fields(s) {
			for i := 1; i < len(w); i++ {
				list = append(list, w[i-1:i+1])
			}
		}
		return list
	}
	x, y := pairs(a), pairs(b)
	all, common := len(x)+len(y), 0
	for _, p := range x {
		if i := slices.Index(y, p); i >= 0 {
			y = slices.Delete(y, i, i+1)
			common++
		}
	}
	if all == 0 {
		return -1
	}
	return 2 * float64(common) / float64(all)
}

// A time that a format shows in full is read back.
func TestApocDates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 18))
	text := value.OfString
	for _, format := range []string{"yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "dd/MM/yyyy HH:mm:ss,SSS", "EEE d MMM yyyy hh:mm:ss.SSS a"} {
		for range 200 {
			n := value.OfInt(rng.Int64N(4e12) - 1e12)
			shown, err := formatDate(nil, []value.Value{n, text("ms"), text(format), text("America/Los_Angeles")})
			if err != nil {
				t.Fatal(err)
			}
			back, err := parseDate(nil, []value.Value{shown, text("ms"), text(format), text("America/Los_Angeles")})
			if diff := back.Int() - n.Int(); err != nil || diff != 0 && (strings.Contains(format, "XXX") || diff != 3_600_000 && diff != -3_600_000) { // an hour may occur twice
				t.Fatalf("%v as %s is %v: %v, %v", n, format, shown, back, err)
			}
		}
	}
	for _, bad := range [][]value.Value{{value.OfInt(1), text("fortnight")}, {value.OfInt(1), text("ms"), text("QQ")}, {value.OfInt(1), text("ms"), text("yyyy"), text("Mars")},
		{value.OfInt(math.MaxInt64), text("d")}, {text("x")}} {
		if v, err := formatDate(nil, bad); err == nil {
			t.Errorf("%v: %v", bad, v)
		}
	}
	if v, err := parseDate(nil, []value.Value{text("soon")}); err == nil {
		t.Error(v)
	}
}
