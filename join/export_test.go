package join

// Tiny makes small graphs try what only long searches do.
func Tiny() (restore func()) {
	a, b, c, d, e, f, g, h := minMarked, maxMarkedRatio, maxPart, maxTable, trialLookups, tickWork, minShared, restrictShare
	minMarked, maxMarkedRatio, maxPart, maxTable, trialLookups, tickWork, minShared, restrictShare = 1, 100, 4, 2, 8, 2, 2, 16
	return func() {
		minMarked, maxMarkedRatio, maxPart, maxTable, trialLookups, tickWork, minShared, restrictShare = a, b, c, d, e, f, g, h
	}
}
