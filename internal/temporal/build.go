package temporal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fields is what a point is built from: the numbers and values that a map such as {year: 2015, month: 7} gives.
type Fields struct {
	Numbers  map[string]int64
	Date     *Point // "date"
	Time     *Point // "time"
	DateTime *Point // "datetime"
	Zone     string // "timezone", or ""
}

// fieldNames has the names of numbers by their names in lower case.
var fieldNames = func() map[string]string {
	by := map[string]string{}
	for _, name := range slices.Concat(dateFields, timeFields, []string{"epochSeconds", "epochMillis"}) {
		by[strings.ToLower(name)] = name
	}
	return by
}()

// FieldName returns the name that Fields.Numbers has for a name in any letter case; "" if it has none.
func FieldName(name string) string { return fieldNames[strings.ToLower(name)] }

var (
	dateFields = []string{"year", "quarter", "month", "week", "day", "ordinalDay", "dayOfWeek", "dayOfQuarter"}
	timeFields = []string{"hour", "minute", "second", "millisecond", "microsecond", "nanosecond"}
)

func (f *Fields) first(names []string) (string, bool) {
	for _, n := range names {
		if _, ok := f.Numbers[n]; ok {
			return n, true
		}
	}
	return "", false
}

// get is a number, or another where it is not given.
func (f *Fields) get(name string, otherwise int64) int64 {
	if v, ok := f.Numbers[name]; ok {
		return v
	}
	return otherwise
}

func (f *Fields) has(name string) bool {
	_, ok := f.Numbers[name]
	return ok
}

// Build makes a value of kind k. It first takes over the values that f selects from. The numbers then replace what they name, in the
// zone of the selected time. Last, the result moves to the zone that f names. now gives the zone's offset to a Time without a date.
func Build(k Kind, f Fields, now Point) (Point, error) {
	if err := f.check(k); err != nil {
		return Point{}, err
	}
	if f.has("epochSeconds") || f.has("epochMillis") {
		return f.fromEpoch()
	}
	p, hasDate, hasTime, err := f.base(k)
	if err != nil {
		return Point{}, err
	}
	if k.HasDate() {
		if p.Day, err = f.day(p.Day, hasDate); err != nil {
			return Point{}, err
		}
	}
	if k.HasTime() {
		if p.Nano, err = f.nano(p.Nano, hasTime); err != nil {
			return Point{}, err
		}
	}
	if !k.HasZone() {
		return p.As(k), nil
	}
	if k == DateTime {
		if p, err = p.settled(); err != nil {
			return p, err
		}
	}
	if p, err = f.moved(k, p, hasTime && p.Kind == DateTime, now); err != nil {
		return p, err
	}
	p.Kind = DateTime // keeps the offset
	return p.As(k), nil
}

// settled gives p the offset that its zone has at its local time. A local time may occur twice, when clocks are set back: p then
// keeps its offset.
func (p Point) settled() (Point, error) {
	z, err := zoneOf(p)
	if err != nil || p.Kind == DateTime && z.at(unixOf(p)) == p.Offset {
		return p, err
	}
	q, err := z.local(p.Day, p.Nano)
	q.Kind = p.Kind
	return q, err
}

// moved puts p into the zone that f names. A p that has a zone of its own keeps its instant, any other its local time.
func (f *Fields) moved(k Kind, p Point, zoned bool, now Point) (Point, error) {
	if f.Zone == "" {
		return p, nil
	}
	z, err := parseZone(f.Zone)
	switch {
	case err != nil:
		return p, err
	case zoned:
		return p.in(z)
	case k == Time:
		p.Offset = z.at(unixOf(now))
		return p, nil
	}
	return z.local(p.Day, p.Nano)
}

func unixOf(p Point) int64 { s, _ := p.instant(); return s }

// check refuses what a value of kind k does not have.
func (f *Fields) check(k Kind) error {
	if name, ok := f.first(dateFields); ok && !k.HasDate() {
		return fmt.Errorf("a %s has no %s", k, name)
	}
	if name, ok := f.first(timeFields); ok && !k.HasTime() {
		return fmt.Errorf("a %s has no %s", k, name)
	}
	if name, ok := f.first([]string{"epochSeconds", "epochMillis"}); ok && k != DateTime {
		return fmt.Errorf("a %s has no %s", k, name)
	}
	if f.Zone != "" && !k.HasZone() {
		return fmt.Errorf("a %s has no timezone", k)
	}
	if f.DateTime != nil && (f.Date != nil || f.Time != nil) {
		return errors.New("a datetime stands beside a date or time to select from")
	}
	return nil
}

func (f *Fields) fromEpoch() (Point, error) {
	nanos := f.get("nanosecond", 0)
	if nanos < 0 || nanos >= nanosPerSecond {
		return Point{}, within("nanosecond", nanos, 0, nanosPerSecond-1)
	}
	secs := f.get("epochSeconds", 0)
	if f.has("epochMillis") {
		ms := f.get("epochMillis", 0)
		secs, nanos = floorDiv(ms, 1000), floorMod(ms, 1000)*1_000_000+nanos%1_000_000
	}
	p, err := FromUnix(secs, nanos)
	if err != nil || f.Zone == "" {
		return p, err
	}
	z, err := parseZone(f.Zone)
	if err != nil {
		return p, err
	}
	return p.in(z)
}

