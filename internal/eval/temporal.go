package eval

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

var pointKinds = map[string]temporal.Kind{"date": temporal.Date, "localtime": temporal.LocalTime, "time": temporal.Time,
	"localdatetime": temporal.LocalDateTime, "datetime": temporal.DateTime}

// temporalFunction finds date(), date.truncate(), date.realtime() and the like by lower-case name. volatile reports
// whether each call may give another time.
func temporalFunction(name string) (f multi, volatile bool) {
	if name == "duration" {
		return durationOf, false
	}
	of, method, dotted := strings.Cut(name, ".")
	k, ok := pointKinds[of]
	switch {
	case !ok:
		return nil, false
	case !dotted:
		return func(rt *Runtime, args []value.Value) (value.Value, error) { return pointOf(rt, k, args) }, false
	case method == "truncate":
		return func(rt *Runtime, args []value.Value) (value.Value, error) { return truncatePoint(rt, k, args) }, false
	case method == "transaction", method == "statement":
		return func(rt *Runtime, args []value.Value) (value.Value, error) { return nowIn(k, rt.clock(), args) }, false
	case method == "realtime":
		return func(_ *Runtime, args []value.Value) (value.Value, error) { return nowIn(k, time.Now(), args) }, true
	}
	return nil, false
}

// point wraps a result of package temporal.
func point(p temporal.Point, err error) (value.Value, error) {
	if err != nil {
		return value.Value{}, Errorf(codeText, "%v", err)
	}
	return value.OfPoint(p), nil
}

func duration(d temporal.Duration, err error) (value.Value, error) {
	if err != nil {
		return value.Value{}, Errorf(codeText, "%v", err)
	}
	return value.OfDuration(d), nil
}

// nowIn returns a time in the zone that the arguments name, or in UTC.
func nowIn(k temporal.Kind, t time.Time, args []value.Value) (value.Value, error) {
	zone := ""
	if len(args) > 0 {
		if args[0].Kind() != value.String {
			return value.Value{}, badArgument(k.String(), "the name of a time zone", args[0])
		}
		zone = args[0].Str()
	}
	p, err := temporal.Now(t, zone)
	return point(p.As(k), err)
}

// pointOf computes date() and its like: the present, or a value from text, a map or another temporal value.
func pointOf(rt *Runtime, k temporal.Kind, args []value.Value) (value.Value, error) {
	if len(args) == 0 {
		return nowIn(k, rt.clock(), nil)
	}
	switch v := args[0]; v.Kind() {
	case value.String:
		v, err := point(temporal.Parse(k, v.Str()))
		return v, hintAtParts(err, args[0].Str())
	case value.Map:
		m := v.Map()
		if zone, ok := m.Get("timezone"); ok && len(m.Keys) == 1 && zone.Kind() == value.String {
			return nowIn(k, rt.clock(), []value.Value{zone})
		}
		f, err := fieldsOf(m)
		if err != nil {
			return value.Value{}, err
		}
		if hasNull(m) {
			return value.Value{}, nil
		}
		now, err := temporal.FromUnix(rt.clock().Unix(), 0)
		if err != nil {
			return value.Value{}, err
		}
		return point(temporal.Build(k, f, now))
	case value.Temporal:
		if p, ok := v.Point(); ok && (!k.HasDate() || p.Kind.HasDate()) && (p.Kind.HasTime() || k.HasDate()) {
			return value.OfPoint(p.As(k)), nil
		}
	}
	return value.Value{}, Errorf(CodeArgumentValue, "%s() takes a map, a string, or a value that has such a part, not %s", strings.ReplaceAll(k.String(), " ", ""), Describe(args[0]))
}

// hintAtParts says how to read a text such as 30/9/2024, if there is an error.
func hintAtParts(err error, text string) error {
	var e *Error
	if !errors.As(err, &e) || e.Hint != "" {
		return err
	}
	for _, sep := range []string{"/", ".", "-"} {
		if parts := strings.Split(text, sep); len(parts) == 3 && strings.Trim(strings.Join(parts, ""), "0123456789") == "" && len(parts[2]) == 4 {
			part := func(i int) string { return "toInteger(split(x, '" + sep + "')[" + strconv.Itoa(i) + "])" }
			e.Hint = "if the day comes first, write date({year: " + part(2) + ", month: " + part(1) + ", day: " + part(0) + "})"
		}
	}
	return err
}

