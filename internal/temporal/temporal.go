// Package temporal holds the dates, times and durations of the query language. Text and fields go in; values come out that
// can be compared, added, truncated and printed. Its calendar is the proleptic Gregorian one of the years -999999999 to
// 999999999. Times are exact to the nanosecond, and time zones are offsets or IANA names. It never reads the clock.
package temporal

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Kind says which of the five types of instant a Point is.
type Kind uint8

const (
	Date Kind = iota + 1
	LocalTime
	Time
	LocalDateTime
	DateTime
)

var kindNames = [...]string{Date: "date", LocalTime: "local time", Time: "time", LocalDateTime: "local datetime", DateTime: "datetime"}

// String is the name of k as error messages write it.
func (k Kind) String() string { return kindNames[k] }

// HasDate and HasTime tell what a value of kind k knows; HasZone whether it knows an offset.
func (k Kind) HasDate() bool { return k == Date || k == LocalDateTime || k == DateTime }
func (k Kind) HasTime() bool { return k != Date }
func (k Kind) HasZone() bool { return k == Time || k == DateTime }

// Point is a date, a time or both. The fields that its kind does not have are zero, so that equal points are ==.
// Points that name the same instant in different zones are not equal.
type Point struct {
	Kind   Kind
	Day    int64  // days since 1970-01-01, of the local date
	Nano   int64  // nanoseconds since local midnight
	Offset int32  // seconds east of UTC
	Zone   string // the IANA name of a DateTime's zone, or ""
}

const (
	nanosPerSecond = 1_000_000_000
	secondsPerDay  = 86_400
	nanosPerDay    = secondsPerDay * nanosPerSecond
)

// ErrRange says that a result lies outside the years -999999999 to 999999999 or, for a duration, outside 64 bits.
var ErrRange = errors.New("the result is out of range")

// instant is the time that passed since 1970-01-01T00:00Z, or since midnight in UTC for a Time. A point without an offset counts as UTC.
func (p Point) instant() (seconds, nanos int64) {
	return p.Day*secondsPerDay + p.Nano/nanosPerSecond - int64(p.Offset), p.Nano % nanosPerSecond
}

// Compare orders points of one kind by the instant, then by the offset from west to east and then by the name of the zone. It is 0 for
// equal points only. Points of different kinds are ordered datetimes, local datetimes, dates, times, local times.
func Compare(p, q Point) int {
	if p.Kind != q.Kind {
		return cmp.Compare(kindOrder[p.Kind], kindOrder[q.Kind])
	}
	s, n := p.instant()
	t, m := q.instant()
	return cmp.Or(cmp.Compare(s, t), cmp.Compare(n, m), cmp.Compare(p.Offset, q.Offset), strings.Compare(p.Zone, q.Zone))
}

var kindOrder = [...]uint8{DateTime: 0, LocalDateTime: 1, Date: 2, Time: 3, LocalTime: 4}

// Check tells whether p is a point that this package can have made, for points that were read from a file.
func (p Point) Check() error {
	bad := func() error { return fmt.Errorf("this is not a %s", p.Kind) }
	switch {
	case p.Kind < Date || p.Kind > DateTime:
		return errors.New("unknown kind of temporal value")
	case p.Day < minDay || p.Day > maxDay, p.Nano < 0 || p.Nano >= nanosPerDay, p.Offset < -maxOffset || p.Offset > maxOffset:
		return bad()
	case !p.Kind.HasDate() && p.Day != 0, !p.Kind.HasTime() && p.Nano != 0, !p.Kind.HasZone() && p.Offset != 0, p.Kind != DateTime && p.Zone != "":
		return bad()
	}
	return nil
}

// As turns p into a value of another kind: what p does not know is midnight, 1970-01-01 or UTC.
func (p Point) As(k Kind) Point {
	p.Kind = k
	if k != DateTime {
		p.Zone = ""
	}
	if !k.HasDate() {
		p.Day = 0
	}
	if !k.HasTime() {
		p.Nano = 0
	}
	if !k.HasZone() {
		p.Offset = 0
	}
	return p
}
