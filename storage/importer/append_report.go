package importer

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// mostCompared is how many added relationships an append compares with those of the store at most.
const mostCompared = 1 << 20

// repetitions counts the relationships of add that old has already: between the same nodes, of the same type, with the same properties.
func (a *appending) repetitions() error {
	if !a.report.Directed || a.add.M() == 0 || a.add.M() > mostCompared {
		return nil
	}
	added := make(map[[3]uint32][]csr.EdgeID)
	for e := range a.add.AllEdges() {
		if err := a.poll(uint64(e)); err != nil {
			return err
		}
		u, v := a.add.Endpoints(e)
		ends := [3]uint32{a.at[u], a.at[v], uint32(a.b.Type(a.add.Types.Name(uint32(a.add.TypeOf(e)))))}
		added[ends] = append(added[ends], e)
		a.held += mapEntry + 8
	}
	for known := range a.old.AllEdges() {
		if err := a.poll(uint64(known)); err != nil {
			return err
		}
		u, v := a.old.Endpoints(known)
		ends := [3]uint32{uint32(u), uint32(v), uint32(a.b.Type(a.old.Types.Name(uint32(a.old.TypeOf(known)))))}
		list, ok := added[ends]
		if !ok {
			continue
		}
		n := len(list)
		list = slices.DeleteFunc(list, func(e csr.EdgeID) bool {
			return propertyCount(a.add, e) == propertyCount(a.old, known) && !a.differ(known, e)
		})
		a.report.Repeated += uint64(n - len(list))
		if added[ends] = list; len(list) == 0 {
			delete(added, ends)
		}
	}
	return nil
}

// propertyCount counts the properties of a relationship.
func propertyCount(s *csr.Snapshot, e csr.EdgeID) (n int) {
	for k := range s.EdgeProps {
		if _, ok := s.EdgeProp(e, csr.KeyID(k)); ok {
			n++
		}
	}
	return n
}

// describe completes the report of an append with what is new in the graph next.
func (a *appending) describe(next *csr.Snapshot) {
	r := a.report
	r.OldNodes, r.OldRelationships = a.old.N(), a.old.M()
	r.Nodes, r.Relationships, r.Schema = next.N(), next.M(), schemaOf(&next.Data)
	was, is := schemaOf(&a.old.Data), schemaOf(&a.add.Data)
	r.NewLabels, r.NewTypes = newNames(was.Labels, r.Schema.Labels), newNames(was.Types, r.Schema.Types)
	a.warnTypes(was.Labels, is.Labels)
	a.warnTypes(was.Types, is.Types)
}

// newNames are the names that a graph has and had not before.
func newNames(was, is []ElementSchema) (names []string) {
	for i := range is {
		if e := &is[i]; e.Name != "" && e.Count > 0 && !slices.ContainsFunc(was, func(o ElementSchema) bool { return o.Name == e.Name && o.Count > 0 }) {
			names = append(names, e.Name)
		}
	}
	return names
}

// warnTypes warns of properties whose values in the files are of other types than those in the store.
func (a *appending) warnTypes(was, is []ElementSchema) {
	number := func(t string) bool { return t == "int" || t == "float" }
	for i := range is {
		at := slices.IndexFunc(was, func(o ElementSchema) bool { return o.Name == is[i].Name })
		if at < 0 {
			continue
		}
		for _, p := range is[i].Properties {
			k := slices.IndexFunc(was[at].Properties, func(o PropertySchema) bool { return o.Key == p.Key })
			if k < 0 || p.Key == "id" || slices.Contains(a.given.names, p.Key) {
				continue
			}
			old := was[at].Properties[k].Types
			if slices.ContainsFunc(p.Types, func(t string) bool {
				return slices.Contains(old, t) || number(t) && slices.ContainsFunc(old, number)
			}) {
				continue
			}
			a.report.Warnings = append(a.report.Warnings, fmt.Sprintf("property %q of %s is of type %s in the files, and of type %s in the store; a comparison finds only one of them",
				p.Key, orNoLabel(is[i].Name), p.Types[0], old[0]))
		}
	}
}

func orNoLabel(name string) string {
	if name == "" {
		return "nodes without a label"
	}
	return name
}

// addDates adds to the columns of a table whose dates may begin with the day or the month the texts that the store has of the
// same property, if these tell which it is.
func (x *storeIDs) addDates(h *header, t tableHead, nodes bool) tableHead {
	for i := range min(len(h.columns), len(t.columns)) {
		col := &h.columns[i]
		if !col.inferred {
			continue
		}
		if example, _, other := localDate(t.columns[i], "x"); example == "" || other == "" {
			continue
		}
		both := append(slices.Clone(t.columns[i]), x.textsOf(col.name, nodes)...)
		if example, _, other := localDate(both, "x"); example != "" && other == "" {
			t.columns[i] = both
		}
	}
	return t
}

// textsOf returns some of the texts that nodes, or else relationships, of the store have as a property.
func (x *storeIDs) textsOf(key string, nodes bool) (texts []string) {
	columns := x.graph.EdgeProps
	if nodes {
		columns = x.graph.VertexProps
	}
	k, ok := x.graph.Keys.Lookup(key)
	if !ok || int(k) >= len(columns) || columns[k] == nil {
		return nil
	}
	for i := range columns[k].NumChunks() {
		chunk := columns[k].Chunk(i)
		for slot := 0; chunk != nil && slot < csr.ChunkLen && len(texts) < sampleRecords; slot++ {
			if c, ok := chunk.Get(slot); ok && c.Kind == csr.KindString {
				texts = append(texts, c.Str)
			}
		}
	}
	return texts
}
