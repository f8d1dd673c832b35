package hom

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// The plan of the paths that join the two vertices whose pairs of values have numbers.

// linkPlan is a path between the ends.
type linkPlan struct {
	rows   []*rowsPlan   // along the path
	inside []*weightPlan // of the vertices between
	back   *rowsPlan     // from the second end, if its neighbours are read there for each pair that shorter links leave; else nil
}

// dropPairTip turns a vertex with two neighbours that are joined into a weight of their pair, unless it is an end.
func (x *shape) dropPairTip() bool {
	if x.h.without.Has(pattern.EdgeSupports) {
		return false
	}
	for _, y := range x.living() {
		if ws := x.near(y); y != x.root && y != x.mate && len(ws) == 2 && len(x.pairs[ws[0]][ws[1]]) > 0 {
			x.bendTip(y, ws[0], ws[1])
			x.alive[y] = false
			return true
		}
	}
	return false
}

// takeLinks marks what the links need as in use, and adds the cost of that and of following them from each of so many first ends. The
// shortest link comes first: it leaves few pairs for the others.
func (x *shape) takeLinks(links []linkPlan, firsts float64) {
	slices.SortStableFunc(links, func(a, b linkPlan) int { return len(a.rows) - len(b.rows) })
	pairs := math.Inf(1)
	for i := range links {
		pairs = min(pairs, x.takeLink(&links[i], firsts, pairs))
	}
}

// takeLink is takeLinks for one of them, and for so many pairs. It returns how many pairs the link leaves. A vertex that several walks reach
// is followed once, so a step reads all lists once at most for each first end.
func (x *shape) takeLink(l *linkPlan, firsts, pairs float64) (values float64) {
	h := x.h
	for i, rows := range l.rows {
		h.cost += h.take(rows)
		if i == 0 {
			values = rows.edges
			h.cost += values
			continue
		}
		h.cost += h.takeStatic(l.inside[i-1])
		walks := min(values*rows.meanLength, firsts*rows.edges)
		values = min(walks, firsts*h.size(rows.to))
		if i < 2 || i < len(l.rows)-1 || pairs*l.back.meanLength >= walks {
			h.cost += walks
			continue
		}
		h.cost += pairs*l.back.meanLength + h.take(l.back)
		return values
	}
	l.back = nil
	return values
}

// links returns the paths that the live vertices form between the root and the mate. ok is false if they form something else.
func (x *shape) links() (links []linkPlan, ok bool) {
	a, b, seen := x.root, x.mate, 2
	if a == b {
		return nil, len(x.living()) == 1
	}
	for _, v := range x.near(a) {
		l, last := linkPlan{rows: []*rowsPlan{x.rows(a, v)}}, a
		for v != b {
			near := x.near(v)
			if len(near) != 2 || v == a {
				return nil, false
			}
			next := near[0]
			if next == last {
				next = near[1]
			}
			l.inside, l.rows, l.back = append(l.inside, x.own(v)), append(l.rows, x.rows(v, next)), x.rows(next, v)
			last, v = v, next
			seen++
		}
		links = append(links, l)
	}
	return links, seen == len(x.living())
}
