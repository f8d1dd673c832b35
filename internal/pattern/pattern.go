// Package pattern is the vocabulary that planner, filter, join, kernels, devices and exec share.
//
// The planner puts a query graph with its match modes, a matching order and a formula in; requests carry them to a device, and candidate
// sets, embeddings and counts come out as answers. It is plain data: it prints, copies and compares in tests. It also holds what every
// query carries along, its limits, its memory budget and its tally. It never knows the query language, and decides nothing.
package pattern

import "github.com/motifql/motif/internal/csr"

// Mode says which pattern elements of one MATCH clause must be bound to different graph elements.
type Mode uint8

const (
	// DifferentRelationships: no two pattern relationships share a graph relationship (openCypher's rule, the default).
	DifferentRelationships Mode = iota
	// RepeatableElements: anything may repeat (homomorphism; GQL's REPEATABLE ELEMENTS).
	RepeatableElements
	// DifferentNodes: no two pattern nodes share a node (subgraph isomorphism); implies DifferentRelationships.
	DifferentNodes
)

// Pattern is a query graph. Vertices and Edges are referred to by index.
//
// A match assigns to every vertex a graph vertex that its label expression admits and to every edge (but those of
// the AtLeastOne kind, which bind nothing) one relationship of an admitted type and direction between the
// assigned ends, such that every scope's mode, every Different pair and every predicate holds.
// Each such assignment is one match: parallel and reciprocal relationships count separately. A self-loop
// matches an undirected edge once.
type Pattern struct {
	Vertices   []Vertex
	Edges      []Edge
	Scopes     []Scope     // one per MATCH clause, in order of text
	Different  [][2]int    // pairs of vertices that must differ beyond what the scopes' modes say (a <> b, ALL_DIFFERENT)
	Predicates []Predicate // all of them must hold
}

// Vertex is a query vertex u.
type Vertex struct {
	Name   string // for people: the variable, or "" if anonymous
	Labels *Label // nil admits every vertex
	Bound  bool   // its vertex is given by the incoming row (Job.Vertices)
}

// Edge is a query edge. Directed edges run From -> To.
type Edge struct {
	Name       string
	From, To   int
	Types      csr.TypeSet // nil: any type; empty but not nil: none, the edge matches nothing
	Undirected bool
	AtLeastOne bool // binds no relationship: holds if there is one or more between the ends, which must differ
	Bound      bool // its relationship is given by the incoming row (Job.Edges)
	Scope      int
}

// Scope is what one MATCH clause says of its elements. Uniqueness holds inside a scope, never across.
type Scope struct {
	Mode     Mode
	Vertices []int // vertices the clause uses, in order of first appearance
	Edges    []int // edges of the clause
	// Order lists the clause's elements in order of first appearance: vertex u as u, edge e as ^e.
	// DISTINCT compares matches by it.
	Order []int
	// Induced: between two vertices of the scope there is no relationship of a type in InducedTypes, in either
	// direction, beyond those the scope's own edges bind; loops are ignored. Implies DifferentNodes.
	Induced      bool
	InducedTypes csr.TypeSet // nil: any type
	// Distinct: of all matches that bind the same set of vertices and the same set of relationships in this
	// scope (and agree outside it), only the one with the smallest stable ids in Order is given.
	// Implies DifferentNodes. Predicates[i] with Scope == this one belong to the clause and choose among matches.
	Distinct bool
}

// Predicate is a condition over the elements of a match.
type Predicate struct {
	Text     string // as written, for EXPLAIN
	Shape    string // of one vertex only: Text without the variable; equal Shapes test the same. "": not comparable
	Vertices []int  // the vertices it reads
	Edges    []int  // the edges it reads
	Scope    int    // the clause it was written in
	Given    bool   // it reads values of the incoming row, too
	// Absent is set where the predicate says just this: no relationship joins the two vertices like an edge of the
	// AtLeastOne kind would. It has From, To, Types and Undirected.
	Absent *Edge
	Equal  *Equality // set where the predicate says just this
	Test   Test      // nil in a plan; filled before execution
	Sift   Sift      // likewise; nil: Test alone can tell
	Seek   Seek      // likewise; nil: no index helps
}

// Equality says that a value of one vertex equals a value of another.
type Equality struct {
	Of   [2]int // the vertices
	Keys [2]Key // nil in a plan; filled before execution
}

// Other returns the vertex on the other side than u, or -1 if the equality does not read u.
func (q *Equality) Other(u int) int {
	switch u {
	case q.Of[0]:
		return q.Of[1]
	case q.Of[1]:
		return q.Of[0]
	}
	return -1
}

// KeyOf is the key of vertex u, one of the two.
func (q *Equality) KeyOf(u int) Key {
	if u == q.Of[0] {
		return q.Keys[0]
	}
	return q.Keys[1]
}

// Key appends a key of a vertex's value to dst. Equal values have equal keys. ok is false if the value equals nothing: null and NaN.
// exact says that only equal values have this key. It must be safe for concurrent use.
type Key func(dst []byte, v csr.VertexID) (key []byte, exact, ok bool, err error)

// Test evaluates a predicate. Only the elements that the predicate names are set; the rest may hold anything.
// It must be safe for concurrent use.
type Test func(vertices []csr.VertexID, edges []csr.EdgeID) (bool, error)

// Sift tests a predicate on many matches at once and clears keep for those where it is not true. It reports false, and leaves keep as it
// was, if a match takes more than numbers: then Test must tell. It must be safe for concurrent use.
type Sift func(m *Alike, keep []bool) bool

// Alike are matches that differ in one vertex or two, and in the relationship of one edge at the most.
type Alike struct {
	Vertices []csr.VertexID // what all have in common; the place of Vertex may hold anything
	Edges    []csr.EdgeID
	Vertex   int            // the vertex that differs
	At       []csr.VertexID // it, by match
	Edge     int            // the edge that differs; -1: none
	Over     []csr.EdgeID   // its relationship, by match
	Other    int            // another vertex that differs, if Others is not nil
	Others   []csr.VertexID // it, by match
}

// Seek returns the vertices that a predicate of one vertex may hold for, rising, by an index: all of them, and perhaps others.
// ok is false if the index cannot tell, or they may be more than atMost. Of a Given predicate it is for the current
// row.
type Seek func(atMost int) (list []csr.VertexID, ok bool)

// Single returns the vertex that p reads if it reads exactly one and nothing else, so that it can be tested once for all
// rows.
func (p *Predicate) Single() (u int, ok bool) {
	if len(p.Vertices) == 1 && len(p.Edges) == 0 && !p.Given {
		return p.Vertices[0], true
	}
	return 0, false
}
