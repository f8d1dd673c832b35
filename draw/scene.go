package draw

import "math"

// scene is a finished picture: shapes in the order in which they are painted. SVG and PNG show the same scene.
type scene struct {
	width, height float64
	title         string
	shapes        []shape
}

// kind says what a shape is.
type kind uint8

const (
	circle kind = iota // around a place with a radius
	rect
	path
	text
	openGroup // the shapes up to closeGroup belong to one thing, which has a tip
	closeGroup
)

// role says what a shape is for. A theme gives each role its colours.
type role uint8

const (
	noRole role = iota
	nodeRole
	bareRole  // a node of which only the id is known
	edgeRole  // a relationship
	addedRole // a relationship that the answer does not have
	addedHeadRole
	headRole // of an arrow
	captionRole
	typeRole // the name of a type
	softRole // text beside the matter: legend, notes
	boldRole
	boxRole
	barRole    // a bar of the plan
	expectRole // a bar of what was expected
	alarmRole
	alarmTextRole
	badgeRole
	flowRole
	gapRole // of a line, where text stands
)

// shape is something to paint.
type shape struct {
	kind    kind
	role    role
	at      point
	w, h, r float64
	steps   []step // of a path
	fill    int    // colour of the palette, from 1; 0: the role's
	stroke  float64
	dash    []float64
	text    string // of a text, or the tip of a group
	size    float64
	bold    bool
	anchor  anchor
	angle   float64 // in degrees
	data    string  // of a group, for scripts: n12, e3
}

// anchor says which point of a text is at its place.
type anchor uint8

const (
	middle anchor = iota
	start
	end
)

// step is a part of a path: op is M, L, Q, C or Z.
type step struct {
	op byte
	p  [3]point
}

func moveTo(p point) step            { return step{op: 'M', p: [3]point{p}} }
func lineTo(p point) step            { return step{op: 'L', p: [3]point{p}} }
func quadTo(c, p point) step         { return step{op: 'Q', p: [3]point{c, p}} }
func cubeTo(c, d, p point) step      { return step{op: 'C', p: [3]point{c, d, p}} }
func closed() step                   { return step{op: 'Z'} }
func (s *scene) add(shapes ...shape) { s.shapes = append(s.shapes, shapes...) }

// shift moves everything.
func (s *scene) shift(by point) {
	for i := range s.shapes {
		sh := &s.shapes[i]
		sh.at = sh.at.plus(by)
		for j := range sh.steps {
			for k := range sh.steps[j].p {
				sh.steps[j].p[k] = sh.steps[j].p[k].plus(by)
			}
		}
	}
}

// bounds returns the box around all shapes.
func (s *scene) bounds() box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for i := range s.shapes {
		b = b.joined(s.shapes[i].bounds())
	}
	return b
}

func (sh *shape) bounds() box {
	switch sh.kind {
	case circle:
		return box{sh.at.x, sh.at.y, sh.at.x, sh.at.y}.grown(sh.r + sh.stroke/2)
	case rect:
		return box{sh.at.x, sh.at.y, sh.at.x + sh.w, sh.at.y + sh.h}.grown(sh.stroke / 2)
	case text:
		return sh.textBox()
	case path:
		b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
		for _, st := range sh.steps {
			for _, p := range st.points() {
				b = b.joined(box{p.x, p.y, p.x, p.y})
			}
		}
		return b.grown(sh.stroke / 2)
	}
	return box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
}

// textBox returns the box of a text that is not turned.
func (sh *shape) textBox() box {
	w := textWidth(sh.text, sh.size)
	if sh.bold {
		w *= boldFactor
	}
	x := sh.at.x
	switch sh.anchor {
	case middle:
		x -= w / 2
	case end:
		x -= w
	}
	return box{x, sh.at.y - 0.8*sh.size, x + w, sh.at.y + 0.25*sh.size}
}

// points returns the points of a step that are in use.
func (st *step) points() []point {
	switch st.op {
	case 'M', 'L':
		return st.p[:1]
	case 'Q':
		return st.p[:2]
	case 'C':
		return st.p[:3]
	}
	return nil
}

// arrowHead returns a filled triangle with its tip at a place, pointing in a direction.
func arrowHead(tip, from point, size float64) shape {
	d := tip.minus(from)
	d = d.times(1 / max(d.length(), 1e-9))
	n := point{-d.y, d.x}
	back := tip.minus(d.times(size))
	return shape{kind: path, role: headRole, steps: []step{moveTo(tip), lineTo(back.plus(n.times(size * 0.42))), lineTo(back.minus(n.times(size * 0.42))), closed()}}
}
