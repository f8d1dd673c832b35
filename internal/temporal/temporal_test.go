package temporal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func mustPoint(t testing.TB, k Kind, s string) Point {
	t.Helper()
	p, err := Parse(k, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustDuration(t testing.TB, s string) Duration {
	t.Helper()
	d, err := ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		kind     Kind
		in, want string
	}{
		{Date, "1999-12-31", "1999-12-31"}, {Date, "19991231", "1999-12-31"}, {Date, "1999-12", "1999-12-01"}, {Date, "199912", "1999-12-01"}, {Date, "1999", "1999-01-01"},
		{Date, "2009-W01-1", "2008-12-29"}, {Date, "2009W537", "2010-01-03"}, {Date, "2009W53", "2009-12-28"}, {Date, "2000-366", "2000-12-31"}, {Date, "2000060", "2000-02-29"},
		{Date, "+12345-06-07", "+12345-06-07"}, {Date, "-0001-01-01", "-0001-01-01"}, {Date, "+999999999-12-31", "+999999999-12-31"},
		{Date, "1999-02-29", "!day"}, {Date, "1999-13-01", "!month"}, {Date, "1999-366", "!ordinalDay"}, {Date, "2010-W53", "!week"}, {Date, "1999-1-1", "!written"}, {Date, "", "!written"}, {Date, "1999-12-31x", "!written"}, {Date, "+9999999999-01-01", "!year"}, {Date, "99", "!written"}, {Date, "1999-", "!written"}, {Date, "1999-12-", "!written"},
		{LocalTime, "09:08:07.5", "09:08:07.5"}, {LocalTime, "090807,000000001", "09:08:07.000000001"}, {LocalTime, "09:08", "09:08"}, {LocalTime, "0908", "09:08"}, {LocalTime, "09", "09:00"}, {LocalTime, "24:00", "!hour"}, {LocalTime, "23:60", "!minute"}, {LocalTime, "23:59:60", "!second"}, {LocalTime, "23:59:59.", "!written"}, {LocalTime, "23:59:59.1234567890", "!written"}, {LocalTime, "9:00", "!written"}, {LocalTime, "09:00Z", "!written"},
		{Time, "09:08Z", "09:08Z"}, {Time, "09:08", "09:08Z"}, {Time, "09:08+01:30:15", "09:08+01:30:15"}, {Time, "0908-0130", "09:08-01:30"}, {Time, "09+05", "09:00+05:00"}, {Time, "09:08+19:00", "!written"}, {Time, "09:08+18:00:01", "!written"}, {Time, "09:08+01:60", "!written"}, {Time, "09:08[Europe/London]", "!written"},
		{LocalDateTime, "1999-12-31T23:59", "1999-12-31T23:59"}, {LocalDateTime, "19991231T235958", "1999-12-31T23:59:58"}, {LocalDateTime, "1999", "1999-01-01T00:00"}, {LocalDateTime, "1999-12-31 23:59", "!written"}, {LocalDateTime, "1999T", "!written"},
		{DateTime, "1999-12-31T23:59+01:00", "1999-12-31T23:59+01:00"}, {DateTime, "1999-12-31T23:59", "1999-12-31T23:59Z"}, {DateTime, "1999-07-01T12[Europe/Paris]", "1999-07-01T12:00+02:00[Europe/Paris]"}, {DateTime, "1999-07-01[UTC]", "1999-07-01T00:00Z[UTC]"},
		{DateTime, "2017-10-29T02:30+01:00[Europe/Paris]", "2017-10-29T02:30+01:00[Europe/Paris]"}, {DateTime, "2017-10-29T02:30[Europe/Paris]", "2017-10-29T02:30+02:00[Europe/Paris]"}, {DateTime, "2017-03-26T02:30[Europe/Paris]", "2017-03-26T03:30+02:00[Europe/Paris]"},
		{DateTime, "1999-07-01T12+01:00[Europe/Paris]", "!offset"}, {DateTime, "1999-07-01T12[Europe/Nowhere]", "!time zone"}, {DateTime, "1999-07-01T12[Europe/Paris", "!written"}, {DateTime, "1999-07-01T12[Local]", "!time zone"}, {DateTime, "1999-07-01T12[]", "!time zone"},
	} {
		p, err := Parse(c.kind, c.in)
		if want, failing := strings.CutPrefix(c.want, "!"); failing {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %q: %v (%v), want an error about %s", c.kind, c.in, p, err, want)
			}
		} else if err != nil || p.String() != c.want || p.Check() != nil {
			t.Errorf("%s %q: %v (%v), want %s", c.kind, c.in, p, err, c.want)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for in, want := range map[string]string{
		"P1Y2M3W4DT5H6M7.8S": "P1Y2M25DT5H6M7.8S", "P0D": "PT0S", "-P1Y": "P-1Y", "P-1Y2M": "P-10M", "PT-1.5S": "PT-1.5S", "PT0.000000001S": "PT0.000000001S", "-PT0.5S": "PT-0.5S",
		"P0.5Y": "P6M", "P1.5W": "P10DT12H", "PT90M": "PT1H30M", "PT100000H": "PT100000H", "P0.5M": "P15DT5H14M33S", "P1,5D": "P1DT12H", "P0001-02-03T04:05:06": "P1Y2M3DT4H5M6S", "PT0.3S": "PT0.3S", "+P1D": "P1D", "P2000-01-01": "P2000Y1M1D",
		"": "!", "P": "!", "PT": "!", "P1": "!", "1Y": "!", "P1YT": "!", "P1H": "!", "PT1D": "!", "P1M1Y": "!", "P1Y1Y": "!", "P1.Y": "!", "P.5Y": "!", "PT1ST1S": "!", "P1e3D": "!", "P12345678901234567890D": "!", "P1234567890123456789D": "P1234567890123456789D", "PT999999999999999999H": "!", "P1D ": "!", "P2000-13-01": "!",
	} {
		d, err := ParseDuration(in)
		if want == "!" {
			if err == nil {
				t.Errorf("%q is %v", in, d)
			}
		} else if err != nil || d.String() != want {
			t.Errorf("%q: %v (%v), want %s", in, d, err, want)
		}
	}
}

func randomPoint(rng *rand.Rand) Point {
	p := Point{Kind: Kind(1 + rng.IntN(5))}
	if p.Kind.HasDate() {
		p.Day = rng.Int64N(3_000_000) - 1_500_000
		if rng.IntN(20) == 0 {
			p.Day = minDay + 2 + rng.Int64N(maxDay-minDay-4)
		}
	}
	if p.Kind.HasTime() {
		p.Nano = rng.Int64N(secondsPerDay) * nanosPerSecond
		if rng.IntN(2) == 0 {
			p.Nano += rng.Int64N(nanosPerSecond)
		}
	}
	if p.Kind.HasZone() {
		p.Offset = int32(rng.IntN(2*18*60)-18*60) * 60
	}
	if p.Kind == DateTime && rng.IntN(2) == 0 {
		z, _ := parseZone(zones[rng.IntN(len(zones))])
		p, _ = p.in(z)
	}
	return p
}

func randomDuration(rng *rand.Rand) Duration {
	return Duration{rng.Int64N(200) - 100, rng.Int64N(200) - 100, rng.Int64N(1_000_000) - 500_000, int32(rng.IntN(nanosPerSecond) * rng.IntN(2))}
}

// What is written is read as the same, and points and durations that are written alike are alike.
func TestTextRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		p := randomPoint(rng)
		if q, err := Parse(p.Kind, p.String()); err != nil || q != p {
			t.Fatalf("seed %d: %v became %v (%v)", seed, p, q, err)
		}
		d := randomDuration(rng)
		if e, err := ParseDuration(d.String()); err != nil || e != d {
			t.Fatalf("seed %d: %v became %v (%v)", seed, d, e, err)
		}
		if p.Kind != DateTime {
			continue
		}
		if q, err := FromTime(p.Time()); err != nil || q != p {
			t.Fatalf("seed %d: %v became %v as Go's time (%v)", seed, p, q, err)
		}
	}
}

