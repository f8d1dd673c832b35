// Package enginetest tests the engine from outside, as a program that embeds it: random queries, writes, paths and procedures
// against oracles that share nothing with it, known counts of real graphs, transactions, devices.
package enginetest

import (
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hook"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/storage"
)

// storeOf returns the store of a DB.
func storeOf(db *motif.DB) *storage.Store { return hook.Store(db) }

// viewOf returns a transaction that reads s.
func viewOf(db *motif.DB, s *csr.Snapshot) *motif.Tx { return hook.View(db, s).(*motif.Tx) }

// published opens a database in memory that holds s.
func published(t *testing.T, s *csr.Snapshot, opts ...motif.Option) *motif.DB {
	t.Helper()
	db, err := motif.Open(":memory:", opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := storeOf(db).Publish(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// nodeOf reads a node of a snapshot without the engine.
func nodeOf(s *csr.Snapshot, v csr.VertexID) motif.Node {
	n := motif.Node{ID: uint64(s.NodeID(v)), Labels: []string{}, Props: propsOf(s, func(k csr.KeyID) (csr.Cell, bool) { return s.VertexProp(v, k) })}
	for _, l := range s.LabelsOf(v) {
		n.Labels = append(n.Labels, s.Labels.Name(uint32(l)))
	}
	return n
}

// relOf reads a relationship of a snapshot without the engine.
func relOf(s *csr.Snapshot, e csr.EdgeID) motif.Relationship {
	from, to := s.Endpoints(e)
	return motif.Relationship{ID: uint64(s.RelID(e)), Type: s.Types.Name(uint32(s.TypeOf(e))), Start: uint64(s.NodeID(from)), End: uint64(s.NodeID(to)),
		Props: propsOf(s, func(k csr.KeyID) (csr.Cell, bool) { return s.EdgeProp(e, k) })}
}

// propsOf reads the properties of an element: random graphs have scalars only.
func propsOf(s *csr.Snapshot, get func(csr.KeyID) (csr.Cell, bool)) map[string]any {
	props := map[string]any{}
	for k, name := range s.Keys.Names() {
		c, ok := get(csr.KeyID(k))
		if !ok {
			continue
		}
		switch v := value.OfCell(c); v.Kind() {
		case value.Bool:
			props[name] = v.Bool()
		case value.Int:
			props[name] = v.Int()
		case value.Float:
			props[name] = v.Float()
		case value.String:
			props[name] = v.Str()
		}
	}
	return props
}
