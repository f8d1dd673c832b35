package value

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/motifql/motif/internal/spatial"
)

// OfSpatial makes a value of kind Spatial.
func OfSpatial(p spatial.Point) Value { return Value{0, &p} }

// Spatial is the point that v is, of any value; false for others.
func (v Value) Spatial() (spatial.Point, bool) {
	if p, ok := v.ref.(*spatial.Point); ok {
		return *p, true
	}
	return spatial.Point{}, false
}

// compareSpatials orders points, see spatial.Compare.
func compareSpatials(a, b Value) int {
	p, _ := a.Spatial()
	q, _ := b.Spatial()
	return spatial.Compare(p, q)
}

// appendSpatial appends the SRID as an uvarint and two or three coordinates of 8 bytes, little endian.
func appendSpatial(dst []byte, v Value) []byte {
	p, _ := v.Spatial()
	dst = binary.AppendUvarint(dst, uint64(p.SRID))
	for _, f := range []float64{p.X, p.Y, p.Z}[:dimensions(p.SRID)] {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
	}
	return dst
}

func dimensions(s spatial.SRID) int {
	if s.Has3D() {
		return 3
	}
	return 2
}

// spatial reads what appendSpatial wrote.
func (d *decoder) spatial() (p spatial.Point, err error) {
	n, err := d.uvarint()
	srid := spatial.SRID(n)
	if err != nil || uint64(srid) != n || !srid.Known() {
		return p, ErrEncoding
	}
	var at [3]float64
	for i := range dimensions(srid) {
		if len(d.rest) < 8 {
			return p, ErrEncoding
		}
		var word uint64
		for b := range 8 {
			word |= uint64(d.rest[b]) << (8 * b)
		}
		at[i], d.rest = math.Float64frombits(word), d.rest[8:]
	}
	read := spatial.Point{SRID: srid, X: at[0], Y: at[1], Z: at[2]}
	if p, err = spatial.New(srid, at[0], at[1], at[2]); err != nil || p != read {
		return p, ErrEncoding
	}
	return p, nil
}

// ParseSpatial reads the text of a point, see spatial.Parse.
func ParseSpatial(text, crs string) (Value, error) {
	p, err := spatial.Parse(text, crs)
	return OfSpatial(p), err
}

// appendJSONSpatial appends the object that stands for a point.
func appendJSONSpatial(dst []byte, v Value) []byte {
	p, _ := v.Spatial()
	dst = append(dst, `{"$point":{"x":`...)
	dst = append(appendJSONFloat(dst, p.X), `,"y":`...)
	dst = appendJSONFloat(dst, p.Y)
	if p.SRID.Has3D() {
		dst = appendJSONFloat(append(dst, `,"z":`...), p.Z)
	}
	return append(append(append(dst, `,"crs":"`...), p.SRID.Name()...), `"}}`...)
}

// PointOf makes the point that a map describes. It is null if an entry is.
func PointOf(m *MapValue) (Value, error) {
	parts := spatial.Parts{Numbers: make(map[string]float64, 3)}
	null := false
	for i, key := range m.Keys {
		x := m.Values[i]
		switch {
		case x.IsNull():
			null = true
		case key == "crs" && x.Kind() == String:
			parts.CRS = x.Str()
		case key == "srid" && x.Kind() == Int && x.Int() != 0:
			parts.SRID = x.Int()
		case key == "crs":
			return Value{}, fmt.Errorf("the crs of a point is a string, not %v", x)
		case key == "srid":
			return Value{}, fmt.Errorf("the srid of a point is 4326, 4979, 7203 or 9157, not %v", x)
		case !spatial.IsCoordinate(key):
			return Value{}, fmt.Errorf("a point has no part '%s'", key)
		case x.Kind() == Int:
			parts.Numbers[key] = float64(x.Int())
		case x.Kind() == Float:
			parts.Numbers[key] = x.Float()
		default:
			return Value{}, fmt.Errorf("the %s of a point is a number, not %v", key, x)
		}
	}
	if null {
		return Value{}, nil
	}
	p, err := spatial.Build(parts)
	if err != nil {
		return Value{}, err
	}
	return OfSpatial(p), nil
}

// InDegrees returns the point on the earth with a longitude and a latitude; false if there is none.
func InDegrees(longitude, latitude float64) (Value, bool) {
	p, err := spatial.New(spatial.WGS84, longitude, latitude, 0)
	return OfSpatial(p), err == nil
}

// Apart returns the distance of two points; false if a value is no point, or if their systems differ.
func Apart(v, w Value) (float64, bool) {
	p, ok := v.Spatial()
	q, also := w.Spatial()
	if !ok || !also {
		return 0, false
	}
	return spatial.Distance(p, q)
}
