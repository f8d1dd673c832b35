package value

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/spatial"
)

// TestSpatial encodes random points, as values and as JSON, reads them back, and compares their keys with their order.
func TestSpatial(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	random := func() Value {
		srid := []spatial.SRID{spatial.WGS84, spatial.WGS84in3D, spatial.Cartesian, spatial.Cartesian3D}[r.IntN(4)]
		x, y, z := float64(r.IntN(3)), float64(r.IntN(3))/3, 0.0
		if srid.Has3D() {
			z = r.NormFloat64()
		}
		p, err := spatial.New(srid, x, y, z)
		if err != nil {
			t.Fatal(err)
		}
		return OfSpatial(p)
	}
	for range 2000 {
		v, w := random(), random()
		b, err := Append(nil, v)
		if err != nil || len(b) != EncodedBytes(v) || Check(string(b)) != nil || !IsNested(string(b)) {
			t.Fatalf("seed %d: %v is encoded as %q, %v", seed, v, b, err)
		}
		if again, err := Decode(string(b)); err != nil || Compare(v, again) != 0 {
			t.Fatalf("seed %d: %v was read as %v, %v", seed, v, again, err)
		}
		if c, err := v.Cell(); err != nil || Compare(OfCell(c), v) != 0 || c.Kind != csr.KindEncoded {
			t.Fatalf("seed %d: %v is the cell %v, %v", seed, v, c, err)
		}
		j, err := AppendJSON(nil, v)
		if again, wrong := ParseJSON(string(j)); err != nil || wrong != nil || Compare(v, again) != 0 {
			t.Fatalf("seed %d: %v is the JSON %s, %v, read as %v, %v", seed, v, j, err, again, wrong)
		}
		for i := range len(b) {
			if Check(string(b[:i])) == nil {
				t.Fatalf("seed %d: the first %d bytes of %q are a value", seed, i, b)
			}
		}
		eq, known := Equal(v, w)
		if same := bytes.Equal(AppendKey(nil, v), AppendKey(nil, w)); same != eq || !known || same != (Compare(v, w) == 0) || Compare(v, w) != -Compare(w, v) {
			t.Fatalf("seed %d: %v and %v: equal %v, same key %v, order %d", seed, v, w, eq, same, Compare(v, w))
		}
		if _, known := Less(v, w); known || Prefix(v) > Prefix(w) && Compare(v, w) < 0 {
			t.Fatalf("seed %d: %v and %v have an order", seed, v, w)
		}
	}
	for _, s := range []string{"\x09", "\x09\x01", "\x09\xe6\x21", "\x09\xe6\x21" + "\x00\x00\x00\x00\x00\x00\xf8\x7f" + "\x00\x00\x00\x00\x00\x00\x00\x00"} {
		if v, err := Decode(s); err == nil || Check(s) == nil {
			t.Errorf("%q: %v", s, v)
		}
	}
	for _, s := range []string{`{"$point":{"x":1}}`, `{"$point":{"x":1,"y":null}}`, `{"$point":1}`} {
		if v, err := ParseJSON(s); err == nil {
			t.Errorf("%s: %v", s, v)
		}
	}
}
