package importer

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// stableSpace is the id space whose ids are Motif's own: they become the stable ids, which id() shows.
const stableSpace = "motif"

// space is an id space: node ids that relationship files refer to.
type space struct {
	name     string
	ints     map[int64]uint32
	texts    map[string]uint32
	asText   bool // a header says id-type: string
	unstable bool // an id is below 0 or very large
	mem      *pattern.Memory
}

func (l *loader) newSpace(name string) *space {
	return &space{name: name, ints: make(map[int64]uint32), texts: make(map[string]uint32), mem: l.mem}
}

// stable reports whether the ids of s become stable ids.
func (s *space) stable() bool {
	return s.name == stableSpace && len(s.texts) == 0 && !s.asText && !s.unstable
}

func (s *space) String() string {
	if s.name == "" {
		return "the id space without a name"
	}
	return "id space " + s.name
}

// get looks up an id.
func (s *space) get(k key) (v uint32, ok bool) {
	if k.isText() {
		v, ok = s.texts[k.text]
		return v, ok
	}
	v, ok = s.ints[k.n]
	return v, ok
}

// find looks up an id as a file has it.
func (s *space) find(b []byte) (uint32, bool) {
	if n, ok := parseInt(b); ok {
		v, ok := s.ints[n]
		return v, ok
	}
	v, ok := s.texts[string(b)]
	return v, ok
}

// put adds an id; false if the space has it already.
func (s *space) put(k key, v uint32) bool {
	if k.isText() {
		if _, ok := s.texts[k.text]; ok {
			return false
		}
		s.texts[k.text] = v
		_ = s.mem.Charge(mapEntry + 40 + int64(len(k.text)))
		return true
	}
	if _, ok := s.ints[k.n]; ok {
		return false
	}
	_ = s.mem.Charge(mapEntry)
	s.ints[k.n], s.unstable = v, s.unstable || !k.stable()
	return true
}

// cell is the id as a property: an integer if all ids of the space are.
func (s *space) cell(k key) csr.Cell {
	if len(s.texts) == 0 && !s.asText {
		return csr.IntCell(k.n)
	}
	return csr.StringCell(k.String())
}
