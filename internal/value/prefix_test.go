package value

import (
	"math"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// TestPrefix compares the prefixes of all pairs of some values of all kinds with Compare.
func TestPrefix(t *testing.T) {
	values := []Value{{}, OfBool(false), OfBool(true), OfString(""), OfString("a"), OfString("a\x00"), OfString("ab"), OfString("abcdefgh"), OfString("abcdefgi"), OfString("ÿ"),
		OfNode(csr.VertexID(1)), OfNode(csr.VertexID(7)), OfRel(csr.EdgeID(3)), OfList(nil), OfList([]Value{OfInt(1)}), OfMap(&MapValue{})}
	for _, n := range []int64{0, 1, -1, 2, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1, 100, -100, 1<<43 - 1, 1<<43 - 2, -1 << 43, 1 - 1<<43} {
		values = append(values, OfInt(n), OfFloat(float64(n)))
	}
	for _, f := range []float64{0.5, -0.5, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324, -5e-324, 0.1, math.Nextafter(0.1, 1), 1e300} {
		values = append(values, OfFloat(f))
	}
	for _, a := range values {
		for _, b := range values {
			if p, q := Prefix(a), Prefix(b); Compare(a, b) < 0 && p > q || Compare(a, b) == 0 && p != q {
				t.Errorf("%v and %v have the prefixes %x and %x", a, b, p, q)
			}
			small := func(v Value) bool { return v.IsNull() || v.Kind() == Int && v.Int() == v.Int()<<20>>20 }
			if small(a) && small(b) && Prefix(a) == Prefix(b) && Compare(a, b) != 0 {
				t.Errorf("%v and %v have the same prefix", a, b)
			}
		}
	}
}