// p + between(p, q) is q, where p and q have the same kind and, if any, the same fixed offset; and between is made of parts that do not
// disagree in sign.
func TestBetweenIsDifference(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 30000 {
		p := randomPoint(rng)
		q := randomPoint(rng)
		for q.Kind != p.Kind {
			q = randomPoint(rng)
		}
		p.Zone, q.Zone = "", ""
		q.Offset = p.Offset
		if p.Kind == Date || p.Kind == LocalDateTime || p.Kind == DateTime {
			d, err := Between(p, q)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if got, err := p.Plus(d); err != nil || got != q {
				t.Fatalf("seed %d: %v + %v is %v (%v), want %v", seed, p, d, got, err, q)
			}
			if d.Months < 0 != (Compare(q, p) < 0) && d.Months != 0 || d.Days < 0 != (Compare(q, p) < 0) && d.Days != 0 {
				t.Fatalf("seed %d: from %v to %v is %v", seed, p, q, d)
			}
		}
		d, err := InSeconds(p, q)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Plus(d); err != nil || got != q {
			t.Fatalf("seed %d: %v + %v is %v (%v), want %v", seed, p, d, got, err, q)
		}
		back, err := InSeconds(q, p)
		if err == nil {
			back, err = back.Negated()
		}
		if err != nil || back != d {
			t.Fatalf("seed %d: from %v to %v is %v, back %v (%v)", seed, p, q, d, back, err)
		}
	}
}

