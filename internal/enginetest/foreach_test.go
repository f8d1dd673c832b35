package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// hiding writes FOREACH clauses inside each other, whose variables hide others: once so, and once with a name of its own for each.
type hiding struct {
	*rand.Rand
	own int
}

// foreach returns both texts. of has the own names of x and y.
func (h *hiding) foreach(depth int, of map[string]string) (hidden, plain string) {
	names := []string{"x", "y"}
	from, name := names[h.IntN(2)], names[h.IntN(2)]
	h.own++
	own := fmt.Sprint("v", h.own)
	inner := map[string]string{"x": of["x"], "y": of["y"]}
	inner[name] = own
	create := "CREATE (:K {x: %s, y: %s})"
	hidden, plain = fmt.Sprintf(create, "x", "y"), fmt.Sprintf(create, inner["x"], inner["y"])
	for range h.IntN(3) {
		if depth > 0 {
			a, b := h.foreach(depth-1, inner)
			hidden, plain = hidden+" "+a, plain+" "+b
		}
	}
	list := []string{"[%[1]s, %[1]s + 1]", "range(1, %[1]s %% 3)", "[y IN [%[1]s, 7] | y * 2]"}[h.IntN(3)]
	return fmt.Sprintf("FOREACH (%s IN %s | %s)", name, fmt.Sprintf(list, from), hidden), fmt.Sprintf("FOREACH (%s IN %s | %s)", own, fmt.Sprintf(list, of[from]), plain)
}

// TestForeachHides compares variables of FOREACH that hide others with variables that have names of their own.
func TestForeachHides(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	h := &hiding{Rand: rand.New(rand.NewPCG(seed, 21))}
	for range 150 {
		hidden, plain := h.foreach(2, map[string]string{"x": "x", "y": "y"})
		var got [2][]string
		for i, text := range []string{hidden, plain} {
			db, err := motif.Open(":memory:")
			if err != nil {
				t.Fatal(err)
			}
			got[i] = append(sortedRows(t, db, "UNWIND [1, 2, 5] AS x WITH x, x + 10 AS y "+text+" RETURN x, y"), sortedRows(t, db, "MATCH (k:K) RETURN k.x, k.y")...)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if len(got[0]) <= 3 || !slices.Equal(got[0], got[1]) {
			t.Fatalf("seed %d: %s gives\n%q\nand %s\n%q", seed, hidden, got[0], plain, got[1])
		}
	}
}
