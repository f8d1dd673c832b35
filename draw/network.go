package draw

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// style is the size of things in a picture of so many nodes.
type style struct {
	upTo    int // nodes
	radius  float64
	font    float64
	unit    float64
	stroke  float64
	head    float64 // of arrows
	caption float64 // the width of a line of a caption
}

// styles are the sizes by the number of nodes: the more nodes, the smaller.
var styles = []style{
	{1, 22, 13, 130, 1.6, 9, 150},
	{14, 17, 12.5, 138, 1.6, 9, 112},
	{40, 13, 11.5, 112, 1.4, 8, 100},
	{80, 9.5, 10.5, 92, 1.2, 6.5, 92},
	{150, 7.5, 9.5, 72, 1, 5.5, 86},
	{400, 5.5, 8.5, 50, 0.8, 4, 80},
	{1000, 4, 8, 34, 0.6, 3, 80},
	{math.MaxInt, 3, 8, 24, 0.5, 2.2, 80},
}

func styleFor(nodes int) style {
	i := slices.IndexFunc(styles, func(s style) bool { return nodes <= s.upTo })
	return styles[i]
}

// network draws a graph: places, lines, captions.
type network struct {
	*graph
	style
	at       []point
	edges    []line
	captions []captionPlace
	types    int // the number of relationships up to which each has its type written along it
	unnamed  int // captions without room
	untyped  int // types without room
	scene    scene
}

// line is an edge as it is drawn: a curve from a through control to b.
type line struct {
	edge      *edge
	a, b      point // on the rims of the dots
	control   point
	outer     point // of a loop: the second control point
	loop      bool
	showsType bool
	typeAt    point
	typeAngle float64
}

// drawNetwork draws a graph.
func drawNetwork(ctx context.Context, g *graph) (*network, error) {
	n := &network{graph: g, style: styleFor(len(g.nodes)), types: maxTypes}
	return n, n.draw(ctx)
}

// draw finds places and paints. It tries larger pictures of a small graph until each caption has room.
func (n *network) draw(ctx context.Context) (err error) {
	pairs := make([][2]int, len(n.graph.edges))
	for i, e := range n.graph.edges {
		pairs[i] = [2]int{e.from, e.to}
	}
	if n.at, err = layout(ctx, len(n.nodes), pairs, n.spacing()); err != nil {
		return err
	}
	for try := 0; ; try++ {
		n.route()
		n.placeCaptions()
		if n.unnamed == 0 && (n.untyped == 0 || n.types == maxTypes) || len(n.nodes) > 100 || try == 5 {
			break
		}
		for i := range n.at {
			n.at[i] = n.at[i].times(1.13)
		}
	}
	n.paint()
	return ctx.Err()
}

func (n *network) spacing() spacing {
	sp := spacing{unit: n.unit, dots: 3.2 * n.radius, wide: n.unit * 0.8, high: n.unit * 0.62, stretch: 1}
	if len(n.nodes) <= 150 {
		sp.stretch = 1.18
	}
	if len(n.nodes) > 40 {
		sp.room = make([]float64, len(n.nodes))
		for i := range n.nodes {
			if n.nodes[i].degree >= hubDegree {
				sp.room[i] = n.radius*3 + min(n.caption, textWidth(n.nodes[i].caption, n.font))/2
			}
		}
	}
	return sp
}

// hubDegree is the number of relationships from which a node gets room for its name among its neighbours.
const hubDegree = 12

// route gives each edge its curve: straight if it is alone, bent beside others of its pair, or a loop.
func (n *network) route() {
	pairs := map[[2]int][]int{}
	for i, e := range n.graph.edges {
		key := [2]int{min(e.from, e.to), max(e.from, e.to)}
		pairs[key] = append(pairs[key], i)
	}
	n.edges = make([]line, len(n.graph.edges))
	around := n.directions()
	for i := range n.graph.edges {
		e := &n.graph.edges[i]
		key := [2]int{min(e.from, e.to), max(e.from, e.to)}
		rank, of := slices.Index(pairs[key], i), len(pairs[key])
		if e.from == e.to {
			n.edges[i] = n.loop(e, rank, around[e.from])
			continue
		}
		p, q := n.at[key[0]], n.at[key[1]]
		d := q.minus(p)
		normal := point{-d.y, d.x}.times(1 / max(d.length(), 1e-9))
		gap := min(3.2*n.radius, 26)
		if of > 5 {
			gap *= 5 / float64(of)
		}
		bend := (float64(rank) - float64(of-1)/2) * gap
		control := p.plus(q).times(0.5).plus(normal.times(2 * bend))
		a, b := n.at[e.from], n.at[e.to]
		n.edges[i] = line{edge: e, a: n.rim(a, control, 0), b: n.rim(b, control, n.stroke), control: control}
	}
}

