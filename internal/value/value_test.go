package value

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/temporal"
)

var (
	null = Value{}
	nan  = OfFloat(math.NaN())
	inf  = OfFloat(math.Inf(1))
)

func list(vs ...Value) Value { return OfList(vs) }

func mapping(kv ...any) Value {
	m := &MapValue{}
	for i := 0; i < len(kv); i += 2 {
		m.Keys = append(m.Keys, kv[i].(string))
		m.Values = append(m.Values, kv[i+1].(Value))
	}
	return OfMap(m)
}

// walk is the path over nodes and relationships by turns.
func walk(ids ...int) Value {
	p := &PathValue{}
	for j, id := range ids {
		if j%2 == 0 {
			p.Nodes = append(p.Nodes, csr.VertexID(id))
		} else {
			p.Rels = append(p.Rels, csr.EdgeID(id))
		}
	}
	return OfPath(p)
}

func i(n int64) Value   { return OfInt(n) }
func f(x float64) Value { return OfFloat(x) }
func s(x string) Value  { return OfString(x) }

// tri writes a three-valued result.
func tri(b, known bool) string {
	switch {
	case !known:
		return "null"
	case b:
		return "true"
	}
	return "false"
}

func TestKind(t *testing.T) {
	for _, c := range []struct {
		v    Value
		kind Kind
	}{
		{null, Null}, {OfBool(true), Bool}, {i(1), Int}, {f(1), Float}, {s(""), String}, {s("x"), String},
		{list(), List}, {mapping(), Map}, {OfNode(3), Node}, {OfRel(4), Rel}, {walk(1), Path},
	} {
		if got := c.v.Kind(); got != c.kind {
			t.Errorf("%v: kind %v, want %v", c.v, got, c.kind)
		}
	}
	if s("").Str() != "" || s("ab").Str() != "ab" || i(-7).Int() != -7 || OfNode(9).Node() != 9 {
		t.Error("a value does not give back what it was made of")
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b Value
		want string
	}{
		{i(1), i(1), "true"}, {i(1), f(1), "true"}, {f(1.5), i(1), "false"}, {i(1), s("1"), "false"},
		{i(1 << 53), f(1 << 53), "true"}, {i(1<<53 + 1), f(1 << 53), "false"}, {i(math.MaxInt64), f(0x1p63), "false"},
		{i(math.MinInt64), f(-0x1p63), "true"}, {nan, nan, "false"}, {nan, i(1), "false"}, {inf, inf, "true"},
		{null, null, "null"}, {null, i(1), "null"}, {OfBool(true), i(1), "false"}, {f(0), f(math.Copysign(0, -1)), "true"},
		{list(), list(), "true"}, {list(null), list(null), "null"}, {list(i(1)), list(i(1), null), "false"},
		{list(i(1), null), list(i(2), null), "false"}, {list(i(1), null), list(i(1), i(2)), "null"},
		{list(list(i(1)), null), list(list(i(2)), i(1)), "false"}, {list(nan), list(nan), "false"},
		{mapping(), mapping(), "true"}, {mapping("k", OfBool(true)), mapping("k", i(1)), "false"},
		{mapping("k", null), mapping(), "false"}, {mapping("k", null), mapping("k", null), "null"},
		{mapping("k", i(1), "l", null), mapping("l", null, "k", i(2)), "false"},
		{mapping("k", i(1), "l", null), mapping("k", null, "l", i(1)), "null"},
		{mapping("a", i(1), "b", i(2)), mapping("b", i(2), "a", f(1)), "true"},
		{OfNode(1), OfNode(1), "true"}, {OfNode(1), OfNode(2), "false"}, {OfNode(1), OfRel(1), "false"}, {OfRel(1), OfRel(1), "true"},
		{walk(1, 5, 2), walk(1, 5, 2), "true"}, {walk(1, 5, 2), walk(1, 6, 2), "false"}, {walk(1, 5, 2), walk(2, 5, 1), "false"},
		{walk(1), walk(1, 5, 2), "false"}, {walk(1), OfNode(1), "false"}, {walk(1), list(OfNode(1)), "false"}, {walk(1), null, "null"},
		{temporals[9], temporals[9], "true"}, {temporals[1], temporals[2], "false"}, {temporals[6], temporals[9], "false"}, {temporals[9], s("2000-01-01"), "false"}, {temporals[19], temporals[20], "false"},
	} {
		if got := tri(Equal(c.a, c.b)); got != c.want {
			t.Errorf("%v = %v: %s, want %s", c.a, c.b, got, c.want)
		}
		if got := tri(Equal(c.b, c.a)); got != c.want {
			t.Errorf("%v = %v: %s, want %s", c.b, c.a, got, c.want)
		}
	}
}

