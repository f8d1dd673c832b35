package lang

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const libraryHead = `# Functions

Names of functions are read in any letter case. If an argument is null, the result is null, unless the description says otherwise. An
argument of a type that a function does not take is an error: before the query runs if that is known, else when it is met.
A parameter with a question mark can be left out. This page is made from the table that the parser itself uses, and what the examples
say is tested.

`

const libraryTimes = `A value is a date, a local time (without a zone), a time (with an offset from UTC), a local datetime, a datetime (with an
offset or a named zone) or a duration. Years go from -999999999 to 999999999, times to the nanosecond. Zones are offsets (` + "`+01:00`, `Z`" + `) or
names of the IANA data base, that of the machine or else one that comes with the program; without a zone, UTC is meant.

Texts are read in the basic and extended forms of ISO 8601, with calendar, week and ordinal dates, and written in the extended one:
` + "`2015-07-21T21:40:32.142+01:00[Europe/London]`" + `. Maps give a date by ` + "`year`, `month`, `day`" + ` or ` + "`year`, `week`, `dayOfWeek`" + ` or ` + "`year`, `quarter`, `dayOfQuarter`" + ` or
` + "`year`, `ordinalDay`" + `, a time by ` + "`hour`, `minute`, `second`, `millisecond`, `microsecond`, `nanosecond`" + `, a zone by ` + "`timezone`" + `, an instant by ` + "`epochSeconds`" + ` or
` + "`epochMillis`" + `; ` + "`date`, `time` and `datetime`" + ` take a part of another value, which the numbers beside them then change.

The same names, and ` + "`weekYear`, `offset`, `offsetMinutes` and `offsetSeconds`" + `, ask a value for a part: ` + "`d.year`" + `. Durations have ` + "`years`, `quarters`, `months`" + `,
` + "`weeks`, `days`" + ` and ` + "`hours`, `minutes`, `seconds`, `milliseconds`, `microseconds`, `nanoseconds`" + `, each counting all months, all days or all seconds, and
` + "`monthsOfYear`, `daysOfWeek`, `minutesOfHour`, `secondsOfMinute`" + ` and the like for what is left over.

A duration is added to and subtracted from dates, times and durations, and multiplied with and divided by numbers. It keeps months, days and seconds apart, since
a month has no fixed number of days and a day not always 24 hours; adding it moves by months (to the last day of a month that is too
short), then days, then seconds. A date takes whole days of the seconds. Parts of a month become days by the mean length of 30.436875 days.

Values of one type are compared with ` + "`<`" + ` by the instant, then by the offset from west to east, then by the zone's name; of different types, and for durations, the
answer is null. Equal are only values of one type with the same instant and zone, and durations with the same months, days and seconds.
ORDER BY puts datetimes, local datetimes, dates, times, local times and durations in this order.

Where clocks are set forward, a time that they skip is moved on; where they are set back, the earlier of the two times is meant.

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
				b.WriteString("An aggregate makes one value of the rows of a group; it passes over nulls, and with DISTINCT over values that it has met. " +
					"In the examples, the rows are x = 1, 2, 2, null.\n\n")
			}
			switch group {
			case Functions[0].Group:
				fmt.Fprintf(&b, "The examples are about the graph `%s`.\n\n", ExampleGraph)
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
	if *rewrite {
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
