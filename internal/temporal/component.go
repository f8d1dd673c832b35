package temporal

import (
	"maps"
	"slices"
)

// Components are the names of what a Point of kind k can be asked for, in order of the alphabet.
func Components(k Kind) []string {
	var names []string
	if k.HasDate() {
		names = slices.Collect(maps.Keys(ofDate))
	}
	if k.HasTime() {
		names = slices.AppendSeq(names, maps.Keys(ofTime))
	}
	if k.HasZone() {
		names = slices.AppendSeq(names, maps.Keys(ofOffset))
		names = append(names, "timezone", "offset")
	}
	if k == DateTime {
		names = append(names, "epochSeconds", "epochMillis")
	}
	slices.Sort(names)
	return names
}

var ofDate = map[string]func(day int64) int64{
	"year":         func(n int64) int64 { y, _, _ := civil(n); return y },
	"quarter":      func(n int64) int64 { _, m, _ := civil(n); return int64(m+2) / 3 },
	"month":        func(n int64) int64 { _, m, _ := civil(n); return int64(m) },
	"week":         func(n int64) int64 { _, w := isoWeek(n); return int64(w) },
	"weekYear":     func(n int64) int64 { y, _ := isoWeek(n); return y },
	"day":          func(n int64) int64 { _, _, d := civil(n); return int64(d) },
	"ordinalDay":   func(n int64) int64 { y, _, _ := civil(n); return n - dayOf(y, 1, 1) + 1 },
	"weekDay":      func(n int64) int64 { return int64(weekday(n)) },
	"dayOfWeek":    func(n int64) int64 { return int64(weekday(n)) },
	"dayOfQuarter": func(n int64) int64 { y, m, _ := civil(n); return n - quarterStart(y, (m+2)/3) + 1 },
}

var ofTime = map[string]func(nano int64) int64{
	"hour":        func(n int64) int64 { return n / (3600 * nanosPerSecond) },
	"minute":      func(n int64) int64 { return n / (60 * nanosPerSecond) % 60 },
	"second":      func(n int64) int64 { return n / nanosPerSecond % 60 },
	"millisecond": func(n int64) int64 { return n % nanosPerSecond / 1_000_000 },
	"microsecond": func(n int64) int64 { return n % nanosPerSecond / 1000 },
	"nanosecond":  func(n int64) int64 { return n % nanosPerSecond },
}

var ofOffset = map[string]func(offset int32) int64{
	"offsetMinutes": func(off int32) int64 { return int64(off / 60) },
	"offsetSeconds": func(off int32) int64 { return int64(off) },
}

// Component is a number that p is made of, such as its year. It is false for what p does not have.
func (p Point) Component(name string) (int64, bool) {
	if f := ofDate[name]; f != nil && p.Kind.HasDate() {
		return f(p.Day), true
	}
	if f := ofTime[name]; f != nil && p.Kind.HasTime() {
		return f(p.Nano), true
	}
	if f := ofOffset[name]; f != nil && p.Kind.HasZone() {
		return f(p.Offset), true
	}
	if p.Kind == DateTime {
		secs, nanos := p.instant()
		switch name {
		case "epochSeconds":
			return secs, true
		case "epochMillis":
			return secs*1000 + nanos/1_000_000, true
		}
	}
	return 0, false
}

// Text is a component that is a string: the timezone, by its name if it has one, or the offset.
func (p Point) Text(name string) (string, bool) {
	switch {
	case !p.Kind.HasZone():
	case name == "timezone" && p.Zone != "":
		return p.Zone, true
	case name == "timezone", name == "offset":
		return string(appendOffset(nil, p.Offset)), true
	}
	return "", false
}

var ofDuration = map[string]func(d Duration) (int64, bool){
	"years":           func(d Duration) (int64, bool) { return d.Months / 12, true },
	"quarters":        func(d Duration) (int64, bool) { return d.Months / 3, true },
	"months":          func(d Duration) (int64, bool) { return d.Months, true },
	"weeks":           func(d Duration) (int64, bool) { return d.Days / 7, true },
	"days":            func(d Duration) (int64, bool) { return d.Days, true },
	"hours":           func(d Duration) (int64, bool) { return d.Seconds / 3600, true },
	"minutes":         func(d Duration) (int64, bool) { return d.Seconds / 60, true },
	"seconds":         func(d Duration) (int64, bool) { return d.Seconds, true },
	"milliseconds":    func(d Duration) (int64, bool) { return d.scaled(1000) },
	"microseconds":    func(d Duration) (int64, bool) { return d.scaled(1_000_000) },
	"nanoseconds":     func(d Duration) (int64, bool) { return d.scaled(nanosPerSecond) },
	"quartersOfYear":  func(d Duration) (int64, bool) { return d.Months / 3 % 4, true },
	"monthsOfQuarter": func(d Duration) (int64, bool) { return d.Months % 3, true },
	"monthsOfYear":    func(d Duration) (int64, bool) { return d.Months % 12, true },
	"daysOfWeek":      func(d Duration) (int64, bool) { return d.Days % 7, true },
	"minutesOfHour":   func(d Duration) (int64, bool) { return d.Seconds / 60 % 60, true },
	"secondsOfMinute": func(d Duration) (int64, bool) { return d.Seconds % 60, true },

	"millisecondsOfSecond": func(d Duration) (int64, bool) { return int64(d.Nanos) / 1_000_000, true },
	"microsecondsOfSecond": func(d Duration) (int64, bool) { return int64(d.Nanos) / 1000, true },
	"nanosecondsOfSecond":  func(d Duration) (int64, bool) { return int64(d.Nanos), true },
}

// scaled is the seconds in units of which a second has n.
func (d Duration) scaled(n int64) (int64, bool) {
	v := d.Seconds * n
	if v/n != d.Seconds {
		return 0, false
	}
	return add(v, int64(d.Nanos)/(nanosPerSecond/n))
}

// DurationComponents are the names of what a duration can be asked for, in order of the alphabet.
func DurationComponents() []string { return slices.Sorted(maps.Keys(ofDuration)) }

// Component is a number that d is made of: known says that there is a component of this name; the error is ErrRange.
func (d Duration) Component(name string) (n int64, known bool, err error) {
	f := ofDuration[name]
	if f == nil {
		return 0, false, nil
	}
	n, ok := f(d)
	if !ok {
		err = ErrRange
	}
	return n, true, err
}
