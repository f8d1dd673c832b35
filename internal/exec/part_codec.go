package exec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// A box travels as JSON. A part travels as bytes, behind the hash of its job and the hash of both, since a part that was damaged on its
// way would else be another number. The bytes are a row of uvarints and values:
//
//	boxes    count, then each box: count, then (vertex, lo, hi) for each bound
//	count    four words: plus and minus, the high word first
//	groups   count, then four such words for each
//	segments count, then each: its box, number of rows, of values in a row, for each row how often it occurs and its values
//
// Nodes and relationships are numbers of the snapshot.

// Append appends the encoding of p, which DecodePart reads.
func (p *Part) Append(dst []byte) (_ []byte, err error) {
	dst = binary.AppendUvarint(dst, uint64(len(p.Boxes)))
	for _, b := range p.Boxes {
		dst = b.append(dst)
	}
	dst = appendSigned(dst, pattern.Signed{Plus: p.Plus, Minus: p.Minus})
	dst = binary.AppendUvarint(dst, uint64(len(p.groups)))
	for _, n := range p.groups {
		dst = appendSigned(dst, n)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.segments)))
	for i := range p.segments {
		s := &p.segments[i]
		dst = binary.AppendUvarint(s.at.append(dst), uint64(len(s.mults)))
		width := 0
		if len(s.mults) > 0 {
			width = len(s.values) / len(s.mults)
		}
		dst = binary.AppendUvarint(dst, uint64(width))
		for row, mult := range s.mults {
			dst = binary.AppendUvarint(dst, mult)
			for _, v := range s.values[row*width : (row+1)*width] {
				if dst, err = value.AppendElements(dst, v); err != nil {
					return nil, err
				}
			}
		}
	}
	return dst, nil
}

func appendSigned(dst []byte, n pattern.Signed) []byte {
	for _, w := range []uint64{n.Plus.Hi, n.Plus.Lo, n.Minus.Hi, n.Minus.Lo} {
		dst = binary.AppendUvarint(dst, w)
	}
	return dst
}

func (b Box) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	for _, x := range b {
		dst = binary.AppendUvarint(dst, uint64(x.Vertex))
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(x.Lo)), uint64(x.Hi))
	}
	return dst
}

// DecodePart reads what Append wrote in a process with the same snapshot. It fails with ErrBadPart, and never panics.
func (v *Division) DecodePart(text string) (*Part, error) {
	d := partReader{rest: text, v: v}
	p := &Part{}
	for range d.count(1) {
		p.Boxes = append(p.Boxes, d.box())
	}
	sum := d.signed()
	p.Plus, p.Minus = sum.Plus, sum.Minus
	for range d.count(4) {
		p.groups = append(p.groups, d.signed())
	}
	for range d.count(3) {
		s := segment{at: d.box()}
		rows, width := d.count(1), d.count(0)
		for range rows {
			s.mults = append(s.mults, d.number())
			for range width {
				if s.values = append(s.values, d.value()); d.failed {
					return nil, ErrBadPart
				}
			}
		}
		p.segments = append(p.segments, s)
	}
	for i, b := range p.Boxes {
		d.failed = d.failed || overlap(p.Boxes[:i], []Box{b})
	}
	if d.failed || d.rest != "" {
		return nil, ErrBadPart
	}
	return p, nil
}

// partReader reads an encoded part. After a failure it reads nothing but zeros.
type partReader struct {
	rest   string
	v      *Division
	failed bool
}

