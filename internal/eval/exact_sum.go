package eval

import (
	"math"
	"math/big"
	"math/bits"
	"unsafe"
)

// exactSum adds floats without rounding: its result is the float nearest to the exact sum, whatever the order of the floats and however
// they are divided among sums that are merged. It is a number in base 2^32, and its lowest possible digit is the unit of the smallest float.
// It holds only the digits between the smallest and the largest float so far: 4 for floats of about one size, 70 at most.
type exactSum struct {
	digits      []int64 // of base 2^32, lowest first, each with a sign of its own
	base        int     // the place of digits[0]
	adds        uint32  // since the digits were last carried
	nan         bool
	plus, minus bool // there was an infinity
}

const (
	digitBits = 32
	// unitPower is the power of two of the lowest place: the smallest float is 2^unitPower.
	unitPower = -1074
	// maxAdds is how many floats fit before a digit may overflow: each adds less than 2^32.
	maxAdds = 1 << 30
	// maxDigits is how many places there are: 2,098 bits for floats, and room for the sum of 2^128 of them.
	maxDigits = 72
)

// add adds x, mult times. The account pays for the digits.
func (s *exactSum) add(h *Account, x float64, mult uint64) error {
	b := math.Float64bits(x)
	exp, m := int(b>>52&0x7ff), b&(1<<52-1)
	switch exp {
	case 0x7ff:
		s.special(x)
		return nil
	case 0:
		exp = 1
	default:
		m |= 1 << 52
	}
	if s.adds++; s.adds >= maxAdds {
		if err := s.carry(h); err != nil {
			return err
		}
	}
	place, shift := (exp-1)/digitBits, uint((exp-1)%digitBits)
	width := 3
	if mult != 1 {
		width = 6
	}
	if place < s.base || place+width > s.base+len(s.digits) {
		if err := s.widen(h, place, width); err != nil {
			return err
		}
	}
	if mult != 1 {
		s.addProduct(place-s.base, shift, m, mult, x < 0)
		return nil
	}
	d := s.digits[place-s.base : place-s.base+3 : place-s.base+3]
	low, high := m<<shift, m>>(64-shift)
	if x < 0 {
		d[0] -= int64(uint32(low))
		d[1] -= int64(low >> digitBits)
		d[2] -= int64(high)
		return nil
	}
	d[0] += int64(uint32(low))
	d[1] += int64(low >> digitBits)
	d[2] += int64(high)
	return nil
}

// special takes what is no number, or infinite.
func (s *exactSum) special(x float64) {
	s.nan = s.nan || x != x
	s.plus = s.plus || x > 0
	s.minus = s.minus || x < 0
}

// addProduct adds m*mult at a digit.
func (s *exactSum) addProduct(at int, shift uint, m, mult uint64, negative bool) {
	hi, lo := bits.Mul64(m, mult)
	addWords(s.digits[at:], [...]uint64{lo << shift, hi<<shift | lo>>(64-shift), hi >> (64 - shift)}, negative)
}

// addWords adds or subtracts a number of 192 bits at the lowest digit.
func addWords(digits []int64, words [3]uint64, negative bool) {
	for i, w := range words {
		low, high := int64(uint32(w)), int64(w>>digitBits)
		if negative {
			low, high = -low, -high
		}
		digits[2*i] += low
		digits[2*i+1] += high
	}
}

// exactSumBytes is what an exactSum takes beside its digits.
const exactSumBytes = int64(unsafe.Sizeof(exactSum{}))

// widen makes room for some digits from a place on.
func (s *exactSum) widen(h *Account, place, width int) error {
	lo, hi := place, place+max(width, 4)
	if len(s.digits) > 0 {
		lo, hi = min(lo, s.base), max(hi, s.base+len(s.digits))
	}
	if err := h.Charge(8 * int64(hi-lo-len(s.digits))); err != nil {
		return err
	}
	wider := make([]int64, hi-lo)
	if len(s.digits) > 0 {
		copy(wider[s.base-lo:], s.digits)
	}
	s.digits, s.base = wider, lo
	return nil
}

