package lang

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const libraryHead = `# Functions

Names of functions are read in any letter case. A null argument makes the result null, unless the description says otherwise. An argument of
the wrong type is an error. Motif reports it before the query runs if it can tell, and otherwise when it meets the value.
The tables show each function as ` + "`name(parameters) :: type of the result`" + `. You may omit a parameter that has a question mark. A test writes this page from the parser's own table, and runs the examples.

`

const libraryTimes = `The types are date, local time, time, local datetime, datetime and duration. Local times and local datetimes have no zone. A time has an offset from
UTC, and a datetime has an offset or a named zone. Years go from -999999999 to 999999999, and times to the nanosecond.

A zone is an offset (` + "`+01:00`" + `, ` + "`Z`" + `) or a name of the IANA time zone database. Motif uses the database of the machine. If there is none, it uses the database that is built
into the program. The default zone is UTC.

Motif reads the basic and the extended form of ISO 8601, with calendar, week and ordinal dates. It writes the extended form:
` + "`2015-07-21T21:40:32.142+01:00[Europe/London]`" + `.

A map describes a value by its parts:

| part | keys |
|---|---|
| a date | ` + "`year`" + `, ` + "`month`" + `, ` + "`day`" + `; ` + "`year`" + `, ` + "`week`" + `, ` + "`dayOfWeek`" + `; ` + "`year`" + `, ` + "`quarter`" + `, ` + "`dayOfQuarter`" + `; or ` + "`year`" + `, ` + "`ordinalDay`" + ` |
| a time | ` + "`hour`" + `, ` + "`minute`" + `, ` + "`second`" + `, ` + "`millisecond`" + `, ` + "`microsecond`" + `, ` + "`nanosecond`" + ` |
| a zone | ` + "`timezone`" + ` |
| an instant | ` + "`epochSeconds`" + ` or ` + "`epochMillis`" + ` |
| parts taken from another value | ` + "`date`" + `, ` + "`time`" + `, ` + "`datetime`" + `; other keys in the map replace single parts of it; then ` + "`timezone`" + ` moves the result to its zone |

In ` + "`datetime({date: date('2020-01-10'), time: time('01:00+02:00'), day: 30, timezone: 'UTC'})`" + `, ` + "`day`" + ` replaces the day of the date, which gives
` + "`2020-01-30T01:00+02:00`" + `. Then ` + "`timezone`" + ` moves the result to UTC: ` + "`2020-01-29T23:00Z[UTC]`" + `.

The same keys read a part of a value: ` + "`d.year`" + `. You can also read ` + "`weekYear`" + `, ` + "`offset`" + `, ` + "`offsetMinutes`" + ` and ` + "`offsetSeconds`" + `. A duration has these parts:

| part | value |
|---|---|
| ` + "`years`" + `, ` + "`quarters`" + `, ` + "`months`" + ` | all its months, in this unit: of 14 months, ` + "`years`" + ` is 1 |
| ` + "`weeks`" + `, ` + "`days`" + ` | its days without its months, in this unit: of P1M3D, ` + "`days`" + ` is 3 |
| ` + "`hours`" + `, ` + "`minutes`" + `, ` + "`seconds`" + `, ` + "`milliseconds`" + `, ` + "`microseconds`" + `, ` + "`nanoseconds`" + ` | all its seconds, in this unit |
| ` + "`monthsOfYear`" + `, ` + "`daysOfWeek`" + `, ` + "`minutesOfHour`" + `, ` + "`secondsOfMinute`" + ` and the like | what is left after whole larger units: of 14 months, ` + "`monthsOfYear`" + ` is 2 |

` + "`duration.between`" + ` counts whole months first. For a number of days take ` + "`duration.inDays(from, to).days`" + `.

You can add a duration to dates, times and durations, or subtract it from them. You can multiply or divide it by a number. A duration
keeps months, days and seconds apart, because months differ in length and a day does not always have 24 hours. Motif adds the months first,
then the days, then the seconds. If the target month is too short, its last day is taken. A date has no time of day, so it
takes only whole days from the seconds of an added duration. A fraction of a month becomes days: a month counts as its mean length of 30.436875 days.

` + "`<`" + ` compares two values of the same type: first the instants, then the offsets from west to east, then the zones' names. For values of different types
and for durations, the result is null. Two values are equal if they have the same type, instant and zone. Two durations are equal if they
have the same months, days and seconds. ` + "`ORDER BY`" + ` sorts by type first: datetimes, local datetimes, dates, times, local times, durations.

A local time that does not exist, because clocks were set forward, moves forward by the same amount. When clocks are set back, an hour occurs twice; the earlier instant is taken.

`

// reference writes docs/functions.md from the table of functions.
func reference() string {
	var b strings.Builder
	b.WriteString(libraryHead)
	group := ""
	for _, f := range Functions {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "## %s\n\n", group)
			if f.Aggregate {
				b.WriteString("An aggregate makes one value from the rows of a group. It ignores nulls. With DISTINCT it counts equal values once. " +
					"In the examples, the rows are x = 1, 2, 2, null.\n\n")
			}
			switch group {
			case Functions[0].Group:
				fmt.Fprintf(&b, "The examples use the graph `%s`. There, `p` is the path from `a` to `b`.\n\n", ExampleGraph)
			case "Dates and times":
				b.WriteString(libraryTimes)
			}
			b.WriteString("| function | | example | is |\n|---|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | `%s` |\n", f.Signature, f.Help, f.Example, f.Value)
		if i := functionAfter(f.Name); i == len(Functions) || Functions[i].Group != group {
			b.WriteString("\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func functionAfter(name string) int {
	for i := range Functions {
		if Functions[i].Name == name {
			return i + 1
		}
	}
	return 0
}

// docs/functions.md is what the table of functions says; -rewrite writes it.
func TestFunctionReference(t *testing.T) {
	const file = "../docs/functions.md"
	if rewrites() {
		if err := os.WriteFile(file, []byte(reference()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil || string(data) != reference() {
		t.Errorf("%s is not what the functions say (%v); write it with: go test ./lang -run TestFunctionReference -rewrite", file, err)
	}
	for _, f := range Functions {
		if f.Example == "" || f.Value == "" || !strings.Contains(strings.ToLower(f.Example), strings.ToLower(f.Name)+"(") {
			t.Errorf("%s has no example", f.Name)
		}
		if x, err := ParseExpr(f.Example); err != nil {
			t.Errorf("%s: %v", f.Example, err)
		} else if Text(x) == "" {
			t.Errorf("%s has no text", f.Example)
		}
	}
}
