package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// SET n:$(x) and REMOVE n:$(x) do what SET and REMOVE do with the labels that x names, on random graphs and lists.
func TestGivenLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 2))
	db, err := motif.Open(":memory:", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(text string, params motif.Params) {
		if _, err := db.Exec(t.Context(), text, params); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	names := []string{"A", "B", "C", "d e"}
	model := map[int64][]string{}
	for i := range int64(8) {
		exec("CREATE ({i: $i})", motif.Params{"i": i})
	}
	for range 300 {
		i := rng.Int64N(8)
		var list []any
		var literal []string
		for range rng.IntN(3) {
			name := names[rng.IntN(len(names))]
			list = append(list, name)
			literal = append(literal, "'"+name+"'")
		}
		plain := names[rng.IntN(3)]
		word := []string{"SET", "REMOVE"}[rng.IntN(2)]
		changed := []string{plain}
		for _, l := range list {
			changed = append(changed, l.(string))
		}
		switch rng.IntN(3) {
		case 0:
			exec(fmt.Sprintf("MATCH (n {i: $i}) %s n:%s:$($list)", word, plain), motif.Params{"i": i, "list": list})
		case 1:
			exec(fmt.Sprintf("MATCH (n {i: $i}) %s n:$([%s]):%s", word, strings.Join(literal, ", "), plain), motif.Params{"i": i})
		default:
			exec(fmt.Sprintf("MATCH (n {i: $i}) %s n:$($one):$($list)", word), motif.Params{"i": i, "one": plain, "list": list})
		}
		for _, l := range changed {
			at := slices.Index(model[i], l)
			switch {
			case word == "SET" && at < 0:
				model[i] = append(model[i], l)
			case word == "REMOVE" && at >= 0:
				model[i] = slices.Delete(model[i], at, at+1)
			}
		}
		rows, err := db.Query(t.Context(), "MATCH (n {i: $i}) UNWIND labels(n) AS l RETURN l ORDER BY l", motif.Params{"i": i})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for name := range motif.Into[string](rows) {
			got = append(got, name)
		}
		slices.Sort(model[i])
		if err := rows.Err(); err != nil || !slices.Equal(got, model[i]) {
			t.Fatalf("%s %v and %v: %v, %v, want %v", word, plain, list, got, err, model[i])
		}
	}
	for _, bad := range []string{"SET n:$(null)", "SET n:$('')", "SET n:$([1])", "REMOVE n:$(n.i)"} {
		if _, err := db.Exec(t.Context(), "MATCH (n) "+bad, nil); err == nil || !strings.Contains(err.Error(), "$()") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// FINISH runs a query to its end and returns nothing, also in a subquery.
func TestFinish(t *testing.T) {
	db, err := motif.Open(":memory:", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{"UNWIND range(1, 5) AS i CREATE ({i: i}) FINISH", "MATCH (n) FINISH", "MATCH (n) CALL (n) { CREATE ({i: 0}) FINISH } FINISH", "RETURN 1 AS x NEXT FINISH"} {
		rows, err := db.Query(t.Context(), text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if rows.Next() || len(rows.Columns()) > 0 || rows.Err() != nil {
			t.Errorf("%s: columns %v, %v", text, rows.Columns(), rows.Err())
		}
		rows.Close()
	}
	rows, err := db.Query(t.Context(), "MATCH (n) RETURN count(*) AS n, sum(n.i) AS s", nil)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil || row.At(0) != int64(10) || row.At(1) != int64(15) {
			t.Errorf("%v, %v", row.Values(), err)
		}
	}
	if _, err := db.Query(t.Context(), "MATCH (n) FINISH RETURN n", nil); err == nil {
		t.Error("a clause follows FINISH")
	}
}
