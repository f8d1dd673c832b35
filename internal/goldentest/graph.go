// Package goldentest reads the small graphs and patterns of golden tests.
//
// Text goes in: a graph as words, a pattern as a MATCH clause. Out come a snapshot whose nodes keep their names and the pattern as the
// planner hands it to filter and join. It never prints: what a golden file holds is for each test to say.
package goldentest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Graph is a snapshot whose nodes have names.
type Graph struct {
	*csr.Snapshot
	names []string // by csr.NodeID
}

// Parse reads a graph. Each word is a node with its labels, as in "ann:Person:Admin", or a relationship, as in "ann-KNOWS->bob".
// A relationship whose ends are new adds them without labels.
func Parse(text string) (*Graph, error) {
	b, g := csr.NewBuilder(), &Graph{}
	at := map[string]uint32{}
	node := func(word string) uint32 {
		parts := strings.Split(word, ":")
		v, ok := at[parts[0]]
		if !ok {
			var labels []csr.LabelID
			for _, l := range parts[1:] {
				labels = append(labels, b.Label(l))
			}
			v = b.AddVertex(labels...)
			at[parts[0]], g.names = v, append(g.names, parts[0])
		}
		return v
	}
	for word := range strings.FieldsSeq(text) {
		from, rest, isEdge := strings.Cut(word, "-")
		if !isEdge {
			node(word)
			continue
		}
		relType, to, ok := strings.Cut(rest, "->")
		if !ok {
			return nil, fmt.Errorf("goldentest: %q is neither a node nor a relationship", word)
		}
		b.AddEdge(node(from), node(to), b.Type(relType))
	}
	s, _, err := b.Build(context.Background(), 1)
	g.Snapshot = s
	return g, err
}

// Name returns the name of a vertex.
func (g *Graph) Name(v csr.VertexID) string { return g.names[g.NodeID(v)] }

// Names returns the names of a candidate set, in order of addition to the graph.
func (g *Graph) Names(set *pattern.CandidateSet) string {
	list := slices.Clone(set.List())
	slices.SortFunc(list, func(a, b csr.VertexID) int { return int(g.NodeID(a)) - int(g.NodeID(b)) })
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = g.Name(v)
	}
	return strings.Join(names, " ")
}

// Match plans a query of one MATCH clause, without its return clause, and returns the step that matches its pattern.
func (g *Graph) Match(query string) (*planner.Match, error) {
	script, err := lang.Parse(query + " RETURN count(*)")
	if err != nil {
		return nil, err
	}
	if _, err := lang.Check(script.Statements[0], nil); err != nil {
		return nil, err
	}
	plan, err := planner.New(context.Background(), script.Statements[0], g.Snapshot, planner.Options{})
	if err != nil {
		return nil, err
	}
	var found *planner.Match
	var walk func(n planner.Node)
	walk = func(n planner.Node) {
		if m, ok := n.(*planner.Match); ok {
			found = m
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	walk(plan.Root)
	if found == nil {
		return nil, fmt.Errorf("goldentest: %q matches no pattern", query)
	}
	return found, nil
}
