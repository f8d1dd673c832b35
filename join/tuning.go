package join

import "math"

// Thresholds of the search, as measured. Tests set them so that small graphs try everything.
var (
	minMarked      = 4         // length from which it pays to mark a list
	maxMarkedRatio = 32        // how many times longer than a marked list another may be before galloping beats testing it
	minSifted      = 8         // length from which a list is marked to find its relationships in a row
	leastFiltered  = 32        // length from which a loop filters its list first, up to
	mostFiltered   = 1 << 14   // the length beyond which the first match would wait for that
	maxPart        = 1 << 20   // list elements between two looks at whether to stop, some 5 ms at worst
	maxTable       = 1 << 16   // entries of a table; beyond, vertices share entries and drive each other out
	recomputeShare = uint64(2) // part of a scattered table's cost that single numbers may cost before it is made
	trialLookups   = 1 << 12   // lookups after which a table with fewer than a quarter of hits is switched off

	reorderCost = 1e6 // expected list elements of a count from which it looks for an order of its own
	reorderGain = 1.5 // how many times cheaper that must be

	formulaCost = 3e5 // expected list elements of a count from which it is weighed against its formula
	formulaGain = 0.3 // how many times cheaper that must be; its list elements take less time

	rootGain = 1.2 // how many times dearer numbers by a root may be than those of all groups: units of them have whole numbers

	countCost = 24 // what finding the number of relationships of a pair costs, in list elements

	tickWork   = uint64(1 << 16) // list elements between two reports; the first one calls for help
	minShared  = 64              // vertices of a last step that are worth a task
	viewsAfter = 0.25            // work after which a worker makes candidate views, in terms of what they cost
	rowsAfter  = 1.0             // relationships passed over before a search makes rows between candidates, in terms of those of all candidates
	leastViews = 4000.0          // what views cost at least, in list elements: below, a search is over before they pay
)

// AlwaysFormula makes counts follow their formula wherever they can, for tests on small graphs. No query may run meanwhile.
func AlwaysFormula() (restore func()) {
	cost, gain := formulaCost, formulaGain
	formulaCost, formulaGain = -1, 0
	return func() { formulaCost, formulaGain = cost, gain }
}

// AlwaysPairs makes all counts by two vertices take pairs that can, for tests likewise.
func AlwaysPairs() (restore func()) {
	cost, gain := pairCost, pairGain
	pairCost, pairGain = -1, math.Inf(1)
	return func() { pairCost, pairGain = cost, gain }
}

// NoRoots makes groups that read several vertices take the formulas of all groups, for tests likewise.
func NoRoots() (restore func()) {
	gain := rootGain
	rootGain = 0
	return func() { rootGain = gain }
}

// AnyOrder makes counts take another order than the job's wherever they may, good or not, for tests likewise.
func AnyOrder() (restore func()) {
	cost, gain := reorderCost, reorderGain
	reorderCost, reorderGain = 0, 1e-9
	return func() { reorderCost, reorderGain = cost, gain }
}

// AlwaysViews makes searches use candidate views from their first vertex on, and filter lists first, for tests likewise.
func AlwaysViews() (restore func()) {
	after, least := viewsAfter, leastFiltered
	viewsAfter, leastFiltered = 0, 1
	return func() { viewsAfter, leastFiltered = after, least }
}
