package draw

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/motifql/motif"
)

// Limits of pictures of plans.
const (
	mostOperators = 300
	mostDepth     = 100
	mostDetail    = 5  // lines
	mostNotes     = 14 // lines
)

const (
	boxWidth    = 400
	boxMargin   = 12
	boxGap      = 34 // between an operator and those that feed it
	siblingGap  = 26
	operatorTop = 14.0
	detailSize  = 11.5
	remarkSize  = 10.5
	barHeight   = 7
)

// operator is an operator of a plan in the picture.
type operator struct {
	plan    *motif.Plan
	inputs  []*operator
	index   int
	detail  []string
	remarks []string
	width   float64 // of the operator with all that feed it
	height  float64 // of the box
	at      point   // of the middle of the box's upper edge
	off     float64 // how far the estimate is off, as a factor; 0: not run
}

// planPicture draws a plan.
type planPicture struct {
	*Picture
	operators []*operator
	mostRows  float64
	time      time.Duration
	worst     *operator
	cut       bool
}

// Plan draws a plan: a box for each operator, which rows enter from below. A plan that was run shows actual rows beside the expected ones, the
// share of the time that each operator took, and marks the worst estimate.
func Plan(plan *motif.Plan, opt Options) *Picture {
	p := &planPicture{Picture: &Picture{theme: opt.Theme, boxes: true, graph: &graph{}}}
	var root *operator
	if plan == nil {
		p.notes = append(p.notes, "There is no plan.")
	} else {
		root = p.take(plan, 0)
	}
	if p.cut {
		p.notes = append(p.notes, fmt.Sprintf("The plan has more than %d operators, or they nest deeper than %d. The others are not drawn.", mostOperators, mostDepth))
	}
	p.judge()
	if root != nil {
		p.place(root, point{})
		p.paint(root)
	}
	p.Nodes, p.Relationships = len(p.graph.nodes), len(p.graph.edges)
	p.frame(nil, "plan with "+plural(p.Nodes, "operator", "operators"))
	for i := range p.at {
		p.at[i] = p.at[i].plus(p.shift)
	}
	return p.Picture
}

// take makes an operator of a plan, with all that feed it.
func (p *planPicture) take(plan *motif.Plan, depth int) *operator {
	o := &operator{plan: plan, index: len(p.operators)}
	p.operators = append(p.operators, o)
	inner := float64(boxWidth - 2*boxMargin)
	o.detail = wrapText(visible(plan.Detail), detailSize, inner, mostDetail)
	var remarks []string
	for _, note := range plan.Notes {
		remarks = append(remarks, wrapText(visible(note), remarkSize, inner, 3)...)
	}
	o.remarks = remarks
	if len(remarks) > mostNotes {
		o.remarks = append(remarks[:mostNotes-1:mostNotes-1], fmt.Sprintf("… and %d more lines", len(remarks)-mostNotes+1))
	}
	p.mostRows = max(p.mostRows, plan.EstimatedRows, plan.ActualRows)
	if plan.ActualRows >= 0 {
		p.time += plan.Time
		more, less := max(plan.ActualRows, plan.EstimatedRows), min(plan.ActualRows, max(0, plan.EstimatedRows))
		o.off = (more + 1) / (less + 1)
	}
	tip := visible(strings.TrimSpace(plan.Operator+" "+plan.Detail)) + "\n" + figures(plan)
	for _, note := range plan.Notes {
		tip += "\n" + visible(note)
	}
	p.graph.nodes = append(p.graph.nodes, node{id: strconv.Itoa(o.index), caption: tip})
	for _, c := range plan.Children {
		if c == nil || len(p.operators) >= mostOperators || depth >= mostDepth {
			p.cut = true
			break
		}
		input := p.take(c, depth+1)
		o.inputs = append(o.inputs, input)
		p.graph.edges = append(p.graph.edges, edge{from: input.index, to: o.index, kind: flowText(c)})
	}
	o.height = boxMargin*1.5 + operatorTop + float64(len(o.detail))*detailSize*1.3 + float64(len(o.remarks))*remarkSize*1.3 + remarkSize*1.9 + 3
	if plan.ActualRows >= 0 {
		o.height += 2*barHeight + 10
	}
	return o
}

// badEstimate is the factor from which an estimate is marked.
const badEstimate = 4

// judge finds the worst estimate.
func (p *planPicture) judge() {
	for _, o := range p.operators {
		if o.off >= badEstimate && (p.worst == nil || o.off > p.worst.off) {
			p.worst = o
		}
	}
}

// place puts an operator, with its inputs below it side by side. It returns the width they take.
func (p *planPicture) place(o *operator, at point) float64 {
	width := 0.0
	y := at.y + o.height + boxGap
	for i, in := range o.inputs {
		if i > 0 {
			width += siblingGap
		}
		width += p.place(in, point{at.x + width, y})
	}
	o.width = max(width, boxWidth)
	if shift := (o.width - width) / 2; len(o.inputs) > 0 && shift > 0 {
		for _, in := range o.inputs {
			in.move(shift)
		}
	}
	o.at = point{at.x + o.width/2, at.y}
	return o.width
}

// move moves an operator and its inputs to the right.
func (o *operator) move(by float64) {
	o.at.x += by
	for _, in := range o.inputs {
		in.move(by)
	}
}

