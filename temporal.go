package motif

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
)

// Temporal is a Date, LocalTime, OffsetTime, LocalDateTime, DateTime or Duration. String writes it in the extended form of ISO
// 8601, which the language's functions date(), localtime(), time(), localdatetime(), datetime() and duration() read.
type Temporal interface {
	fmt.Stringer
	value() (value.Value, error)
}

// Date is a day of the proleptic Gregorian calendar, of the years -999999999 to 999999999.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// LocalTime is a time of the day without a zone.
type LocalTime struct{ Hour, Minute, Second, Nanosecond int }

// OffsetTime is a time of the day with an offset in seconds east of UTC. The language calls it time.
type OffsetTime struct {
	LocalTime
	Offset int
}

// LocalDateTime is a day and a time of it without a zone.
type LocalDateTime struct {
	Date
	LocalTime
}

// DateTime is an instant with its zone: a time.Location of an IANA name or a fixed offset.
type DateTime struct{ time.Time }

// Duration is an amount of time in parts without a fixed relation: months, days, and seconds with their Nanoseconds, which are from 0 to
// 999999999 and counted upwards from Seconds.
type Duration struct {
	Months, Days, Seconds int64
	Nanoseconds           int
}

func (d Date) point() (temporal.Point, error) {
	return temporal.Build(temporal.Date, temporal.Fields{Numbers: d.fields(map[string]int64{})}, temporal.Point{})
}

func (d Date) fields(m map[string]int64) map[string]int64 {
	m["year"], m["month"], m["day"] = int64(d.Year), int64(d.Month), int64(d.Day)
	return m
}

func (t LocalTime) fields(m map[string]int64) map[string]int64 {
	m["hour"], m["minute"], m["second"], m["nanosecond"] = int64(t.Hour), int64(t.Minute), int64(t.Second), int64(t.Nanosecond)
	return m
}

func (t LocalTime) point() (temporal.Point, error) {
	return temporal.Build(temporal.LocalTime, temporal.Fields{Numbers: t.fields(map[string]int64{})}, temporal.Point{})
}

func (t OffsetTime) point() (temporal.Point, error) {
	p, err := t.LocalTime.point()
	if err != nil {
		return p, err
	}
	p = p.As(temporal.Time)
	p.Offset = int32(t.Offset)
	if int(p.Offset) != t.Offset {
		return p, temporal.ErrRange
	}
	return p, p.Check()
}

func (t LocalDateTime) point() (temporal.Point, error) {
	f := temporal.Fields{Numbers: t.Date.fields(t.LocalTime.fields(map[string]int64{}))}
	return temporal.Build(temporal.LocalDateTime, f, temporal.Point{})
}

func (t DateTime) point() (temporal.Point, error) { return temporal.FromTime(t.Time) }

func (d Date) String() string          { return pointText(d.point()) }
func (t LocalTime) String() string     { return pointText(t.point()) }
func (t OffsetTime) String() string    { return pointText(t.point()) }
func (t LocalDateTime) String() string { return pointText(t.point()) }
func (t DateTime) String() string      { return pointText(t.point()) }

func (d Date) value() (value.Value, error)          { return pointValue(d.point()) }
func (t LocalTime) value() (value.Value, error)     { return pointValue(t.point()) }
func (t OffsetTime) value() (value.Value, error)    { return pointValue(t.point()) }
func (t LocalDateTime) value() (value.Value, error) { return pointValue(t.point()) }
func (t DateTime) value() (value.Value, error)      { return pointValue(t.point()) }

func pointText(p temporal.Point, err error) string {
	if err != nil {
		return "invalid: " + err.Error()
	}
	return p.String()
}

func pointValue(p temporal.Point, err error) (value.Value, error) { return value.OfPoint(p), err }

func (d Duration) value() (value.Value, error) {
	x, err := temporal.DurationOf(d.Seconds, int64(d.Nanoseconds))
	x.Months, x.Days = d.Months, d.Days
	return value.OfDuration(x), err
}

func (d Duration) String() string {
	v, err := d.value()
	if err != nil {
		return "invalid: " + err.Error()
	}
	return v.TemporalText()
}

// fromTemporal turns a value of kind Temporal into what users see.
func fromTemporal(v value.Value) Temporal {
	if d, ok := v.Duration(); ok {
		return Duration{d.Months, d.Days, d.Seconds, int(d.Nanos)}
	}
	p, _ := v.Point()
	get := func(name string) int {
		n, _ := p.Component(name)
		return int(n)
	}
	date := Date{get("year"), time.Month(get("month")), get("day")}
	clock := LocalTime{get("hour"), get("minute"), get("second"), get("nanosecond")}
	switch p.Kind {
	case temporal.Date:
		return date
	case temporal.LocalTime:
		return clock
	case temporal.Time:
		return OffsetTime{clock, int(p.Offset)}
	case temporal.LocalDateTime:
		return LocalDateTime{date, clock}
	}
	return DateTime{p.Time()}
}

// toTemporal turns the types of this file, and Go's time.Time and time.Duration, into a runtime value; known is false for other types.
func toTemporal(x any) (v value.Value, known bool, err error) {
	switch x := x.(type) {
	case Temporal:
		v, err = x.value()
	case time.Time:
		v, err = DateTime{x}.value()
	case time.Duration:
		v, err = Duration{Nanoseconds: int(x % time.Second), Seconds: int64(x / time.Second)}.value()
	default:
		return v, false, nil
	}
	return v, true, err
}

// goTime turns a DateTime into Go's time.Time, or a Duration into a time.Duration, if to is that type and holds it exactly.
func goTime(to reflect.Type, x any) (any, bool) {
	switch x := x.(type) {
	case DateTime:
		return x.Time, to == reflect.TypeFor[time.Time]()
	case Duration:
		const most = int64(math.MaxInt64 / time.Second)
		fits := x.Months == 0 && x.Days == 0 && -most < x.Seconds && x.Seconds < most
		return time.Duration(x.Seconds)*time.Second + time.Duration(x.Nanoseconds), fits && to == reflect.TypeFor[time.Duration]()
	}
	return nil, false
}
