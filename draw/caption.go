package draw

import (
	"math"
	"slices"
)

// captionPlace is a caption beside its dot.
type captionPlace struct {
	node   int
	lines  []string
	anchor anchor
	box    box
}

// base returns where a line of the caption begins, ends or has its middle.
func (c *captionPlace) base(line int, font float64) point {
	x := (c.box.x0 + c.box.x1) / 2
	switch c.anchor {
	case start:
		x = c.box.x0 + captionMargin
	case end:
		x = c.box.x1 - captionMargin
	}
	return point{x, c.box.y0 + captionMargin + font*0.86 + float64(line)*font*lineHeight}
}

const (
	lineHeight    = 1.16 // of text, in font sizes
	captionMargin = 1.5
)

// side is a place of a caption: its direction from the dot, and how text is set there.
type captionSide struct {
	dx, dy float64
	anchor anchor
	cost   float64
}

// sides are the places that a caption may have, the best first.
var sides = []captionSide{
	{0, 1, middle, 0}, {0, -1, middle, 0.35}, {1, 0, start, 0.3}, {-1, 0, end, 0.45},
	{0.8, 0.7, start, 0.6}, {0.8, -0.7, start, 0.65}, {-0.8, 0.7, end, 0.75}, {-0.8, -0.7, end, 0.8},
}

// namedNodes is the number of nodes that a picture of many nodes tries to name.
const namedNodes = 400

// placeCaptions finds room for captions and for the types along lines. Nodes with more relationships choose first. A caption covers no
// dot, no other caption and no type; it may cover lines, but prefers not to.
func (n *network) placeCaptions() {
	n.captions, n.unnamed, n.untyped = nil, 0, 0
	taken := newBoxes(n.unit)
	for _, p := range n.at {
		taken.add(box{p.x, p.y, p.x, p.y}.grown(n.radius + 0.5))
	}
	lines := newSegments(n.unit)
	for i := range n.edges {
		n.edges[i].segments(lines.add)
	}
	if len(n.edges) <= n.types {
		n.placeTypes(taken)
	}
	for rank, v := range n.byDegree() {
		if rank >= namedNodes {
			n.unnamed += len(n.nodes) - rank
			return
		}
		if c, ok := n.placeCaption(v, taken, lines); ok {
			taken.add(c.box)
			n.captions = append(n.captions, c)
		} else {
			n.unnamed++
		}
	}
}

// placeCaption finds the best place of a node's caption.
func (n *network) placeCaption(v int, taken *boxes, segments *segments) (captionPlace, bool) {
	if n.nodes[v].caption == "" {
		return captionPlace{}, true
	}
	if len(n.nodes) <= 150 {
		return n.placeLines(v, wrapText(n.nodes[v].caption, n.font, n.caption, 2), taken, segments)
	}
	if c, ok := n.placeLines(v, wrapText(n.nodes[v].caption, n.font, 1.7*n.caption, 1), taken, segments); ok {
		return c, true
	}
	return n.placeLines(v, wrapText(n.nodes[v].caption, n.font, n.caption, 1), taken, segments)
}

// placeLines finds the best place of a caption in lines.
func (n *network) placeLines(v int, lines []string, taken *boxes, segments *segments) (captionPlace, bool) {
	if len(lines) == 0 {
		return captionPlace{}, true // only blanks
	}
	w := 0.0
	for _, l := range lines {
		w = max(w, textWidth(l, n.font))
	}
	w += 2 * captionMargin
	h := n.font*lineHeight*float64(len(lines)) + 2*captionMargin
	best, found, least := captionPlace{}, false, math.Inf(1)
	for _, side := range sides {
		b := n.captionBox(n.at[v], side, w, h)
		if taken.meets(b) {
			continue
		}
		cost := side.cost + 0.6*float64(segments.crossing(b, 8))
		if cost < least {
			best, found, least = captionPlace{node: v, lines: lines, anchor: side.anchor, box: b}, true, cost
		}
	}
	return best, found
}

// captionBox returns the box of a caption on a side of a dot.
func (n *network) captionBox(dot point, side captionSide, w, h float64) box {
	away := n.radius + 1.5
	c := dot.plus(point{side.dx * away, side.dy * (away + h/2)})
	x := c.x
	switch side.anchor {
	case middle:
		x -= w / 2
	case end:
		x -= w
	}
	return box{x, c.y - h/2, x + w, c.y + h/2}
}

