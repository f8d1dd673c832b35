package temporal

import (
	"cmp"
	"math/big"
	"math/bits"
)

// Duration is an amount of time in parts that have no fixed relation to each other: a month is not a number of days, and a
// day not always 24 hours. Nanos is from 0 to 999999999, so that Seconds is rounded down. Equal durations are ==.
type Duration struct {
	Months, Days, Seconds int64
	Nanos                 int32
}

// Unit is a unit in which a duration is given.
type Unit int8

const (
	Years Unit = iota
	Quarters
	Months
	Weeks
	Days
	Hours
	Minutes
	Seconds
	Milliseconds
	Microseconds
	Nanoseconds
	units
)

// unitNames are the keys of duration({...}).
var unitNames = map[string]Unit{"years": Years, "quarters": Quarters, "months": Months, "weeks": Weeks, "days": Days, "hours": Hours,
	"minutes": Minutes, "seconds": Seconds, "milliseconds": Milliseconds, "microseconds": Microseconds, "nanoseconds": Nanoseconds}

// UnitOf finds a unit by its name.
func UnitOf(name string) (Unit, bool) {
	u, ok := unitNames[name]
	return u, ok
}

// Amounts is a number, or nil, of each unit.
type Amounts [units]*big.Rat

// monthSeconds is the mean length of a month, a twelfth of 365.2425 days.
const monthSeconds = 2_629_746

var perMonth = [units]int64{Years: 12, Quarters: 3, Months: 1}
var perDay = [units]int64{Weeks: 7, Days: 1}
var inNanos = [units]int64{Hours: 3600 * nanosPerSecond, Minutes: 60 * nanosPerSecond, Seconds: nanosPerSecond,
	Milliseconds: 1_000_000, Microseconds: 1000, Nanoseconds: 1}

// Duration adds the amounts up. What is not whole is handed down: a part of a month becomes days and seconds of its mean length, a part of a
// day seconds. Parts of nanoseconds are cut off.
func (a *Amounts) Duration() (Duration, error) {
	months, days, nanos := new(big.Rat), new(big.Rat), new(big.Rat)
	for u, r := range a {
		if r == nil {
			continue
		}
		switch {
		case perMonth[u] != 0:
			addScaled(months, r, perMonth[u])
		case perDay[u] != 0:
			addScaled(days, r, perDay[u])
		default:
			addScaled(nanos, r, inNanos[u])
		}
	}
	return spread(months, days, nanos)
}

func addScaled(sum, r *big.Rat, scale int64) {
	sum.Add(sum, new(big.Rat).Mul(r, new(big.Rat).SetInt64(scale)))
}

// spread makes a duration of parts that need not be whole.
func spread(months, days, nanos *big.Rat) (Duration, error) {
	whole, rest := truncate(months)
	rest.Mul(rest, big.NewRat(monthSeconds, secondsPerDay))
	ofMonth, rest := truncate(rest)
	wholeDays, restDays := truncate(days)
	wholeDays.Add(wholeDays, ofMonth)
	addScaled(nanos, rest, nanosPerDay)
	addScaled(nanos, restDays, nanosPerDay)
	n, _ := truncate(nanos)
	secs, sub := new(big.Int).DivMod(n, big.NewInt(nanosPerSecond), new(big.Int))
	if !whole.IsInt64() || !wholeDays.IsInt64() || !secs.IsInt64() {
		return Duration{}, ErrRange
	}
	return Duration{whole.Int64(), wholeDays.Int64(), secs.Int64(), int32(sub.Int64())}, nil
}

// truncate splits r into a whole number, cut towards zero, and the rest.
func truncate(r *big.Rat) (*big.Int, *big.Rat) {
	n := new(big.Int).Quo(r.Num(), r.Denom())
	return n, new(big.Rat).Sub(r, new(big.Rat).SetInt(n))
}

// Times is d times r.
func (d Duration) Times(r *big.Rat) (Duration, error) {
	months, days := new(big.Rat).SetInt64(d.Months), new(big.Rat).SetInt64(d.Days)
	nanos := new(big.Rat).SetInt64(int64(d.Nanos))
	addScaled(nanos, new(big.Rat).SetInt64(d.Seconds), nanosPerSecond)
	return spread(months.Mul(months, r), days.Mul(days, r), nanos.Mul(nanos, r))
}

