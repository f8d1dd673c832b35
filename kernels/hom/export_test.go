package hom

import "testing"

// SetGains sets how many times cheaper than they are ordered wedges and supports of edges are taken to be, and whether the vertices' numbers
// may serve as ranks.
func SetGains(cycles, tips float64, numbers bool) (restore func()) {
	a, b, c := cycleGain, tipGain, trustNumbers
	cycleGain, tipGain, trustNumbers = cycles, tips, numbers
	return func() { cycleGain, tipGain, trustNumbers = a, b, c }
}

// Mutants are wrong rules for ties and for credits.
var Mutants = map[string]func(p *cyclePass){
	"no ties":                 func(p *cyclePass) { p.tied = shares{} },
	"ties in all four cases":  func(p *cyclePass) { p.tied = p.strict },
	"no case of the opposite": func(p *cyclePass) { p.strict.opposite = 0 },
	"opposite to the top":     func(p *cyclePass) { p.strict.top, p.strict.opposite = p.strict.top+p.strict.opposite, 0 },
	"one arm forgotten":       func(p *cyclePass) { p.strict.arms[1], p.tied.arms[1] = 0, 0 },
	"ties credited to an arm": func(p *cyclePass) { p.tied.arms[0] += p.tied.top },
}

// Mutate changes all cycles of h, and reports whether there are any.
func Mutate(h *Counter, change func(p *cyclePass)) (some bool) {
	for _, p := range h.passes {
		for _, o := range p.outs {
			if o.cycle == nil {
				continue
			}
			for i := range o.cycle.passes {
				change(&o.cycle.passes[i])
				some = true
			}
		}
	}
	return some
}

// ShareAll has workers share even small work during a test.
func ShareAll(t *testing.T) {
	was := minShared
	minShared = 1
	t.Cleanup(func() { minShared = was })
}

// SetCyclicGain sets how many times cheaper than it is package cyclic is taken to be.
func SetCyclicGain(gain float64) (restore func()) {
	was := cyclicGain
	cyclicGain = gain
	return func() { cyclicGain = was }
}

// PreferTriangles has package triangle count all triangles that it can.
func PreferTriangles() (restore func()) {
	was := triangleCost
	triangleCost = 0
	return func() { triangleCost = was }
}

// Fans returns how many totals package triangle finds, and how many of them have weights.
func Fans(h *Counter) (all, weighted int) {
	for _, p := range h.passes {
		for _, o := range p.outs {
			if o.fan != nil && !o.keep {
				all++
				if len(o.own.parts) > 0 {
					weighted++
				}
			}
		}
	}
	return all, weighted
}

// SupportSums returns how many slots of a divided counter are sums over supports.
func SupportSums(h *Counter) (n int) {
	if h.portion == nil {
		return 0
	}
	for _, x := range h.portion.sums {
		n += len(x.of)
	}
	return n
}
