package value

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

func hasElement(v Value) bool {
	switch v.Kind() {
	case Node, Rel, Path:
		return true
	case List:
		for _, e := range v.List() {
			if hasElement(e) {
				return true
			}
		}
	case Map:
		for _, e := range v.Map().Values {
			if hasElement(e) {
				return true
			}
		}
	}
	return false
}

func TestCodecRoundTrip(t *testing.T) {
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		v := randomValue(rng, 3)
		b, err := Append([]byte("x"), v)
		if hasElement(v) {
			if err == nil {
				t.Fatalf("seed %d: %v was encoded", seed, v)
			}
			continue
		}
		got, derr := Decode(string(b[1:]))
		if err != nil || derr != nil || v.String() != got.String() || Compare(v, got) != 0 {
			t.Fatalf("seed %d: %v became %v (%v, %v)", seed, v, got, err, derr)
		}
		if v.IsNull() {
			continue
		}
		c, err := v.Cell()
		if back := OfCell(c); err != nil || back.String() != v.String() {
			t.Fatalf("seed %d: %v became %v in a cell (%v)", seed, v, back, err)
		}
	}
}

// TestCodecSizes compares the predicted sizes of encodings and of decoded values with the real ones.
func TestCodecSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 2000 {
		v := randomValue(rng, 3)
		b, err := Append(nil, v)
		if n := EncodedBytes(v); err == nil && n != len(b) || n < len(b) {
			t.Fatalf("%v takes %d bytes, EncodedBytes says %d", v, len(b), n)
		}
		if err != nil {
			continue
		}
		back, err := Decode(string(b))
		if err != nil {
			t.Fatal(err)
		}
		if have, want := DecodedBytes(string(b)), back.Bytes()-24-textBytes(back); have != want {
			t.Fatalf("%v takes %d bytes beside its texts, DecodedBytes says %d", v, want, have)
		}
	}
}

// textBytes adds up the strings and keys in v, which Bytes counts and which Decode does not copy.
func textBytes(v Value) (n int64) {
	switch v.Kind() {
	case String:
		return int64(len(v.Str()))
	case List:
		for _, e := range v.List() {
			n += textBytes(e)
		}
	case Map:
		for i, k := range v.Map().Keys {
			n += int64(len(k)) + textBytes(v.Map().Values[i])
		}
	}
	return n
}

func TestCellErrors(t *testing.T) {
	for _, v := range []Value{null, OfNode(1), OfRel(1), list(OfNode(1)), mapping("a", list(OfRel(1)))} {
		if c, err := v.Cell(); err == nil {
			t.Errorf("%v became the cell %v", v, c)
		}
	}
	deep := list()
	for range maxDepth - 1 {
		deep = list(deep)
	}
	b, err := Append(nil, deep)
	if err != nil {
		t.Errorf("depth %d: %v", maxDepth, err)
	}
	if _, err := Decode(string(b)); err != nil {
		t.Errorf("depth %d: %v", maxDepth, err)
	}
	if _, err := Append(nil, list(deep)); err == nil {
		t.Error("a list that nests too deep was encoded")
	}
	if _, err := Decode(string(append([]byte{tagList, 1}, b...))); !errors.Is(err, ErrEncoding) {
		t.Errorf("a list that nests too deep was decoded: %v", err)
	}
}

func TestDecodeMalformed(t *testing.T) {
	for _, s := range []string{
		"", "\x08", "\x08\x01", "\x08\x00", "\x08\x07", "\x08\x06\x00\x00\x00\x01", "\x08\x05\x00\x00\x00\x01", "\x08\x02\x01", "\xff", "\x00\x00", "\x03", "\x03\x80", "\x04\x00", "\x05\x02a", "\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "\x06\x02\x00", "\x06\xff\xff\xff\xff\x0f", "\x07\x01\x01a", "\x07\x01\x05a\x00",
		"\x03" + strings.Repeat("\x80", 11) + "\x01",
	} {
		if v, err := Decode(s); !errors.Is(err, ErrEncoding) {
			t.Errorf("%q: %v, %v", s, v, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("OfCell accepted a malformed cell")
		}
	}()
	OfCell(csr.Cell{Kind: csr.KindEncoded, Str: "\xff"})
}

// FuzzDecode: any bytes give an error or a value that encodes and decodes to itself.
func FuzzDecode(f *testing.F) {
	for _, v := range []Value{null, i(-300), OfFloat(1.5), s("abc"), list(i(1), s("x"), null), mapping("k", list(OfBool(true))), temporals[4], temporals[9], temporals[20]} {
		b, _ := Append(nil, v)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Decode(string(b))
		if null := len(b) > 0 && b[0] == tagNull; (Check(string(b)) == nil) != (err == nil || null) {
			t.Fatalf("%q: Check says %v, Decode %v", b, Check(string(b)), err)
		}
		if Check(string(b)) == nil {
			k := OfCell(csr.Cell{Kind: csr.KindEncoded, Str: string(b)}).Kind()
			if nested := k == List || k == Map || k == Temporal || k == Spatial; nested != IsNested(string(b)) {
				t.Fatalf("%q is a %v", b, k)
			}
		}
		if err != nil {
			return
		}
		once, err := Append(nil, v)
		if err != nil {
			t.Fatalf("%q decodes to %v, which does not encode: %v", b, v, err)
		}
		again, err := Decode(string(once))
		if err != nil {
			t.Fatalf("%q: %v", once, err)
		}
		if twice, _ := Append(nil, again); !bytes.Equal(once, twice) {
			t.Fatalf("%q and %q", once, twice)
		}
	})
}
