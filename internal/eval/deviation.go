package eval

import (
	"math"
	"math/big"

	"github.com/motifql/motif/internal/value"
)

// deviation computes stDev() and stDevP() from the exact sums of the values and of their squares. So the order of rows does not matter, and
// nothing is lost where the values are large and lie close together. Fewer than two values give 0.
type deviation struct {
	sample  bool
	account *Account
	n       counter
	sum     exactSum
	squares [3]exactSum // of values of medium, small and large size: see classOf
}

// Values of small and large size are scaled by 2^classPower before they are squared, so that no square is too small or too large for a float.
const classPower = 600

// classOf returns the class of x and x in its scale.
func classOf(x float64) (class int, scaled float64) {
	switch size := math.Abs(x); {
	case size > 0x1p500:
		return 2, x * 0x1p-600
	case size < 0x1p-400 && size > 0:
		return 1, x * 0x1p600
	}
	return 0, x
}

// squareExponents are the powers of two that the squares of each class stand for.
var squareExponents = [3]int{0, -2 * classPower, 2 * classPower}

func (d *deviation) Add(v value.Value, mult uint64) error {
	x, ok := number(v)
	if !ok {
		return badArgument(map[bool]string{true: "stDev", false: "stDevP"}[d.sample], "numbers", v)
	}
	if err := d.n.Add(v, mult); err != nil {
		return err
	}
	if err := d.sum.add(d.account, x, mult); err != nil || math.IsInf(x, 0) || x != x {
		return err
	}
	class, x := classOf(x)
	square := x * x
	if err := d.squares[class].add(d.account, square, mult); err != nil {
		return err
	}
	return d.squares[class].add(d.account, math.FMA(x, x, -square), mult) // what rounding took
}

// Result returns the root of (n * sum of squares - square of the sum) / (n * n) or, of a sample, n * (n-1). Only the root rounds.
func (d *deviation) Result() (value.Value, error) {
	if d.sum.nan || d.sum.plus || d.sum.minus {
		return value.OfFloat(math.NaN()), nil
	}
	n, by := int64(d.n.n), int64(d.n.n)
	if d.sample {
		by--
	}
	if by <= 0 {
		return value.OfFloat(0), nil
	}
	sum, low := d.sum.exact()
	difference := new(binary)
	for class := range d.squares {
		squares, exp := d.squares[class].exact()
		difference.add(squares.Mul(squares, big.NewInt(n)), exp+squareExponents[class])
	}
	difference.add(sum.Neg(sum.Mul(sum, sum)), 2*low)
	if difference.number.Sign() <= 0 {
		return value.OfFloat(0), nil
	}
	const precision = 128
	variance := new(big.Float).SetPrec(precision).SetInt(&difference.number)
	variance.SetMantExp(variance, difference.exp)
	counts := new(big.Int).Mul(big.NewInt(n), big.NewInt(by))
	variance.Quo(variance, new(big.Float).SetPrec(precision).SetInt(counts))
	root, _ := variance.Sqrt(variance).Float64()
	return value.OfFloat(root), nil
}

func (d *deviation) merge(other Aggregator) error {
	o := other.(*deviation)
	if err := d.n.merge(&o.n); err != nil {
		return err
	}
	if err := d.sum.merge(d.account, &o.sum); err != nil {
		return err
	}
	for class := range d.squares {
		if err := d.squares[class].merge(d.account, &o.squares[class]); err != nil {
			return err
		}
	}
	return nil
}

func (d *deviation) state() []value.Value {
	state := d.sum.append([]value.Value{value.OfInt(int64(d.n.n))})
	for class := range d.squares {
		state = d.squares[class].append(state)
	}
	return state
}

func (d *deviation) addState(state []value.Value) error {
	r := stateReader{rest: state}
	n := r.int()
	other := deviation{n: counter{n: uint64(n)}, sum: r.exactSum()}
	for class := range other.squares {
		other.squares[class] = r.exactSum()
	}
	if r.failed || n < 0 || len(r.rest) > 0 {
		return errState
	}
	return d.merge(&other)
}

// binary is the number times 2^exp, exactly.
type binary struct {
	number big.Int
	exp    int
}

// add adds x times 2^exp. It may change x.
func (b *binary) add(x *big.Int, exp int) {
	switch {
	case x.Sign() == 0:
		return
	case b.number.Sign() == 0:
		b.exp = exp
	case exp < b.exp:
		b.number.Lsh(&b.number, uint(b.exp-exp))
		b.exp = exp
	default:
		x.Lsh(x, uint(exp-b.exp))
	}
	b.number.Add(&b.number, x)
}

// exact returns the sum of the numbers that are finite: m times 2^exp.
func (s *exactSum) exact() (m *big.Int, exp int) {
	m = new(big.Int)
	for i := len(s.digits) - 1; i >= 0; i-- {
		m.Lsh(m, digitBits).Add(m, big.NewInt(s.digits[i]))
	}
	return m, unitPower + digitBits*s.base
}

// append appends the digits of s, and before them their number.
func (s *exactSum) append(state []value.Value) []value.Value {
	state = append(state, value.OfInt(int64(s.base)), value.OfBool(s.nan), value.OfBool(s.plus), value.OfBool(s.minus), value.OfInt(int64(len(s.digits))))
	for _, d := range s.digits {
		state = append(state, value.OfInt(d))
	}
	return state
}

// exactSum reads what append wrote.
func (r *stateReader) exactSum() (s exactSum) {
	s = exactSum{base: int(r.int()), nan: r.bool(), plus: r.bool(), minus: r.bool()}
	n := r.int()
	if s.base < 0 || n < 0 || s.base > maxDigits || n > int64(maxDigits-s.base) {
		r.failed = true
	}
	for range n {
		if r.failed {
			return exactSum{}
		}
		s.digits = append(s.digits, r.int())
	}
	s.adds = maxAdds - 1 // its digits may be large
	return s
}