// Durations form a group under +, part by part.
func TestDurationSums(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 10000 {
		d, e := randomDuration(rng), randomDuration(rng)
		sum, err := d.Plus(e)
		other, err2 := e.Plus(d)
		n, err3 := e.Negated()
		back, err4 := sum.Plus(n)
		if err != nil || err2 != nil || err3 != nil || err4 != nil || sum != other || back != d {
			t.Fatalf("seed %d: %v + %v = %v, %v, back %v", seed, d, e, sum, other, back)
		}
		if c := CompareDurations(d, e); c != -CompareDurations(e, d) || (c == 0) != (d == e) {
			t.Fatalf("seed %d: %v and %v compare %d", seed, d, e, c)
		}
	}
	long := Duration{Months: 1 << 62, Days: -1 << 63, Seconds: 1<<63 - 1}
	if CompareDurations(long, Duration{Days: 1}) <= 0 {
		t.Error("the length of a long duration overflows")
	}
	if _, err := long.Plus(long); err != ErrRange {
		t.Error(err)
	}
	if _, err := long.Negated(); err != ErrRange {
		t.Error(err)
	}
}

func TestPlus(t *testing.T) {
	for _, c := range []struct {
		kind       Kind
		p, d, want string
	}{
		{Date, "2000-01-31", "P1M", "2000-02-29"}, {Date, "2000-03-31", "P-1M", "2000-02-29"}, {Date, "2000-02-29", "P1Y", "2001-02-28"}, {Date, "2000-01-01", "PT47H", "2000-01-02"}, {Date, "2000-01-01", "PT-47H", "1999-12-31"}, {Date, "2000-01-01", "PT-0.5S", "2000-01-01"},
		{LocalTime, "23:00", "P5MT2H", "01:00"}, {LocalTime, "00:00", "PT-0.000000001S", "23:59:59.999999999"}, {Time, "23:00+01:00", "PT2H", "01:00+01:00"},
		{LocalDateTime, "2000-01-31T23:00", "P1MT2H", "2000-03-01T01:00"}, {LocalDateTime, "2000-01-01T00:00", "PT-1S", "1999-12-31T23:59:59"},
		{DateTime, "2017-10-28T12:00[Europe/Paris]", "P1D", "2017-10-29T12:00+01:00[Europe/Paris]"}, {DateTime, "2017-10-28T12:00[Europe/Paris]", "PT24H", "2017-10-29T11:00+01:00[Europe/Paris]"},
		{DateTime, "2017-03-25T02:30[Europe/Paris]", "P1D", "2017-03-26T03:30+02:00[Europe/Paris]"}, {DateTime, "2017-10-29T02:30+01:00[Europe/Paris]", "PT1H", "2017-10-29T03:30+01:00[Europe/Paris]"}, {DateTime, "2017-10-29T02:30+02:00[Europe/Paris]", "PT1H", "2017-10-29T02:30+01:00[Europe/Paris]"},
		{Date, "+999999999-12-31", "P1D", "!"}, {Date, "-999999999-01-01", "P-1M", "!"},
	} {
		p, err := mustPoint(t, c.kind, c.p).Plus(mustDuration(t, c.d))
		if got := p.String(); c.want == "!" && err != ErrRange || c.want != "!" && (err != nil || got != c.want) {
			t.Errorf("%s + %s is %s (%v), want %s", c.p, c.d, got, err, c.want)
		}
	}
}

