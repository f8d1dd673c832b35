package draw

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// box is a rectangle.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) width() float64  { return b.x1 - b.x0 }
func (b box) height() float64 { return b.y1 - b.y0 }

func (b box) overlaps(c box) bool { return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1 }

// grown returns b with a margin.
func (b box) grown(by float64) box { return box{b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by} }

// joined returns the smallest box around b and c.
func (b box) joined(c box) box {
	return box{min(b.x0, c.x0), min(b.y0, c.y0), max(b.x1, c.x1), max(b.y1, c.y1)}
}

// crossedBy reports whether a segment has a point in b.
func (b box) crossedBy(p, q point) bool {
	lo, hi := 0.0, 1.0
	for _, axis := range [...][4]float64{{p.x, q.x - p.x, b.x0, b.x1}, {p.y, q.y - p.y, b.y0, b.y1}} {
		start, step, least, most := axis[0], axis[1], axis[2], axis[3]
		if step == 0 {
			if start < least || start > most {
				return false
			}
			continue
		}
		t, u := (least-start)/step, (most-start)/step
		lo, hi = max(lo, min(t, u)), min(hi, max(t, u))
	}
	return lo < hi
}

// around returns the smallest box around nodes.
func around(nodes []int, at []point) box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, v := range nodes {
		b = b.joined(box{at[v].x, at[v].y, at[v].x, at[v].y})
	}
	return b
}

// pack puts boxes in rows, the highest first, so that the whole is about half as wide again as high. It returns how far each
// box moves.
func pack(boxes []box, sp spacing) []point {
	area, width := 0.0, 0.0
	order := make([]int, len(boxes))
	for i, b := range boxes {
		order[i] = i
		area += (b.width() + sp.wide) * (b.height() + sp.high)
		width = max(width, b.width())
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(boxes[j].height(), boxes[i].height()), cmp.Compare(boxes[j].width(), boxes[i].width()))
	})
	width = max(width, math.Sqrt(area*1.5))
	shifts := make([]point, len(boxes))
	x, y, high := 0.0, 0.0, 0.0
	for _, i := range order {
		b := boxes[i]
		if x > 0 && x+b.width() > width {
			x, y, high = 0, y+high+sp.high, 0
		}
		high = max(high, b.height())
		shifts[i] = point{x - b.x0, y - b.y0 + (high-b.height())/2}
		x += b.width() + sp.wide
	}
	return shifts
}

// spread moves the nodes of a part until any two of them are far enough apart. It first pushes close nodes apart. Where that does not
// end soon, the part grows.
func (sp *spacing) spread(ctx context.Context, part []int, at []point) error {
	if len(part) < 2 {
		return nil
	}
	most, area := sp.dots, 0.0
	for i, v := range part {
		at[v] = at[v].plus(point{float64(i%7) * 1e-6, float64(i%11) * 1e-6}) // no two nodes at one place
		room := sp.apart(v, v)
		most, area = max(most, room), area+room*room
	}
	if b := around(part, at).grown(sp.dots / 2); b.width()*b.height() < 1.5*area && len(part) > 20 {
		grow := math.Sqrt(1.5 * area / (b.width() * b.height()))
		for _, v := range part {
			at[v] = at[v].times(grow)
		}
	}
	g := grid{size: sp.dots, reach: int32(math.Ceil(most / sp.dots))}
	for try := 1; g.push(part, at, sp); try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if try%20 == 0 {
			for _, v := range part {
				at[v] = at[v].times(1.12)
			}
		}
	}
	return nil
}

// apart returns the least distance of two nodes.
func (sp *spacing) apart(u, v int) float64 {
	if sp.room == nil {
		return sp.dots
	}
	return max(sp.dots, sp.room[u], sp.room[v])
}

// grid finds nodes near a place: it keeps them by squares.
type grid struct {
	size    float64
	reach   int32 // squares to look at on each side of a node with much room
	low     point
	columns int32
	heads   []int32 // the first node of each square, from 1
	next    []int32 // of the same square, by node
}

// fill puts nodes into their squares.
func (g *grid) fill(nodes []int, at []point) {
	b := around(nodes, at).grown(g.size)
	g.low = point{b.x0, b.y0}
	g.columns = int32(b.width()/g.size) + 2
	g.heads = slices.Grow(g.heads[:0], int(g.columns)*(int(b.height()/g.size)+2))[:int(g.columns)*(int(b.height()/g.size)+2)]
	clear(g.heads)
	if len(g.next) < len(at) {
		g.next = make([]int32, len(at))
	}
	for _, v := range nodes {
		s := g.square(at[v])
		g.next[v] = g.heads[s]
		g.heads[s] = int32(v) + 1
	}
}

func (g *grid) square(p point) int32 {
	return int32((p.y-g.low.y)/g.size)*g.columns + int32((p.x-g.low.x)/g.size)
}

// push moves nodes that are too close away from each other. It reports whether there were any.
func (g *grid) push(part []int, at []point, sp *spacing) (pushed bool) {
	g.fill(part, at)
	rows := int32(len(g.heads)) / g.columns
	for _, v := range part {
		reach := int32(1)
		if sp.apart(v, v) > sp.dots {
			reach = g.reach
		}
		x := int32((at[v].x - g.low.x) / g.size)
		y := int32((at[v].y - g.low.y) / g.size)
		for sy := max(0, y-reach); sy <= min(rows-1, y+reach); sy++ {
			for sx := max(0, x-reach); sx <= min(g.columns-1, x+reach); sx++ {
				for u := g.heads[sy*g.columns+sx]; u > 0; u = g.next[u-1] {
					if int(u-1) != v && sp.pushPair(at, v, int(u-1)) {
						pushed = true
					}
				}
			}
		}
	}
	return pushed
}

// pushPair moves two nodes away from each other if they are too close, and reports whether they were. A node that needs more room
// than the other stays.
func (sp *spacing) pushPair(at []point, v, u int) bool {
	apart := sp.apart(v, u)
	by := at[v].minus(at[u])
	l := by.length()
	if l >= apart {
		return false
	}
	if l < 1e-9 {
		by, l = point{1e-3, 1e-3 * float64(1+u%5)}, 1e-3
	}
	by = by.times((apart*1.002 - l) / 2 / l)
	switch a, b := sp.apart(v, v), sp.apart(u, u); {
	case a > 1.2*b:
		at[u] = at[u].minus(by.times(2))
	case b > 1.2*a:
		at[v] = at[v].plus(by.times(2))
	default:
		at[v], at[u] = at[v].plus(by), at[u].minus(by)
	}
	return true
}
