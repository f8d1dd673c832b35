package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// memory makes a file system of texts by name.
func memory(files map[string]string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// loadChunks is Load with chunks of another size.
func loadChunks(spec Spec, chunk int) (*csr.Snapshot, *Report, error) {
	l := newLoader(spec, openIn(spec.FS), nil)
	l.chunk = chunk
	return l.load(context.Background())
}

// dump prints a snapshot in an order that does not depend on dense numbers: vertices by NodeID, then relationships
// sorted as text, then the external ids.
func dump(s *csr.Snapshot) string {
	var b strings.Builder
	for _, id := range nodeIDs(s) {
		v, ok := s.VertexByNodeID(id)
		if !ok {
			return fmt.Sprintf("no vertex with id %d", id)
		}
		var labels []string
		for _, l := range s.LabelsOf(v) {
			labels = append(labels, ":"+s.Labels.Name(uint32(l)))
		}
		slices.Sort(labels)
		fmt.Fprintf(&b, "(%d%s%s)\n", id, strings.Join(labels, ""), props(s.Keys, s.VertexProps, uint64(v)))
	}
	var rels []string
	for e := range csr.EdgeID(s.M()) {
		u, v := s.Endpoints(e)
		rels = append(rels, fmt.Sprintf("(%d)-[:%s%s]->(%d)\n", s.NodeID(u), s.Types.Name(uint32(s.TypeOf(e))), props(s.Keys, s.EdgeProps, uint64(e)), s.NodeID(v)))
	}
	slices.Sort(rels)
	b.WriteString(strings.Join(rels, ""))
	return b.String()
}

// nodeIDs lists the stable ids, rising.
func nodeIDs(s *csr.Snapshot) []csr.NodeID {
	ids := make([]csr.NodeID, s.N())
	for v := range ids {
		ids[v] = s.NodeID(csr.VertexID(v))
	}
	slices.Sort(ids)
	return ids
}

func props(keys *csr.Dict, columns []*csr.Column, i uint64) string {
	var parts []string
	for k, col := range columns {
		if cell, ok := col.Get(i); ok {
			v := value.OfCell(cell)
			parts = append(parts, fmt.Sprintf("%s: %v", keys.Name(uint32(k)), v))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return " {" + strings.Join(parts, ", ") + "}"
}

// externals prints the external ids by id space and NodeID.
func externals(s *csr.Snapshot) string {
	var b strings.Builder
	for _, x := range s.External {
		fmt.Fprintf(&b, "%q:", x.Name)
		for _, id := range nodeIDs(s) {
			v, _ := s.VertexByNodeID(id)
			if cell, ok := x.IDs.Get(uint64(v)); ok {
				fmt.Fprintf(&b, " %d=%v", id, value.OfCell(cell))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// checkLoad loads spec in chunks of several sizes and compares the graph with want, and the report's figures.
func checkLoad(t *testing.T, spec Spec, want string, loops, duplicates uint64) *Report {
	t.Helper()
	var first *Report
	for _, chunk := range []int{defaultChunk, 1, 7, 64} {
		s, r, err := loadChunks(spec, chunk)
		if err != nil {
			t.Fatalf("chunks of %d: %v", chunk, err)
		}
		if diff := cmp.Diff(strings.TrimLeft(want, "\n"), dump(s)); diff != "" {
			t.Errorf("chunks of %d: graph differs (-want +got):\n%s", chunk, diff)
		}
		if r.Loops != loops || r.Duplicates != duplicates || r.Nodes != s.N() || r.Relationships != s.M() {
			t.Errorf("chunks of %d: report %+v; want %d loops and %d duplicates", chunk, r, loops, duplicates)
		}
		if first == nil {
			first = r
		} else if diff := cmp.Diff(first, r); diff != "" {
			t.Errorf("chunks of %d: report differs (-whole +got):\n%s", chunk, diff)
		}
	}
	return first
}

// checkError loads spec in chunks of several sizes, which must fail alike, with an *Error if want names a file.
func checkError(t *testing.T, spec Spec, want string) {
	t.Helper()
	for _, chunk := range []int{defaultChunk, 1, 7, 64} {
		s, r, err := loadChunks(spec, chunk)
		if err == nil {
			t.Fatalf("chunks of %d: loaded\n%s", chunk, dump(s))
		}
		if s != nil || r != nil {
			t.Errorf("chunks of %d: a snapshot or report beside an error", chunk)
		}
		if err.Error() != want {
			t.Errorf("chunks of %d:\n got %s\nwant %s", chunk, err, want)
		}
		var e *Error
		if name, _, _ := strings.Cut(want, ":"); strings.Contains(name, ".") && !errors.As(err, &e) {
			t.Errorf("chunks of %d: %T is no *Error", chunk, err)
		}
	}
}
