package spatial

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parts are the entries of the map that describes a point. The names of numbers are x, y, z, longitude, latitude and height.
type Parts struct {
	Numbers map[string]float64
	CRS     string // "" if the map has none
	SRID    int64  // 0 if the map has none
}

// IsCoordinate reports whether name is that of a coordinate.
func IsCoordinate(name string) bool {
	return slices.Contains([]string{"x", "y", "z", "longitude", "latitude", "height"}, name)
}

// Build makes the point that parts describe. Without a system, longitude and latitude mean WGS 84, and x and y the plane.
func Build(parts Parts) (Point, error) {
	pick := func(names ...string) (f float64, of string, err error) {
		for _, name := range names {
			x, ok := parts.Numbers[name]
			switch {
			case ok && of != "":
				return f, of, fmt.Errorf("%s and %s are the same coordinate", of, name)
			case ok:
				f, of = x, name
			}
		}
		return f, of, nil
	}
	x, ofX, errX := pick("longitude", "x")
	y, ofY, errY := pick("latitude", "y")
	z, ofZ, errZ := pick("height", "z")
	if err := errors.Join(errX, errY, errZ); err != nil {
		return Point{}, err
	}
	geographic := ofX == "longitude"
	switch {
	case ofX == "" || ofY == "", geographic != (ofY == "latitude"):
		return Point{}, errors.New("a point has x and y, or longitude and latitude")
	}
	srid := Cartesian
	if geographic || ofZ == "height" {
		srid = WGS84
	}
	if ofZ != "" {
		srid = srid.In3D()
	}
	given, err := parts.system()
	if err != nil {
		return Point{}, err
	}
	switch {
	case given == 0:
	case given.Has3D() != (ofZ != ""):
		return Point{}, fmt.Errorf("a point of %s has %s coordinates", given.Name(), map[bool]string{false: "two", true: "three"}[given.Has3D()])
	case srid.Geographic() && !given.Geographic():
		return Point{}, fmt.Errorf("a point with longitude, latitude or height is not one of %s", given.Name())
	default:
		srid = given
	}
	return New(srid, x, y, z)
}

// system is the system that parts name, or 0.
func (p *Parts) system() (SRID, error) {
	var named SRID
	if p.CRS != "" {
		var ok bool
		if named, ok = SystemOf(p.CRS); !ok {
			return 0, fmt.Errorf("'%s' is no coordinate reference system that Motif knows: 'wgs-84', 'wgs-84-3d', 'cartesian' or 'cartesian-3d'", p.CRS)
		}
	}
	if p.SRID == 0 {
		return named, nil
	}
	srid := SRID(p.SRID)
	switch {
	case int64(srid) != p.SRID || !srid.Known():
		return 0, fmt.Errorf("%d is no SRID that Motif knows: 4326, 4979, 7203 or 9157", p.SRID)
	case named != 0 && named != srid:
		return 0, fmt.Errorf("the crs '%s' is not the srid %d", p.CRS, p.SRID)
	}
	return srid, nil
}

// Parse reads the form of neo4j-admin, {latitude: 55.6, longitude: 12.9, crs: WGS-84}, and that of String. crs is the system of a text that
// names none; "" for the one that its coordinates say.
func Parse(text, crs string) (Point, error) {
	wrong := errors.New("this is not a point such as {latitude: 55.6, longitude: 12.9}")
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "point("); ok {
		text, ok = strings.CutSuffix(inner, ")")
		if !ok {
			return Point{}, wrong
		}
	}
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return Point{}, wrong
	}
	parts := Parts{Numbers: map[string]float64{}}
	for _, entry := range strings.Split(text[1:len(text)-1], ",") {
		key, val, ok := strings.Cut(entry, ":")
		key, val = strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(val), `'"`)
		var err error
		switch {
		case !ok:
			return Point{}, wrong
		case key == "crs":
			parts.CRS = val
		case key == "srid":
			parts.SRID, err = strconv.ParseInt(val, 10, 64)
		case IsCoordinate(key):
			parts.Numbers[key], err = strconv.ParseFloat(val, 64)
		default:
			err = fmt.Errorf("'%s' is not a part of a point", key)
		}
		if err != nil {
			return Point{}, err
		}
	}
	if parts.CRS == "" && parts.SRID == 0 {
		parts.CRS = crs
	}
	return Build(parts)
}
