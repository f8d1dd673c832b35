package temporal

import (
	"strconv"
	"strings"
)

// String writes p in the extended form of ISO 8601: 2015-07-21T21:40:32.142+01:00[Europe/London]. Seconds, and their fraction, are
// written where they are not zero. Parse reads what it writes.
func (p Point) String() string { return string(p.Append(nil)) }

// Append appends what String writes.
func (p Point) Append(b []byte) []byte {
	if p.Kind.HasDate() {
		b = appendDate(b, p.Day)
	}
	if p.Kind == LocalDateTime || p.Kind == DateTime {
		b = append(b, 'T')
	}
	if p.Kind.HasTime() {
		b = appendClock(b, p.Nano)
	}
	if p.Kind.HasZone() {
		b = appendOffset(b, p.Offset)
	}
	if p.Zone != "" {
		b = append(append(append(b, '['), p.Zone...), ']')
	}
	return b
}

func appendDate(b []byte, n int64) []byte {
	year, month, day := civil(n)
	switch {
	case year < 0:
		b, year = append(b, '-'), -year
	case year > 9999:
		b = append(b, '+')
	}
	b = appendPadded(b, year, 4)
	b = appendPadded(append(b, '-'), int64(month), 2)
	return appendPadded(append(b, '-'), int64(day), 2)
}

func appendPadded(b []byte, n int64, width int) []byte {
	s := strconv.FormatInt(n, 10)
	for i := len(s); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, s...)
}

func appendClock(b []byte, nano int64) []byte {
	secs, nanos := nano/nanosPerSecond, nano%nanosPerSecond
	b = appendPadded(b, secs/3600, 2)
	b = appendPadded(append(b, ':'), secs/60%60, 2)
	if secs%60 == 0 && nanos == 0 {
		return b
	}
	b = appendPadded(append(b, ':'), secs%60, 2)
	return appendFraction(b, nanos)
}

// appendFraction appends nanoseconds as a decimal fraction without zeros at its end, or nothing.
func appendFraction(b []byte, nanos int64) []byte {
	if nanos == 0 {
		return b
	}
	b = appendPadded(append(b, '.'), nanos, 9)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

func appendOffset(b []byte, off int32) []byte {
	switch {
	case off == 0:
		return append(b, 'Z')
	case off < 0:
		b, off = append(b, '-'), -off
	default:
		b = append(b, '+')
	}
	b = appendPadded(b, int64(off/3600), 2)
	b = appendPadded(append(b, ':'), int64(off/60%60), 2)
	if off%60 != 0 {
		b = appendPadded(append(b, ':'), int64(off%60), 2)
	}
	return b
}

// String writes d as ISO 8601 does, with a sign before each number that is negative: P1Y2M3DT4H5M6.5S.
func (d Duration) String() string {
	var b strings.Builder
	b.WriteByte('P')
	put := func(n int64, unit byte) {
		if n != 0 {
			b.WriteString(strconv.FormatInt(n, 10))
			b.WriteByte(unit)
		}
	}
	put(d.Months/12, 'Y')
	put(d.Months%12, 'M')
	put(d.Days, 'D')
	secs, nanos := d.Seconds, int64(d.Nanos)
	negative := secs < 0
	if negative && nanos > 0 { // towards zero
		secs, nanos = secs+1, nanosPerSecond-nanos
	}
	if secs != 0 || nanos != 0 {
		b.WriteByte('T')
	}
	put(secs/3600, 'H')
	put(secs/60%60, 'M')
	if rest := secs % 60; rest != 0 || nanos != 0 {
		if negative && rest == 0 {
			b.WriteByte('-')
		}
		b.Write(appendFraction(strconv.AppendInt(nil, rest, 10), nanos))
		b.WriteByte('S')
	}
	if b.Len() == 1 {
		return "PT0S"
	}
	return b.String()
}
