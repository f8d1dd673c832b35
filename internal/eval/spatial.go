package eval

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/spatial"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// pointOfMap computes point(map). An entry that is null makes it null.
func pointOfMap(rt *Runtime, v value.Value) (value.Value, error) {
	m, err := coordinatesOf(rt, v)
	if err != nil {
		return value.Value{}, err
	}
	p, err := value.PointOf(m)
	if err != nil {
		return value.Value{}, Errorf(codeText, "%v", err)
	}
	return p, nil
}

// coordinatesOf is a map, or the properties of a node or a relationship that describe a point.
func coordinatesOf(rt *Runtime, v value.Value) (*value.MapValue, error) {
	switch v.Kind() {
	case value.Map:
		return v.Map(), nil
	case value.Node, value.Rel:
	default:
		return nil, badArgument("point", "a map, a node or a relationship", v)
	}
	all, err := properties(rt, v)
	if err != nil {
		return nil, err
	}
	m := &value.MapValue{}
	for i, key := range all.Map().Keys {
		if spatial.IsCoordinate(key) || key == "crs" || key == "srid" {
			m.Keys, m.Values = append(m.Keys, key), append(m.Values, all.Map().Values[i])
		}
	}
	return m, nil
}

// spatials reads the arguments of a function that takes points only.
func spatials(name string, args []value.Value) ([]spatial.Point, error) {
	out := make([]spatial.Point, len(args))
	for i, v := range args {
		p, ok := v.Spatial()
		if !ok {
			return nil, badArgument(name, "points", v)
		}
		out[i] = p
	}
	return out, nil
}

// distance computes point.distance(a, b); null for points of different systems.
func distance(_ *Runtime, args []value.Value) (value.Value, error) {
	p, err := spatials("point.distance", args)
	if err != nil {
		return value.Value{}, err
	}
	if d, ok := spatial.Distance(p[0], p[1]); ok {
		return value.OfFloat(d), nil
	}
	return value.Value{}, nil
}

// withinBox computes point.withinBBox(point, lowerLeft, upperRight); null for points of different systems.
func withinBox(_ *Runtime, args []value.Value) (value.Value, error) {
	p, err := spatials("point.withinBBox", args)
	if err != nil {
		return value.Value{}, err
	}
	if in, ok := spatial.Within(p[0], p[1], p[2]); ok {
		return value.OfBool(in), nil
	}
	return value.Value{}, nil
}

// coordinate returns the part of a point that v.key names.
func coordinate(v value.Value, key string) (value.Value, error) {
	p, _ := v.Spatial()
	switch f, ok := p.Coordinate(key); {
	case ok:
		return value.OfFloat(f), nil
	case key == "crs":
		return value.OfString(p.SRID.Name()), nil
	case key == "srid":
		return value.OfInt(int64(p.SRID)), nil
	}
	var names []string
	for _, name := range []string{"x", "y", "z", "longitude", "latitude", "height"} {
		if _, ok := p.Coordinate(name); ok {
			names = append(names, name)
		}
	}
	names = append(names, "crs", "srid")
	err := &Error{Code: codeText, Msg: fmt.Sprintf("a point of %s has no %s", p.SRID.Name(), key), Hint: "it has " + strings.Join(names, ", ")}
	if near, ok := lang.Suggest(key, names); ok {
		err.Hint = "did you mean " + near + "?"
	}
	return value.Value{}, err
}
