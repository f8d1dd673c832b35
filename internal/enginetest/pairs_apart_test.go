package enginetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/join"
)

// TestPairsApart counts long paths by their ends, which a condition keeps apart. The sums leave out the terms in which both ends are one node,
// and without these the number of a node with itself is below 0.
func TestPairsApart(t *testing.T) {
	defer join.AlwaysPairs()()
	db := kernelGraph(t, 8)
	defer db.Close()
	const query = "MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e) WHERE id(a) < id(e) RETURN id(a) AS x, id(e) AS y, count(*) AS n ORDER BY n DESC, x, y"
	want, err := answer(t, db, query, motif.WithoutTechniques("pair-sums"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := answer(t, db, query)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d rows, %v; want %d", len(got), err, len(want))
	}
	if text := profile(t, db, query); !strings.Contains(text, "pair-sums:") {
		t.Errorf("no sums were taken:\n%s", text)
	}
}
