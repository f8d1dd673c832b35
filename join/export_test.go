package join

// Tiny makes small graphs try what only long searches do: candidate views if bit 0 of variant is set, and other orders than the job's,
// good or not, if bit 1 is. If bit 2 is, searches that fail check forward.
func Tiny(variant uint64) (restore func()) {
	a, b, c, d, e, f := minMarked, maxMarkedRatio, maxPart, maxTable, trialLookups, recomputeShare
	g, h, i, j, k := tickWork, minShared, viewsAfter, reorderCost, reorderGain
	l, m, n, o := minFailing, guardsAfter, nogoodSlots, guardsShare
	restoreChecks, sifted, filtered := ChecksAfter(1e18), minSifted, leastFiltered
	rows := rowsAfter
	minSifted, leastFiltered, rowsAfter = 1, 1, 0
	minFailing, guardsAfter, nogoodSlots, guardsShare = 2, 0, 8, 1
	minMarked, maxMarkedRatio, maxPart, maxTable, trialLookups, recomputeShare = 1, 100, 4, 2, 8, 4
	tickWork, minShared, viewsAfter, reorderCost, reorderGain = 2, 2, 1e18, 1e300, 1e-9
	if variant&1 != 0 {
		viewsAfter = 0
	}
	if variant&2 != 0 {
		reorderCost = 0
	}
	if variant&4 != 0 {
		checksAfter = 0
	}
	return func() {
		minMarked, maxMarkedRatio, maxPart, maxTable, trialLookups, recomputeShare = a, b, c, d, e, f
		tickWork, minShared, viewsAfter, reorderCost, reorderGain = g, h, i, j, k
		minFailing, guardsAfter, nogoodSlots, guardsShare = l, m, n, o
		restoreChecks()
		minSifted, leastFiltered, rowsAfter = sifted, filtered, rows
	}
}

// ChecksAfter sets from how many list elements on a search checks forward.
func ChecksAfter(work uint64) (restore func()) {
	after := checksAfter
	checksAfter = work
	return func() { checksAfter = after }
}

// DomainLimits sets how many candidates forward checking bears, and how many bytes of rows it keeps.
func DomainLimits(candidates, rows int) (restore func()) {
	a, b := maxDomain, maxDomainRows
	maxDomain, maxDomainRows = candidates, rows
	return func() { maxDomain, maxDomainRows = a, b }
}

// AskAllAfter sets how many questions about errors of a predicate come before the one for all matches.
func AskAllAfter(questions int) (restore func()) {
	before := askAllAfter
	askAllAfter = questions
	return func() { askAllAfter = before }
}

// KeepOrder makes counts follow the order given.
func KeepOrder() (restore func()) {
	cost := reorderCost
	reorderCost = 1e300
	return func() { reorderCost = cost }
}

// DenseLimits sets how long lists and how large rows the search by bitmaps bears.
func DenseLimits(list, rows int) (restore func()) {
	a, b := maxDense, maxDenseRows
	maxDense, maxDenseRows = list, rows
	return func() { maxDense, maxDenseRows = a, b }
}

// Balance tells f how many list elements each worker of a search went through.
func Balance(f func(work uint64)) (restore func()) {
	onRetire = f
	return func() { onRetire = nil }
}

// NogoodsTrial sets after how many look-ups nogoods that spare little are given up.
func NogoodsTrial(lookups uint64) (restore func()) {
	trial := nogoodsTrial
	nogoodsTrial = lookups
	return func() { nogoodsTrial = trial }
}

// SmallTicks calls workers in early.
func SmallTicks() (restore func()) {
	tick := tickWork
	tickWork = 1 << 8
	return func() { tickWork = tick }
}

// AlwaysReplan has orders tried all the time, and taken be they better or not.
func AlwaysReplan() (restore func()) {
	a, b, c, d, e := replanAfter, replanAgain, replanSurprise, replanShare, replanGain
	replanAfter, replanAgain, replanSurprise, replanShare, replanGain = 1, 64, -1, 1e-6, 1e-9
	return func() { replanAfter, replanAgain, replanSurprise, replanShare, replanGain = a, b, c, d, e }
}

// ShortReplan has orders looked at after so many list elements, with trials of as many.
func ShortReplan(after uint64) (restore func()) {
	a, b := replanAfter, replanShare
	replanAfter, replanShare = after, 1
	return func() { replanAfter, replanShare = a, b }
}

// AlwaysTurns has other orders join as soon as the first worker reports, with short turns and many rounds of first vertices.
func AlwaysTurns() (restore func()) {
	a, b, c, d := turnsAfter, firstSlice, rootSlice, rootGrowth
	turnsAfter, firstSlice, rootSlice, rootGrowth = 0, 1, 1, 2
	return func() { turnsAfter, firstSlice, rootSlice, rootGrowth = a, b, c, d }
}

// EarlyReplan has orders tried as soon as the first worker reports, on many first vertices.
func EarlyReplan() (restore func()) {
	a, b := replanAfter, replanShare
	replanAfter, replanShare = 1, 0.25
	return func() { replanAfter, replanShare = a, b }
}

// AllValueLists makes the join look vertices up by equal values wherever it can, until the function it returns is called.
func AllValueLists() func() {
	before := valueGain
	valueGain = 0
	return func() { valueGain = before }
}

// DearFormulas has formulas of counts taken to be dearer than they are.
func DearFormulas() (restore func()) {
	cost, gain := formulaCost, formulaGain
	formulaCost, formulaGain = 1, 1e9
	return func() { formulaCost, formulaGain = cost, gain }
}
