package enginetest

import (
	"slices"
	"testing"

	"github.com/motifql/motif"
)

// answerCase is a query and its rows, as fmt.Sprint prints them, sorted unless the query sorts them.
type answerCase struct {
	text string
	want []string
}

// checkAnswers runs each query on the graph that setup makes, with the engine and by brute force.
func checkAnswers(t *testing.T, setup string, cases []answerCase) {
	t.Helper()
	db, err := motif.Open(":memory:", motif.WithWorkers(2))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := runStatement(db, setup, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, opts := range [][]motif.QueryOption{nil, {motif.WithBruteForce()}} {
			rows, err := db.Query(t.Context(), c.text, nil, opts...)
			if err != nil {
				t.Errorf("%s\n%v", c.text, err)
				continue
			}
			rows.Close()
			got, err := answer(t, db, c.text, opts...)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s\ngave %q, %v, not %q (brute force: %t)", c.text, got, err, c.want, opts != nil)
			}
		}
	}
}

// TestNegativeZero follows the sign of a zero through literals, properties, lists and groups.
func TestNegativeZero(t *testing.T) {
	checkAnswers(t, "CREATE (:A {x: -0.0, l: [-0.0]}), (:B {x: 0.0})", []answerCase{
		{"RETURN toString(-0.0)", []string{"-0.0"}},
		{"RETURN toString(1.0 / -0.0)", []string{"-Infinity"}},
		{"RETURN toString(-.0) + toString(-0e0) + toString(- 0.0) + toString(-(0.0)) + toString(0 * -1.0)", []string{"-0.0-0.0-0.0-0.0-0.0"}},
		{"RETURN -0", []string{"0"}},
		{"MATCH (n) RETURN toString(1 / n.x) AS s ORDER BY s", []string{"-Infinity", "Infinity"}},
		{"MATCH (n:A) SET n.y = n.l[0] RETURN toString(n.y)", []string{"-0.0"}},
		{"MATCH (n) WHERE n.x = 0.0 AND n.x = -0.0 AND n.x = 0 RETURN count(*)", []string{"2"}},
		{"MATCH (n {x: -0.0}) RETURN count(*)", []string{"2"}},
		{"MATCH (n) WHERE n.x IN [-0.0] AND NOT n.x < 0.0 AND NOT n.x > -0.0 RETURN count(*)", []string{"2"}},
		{"MATCH (n) WITH n.x AS x, count(*) AS n RETURN n", []string{"2"}},
		{"UNWIND [0.0, -0.0, 0] AS x RETURN count(DISTINCT x)", []string{"1"}},
	})
}

// TestZoneOfSelectedTime selects parts of datetimes and moves the result into a zone.
func TestZoneOfSelectedTime(t *testing.T) {
	const given = "WITH date('2020-03-01') AS d, datetime('2020-01-11T12:00[Europe/Berlin]') AS t RETURN toString("
	checkAnswers(t, "CREATE ()", []answerCase{
		{given + "datetime({date: d, time: t, day: 30, timezone: 'Z'}))", []string{"2020-03-30T10:00Z"}},
		{given + "datetime({date: d, time: t, day: 30, timezone: 'UTC'}) - duration('PT10H'))", []string{"2020-03-30T00:00Z[UTC]"}},
		{given + "datetime({date: d, time: t, timezone: 'Z'}))", []string{"2020-03-01T11:00Z"}},
		{given + "datetime({datetime: t, month: 7, timezone: 'Z'}))", []string{"2020-07-11T10:00Z"}},
		{given + "localdatetime({date: d, time: t, day: 30}))", []string{"2020-03-30T12:00"}},
		{given + "time({time: t, hour: 23, timezone: '+05:00'}))", []string{"03:00+05:00"}},
		{given + "datetime.truncate('month', t, {month: 7, timezone: 'Z'}))", []string{"2020-07-01T00:00Z"}},
		{given + "datetime.truncate('day', t, {month: 7}))", []string{"2020-07-11T00:00+02:00[Europe/Berlin]"}},
	})
}