// carry makes all digits but the highest one small.
func (s *exactSum) carry(h *Account) error {
	s.adds = 0
	if err := s.widen(h, s.base, min(len(s.digits)+2, maxDigits-s.base)); err != nil {
		return err
	}
	carryDigits(s.digits)
	for n := len(s.digits); n > 4 && s.digits[n-1] == 0; n-- {
		s.digits = s.digits[:n-1]
	}
	return nil
}

// carryDigits makes all digits but the highest one at least 0 and less than the base. The highest one has the sign of the number.
func carryDigits(digits []int64) {
	c := int64(0)
	for i := range digits[:len(digits)-1] {
		v := digits[i] + c
		digits[i], c = v&(1<<digitBits-1), v>>digitBits
	}
	digits[len(digits)-1] += c
}

// float returns the float nearest to the sum of the floats and of an integer, with three words of two's complement.
func (s *exactSum) float(lo, mid uint64, hi int64) float64 {
	switch {
	case s.nan || s.plus && s.minus:
		return math.NaN()
	case s.plus:
		return math.Inf(1)
	case s.minus:
		return math.Inf(-1)
	}
	var room [maxDigits]int64
	digits, negative := s.magnitude(&room, lo, mid, hi)
	f := roundDigits(digits)
	if negative {
		return -f
	}
	return f
}

// magnitude returns the digits of the absolute value of the sum, all in range, from the lowest place on.
func (s *exactSum) magnitude(room *[maxDigits]int64, lo, mid uint64, hi int64) (digits []int64, negative bool) {
	copy(room[s.base:], s.digits)
	if lo|mid|uint64(hi) != 0 {
		below := hi < 0
		if below {
			var b uint64
			lo, b = bits.Sub64(0, lo, 0)
			mid, b = bits.Sub64(0, mid, b)
			hi = -hi - int64(b)
		}
		const place, shift = -unitPower / digitBits, -unitPower % digitBits
		addWords(room[place:], [...]uint64{lo << shift, mid<<shift | lo>>(64-shift), uint64(hi)<<shift | mid>>(64-shift)}, below)
		addWords(room[place+6:], [...]uint64{uint64(hi) >> (64 - shift), 0, 0}, below)
	}
	carryDigits(room[:])
	if negative = room[maxDigits-1] < 0; negative {
		for i := range room {
			room[i] = -room[i]
		}
		carryDigits(room[:])
	}
	n := maxDigits
	for n > 0 && room[n-1] == 0 {
		n--
	}
	return room[:n], negative
}

// roundDigits returns the nearest float, an even one if two are near. All digits are in range and the highest one is not 0.
func roundDigits(digits []int64) float64 {
	n := len(digits)
	if n == 0 {
		return 0
	}
	at := func(i int) uint64 {
		if i < 0 {
			return 0
		}
		return uint64(digits[i])
	}
	top := at(n-1)<<digitBits | at(n-2)
	z := bits.LeadingZeros64(top)
	word := top<<z | at(n-3)<<digitBits>>(64-z)
	rest := at(n-3) << digitBits << z
	for i := 0; i < n-3 && rest == 0; i++ {
		rest = at(i)
	}
	if rest != 0 {
		word |= 1 // below the digits of a float: it tells a half from more than a half
	}
	// The result is exact where it is subnormal: the lowest place is the unit of those.
	return math.Ldexp(float64(word), unitPower+digitBits*(n-2)-z)
}

// mean returns the float nearest to the sum divided by n, where the sum itself may be too large for a float.
func (s *exactSum) mean(lo, mid uint64, hi int64, n uint64) float64 {
	var room [maxDigits]int64
	digits, negative := s.magnitude(&room, lo, mid, hi)
	sum := new(big.Int)
	for i := len(digits) - 1; i >= 0; i-- {
		sum.Lsh(sum, digitBits).Or(sum, big.NewInt(digits[i]))
	}
	if negative {
		sum.Neg(sum)
	}
	by := new(big.Int).SetUint64(n)
	mean, _ := new(big.Rat).SetFrac(sum, by.Lsh(by, -unitPower)).Float64()
	return mean
}
