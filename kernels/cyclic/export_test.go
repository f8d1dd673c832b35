package cyclic

// Mutants are wrong cases and wrong cuts.
var Mutants = map[string]func(r *rule){
	"lists up to the top":            func(r *rule) { r.cut = 1 },
	"no walks with two returns":      func(r *rule) { r.four[1], r.five[1] = 0, 0 },
	"no returns of two and of four":  func(r *rule) { r.six[1] = 0 },
	"no two returns of three":        func(r *rule) { r.six[2] = 0 },
	"three returns once":             func(r *rule) { r.six[3] = 1 },
	"one step of six":                func(r *rule) { r.six[0] = 5 },
	"paths from a vertex to itself":  func(r *rule) { r.subdivided[1] = 0 },
	"pairs in one order":             func(r *rule) { r.subdivided[0] = 2 },
	"houses in one direction":        func(r *rule) { r.house[0] = 1 },
	"no house with the top twice":    func(r *rule) { r.house[1] = 0 },
	"hats in one order":              func(r *rule) { r.hat = 2 },
	"triangles in one order":         func(r *rule) { r.triangle = 1 },
	"no prism with the top twice":    func(r *rule) { r.prism[1] = 0 },
	"prisms with the top in a ring":  func(r *rule) { r.prism[0] = 3 },
	"prisms with ties at five pairs": func(r *rule) { r.prism[1] = 5 },
}

// Mutate changes the rule of all counts.
func Mutate(change func(r *rule)) (restore func()) {
	was := rules
	change(&rules)
	return func() { rules = was }
}

// SumOverflows reports whether times times a*b has more than 128 bits.
func SumOverflows(a, b, times uint64) bool {
	var one, all sum
	one.add(a, b)
	all.plus(one, times)
	var more sum
	for range times {
		more.add(a, b)
	}
	return all.over != 0 && more.over != 0
}
