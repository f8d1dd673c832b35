package motif

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/spatial"
	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
)

// Node is a node as a query returns it. ID is what id() gives: assigned once, kept for the node's life.
type Node struct {
	ID     uint64
	Labels []string
	Props  map[string]any
}

// Relationship is a relationship as a query returns it. Start and End are ids of nodes.
type Relationship struct {
	ID         uint64
	Type       string
	Start, End uint64
	Props      map[string]any
}

// Path is a path as a query returns it. Relationships[i] joins Nodes[i] and Nodes[i+1], from either of them to the other:
// there is one node more than relationships.
type Path struct {
	Nodes         []Node
	Relationships []Relationship
}

// fromValue turns a runtime value into what users see: nil, bool, int64, float64, string, []any, map[string]any,
// Node, Relationship, Path, Point or a Temporal.
func fromValue(s *csr.Snapshot, v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		return v.Bool()
	case value.Int:
		return v.Int()
	case value.Float:
		return v.Float()
	case value.String:
		return v.Str()
	case value.List:
		list := make([]any, len(v.List()))
		for i, x := range v.List() {
			list[i] = fromValue(s, x)
		}
		return list
	case value.Map:
		m := v.Map()
		out := make(map[string]any, len(m.Keys))
		for i, k := range m.Keys {
			out[k] = fromValue(s, m.Values[i])
		}
		return out
	case value.Node:
		return nodeOf(s, v.Node())
	case value.Rel:
		return relOf(s, v.Rel())
	case value.Path:
		return pathOf(s, v.Path())
	case value.Deleted:
		return deletedOf(v.Deleted())
	case value.Temporal:
		return fromTemporal(v)
	case value.Spatial:
		p, _ := v.Spatial()
		return Point{int(p.SRID), p.X, p.Y, p.Z}
	}
	return nil
}

// deletedOf returns an element that its query has deleted: with its id and, for a relationship, its type.
func deletedOf(d *value.DeletedValue) any {
	if d.Rel {
		return Relationship{ID: d.ID, Type: d.Type, Props: map[string]any{}}
	}
	return Node{ID: d.ID, Labels: []string{}, Props: map[string]any{}}
}

func pathOf(s *csr.Snapshot, p *value.PathValue) Path {
	out := Path{Nodes: make([]Node, len(p.Nodes)), Relationships: make([]Relationship, len(p.Rels))}
	for i, v := range p.Nodes {
		out.Nodes[i] = nodeOf(s, v)
	}
	for i, e := range p.Rels {
		out.Relationships[i] = relOf(s, e)
	}
	return out
}

func nodeOf(s *csr.Snapshot, v csr.VertexID) Node {
	n := Node{ID: uint64(s.NodeID(v)), Labels: []string{}, Props: map[string]any{}}
	for _, l := range s.LabelsOf(v) {
		n.Labels = append(n.Labels, s.Labels.Name(uint32(l)))
	}
	for k := range s.VertexProps {
		if c, ok := s.VertexProp(v, csr.KeyID(k)); ok {
			n.Props[s.Keys.Name(uint32(k))] = fromValue(s, value.OfCell(c))
		}
	}
	return n
}

func relOf(s *csr.Snapshot, e csr.EdgeID) Relationship {
	from, to := s.Endpoints(e)
	r := Relationship{ID: uint64(s.RelID(e)), Type: s.Types.Name(uint32(s.TypeOf(e))), Props: map[string]any{},
		Start: uint64(s.NodeID(from)), End: uint64(s.NodeID(to))}
	for k := range s.EdgeProps {
		if c, ok := s.EdgeProp(e, csr.KeyID(k)); ok {
			r.Props[s.Keys.Name(uint32(k))] = fromValue(s, value.OfCell(c))
		}
	}
	return r
}

// propertiesOf returns the properties of a node, a relationship or a map, and what functions give for it.
func propertiesOf(x any) (props, functions map[string]any, ok bool) {
	switch x := x.(type) {
	case Node:
		return x.Props, map[string]any{"id()": int64(x.ID), "labels()": x.Labels}, true
	case Relationship:
		return x.Props, map[string]any{"id()": int64(x.ID), "type()": x.Type}, true
	case map[string]any:
		return x, nil, true
	}
	return nil, nil, false
}

