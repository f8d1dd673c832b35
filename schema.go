package motif

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels"
)

// Count is a name of the graph and how many nodes or relationships bear it.
type Count struct {
	Name  string
	Count uint64
}

// Connection says how many relationships of a type lead from nodes of one label to nodes of another; a label of ""
// stands for nodes without any. A node of several labels counts under each.
type Connection struct {
	From, Type, To string
	Count          uint64
}

// Schema is what names occur in the graph, each list from the most frequent to the least.
type Schema struct {
	Labels      []Count
	Types       []Count
	Connections []Connection
	NodeKeys    []string // property keys of nodes
	RelKeys     []string // property keys of relationships
}

// Stats are the figures of the graph and its store.
type Stats struct {
	Nodes, Edges uint64
	Labels       int
	Types        int
	MaxDegree    uint64 // neighbours of the best connected node, over all types and both directions
	Degeneracy   uint32 // of the simple undirected graph
	Loops        uint64
	Simple       bool // no loops, no parallel or reciprocal relationships, over all types together
	Epoch        uint64
	DiskBytes    uint64
	MemoryBytes  uint64 // resident size of the graph, indexes built so far included
}

// Schema returns what occurs in the graph.
func (db *DB) Schema(ctx context.Context) (*Schema, error) {
	s, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	out := &Schema{NodeKeys: keysOf(s, s.VertexProps), RelKeys: keysOf(s, s.EdgeProps)}
	for i, n := range s.Stats.LabelCount {
		out.Labels = append(out.Labels, Count{s.Labels.Name(uint32(i)), n})
	}
	for i, t := range s.Stats.Types {
		out.Types = append(out.Types, Count{s.Types.Name(uint32(i)), t.Edges})
	}
	for _, t := range s.Stats.Triples {
		out.Connections = append(out.Connections, Connection{labelName(s, t.Src), s.Types.Name(uint32(t.Type)), labelName(s, t.Dst), t.Count})
	}
	byCount := func(a, b Count) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) }
	slices.SortFunc(out.Labels, byCount)
	slices.SortFunc(out.Types, byCount)
	slices.SortStableFunc(out.Connections, func(a, b Connection) int { return cmp.Compare(b.Count, a.Count) })
	return out, nil
}

func keysOf(s *csr.Snapshot, columns []*csr.Column) (keys []string) {
	for k, c := range columns {
		if c != nil {
			keys = append(keys, s.Keys.Name(uint32(k)))
		}
	}
	slices.Sort(keys)
	return keys
}

func labelName(s *csr.Snapshot, l csr.LabelID) string {
	if l == csr.NoLabel {
		return ""
	}
	return s.Labels.Name(uint32(l))
}

// Stats returns the figures of the graph.
func (db *DB) Stats(ctx context.Context) (*Stats, error) {
	s, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	info, err := db.store.Info()
	if err != nil {
		return nil, err
	}
	out := &Stats{Nodes: s.N(), Edges: s.M(), Labels: s.Labels.Len(), Types: s.Types.Len(), Degeneracy: degeneracy(s),
		Epoch: info.Epoch, DiskBytes: info.DiskBytes, Simple: s.Stats.SimpleUnion(nil)}
	for _, t := range s.Stats.Types {
		out.Loops += t.Loops
	}
	all := s.Adjacency(nil, csr.Both)
	for v := range csr.VertexID(s.N()) {
		out.MaxDegree = max(out.MaxDegree, uint64(all.Degree(v)))
	}
	out.MemoryBytes = s.Bytes()
	return out, nil
}

type degeneracyKey struct{}

// String names it for PROFILE.
func (degeneracyKey) String() string { return "degeneracy" }

// degeneracy is what the store has computed when the graph was loaded; after changes it is computed anew.
func degeneracy(s *csr.Snapshot) uint32 {
	if s.Stats.Degeneracy > 0 || s.M() == 0 {
		return s.Stats.Degeneracy
	}
	return s.Derived(degeneracyKey{}, func() any {
		_, _, k := kernels.Cores(s.Adjacency(nil, csr.Both), s.N())
		return k
	}).(uint32)
}

// String prints one figure a line.
func (s *Stats) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s "+format+"\n", append([]any{name}, args...)...)
	}
	line("nodes", "%d", s.Nodes)
	line("relationships", "%d", s.Edges)
	line("labels", "%d", s.Labels)
	line("types", "%d", s.Types)
	line("max degree", "%d", s.MaxDegree)
	line("degeneracy", "%d", s.Degeneracy)
	line("self-loops", "%d", s.Loops)
	line("simple", "%s", map[bool]string{true: "yes: no loops, no parallel or reciprocal relationships", false: "no"}[s.Simple])
	line("epoch", "%d", s.Epoch)
	line("on disk", "%d bytes%s", s.DiskBytes, perEdge(s.DiskBytes, s.Edges))
	line("in memory", "%d bytes", s.MemoryBytes)
	return b.String()
}

func perEdge(bytes, edges uint64) string {
	if edges == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.2f per relationship)", float64(bytes)/float64(edges))
}
