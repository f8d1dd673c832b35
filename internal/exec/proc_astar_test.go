package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/device"
	"github.com/motifql/motif/internal/value"
)

// places is a random graph of nodes with coordinates, in one property and in two, and of relationships with lengths.
func places(t *testing.T, rng *rand.Rand, n int) *csr.Snapshot {
	t.Helper()
	b := csr.NewBuilder()
	b.AddVertices(n)
	typ, length, lat, lon, at := b.Type("R"), b.Key("w"), b.Key("lat"), b.Key("lon"), b.Key("at")
	for v := range uint32(n) {
		y, x := rng.Float64()*10, rng.Float64()*10
		b.SetVertex(v, lat, csr.FloatCell(y))
		b.SetVertex(v, lon, csr.IntCell(int64(x)))
		p, err := value.PointOf(&value.MapValue{Keys: []string{"x", "y"}, Values: []value.Value{value.OfFloat(x), value.OfFloat(y)}})
		if err != nil {
			t.Fatal(err)
		}
		cell, err := p.Cell()
		if err != nil {
			t.Fatal(err)
		}
		b.SetVertex(v, at, cell)
	}
	for range 3 * n {
		b.SetEdge(b.AddEdge(rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n)), typ), length, csr.FloatCell(rng.Float64()*20))
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAStar compares the costs between all pairs of nodes with those of Yen's algorithm, for every way to estimate.
func TestAStar(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 5))
	for range 20 {
		q := &query{s: places(t, rng, 1+rng.IntN(12)), device: device.CPU{}}
		rest := fmt.Sprintf(", weight: 'w', direction: '%s'}) YIELD path, cost RETURN id(a) AS a, id(b) AS b, cost, "+
			"reduce(c = 0.0, r IN relationships(path) | c + r.w) AS sum ORDER BY a, b", []string{"OUT", "IN", "BOTH"}[rng.IntN(3)])
		want, err := q.rows(t, "MATCH (a), (b) CALL algo.kShortestPaths(a, b, {k: 1"+rest)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{"position: 'at'", "latitude: 'lat', longitude: 'lon'", "estimate: 'lon'"} {
			if got, err := q.rows(t, "MATCH (a), (b) CALL algo.aStar(a, b, {"+by+rest); err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: %v, %v; want %v", seed, by, got, err, want)
			}
		}
	}
}

// Each wrong way to ask for estimates has an error that says what to do.
func TestAStarErrors(t *testing.T) {
	q := &query{s: line(t, 4), device: device.CPU{}}
	for options, want := range map[string]string{
		"":                                  "needs one of the options `position`, `estimate`, or `latitude` with `longitude`",
		"latitude: 'x'":                     "needs one of the options",
		"position: 'x', estimate: 'x'":      "needs one of the options",
		"position: 'x'":                     "has no property x that is a point",
		"estimate: 'none'":                  "has no property none that is a number",
		"latitude: 'x', longitude: 'none'":  "has no property x that is a place in degrees",
		"estimate: 3":                       "the option `estimate` needs a string, not an integer",
		"estimate: 'x', weight: 'x'":        "is missing",
		"estimate: 'x', direction: 'AHEAD'": "AHEAD",
	} {
		if _, err := q.rows(t, "CALL algo.aStar(0, 3, {"+options+"}) YIELD cost RETURN cost"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("{%s}: %v", options, err)
		}
	}
	if got, err := q.rows(t, "CALL algo.aStar(0, 3, {estimate: 'x'}) YIELD cost RETURN cost"); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}
