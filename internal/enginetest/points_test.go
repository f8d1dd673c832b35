package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// TestPoints tests expressions with points.
func TestPoints(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE (:Stop {latitude: 55.611784, longitude: 12.994341, city: 'Malmö'})", nil); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"point({x: 1, y: 2})": "point({x: 1.0, y: 2.0, crs: 'cartesian'})",
		"point({latitude: 3, longitude: 4, height: 4321}).height":       "4321",
		"point({latitude: 3, longitude: 4}).x":                          "4",
		"point({latitude: 3, longitude: 4})['crs']":                     "wgs-84",
		"point({x: 1, y: 2, z: 3}).srid":                                "9157",
		"point({x: 1, y: null})":                                        "<nil>",
		"point(null)":                                                   "<nil>",
		"head(COLLECT { MATCH (s:Stop) RETURN point(s) }).latitude":     "55.611784",
		"point({x: 1, y: 2}) = point({x: 1.0, y: 2, crs: 'cartesian'})": "true",
		"point({x: 1, y: 2}) = point({x: 1, y: 2, srid: 4326})":         "false",
		"point({x: 1, y: 2}) = {x: 1, y: 2}":                            "false",
		"point({x: 1, y: 2}) < point({x: 2, y: 3})":                     "<nil>",
		"point({x: 1, y: 2}) IN [1, point({x: 1, y: 2})]":               "true",
		"point({x: 0.0, y: 2}) = point({x: -0.0, y: 2})":                "true",
		"valueType(point({x: 1, y: 2}))":                                "POINT NOT NULL",
		"point({x: 1, y: 2}) IS :: POINT NOT NULL":                      "true",
		"1 IS :: POINT": "false",
		"point({x: 1, y: 2}) IS :: PROPERTY VALUE":                 "true",
		"toString(point({x: 1, y: 2}))":                            "point({x: 1.0, y: 2.0, crs: 'cartesian'})",
		"point.distance(point({x: 0, y: 3}), point({x: 4, y: 0}))": "5",
		"distance(point({x: 0, y: 3}), point({x: 4, y: 0, z: 0}))": "<nil>",
		"point.distance(null, point({x: 1, y: 2}))":                "<nil>",
		"point.withinBBox(point({longitude: 180, latitude: 1}), point({longitude: 179, latitude: 0}), point({longitude: -179, latitude: 2}))": "true",
		"size(COLLECT { UNWIND [point({x: 1, y: 2}), point({x: 1.0, y: 2.0})] AS p RETURN DISTINCT p })":                                      "1",
		"COLLECT { UNWIND [point({x: 2, y: 1}), point({latitude: 1, longitude: 1}), point({x: 1, y: 9})] AS p RETURN p.srid ORDER BY p }":     "[4326 7203 7203]",
		"COLLECT { UNWIND ['a', point({x: 2, y: 1}), 1, null, [1]] AS p RETURN valueType(p) ORDER BY p }":                                     "[LIST<INTEGER NOT NULL> NOT NULL POINT NOT NULL STRING NOT NULL INTEGER NOT NULL NULL]",
		"CAST({x: 1, y: 2} AS POINT).y": "2",
	} {
		rows, err := db.Query(t.Context(), "RETURN "+text+" AS x", nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := motif.One[any](rows); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"point({x: 1})":                        "a point has x and y, or longitude and latitude",
		"point({x: 1, y: 'a'})":                "the y of a point is a number, not 'a'",
		"point({x: 1, y: 2, w: 3})":            "a point has no part 'w'",
		"point({x: 1, y: 2}).z":                "a point of cartesian has no z",
		"point({x: 1, y: 2}).latitude":         "a point of cartesian has no latitude",
		"point({latitude: 91, longitude: 1})":  "a latitude lies between -90 and 90, not at 91",
		"point({x: 0.0 / 0.0, y: 1})":          "a coordinate of a point is a finite number",
		"point([1, 2][toInteger(rand())])":     "point() takes a map, a node or a relationship, not an integer",
		"point.distance(head([1]), head([2]))": "point.distance() takes points, not an integer",
	} {
		rows, err := db.Query(t.Context(), "RETURN "+text+" AS x", nil)
		if err == nil {
			_, err = motif.One[any](rows)
		}
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestPointProperties keeps random points in a store, opens it again, and compares conditions on them with a model.
func TestPointProperties(t *testing.T) {
	dir := t.TempDir()
	db, err := motif.Open(dir, motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	var points []motif.Point
	for range 200 {
		p := motif.Point{SRID: []int{7203, 9157, 4326, 4979}[r.IntN(4)], X: float64(r.IntN(5)), Y: float64(r.IntN(5))}
		if p.SRID == 9157 || p.SRID == 4979 {
			p.Z = float64(r.IntN(2))
		}
		points = append(points, p)
	}
	if _, err := db.Exec(t.Context(), "CREATE INDEX FOR (n:P) ON (n.at)", nil); err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(t.Context(), "UNWIND $points AS p CREATE (:P {at: p, also: [p, p]})", motif.Params{"points": points})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, p := range points[:50] {
			same, near := int64(0), int64(0)
			for _, q := range points {
				if p == q {
					same++
				}
				if p.SRID == q.SRID && p.SRID == 7203 && math.Hypot(p.X-q.X, p.Y-q.Y) <= 1 {
					near++
				}
			}
			for text, want := range map[string]int64{
				"MATCH (n:P) WHERE n.at = $p RETURN count(*)":                                           same,
				"MATCH (n:P {at: $p}) RETURN count(*)":                                                  same,
				"MATCH (n:P) WHERE n.also[1] = $p RETURN count(n.also)":                                 same,
				"MATCH (n:P) WHERE n.at.srid = 7203 AND point.distance(n.at, $p) <= 1 RETURN count(*)":  near,
				"MATCH (n:P), (m:P) WHERE n.at = m.at AND m.at = $p RETURN count(*)":                    same * same,
				"MATCH (n:P) WHERE n.at < $p OR n.at >= $p RETURN count(*)":                             0,
				"MATCH (n:P) WHERE n.at = $p WITH n.at AS at, count(*) AS k RETURN coalesce(max(k), 0)": same,
			} {
				rows, err := db.Query(t.Context(), text, motif.Params{"p": p})
				if err != nil {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
				if got, err := motif.One[int64](rows); err != nil || got != want {
					t.Fatalf("seed %d: %s of %v: %v, %v, want %v", seed, text, p, got, err, want)
				}
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if db, err = motif.Open(dir); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := db.Query(t.Context(), "MATCH (n:P) RETURN n.at", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := column[motif.Point](rows)
	if err != nil {
		t.Fatal(err)
	}
	key := func(p motif.Point) string { return p.String() }
	a, b := make([]string, len(got)), make([]string, len(points))
	for i := range got {
		a[i] = key(got[i])
	}
	for i := range points {
		b[i] = key(points[i])
	}
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("seed %d: the store gives other points", seed)
	}
	db.Close()
}

// TestPointInPrograms passes points in and out of programs, and as JSON.
func TestPointInPrograms(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := motif.Point{SRID: 4979, X: 12.5, Y: 55, Z: 3}
	var asTemporal any = p
	if _, ok := asTemporal.(motif.Temporal); ok {
		t.Error("a point is a Temporal")
	}
	rows, err := db.Query(t.Context(), "RETURN $p AS at, [$p] AS list, $p.height AS height", motif.Params{"p": &p})
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		At     motif.Point
		List   []motif.Point
		Height float64
	}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		if row.Kind(0) != motif.KindPoint || row.Kind(1) != motif.KindList || row.At(0) != p {
			t.Errorf("the row is %v, of kind %v", row, row.Kind(0))
		}
		if got := string(row.AppendJSON(nil, 1)); got != `[{"x":12.5,"y":55.0,"z":3.0,"crs":"wgs-84-3d"}]` {
			t.Errorf("as JSON: %s", got)
		}
	}
	rows, err = db.Query(t.Context(), "RETURN $p AS at, [$p] AS list, $p.height AS height", motif.Params{"p": p})
	if err != nil {
		t.Fatal(err)
	}
	for got, err := range motif.Into[answer](rows) {
		if err != nil || got.At != p || got.List[0] != p || got.Height != 3 {
			t.Errorf("%v, %v", got, err)
		}
	}
	for _, wrong := range []motif.Point{{}, {SRID: 4326, Y: 91}, {SRID: 7203, Z: 1}, {SRID: 1 << 20}} {
		if _, err := db.Exec(t.Context(), "RETURN $p AS x", motif.Params{"p": wrong}); err == nil || !strings.HasPrefix(wrong.String(), "invalid: ") {
			t.Errorf("%+v is a parameter, as text %s", wrong, wrong)
		}
	}
}
