package temporal

import (
	"fmt"
	"slices"
)

// TruncateUnits are the units that Truncate knows, from the largest to the smallest.
var TruncateUnits = []string{"millennium", "century", "decade", "year", "weekYear", "quarter", "month", "week", "day",
	"hour", "minute", "second", "millisecond", "microsecond"}

// Truncate sets everything of p that is smaller than unit to its first value, makes a value of kind k of it and then
// replaces what the fields name; a zone that they name does not change the local time. now gives the zone's offset to a Time
// without a date.
func Truncate(k Kind, unit string, p Point, f Fields, now Point) (Point, error) {
	at := slices.Index(TruncateUnits, unit)
	day := slices.Index(TruncateUnits, "day")
	switch {
	case at < 0:
		return p, fmt.Errorf("'%s' is not a unit to truncate to; the units are %v", unit, TruncateUnits)
	case at > day && (!k.HasTime() || !p.Kind.HasTime()), at < day && (!k.HasDate() || !p.Kind.HasDate()):
		return p, fmt.Errorf("a %s cannot be truncated to a %s in units of a %s", p.Kind, k, unit)
	case k.HasDate() && !p.Kind.HasDate():
		return p, fmt.Errorf("a %s has no date", p.Kind)
	}
	if at <= day {
		p.Day, p.Nano = truncateDay(p.Day, unit), 0
	} else {
		p.Nano -= p.Nano % clockUnit[unit]
	}
	if p.Day < minDay {
		return p, ErrRange
	}
	if !p.Kind.HasTime() {
		p = p.As(LocalDateTime)
	}
	return replaced(k, unit, p, f, now)
}

// replaced puts the fields in. Those below a truncated part of a second count on top of it.
func replaced(k Kind, unit string, p Point, f Fields, now Point) (Point, error) {
	if part, ok := p.Component(unit); ok && (unit == "millisecond" && (f.has("microsecond") || f.has("nanosecond")) || unit == "microsecond" && f.has("nanosecond")) {
		f.Numbers[unit] = part
	}
	local, zoneName := p.As(LocalDateTime), f.Zone
	f.Zone = ""
	if p.Kind.HasDate() {
		f.Date = &local
	}
	f.Time = &local
	if !k.HasTime() {
		f.Time = nil
	}
	q, err := Build(k, f, Point{})
	if err != nil || !k.HasZone() {
		return q, err
	}
	if zoneName == "" {
		q.Offset, q.Zone = p.Offset, p.Zone
		if k == DateTime {
			q, err = q.settled()
		}
		return q.As(k), err
	}
	z, err := parseZone(zoneName)
	switch {
	case err != nil:
		return q, err
	case k == DateTime:
		return z.local(q.Day, q.Nano)
	case p.Kind.HasDate():
		with, err := z.local(p.Day, q.Nano)
		return with.As(Time), err
	}
	q.Offset = z.at(unixOf(now))
	return q, nil
}

var clockUnit = map[string]int64{"hour": 3600 * nanosPerSecond, "minute": 60 * nanosPerSecond, "second": nanosPerSecond,
	"millisecond": 1_000_000, "microsecond": 1000}

var yearUnit = map[string]int64{"millennium": 1000, "century": 100, "decade": 10, "year": 1}

func truncateDay(n int64, unit string) int64 {
	year, month, _ := civil(n)
	switch unit {
	case "weekYear":
		y, _ := isoWeek(n)
		return firstWeek(y)
	case "quarter":
		return quarterStart(year, (month+2)/3)
	case "month":
		return dayOf(year, month, 1)
	case "week":
		return n - int64(weekday(n)-1)
	case "day":
		return n
	}
	return dayOf(floorDiv(year, yearUnit[unit])*yearUnit[unit], 1, 1)
}
