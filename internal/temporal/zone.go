package temporal

import (
	"fmt"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones are known on machines that have no data base of them
)

// maxOffset is the largest distance from UTC in seconds: 18 hours.
const maxOffset = 18 * 3600

var locations sync.Map // name -> *time.Location

// location finds an IANA zone.
func location(name string) (*time.Location, error) {
	if l, ok := locations.Load(name); ok {
		return l.(*time.Location), nil
	}
	l, err := time.LoadLocation(strings.ReplaceAll(name, " ", "_"))
	if err != nil || name == "" || name == "Local" {
		return nil, fmt.Errorf("there is no time zone '%s'; zones are written as +01:00, Z or Europe/Stockholm", name)
	}
	locations.Store(name, l)
	return l, nil
}

// zone is an offset from UTC or, where loc is set, a region's rules.
type zone struct {
	offset int32
	loc    *time.Location
}

var utc = zone{}

// parseZone reads an offset or the name of a zone.
func parseZone(s string) (zone, error) {
	if s != "" && (s[0] == '+' || s[0] == '-' || s == "Z" || s == "z") {
		p := parser{rest: s}
		off, ok := p.offset()
		if !ok || p.rest != "" {
			return utc, fmt.Errorf("'%s' is not an offset from UTC; one is written as +01:00 or Z", s)
		}
		return zone{offset: off}, nil
	}
	l, err := location(s)
	return zone{loc: l}, err
}

// zoneOf is the zone of a point. That of a point without one is UTC.
func zoneOf(p Point) (zone, error) {
	if p.Zone == "" {
		return zone{offset: p.Offset}, nil
	}
	l, err := location(p.Zone)
	return zone{loc: l}, err
}

// at is the offset at an instant.
func (z zone) at(unix int64) int32 {
	if z.loc == nil {
		return z.offset
	}
	_, off := time.Unix(unix, 0).In(z.loc).Zone()
	return int32(off)
}

func (z zone) name() string {
	if z.loc == nil {
		return ""
	}
	return z.loc.String()
}

// local makes a datetime of a local date and time. A time that the clocks skip is moved on by what they skip, and of two that
// a time may mean the earlier is taken.
func (z zone) local(day, nano int64) (Point, error) {
	p := Point{Kind: DateTime, Day: day, Nano: nano, Offset: z.offset, Zone: z.name()}
	if z.loc == nil {
		return p, nil
	}
	secs := day*secondsPerDay + nano/nanosPerSecond
	before, after := z.at(secs-secondsPerDay), z.at(secs+secondsPerDay)
	for _, off := range []int32{before, after} {
		if z.at(secs-int64(off)) == off {
			p.Offset = off
			return p, nil
		}
	}
	p.Offset = before
	return p.in(z)
}

// in is the same instant in another zone.
func (p Point) in(z zone) (Point, error) {
	secs, nanos := p.instant()
	off := z.at(secs)
	secs += int64(off)
	p.Day, p.Nano, p.Offset, p.Zone = floorDiv(secs, secondsPerDay), floorMod(secs, secondsPerDay)*nanosPerSecond+nanos, off, z.name()
	if p.Kind == Time {
		p.Day, p.Zone = 0, ""
	}
	if p.Day < minDay || p.Day > maxDay {
		return p, ErrRange
	}
	return p, nil
}

// FromUnix is the datetime of an instant in UTC.
func FromUnix(seconds, nanos int64) (Point, error) {
	s := seconds + floorDiv(nanos, nanosPerSecond)
	if (s > seconds) != (nanos > 0) && floorDiv(nanos, nanosPerSecond) != 0 {
		return Point{}, ErrRange
	}
	day := floorDiv(s, secondsPerDay)
	p := Point{Kind: DateTime, Day: day, Nano: floorMod(s, secondsPerDay)*nanosPerSecond + floorMod(nanos, nanosPerSecond)}
	if day < minDay || day > maxDay {
		return p, ErrRange
	}
	return p, nil
}

// FromTime is t as a datetime with its zone where that has an IANA name, else with its offset.
func FromTime(t time.Time) (Point, error) {
	p, err := FromUnix(t.Unix(), int64(t.Nanosecond()))
	if err != nil {
		return p, err
	}
	_, off := t.Zone()
	z := zone{offset: int32(off)}
	if name := t.Location().String(); name != "" && name != "Local" && name != "UTC" {
		if l, err := location(name); err == nil && (zone{loc: l}).at(t.Unix()) == int32(off) {
			z.loc = l
		}
	}
	if off < -maxOffset || off > maxOffset {
		return p, fmt.Errorf("the offset %d s is more than 18 hours", off)
	}
	return p.in(z)
}

// Time is a datetime as Go has it. Points of other kinds count as UTC, times as of 1970-01-01.
func (p Point) Time() time.Time {
	secs, nanos := p.instant()
	t := time.Unix(secs, nanos)
	if p.Zone != "" {
		if l, err := location(p.Zone); err == nil {
			return t.In(l)
		}
	}
	if p.Offset == 0 {
		return t.UTC()
	}
	return t.In(time.FixedZone("", int(p.Offset)))
}

// Now is the datetime of t in a zone, which "" leaves at UTC.
func Now(t time.Time, zoneName string) (Point, error) {
	p, err := FromUnix(t.Unix(), int64(t.Nanosecond()))
	if err != nil || zoneName == "" {
		return p, err
	}
	z, err := parseZone(zoneName)
	if err != nil {
		return p, err
	}
	return p.in(z)
}
