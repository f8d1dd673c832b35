package spatial

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func must(t *testing.T, srid SRID, x, y, z float64) Point {
	t.Helper()
	p, err := New(srid, x, y, z)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		p, q Point
		want float64
	}{
		{must(t, Cartesian, 2.3, 4.5, 0), must(t, Cartesian, 1.1, 5.4, 0), 1.5},
		{must(t, Cartesian3D, 0, 0, 0), must(t, Cartesian3D, 1, 2, 2), 3},
		{must(t, WGS84in3D, 12.78, 56.7, 100), must(t, WGS84in3D, 12.79, 56.71, 100), 1269.9148706779097},
		{must(t, WGS84, 12.564590, 55.672874, 0), must(t, WGS84, 12.994341, 55.611784, 0), 27841.92001289375},
		{must(t, WGS84, 0, 90, 0), must(t, WGS84, 77, -90, 0), math.Pi * earthRadius},
		{must(t, WGS84, -180, 0, 0), must(t, WGS84, 180, 0, 0), 0},
	} {
		if d, ok := Distance(c.p, c.q); !ok || math.Abs(d-c.want) > 1e-8*(1+c.want) {
			t.Errorf("%v to %v: %v, want %v", c.p, c.q, d, c.want)
		}
	}
	if _, ok := Distance(must(t, Cartesian, 1, 1, 0), must(t, WGS84, 1, 1, 0)); ok {
		t.Error("points of two systems have a distance")
	}
}

// TestDistanceRandom compares with the angle between unit vectors, which shares no formula with Distance.
func TestDistanceRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	unit := func(p Point) [3]float64 {
		x, y := p.X*math.Pi/180, p.Y*math.Pi/180
		return [3]float64{math.Cos(y) * math.Cos(x), math.Cos(y) * math.Sin(x), math.Sin(y)}
	}
	for range 10_000 {
		p := must(t, WGS84, r.Float64()*360-180, r.Float64()*180-90, 0)
		q := must(t, WGS84, r.Float64()*360-180, r.Float64()*180-90, 0)
		a, b := unit(p), unit(q)
		cross := math.Hypot(math.Hypot(a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2]), a[0]*b[1]-a[1]*b[0])
		want := earthRadius * math.Atan2(cross, a[0]*b[0]+a[1]*b[1]+a[2]*b[2])
		got, _ := Distance(p, q)
		back, _ := Distance(q, p)
		if math.Abs(got-want) > 1 || math.Abs(got-back) > 1e-6 {
			t.Fatalf("%v to %v: %v and back %v, want %v", p, q, got, back, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		p, lo, hi Point
		want      bool
	}{
		{must(t, Cartesian, 5, 5, 0), must(t, Cartesian, 0, 0, 0), must(t, Cartesian, 10, 10, 0), true},
		{must(t, Cartesian, 10, 0, 0), must(t, Cartesian, 0, 0, 0), must(t, Cartesian, 10, 10, 0), true},
		{must(t, Cartesian, 5, 5, 0), must(t, Cartesian, 10, 0, 0), must(t, Cartesian, 0, 10, 0), false},
		{must(t, Cartesian3D, 5, 5, 11), must(t, Cartesian3D, 0, 0, 0), must(t, Cartesian3D, 10, 10, 10), false},
		{must(t, WGS84, 180, 55.66, 0), must(t, WGS84, 179, 55.66, 0), must(t, WGS84, -179, 55.7, 0), true},
		{must(t, WGS84, 0, 55.66, 0), must(t, WGS84, 179, 55.66, 0), must(t, WGS84, -179, 55.7, 0), false},
		{must(t, WGS84, 5, 5, 0), must(t, WGS84, 0, 10, 0), must(t, WGS84, 10, 0, 0), false},
	} {
		if in, known := Within(c.p, c.lo, c.hi); !known || in != c.want {
			t.Errorf("%v in %v to %v: %v, want %v", c.p, c.lo, c.hi, in, c.want)
		}
	}
	if _, known := Within(must(t, Cartesian, 1, 1, 0), must(t, Cartesian3D, 0, 0, 0), must(t, Cartesian, 2, 2, 0)); known {
		t.Error("a box of two systems has an inside")
	}
}