func (d *partReader) number() uint64 {
	n, size := binary.Uvarint([]byte(d.rest[:min(len(d.rest), binary.MaxVarintLen64)]))
	if size <= 0 || d.failed {
		d.failed = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *partReader) signed() (n pattern.Signed) {
	for _, w := range []*uint64{&n.Plus.Hi, &n.Plus.Lo, &n.Minus.Hi, &n.Minus.Lo} {
		*w = d.number()
	}
	return n
}

// count reads how many things of at least size bytes follow.
func (d *partReader) count(size int) int {
	n := d.number()
	if n > uint64(len(d.rest)/max(1, size)) {
		d.failed = true
		return 0
	}
	return int(n)
}

func (d *partReader) box() (b Box) {
	for range d.count(3) {
		x := pattern.Bound{Vertex: int(min(d.number(), 1<<20)), Lo: csr.VertexID(min(d.number(), 1<<32-1)), Hi: csr.VertexID(min(d.number(), 1<<32-1))}
		b = append(b, x)
	}
	d.failed = d.failed || d.v.CheckBox(b) != nil
	return b
}

func (d *partReader) value() (x value.Value) {
	var err error
	if x, d.rest, err = value.DecodeElements(d.rest, d.v.s); err != nil {
		d.failed = true
	}
	return x
}

// JobID tells jobs apart: the hash of a spec.
type JobID [sha256.Size]byte

// JobPart is a part, with the job that it belongs to. The zero JobPart has no units yet.
type JobPart struct {
	job     JobID
	part    *Part
	encoded string // instead of part: bytes that no Division has read yet
}

// NewJobPart returns a part of a job.
func NewJobPart(job JobID, p *Part) JobPart { return JobPart{job: job, part: p} }

// partMagic begins an encoded JobPart. The job's hash follows, then the hash of that and of what comes behind it, the part.
const partMagic = "motif part 4\n"

// partHead is how many bytes stand before the part.
const partHead = len(partMagic) + 2*sha256.Size

// partSum is the hash of an encoded JobPart.
func partSum(text []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(text[len(partMagic):][:sha256.Size])
	h.Write(text[partHead:])
	return [sha256.Size]byte(h.Sum(nil))
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (p JobPart) MarshalBinary() ([]byte, error) {
	dst := append([]byte(partMagic), p.job[:]...)
	dst = append(dst, make([]byte, sha256.Size)...)
	switch {
	case p.encoded != "":
		dst = append(dst, p.encoded...)
	case p.part == nil:
		return nil, errors.New("the part is empty: no unit has run")
	default:
		var err error
		if dst, err = p.part.Append(dst); err != nil {
			return nil, err
		}
	}
	sum := partSum(dst)
	copy(dst[partHead-sha256.Size:], sum[:])
	return dst, nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It fails with ErrBadPart if the bytes are not those of a part, or were damaged.
func (p *JobPart) UnmarshalBinary(text []byte) error {
	switch {
	case !bytes.HasPrefix(text, []byte(partMagic)) || len(text) <= partHead:
		return fmt.Errorf("%w: it does not begin as one", ErrBadPart)
	case partSum(text) != [sha256.Size]byte(text[partHead-sha256.Size:]):
		return fmt.Errorf("%w: it was damaged on its way", ErrBadPart)
	}
	*p = JobPart{encoded: string(text[partHead:])}
	copy(p.job[:], text[len(partMagic):])
	return nil
}

// Of returns the part. It fails with ErrBadPart unless the part belongs to the job, whose Division is v.
func (p *JobPart) Of(job JobID, v *Division) (*Part, error) {
	switch {
	case p.part == nil && p.encoded == "":
		return &Part{}, nil
	case p.job != job:
		return nil, fmt.Errorf("%w: it belongs to another job", ErrBadPart)
	case p.part == nil:
		return v.DecodePart(p.encoded)
	}
	return p.part, nil
}

// boxJSON is a Box as JSON: query vertex, from, to (exclusive).
type boxJSON struct {
	Box [][3]uint64 `json:"box"`
}

// MarshalJSON implements json.Marshaler.
func (b Box) MarshalJSON() ([]byte, error) {
	x := boxJSON{Box: [][3]uint64{}}
	for _, bound := range b {
		x.Box = append(x.Box, [3]uint64{uint64(bound.Vertex), uint64(bound.Lo), uint64(bound.Hi)})
	}
	return json.Marshal(x)
}

// UnmarshalJSON implements json.Unmarshaler. CheckBox tells whether a Division has such a box.
func (b *Box) UnmarshalJSON(text []byte) error {
	var x boxJSON
	if err := json.Unmarshal(text, &x); err != nil {
		return err
	}
	var box Box
	for _, n := range x.Box {
		if n[0] > 1<<20 || n[1] > 1<<32-1 || n[2] > 1<<32-1 {
			return fmt.Errorf("a unit has the number %d, which no graph has", max(n[0], n[1], n[2]))
		}
		box = append(box, pattern.Bound{Vertex: int(n[0]), Lo: csr.VertexID(n[1]), Hi: csr.VertexID(n[2])})
	}
	*b = box
	return nil
}
