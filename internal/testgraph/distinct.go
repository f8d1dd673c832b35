package testgraph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// match is one assignment.
type match struct {
	v []csr.VertexID
	e []csr.EdgeID
}

// keep stores the match for the Distinct scopes.
func (m *matcher) keep() error {
	size := int64(96 + 4*len(m.v) + 8*len(m.e))
	m.charged += size
	m.kept = append(m.kept, match{slices.Clone(m.v), slices.Clone(m.e)})
	return m.env.Memory.Charge(size)
}

// representatives sends the matches that are the smallest of their group in every Distinct scope.
func (m *matcher) representatives() error {
	smallest := make([]map[string]int, len(m.pat.Scopes)) // group to index of the match
	for i := range m.pat.Scopes {
		s := &m.pat.Scopes[i]
		if !s.Distinct {
			continue
		}
		smallest[i] = make(map[string]int)
		for at := range m.kept {
			if at%1024 == 0 && m.ctx.Err() != nil {
				return m.ctx.Err()
			}
			g := m.group(s, &m.kept[at])
			old, ok := smallest[i][g]
			if !ok {
				m.charged += int64(len(g) + 64)
				if err := m.env.Memory.Charge(int64(len(g) + 64)); err != nil {
					return err
				}
			}
			if !ok || m.compare(s, &m.kept[at], &m.kept[old]) < 0 {
				smallest[i][g] = at
			}
		}
	}
	for at, k := range m.kept {
		first := true
		for i := range m.pat.Scopes {
			if s := &m.pat.Scopes[i]; s.Distinct {
				first = first && smallest[i][m.group(s, &k)] == at
			}
		}
		if first {
			copy(m.v, k.v)
			copy(m.e, k.e)
			if err := m.send(); err != nil {
				return err
			}
		}
	}
	return nil
}

// group names the group of a match: matches that bind the same sets of vertices and relationships inside s and the same
// elements outside it.
func (m *matcher) group(s *pattern.Scope, k *match) string {
	var in, out match
	for u, v := range k.v {
		if slices.Contains(s.Vertices, u) {
			in.v = append(in.v, v)
		} else {
			out.v = append(out.v, v)
		}
	}
	for i, e := range k.e {
		if slices.Contains(s.Edges, i) {
			in.e = append(in.e, e)
		} else {
			out.e = append(out.e, e)
		}
	}
	slices.Sort(in.v)
	slices.Sort(in.e)
	return fmt.Sprint(in, out)
}

// compare compares two matches by the stable ids of the scope's elements in order of first appearance.
func (m *matcher) compare(s *pattern.Scope, a, b *match) int {
	for _, x := range s.Order {
		c := 0
		if x >= 0 {
			c = cmp.Compare(m.snap.NodeID(a.v[x]), m.snap.NodeID(b.v[x]))
		} else if !m.pat.Edges[^x].AtLeastOne {
			c = cmp.Compare(m.snap.RelID(a.e[^x]), m.snap.RelID(b.e[^x]))
		}
		if c != 0 {
			return c
		}
	}
	return 0
}