func TestLess(t *testing.T) {
	for _, c := range []struct {
		a, b   Value
		lt, le string
	}{
		{i(1), i(2), "true", "true"}, {i(2), i(2), "false", "true"}, {i(2), f(1.5), "false", "false"},
		{f(1.5), i(2), "true", "true"}, {i(-1), f(-0.5), "true", "true"}, {i(0), f(-0.5), "false", "false"},
		{i(1<<53 + 1), f(1 << 53), "false", "false"}, {i(math.MaxInt64), f(0x1p63), "true", "true"},
		{f(-0x1p64), i(math.MinInt64), "true", "true"}, {i(math.MinInt64), f(-0x1p63), "false", "true"},
		{i(1), inf, "true", "true"}, {nan, i(1), "false", "false"}, {i(1), nan, "false", "false"}, {nan, nan, "false", "false"},
		{nan, s("a"), "null", "null"}, {null, i(1), "null", "null"}, {i(1), s("a"), "null", "null"},
		{s("a"), s("b"), "true", "true"}, {s("b"), s("a"), "false", "false"}, {s("a"), s("a"), "false", "true"},
		{OfBool(false), OfBool(true), "true", "true"}, {OfBool(true), OfBool(false), "false", "false"},
		{list(i(1)), list(i(1), i(0)), "true", "true"}, {list(i(1)), list(i(1), null), "true", "true"},
		{list(i(1), i(2)), list(i(1), null), "null", "null"}, {list(i(1), s("a")), list(i(1), i(2)), "null", "null"},
		{list(i(1), i(2)), list(i(3), null), "true", "true"}, {list(), list(), "false", "true"},
		{mapping(), mapping(), "null", "null"}, {OfNode(1), OfNode(2), "null", "null"}, {walk(1), walk(2), "null", "null"},
		{temporals[8], temporals[9], "true", "true"}, {temporals[9], temporals[9], "false", "true"}, {temporals[6], temporals[9], "null", "null"}, {temporals[19], temporals[20], "null", "null"}, {temporals[1], temporals[2], "true", "true"}, {temporals[1], i(1), "null", "null"},
	} {
		if got := tri(Less(c.a, c.b)); got != c.lt {
			t.Errorf("%v < %v: %s, want %s", c.a, c.b, got, c.lt)
		}
		if got := tri(LessEqual(c.a, c.b)); got != c.le {
			t.Errorf("%v <= %v: %s, want %s", c.a, c.b, got, c.le)
		}
	}
}