// typeSpots are the places along a line where its type may stand, the best first.
var typeSpots = []float64{0.5, 0.42, 0.58, 0.34, 0.66}

// placeTypes writes types along the lines that are long enough.
func (n *network) placeTypes(taken *boxes) {
	size := n.font * 0.82
	for i := range n.edges {
		l := &n.edges[i]
		l.showsType = false
		w := textWidth(l.edge.kind, size)
		if !l.loop && l.a.distance(l.b) < w+2.2*n.head {
			n.untyped++
			continue
		}
		for _, spot := range typeSpots {
			at, angle := l.spot(spot)
			boxes := typeBoxes(at, angle, w, size)
			if slices.ContainsFunc(boxes, taken.meets) {
				continue
			}
			for _, b := range boxes {
				taken.add(b)
			}
			sin, cos := math.Sincos(angle * math.Pi / 180)
			l.typeAt, l.typeAngle, l.showsType = at.plus(point{-sin, cos}.times(size*0.34)), angle, true
			break
		}
		if !l.showsType {
			n.untyped++
		}
	}
}

// typeBoxes covers a turned text with small boxes.
func typeBoxes(at point, angle, w, size float64) (list []box) {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	pieces := max(1, int(math.Ceil(w/size)))
	if angle == 0 {
		return []box{{at.x - w/2, at.y - size*0.68, at.x + w/2, at.y + size*0.68}}
	}
	for i := range pieces {
		d := (float64(i)+0.5)/float64(pieces)*w - w/2
		c := at.plus(point{cos * d, sin * d})
		list = append(list, box{c.x, c.y, c.x, c.y}.grown(size*0.68))
	}
	return list
}

// boxes finds the boxes that meet another: it keeps them by squares.
type boxes struct {
	size    float64
	squares map[[2]int32][]box
}

func newBoxes(size float64) *boxes { return &boxes{size, map[[2]int32][]box{}} }

// each calls f for the squares that a box meets, until f returns false.
func eachSquare(b box, size float64, f func([2]int32) bool) {
	for x := int32(math.Floor(b.x0 / size)); x <= int32(math.Floor(b.x1/size)); x++ {
		for y := int32(math.Floor(b.y0 / size)); y <= int32(math.Floor(b.y1/size)); y++ {
			if !f([2]int32{x, y}) {
				return
			}
		}
	}
}

func (bs *boxes) add(b box) {
	eachSquare(b, bs.size, func(s [2]int32) bool {
		bs.squares[s] = append(bs.squares[s], b)
		return true
	})
}

// meets reports whether a box overlaps one of bs.
func (bs *boxes) meets(b box) (found bool) {
	eachSquare(b, bs.size, func(s [2]int32) bool {
		for _, c := range bs.squares[s] {
			if found = b.overlaps(c); found {
				break
			}
		}
		return !found
	})
	return found
}

// segments counts the straight pieces of lines that cross a box.
type segments struct {
	size    float64
	squares map[[2]int32][]int32
	list    [][2]point
}

func newSegments(size float64) *segments {
	return &segments{size: size, squares: map[[2]int32][]int32{}}
}

// add keeps a segment in the squares that it passes, and in some beside it.
func (s *segments) add(p, q point) {
	i := int32(len(s.list))
	s.list = append(s.list, [2]point{p, q})
	pieces := max(1, int(math.Ceil(p.distance(q)/s.size)))
	for k := range pieces {
		a := p.plus(q.minus(p).times(float64(k) / float64(pieces)))
		b := p.plus(q.minus(p).times(float64(k+1) / float64(pieces)))
		eachSquare(box{min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y)}, s.size, func(sq [2]int32) bool {
			if list := s.squares[sq]; len(list) == 0 || list[len(list)-1] != i {
				s.squares[sq] = append(list, i)
			}
			return true
		})
	}
}

// crossing counts the segments that cross a box, up to most. A segment in several squares may count several times.
func (s *segments) crossing(b box, most int) (n int) {
	eachSquare(b, s.size, func(sq [2]int32) bool {
		for _, i := range s.squares[sq] {
			if b.crossedBy(s.list[i][0], s.list[i][1]) {
				n++
			}
			if n >= most {
				return false
			}
		}
		return true
	})
	return n
}
