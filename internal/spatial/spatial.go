// Package spatial holds the points of the query language. Coordinates and the name of a system go in; points come out that can be
// compared, measured, tested against a box and printed. A point takes no more than four words, and equal points are ==. It never
// converts a point to another system.
package spatial

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SRID is the number of a coordinate reference system, as EPSG and Neo4j number them.
type SRID uint16

// The coordinate reference systems.
const (
	WGS84       SRID = 4326 // longitude and latitude in degrees
	WGS84in3D   SRID = 4979 // and the height in metres
	Cartesian   SRID = 7203
	Cartesian3D SRID = 9157
)

var systems = [...]struct {
	srid SRID
	name string
}{{WGS84, "wgs-84"}, {WGS84in3D, "wgs-84-3d"}, {Cartesian, "cartesian"}, {Cartesian3D, "cartesian-3d"}}

// SystemOf returns the system of a name in any letter case.
func SystemOf(name string) (SRID, bool) {
	for _, s := range systems {
		if strings.EqualFold(s.name, name) || s.srid == WGS84 && strings.EqualFold(name, "WGS-84-2D") {
			return s.srid, true
		}
	}
	return 0, false
}

// Known reports whether s is one of the systems.
func (s SRID) Known() bool { return s.Name() != "" }

// Name is the name of s, "" for an unknown one.
func (s SRID) Name() string {
	for _, x := range systems {
		if x.srid == s {
			return x.name
		}
	}
	return ""
}

// Geographic reports whether points of s lie on the earth.
func (s SRID) Geographic() bool { return s == WGS84 || s == WGS84in3D }

// Has3D reports whether points of s have three coordinates.
func (s SRID) Has3D() bool { return s == WGS84in3D || s == Cartesian3D }

// In3D is the system of three coordinates that goes with s, of two.
func (s SRID) In3D() SRID {
	if s.Geographic() {
		return WGS84in3D
	}
	return Cartesian3D
}

// Point is a point of the plane, of space or of the earth. On the earth, X is the longitude, Y the latitude and Z the height. Z is 0 in
// a system of two coordinates. No coordinate is NaN, infinite or -0.0.
type Point struct {
	SRID    SRID
	X, Y, Z float64
}

// New returns a point. It brings a longitude into the range from -180 to 180.
func New(srid SRID, x, y, z float64) (Point, error) {
	for _, f := range [...]float64{x, y, z} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return Point{}, errors.New("a coordinate of a point is a finite number")
		}
	}
	switch {
	case !srid.Known():
		return Point{}, fmt.Errorf("%d is no SRID that Motif knows: 4326, 4979, 7203 or 9157", srid)
	case !srid.Has3D() && z != 0:
		return Point{}, fmt.Errorf("a point of %s has two coordinates", srid.Name())
	case srid.Geographic() && (y < -90 || y > 90):
		return Point{}, fmt.Errorf("a latitude lies between -90 and 90, not at %v", y)
	case srid.Geographic() && (x < -180 || x > 180):
		if x = math.Remainder(x, 360); x == -180 {
			x = 180
		}
	}
	return Point{srid, x + 0, y + 0, z + 0}, nil
}

// Compare orders points by their system and then by their coordinates. It is 0 for equal points only.
func Compare(p, q Point) int {
	return cmp.Or(cmp.Compare(p.SRID, q.SRID), cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y), cmp.Compare(p.Z, q.Z))
}

// earthRadius is in metres. Neo4j computes with it, too.
const earthRadius = 6378140.0

// Distance is the distance of two points of one system; false if their systems differ. It is in metres on the earth, by the haversine
// formula. With heights, it combines that at their mean with their difference.
func Distance(p, q Point) (float64, bool) {
	if p.SRID != q.SRID {
		return 0, false
	}
	if !p.SRID.Geographic() {
		return math.Hypot(math.Hypot(p.X-q.X, p.Y-q.Y), p.Z-q.Z), true
	}
	const degree = math.Pi / 180
	dx, dy := (q.X-p.X)*degree, (q.Y-p.Y)*degree
	a := math.Pow(math.Sin(dy/2), 2) + math.Cos(p.Y*degree)*math.Cos(q.Y*degree)*math.Pow(math.Sin(dx/2), 2)
	angle := 2 * math.Atan2(math.Sqrt(a), math.Sqrt(max(1-a, 0)))
	return math.Hypot((earthRadius+(p.Z+q.Z)/2)*angle, p.Z-q.Z), true
}

// Within reports whether p lies in the box from its lower left corner to its upper right one, edges included; known is false if the
// systems differ. On the earth a box whose left side lies east of its right one crosses the 180th meridian.
func Within(p, lower, upper Point) (in, known bool) {
	if p.SRID != lower.SRID || p.SRID != upper.SRID {
		return false, false
	}
	between := func(x, lo, hi float64) bool { return lo <= x && x <= hi }
	across := between(p.X, lower.X, upper.X)
	if p.SRID.Geographic() && lower.X > upper.X {
		across = p.X >= lower.X || p.X <= upper.X
	}
	return across && between(p.Y, lower.Y, upper.Y) && between(p.Z, lower.Z, upper.Z), true
}

// Coordinate returns a coordinate by its name, such as "x" or "latitude"; false if p has none of that name.
func (p Point) Coordinate(name string) (float64, bool) {
	switch {
	case name == "x", name == "longitude" && p.SRID.Geographic():
		return p.X, true
	case name == "y", name == "latitude" && p.SRID.Geographic():
		return p.Y, true
	case p.SRID.Has3D() && (name == "z" || name == "height" && p.SRID.Geographic()):
		return p.Z, true
	}
	return 0, false
}

// String writes p as an expression of the language that makes it.
func (p Point) String() string {
	text := "point({x: " + number(p.X) + ", y: " + number(p.Y)
	if p.SRID.Has3D() {
		text += ", z: " + number(p.Z)
	}
	return text + ", crs: '" + p.SRID.Name() + "'})"
}

// number writes a float so that the language reads it as one.
func number(f float64) string {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return strings.Replace(text, "e+", "e", 1)
}