// Point is a point in a coordinate reference system: 7203 and 9157 are the plane and space, 4326 and 4979 the earth (WGS 84). There, X is
// the longitude and Y the latitude in degrees, and Z the height in metres. Z is 0 in the systems of two coordinates, 7203 and 4326.
type Point struct {
	SRID    int
	X, Y, Z float64
}

// toValue has a name of its own: a point is no Temporal.
func (p Point) toValue() (value.Value, error) {
	if p.SRID != int(spatial.SRID(p.SRID)) {
		return value.Value{}, fmt.Errorf("%d is no SRID of a point", p.SRID)
	}
	x, err := spatial.New(spatial.SRID(p.SRID), p.X, p.Y, p.Z)
	return value.OfSpatial(x), err
}

// String writes p as an expression of the language.
func (p Point) String() string {
	v, err := p.toValue()
	if err != nil {
		return "invalid: " + err.Error()
	}
	return v.String()
}

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

// Duration is an amount of time in parts without a fixed relation: months, days and seconds. Nanoseconds are from 0 to
// 999999999 and count upwards from Seconds.
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

// DateOf returns the day of t in its own location.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{Year: year, Month: month, Day: day}
}

// In returns the first moment of the day in loc. A nil loc is UTC.
func (d Date) In(loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, cmp.Or(loc, time.UTC))
}

// LocalTimeOf returns the time of the day of t in its own location.
func LocalTimeOf(t time.Time) LocalTime {
	hour, minute, second := t.Clock()
	return LocalTime{Hour: hour, Minute: minute, Second: second, Nanosecond: t.Nanosecond()}
}

// On returns the time on a day.
func (t LocalTime) On(d Date) LocalDateTime { return LocalDateTime{Date: d, LocalTime: t} }

// OffsetTimeOf returns the time of the day of t with the offset that its location has then.
func OffsetTimeOf(t time.Time) OffsetTime {
	_, offset := t.Zone()
	return OffsetTime{LocalTime: LocalTimeOf(t), Offset: offset}
}

// On returns the time on a day, in a location with the offset.
func (t OffsetTime) On(d Date) time.Time {
	return t.LocalTime.On(d).In(time.FixedZone("", t.Offset))
}

// LocalDateTimeOf returns the day and the time of t in its own location.
func LocalDateTimeOf(t time.Time) LocalDateTime { return LocalTimeOf(t).On(DateOf(t)) }

// In returns the moment at which a clock in loc shows this day and time. A nil loc is UTC.
func (t LocalDateTime) In(loc *time.Location) time.Time {
	return time.Date(t.Year, t.Month, t.Day, t.Hour, t.Minute, t.Second, t.Nanosecond, cmp.Or(loc, time.UTC))
}

// DateTimeOf returns t as a value of the language.
func DateTimeOf(t time.Time) DateTime { return DateTime{Time: t} }

// DurationOf returns d in seconds and nanoseconds.
func DurationOf(d time.Duration) Duration {
	seconds, rest := d/time.Second, d%time.Second
	if rest < 0 {
		seconds, rest = seconds-1, rest+time.Second
	}
	return Duration{Seconds: int64(seconds), Nanoseconds: int(rest)}
}