func TestCompareOrder(t *testing.T) {
	rising := []Value{
		mapping(), mapping("a", s("x")), mapping("b", i(1)), mapping("a", i(1), "b", i(2)),
		OfNode(1), OfNode(2), OfRel(0), OfRel(5),
		list(), list(s("a")), list(s("a"), i(1)), list(i(1)), list(i(1), s("a")), list(i(1), null), list(null, i(1)), list(null, i(2)),
		walk(1), walk(1, 0, 1), walk(1, 0, 1, 0, 1), walk(1, 0, 2), walk(1, 3, 0), walk(2), temporals[0], temporals[1], temporals[2], temporals[3], temporals[4], temporals[6], temporals[9], temporals[12], temporals[15], temporals[16], temporals[17], s(""), s(" "), s(".*"), s("one"), OfBool(false), OfBool(true),
		f(math.Inf(-1)), f(-0x1p63), i(math.MinInt64 + 1), f(-1.5), i(0), f(0.5), i(1), i(1 << 53), i(1<<53 + 1), i(math.MaxInt64), f(0x1p63), inf, nan, null,
	}
	for x, a := range rising {
		for y, b := range rising {
			if got := Compare(a, b); sign(got) != sign(x-y) {
				t.Errorf("Compare(%v, %v) = %d", a, b, got)
			}
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestOrderingByStableIDs(t *testing.T) {
	snap := &csr.Snapshot{Data: csr.Data{Vertices: 2, NodeIDs: []csr.NodeID{8, 3}}}
	if o := (Ordering{snap}); o.Compare(OfNode(0), OfNode(1)) <= 0 || o.Compare(OfRel(1), OfRel(2)) >= 0 {
		t.Error("Ordering does not follow the stable ids")
	}
}

// temporals are some of each type, in the order of ORDER BY.
var temporals = func() (out []Value) {
	for _, c := range []struct {
		kind  temporal.Kind
		texts []string
	}{
		{temporal.DateTime, []string{"2000-01-01T00:00+01:00", "2000-01-01T00:00Z", "2000-01-01T01:00+01:00", "2000-01-01T01:00[Europe/Berlin]", "2000-01-01T01:00[Europe/Paris]"}},
		{temporal.LocalDateTime, []string{"-0001-01-01T00:00", "2000-01-01T00:00", "2000-01-01T00:00:00.000000001"}},
		{temporal.Date, []string{"-999999999-01-01", "2000-01-01", "+999999999-12-31"}},
		{temporal.Time, []string{"00:00+01:00", "00:00Z", "23:59:59.999999999Z"}},
		{temporal.LocalTime, []string{"00:00", "12:00"}},
	} {
		for _, s := range c.texts {
			p, err := temporal.Parse(c.kind, s)
			if err != nil {
				panic(err)
			}
			out = append(out, OfPoint(p))
		}
	}
	for _, s := range []string{"-P1Y", "PT-0.5S", "PT0S", "P1D", "PT24H", "P30D", "P1M"} {
		d, err := temporal.ParseDuration(s)
		if err != nil {
			panic(err)
		}
		out = append(out, OfDuration(d))
	}
	return out
}()

// randomValue draws from few values, so that equal ones meet, and mixes integers with floats near them.
func randomValue(rng *rand.Rand, depth int) Value {
	n := 12
	if depth == 0 {
		n = 9
	}
	switch rng.IntN(n) {
	case 0:
		return null
	case 1:
		return OfBool(rng.IntN(2) == 0)
	case 2:
		return i([]int64{0, 1, -1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64}[rng.IntN(7)])
	case 3, 4:
		return f([]float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1 << 53, 0x1p63, -0x1p63, math.NaN(), math.Inf(1), math.Inf(-1), 1e300}[rng.IntN(12)])
	case 5:
		return s([]string{"", "a", "ab", "b", "\x00", "é"}[rng.IntN(6)])
	case 6:
		return OfNode(csr.VertexID(rng.IntN(3)))
	case 7:
		return OfRel(csr.EdgeID(rng.IntN(3)))
	case 8:
		return temporals[rng.IntN(len(temporals))]
	case 9:
		return walk(slices.Repeat([]int{rng.IntN(2)}, 1+2*rng.IntN(3))...)
	case 10:
		l := make([]Value, rng.IntN(4))
		for j := range l {
			l[j] = randomValue(rng, depth-1)
		}
		return OfList(l)
	}
	m := &MapValue{}
	for _, j := range rng.Perm(3)[:rng.IntN(4)] {
		m.Keys = append(m.Keys, []string{"a", "b", "ab"}[j])
		m.Values = append(m.Values, randomValue(rng, depth-1))
	}
	return OfMap(m)
}

// TestLaws checks what Compare, AppendKey, Equal and Less promise each other on random triples.
func TestLaws(t *testing.T) {
	for seed := range uint64(60000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a, b, c := randomValue(rng, 2), randomValue(rng, 2), randomValue(rng, 2)
		ab, ba, bc, ac := sign(Compare(a, b)), sign(Compare(b, a)), sign(Compare(b, c)), sign(Compare(a, c))
		if ab != -ba || Compare(a, a) != 0 {
			t.Fatalf("seed %d: Compare(%v, %v) is not antisymmetric", seed, a, b)
		}
		if ab <= 0 && bc <= 0 && (ac > 0 || ac == 0 && ab+bc < 0) {
			t.Fatalf("seed %d: Compare is not transitive on %v, %v, %v", seed, a, b, c)
		}
		if same := string(AppendKey(nil, a)) == string(AppendKey(nil, b)); same != (ab == 0) {
			t.Fatalf("seed %d: %v and %v: same key %v, Compare %d", seed, a, b, same, ab)
		}
		checkThreeValued(t, seed, a, b, ab)
	}
}

func checkThreeValued(t *testing.T, seed uint64, a, b Value, order int) {
	eq, known := Equal(a, b)
	if eq && (order != 0 || !known) || known && !eq && order == 0 && !hasNaN(a) {
		t.Fatalf("seed %d: %v = %v is %s, Compare %d", seed, a, b, tri(eq, known), order)
	}
	lt, k1 := Less(a, b)
	gt, k2 := Less(b, a)
	le, k3 := LessEqual(a, b)
	if k1 != k2 || k1 != k3 || lt && gt || k1 && !hasNaN(a) && !hasNaN(b) && le == gt {
		t.Fatalf("seed %d: %v < %v: %s, >: %s, <=: %s", seed, a, b, tri(lt, k1), tri(gt, k2), tri(le, k3))
	}
	if lt && order >= 0 {
		t.Fatalf("seed %d: %v < %v but Compare %d", seed, a, b, order)
	}
}

func hasNaN(v Value) bool {
	switch v.Kind() {
	case List:
		for _, e := range v.List() {
			if hasNaN(e) {
				return true
			}
		}
	case Map:
		for _, e := range v.Map().Values {
			if hasNaN(e) {
				return true
			}
		}
	}
	return isNaN(v)
}

// TestKeysConcatenate: keys are not prefixes of each other, so rows of values may be compared by joining them.
func TestKeysConcatenate(t *testing.T) {
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		a, b := randomValue(rng, 2), randomValue(rng, 2)
		ka, kb := string(AppendKey(nil, a)), string(AppendKey(nil, b))
		if ka != kb && len(ka) <= len(kb) && kb[:len(ka)] == ka {
			t.Fatalf("seed %d: the key of %v is a prefix of that of %v", seed, a, b)
		}
	}
}

func TestString(t *testing.T) {
	for want, v := range map[string]Value{
		"null": null, "true": OfBool(true), "-5": i(-5), "1.0": f(1), "-0.0": f(math.Copysign(0, -1)), "0.1": f(0.1),
		"1.5E300": f(1.5e300), "1.0E-7": f(1e-7), "NaN": nan, "Infinity": inf, "-Infinity": f(math.Inf(-1)),
		"123456789.5": f(123456789.5), `'it\'s'`: s("it's"), `'a\\b\n\t\r\u0001'`: s("a\\b\n\t\r\x01"), "'é'": s("é"),
		"[1, [null]]": list(i(1), list(null)), "{a: 1, `b c`: ''}": mapping("a", i(1), "b c", s("")),
		"{`1x`: {}, ````: []}": mapping("1x", mapping(), "`", list()), "(#7)": OfNode(7), "[#9]": OfRel(9),
		"(#7)-[#2]-(#8)": walk(7, 2, 8), "datetime('2000-01-01T01:00+01:00[Europe/Paris]')": temporals[4], "duration('P1D')": temporals[19],
	} {
		if got := v.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	if i(1).Bytes() != 24 || s("abcd").Bytes() != 28 || list(i(1), s("x")).Bytes() != 24+24+24+25 {
		t.Error("wrong size")
	}
	if got := mapping("ab", i(1)).Bytes(); got != 24+48+18+24 {
		t.Errorf("map: %d", got)
	}
	if got := walk(1, 2, 3).Bytes(); got != 24+48+2*4+8 {
		t.Errorf("path: %d", got)
	}
}

func TestParseTemporal(t *testing.T) {
	for _, v := range temporals {
		if w, err := ParseTemporal(v.TemporalType(), v.TemporalText()); err != nil || Compare(v, w) != 0 {
			t.Errorf("%v became %v (%v)", v, w, err)
		}
	}
	for _, c := range [][2]string{{"date", "x"}, {"duration", "x"}, {"", "2000-01-01"}, {"day", "2000-01-01"}} {
		if v, err := ParseTemporal(c[0], c[1]); err == nil {
			t.Errorf("%s is the %s %v", c[1], c[0], v)
		}
	}
}
