package value

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
)

// An encoded value is a tag byte and what the table says; counts and lengths are uvarints.
//
//	0 null     -
//	1 false    -
//	2 true     -
//	3 integer  zigzag varint
//	4 float    8 bytes, IEEE 754, little endian
//	5 string   length, bytes
//	6 list     count, values
//	7 map      count, (key length, key bytes, value) in the order the keys were written
//	8 temporal the kind of point, or 6 for a duration, and its parts, see appendTemporal
//	9 point    the SRID and two or three floats of 8 bytes, see appendSpatial
//
// AppendElements has three more, see elements.go.
const (
	tagNull byte = iota
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagString
	tagList
	tagMap
	tagTemporal
	tagSpatial
)

// maxDepth bounds how deep lists and maps nest in an encoded value, and so the decoder's stack.
const maxDepth = 64

// ErrEncoding says that bytes are not an encoded value.
var ErrEncoding = errors.New("value: malformed encoding")

// Append appends the encoding of v, which Decode reads. Nodes, relationships and paths cannot be stored in a
// property: they, and lists or maps that hold them or that nest deeper than 64, are an error.
func Append(dst []byte, v Value) ([]byte, error) { return encoder{}.append(dst, v, 0) }

// encoder encodes values.
type encoder struct{ elements bool }

func (e encoder) append(dst []byte, v Value, depth int) ([]byte, error) {
	switch k := v.Kind(); k {
	case Null:
		return append(dst, tagNull), nil
	case Bool:
		return append(dst, tagFalse+byte(v.num)), nil
	case Int:
		return binary.AppendVarint(append(dst, tagInt), v.Int()), nil
	case Float:
		return appendWord(dst, tagFloat, v.num), nil
	case String:
		return appendStringKey(append(dst, tagString), v.Str()), nil
	case List, Map:
		if depth == maxDepth {
			return dst, fmt.Errorf("value: a %s nests deeper than %d", k, maxDepth)
		}
		return e.nested(dst, v, depth+1)
	case Temporal:
		return appendTemporal(append(dst, tagTemporal), v), nil
	case Spatial:
		return appendSpatial(append(dst, tagSpatial), v), nil
	default:
		if e.elements {
			return appendElement(dst, v), nil
		}
		return dst, fmt.Errorf("value: a %s cannot be stored in a property", k)
	}
}

