package main

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"testing"
)

// colleagues is a row of the README's first query.
type colleagues struct {
	A, B, C, Company string
}

// point is where a person stands in the picture. Positions are chosen by hand; persons and lines come from the rows.
type point struct{ x, y int }

var seats = map[string]point{
	"Rahul Nair": {385, 110}, "K. Sen": {520, 155}, "Deepak Khan": {470, 245}, "Abhishek Singh": {400, 315},
	"Arjun Kumar": {605, 130}, "Shweta Singh": {605, 280},
	"Rahul Khan": {770, 130}, "Ashok Singh": {770, 280},
}

// rooms are the companies' frames: left edge, width and colour. Who works for both stands where they overlap.
var rooms = map[string]struct {
	x, width int
	colour   string
}{
	"Deccan Aviation": {325, 345, "#4477aa"},
	"TajAir":          {545, 295, "#cc6677"},
}

const pictureStyle = `<style>
text { font: 13px sans-serif; fill: #222; text-anchor: middle; paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-opacity: 0.8 }
.title { font-weight: bold } .small { font-size: 11px; fill: #555 }
.person { fill: #fff; stroke: #222; stroke-width: 1.5 } line { stroke: #444; stroke-width: 1.5 } .works { stroke-dasharray: 4 3 }
</style>
`

// drawAnswer draws the pattern, and beside it all its matches laid over each other.
func drawAnswer(t *testing.T, matches []colleagues) string {
	knows := make(map[[2]string]bool)
	worksFor := make(map[string]map[string]bool)
	found := make(map[string]int)
	for _, m := range matches {
		people := []string{m.A, m.B, m.C}
		slices.Sort(people)
		for i, p := range people {
			for _, q := range people[i+1:] {
				knows[[2]string{p, q}] = true
			}
			if worksFor[p] == nil {
				worksFor[p] = make(map[string]bool)
			}
			worksFor[p][m.Company] = true
		}
		found[m.Company]++
	}
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 380" role="img" aria-label="A pattern of three people and a company, and its matches in the sample graph">` + "\n" +
		`<rect width="860" height="380" fill="#fff"/>` + "\n" + pictureStyle)
	drawPattern(&b)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		room, ok := rooms[name]
		if !ok {
			t.Fatalf("%s has no room in the picture", name)
		}
		fmt.Fprintf(&b, `<rect x="%d" y="48" width="%d" height="312" rx="24" fill="%s" fill-opacity="0.12" stroke="%s"/>`+"\n", room.x, room.width, room.colour, room.colour)
		fmt.Fprintf(&b, `<text class="title" x="%d" y="24">%s</text><text class="small" x="%d" y="40">%d matches</text>`+"\n", room.x+room.width/2, html.EscapeString(name), room.x+room.width/2, found[name])
	}
	pairs := slices.SortedFunc(maps.Keys(knows), func(p, q [2]string) int { return slices.Compare(p[:], q[:]) })
	for _, pair := range pairs {
		p, q := seats[pair[0]], seats[pair[1]]
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", p.x, p.y, q.x, q.y)
	}
	for _, name := range slices.Sorted(maps.Keys(worksFor)) {
		p, ok := seats[name]
		if !ok {
			t.Fatalf("%s has no seat in the picture", name)
		}
		for company, room := range rooms {
			if inside := room.x < p.x && p.x < room.x+room.width; inside != worksFor[name][company] {
				t.Errorf("%s stands in the wrong room", name)
			}
		}
		drawPerson(&b, p, name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawPerson draws a circle with the name below it, or above it in the upper half, where lines run down.
func drawPerson(b *strings.Builder, at point, name string) {
	below := 26
	if at.y < 200 {
		below = -16
	}
	fmt.Fprintf(b, `<circle class="person" cx="%d" cy="%d" r="9"/><text x="%d" y="%d">%s</text>`+"\n", at.x, at.y, at.x, at.y+below, html.EscapeString(name))
}

// drawPattern draws what the query asks for: three people who know each other, and their company.
func drawPattern(b *strings.Builder) {
	people := map[string]point{"a": {60, 260}, "b": {210, 260}, "c": {135, 320}}
	company := point{135, 130}
	b.WriteString(`<text class="title" x="135" y="24">the pattern</text>` + "\n")
	names := slices.Sorted(maps.Keys(people))
	for i, name := range names {
		p := people[name]
		fmt.Fprintf(b, `<line class="works" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", p.x, p.y, company.x, company.y)
		for _, other := range names[i+1:] {
			q := people[other]
			fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", p.x, p.y, q.x, q.y)
		}
	}
	fmt.Fprintf(b, `<rect class="person" x="%d" y="%d" width="18" height="18" rx="3"/><text x="%d" y="%d">company</text>`+"\n", company.x-9, company.y-9, company.x, company.y-20)
	for _, name := range names {
		drawPerson(b, people[name], name)
	}
	b.WriteString(`<text class="small" x="62" y="190">WORK_AT</text><text class="small" x="170" y="252">KNOWS</text>` + "\n" +
		`<path d="M 262 200 h 30 m -9 -7 l 9 7 l -9 7" fill="none" stroke="#444" stroke-width="2"/>` + "\n")
}
