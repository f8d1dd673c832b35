package importer

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// localDates warns of a column without a type that holds dates as people write them: they stay text.
func localDates(file string, col *column, values []string) (warning string, ok bool) {
	var dates []string
	for _, v := range values {
		if v != "" && !isMissing([]byte(v)) {
			dates = append(dates, v)
		}
	}
	example, expression, other := localDate(dates, col.inQuery())
	if example == "" {
		return "", false
	}
	warning = fmt.Sprintf("%s: column %q holds dates such as %s, and stays text; in queries, %s is the date", file, col.name, example, expression)
	if other != "" {
		warning += ", or, if the day comes before the month, " + other
	}
	return warning, true
}

// localHint says what to do about a number or a date as people write it in a column of another form; "" if s is neither.
// The text ends in a semicolon and a blank.
func (col *column) localHint(s string) string {
	property := col.inQuery()
	s = strings.TrimSpace(s)
	expression, other := "", ""
	switch {
	case (col.kind == kindFloat || col.kind == kindInt) && isLocalNumber(s):
		_, number := localNumber([]string{s}, property)
		if expression = "toFloat(" + number + ") is the number"; strings.Count(s, ",") == 1 && !strings.Contains(s, ".") && strings.HasSuffix(number, "',', '')") {
			other = fmt.Sprintf(", or, if its comma is a decimal comma, toFloat(replace(%s, ',', '.'))", property)
		}
	case col.kind == kindDate:
		_, date, swapped := localDate([]string{s}, property)
		if date == "" {
			return ""
		}
		if expression = date + " is the date"; swapped != "" {
			other = ", or, if the day comes before the month, " + swapped
		}
	default:
		return ""
	}
	return "in queries, " + expression + other + "; "
}

// localDate recognises texts that are all dates as people write them, such as 22.06.1959 and 06/22/1959. It writes the expression
// that makes a date of such a text. Property is the expression of the text. Example is one of the texts, "" if they are no such dates.
// Other is the expression with day and month the other way round, "" if the texts tell which comes first. Empty texts do not count.
func localDate(texts []string, property string) (example, expression, other string) {
	var first, second, order int
	var separator string
	for _, s := range texts {
		if s == "" {
			continue
		}
		sep, parts, yearAt := dateParts(s)
		if sep == "" || separator != "" && (sep != separator || yearAt != order) {
			return "", "", ""
		}
		separator, order = sep, yearAt
		example = cmp.Or(example, s)
		a, b := parts[0], parts[1]
		if yearAt == 0 {
			a, b = parts[1], parts[2]
		}
		first, second = max(first, a), max(second, b)
	}
	if example == "" || first > 31 || second > 31 || first > 12 && second > 12 {
		return "", "", ""
	}
	write := func(year, month, day int) string {
		part := func(i int) string { return fmt.Sprintf("toInteger(split(%s, '%s')[%d])", property, separator, i) }
		return fmt.Sprintf("date({year: %s, month: %s, day: %s})", part(year), part(month), part(day))
	}
	switch {
	case order == 0 && first > 12:
		return "", "", ""
	case order == 0:
		return example, write(0, 1, 2), ""
	case first > 12:
		return example, write(2, 1, 0), ""
	case second > 12:
		return example, write(2, 0, 1), ""
	case separator == ".":
		return example, write(2, 1, 0), ""
	}
	return example, write(2, 0, 1), write(2, 1, 0)
}

// dateParts splits a date such as 22.6.1959 or 1959/06/22 into its numbers. YearAt is the place of the year: 0 or 2.
func dateParts(s string) (separator string, parts [3]int, yearAt int) {
	i := strings.IndexAny(s, "./-")
	if i < 0 || len(s) > len("00.00.0000") {
		return "", parts, 0
	}
	separator = s[i : i+1]
	fields := strings.Split(s, separator)
	if len(fields) != 3 {
		return "", parts, 0
	}
	switch {
	case len(fields[2]) == 4 && len(fields[0]) <= 2:
		yearAt = 2
	case len(fields[0]) != 4 || len(fields[2]) > 2 || separator == "-":
		return "", parts, 0
	}
	for k, f := range fields {
		n, err := strconv.ParseUint(f, 10, 16)
		if err != nil || n == 0 || k == 1 && len(f) > 2 {
			return "", parts, 0
		}
		parts[k] = int(n)
	}
	return separator, parts, yearAt
}
