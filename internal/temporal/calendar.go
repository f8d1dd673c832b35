package temporal

import "fmt"

const (
	maxYear = 999_999_999
	minDay  = -365_243_219_162 // -999999999-01-01
	maxDay  = 365_241_780_471  // 999999999-12-31
)

// floorDiv and floorMod divide towards minus infinity. The divisor is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// dayOf is the day number of a date of the calendar, counted in eras of 400 years that begin on the first of March.
func dayOf(year int64, month, day int) int64 {
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	ofEra := year - era*400
	m := int64(month+9) % 12 // March is 0
	ofYear := (153*m+2)/5 + int64(day) - 1
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}

// civil is the date of a day number.
func civil(n int64) (year int64, month, day int) {
	n += 719468
	era := floorDiv(n, 146097)
	doe := n - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	m := (5*doy + 2) / 153
	day = int(doy - (153*m+2)/5 + 1)
	month = int(m + 3)
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func monthLen(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if isLeap(year) {
			return 29
		}
		return 28
	}
	return 31
}

// weekday is 1 for Monday to 7 for Sunday.
func weekday(n int64) int { return int(floorMod(n+3, 7)) + 1 }

// firstWeek is the Monday of the ISO week 1 of a year: the week that has its 4th of January.
func firstWeek(year int64) int64 {
	n := dayOf(year, 1, 4)
	return n - int64(weekday(n)-1)
}

// isoWeek is the ISO week of a day and the year that the week counts to.
func isoWeek(n int64) (year int64, week int) {
	year, _, _ = civil(n - int64(weekday(n)-1) + 3) // the week's Thursday
	return year, int(n-firstWeek(year))/7 + 1
}

func weeksOf(year int64) int64 { return (firstWeek(year+1) - firstWeek(year)) / 7 }

// quarterStart is the first day of a quarter from 1 to 4.
func quarterStart(year int64, quarter int) int64 { return dayOf(year, 3*quarter-2, 1) }

// addMonths moves a day by months; a day that its month does not have becomes the month's last.
func addMonths(n, months int64) (int64, error) {
	year, month, day := civil(n)
	total := year*12 + int64(month) - 1
	sum := total + months
	if (sum > total) != (months > 0) && months != 0 || sum < -maxYear*12 || sum >= (maxYear+1)*12 {
		return 0, ErrRange
	}
	year, month = floorDiv(sum, 12), int(floorMod(sum, 12))+1
	return dayOf(year, month, min(day, monthLen(year, month))), nil
}

func addDays(n, days int64) (int64, error) {
	sum := n + days
	if (sum > n) != (days > 0) && days != 0 || sum < minDay || sum > maxDay {
		return 0, ErrRange
	}
	return sum, nil
}

// within checks a component of a date or time.
func within(what string, v, lo, hi int64) error {
	if v < lo || v > hi {
		return fmt.Errorf("the %s %d is not between %d and %d", what, v, lo, hi)
	}
	return nil
}

// The constructors of day numbers check each component.

func checkYear(year int64) error { return within("year", year, -maxYear, maxYear) }

func calendarDay(year, month, day int64) (int64, error) {
	if err := checkYear(year); err != nil {
		return 0, err
	}
	if err := within("month", month, 1, 12); err != nil {
		return 0, err
	}
	if err := within("day", day, 1, int64(monthLen(year, int(month)))); err != nil {
		return 0, err
	}
	return dayOf(year, int(month), int(day)), nil
}

func weekDay(year, week, day int64) (int64, error) {
	if err := checkYear(year); err != nil {
		return 0, err
	}
	if err := within("week", week, 1, weeksOf(year)); err != nil {
		return 0, err
	}
	if err := within("dayOfWeek", day, 1, 7); err != nil {
		return 0, err
	}
	return addDays(firstWeek(year), (week-1)*7+day-1)
}

func quarterDay(year, quarter, day int64) (int64, error) {
	if err := checkYear(year); err != nil {
		return 0, err
	}
	if err := within("quarter", quarter, 1, 4); err != nil {
		return 0, err
	}
	start := quarterStart(year, int(quarter))
	end := dayOf(year+1, 1, 1)
	if quarter < 4 {
		end = quarterStart(year, int(quarter)+1)
	}
	if err := within("dayOfQuarter", day, 1, end-start); err != nil {
		return 0, err
	}
	return start + day - 1, nil
}

func ordinalDay(year, day int64) (int64, error) {
	if err := checkYear(year); err != nil {
		return 0, err
	}
	last := int64(365)
	if isLeap(year) {
		last = 366
	}
	if err := within("ordinalDay", day, 1, last); err != nil {
		return 0, err
	}
	return dayOf(year, 1, 1) + day - 1, nil
}
