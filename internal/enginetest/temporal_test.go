package enginetest

import (
	"fmt"
	"github.com/motifql/motif"
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// publish opens a database in memory that holds what build makes.
func publish(t *testing.T, build func(b *csr.Builder)) *motif.DB {
	t.Helper()
	b := csr.NewBuilder()
	build(b)
	snap, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return published(t, snap, motif.WithWorkers(1))
}

// one returns the only value of the only row of a query.
func one(t *testing.T, db *motif.DB, query string, params motif.Params) any {
	t.Helper()
	rows, err := db.Query(t.Context(), query, params)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var out any
	n := 0
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		out = row.At(0)
		n++
	}
	if n != 1 {
		t.Fatalf("%s: %d rows", query, n)
	}
	return out
}

// What the reference says of each aggregate is so.
func TestAggregateExamples(t *testing.T) {
	db := publish(t, func(b *csr.Builder) {
		x := b.Key("x")
		for v, n := range []int64{1, 2, 2} {
			b.AddVertex()
			b.SetVertex(uint32(v), x, csr.IntCell(n))
		}
		b.AddVertex()
	})
	for _, f := range lang.Functions {
		if !f.Aggregate {
			continue
		}
		got := one(t, db, "MATCH (n) RETURN "+regexp.MustCompile(`\bx\b`).ReplaceAllString(f.Example, "n.x"), nil)
		if want := one(t, db, "RETURN "+f.Value, nil); fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) {
			t.Errorf("%s is %v, the reference says %s", f.Example, got, f.Value)
		}
	}
}

func TestPercentiles(t *testing.T) {
	db := publish(t, func(b *csr.Builder) {
		x := b.Key("x")
		for v, n := range []float64{10, 20, 30, 40} {
			b.AddVertex()
			b.SetVertex(uint32(v), x, csr.FloatCell(n))
		}
	})
	for call, want := range map[string]any{
		"percentileCont(n.x, 0)": 10.0, "percentileCont(n.x, 1)": 40.0, "percentileCont(n.x, 0.5)": 25.0, "percentileDisc(n.x, 0.5)": 20.0, "percentileDisc(n.x, 0.51)": 30.0,
		"percentileDisc(n.x, 0)": 10.0, "percentileDisc(n.x, 1)": 40.0, "percentileDisc(DISTINCT n.x, 0.75)": 30.0, "percentileCont(n.y, 0.5)": nil, "percentileDisc(n.y, 0.5)": nil,
		"stDev(n.x)": math.Sqrt(500.0 / 3), "stDevP(n.x)": math.Sqrt(125), "stDev(n.y)": 0.0, "toString(sum(duration({seconds: n.x})))": "PT1M40S", "toString(avg(duration({seconds: n.x})))": "PT25S",
	} {
		if got := one(t, db, "MATCH (n) RETURN "+call, nil); got != want {
			t.Errorf("%s is %v, want %v", call, got, want)
		}
	}
	for call, code := range map[string]string{
		"percentileCont(n.x, 1.1)": "ArgumentError.NumberOutOfRange", "percentileDisc(n.x, -1)": "ArgumentError.NumberOutOfRange", "percentileDisc(n.x, $nan)": "ArgumentError.NumberOutOfRange",
		"sum(CASE WHEN n.x > 10 THEN n.x ELSE duration('P1D') END)": "TypeError.InvalidArgumentType", "stDev(toString(n.x))": "",
	} {
		rows, err := db.Query(t.Context(), "MATCH (n) RETURN "+call, motif.Params{"nan": math.NaN()})
		if err == nil {
			for _, err = range rows.All() {
			}
		}
		if e, ok := err.(*motif.QueryError); err == nil || code != "" && (!ok || e.Code != code) {
			t.Errorf("%s: %v, want %s", call, err, code)
		}
	}
}

// SKIP and LIMIT take what reads no row, also if it is no constant.
func TestCountsOfNoRow(t *testing.T) {
	db := publish(t, func(b *csr.Builder) {
		for range 5 {
			b.AddVertex()
		}
	})
	for query, want := range map[string]any{
		"MATCH (n) WITH n SKIP toInteger(rand() * 0.5) RETURN count(*)":             int64(5),
		"MATCH (n) WITH n LIMIT size([x IN [1, 2, 3] WHERE x > 1]) RETURN count(*)": int64(2),
	} {
		if got := one(t, db, query, nil); got != want {
			t.Errorf("%s is %v, want %v", query, got, want)
		}
	}
}

func dateOf(year int, month time.Month, day int) motif.Date {
	return motif.Date{Year: year, Month: month, Day: day}
}

func clockOf(hour, minute, second, nanosecond int) motif.LocalTime {
	return motif.LocalTime{Hour: hour, Minute: minute, Second: second, Nanosecond: nanosecond}
}

func offsetOf(clock motif.LocalTime, offset int) motif.OffsetTime {
	return motif.OffsetTime{LocalTime: clock, Offset: offset}
}

func localOf(date motif.Date, clock motif.LocalTime) motif.LocalDateTime {
	return motif.LocalDateTime{Date: date, LocalTime: clock}
}