// Plus is d + e, part by part.
func (d Duration) Plus(e Duration) (Duration, error) {
	nanos := int64(d.Nanos) + int64(e.Nanos)
	months, ok1 := add(d.Months, e.Months)
	days, ok2 := add(d.Days, e.Days)
	secs, ok3 := add(d.Seconds, e.Seconds)
	secs, ok4 := add(secs, nanos/nanosPerSecond)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return Duration{}, ErrRange
	}
	return Duration{months, days, secs, int32(nanos % nanosPerSecond)}, nil
}

func add(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0) || b == 0
}

const minInt = -1 << 63

// Negated is -d.
func (d Duration) Negated() (Duration, error) {
	if d.Months == minInt || d.Days == minInt || d.Seconds == minInt {
		return Duration{}, ErrRange
	}
	d.Months, d.Days, d.Seconds = -d.Months, -d.Days, -d.Seconds
	if d.Nanos > 0 {
		d.Seconds--
		d.Nanos = nanosPerSecond - d.Nanos
	}
	return d, nil
}

// CompareDurations orders by the length that durations have on average, and equally long ones by months, then days. It is 0 for
// equal durations only.
func CompareDurations(d, e Duration) int {
	dh, dl := d.length()
	eh, el := e.length()
	return cmp.Or(cmp.Compare(dh, eh), cmp.Compare(dl, el), cmp.Compare(d.Nanos, e.Nanos), cmp.Compare(d.Months, e.Months), cmp.Compare(d.Days, e.Days))
}

// length is the mean length in whole seconds, in 128 bits.
func (d Duration) length() (hi int64, lo uint64) {
	hi, lo = multiply(d.Months, monthSeconds)
	h, l := multiply(d.Days, secondsPerDay)
	lo, c := bits.Add64(lo, l, 0)
	hi += h + int64(c)
	lo, c = bits.Add64(lo, uint64(d.Seconds), 0)
	return hi + d.Seconds>>63 + int64(c), lo
}

func multiply(a int64, b uint64) (int64, uint64) {
	h, l := bits.Mul64(uint64(a), b)
	if a < 0 {
		h -= b
	}
	return int64(h), l
}

// DurationOf is a duration of seconds and nanoseconds, which may be any numbers.
func DurationOf(seconds, nanos int64) (Duration, error) {
	secs, ok := add(seconds, floorDiv(nanos, nanosPerSecond))
	if !ok {
		return Duration{}, ErrRange
	}
	return Duration{Seconds: secs, Nanos: int32(floorMod(nanos, nanosPerSecond))}, nil
}

// Plus moves p by a duration: by its months, then its days, then its seconds. A date takes whole days of the seconds, and a time no
// months and days.
func (p Point) Plus(d Duration) (Point, error) {
	var err error
	if p.Kind.HasDate() {
		if p.Day, err = addMonths(p.Day, d.Months); err != nil {
			return p, err
		}
		if p.Day, err = addDays(p.Day, d.Days); err != nil {
			return p, err
		}
	}
	if p.Kind == Date {
		secs := d.Seconds
		if secs < 0 && d.Nanos > 0 {
			secs++
		}
		p.Day, err = addDays(p.Day, secs/secondsPerDay)
		return p, err
	}
	if p.Zone != "" {
		z, err := zoneOf(p)
		if err != nil {
			return p, err
		}
		if d.Months != 0 || d.Days != 0 {
			if p, err = p.keepOffset(z); err != nil {
				return p, err
			}
		}
		if p, err = p.moveClock(d); err != nil {
			return p, err
		}
		return p.in(z)
	}
	return p.moveClock(d)
}

// keepOffset puts the local time of p into z, with the offset that p has where that is one of two it may have.
func (p Point) keepOffset(z zone) (Point, error) {
	if secs, _ := p.instant(); z.at(secs) == p.Offset {
		return p, nil
	}
	return z.local(p.Day, p.Nano)
}

// moveClock adds seconds and nanoseconds as if no clock were ever changed.
func (p Point) moveClock(d Duration) (Point, error) {
	nanos := p.Nano + floorMod(d.Seconds, secondsPerDay)*nanosPerSecond + int64(d.Nanos)
	days := floorDiv(d.Seconds, secondsPerDay) + nanos/nanosPerDay
	p.Nano = nanos % nanosPerDay
	if !p.Kind.HasDate() {
		return p, nil
	}
	var err error
	p.Day, err = addDays(p.Day, days)
	return p, err
}
