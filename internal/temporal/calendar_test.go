package temporal

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Day numbers against a loop that goes day by day, and against Go's own calendar.
func TestCalendarDayByDay(t *testing.T) {
	year, month, day := int64(-405), 1, 1
	n := dayOf(year, month, day)
	for ; year < 2805; n++ {
		if y, m, d := civil(n); y != year || m != month || d != day || dayOf(y, m, d) != n {
			t.Fatalf("day %d is %d-%d-%d, want %d-%d-%d", n, y, m, d, year, month, day)
		}
		at := time.Unix(n*secondsPerDay, 0).UTC()
		wy, w := at.ISOWeek()
		if y, k := isoWeek(n); y != int64(wy) || k != w || weekday(n) != int(at.Weekday()+6)%7+1 {
			t.Fatalf("%v: week %d of %d, day %d", at, k, y, weekday(n))
		}
		p := Point{Kind: Date, Day: n}
		if got, _ := p.Component("ordinalDay"); got != int64(at.YearDay()) {
			t.Fatalf("%v: ordinal day %d", at, got)
		}
		if day++; day > monthLen(year, month) {
			day, month = 1, month+1
		}
		if month > 12 {
			month, year = 1, year+1
		}
	}
	if y, m, d := civil(minDay); y != -maxYear || m != 1 || d != 1 {
		t.Errorf("the first day is %d-%d-%d", y, m, d)
	}
	if y, m, d := civil(maxDay); y != maxYear || m != 12 || d != 31 {
		t.Errorf("the last day is %d-%d-%d", y, m, d)
	}
}

// Each way to name a day finds the day that has these components.
func TestDaysByComponents(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		p := Point{Kind: Date, Day: rng.Int64N(4_000_000) - 2_000_000}
		c := func(name string) int64 { n, _ := p.Component(name); return n }
		for how, f := range map[string]func() (int64, error){
			"calendar": func() (int64, error) { return calendarDay(c("year"), c("month"), c("day")) },
			"week":     func() (int64, error) { return weekDay(c("weekYear"), c("week"), c("dayOfWeek")) },
			"quarter":  func() (int64, error) { return quarterDay(c("year"), c("quarter"), c("dayOfQuarter")) },
			"ordinal":  func() (int64, error) { return ordinalDay(c("year"), c("ordinalDay")) },
		} {
			if n, err := f(); err != nil || n != p.Day {
				t.Fatalf("seed %d: %s of %v is %d (%v), want %d", seed, how, p, n, err, p.Day)
			}
		}
	}
}

func TestMonthsOneByOne(t *testing.T) {
	for start := dayOf(1999, 12, 29); start < dayOf(2000, 3, 2); start++ {
		_, _, day := civil(start)
		y, m, _ := civil(start)
		for n := int64(0); n < 60; n++ {
			want := dayOf(y, m, min(day, monthLen(y, m)))
			if got, err := addMonths(start, n); err != nil || got != want {
				t.Fatalf("%d months after day %d is %d (%v), want %d", n, start, got, err, want)
			}
			if m++; m > 12 {
				y, m = y+1, 1
			}
		}
	}
	for _, n := range []int64{1, 1 << 62, -1 << 63} {
		if _, err := addMonths(maxDay, n); n > 0 && err != ErrRange {
			t.Errorf("%d months after the last day: %v", n, err)
		}
		if _, err := addMonths(minDay, n); n < 0 && err != ErrRange {
			t.Errorf("%d months after the first day: %v", n, err)
		}
	}
}

var zones = []string{"Europe/Stockholm", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago", "Pacific/Apia", "Africa/Casablanca"}

// A local time in a zone against all instants it may be: every offset that any zone has had since 1950.
func TestLocalTimes(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 30000 {
		z, err := parseZone(zones[rng.IntN(len(zones))])
		if err != nil {
			t.Fatal(err)
		}
		secs := dayOf(1975, 1, 1)*secondsPerDay + rng.Int64N(50*365*secondsPerDay/900)*900
		if rng.IntN(2) == 0 { // near a change of the clocks
			_, end := time.Unix(secs, 0).In(z.loc).ZoneBounds()
			if end.IsZero() {
				continue
			}
			secs = end.Unix() + int64(z.at(end.Unix())) + (rng.Int64N(17)-8)*900
		}
		p, err := z.local(floorDiv(secs, secondsPerDay), floorMod(secs, secondsPerDay)*nanosPerSecond)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(-1 << 62) // the earliest instant
		for off := int64(14 * 3600); off >= -14*3600; off -= 900 {
			if z.at(secs-off) == int32(off) {
				want = secs - off
				break
			}
		}
		got, _ := p.instant()
		if want > -1<<62 && got != want {
			t.Fatalf("seed %d: %v in %s is at %d, want %d", seed, p, z.name(), got, want)
		}
		if want == -1<<62 && (z.at(got) != p.Offset || got+int64(p.Offset) <= secs) {
			t.Fatalf("seed %d: %v in %s, which the clocks skip, is not moved on: %d", seed, p, z.name(), secs)
		}
	}
}