// base puts together what is selected from other values.
func (f *Fields) base(k Kind) (p Point, hasDate, hasTime bool, err error) {
	date, clock := f.Date, f.Time
	if f.DateTime != nil {
		date, clock = f.DateTime, f.DateTime
	}
	p.Kind = k
	if date != nil {
		if !date.Kind.HasDate() {
			return p, false, false, fmt.Errorf("a %s has no date", date.Kind)
		}
		p.Day, hasDate = date.Day, true
	}
	if clock != nil {
		if !clock.Kind.HasTime() {
			return p, false, false, fmt.Errorf("a %s has no time", clock.Kind)
		}
		p.Nano, p.Offset, p.Zone, hasTime = clock.Nano, clock.Offset, clock.Zone, true
		if clock.Kind.HasZone() {
			p.Kind = DateTime // it may be moved to another zone
		} else {
			p.Kind = LocalDateTime
		}
		if k == Time && clock.Kind == DateTime { // its offset is that of its day
			p.Day = clock.Day
		}
	}
	return p, hasDate, hasTime, nil
}

// day is the day that the numbers name; what they leave open is as in base or else the first.
func (f *Fields) day(base int64, known bool) (int64, error) {
	year, month, ofMonth := civil(base)
	or := func(v int64, first int64) int64 {
		if known {
			return v
		}
		return first
	}
	if !known && !f.has("year") {
		if name, ok := f.first(dateFields); ok {
			return 0, fmt.Errorf("a %s needs a year", name)
		}
		return 0, errors.New("the year is missing")
	}
	if err := f.oneCalendar(); err != nil {
		return 0, err
	}
	y := f.get("year", year)
	switch {
	case f.has("week"), f.has("dayOfWeek"):
		weekYear, week := isoWeek(base)
		if !known && !f.has("week") {
			return 0, errors.New("a dayOfWeek needs a week")
		}
		return weekDay(f.get("year", weekYear), f.get("week", int64(week)), f.get("dayOfWeek", or(int64(weekday(base)), 1)))
	case f.has("quarter"), f.has("dayOfQuarter"):
		if !known && !f.has("quarter") {
			return 0, errors.New("a dayOfQuarter needs a quarter")
		}
		q := (month + 2) / 3
		return quarterDay(y, f.get("quarter", int64(q)), f.get("dayOfQuarter", or(base-quarterStart(year, q)+1, 1)))
	case f.has("ordinalDay"):
		return ordinalDay(y, f.get("ordinalDay", 1))
	}
	if !known && f.has("day") && !f.has("month") {
		return 0, errors.New("a day needs a month")
	}
	return calendarDay(y, f.get("month", or(int64(month), 1)), f.get("day", or(int64(ofMonth), 1)))
}

// oneCalendar refuses numbers of two calendars, such as a month beside a week.
func (f *Fields) oneCalendar() error {
	calendars := [][]string{{"month", "day"}, {"week", "dayOfWeek"}, {"quarter", "dayOfQuarter"}, {"ordinalDay"}}
	used := ""
	for _, names := range calendars {
		name, ok := f.first(names)
		if !ok {
			continue
		}
		if used != "" {
			return fmt.Errorf("a date is not given by both a %s and a %s", used, name)
		}
		used = name
	}
	return nil
}

// nano is the time of the day that the numbers name.
func (f *Fields) nano(base int64, known bool) (int64, error) {
	finest := ""
	for i, name := range timeFields {
		if f.has(name) && i < 3 {
			if i > 0 && !known && !f.has(timeFields[i-1]) {
				return 0, fmt.Errorf("a %s needs a %s", name, timeFields[i-1])
			}
			finest = name
		}
	}
	sub, given, err := f.subsecond()
	if err != nil {
		return 0, err
	}
	if given && !known && finest != "second" {
		return 0, errors.New("parts of a second need a second")
	}
	if !given {
		sub = base % nanosPerSecond
	}
	return clockNano(f.get("hour", ofTime["hour"](base)), f.get("minute", ofTime["minute"](base)), f.get("second", ofTime["second"](base)), sub)
}

// subsecond adds milliseconds, microseconds and nanoseconds up. Beside a coarser unit a finer one is below its next.
func (f *Fields) subsecond() (nanos int64, given bool, err error) {
	limit := int64(nanosPerSecond)
	for _, u := range []struct {
		name string
		size int64
	}{{"millisecond", 1_000_000}, {"microsecond", 1000}, {"nanosecond", 1}} {
		if !f.has(u.name) {
			continue
		}
		v := f.get(u.name, 0)
		if err := within(u.name, v, 0, limit/u.size-1); err != nil {
			return 0, false, err
		}
		nanos, given, limit = nanos+v*u.size, true, u.size
	}
	return nanos, given, nil
}