func durationOf(months, days, seconds int64, nanoseconds int) motif.Duration {
	return motif.Duration{Months: months, Days: days, Seconds: seconds, Nanoseconds: nanoseconds}
}

// Temporal values come back as types of Go, are taken as parameters, and are kept by a store.
func TestTemporalValues(t *testing.T) {
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{
		"date('2015-07-21')": dateOf(2015, time.July, 21), "localtime('21:40:32.5')": clockOf(21, 40, 32, 5e8), "time('21:40-01:30')": offsetOf(clockOf(21, 40, 0, 0), -5400),
		"localdatetime('-0001-01-02T03:04')": localOf(dateOf(-1, 1, 2), clockOf(3, 4, 0, 0)), "duration('P1M-1DT-0.5S')": durationOf(1, -1, -1, 5e8),
		"datetime('2015-07-21T21:40:32.142[Europe/London]')": motif.DateTime{Time: time.Date(2015, 7, 21, 21, 40, 32, 142e6, london)},
		"datetime('2015-07-21T21:40:32+05:00')":              motif.DateTime{Time: time.Date(2015, 7, 21, 21, 40, 32, 0, time.FixedZone("", 5*3600))},
		"datetime('1970-01-01')":                             motif.DateTime{Time: time.Unix(0, 0).UTC()},
	}
	props := map[string]any{}
	for text, v := range values {
		props[text], props["list of "+text] = v, []any{v}
	}
	db := publish(t, func(*csr.Builder) {})
	if _, err := db.Query(t.Context(), "CREATE (n) SET n = $props", motif.Params{"props": props}); err != nil {
		t.Fatal(err)
	}
	for text, want := range values {
		got := one(t, db, "RETURN "+text, nil)
		if fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) {
			t.Errorf("%s is %T %v, want %v", text, got, got, want)
		}
		if got := one(t, db, "RETURN $p = "+text, motif.Params{"p": want}); got != true {
			t.Errorf("the parameter %v is not %s", want, text)
		}
		if got := one(t, db, "MATCH (n) RETURN n[$key] = "+text+" AND n['list of ' + $key] = ["+text+"]", motif.Params{"key": text}); got != true {
			t.Errorf("%s is not kept", text)
		}
	}
	if got := one(t, db, "RETURN $p", motif.Params{"p": time.Date(2020, 1, 2, 3, 4, 5, 6, london)}); fmt.Sprint(got) != "2020-01-02T03:04:05.000000006Z[Europe/London]" {
		t.Error(got)
	}
	if got := one(t, db, "RETURN $p", motif.Params{"p": -1500 * time.Millisecond}); fmt.Sprint(got) != "PT-1.5S" {
		t.Error(got)
	}
	for _, bad := range []any{dateOf(2015, 2, 29), clockOf(24, 0, 0, 0), motif.OffsetTime{Offset: 1 << 40}, motif.OffsetTime{Offset: 65000}, motif.LocalDateTime{}, durationOf(0, 0, math.MaxInt64, 1e9)} {
		if _, err := db.Query(t.Context(), "RETURN $p", motif.Params{"p": bad}); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

// scanned gives a query's only value as a T, or the error.
func scanned[T any](t *testing.T, db *motif.DB, query string) (T, error) {
	t.Helper()
	rows, err := db.Query(t.Context(), query, nil)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return motif.One[T](rows)
}

func TestScanTimes(t *testing.T) {
	db := publish(t, func(*csr.Builder) {})
	if d, err := scanned[motif.Date](t, db, "RETURN date('2020-02-29')"); err != nil || d != (dateOf(2020, 2, 29)) {
		t.Error(d, err)
	}
	if d, err := scanned[motif.Duration](t, db, "RETURN duration('P1MT-0.5S')"); err != nil || d != (durationOf(1, 0, -1, 500_000_000)) {
		t.Error(d, err)
	}
	want := time.Date(2020, 2, 29, 12, 30, 0, 0, time.UTC)
	if at, err := scanned[time.Time](t, db, "RETURN datetime('2020-02-29T12:30Z')"); err != nil || !at.Equal(want) {
		t.Error(at, err)
	}
	if at, err := scanned[*time.Time](t, db, "RETURN datetime('2020-02-29T12:30Z')"); err != nil || !at.Equal(want) {
		t.Error(at, err)
	}
	for text, want := range map[string]time.Duration{"PT1.5S": 1500 * time.Millisecond, "PT-0.25S": -250 * time.Millisecond, "PT2500000H": 2500000 * time.Hour} {
		if d, err := scanned[time.Duration](t, db, "RETURN duration('"+text+"')"); err != nil || d != want {
			t.Error(text, d, err)
		}
	}
	for _, text := range []string{"P1D", "P1M", "PT3000000H"} {
		if d, err := scanned[time.Duration](t, db, "RETURN duration('"+text+"')"); err == nil {
			t.Errorf("%s became %v", text, d)
		}
	}
	if at, err := scanned[time.Time](t, db, "RETURN date('2020-02-29')"); err == nil {
		t.Errorf("a date became %v", at)
	}
	if s, err := scanned[string](t, db, "RETURN 1"); err == nil || err.Error() != "an integer does not go into a string" {
		t.Errorf("%q, %v", s, err)
	}
}