func TestBuild(t *testing.T) {
	date, other := mustPoint(t, Date, "1984-11-11"), mustPoint(t, DateTime, "1984-10-11T12:31:14.645876[Europe/Stockholm]")
	clock := mustPoint(t, Time, "12:31:14.645876+01:00")
	berlin, march := mustPoint(t, DateTime, "2020-01-11T12:00[Europe/Berlin]"), mustPoint(t, Date, "2020-03-01")
	evening, later := mustPoint(t, DateTime, "2020-03-28T23:30[Europe/Berlin]"), mustPoint(t, DateTime, "2017-10-29T02:30+01:00[Europe/Paris]")
	for _, c := range []struct {
		kind Kind
		f    Fields
		want string
	}{
		{Date, Fields{Numbers: map[string]int64{"year": 1816, "week": 1}}, "1816-01-01"},
		{Date, Fields{Numbers: map[string]int64{"year": 1817, "week": 10, "dayOfWeek": 3}}, "1817-03-05"},
		{Date, Fields{Numbers: map[string]int64{"year": 1984, "quarter": 3, "dayOfQuarter": 45}}, "1984-08-14"},
		{Date, Fields{Numbers: map[string]int64{"year": 1984, "ordinalDay": 202}}, "1984-07-20"},
		{Date, Fields{Numbers: map[string]int64{"year": 1984, "month": 10}}, "1984-10-01"},
		{Date, Fields{Date: &date, Numbers: map[string]int64{"week": 1}}, "1984-01-08"},
		{Date, Fields{Date: &date, Numbers: map[string]int64{"quarter": 3}}, "1984-08-11"},
		{Date, Fields{Date: &date, Numbers: map[string]int64{"year": 28}}, "0028-11-11"},
		{Date, Fields{Date: &date, Numbers: map[string]int64{"dayOfWeek": 1}}, "1984-11-05"},
		{Date, Fields{Numbers: map[string]int64{"year": 1984, "day": 3}}, "!needs a month"},
		{Date, Fields{Numbers: map[string]int64{"year": 1984, "month": 3, "week": 3}}, "!both"},
		{Date, Fields{Numbers: map[string]int64{"month": 3}}, "!needs a year"}, {Date, Fields{}, "!year"},
		{Date, Fields{Numbers: map[string]int64{"year": 1984, "hour": 3}}, "!no hour"},
		{Date, Fields{Date: &clock}, "!no date"}, {Date, Fields{Date: &date, DateTime: &other}, "!beside"},
		{LocalTime, Fields{Time: &clock, Numbers: map[string]int64{"second": 42}}, "12:31:42.645876"},
		{LocalTime, Fields{Numbers: map[string]int64{"hour": 12, "minute": 31, "second": 14, "millisecond": 645, "microsecond": 876, "nanosecond": 123}}, "12:31:14.645876123"},
		{LocalTime, Fields{Numbers: map[string]int64{"hour": 12, "second": 14}}, "!needs a minute"},
		{LocalTime, Fields{Numbers: map[string]int64{"hour": 12, "minute": 1, "second": 14, "millisecond": 1, "microsecond": 1000}}, "!microsecond"},
		{LocalTime, Fields{Numbers: map[string]int64{"hour": 12, "nanosecond": 14}}, "!need a second"},
		{Time, Fields{Time: &clock, Zone: "+05:00"}, "16:31:14.645876+05:00"}, {Time, Fields{Time: &other}, "12:31:14.645876+01:00"},
		{Time, Fields{Time: &other, Zone: "America/New_York"}, "07:31:14.645876-04:00"},
		{Time, Fields{Numbers: map[string]int64{"hour": 12}, Zone: "+02:05:59"}, "12:00+02:05:59"},
		{DateTime, Fields{Date: &date, Time: &clock}, "1984-11-11T12:31:14.645876+01:00"},
		{DateTime, Fields{Date: &date, Time: &clock, Zone: "Pacific/Honolulu"}, "1984-11-11T01:31:14.645876-10:00[Pacific/Honolulu]"},
		{DateTime, Fields{Date: &date, Time: &other, Numbers: map[string]int64{"day": 28, "second": 42}}, "1984-11-28T12:31:42.645876+01:00[Europe/Stockholm]"},
		{DateTime, Fields{DateTime: &other, Zone: "Pacific/Honolulu"}, "1984-10-11T01:31:14.645876-10:00[Pacific/Honolulu]"},
		{DateTime, Fields{Date: &other}, "1984-10-11T00:00Z"},
		// The numbers come before the zone: the offset is that of the day and the hour that they name.
		{DateTime, Fields{Date: &march, Time: &berlin, Numbers: map[string]int64{"day": 30}, Zone: "UTC"}, "2020-03-30T10:00Z[UTC]"},
		{DateTime, Fields{Date: &march, Time: &berlin, Numbers: map[string]int64{"day": 30}, Zone: "Z"}, "2020-03-30T10:00Z"},
		{DateTime, Fields{Date: &march, Time: &berlin, Numbers: map[string]int64{"day": 30}}, "2020-03-30T12:00+02:00[Europe/Berlin]"},
		{DateTime, Fields{Date: &march, Time: &berlin, Zone: "Z"}, "2020-03-01T11:00Z"},
		{DateTime, Fields{DateTime: &berlin, Numbers: map[string]int64{"month": 7}, Zone: "Z"}, "2020-07-11T10:00Z"},
		{DateTime, Fields{DateTime: &evening, Numbers: map[string]int64{"day": 29, "hour": 1}, Zone: "Z"}, "2020-03-29T00:30Z"},
		{DateTime, Fields{DateTime: &evening, Numbers: map[string]int64{"day": 29, "hour": 3}, Zone: "Z"}, "2020-03-29T01:30Z"},
		{DateTime, Fields{DateTime: &berlin, Numbers: map[string]int64{"month": 7}, Zone: "America/New_York"}, "2020-07-11T06:00-04:00[America/New_York]"},
		{DateTime, Fields{Date: &march, Time: &clock, Numbers: map[string]int64{"hour": 0}, Zone: "Pacific/Honolulu"}, "2020-02-29T13:31:14.645876-10:00[Pacific/Honolulu]"},
		{DateTime, Fields{Date: &berlin, Numbers: map[string]int64{"month": 7}, Zone: "Europe/Berlin"}, "2020-07-11T00:00+02:00[Europe/Berlin]"},
		{DateTime, Fields{DateTime: &later, Zone: "Z"}, "2017-10-29T01:30Z"}, {DateTime, Fields{DateTime: &later}, "2017-10-29T02:30+01:00[Europe/Paris]"},
		{DateTime, Fields{DateTime: &later, Numbers: map[string]int64{"minute": 45}}, "2017-10-29T02:45+01:00[Europe/Paris]"},
		{DateTime, Fields{DateTime: &later, Numbers: map[string]int64{"day": 28}}, "2017-10-28T02:30+02:00[Europe/Paris]"},
		{Time, Fields{Time: &clock, Numbers: map[string]int64{"hour": 23}, Zone: "+05:00"}, "03:31:14.645876+05:00"},
		{Time, Fields{Time: &later, Zone: "Z"}, "01:30Z"}, {Time, Fields{Time: &later}, "02:30+01:00"},
		{LocalDateTime, Fields{Date: &march, Time: &berlin, Numbers: map[string]int64{"day": 30}}, "2020-03-30T12:00"},
		{DateTime, Fields{Numbers: map[string]int64{"epochSeconds": 86400, "nanosecond": 5}}, "1970-01-02T00:00:00.000000005Z"},
		{DateTime, Fields{Numbers: map[string]int64{"epochMillis": -1}, Zone: "Europe/Paris"}, "1970-01-01T00:59:59.999+01:00[Europe/Paris]"},
		{LocalDateTime, Fields{Numbers: map[string]int64{"epochMillis": 1}}, "!no epochMillis"}, {LocalDateTime, Fields{Zone: "Z"}, "!no timezone"}, {DateTime, Fields{Date: &date, Zone: "X"}, "!time zone"},
	} {
		p, err := Build(c.kind, c.f, Point{})
		if want, failing := strings.CutPrefix(c.want, "!"); failing {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v (%v), want an error about %s", c.f, p, err, want)
			}
		} else if err != nil || p.String() != c.want || p.Check() != nil {
			t.Errorf("%s %+v: %v (%v), want %s", c.kind, c.f, p, err, c.want)
		}
	}
}

