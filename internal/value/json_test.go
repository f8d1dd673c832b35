package value

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// randomStored is a random value that a property could hold, and more: maps too.
func randomStored(rng *rand.Rand, depth int) Value {
	texts := []string{"", "a", "'\"\\\n\r\t", "é日本😀", "\x00\x01\x7f\u2028\u2029\ufffe\uffff\ufffd", "$", ";,"}
	switch k := rng.IntN(9); {
	case k == 8:
		t := [][2]string{{"date", "2020-02-29"}, {"time", "12:30:00.5+01:00"}, {"localtime", "00:00"}, {"datetime", "1984-10-11T12:31:14.645876123+01:00[Europe/Stockholm]"},
			{"localdatetime", "-0044-03-15T00:00"}, {"duration", "P-1Y2M3DT-4.000000001S"}}[rng.IntN(6)]
		v, err := ParseTemporal(t[0], t[1])
		if err != nil {
			panic(err)
		}
		return v
	case k == 0:
		return OfBool(rng.IntN(2) == 0)
	case k == 1:
		return OfInt([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, int64(rng.Uint64())}[rng.IntN(6)])
	case k == 2:
		return OfFloat([]float64{0, math.Copysign(0, -1), 1, 1e300, -5e-324, math.NaN(), math.Inf(1), math.Inf(-1), rng.NormFloat64()}[rng.IntN(9)])
	case k == 3:
		return Value{}
	case k == 4 && depth < 4:
		l := []Value{}
		for range rng.IntN(4) {
			l = append(l, randomStored(rng, depth+1))
		}
		return OfList(l)
	case k == 5 && depth < 4:
		m := &MapValue{}
		for i := range rng.IntN(3) {
			key := []string{"$float", "a", "é\n", "$$"}[(rng.IntN(4)+i)%4]
			if _, there := m.Get(key); !there {
				m.Keys, m.Values = append(m.Keys, key), append(m.Values, randomStored(rng, depth+1))
			}
		}
		return OfMap(m)
	}
	return OfString(texts[rng.IntN(len(texts))])
}

// What AppendJSON writes is JSON, and ParseJSON reads the same value from it.
func TestJSONRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 20000 {
		v := randomStored(rng, 0)
		text, err := AppendJSON(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(text) {
			t.Fatalf("%v gave %s, which is no JSON", v, text)
		}
		back, err := ParseJSON(string(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		a, _ := Append(nil, v)
		b, _ := Append(nil, back)
		if string(a) != string(b) {
			t.Fatalf("%v became %v by %s", v, back, text)
		}
	}
	for _, v := range []Value{OfNode(1), OfRel(1), OfString("\xff"), OfList([]Value{OfString("a\xff")})} {
		if text, err := AppendJSON(nil, v); err == nil {
			t.Errorf("%v gave %s", v, text)
		}
	}
}

func TestParseJSON(t *testing.T) {
	for text, want := range map[string]string{
		` [1, 1.0,1e2 ,-0]`:               "[1, 1.0, 100.0, 0]",
		`"\u00e9\ud83d\ude00\/\b\f"`:      `'é😀/\u0008\u000c'`,
		`{"$float":"-Infinity"}`:          "-Infinity",
		`{"$$float":{"$float":"NaN"}}`:    "{`$float`: NaN}",
		`{"a":{"b":[true,false,null]}}`:   "{a: {b: [true, false, null]}}",
		`9223372036854775807`:             "9223372036854775807",
		`{"$float":"NaN","x":1}`:          "{`$float`: 'NaN', x: 1}",
		"\t{\"a\" : \"b\" , \"c\":[ ]}\n": "{a: 'b', c: []}",
	} {
		v, err := ParseJSON(text)
		if err != nil || v.String() != want {
			t.Errorf("%s: %v, %v; want %s", text, v, err, want)
		}
	}
	for text, offset := range map[string]int{
		``: 0, `[`: 1, `[1,]`: 3, `{"a":1,}`: 7, `{"a":1,"a":2}`: 7, `01`: 1, `1.`: 2, `-`: 1, `1e`: 2, `+1`: 0, `nul`: 0, `"a`: 2,
		`"\x"`: 1, `"\ud800"`: 1, `"\ud800\u0041"`: 1, "\"\n\"": 1, "\"\xff\"": 1, `9223372036854775808`: 0, `1e999`: 0, `1 2`: 2,
		`{"$float":"x"}`: 0, `{"$date":"x"}`: 0, `{"$year":"2020"}`: 0, `{a:1}`: 1, `{"a" 1}`: 5, `NaN`: 0, `"\u12"`: 1, `"\u+123"`: 1,
	} {
		v, err := ParseJSON(text)
		var je *JSONError
		if !errors.As(err, &je) || je.Offset != offset {
			t.Errorf("%s: %v, %v; want an error at byte %d", text, v, err, offset)
		}
	}
	deep := make([]byte, 0, 1000)
	for range 500 {
		deep = append(deep, '[')
	}
	if _, err := ParseJSON(string(deep)); err == nil {
		t.Error("500 brackets were read")
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x\u00e9",null,true]}`, `{"$float":"NaN"}`, `{"$$a":1}`, `"\ud83d\ude00"`, `[[[[]]]]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseJSON(text)
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q was read as %v, but is no JSON", text, v)
		}
		again, err := AppendJSON(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseJSON(string(again))
		a, _ := Append(nil, v)
		b, _ := Append(nil, back)
		if err != nil || string(a) != string(b) {
			t.Fatalf("%v became %v (%v)", v, back, err)
		}
	})
}