// paint paints an operator and its inputs.
func (p *planPicture) paint(o *operator) {
	for len(p.at) <= o.index {
		p.at = append(p.at, point{})
	}
	p.at[o.index] = o.at.plus(point{0, o.height / 2})
	for _, in := range o.inputs {
		p.flow(in, o)
		p.paint(in)
	}
	s := &p.scene
	left := o.at.x - boxWidth/2
	frame := boxRole
	if o == p.worst {
		frame = alarmRole
	}
	s.add(shape{kind: openGroup, text: p.graph.nodes[o.index].caption, data: fmt.Sprintf("n%d", o.index)},
		shape{kind: rect, role: frame, at: point{left, o.at.y}, w: boxWidth, h: o.height, r: 7, stroke: 1})
	x, y := left+boxMargin, o.at.y+boxMargin
	line := func(words string, r role, size float64, bold bool) {
		y += size * 1.3
		s.add(shape{kind: text, role: r, anchor: start, at: point{x, y - size*0.35}, text: words, size: size, bold: bold})
	}
	line(cutText(visible(o.plan.Operator), 13, boxWidth-2*boxMargin-110), boldRole, 13, true)
	if o == p.worst {
		s.add(shape{kind: text, role: alarmTextRole, anchor: end, at: point{left + boxWidth - boxMargin, y - 4}, text: "estimate off by " + factor(o.off), size: remarkSize})
	}
	for _, d := range o.detail {
		line(d, boldRole, detailSize, false)
	}
	for _, d := range o.remarks {
		line(d, softRole, remarkSize, false)
	}
	y += 4
	line(p.figures(o.plan), softRole, remarkSize, true)
	if o.plan.ActualRows >= 0 {
		p.bars(o, x, y+4)
	}
	s.add(shape{kind: closeGroup})
}

// bars shows actual rows, with a mark at the estimate, and the share of the time.
func (p *planPicture) bars(o *operator, x, y float64) {
	const label = 34
	width := float64(boxWidth - 2*boxMargin - label)
	long := func(rows float64) float64 {
		return width * math.Log1p(max(0, rows)) / max(math.Log1p(p.mostRows), 1e-9)
	}
	bar := func(name string, share float64) {
		p.scene.add(shape{kind: text, role: softRole, anchor: start, at: point{x, y + barHeight}, text: name, size: 9})
		if share > 0 {
			p.scene.add(shape{kind: rect, role: barRole, at: point{x + label, y}, w: max(1, share), h: barHeight, r: 1.5})
		}
	}
	bar("rows", long(o.plan.ActualRows))
	at := x + label + long(o.plan.EstimatedRows)
	p.scene.add(shape{kind: path, role: expectRole, stroke: 1.6, steps: []step{moveTo(point{at, y - 2}), lineTo(point{at, y + barHeight + 2})}})
	y += barHeight + 5
	bar("time", width*float64(o.plan.Time)/max(float64(p.time), 1))
}

// flow draws the arrow on which rows go from one operator to the next. It is as thick as the rows are many.
func (p *planPicture) flow(from, to *operator) {
	a, b := from.at, to.at.plus(point{0, to.height})
	rows := from.plan.ActualRows
	if rows < 0 {
		rows = from.plan.EstimatedRows
	}
	stroke := 1 + 5*math.Log1p(max(0, rows))/max(math.Log1p(p.mostRows), 1)
	tip := b.plus(point{0, 2})
	size := 7 + stroke
	mid := (a.y + b.y) / 2
	neck := tip.plus(point{0, size * 0.8})
	p.scene.add(shape{kind: path, role: flowRole, stroke: stroke, steps: []step{moveTo(a), cubeTo(point{a.x, mid}, point{b.x, mid + size/2}, neck)}}, arrowHead(tip, neck, size))
	x := (a.x+b.x)/2 + stroke/2 + 6
	p.scene.add(shape{kind: text, role: softRole, anchor: start, at: point{x, mid + 8}, text: flowText(from.plan), size: remarkSize})
}

// flowText says how many rows an operator gives.
func flowText(plan *motif.Plan) string {
	if plan.ActualRows >= 0 {
		return rowCount(plan.ActualRows)
	}
	return "~" + rowCount(plan.EstimatedRows)
}

func rowCount(n float64) string {
	text := quantity(n) + " rows"
	if text == "1 rows" {
		return "1 row"
	}
	return text
}

// figures says what an operator was expected to do, and what it did.
func figures(plan *motif.Plan) string {
	if plan.ActualRows < 0 {
		return "expected " + rowCount(plan.EstimatedRows)
	}
	return "expected " + rowCount(plan.EstimatedRows) + ", actual " + rowCount(plan.ActualRows) + ", " + plan.Time.Round(time.Microsecond).String()
}

// figures adds the share of the plan's time.
func (p *planPicture) figures(plan *motif.Plan) string {
	text := figures(plan)
	if plan.ActualRows >= 0 && p.time > 0 {
		text += fmt.Sprintf(" (%.0f %%)", 100*float64(plan.Time)/float64(p.time))
	}
	return text
}

// factor writes how far an estimate is off.
func factor(f float64) string {
	if f < 10 {
		return fmt.Sprintf("%.1f×", f)
	}
	return quantity(f) + "×"
}

// quantity writes a number that is not negative with commas, and a huge one with an exponent.
func quantity(f float64) string {
	if math.IsNaN(f) || f < 0 {
		f = 0
	}
	if f >= 1e15 {
		return fmt.Sprintf("%.1e", f)
	}
	digits := strconv.FormatFloat(math.Round(f), 'f', 0, 64)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
