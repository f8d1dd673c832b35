package kernels

import "github.com/motifql/motif/internal/pattern"

// What every kernel takes.
type (
	// Env is the environment of a call: the number of workers, a memory budget, and a tally of the work. Its zero value is
	// ready for use: one worker, no budget, no tally.
	Env = pattern.Env
	// Memory is a budget in bytes that calls share.
	Memory = pattern.Memory
	// Tally counts the work and the techniques of a call.
	Tally = pattern.Tally
	// VertexSet is a set of vertices that a kernel stays in.
	VertexSet = pattern.CandidateSet
	// Count is a number of 128 bits.
	Count = pattern.Count128
)

// NewVertexSet returns the set of the vertices in list, which must rise, for a graph of n vertices. It keeps list.
func NewVertexSet(n uint64, list []VertexID) *VertexSet { return pattern.NewCandidateSet(n, list) }

// Requests and answers of package clique.
type (
	Clique     = pattern.Clique
	Subgraph   = pattern.Subgraph
	EdgeCounts = pattern.EdgeCounts
)

// Requests and answers of packages core and truss.
type (
	CoreRequest  = pattern.CoreRequest
	Cores        = pattern.Cores
	TrussRequest = pattern.TrussRequest
	Trusses      = pattern.Trusses
)

// KMax asks truss.Decompose for the truss of the largest k that has edges.
const KMax = pattern.KMax

// Requests and answers of packages bfs, components and diameter.
type (
	Traversal        = pattern.Traversal
	Levels           = pattern.Levels
	PathRequest      = pattern.PathRequest
	ComponentRequest = pattern.ComponentRequest
	Components       = pattern.Components
	DiameterRequest  = pattern.DiameterRequest
	Diameter         = pattern.Diameter
)

// Requests of packages rank, closeness and betweenness.
type (
	Network      = pattern.Network
	Weight       = pattern.Weight
	ScoreRequest = pattern.ScoreRequest
)

// Requests and answers of package community.
type (
	CommunityRequest = pattern.CommunityRequest
	Communities      = pattern.Communities
)

// Requests and answers of package similarity.
type (
	SimilarityRequest = pattern.SimilarityRequest
	Similarities      = pattern.Similarities
)

// NoComponent is the component of a vertex outside of the request's set.
const NoComponent = pattern.NoComponent

// Requests and answers of package paths.
type (
	Path          = pattern.Path
	PathNode      = pattern.PathNode
	Hop           = pattern.Hop
	PathStep      = pattern.PathStep
	PathTest      = pattern.PathTest
	PathSelection = pattern.PathSelection
	PathJob       = pattern.PathJob
	PathQuery     = pattern.PathQuery
	PathSearch    = pattern.PathSearch
	PathMode      = pattern.PathMode
	PathSelector  = pattern.PathSelector
	Walk          = pattern.Walk
)

// Path modes: what may not repeat inside of a path.
const (
	WalkMode    = pattern.WalkMode
	TrailMode   = pattern.TrailMode
	SimpleMode  = pattern.SimpleMode
	AcyclicMode = pattern.AcyclicMode
)

// Path selectors: which of the paths between two vertices a search returns.
const (
	AllPaths       = pattern.AllPaths
	ShortestPaths  = pattern.ShortestPaths
	ShortestGroups = pattern.ShortestGroups
	OneEnd         = pattern.OneEnd
)

// Factor is a factor of a homomorphism's weight in package hom.
type Factor = pattern.Factor
