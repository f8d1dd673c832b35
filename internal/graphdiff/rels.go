package graphdiff

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// relKey is what makes a relationship the same as another but for its properties.
type relKey struct{ from, to, typ string }

// compareRels compares the relationships as bags, by the names of their ends.
func compareRels(ctx context.Context, r *Result, a, b *csr.Snapshot, inA, inB []string) error {
	here := make(map[relKey][]csr.EdgeID)
	for e := range a.AllEdges() {
		if e%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		k := keyOf(a, e, inA)
		here[k] = append(here[k], e)
	}
	var added []csr.EdgeID
	there := make(map[relKey][]csr.EdgeID)
	for e := range b.AllEdges() {
		if e%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		k := keyOf(b, e, inB)
		if here[k] == nil {
			added = append(added, e)
			continue
		}
		there[k] = append(there[k], e)
	}
	for e := range a.AllEdges() {
		k := keyOf(a, e, inA)
		if l := here[k]; len(l) == 0 || l[0] != e {
			continue
		}
		comparePair(r, a, b, here[k], there[k])
		here[k] = here[k][:0]
	}
	for _, e := range added {
		r.add(&r.Rels, '+', func() string { return rel(b, e) })
	}
	return nil
}

func keyOf(s *csr.Snapshot, e csr.EdgeID, names []string) relKey {
	from, to := s.Endpoints(e)
	return relKey{names[from], names[to], s.Types.Name(uint32(s.TypeOf(e)))}
}

// comparePair compares the relationships of one type between one pair of nodes.
func comparePair(r *Result, a, b *csr.Snapshot, here, there []csr.EdgeID) {
	if len(here) == 1 && len(there) == 1 {
		pa, pb := relProps(a, here[0]), relProps(b, there[0])
		if !maps.Equal(pa, pb) {
			r.add(&r.Rels, '~', func() string { return rel(a, here[0]) + ": " + strings.Join(changes(pa, pb), ", ") })
		}
		return
	}
	count := make(map[string]int)
	for _, e := range there {
		count[exact(relProps(b, e))]++
	}
	for _, e := range here {
		if id := exact(relProps(a, e)); count[id] > 0 {
			count[id]--
		} else {
			r.add(&r.Rels, '-', func() string { return rel(a, e) })
		}
	}
	for _, e := range there {
		if id := exact(relProps(b, e)); count[id] > 0 {
			count[id]--
			r.add(&r.Rels, '+', func() string { return rel(b, e) })
		}
	}
}

// exact is a map of properties as one text.
func exact(m map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%q:%s,", k, m[k])
	}
	return b.String()
}

func rel(s *csr.Snapshot, e csr.EdgeID) string {
	from, to := s.Endpoints(e)
	return fmt.Sprintf("(%d)-[:%s%s]->(%d)", s.NodeID(from), s.Types.Name(uint32(s.TypeOf(e))), propText(relProps(s, e)), s.NodeID(to))
}
