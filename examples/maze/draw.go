package main

import (
	"fmt"
	"strings"
)

const (
	side   = 16 // of a cell, in pixels
	margin = 24
	head   = 56 // room for a title above a grid
)

// colours of the nets; they differ in lightness, too.
var colours = []string{"#d1495b", "#00798c", "#edae49", "#30638e", "#7b2d8b", "#2e933c", "#8d5524", "#e36414", "#5f0f40", "#3a86ff", "#6a994e", "#bc4b51"}

// picture draws two grids side by side: the waves of one net's search, and the wires of all.
type picture struct {
	strings.Builder
	chip *chip
	left int // where the current grid begins
	top  int
}

// draw returns the picture as SVG. depth is the wave of net n, the last to be routed.
func draw(c *chip, n *net, depth map[cell]int) string {
	p := &picture{chip: c, left: margin, top: margin + head}
	w, h := 2*c.width*side+3*margin, c.height*side+2*margin+head+legendHeight
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Helvetica, Arial, sans-serif">`+"\n", w, h, w, h)
	fmt.Fprintf(p, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", w, h)
	p.title(fmt.Sprintf("Search: the distance of every cell from a pin of net %s", n.name), "lighter is nearer, every tenth step is darker, and white cannot be reached")
	p.waves(depth)
	p.walls()
	for _, other := range c.nets {
		p.wires(other, other != n)
	}
	p.left += c.width*side + margin
	p.title("Routes: every net by shortest paths", "one after the other, in the order of the legend, around the wires that are there")
	p.floor()
	p.walls()
	for _, other := range c.nets {
		p.wires(other, false)
	}
	p.legend(margin + head + c.height*side + margin)
	p.WriteString("</svg>\n")
	return p.String()
}

func (p *picture) title(text, below string) {
	fmt.Fprintf(p, `<text x="%d" y="%d" font-size="24" font-weight="bold" fill="#222">%s</text>`+"\n", p.left, margin+20, text)
	fmt.Fprintf(p, `<text x="%d" y="%d" font-size="17" fill="#555">%s</text>`+"\n", p.left, margin+44, below)
}

func (p *picture) square(at cell, fill string) {
	fmt.Fprintf(p, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" shape-rendering="crispEdges"/>`+"\n", p.left+at.x*side, p.top+at.y*side, side, side, fill)
}

// floor draws the free cells as a grid of fine lines.
func (p *picture) floor() {
	w, h := p.chip.width*side, p.chip.height*side
	fmt.Fprintf(p, `<rect x="%d" y="%d" width="%d" height="%d" fill="#f7f7f4" stroke="#bbb"/>`+"\n", p.left, p.top, w, h)
	var lines strings.Builder
	for x := 1; x < p.chip.width; x++ {
		fmt.Fprintf(&lines, "M%d %dv%d", p.left+x*side, p.top, h)
	}
	for y := 1; y < p.chip.height; y++ {
		fmt.Fprintf(&lines, "M%d %dh%d", p.left, p.top+y*side, w)
	}
	fmt.Fprintf(p, `<path d="%s" stroke="#e4e4de" fill="none"/>`+"\n", lines.String())
}

// waves shades each cell by its distance, light near the start; every tenth step is a darker ring.
func (p *picture) waves(depth map[cell]int) {
	most := 1
	for _, d := range depth {
		most = max(most, d)
	}
	fmt.Fprintf(p, `<rect x="%d" y="%d" width="%d" height="%d" fill="#ffffff" stroke="#bbb"/>`+"\n", p.left, p.top, p.chip.width*side, p.chip.height*side)
	for y := range p.chip.height {
		for x := range p.chip.width {
			if d, ok := depth[cell{x, y}]; ok {
				t := float64(d) / float64(most)
				shade := [3]float64{255 - 150*t, 250 - 95*t, 225 - 25*t}
				if d%10 == 0 && d > 0 {
					for i := range shade {
						shade[i] *= 0.88
					}
				}
				p.square(cell{x, y}, fmt.Sprintf("#%02x%02x%02x", int(shade[0]), int(shade[1]), int(shade[2])))
			}
		}
	}
}

// walls draws the components, each row of cells as one block.
func (p *picture) walls() {
	for y := range p.chip.height {
		for x := 0; x < p.chip.width; x++ {
			n := 0
			for p.chip.walls[cell{x + n, y}] {
				n++
			}
			if n > 0 {
				fmt.Fprintf(p, `<rect x="%d" y="%d" width="%d" height="%d" fill="#4a4e57" shape-rendering="crispEdges"/>`+"\n", p.left+x*side, p.top+y*side, n*side, side)
				x += n
			}
		}
	}
}

// wires draws the legs of a net and its pins with its name; faint ones in grey.
func (p *picture) wires(n *net, faint bool) {
	colour := p.colour(n)
	line := colour
	if faint {
		line = "#8a8a8a"
	}
	for _, l := range n.legs {
		var d strings.Builder
		for i, c := range l {
			op := "L"
			if i == 0 {
				op = "M"
			}
			fmt.Fprintf(&d, "%s%d %d", op, p.left+c.x*side+side/2, p.top+c.y*side+side/2)
		}
		fmt.Fprintf(p, `<path d="%s" stroke="%s" stroke-width="%d" stroke-linecap="round" stroke-linejoin="round" fill="none"/>`+"\n", d.String(), line, side*3/8)
	}
	for _, c := range n.pins {
		p.pin(p.left+c.x*side+side/2, p.top+c.y*side+side/2, n.name, line)
	}
}

func (p *picture) pin(x, y int, name, colour string) {
	fmt.Fprintf(p, `<circle cx="%d" cy="%d" r="%d" fill="%s" stroke="#fff" stroke-width="1.5"/>`+"\n", x, y, side*5/8, colour)
	fmt.Fprintf(p, `<text x="%d" y="%d" font-size="14" font-weight="bold" fill="#fff" text-anchor="middle">%s</text>`+"\n", x, y+5, name)
}

func (p *picture) colour(n *net) string {
	for i, other := range p.chip.nets {
		if other == n {
			return colours[i%len(colours)]
		}
	}
	return "#000"
}

const (
	legendRows   = 2
	legendHeight = legendRows*34 + 10
)

// legend lists the nets in the order in which they were routed, with the length of their wires.
func (p *picture) legend(top int) {
	total := 2*p.chip.width*side + margin
	inRow := (len(p.chip.nets) + 2 + legendRows - 1) / legendRows
	step := total / inRow
	place := func(i int) (x, y int) { return margin + i%inRow*step, top + 22 + i/inRow*34 }
	for i, n := range p.chip.nets {
		x, y := place(i)
		p.pin(x+12, y, n.name, p.colour(n))
		fmt.Fprintf(p, `<text x="%d" y="%d" font-size="17" fill="#222">%d. net %s: %d pins, %d steps</text>`+"\n", x+30, y+6, i+1, n.name, len(n.pins), n.length())
	}
	x, y := place(len(p.chip.nets))
	fmt.Fprintf(p, `<rect x="%d" y="%d" width="20" height="20" fill="#4a4e57"/><text x="%d" y="%d" font-size="17" fill="#222">component</text>`+"\n", x+2, y-10, x+30, y+6)
	x, y = place(len(p.chip.nets) + 1)
	fmt.Fprintf(p, `<path d="M%d %dh22" stroke="#8a8a8a" stroke-width="6" stroke-linecap="round"/><text x="%d" y="%d" font-size="17" fill="#222">other nets (left)</text>`+"\n", x+2, y, x+30, y+6)
}

// length is the number of steps of all wires.
func (n *net) length() (steps int) {
	for _, l := range n.legs {
		steps += len(l) - 1
	}
	return steps
}