func TestBuild(t *testing.T) {
	for text, want := range map[string]string{
		"{x: 1, y: 2}":                                 "point({x: 1.0, y: 2.0, crs: 'cartesian'})",
		"{x: 1, y: 2, z: 3}":                           "point({x: 1.0, y: 2.0, z: 3.0, crs: 'cartesian-3d'})",
		"{latitude: 12, longitude: 56}":                "point({x: 56.0, y: 12.0, crs: 'wgs-84'})",
		"{latitude: 12, longitude: 56, z: 7}":          "point({x: 56.0, y: 12.0, z: 7.0, crs: 'wgs-84-3d'})",
		"{x: 2.3, y: 4.5, crs: 'WGS-84'}":              "point({x: 2.3, y: 4.5, crs: 'wgs-84'})",
		"{x: 1, y: 2, srid: 4326}":                     "point({x: 1.0, y: 2.0, crs: 'wgs-84'})",
		"{x: 1, y: 2, height: 3}":                      "point({x: 1.0, y: 2.0, z: 3.0, crs: 'wgs-84-3d'})",
		"{longitude: 190, latitude: 0}":                "point({x: -170.0, y: 0.0, crs: 'wgs-84'})",
		"{longitude: -540, latitude: -0.0}":            "point({x: 180.0, y: 0.0, crs: 'wgs-84'})",
		"point({x: 1e300, y: -2.0, crs: 'cartesian'})": "point({x: 1e300, y: -2.0, crs: 'cartesian'})",
		"{x: 1}":                                      "a point has x and y, or longitude and latitude",
		"{x: 1, latitude: 2}":                         "a point has x and y, or longitude and latitude",
		"{x: 1, longitude: 1, latitude: 2}":           "longitude and x are the same coordinate",
		"{latitude: 91, longitude: 0}":                "a latitude lies between -90 and 90, not at 91",
		"{x: 1, y: 2, crs: 'mars'}":                   "'mars' is no coordinate reference system that Motif knows: 'wgs-84', 'wgs-84-3d', 'cartesian' or 'cartesian-3d'",
		"{x: 1, y: 2, srid: 7}":                       "7 is no SRID that Motif knows: 4326, 4979, 7203 or 9157",
		"{x: 1, y: 2, srid: 4326, crs: cartesian}":    "the crs 'cartesian' is not the srid 4326",
		"{x: 1, y: 2, crs: cartesian-3d}":             "a point of cartesian-3d has three coordinates",
		"{latitude: 1, longitude: 2, crs: cartesian}": "a point with longitude, latitude or height is not one of cartesian",
		"{x: NaN, y: 2}":                              "a coordinate of a point is a finite number",
		"{x: 1, y: 2, w: 3}":                          "'w' is not a part of a point",
		"7":                                           "this is not a point such as {latitude: 55.6, longitude: 12.9}",
	} {
		got := ""
		if p, err := Parse(text, ""); err != nil {
			got = err.Error()
		} else {
			got = p.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if p, err := Parse("{x: 1, y: 2}", "wgs-84"); err != nil || p.SRID != WGS84 {
		t.Errorf("the default system: %v, %v", p, err)
	}
}

// TestText prints random points and reads them back.
func TestText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		s := systems[r.IntN(len(systems))].srid
		x, y, z := math.Float64frombits(r.Uint64()), r.Float64()*180-90, r.NormFloat64()
		if !s.Has3D() {
			z = 0
		}
		p, err := New(s, x, y, z)
		if err != nil {
			if !strings.Contains(err.Error(), "finite") {
				t.Fatal(err)
			}
			continue
		}
		q, err := Parse(p.String(), "")
		if err != nil || p != q || Compare(p, q) != 0 {
			t.Fatalf("%v was read as %v, %v", p, q, err)
		}
	}
}