// rim returns the point of a dot's rim, or a bit outside, towards another point.
func (n *network) rim(dot, towards point, outside float64) point {
	d := towards.minus(dot)
	return dot.plus(d.times((n.radius + outside) / max(d.length(), 1e-9)))
}

// directions returns, for each node, the angles in which edges leave it.
func (n *network) directions() [][]float64 {
	list := make([][]float64, len(n.nodes))
	for _, e := range n.graph.edges {
		if e.from != e.to {
			d := n.at[e.to].minus(n.at[e.from])
			list[e.from] = append(list[e.from], math.Atan2(d.y, d.x))
			list[e.to] = append(list[e.to], math.Atan2(-d.y, -d.x))
		}
	}
	return list
}

// loop puts a loop where its node has most room. Further loops of a node go around the others.
func (n *network) loop(e *edge, rank int, angles []float64) line {
	mid := -math.Pi / 2
	if len(angles) > 0 {
		slices.Sort(angles)
		widest := 0.0
		for i, a := range angles {
			next := angles[0] + 2*math.Pi
			if i+1 < len(angles) {
				next = angles[i+1]
			}
			if next-a > widest+1e-6 {
				widest, mid = next-a, (a+next)/2
			}
		}
	}
	c := n.at[e.from]
	reach := n.radius * (3.4 + 1.3*float64(rank))
	polar := func(angle, r float64) point { return c.plus(point{math.Cos(angle) * r, math.Sin(angle) * r}) }
	return line{edge: e, loop: true, a: polar(mid-0.45, n.radius), control: polar(mid-0.55, reach), outer: polar(mid+0.55, reach), b: polar(mid+0.45, n.radius+n.stroke)}
}

// spot returns a point of a line, from 0 to 1, and the angle at which text along it can be read. A loop has one spot, in its middle.
func (l *line) spot(t float64) (point, float64) {
	if l.loop {
		return l.a.plus(l.b).times(0.125).plus(l.control.plus(l.outer).times(0.375)), 0
	}
	u := 1 - t
	d := l.control.minus(l.a).times(u).plus(l.b.minus(l.control).times(t))
	angle := math.Atan2(d.y, d.x) * 180 / math.Pi
	if angle > 90 {
		angle -= 180
	} else if angle < -90 {
		angle += 180
	}
	return l.a.times(u * u).plus(l.control.times(2 * u * t)).plus(l.b.times(t * t)), angle
}

// segments calls f for straight pieces of the line.
func (l *line) segments(f func(p, q point)) {
	last := l.a
	if !l.loop && l.control.distance(l.a.plus(l.b).times(0.5)) < 1 {
		f(last, l.b)
		return
	}
	for i := 1; i <= 6; i++ {
		t := float64(i) / 6
		u := 1 - t
		p := l.a.times(u * u).plus(l.control.times(2 * t * u)).plus(l.b.times(t * t))
		if l.loop {
			p = l.a.times(u * u * u).plus(l.control.times(3 * t * u * u)).plus(l.outer.times(3 * t * t * u)).plus(l.b.times(t * t * t))
		}
		f(last, p)
		last = p
	}
}

// maxTypes is the number of relationships of an answer up to which each has its type written along it.
const maxTypes = 24

