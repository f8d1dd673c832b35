package importer

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// storeIDs finds the nodes of a store by the ids of earlier loads. It indexes an id space when it is first asked for it.
type storeIDs struct {
	graph  *csr.Snapshot
	spaces map[string]*storeSpace
	ctx    context.Context
	mem    *pattern.Memory // nil: no limit
	bytes  int64           // of the index
	err    error           // why the index is not complete
}

// storeSpace is an id space of a store.
type storeSpace struct {
	vertices map[key]uint32
	text     bool // an id is text
}

func newStoreIDs(graph *csr.Snapshot) *storeIDs {
	return &storeIDs{graph: graph, spaces: make(map[string]*storeSpace), ctx: context.Background()}
}

// space returns an id space; nil if no node of the store has an id in it.
func (x *storeIDs) space(name string) *storeSpace {
	if s, ok := x.spaces[name]; ok {
		return s
	}
	var s *storeSpace
	for _, e := range x.graph.External {
		if e.Name != name {
			continue
		}
		s = &storeSpace{vertices: make(map[key]uint32)}
		x.index(s, &e)
	}
	x.spaces[name] = s
	return s
}

// index fills s.
func (x *storeIDs) index(s *storeSpace, e *csr.ExternalSpace) {
	held := int64(0)
	for v := range x.graph.N() {
		if v%4096 == 0 && !x.goOn(&held) {
			return
		}
		if c, ok := e.IDs.Get(v); ok {
			k := keyOfCell(c)
			s.vertices[k] = uint32(v)
			s.text = s.text || c.Kind == csr.KindString
			held += mapEntry + int64(len(k.text))
		}
	}
	x.goOn(&held)
}

// goOn charges what the index has grown by, and reports whether there is memory and time for more.
func (x *storeIDs) goOn(held *int64) bool {
	if x.err == nil {
		x.err = x.ctx.Err()
	}
	if x.err == nil {
		x.err = x.mem.Charge(*held)
	}
	x.bytes += *held
	*held = 0
	return x.err == nil
}

// find returns the vertex with an id in an id space. If the store lacks the space of stable ids, those that id() shows count.
func (x *storeIDs) find(space string, k key) (uint32, bool) {
	if s := x.space(space); s != nil {
		v, ok := s.vertices[k]
		return v, ok
	}
	if space != stableSpace || k.isText() {
		return 0, false
	}
	v, ok := x.graph.VertexByNodeID(csr.NodeID(k.n))
	return uint32(v), ok
}

// lacks reports whether files without id spaces cannot name any node of the store. AddTo says what to do about it.
func (x *storeIDs) lacks(space string) bool {
	return space == "" && x.space("") == nil && x.graph.N() > 0
}

// knows reports whether a node has an id, in any id space.
func (x *storeIDs) knows(id []byte) bool {
	k := keyOf(id)
	for _, e := range x.graph.External {
		if _, ok := x.find(e.Name, k); ok {
			return true
		}
	}
	return false
}