// TimeDuration returns d as a time.Duration. It reports false if d has months or days, whose length varies, or is too long.
func (d Duration) TimeDuration() (time.Duration, bool) {
	const most = int64(math.MaxInt64 / time.Second)
	fits := d.Months == 0 && d.Days == 0 && -most < d.Seconds && d.Seconds < most
	return time.Duration(d.Seconds)*time.Second + time.Duration(d.Nanoseconds), fits
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

// toTemporal turns Point, the temporal types of this file, and Go's time.Time and time.Duration, into a runtime value; known is false for other types.
func toTemporal(x any) (v value.Value, known bool, err error) {
	switch x := x.(type) {
	case Temporal:
		v, err = x.value()
	case Point:
		v, err = x.toValue()
	case time.Time:
		v, err = DateTimeOf(x).value()
	case time.Duration:
		v, err = DurationOf(x).value()
	default:
		return v, false, nil
	}
	return v, true, err
}

// showParam names a value in a message: by itself if it is short, else by its type. A list or a map may hold itself.
func showParam(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%.60s", v)
	case bool, int, int64, float64:
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("a %T", v)
}

// DescribeParam writes a parameter with its type, such as "$name string".
func DescribeParam(p SavedParam) string {
	if p.Type == "" {
		return "$" + p.Name
	}
	return "$" + p.Name + " " + p.Type
}

// paramType returns the type of a parameter's value as SavedParam names it; "" for null and for types without a name there.
func paramType(x any) string {
	v, err := toValue(context.Background(), x, nil)
	if err != nil || v.IsNull() {
		return ""
	}
	name := v.Kind().String()
	if slices.Contains([]string{"string", "integer", "float", "boolean", "list", "map"}, name) {
		return name
	}
	return ""
}

// Changes counts what a statement has changed. Setting a property counts even if its value stays the same. Removing a
// property counts only if the element had it.
type Changes struct {
	NodesCreated, NodesDeleted                 uint64
	RelationshipsCreated, RelationshipsDeleted uint64
	PropertiesSet                              uint64
	LabelsAdded, LabelsRemoved                 uint64
	IndexesAdded, IndexesRemoved               uint64
	ConstraintsAdded, ConstraintsRemoved       uint64
}

// Add adds what another statement has changed.
func (c *Changes) Add(o Changes) {
	if c == nil {
		return
	}
	for _, f := range [...][2]*uint64{{&c.NodesCreated, &o.NodesCreated}, {&c.NodesDeleted, &o.NodesDeleted},
		{&c.RelationshipsCreated, &o.RelationshipsCreated}, {&c.RelationshipsDeleted, &o.RelationshipsDeleted},
		{&c.PropertiesSet, &o.PropertiesSet}, {&c.LabelsAdded, &o.LabelsAdded}, {&c.LabelsRemoved, &o.LabelsRemoved},
		{&c.IndexesAdded, &o.IndexesAdded}, {&c.IndexesRemoved, &o.IndexesRemoved},
		{&c.ConstraintsAdded, &o.ConstraintsAdded}, {&c.ConstraintsRemoved, &o.ConstraintsRemoved}} {
		*f[0] += *f[1]
	}
}

// Any reports whether anything was changed.
func (c Changes) Any() bool { return c != Changes{} }

// String lists what was changed, such as "2 nodes created, 1 property set"; "no changes" if nothing was.
func (c Changes) String() string {
	text := ""
	for _, part := range []struct {
		n         uint64
		one, many string
		what      string
	}{
		{c.NodesCreated, "node", "nodes", "created"}, {c.NodesDeleted, "node", "nodes", "deleted"},
		{c.RelationshipsCreated, "relationship", "relationships", "created"},
		{c.RelationshipsDeleted, "relationship", "relationships", "deleted"},
		{c.PropertiesSet, "property", "properties", "set"},
		{c.LabelsAdded, "label", "labels", "added"}, {c.LabelsRemoved, "label", "labels", "removed"},
		{c.IndexesAdded, "index", "indexes", "created"}, {c.IndexesRemoved, "index", "indexes", "dropped"},
		{c.ConstraintsAdded, "constraint", "constraints", "created"}, {c.ConstraintsRemoved, "constraint", "constraints", "dropped"},
	} {
		if part.n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		name := part.many
		if part.n == 1 {
			name = part.one
		}
		text += fmt.Sprintf("%d %s %s", part.n, name, part.what)
	}
	if text == "" {
		return "no changes"
	}
	return text
}

func changesOf(c *exec.ChangeCounts) Changes {
	if c == nil {
		return Changes{}
	}
	return Changes{NodesCreated: c.NodesCreated, NodesDeleted: c.NodesDeleted, RelationshipsCreated: c.RelsCreated,
		RelationshipsDeleted: c.RelsDeleted, PropertiesSet: c.PropertiesSet, LabelsAdded: c.LabelsAdded, LabelsRemoved: c.LabelsRemoved,
		IndexesAdded: c.IndexesAdded, IndexesRemoved: c.IndexesRemoved, ConstraintsAdded: c.ConstraintsAdded, ConstraintsRemoved: c.ConstraintsRemoved}
}

// goTime turns a DateTime into Go's time.Time, or a Duration into a time.Duration, if to is that type and holds it exactly.
func goTime(to reflect.Type, x any) (any, bool) {
	switch x := x.(type) {
	case DateTime:
		return x.Time, to == reflect.TypeFor[time.Time]()
	case Duration:
		d, fits := x.TimeDuration()
		return d, fits && to == reflect.TypeFor[time.Duration]()
	}
	return nil, false
}

// drain reads rows to their end.
func drain(r *Rows, err error) (Summary, error) {
	if err != nil {
		return Summary{}, err
	}
	for r.Next() {
	}
	return r.Summary(), r.Err()
}
