package temporal

import (
	"fmt"
	"math/big"
	"strings"
)

// parser reads a string from its front.
type parser struct{ rest string }

// digits reads exactly n decimal digits.
func (p *parser) digits(n int) (int64, bool) {
	if len(p.rest) < n {
		return 0, false
	}
	v := int64(0)
	for i := range n {
		c := p.rest[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	p.rest = p.rest[n:]
	return v, true
}

// run is how many digits stand at the front.
func (p *parser) run() int {
	return len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
}

func (p *parser) eat(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// Parse reads a value of kind k in any form of ISO 8601: the basic and the extended one, with calendar, week and ordinal dates, and with
// what is less than the whole: the first day, midnight, UTC.
func Parse(k Kind, s string) (Point, error) {
	v, err := parse(k, s)
	if err != nil {
		return v, fmt.Errorf("'%s' is not a %s: %w", s, k, err)
	}
	return v, nil
}

var examples = [...]string{Date: "2015-07-21", LocalTime: "21:40:32.142", Time: "21:40:32.142+01:00",
	LocalDateTime: "2015-07-21T21:40:32.142", DateTime: "2015-07-21T21:40:32.142+01:00[Europe/London]"}

func parse(k Kind, s string) (v Point, err error) {
	p := &parser{s}
	malformed := fmt.Errorf("one is written as %s", examples[k])
	v.Kind = k
	var ok bool
	if k.HasDate() {
		if v.Day, ok, err = p.date(); err != nil || !ok {
			return v, orElse(err, malformed)
		}
	}
	if k.HasTime() && (!k.HasDate() || p.eat('T') || p.eat('t')) {
		if v.Nano, ok, err = p.clock(); err != nil || !ok {
			return v, orElse(err, malformed)
		}
	}
	if k.HasZone() {
		return p.zoned(v, malformed)
	}
	if p.rest != "" {
		return v, malformed
	}
	return v, nil
}

func orElse(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// zoned reads the offset and the zone in brackets.
func (p *parser) zoned(v Point, malformed error) (Point, error) {
	z, given := zone{}, false
	if p.rest != "" && p.rest[0] != '[' {
		off, ok := p.offset()
		if !ok {
			return v, malformed
		}
		z.offset, given = off, true
	}
	if v.Kind == DateTime && p.eat('[') {
		name, rest, ok := strings.Cut(p.rest, "]")
		if !ok || rest != "" {
			return v, malformed
		}
		named, err := parseZone(name)
		if err != nil {
			return v, err
		}
		return v.resolve(named, z.offset, given)
	}
	if p.rest != "" {
		return v, malformed
	}
	v.Offset = z.offset
	return v, nil
}

// resolve puts the local time v into a zone; an offset that was given decides between two times that it may mean.
func (v Point) resolve(z zone, offset int32, given bool) (Point, error) {
	if !given {
		return z.local(v.Day, v.Nano)
	}
	v.Offset, v.Zone = offset, z.name()
	if secs, _ := v.instant(); z.at(secs) != offset {
		return v, fmt.Errorf("the offset %s is not one that %s has at this time", appendOffset(nil, offset), v.Zone)
	}
	return v, nil
}

// date reads a date: 2015-07-21, 20150721, 2015-07, 201507, 2015-W30-2, 2015W302, 2015-W30, 2015-202, 2015202, 2015, and years of
// other than four digits with a sign.
func (p *parser) date() (day int64, ok bool, err error) {
	year, ok := p.year()
	if !ok {
		return 0, false, nil
	}
	dashed := p.eat('-')
	if p.eat('W') {
		return p.week(year, dashed)
	}
	switch n := p.run(); {
	case n == 3:
		d, _ := p.digits(3)
		day, err = ordinalDay(year, d)
		return day, true, err
	case n == 4 && !dashed:
		m, _ := p.digits(2)
		d, _ := p.digits(2)
		day, err = calendarDay(year, m, d)
		return day, true, err
	case n == 2:
		m, _ := p.digits(2)
		d := int64(1)
		if dashed && p.eat('-') {
			if d, ok = p.digits(2); !ok {
				return 0, false, nil
			}
		}
		day, err = calendarDay(year, m, d)
		return day, true, err
	case n == 0 && !dashed:
		day, err = calendarDay(year, 1, 1)
		return day, true, err
	}
	return 0, false, nil
}

func (p *parser) year() (int64, bool) {
	sign := int64(1)
	n := 4
	if p.rest != "" && (p.rest[0] == '+' || p.rest[0] == '-') {
		if p.rest[0] == '-' {
			sign = -1
		}
		p.rest = p.rest[1:]
		n = min(p.run(), 10)
		if n < 4 {
			return 0, false
		}
	}
	y, ok := p.digits(n)
	return sign * y, ok
}

func (p *parser) week(year int64, dashed bool) (day int64, ok bool, err error) {
	week, ok := p.digits(2)
	if !ok {
		return 0, false, nil
	}
	d := int64(1)
	if dashed && p.eat('-') || !dashed && p.run() == 1 {
		if d, ok = p.digits(1); !ok {
			return 0, false, nil
		}
	}
	day, err = weekDay(year, week, d)
	return day, true, err
}

// clock reads a time: 21:40:32.142, 214032.142, 21:40, 2140, 21.
func (p *parser) clock() (nano int64, ok bool, err error) {
	hour, ok := p.digits(2)
	if !ok {
		return 0, false, nil
	}
	colon := p.eat(':')
	var minute, second, nanos int64
	if colon || p.run() > 0 {
		if minute, ok = p.digits(2); !ok {
			return 0, false, nil
		}
		if colon && p.eat(':') || !colon && p.run() > 0 {
			if second, ok = p.digits(2); !ok {
				return 0, false, nil
			}
			if nanos, ok = p.fraction(); !ok {
				return 0, false, nil
			}
		}
	}
	nano, err = clockNano(hour, minute, second, nanos)
	return nano, true, err
}

// fraction reads up to nine decimals, or nothing.
func (p *parser) fraction() (nanos int64, ok bool) {
	if !p.eat('.') && !p.eat(',') {
		return 0, true
	}
	n := p.run()
	if n == 0 || n > 9 {
		return 0, false
	}
	nanos, ok = p.digits(n)
	for ; n < 9; n++ {
		nanos *= 10
	}
	return nanos, ok
}

func clockNano(hour, minute, second, nanos int64) (int64, error) {
	if err := within("hour", hour, 0, 23); err != nil {
		return 0, err
	}
	if err := within("minute", minute, 0, 59); err != nil {
		return 0, err
	}
	if err := within("second", second, 0, 59); err != nil {
		return 0, err
	}
	return (hour*3600+minute*60+second)*nanosPerSecond + nanos, nil
}

// offset reads an offset from UTC: Z, +01:00, +0100, +01, +01:00:30.
func (p *parser) offset() (int32, bool) {
	if p.eat('Z') || p.eat('z') {
		return 0, true
	}
	sign := int64(1)
	if p.eat('-') {
		sign = -1
	} else if !p.eat('+') {
		return 0, false
	}
	var parts [3]int64
	var colon, ok bool
	for i := range parts {
		if i > 0 {
			if i == 1 {
				colon = p.eat(':')
			}
			if i == 1 && !colon && p.run() == 0 || i == 2 && (colon && !p.eat(':') || !colon && p.run() == 0) {
				break
			}
		}
		if parts[i], ok = p.digits(2); !ok || i > 0 && parts[i] > 59 {
			return 0, false
		}
	}
	off := sign * (parts[0]*3600 + parts[1]*60 + parts[2])
	return int32(off), off >= -maxOffset && off <= maxOffset
}

// ParseDuration reads P1Y2M3W4DT5H6M7.5S, where every number may have a sign and decimals, and P2012-02-02T14:37:21.545.
func ParseDuration(s string) (Duration, error) {
	d, ok, err := parseDuration(s)
	if err == nil && !ok {
		err = fmt.Errorf("one is written as P1Y2M3DT4H5M6.7S")
	}
	if err != nil {
		return d, fmt.Errorf("'%s' is not a duration: %w", s, err)
	}
	return d, nil
}

func parseDuration(s string) (d Duration, ok bool, err error) {
	p := &parser{s}
	negative := p.eat('-')
	if !negative {
		p.eat('+')
	}
	if !p.eat('P') {
		return d, false, nil
	}
	var sum Amounts
	if sum, ok = p.dated(); !ok {
		if sum, ok = p.designated(); !ok {
			return d, false, nil
		}
	}
	if negative {
		for i, r := range sum {
			if r != nil {
				sum[i] = new(big.Rat).Neg(r)
			}
		}
	}
	d, err = sum.Duration()
	return d, true, err
}

// dated reads the form that looks like a date and time; it leaves the parser alone where there is none.
func (p *parser) dated() (Amounts, bool) {
	q := *p
	var a Amounts
	y, ok := q.digits(4)
	if !ok || !q.eat('-') {
		return a, false
	}
	m, ok1 := q.digits(2)
	dash := q.eat('-')
	d, ok2 := q.digits(2)
	if !ok1 || !dash || !ok2 || m > 12 || d > 31 {
		return a, false
	}
	nano := int64(0)
	if q.eat('T') {
		var err error
		if nano, ok, err = q.clock(); err != nil || !ok {
			return a, false
		}
	}
	*p = q
	a[Years], a[Months], a[Days], a[Nanoseconds] = big.NewRat(y, 1), big.NewRat(m, 1), big.NewRat(d, 1), big.NewRat(nano, 1)
	return a, p.rest == ""
}

var (
	dateUnits  = map[byte]Unit{'Y': Years, 'M': Months, 'W': Weeks, 'D': Days}
	clockUnits = map[byte]Unit{'H': Hours, 'M': Minutes, 'S': Seconds}
)

// designated reads numbers each with the letter of its unit, in the order of the units.
func (p *parser) designated() (a Amounts, ok bool) {
	units, any, last := dateUnits, false, Unit(-1)
	for p.rest != "" {
		if units['D'] == Days && p.eat('T') {
			units, any = clockUnits, false
			continue
		}
		r, ok := p.number()
		if !ok || p.rest == "" {
			return a, false
		}
		u, known := units[p.rest[0]]
		if !known || u <= last {
			return a, false
		}
		p.rest = p.rest[1:]
		a[u], last, any = r, u, true
	}
	return a, any
}

// number reads a decimal number with at most 19 digits before and 18 after the point.
func (p *parser) number() (*big.Rat, bool) {
	q := *p
	if !q.eat('-') {
		q.eat('+')
	}
	n := q.run()
	if n == 0 || n > 19 {
		return nil, false
	}
	q.rest = q.rest[n:]
	if q.eat('.') || q.eat(',') {
		if n = q.run(); n == 0 || n > 18 {
			return nil, false
		}
		q.rest = q.rest[n:]
	}
	text := p.rest[:len(p.rest)-len(q.rest)]
	p.rest = q.rest
	return new(big.Rat).SetString(strings.Replace(strings.TrimPrefix(text, "+"), ",", ".", 1))
}
