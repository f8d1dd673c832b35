package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// TestKeySet adds values whose keys have all lengths, also that of a word, and compares with a map of the keys.
func TestKeySet(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	account := NewAccount(&pattern.Memory{}, "test")
	set, keys := NewKeySet(account), map[string]bool{}
	pick := func() value.Value {
		switch rng.IntN(6) {
		case 0:
			return value.OfInt(int64(rng.IntN(40)) - 20)
		case 1:
			return value.OfFloat([]float64{1, math.Copysign(0, -1), 2.5, math.NaN(), 7}[rng.IntN(5)])
		case 2:
			return value.OfString("1234567890"[:rng.IntN(10)]) // of 7 bytes: a key as long as a word's
		case 3:
			return value.OfBool(rng.IntN(2) == 0)
		case 4:
			return value.OfList([]value.Value{value.OfInt(int64(rng.IntN(5)))})
		}
		return value.Value{}
	}
	for range 3000 {
		values := []value.Value{pick()}
		if rng.IntN(3) == 0 {
			values = append(values, pick())
		}
		var key []byte
		for _, v := range values {
			key = value.AppendKey(key, v)
		}
		fresh, err := set.Add(values...)
		if err != nil || fresh == keys[string(key)] {
			t.Fatalf("seed %d: %v: fresh %v, %v", seed, values, fresh, err)
		}
		keys[string(key)] = true
	}
	if set.Rows != uint64(len(keys)) {
		t.Errorf("seed %d: %d keys, want %d", seed, set.Rows, len(keys))
	}
	set.Reset()
	if fresh, _ := set.Add(value.OfInt(1)); !fresh {
		t.Error("a set that was reset has a key")
	}
}
