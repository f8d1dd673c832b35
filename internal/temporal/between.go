package temporal

// Between is the duration from p to q in whole months, then whole days, then seconds. What one of them does not have - a date, a
// zone - it takes from the other; where neither or only one has a date only the times of the day are compared.
func Between(p, q Point) (Duration, error) {
	if !p.Kind.HasDate() || !q.Kind.HasDate() {
		return InSeconds(p, q)
	}
	p, q, err := align(p, q)
	if err != nil {
		return Duration{}, err
	}
	d := Duration{Months: monthsUntil(p, q)}
	if p, err = p.Plus(d); err != nil {
		return d, err
	}
	days := Duration{Days: daysUntil(p, q)}
	if p, err = p.Plus(days); err != nil {
		return d, err
	}
	rest := secondsUntil(p, q)
	rest.Months, rest.Days = d.Months, days.Days
	return rest, nil
}

// InMonths is the duration from p to q in whole months: none where one of them has no date.
func InMonths(p, q Point) (Duration, error) {
	if !p.Kind.HasDate() || !q.Kind.HasDate() {
		return Duration{}, nil
	}
	p, q, err := align(p, q)
	return Duration{Months: monthsUntil(p, q)}, err
}

// InDays is the duration from p to q in whole days: none where one of them has no date.
func InDays(p, q Point) (Duration, error) {
	if !p.Kind.HasDate() || !q.Kind.HasDate() {
		return Duration{}, nil
	}
	p, q, err := align(p, q)
	return Duration{Days: daysUntil(p, q)}, err
}

// InSeconds is the duration from p to q in seconds.
func InSeconds(p, q Point) (Duration, error) {
	p, q, err := align(p, q)
	return secondsUntil(p, q), err
}

// align makes p and q points of the same kind in the same zone, that of p where both have one.
func align(p, q Point) (Point, Point, error) {
	day := int64(0)
	switch {
	case p.Kind.HasDate() && !q.Kind.HasDate():
		day = p.Day
	case q.Kind.HasDate() && !p.Kind.HasDate():
		day = q.Day
	}
	z, err := zoneOf(p)
	if !p.Kind.HasZone() && q.Kind.HasZone() {
		z, err = zoneOf(q)
	}
	if err != nil {
		return p, q, err
	}
	if p, err = p.dated(day, z); err != nil {
		return p, q, err
	}
	if q, err = q.dated(day, z); err == nil {
		q, err = q.in(z)
	}
	return p, q, err
}

// dated is p as a datetime, with a day and a zone in place of those it lacks.
func (p Point) dated(day int64, z zone) (Point, error) {
	if p.Kind.HasDate() {
		day = p.Day
	}
	switch p.Kind {
	case DateTime:
		return p, nil
	case Time:
		z = zone{offset: p.Offset}
	}
	return z.local(day, p.Nano)
}

// monthsUntil is how many whole months lie between two local times, negative if q is the earlier.
func monthsUntil(p, q Point) int64 {
	end := endDay(p, q)
	y, m, d := civil(p.Day)
	y2, m2, d2 := civil(end)
	packed := (y*12+int64(m))*32 + int64(d)
	packed2 := (y2*12+int64(m2))*32 + int64(d2)
	return (packed2 - packed) / 32
}

func daysUntil(p, q Point) int64 { return endDay(p, q) - p.Day }

// endDay is the day of q, or the one towards p where the last of the days between them is not whole.
func endDay(p, q Point) int64 {
	switch {
	case q.Day > p.Day && q.Nano < p.Nano:
		return q.Day - 1
	case q.Day < p.Day && q.Nano > p.Nano:
		return q.Day + 1
	}
	return q.Day
}

func secondsUntil(p, q Point) Duration {
	s, n := p.instant()
	t, m := q.instant()
	d := Duration{Seconds: t - s}
	if n > m {
		d.Seconds--
		m += nanosPerSecond
	}
	d.Nanos = int32(m - n)
	return d
}
