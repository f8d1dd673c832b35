package lang

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const libraryHead = `# Functions

Names of functions are read in any letter case. A null argument makes the result null, unless the description says otherwise. An argument of
the wrong type is an error: before the query runs if Motif can tell, else when it meets the value.
A parameter with a question mark can be left out. A test writes this page from the parser's own table, and runs the examples.

`

const libraryTimes = `A value is a date, a local time, a time, a local datetime, a datetime or a duration. Local ones have no zone. A time has an offset from
UTC, and a datetime has an offset or a named zone. Years go from -999999999 to 999999999, and times to the nanosecond.

A zone is an offset (` + "`+01:00`" + `, ` + "`Z`" + `) or a name of the IANA data base. Motif takes the data base of the machine, or else the one that comes with
the program. Without a zone, UTC is meant.

Texts are read in the basic and the extended form of ISO 8601, with calendar, week and ordinal dates. They are written in the extended form:
` + "`2015-07-21T21:40:32.142+01:00[Europe/London]`" + `.

A map gives a value by its parts:

| part | keys |
|---|---|
| a date | ` + "`year`" + `, ` + "`month`" + `, ` + "`day`" + `; ` + "`year`" + `, ` + "`week`" + `, ` + "`dayOfWeek`" + `; ` + "`year`" + `, ` + "`quarter`" + `, ` + "`dayOfQuarter`" + `; or ` + "`year`" + `, ` + "`ordinalDay`" + ` |
| a time | ` + "`hour`" + `, ` + "`minute`" + `, ` + "`second`" + `, ` + "`millisecond`" + `, ` + "`microsecond`" + `, ` + "`nanosecond`" + ` |
| a zone | ` + "`timezone`" + ` |
| an instant | ` + "`epochSeconds`" + ` or ` + "`epochMillis`" + ` |
| a part of another value | ` + "`date`" + `, ` + "`time`" + `, ` + "`datetime`" + `; the numbers beside them change it |

The same names ask a value for a part: ` + "`d.year`" + `. So do ` + "`weekYear`" + `, ` + "`offset`" + `, ` + "`offsetMinutes`" + ` and ` + "`offsetSeconds`" + `. The parts of a duration:

| parts | count |
|---|---|
| ` + "`years`" + `, ` + "`quarters`" + `, ` + "`months`" + ` | all its months |
| ` + "`weeks`" + `, ` + "`days`" + ` | all its days |
| ` + "`hours`" + `, ` + "`minutes`" + `, ` + "`seconds`" + `, ` + "`milliseconds`" + `, ` + "`microseconds`" + `, ` + "`nanoseconds`" + ` | all its seconds |
| ` + "`monthsOfYear`" + `, ` + "`daysOfWeek`" + `, ` + "`minutesOfHour`" + `, ` + "`secondsOfMinute`" + ` and the like | what is left over |

A duration can be added to dates, times and durations, and subtracted from them. It can be multiplied with a number, and divided by one. It
keeps months, days and seconds apart, because a month has no fixed number of days and a day not always 24 hours. Adding it moves by months,
then days, then seconds. A month that is too short ends the move by months at its last day. A date takes whole days of the seconds. Parts of
a month become days by the mean length of 30.436875 days.

` + "`<`" + ` compares values of one type by the instant, then by the offset from west to east, then by the zone's name. For values of different types
and for durations, the answer is null. Two values are equal if they have the same type, instant and zone. Two durations are equal if they
have the same months, days and seconds. ORDER BY puts datetimes, local datetimes, dates, times, local times and durations in this order.

Where clocks are set forward, a time that they skip is moved on. Where they are set back, the earlier of the two times is meant.

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
				b.WriteString("An aggregate makes one value of the rows of a group. It passes over nulls, and with DISTINCT over values that it has met. " +
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
