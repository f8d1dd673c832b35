package jsontext

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// pair stands for a type of package motif.
type pair struct{ a, b any }

func appendPair(w *Writer, b []byte, v any) ([]byte, bool) {
	p, ok := v.(pair)
	if !ok {
		return nil, false
	}
	return List(w, b, []any{p.a, p.b}), true
}

// random makes a value, and the same value as encoding/json reads it.
func random(rnd *rand.Rand, depth int) (v, read any) {
	kind := rnd.IntN(9)
	if depth == 0 {
		kind = rnd.IntN(5)
	}
	switch kind {
	case 0:
		return nil, nil
	case 1:
		return true, true
	case 2:
		n := int64(rnd.Uint64()) >> rnd.IntN(64)
		return n, json.Number(strconv.FormatInt(n, 10))
	case 3, 4:
		text := string([]rune{rune(rnd.IntN(0xd800)), '"', rune(rnd.IntN(100))}) + strings.Repeat("x", rnd.IntN(1000))
		return text, text
	case 5:
		a, readA := random(rnd, depth-1)
		b, readB := random(rnd, depth-1)
		return pair{a, b}, []any{readA, readB}
	case 6:
		m, readM := map[string]any{}, map[string]any{}
		for i := range rnd.IntN(5) {
			m[strconv.Itoa(i)], readM[strconv.Itoa(i)] = random(rnd, depth-1)
		}
		return m, readM
	}
	list, readList := []any{}, []any{}
	for range rnd.IntN(40) {
		v, read := random(rnd, depth-1)
		list, readList = append(list, v), append(readList, read)
	}
	return list, readList
}

// TestRandomValues writes random values, whole and in pieces, and has encoding/json read them.
func TestRandomValues(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	long := 0
	for range 100 {
		v, want := random(rnd, 4)
		whole := Writer{Declared: appendPair}
		text := whole.Value([]byte("x"), v)
		in := json.NewDecoder(bytes.NewReader(text[1:]))
		in.UseNumber()
		var got any
		if err := in.Decode(&got); err != nil || whole.Err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v is written as %s: %v, %v", v, text, err, whole.Err)
		}
		var out bytes.Buffer
		pieces := Writer{Out: &out, Declared: appendPair}
		out.Write(pieces.Value([]byte("x"), v))
		if !bytes.Equal(out.Bytes(), text) {
			t.Fatalf("%d bytes in pieces differ from the whole", len(text))
		}
		if len(text) > 2*piece {
			long++
		}
	}
	if long == 0 {
		t.Error("no value was written in pieces")
	}
}