// A truncated date is the last one before that begins its unit: found by going back day by day.
func TestTruncateDayByDay(t *testing.T) {
	begins := map[string]func(c func(string) int64) bool{
		"century":  func(c func(string) int64) bool { return floorMod(c("year"), 100) == 0 && c("ordinalDay") == 1 },
		"decade":   func(c func(string) int64) bool { return floorMod(c("year"), 10) == 0 && c("ordinalDay") == 1 },
		"year":     func(c func(string) int64) bool { return c("ordinalDay") == 1 },
		"weekYear": func(c func(string) int64) bool { return c("week") == 1 && c("weekDay") == 1 },
		"quarter":  func(c func(string) int64) bool { return c("dayOfQuarter") == 1 },
		"month":    func(c func(string) int64) bool { return c("day") == 1 },
		"week":     func(c func(string) int64) bool { return c("weekDay") == 1 },
		"day":      func(c func(string) int64) bool { return true },
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for unit, begin := range begins {
		for range 40 {
			p := Point{Kind: Date, Day: rng.Int64N(2_000_000) - 1_000_000}
			got, err := Truncate(Date, unit, p, Fields{}, Point{})
			want := p
			for !begin(func(name string) int64 { n, _ := want.Component(name); return n }) {
				want.Day--
			}
			if err != nil || got != want {
				t.Fatalf("seed %d: %v truncated to a %s is %v (%v), want %v", seed, p, unit, got, err, want)
			}
		}
	}
}

func TestTruncate(t *testing.T) {
	at := mustPoint(t, DateTime, "1984-10-11T12:31:14.645876123+01:00")
	summer := mustPoint(t, DateTime, "2020-07-01T00:00Z")
	later := mustPoint(t, DateTime, "2017-10-29T02:30+01:00[Europe/Paris]")
	for _, c := range []struct {
		kind Kind
		unit string
		of   Point
		f    Fields
		want string
	}{
		{DateTime, "millennium", at, Fields{}, "1000-01-01T00:00+01:00"}, {DateTime, "hour", at, Fields{Zone: "Europe/Paris"}, "1984-10-11T12:00+01:00[Europe/Paris]"},
		{LocalTime, "millisecond", at, Fields{Numbers: map[string]int64{"nanosecond": 2}}, "12:31:14.645000002"}, {Time, "microsecond", at, Fields{}, "12:31:14.645876+01:00"}, {LocalTime, "second", at, Fields{Numbers: map[string]int64{"nanosecond": 2}}, "12:31:14.000000002"},
		{Time, "day", mustPoint(t, LocalTime, "12:00"), Fields{}, "00:00Z"}, {DateTime, "day", at.As(Date), Fields{Zone: "+02:00"}, "1984-10-11T00:00+02:00"}, {Date, "week", at, Fields{Numbers: map[string]int64{"dayOfWeek": 2}}, "1984-10-09"},
		// Of two times that the clocks show, a truncated one stays in the same.
		{DateTime, "hour", later, Fields{}, "2017-10-29T02:00+01:00[Europe/Paris]"}, {DateTime, "hour", later, Fields{Numbers: map[string]int64{"minute": 59}}, "2017-10-29T02:59+01:00[Europe/Paris]"},
		{DateTime, "day", later, Fields{}, "2017-10-29T00:00+02:00[Europe/Paris]"}, {Time, "hour", later, Fields{}, "02:00+01:00"}, {Time, "day", later, Fields{}, "00:00+01:00"},
		{DateTime, "month", later, Fields{Numbers: map[string]int64{"day": 30}}, "2017-10-30T00:00+01:00[Europe/Paris]"},
		{Time, "hour", mustPoint(t, LocalTime, "12:30"), Fields{Zone: "Europe/Paris"}, "12:00+02:00"}, {Time, "hour", later, Fields{Zone: "America/New_York"}, "02:00-04:00"},
		{Date, "hour", at, Fields{}, "!"}, {LocalDateTime, "hour", at.As(Date), Fields{}, "!"}, {Date, "day", at.As(LocalTime), Fields{}, "!"}, {LocalTime, "month", at, Fields{}, "!"}, {Date, "fortnight", at, Fields{}, "!"}, {LocalTime, "hour", at, Fields{Numbers: map[string]int64{"day": 1}}, "!"},
	} {
		p, err := Truncate(c.kind, c.unit, c.of, c.f, summer)
		if c.want == "!" && err == nil || c.want != "!" && (err != nil || p.String() != c.want) {
			t.Errorf("%v to a %s, a %s: %v (%v), want %s", c.of, c.unit, c.kind, p, err, c.want)
		}
	}
}

// Compare is a total order in which only equal points are level.
func TestCompare(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	points := make([]Point, 300)
	for i := range points {
		points[i] = randomPoint(rng)
		if i > 0 && rng.IntN(3) == 0 {
			points[i] = points[i-1]
			points[i].Offset = 0
			points[i].Zone = ""
		}
	}
	for _, p := range points {
		for _, q := range points {
			c := Compare(p, q)
			if c != -Compare(q, p) || (c == 0) != (p == q) {
				t.Fatalf("seed %d: %v and %v: %d", seed, p, q, c)
			}
			r := points[rng.IntN(len(points))]
			if c < 0 && Compare(q, r) < 0 && Compare(p, r) >= 0 {
				t.Fatalf("seed %d: not transitive on %v, %v, %v", seed, p, q, r)
			}
		}
	}
	west, east := mustPoint(t, DateTime, "2000-01-01T00:00-05:00"), mustPoint(t, DateTime, "2000-01-01T05:00Z")
	if Compare(west, east) >= 0 || Compare(west, mustPoint(t, DateTime, "2000-01-01T04:00Z")) <= 0 {
		t.Error("datetimes are not ordered by the instant and then from west to east")
	}
}

func TestComponents(t *testing.T) {
	for k := Date; k <= DateTime; k++ {
		p := Point{Kind: k}
		for _, name := range Components(k) {
			_, number := p.Component(name)
			_, text := p.Text(name)
			if number == text {
				t.Errorf("%s of a %s: number %v, text %v", name, k, number, text)
			}
		}
	}
	d := mustDuration(t, "P1Y5M10DT1H1M1.5S")
	var got []string
	for _, name := range DurationComponents() {
		n, known, err := d.Component(name)
		if !known || err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got = append(got, fmt.Sprint(name, "=", n))
	}
	if want := "days=10 daysOfWeek=3 hours=1 microseconds=3661500000 microsecondsOfSecond=500000 milliseconds=3661500 millisecondsOfSecond=500 minutes=61 minutesOfHour=1 months=17 monthsOfQuarter=2 monthsOfYear=5 nanoseconds=3661500000000 nanosecondsOfSecond=500000000 quarters=5 quartersOfYear=1 seconds=3661 secondsOfMinute=1 weeks=1 years=1"; strings.Join(got, " ") != want {
		t.Errorf("got %s", strings.Join(got, " "))
	}
	if _, _, err := (Duration{Seconds: 1 << 60}).Component("nanoseconds"); err != ErrRange {
		t.Error(err)
	}
	if p, err := FromTime(time.Date(2020, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))); err != nil || p.String() != "2020-01-02T03:04:05.000000006+01:00" {
		t.Error(p, err)
	}
}

// FuzzParse: any text gives an error or a value that is written and read as itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"2015-07-21T21:40:32.142+01:00[Europe/London]", "2015W302", "214032.142Z", "P1Y2M3W4DT5H6M7.8S", "P2012-02-02T14:37:21.545", "-P1D"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for k := Date; k <= DateTime; k++ {
			p, err := Parse(k, s)
			if err != nil {
				continue
			}
			if q, err := Parse(k, p.String()); err != nil || q != p || p.Check() != nil {
				t.Errorf("%q is %v, which is read as %v (%v)", s, p, q, err)
			}
		}
		if d, err := ParseDuration(s); err == nil {
			if e, err := ParseDuration(d.String()); err != nil || e != d {
				t.Errorf("%q is %v, which is read as %v (%v)", s, d, e, err)
			}
		}
	})
}
