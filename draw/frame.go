package draw

import (
	"fmt"
	"math"
)

// legendEntry is a line or a dot of the legend with its name.
type legendEntry struct {
	name string
	draw func(s *scene, at point)
}

const (
	pageMargin = 18
	legendSize = 11.5
	legendHigh = 20
	noteSize   = 11
	leastWidth = 300
)

// legendOf explains the colours of the nodes and, if asked, the kinds of lines.
func legendOf(g *graph, types bool) (list []legendEntry) {
	for i, gr := range g.nodeGroups {
		list = append(list, legendEntry{fmt.Sprintf("%s (%d)", gr.name, gr.count), func(s *scene, at point) {
			s.add(shape{kind: circle, role: nodeRole, at: at.plus(point{8, 0}), r: 6, fill: i + 1, stroke: 1})
		}})
	}
	for i, gr := range g.edgeGroups {
		if !types {
			break
		}
		list = append(list, legendEntry{fmt.Sprintf("%s (%d)", gr.name, gr.count), func(s *scene, at point) {
			s.add(shape{kind: path, role: edgeRole, stroke: 1.4, dash: dashes[min(i, len(dashes)-1)], steps: []step{moveTo(at.plus(point{-4, 0})), lineTo(at.plus(point{13, 0}))}},
				arrowHead(at.plus(point{19, 0}), at, 7))
		}})
	}
	return list
}

// frame puts the legend above and the notes below what is drawn, and sets the size of the picture.
func (p *Picture) frame(legend []legendEntry, title string) {
	s := &p.scene
	body := s.bounds()
	if len(s.shapes) == 0 {
		body = box{0, 0, 0, 0}
	}
	width := max(leastWidth, body.width())
	top := scene{}
	x, y := 0.0, 8.0
	for _, e := range legend {
		name := cutText(e.name, legendSize, 220)
		w := 24 + textWidth(name, legendSize) + 16
		if x > 0 && x+w > width {
			x, y = 0, y+legendHigh
		}
		e.draw(&top, point{x, y})
		top.add(shape{kind: text, role: softRole, anchor: start, at: point{x + 24, y + legendSize*0.36}, text: name, size: legendSize})
		x += w
	}
	height := 0.0
	if len(legend) > 0 {
		height = y + legendHigh
		width = max(width, top.bounds().width())
	}
	s.shift(point{(width-body.width())/2 - body.x0, height - body.y0})
	p.shift = point{(width-body.width())/2 - body.x0 + pageMargin, height - body.y0 + pageMargin}
	height += body.height()
	for _, note := range p.notes {
		for i, line := range wrapText(note, noteSize, max(width, leastWidth), 6) {
			height += noteSize * 1.4
			if i == 0 {
				height += 4
			}
			s.add(shape{kind: text, role: softRole, anchor: start, at: point{0, height}, text: line, size: noteSize})
		}
	}
	s.add(top.shapes...)
	s.shift(point{pageMargin, pageMargin})
	s.width, s.height, s.title = math.Ceil(width+2*pageMargin), math.Ceil(height+2*pageMargin), title
}