func (e encoder) nested(dst []byte, v Value, depth int) (_ []byte, err error) {
	if v.Kind() == List {
		l := v.List()
		dst = binary.AppendUvarint(append(dst, tagList), uint64(len(l)))
		for _, x := range l {
			if dst, err = e.append(dst, x, depth); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	m := v.Map()
	dst = binary.AppendUvarint(append(dst, tagMap), uint64(len(m.Keys)))
	for i, key := range m.Keys {
		if dst, err = e.append(appendStringKey(dst, key), m.Values[i], depth); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// Decode reads what Append wrote. The strings of the result share the bytes of s. It never panics: bytes
// that Append cannot have written give ErrEncoding.
func Decode(s string) (Value, error) {
	d := decoder{rest: s}
	v, err := d.value(0)
	if err == nil && d.rest != "" {
		return Value{}, ErrEncoding
	}
	return v, err
}

// Check returns ErrEncoding if OfCell would panic on an encoded cell that holds s. It allocates nothing, so readers of a file can
// check every cell.
func Check(s string) error {
	d := decoder{rest: s}
	if err := d.skip(0); err != nil || d.rest != "" && s[0] != tagNull {
		return ErrEncoding
	}
	return nil
}

// IsNested reports whether s, which Check accepts, encodes a list, a map, a temporal value or a point. Cell encodes no other.
func IsNested(s string) bool { return s[0] >= tagList }

// EncodedBytes returns how many bytes Append appends for v, or at least that many if Append refuses v.
func EncodedBytes(v Value) int {
	switch v.Kind() {
	case Int:
		return 1 + varintLen(v.num<<1^uint64(v.Int()>>63))
	case Float:
		return 9
	case String:
		return 1 + textLen(v.Str())
	case List:
		n := 1 + varintLen(uint64(len(v.List())))
		for _, e := range v.List() {
			n += EncodedBytes(e)
		}
		return n
	case Map:
		m := v.Map()
		n := 1 + varintLen(uint64(len(m.Keys)))
		for i, key := range m.Keys {
			n += textLen(key) + EncodedBytes(m.Values[i])
		}
		return n
	case Temporal:
		var scratch [64]byte
		return 1 + len(appendTemporal(scratch[:0], v))
	case Spatial:
		var scratch [32]byte
		return 1 + len(appendSpatial(scratch[:0], v))
	}
	return 1
}

// varintLen is the length of n as a uvarint.
func varintLen(n uint64) int { return (bits.Len64(n|1) + 6) / 7 }

func textLen(s string) int { return varintLen(uint64(len(s))) + len(s) }

// DecodedBytes returns how much memory Decode allocates for s, which Check accepts. Strings share the bytes of s.
func DecodedBytes(s string) int64 {
	d := decoder{rest: s}
	n, _ := d.measure(0)
	return n
}

// measure skips one value and adds up what it takes beside its own 24 bytes.
func (d *decoder) measure(depth int) (int64, error) {
	if d.rest == "" || depth > maxDepth {
		return 0, ErrEncoding
	}
	tag := d.rest[0]
	switch tag {
	case tagTemporal, tagSpatial:
		return 48, d.skip(depth)
	case tagList, tagMap:
	default:
		return 0, d.skip(depth)
	}
	d.rest = d.rest[1:]
	n, err := d.count(1)
	bytes := 24 + 24*int64(n)
	if tag == tagMap {
		bytes += 24 + 16*int64(n)
	}
	for i := 0; i < n && err == nil; i++ {
		if tag == tagMap {
			_, err = d.str()
		}
		if err == nil {
			var inner int64
			inner, err = d.measure(depth + 1)
			bytes += inner
		}
	}
	return bytes, err
}

type decoder struct {
	rest     string
	elements *csr.Snapshot // that nodes and relationships belong to; nil: there may be none
}

// skip reads one value without keeping it.
func (d *decoder) skip(depth int) error {
	if d.rest == "" {
		return ErrEncoding
	}
	tag := d.rest[0]
	d.rest = d.rest[1:]
	switch tag {
	case tagNull, tagFalse, tagTrue:
		return nil
	case tagInt:
		_, err := d.uvarint()
		return err
	case tagFloat:
		if len(d.rest) < 8 {
			return ErrEncoding
		}
		d.rest = d.rest[8:]
		return nil
	case tagString:
		_, err := d.str()
		return err
	case tagList, tagMap:
		if depth == maxDepth {
			return ErrEncoding
		}
		return d.skipNested(tag == tagMap, depth+1)
	case tagTemporal:
		if d.rest != "" && d.rest[0] == kindDuration {
			d.rest = d.rest[1:]
			_, err := d.duration()
			return err
		}
		_, err := d.point()
		return err
	case tagSpatial:
		_, err := d.spatial()
		return err
	}
	return ErrEncoding
}

func (d *decoder) skipNested(isMap bool, depth int) error {
	size := 1
	if isMap {
		size = 2
	}
	n, err := d.count(size)
	for i := 0; i < n && err == nil; i++ {
		if isMap {
			_, err = d.str()
		}
		if err == nil {
			err = d.skip(depth)
		}
	}
	return err
}

func (d *decoder) value(depth int) (Value, error) {
	if d.rest == "" {
		return Value{}, ErrEncoding
	}
	tag := d.rest[0]
	d.rest = d.rest[1:]
	switch tag {
	case tagNull:
		return Value{}, nil
	case tagFalse, tagTrue:
		return OfBool(tag == tagTrue), nil
	case tagInt:
		n, err := d.varint()
		return OfInt(n), err
	case tagFloat:
		if len(d.rest) < 8 {
			return Value{}, ErrEncoding
		}
		w := binary.LittleEndian.Uint64([]byte(d.rest[:8]))
		d.rest = d.rest[8:]
		return OfFloat(math.Float64frombits(w)), nil
	case tagString:
		s, err := d.str()
		return OfString(s), err
	case tagList, tagMap:
		if depth == maxDepth {
			return Value{}, ErrEncoding
		}
		if tag == tagMap {
			return d.mapping(depth + 1)
		}
		return d.list(depth + 1)
	case tagTemporal:
		return d.temporal()
	case tagSpatial:
		p, err := d.spatial()
		return OfSpatial(p), err
	}
	if d.elements != nil {
		return d.element(tag)
	}
	return Value{}, ErrEncoding
}

func (d *decoder) list(depth int) (Value, error) {
	n, err := d.count(1)
	if err != nil {
		return Value{}, err
	}
	l := make([]Value, n)
	for i := range l {
		if l[i], err = d.value(depth); err != nil {
			return Value{}, err
		}
	}
	return OfList(l), nil
}

func (d *decoder) mapping(depth int) (Value, error) {
	n, err := d.count(2)
	if err != nil {
		return Value{}, err
	}
	m := &MapValue{Keys: make([]string, n), Values: make([]Value, n)}
	for i := range m.Keys {
		if m.Keys[i], err = d.str(); err != nil {
			return Value{}, err
		}
		if m.Values[i], err = d.value(depth); err != nil {
			return Value{}, err
		}
	}
	return OfMap(m), nil
}

// count reads how many elements of at least size bytes follow; it is bounded by the bytes there are, so that a
// short input cannot ask for much memory.
func (d *decoder) count(size int) (int, error) {
	n, err := d.uvarint()
	if err != nil || n > uint64(len(d.rest)/size) {
		return 0, ErrEncoding
	}
	return int(n), nil
}

func (d *decoder) str() (string, error) {
	n, err := d.count(1)
	if err != nil {
		return "", err
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s, nil
}

// uvarint is binary.Uvarint over a string.
func (d *decoder) uvarint() (uint64, error) {
	var n uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		b := d.rest[i]
		if i == binary.MaxVarintLen64-1 && b > 1 {
			break
		}
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.rest = d.rest[i+1:]
			return n, nil
		}
	}
	return 0, ErrEncoding
}

// Cell returns v as a property column holds it. Lists, maps, temporal values and points are encoded. Null has no cell: a property that
// is null is absent.
func (v Value) Cell() (csr.Cell, error) {
	switch k := v.Kind(); k {
	case Null:
		return csr.Cell{}, errors.New("value: null is not stored; leave the property out")
	case Bool:
		return csr.Cell{Kind: csr.KindBool, Num: v.num}, nil
	case Int:
		return csr.Cell{Kind: csr.KindInt, Num: v.num}, nil
	case Float:
		return csr.Cell{Kind: csr.KindFloat, Num: v.num}, nil
	case String:
		return csr.Cell{Kind: csr.KindString, Str: v.Str()}, nil
	}
	b, err := Append(make([]byte, 0, EncodedBytes(v)), v)
	if err != nil {
		return csr.Cell{}, err
	}
	return csr.Cell{Kind: csr.KindEncoded, Str: unsafe.String(unsafe.SliceData(b), len(b))}, nil
}

// OfCell returns the value of a property. Strings share the column's bytes. It panics on an encoded cell that Decode
// refuses: whoever reads cells from outside the process calls Check first. A cell that begins with the tag of null is null,
// whatever follows: no version of Motif writes one, but the golden files of the store's formats hold one.
func OfCell(c csr.Cell) Value {
	switch c.Kind {
	case csr.KindBool:
		return OfBool(c.Num != 0)
	case csr.KindInt:
		return OfInt(int64(c.Num))
	case csr.KindFloat:
		return OfFloat(math.Float64frombits(c.Num))
	case csr.KindString:
		return OfString(c.Str)
	}
	v, err := Decode(c.Str)
	if err != nil && !strings.HasPrefix(c.Str, string(tagNull)) {
		panic(err)
	}
	return v
}
