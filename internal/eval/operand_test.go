package eval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// TestArithmeticOfColumns compares columns with big integers, and with floats row by row.
func TestArithmeticOfColumns(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	numbers := []int64{0, 1, -1, 7, math.MaxInt64, math.MinInt64, math.MaxInt64 - 3, math.MinInt64 + 3, 1 << 62, -1 << 62}
	refused := 0
	for round := range 5000 {
		op, odd := []lang.Op{"+", "-", "*", "/", "%"}[rng.IntN(5)], rng.IntN(3) // odd rows are null, or floats
		large := rng.IntN(2) == 0
		var a, b, o Operand
		for _, x := range []*Operand{&a, &b} {
			for range 1 + round%9 {
				n := rng.Int64N(100) - 50
				if large {
					n = numbers[rng.IntN(len(numbers))]
				}
				switch {
				case odd == 1 && rng.IntN(4) == 0:
					x.Kinds, x.Nums = append(x.Kinds, 0), append(x.Nums, rng.Uint64())
				case odd == 2 && rng.IntN(4) == 0:
					x.Kinds, x.Nums = append(x.Kinds, csr.KindFloat), append(x.Nums, math.Float64bits(float64(n)/2))
				default:
					x.Kinds, x.Nums = append(x.Kinds, csr.KindInt), append(x.Nums, uint64(n))
				}
			}
		}
		n := min(len(a.Kinds), len(b.Kinds))
		fits := true
		for i := range n {
			switch divides := op == "/" || op == "%"; {
			case a.Kinds[i] == 0 || b.Kinds[i] == 0:
			case a.Kinds[i] != csr.KindInt || b.Kinds[i] != csr.KindInt:
				fits = fits && !divides
			default:
				fits = fits && !(divides && b.Nums[i] == 0) && exactly(op, a.Nums[i], b.Nums[i]).IsInt64()
			}
		}
		if got := Arithmetic(op, &a, &b, &o); got != fits {
			t.Fatalf("seed %d: %v %s %v: %v, want %v", seed, a, op, b, got, fits)
		}
		if !fits {
			refused++
			continue
		}
		for i := range n {
			kind, num := csr.Kind(0), o.Nums[i]
			switch {
			case a.Kinds[i] == 0 || b.Kinds[i] == 0:
			case a.Kinds[i] == csr.KindInt && b.Kinds[i] == csr.KindInt:
				kind, num = csr.KindInt, uint64(exactly(op, a.Nums[i], b.Nums[i]).Int64())
			default:
				x, y := a.float(i), b.float(i)
				kind, num = csr.KindFloat, math.Float64bits(map[lang.Op]float64{"+": x + y, "-": x - y, "*": x * y}[op])
			}
			if o.Kinds[i] != kind || o.Nums[i] != num {
				t.Fatalf("seed %d: %v %s %v, row %d: %v %d, want %v %d", seed, a, op, b, i, o.Kinds[i], o.Nums[i], kind, num)
			}
		}
	}
	if refused < 300 {
		t.Errorf("only %d of 5000 do not fit", refused)
	}
}

// exactly computes with integers that have no bounds.
func exactly(op lang.Op, a, b uint64) *big.Int {
	x, y := big.NewInt(int64(a)), big.NewInt(int64(b))
	switch op {
	case "+":
		return x.Add(x, y)
	case "-":
		return x.Sub(x, y)
	case "/":
		return x.Quo(x, y)
	case "%":
		return x.Rem(x, y)
	}
	return x.Mul(x, y)
}
