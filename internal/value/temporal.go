package value

import (
	"encoding/binary"
	"fmt"

	"github.com/motifql/motif/internal/temporal"
)

// OfPoint and OfDuration make values of kind Temporal.
func OfPoint(p temporal.Point) Value       { return Value{0, &p} }
func OfDuration(d temporal.Duration) Value { return Value{0, &d} }

// Point is the date or time that v is, of a value of kind Temporal; false for a duration.
func (v Value) Point() (temporal.Point, bool) {
	if p, ok := v.ref.(*temporal.Point); ok {
		return *p, true
	}
	return temporal.Point{}, false
}

// Duration is the duration that v is, of any value; false for others.
func (v Value) Duration() (temporal.Duration, bool) {
	if d, ok := v.ref.(*temporal.Duration); ok {
		return *d, true
	}
	return temporal.Duration{}, false
}

// TypeName is the type of v as error messages write it: more exact than its Kind for temporal values.
func (v Value) TypeName() string {
	if p, ok := v.Point(); ok {
		return p.Kind.String()
	}
	if _, ok := v.Duration(); ok {
		return "duration"
	}
	return v.Kind().String()
}

var constructors = [...]string{temporal.Date: "date", temporal.LocalTime: "localtime", temporal.Time: "time",
	temporal.LocalDateTime: "localdatetime", temporal.DateTime: "datetime"}

// constructor is the function that makes values of the type of v.
func (v Value) constructor() string {
	if p, ok := v.Point(); ok {
		return constructors[p.Kind]
	}
	return "duration"
}

// TemporalText is v in the form of ISO 8601, of a value of kind Temporal.
func (v Value) TemporalText() string {
	if d, ok := v.Duration(); ok {
		return d.String()
	}
	p, _ := v.Point()
	return p.String()
}

// compareTemporals orders points before durations, see temporal.Compare and temporal.CompareDurations.
func compareTemporals(a, b Value) int {
	p, isPoint := a.Point()
	q, isPoint2 := b.Point()
	switch {
	case isPoint && isPoint2:
		return temporal.Compare(p, q)
	case isPoint:
		return -1
	case isPoint2:
		return 1
	}
	d, _ := a.Duration()
	e, _ := b.Duration()
	return temporal.CompareDurations(d, e)
}

// relateTemporals is the order of points of one kind; durations and points of different kinds have none.
func relateTemporals(a, b Value) relation {
	p, ok := a.Point()
	q, ok2 := b.Point()
	if !ok || !ok2 || p.Kind != q.Kind {
		return unknown
	}
	return relation(temporal.Compare(p, q) + 1)
}

// kindDuration follows the kinds of points in encodings and keys.
const kindDuration = byte(temporal.DateTime) + 1

// appendTemporal appends the kind and then, as zigzag varints, what the kind has: the day, the nanosecond of the day, the
// offset, and the length and name of the zone; of a duration months, days, seconds and nanoseconds.
func appendTemporal(dst []byte, v Value) []byte {
	if d, ok := v.Duration(); ok {
		dst = binary.AppendVarint(append(dst, kindDuration), d.Months)
		dst = binary.AppendVarint(dst, d.Days)
		return binary.AppendVarint(binary.AppendVarint(dst, d.Seconds), int64(d.Nanos))
	}
	p, _ := v.Point()
	dst = append(dst, byte(p.Kind))
	if p.Kind.HasDate() {
		dst = binary.AppendVarint(dst, p.Day)
	}
	if p.Kind.HasTime() {
		dst = binary.AppendVarint(dst, p.Nano)
	}
	if p.Kind.HasZone() {
		dst = binary.AppendVarint(dst, int64(p.Offset))
	}
	if p.Kind == temporal.DateTime {
		dst = appendStringKey(dst, p.Zone)
	}
	return dst
}

// varint reads a zigzag varint.
func (d *decoder) varint() (int64, error) {
	n, err := d.uvarint()
	return int64(n>>1) ^ -int64(n&1), err
}

// temporal reads what appendTemporal wrote.
func (d *decoder) temporal() (Value, error) {
	if d.rest != "" && d.rest[0] == kindDuration {
		d.rest = d.rest[1:]
		length, err := d.duration()
		if err != nil {
			return Value{}, err
		}
		return OfDuration(length), nil
	}
	p, err := d.point()
	if err != nil {
		return Value{}, err
	}
	return OfPoint(p), nil
}

func (d *decoder) point() (p temporal.Point, err error) {
	if d.rest == "" {
		return p, ErrEncoding
	}
	p.Kind = temporal.Kind(d.rest[0])
	d.rest = d.rest[1:]
	if p.Kind < temporal.Date || p.Kind > temporal.DateTime {
		return p, ErrEncoding
	}
	if p.Kind.HasDate() {
		if p.Day, err = d.varint(); err != nil {
			return p, err
		}
	}
	if p.Kind.HasTime() {
		if p.Nano, err = d.varint(); err != nil {
			return p, err
		}
	}
	if p.Kind.HasZone() {
		offset, err := d.varint()
		if p.Offset = int32(offset); err != nil || int64(p.Offset) != offset {
			return p, ErrEncoding
		}
	}
	if p.Kind == temporal.DateTime {
		if p.Zone, err = d.str(); err != nil {
			return p, err
		}
	}
	if p.Check() != nil {
		return p, ErrEncoding
	}
	return p, nil
}

func (d *decoder) duration() (length temporal.Duration, err error) {
	var parts [4]int64
	for i := range parts {
		if parts[i], err = d.varint(); err != nil {
			return length, err
		}
	}
	if parts[3] < 0 || parts[3] > 999_999_999 {
		return length, ErrEncoding
	}
	return temporal.Duration{Months: parts[0], Days: parts[1], Seconds: parts[2], Nanos: int32(parts[3])}, nil
}

// ParseTemporal reads what TemporalText writes, and the other forms of ISO 8601, as a value of the type that a constructor
// of the language names in lower case: "date", "localtime", "time", "localdatetime", "datetime" or "duration".
func ParseTemporal(typeName, text string) (Value, error) {
	if typeName == "duration" {
		d, err := temporal.ParseDuration(text)
		return OfDuration(d), err
	}
	for k, name := range constructors {
		if name == typeName && name != "" {
			p, err := temporal.Parse(temporal.Kind(k), text)
			return OfPoint(p), err
		}
	}
	return Value{}, fmt.Errorf("value: there is no temporal type %q", typeName)
}

// TemporalType is the type that ParseTemporal takes, of a value of kind Temporal.
func (v Value) TemporalType() string { return v.constructor() }