func hasNull(m *value.MapValue) bool {
	for _, v := range m.Values {
		if v.IsNull() {
			return true
		}
	}
	return false
}

// fieldsOf reads the map that describes a temporal value.
func fieldsOf(m *value.MapValue) (temporal.Fields, error) {
	f := temporal.Fields{Numbers: make(map[string]int64, len(m.Keys))}
	for i, key := range m.Keys {
		v, name := m.Values[i], temporal.FieldName(key)
		var err error
		switch {
		case v.IsNull():
		case name != "" && v.Kind() == value.Int:
			f.Numbers[name] = v.Int()
		case name != "":
			return f, Errorf(CodeArgumentType, "the %s of a temporal value is an integer, not %s", key, Describe(v))
		case key == "timezone" && v.Kind() == value.String:
			f.Zone = v.Str()
		case key == "date":
			f.Date, err = selected(key, v)
		case key == "time":
			f.Time, err = selected(key, v)
		case key == "datetime":
			f.DateTime, err = selected(key, v)
		default:
			return f, Errorf(codeText, "'%s' is not a part of a temporal value", key)
		}
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

func selected(key string, v value.Value) (*temporal.Point, error) {
	p, ok := v.Point()
	if !ok {
		return nil, Errorf(CodeArgumentType, "the value to take the %s from must be a temporal value that has one, not %s", key, Describe(v))
	}
	return &p, nil
}

// truncatePoint computes date.truncate(unit, of, fields) and its like. Without a second argument it truncates the present.
func truncatePoint(rt *Runtime, k temporal.Kind, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.String {
		return value.Value{}, badArgument("truncate", "the name of a unit", args[0])
	}
	of, err := nowIn(temporal.DateTime, rt.clock(), nil)
	if err != nil {
		return of, err
	}
	now, _ := of.Point()
	if len(args) > 1 {
		of = args[1]
	}
	p, ok := of.Point()
	if !ok {
		return value.Value{}, badArgument("truncate", "a date or time", of)
	}
	f := temporal.Fields{}
	if len(args) > 2 {
		if args[2].Kind() != value.Map {
			return value.Value{}, badArgument("truncate", "a map", args[2])
		}
		if f, err = fieldsOf(args[2].Map()); err != nil {
			return value.Value{}, err
		}
	}
	return point(temporal.Truncate(k, args[0].Str(), p, f, now))
}

// durationOf computes duration() of text or a map of numbers.
func durationOf(_ *Runtime, args []value.Value) (value.Value, error) {
	switch v := args[0]; v.Kind() {
	case value.String:
		return duration(temporal.ParseDuration(v.Str()))
	case value.Map:
		return durationOfMap(v.Map())
	case value.Temporal:
		if _, ok := v.Duration(); ok {
			return v, nil
		}
	}
	return value.Value{}, badArgument("duration", "a map, a string or a duration", args[0])
}

func durationOfMap(m *value.MapValue) (value.Value, error) {
	var amounts temporal.Amounts
	for i, key := range m.Keys {
		u, ok := temporal.UnitOf(key)
		if !ok {
			return value.Value{}, Errorf(codeText, "a duration has no part '%s'", key)
		}
		v := m.Values[i]
		if v.IsNull() {
			return v, nil
		}
		if amounts[u], ok = rational(v); !ok {
			return value.Value{}, Errorf(CodeArgumentType, "the %s of a duration must be a number, not %s", key, Describe(v))
		}
	}
	return duration(amounts.Duration())
}

// rational returns a number exactly as its text: a float counts as its shortest decimal.
func rational(v value.Value) (*big.Rat, bool) {
	switch v.Kind() {
	case value.Int:
		return new(big.Rat).SetInt64(v.Int()), true
	case value.Float:
		return new(big.Rat).SetString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	}
	return nil, false
}

// The functions that between builds on.
var (
	temporalBetween = temporal.Between
	temporalMonths  = temporal.InMonths
	temporalDays    = temporal.InDays
	temporalSeconds = temporal.InSeconds
)

func between(f func(p, q temporal.Point) (temporal.Duration, error)) multi {
	return func(_ *Runtime, args []value.Value) (value.Value, error) {
		p, ok := args[0].Point()
		q, ok2 := args[1].Point()
		if !ok || !ok2 {
			return value.Value{}, Errorf(CodeArgumentValue, "durations lie between dates and times, not between %s and %s", Describe(args[0]), Describe(args[1]))
		}
		return duration(f(p, q))
	}
}

// integers reads the arguments of a function that takes integers only.
func integers(name string, args []value.Value) ([]int64, error) {
	out := make([]int64, len(args))
	for i, v := range args {
		if v.Kind() != value.Int {
			return nil, badArgument(name, "integers", v)
		}
		out[i] = v.Int()
	}
	return out, nil
}

// fromEpoch returns the datetime so many seconds and nanoseconds after 1970-01-01T00:00Z.
func fromEpoch(_ *Runtime, args []value.Value) (value.Value, error) {
	n, err := integers("datetime.fromEpoch", args)
	if err != nil {
		return value.Value{}, err
	}
	return point(temporal.FromUnix(n[0], append(n, 0)[1]))
}

func fromEpochMillis(_ *Runtime, args []value.Value) (value.Value, error) {
	n, err := integers("datetime.fromEpochMillis", args)
	if err != nil {
		return value.Value{}, err
	}
	t := time.UnixMilli(n[0])
	return point(temporal.FromUnix(t.Unix(), int64(t.Nanosecond())))
}

// component returns the part of a temporal value that v.key names.
func component(v value.Value, key string) (value.Value, error) {
	var names []string
	if d, ok := v.Duration(); ok {
		n, known, err := d.Component(key)
		if err != nil {
			return value.Value{}, Overflow("the number of %s of %s", key, d)
		}
		if known {
			return value.OfInt(n), nil
		}
		names = temporal.DurationComponents()
	}
	if p, ok := v.Point(); ok {
		if n, ok := p.Component(key); ok {
			return value.OfInt(n), nil
		}
		if s, ok := p.Text(key); ok {
			return value.OfString(s), nil
		}
		names = temporal.Components(p.Kind)
	}
	err := &Error{Code: codeText, Msg: fmt.Sprintf("%s has no %s", Describe(v), key)}
	err.Hint = "it has " + strings.Join(names, ", ")
	if near, ok := lang.Suggest(key, names); ok {
		err.Hint = "did you mean " + near + "?"
	}
	return value.Value{}, err
}

// addTemporal adds a duration to a date, a time or a duration; ok is false for other operands.
func addTemporal(x, y value.Value, negative bool) (v value.Value, ok bool, err error) {
	d, isDuration := y.Duration()
	if !isDuration {
		if _, ok := x.Duration(); !ok || negative || y.Kind() != value.Temporal {
			return v, false, nil
		}
		return addTemporal(y, x, false)
	}
	if negative {
		if d, err = d.Negated(); err != nil {
			v, err = duration(d, err)
			return v, true, err
		}
	}
	if e, ok := x.Duration(); ok {
		v, err = duration(e.Plus(d))
		return v, true, err
	}
	p, ok := x.Point()
	if !ok {
		return v, false, nil
	}
	v, err = point(p.Plus(d))
	return v, true, err
}

// scaleDuration multiplies a duration by a number or divides it by one; ok is false for other operands.
func scaleDuration(x, y value.Value, divide bool) (v value.Value, ok bool, err error) {
	d, ok := x.Duration()
	if !ok {
		if d, ok = y.Duration(); !ok || divide {
			return v, false, nil
		}
		y = x
	}
	if _, ok := number(y); !ok {
		return v, false, nil
	}
	r, ok := rational(y)
	if !ok {
		return v, true, Errorf(codeRange, "a duration cannot be scaled by %v", y)
	}
	if divide {
		if r.Sign() == 0 {
			return v, true, Errorf(CodeDivision, "a duration cannot be divided by zero")
		}
		r.Inv(r)
	}
	v, err = duration(d.Times(r))
	return v, true, err
}
