package csr

// Between appends to dst the relationships of a type that lead from one vertex to another.
func (d *Draft) Between(dst []EdgeID, from, to VertexID, typ string) []EdgeID {
	t, ok := d.types.Lookup(typ)
	if !ok || !d.HasNode(from) || !d.HasNode(to) {
		return dst
	}
	if n := d.base.N(); uint64(from) < n && uint64(to) < n && int(t) < d.base.Types.Len() {
		first := len(dst)
		dst = d.base.Relationships(dst, from, to, TypeSet{TypeID(t)}, Out)
		kept := dst[:first]
		for _, e := range dst[first:] {
			if d.HasRel(e) {
				kept = append(kept, e)
			}
		}
		dst = kept
	}
	a, b := d.peek(from), d.peek(to)
	if a == nil || b == nil {
		return dst
	}
	list := a.out
	if len(b.in) < len(list) {
		list = b.in
	}
	for _, e := range list {
		if r := d.peekRel(e); !r.dead && r.src == from && r.dst == to && r.typ == TypeID(t) {
			dst = append(dst, e)
		}
	}
	return dst
}
