package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// TestDictionary numbers values of all kinds, one by one and in batches, and pairs of them, and compares with a map of their keys.
func TestDictionary(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	account := NewAccount(&pattern.Memory{}, "test")
	d, pairs, keys := NewDictionary(account), NewPairTable(account), map[string]uint32{}
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
	number := func(key []byte) uint32 {
		n, ok := keys[string(key)]
		if !ok {
			n = uint32(len(keys))
			keys[string(key)] = n
		}
		return n
	}
	codes := map[string]uint32{}
	pairKeys, rows := map[[2]uint32]uint32{}, make([]value.Value, 0, 64)
	for range 300 {
		rows = rows[:0]
		for range 1 + rng.IntN(cap(rows)-1) {
			rows = append(rows, pick())
		}
		numbers := make([]uint32, len(rows))
		switch rng.IntN(3) {
		case 0:
			for i, v := range rows {
				numbers[i], _ = d.Number(v)
			}
		case 1: // those that are new without a look, as their owner knows it
			for i, v := range rows {
				if _, known := keys[string(value.AppendKey(nil, v))]; known {
					numbers[i], _ = d.Number(v)
				} else if numbers[i], _ = d.Next(v); numbers[i] != number(value.AppendKey(nil, v)) {
					t.Fatalf("seed %d: the next number is %d, not of %v", seed, numbers[i], v)
				}
			}
		default:
			b := &Operand{Value: func(i int) value.Value { return rows[i] }}
			for _, v := range rows {
				kind, num := OperandOf(v)
				b.Kinds, b.Nums = append(b.Kinds, kind), append(b.Nums, num)
			}
			if rng.IntN(2) == 0 {
				for _, v := range rows {
					key := string(value.AppendKey(nil, v))
					if _, ok := codes[key]; !ok {
						codes[key] = uint32(len(codes))
					}
					b.Codes = append(b.Codes, codes[key])
				}
			}
			if _, err := d.Numbers(b, numbers); err != nil {
				t.Fatal(err)
			}
		}
		for i, v := range rows {
			if want := number(value.AppendKey(nil, v)); numbers[i] != want || value.Compare(d.Value(want), v) != 0 {
				t.Fatalf("seed %d: %v has the number %d, want %d, of %v", seed, v, numbers[i], want, d.Value(want))
			}
		}
		other := slices.Clone(numbers)
		rng.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		ids := slices.Clone(numbers)
		if err := pairs.PutBatch(ids, other); err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			pair := [2]uint32{numbers[i], other[i]}
			want, ok := pairKeys[pair]
			if !ok {
				want = uint32(len(pairKeys))
				pairKeys[pair] = want
			}
			if a, b := pairs.Pair(id); id != want || a != pair[0] || b != pair[1] {
				t.Fatalf("seed %d: the pair %v has the number %d, of %d and %d, want %d", seed, pair, id, a, b, want)
			}
		}
	}
	if d.Len() != len(keys) || pairs.Len() != len(pairKeys) {
		t.Errorf("seed %d: %d values and %d pairs, want %d and %d", seed, d.Len(), pairs.Len(), len(keys), len(pairKeys))
	}
	d.Reset()
	if n, _ := d.Number(value.OfInt(1)); n != 0 || d.Len() != 1 {
		t.Error("a dictionary that was reset has a value")
	}
}

// TestGrowthStops: a table that grows notices that the query is over.
func TestGrowthStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	account := NewAccount(&pattern.Memory{}, "test")
	account.Ctx = ctx
	d, pairs, sets := NewDictionary(account), NewPairTable(account), new(numberSet)
	steps := []func(i uint32) error{
		func(i uint32) error { _, err := d.Number(value.OfInt(int64(i))); return err },
		func(i uint32) error { _, _, err := pairs.Put(i, i); return err },
		func(i uint32) error { _, err := sets.add(account, i); return err },
	}
	for n, step := range steps {
		for i := range uint32(20) {
			if err := step(i); err != nil {
				t.Fatal(err)
			}
		}
		if n == len(steps)-1 {
			cancel()
		}
	}
	for n, step := range steps {
		var err error
		for i := uint32(20); i < 100 && err == nil; i++ {
			err = step(i)
		}
		if err != context.Canceled {
			t.Errorf("table %d gives %v", n, err)
		}
	}
}