// paint makes the shapes.
func (n *network) paint() {
	s := &n.scene
	s.shapes = slices.Grow(s.shapes, edgeShapes*len(n.edges)+3*len(n.nodes)+2*len(n.captions)) // copying a growing list took a sixth of a dense picture
	for i := range n.edges {
		n.paintEdge(i)
	}
	named := make([][]shape, len(n.nodes)) // a caption belongs to its dot
	for _, c := range n.captions {
		for i, t := range c.lines {
			named[c.node] = append(named[c.node], shape{kind: text, role: captionRole, at: c.base(i, n.font), anchor: c.anchor, text: t, size: n.font})
		}
	}
	for i := range n.nodes {
		v := &n.nodes[i]
		dot := shape{kind: circle, role: nodeRole, at: n.at[i], r: n.radius, fill: v.group + 1, stroke: max(0.8, n.stroke*0.8)}
		if v.bare {
			dot.role, dot.fill = bareRole, 0
		}
		s.add(shape{kind: openGroup, text: v.tip(), data: fmt.Sprintf("n%d", i)}, dot)
		s.add(named[i]...)
		s.add(shape{kind: closeGroup})
	}
	for i := range n.edges {
		if l := &n.edges[i]; l.showsType {
			s.add(l.gap(n.font * 0.82))
			s.add(shape{kind: text, role: typeRole, at: l.typeAt, angle: l.typeAngle, text: l.edge.kind, size: n.font * 0.82})
		}
	}
}

// gap covers a line where its type stands.
func (l *line) gap(size float64) shape {
	sin, cos := math.Sincos(l.typeAngle * math.Pi / 180)
	along := point{cos, sin}.times(textWidth(l.edge.kind, size)/2 + 1)
	across := point{-sin, cos}.times(size * 0.45)
	c := l.typeAt.minus(point{-sin, cos}.times(size * 0.34))
	return shape{kind: path, role: gapRole, steps: []step{moveTo(c.plus(along).plus(across)), lineTo(c.plus(along).minus(across)), lineTo(c.minus(along).minus(across)), lineTo(c.minus(along).plus(across)), closed()}}
}

// dashes are the kinds of lines, by the group of the relationship.
var dashes = [][]float64{nil, {6, 3}, {1.5, 2.5}, {9, 3, 2, 3}, {3, 3}, {12, 4}}

// edgeShapes is how many shapes paintEdge adds.
const edgeShapes = 4

func (n *network) paintEdge(i int) {
	l := &n.edges[i]
	e := l.edge
	line := shape{kind: path, role: edgeRole, stroke: n.stroke, dash: dashes[min(e.group, len(dashes)-1)]}
	if e.added {
		line.role = addedRole
	}
	before := l.control
	if l.loop {
		before = l.outer
	}
	if l.b.distance(l.a) < n.head*1.5 && !l.loop {
		before = l.a
	}
	d := l.b.minus(before)
	neck := l.b.minus(d.times(n.head * 0.8 / max(d.length(), 1e-9)))
	switch {
	case l.loop:
		line.steps = []step{moveTo(l.a), cubeTo(l.control, l.outer, neck)}
	case l.control.distance(l.a.plus(l.b).times(0.5)) < 0.5:
		line.steps = []step{moveTo(l.a), lineTo(neck)}
	default:
		line.steps = []step{moveTo(l.a), quadTo(l.control, neck)}
	}
	head := arrowHead(l.b, before, n.head)
	if e.added {
		head.role = addedHeadRole
	}
	n.scene.add(shape{kind: openGroup, text: e.tip(), data: fmt.Sprintf("e%d", i)}, line, head, shape{kind: closeGroup})
}

// tip returns what a viewer shows at a node: labels, caption, properties.
func (v *node) tip() string {
	head := v.caption
	if len(v.labels) > 0 {
		head = ":" + strings.Join(v.labels, ":") + " " + head
	}
	return head + propertyLines(v.props)
}

func (e *edge) tip() string { return ":" + e.kind + propertyLines(e.props) }

// propertyLines lists at most 12 properties, a line each.
func propertyLines(props []property) string {
	var b strings.Builder
	for i, p := range props {
		if i == 12 {
			fmt.Fprintf(&b, "\n… %d more", len(props)-i)
			break
		}
		fmt.Fprintf(&b, "\n%s: %s", p.key, p.text)
	}
	return b.String()
}

// byDegree lists the nodes, those with most relationships first.
func (n *network) byDegree() []int {
	order := make([]int, len(n.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n.nodes[b].degree, n.nodes[a].degree) })
	return order
}
