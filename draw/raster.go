package draw

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"

	"golang.org/x/image/vector"
)

// pixels is how many pixels of a PNG make a unit of the picture.
const pixels = 2

// mostPixels bounds the width and the height of a PNG.
const mostPixels = 8000

// PNG writes the picture as PNG, twice as large as the SVG, in light colours unless Options.Theme says Dark. Letters come from Go's
// fonts, which have Latin, Greek and Cyrillic, and else from the fonts of this machine. Text that is written from right to left, or
// whose letters join, needs SVG or HTML.
func (p *Picture) PNG(w io.Writer) error {
	t := light
	if p.theme == Dark {
		t = dark
	}
	sc := p.scene
	sc.shapes = append([]shape(nil), p.scene.shapes...)
	for _, note := range p.missingLetters() {
		for _, line := range wrapText(note, noteSize, sc.width-2*pageMargin, 4) {
			sc.add(shape{kind: text, role: softRole, anchor: start, at: point{pageMargin, sc.height - 2}, text: line, size: noteSize})
			sc.height += noteSize * 1.4
		}
	}
	scale := min(pixels, mostPixels/max(sc.width, sc.height))
	r := newRaster(int(math.Ceil(sc.width*scale)), int(math.Ceil(sc.height*scale)), scale)
	r.fillAll(colourOf(t.page))
	for i := range sc.shapes {
		r.shape(&sc.shapes[i], t)
	}
	return (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(w, r.image)
}

// raster paints shapes on an image.
type raster struct {
	image *image.RGBA
	mask  *vector.Rasterizer
	scale float64
	fonts *fontSet
}

func newRaster(w, h int, scale float64) *raster {
	return &raster{image: image.NewRGBA(image.Rect(0, 0, w, h)), mask: new(vector.Rasterizer), scale: scale, fonts: newFontSet()}
}

func colourOf(hex string) color.Color {
	n, _ := strconv.ParseUint(hex[1:], 16, 32)
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
}

func (r *raster) fillAll(c color.Color) {
	draw.Draw(r.image, r.image.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
}

func (r *raster) shape(sh *shape, t theme) {
	c := t.roles[sh.role]
	if sh.fill > 0 {
		c.fill = palette[min(sh.fill, len(palette))-1]
	}
	switch sh.kind {
	case circle:
		r.polygon(c.fill, []polyline{circleLine(sh.at, sh.r)}, true)
		r.line(c.line, []polyline{circleLine(sh.at, sh.r)}, sh.stroke, nil)
	case rect:
		outline := []polyline{rectLine(sh)}
		r.polygon(c.fill, outline, true)
		r.line(c.line, outline, sh.stroke, sh.dash)
	case path:
		lines := flatten(sh.steps)
		r.polygon(c.fill, lines, true)
		r.line(c.line, lines, sh.stroke, sh.dash)
	case text:
		r.text(sh, c.fill, t.page)
	}
}

// polyline is a line of straight pieces.
type polyline []point

func circleLine(at point, radius float64) (line polyline) {
	for i := range 49 {
		sin, cos := math.Sincos(float64(i) / 48 * 2 * math.Pi)
		line = append(line, point{at.x + cos*radius, at.y + sin*radius})
	}
	return line
}

func rectLine(sh *shape) (line polyline) {
	r := min(sh.r, sh.w/2, sh.h/2)
	corners := [...]point{{sh.at.x + sh.w - r, sh.at.y + r}, {sh.at.x + sh.w - r, sh.at.y + sh.h - r}, {sh.at.x + r, sh.at.y + sh.h - r}, {sh.at.x + r, sh.at.y + r}}
	for i, c := range corners {
		for k := range 7 {
			sin, cos := math.Sincos((float64(i-1) + float64(k)/6) * math.Pi / 2)
			line = append(line, point{c.x + cos*r, c.y + sin*r})
		}
	}
	return append(line, line[0])
}

// flatten makes straight pieces of a path.
func flatten(steps []step) (lines []polyline) {
	var line polyline
	curve := func(n int, at func(t float64) point) {
		for i := 1; i <= n; i++ {
			line = append(line, at(float64(i)/float64(n)))
		}
	}
	for i := range steps {
		s := &steps[i]
		var last point
		if len(line) > 0 {
			last = line[len(line)-1]
		}
		switch s.op {
		case 'M':
			if len(line) > 1 {
				lines = append(lines, line)
			}
			line = polyline{s.p[0]}
		case 'L':
			line = append(line, s.p[0])
		case 'Q':
			curve(8, func(t float64) point {
				u := 1 - t
				return last.times(u * u).plus(s.p[0].times(2 * t * u)).plus(s.p[1].times(t * t))
			})
		case 'C':
			curve(16, func(t float64) point {
				u := 1 - t
				return last.times(u * u * u).plus(s.p[0].times(3 * t * u * u)).plus(s.p[1].times(3 * t * t * u)).plus(s.p[2].times(t * t * t))
			})
		case 'Z':
			if len(line) > 0 {
				line = append(line, line[0])
			}
		}
	}
	if len(line) > 1 {
		lines = append(lines, line)
	}
	return lines
}

// polygon fills lines. With turned set, it turns each into one direction, so that overlapping ones do not cancel out.
func (r *raster) polygon(colour string, lines []polyline, turned bool) {
	if colour == "none" || colour == "" || len(lines) == 0 {
		return
	}
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, l := range lines {
		for _, p := range l {
			b = b.joined(box{p.x, p.y, p.x, p.y})
		}
	}
	area := image.Rect(int(b.x0*r.scale)-1, int(b.y0*r.scale)-1, int(b.x1*r.scale)+2, int(b.y1*r.scale)+2).Intersect(r.image.Bounds())
	if area.Empty() {
		return
	}
	r.mask.Reset(area.Dx(), area.Dy())
	for _, l := range lines {
		reversed := turned && signedArea(l) < 0
		for i := range l {
			p := l[i]
			if reversed {
				p = l[len(l)-1-i]
			}
			x, y := float32(p.x*r.scale-float64(area.Min.X)), float32(p.y*r.scale-float64(area.Min.Y))
			if i == 0 {
				r.mask.MoveTo(x, y)
			} else {
				r.mask.LineTo(x, y)
			}
		}
		r.mask.ClosePath()
	}
	r.mask.Draw(r.image, area, image.NewUniform(colourOf(colour)), image.Point{})
}

func signedArea(l polyline) (sum float64) {
	for i, p := range l {
		q := l[(i+1)%len(l)]
		sum += p.x*q.y - q.x*p.y
	}
	return sum
}

// line paints lines of a width, with round joints.
func (r *raster) line(colour string, lines []polyline, width float64, dash []float64) {
	if colour == "none" || width <= 0 {
		return
	}
	var pieces []polyline
	for _, l := range lines {
		for _, part := range dashed(l, dash) {
			for i := 1; i < len(part); i++ {
				pieces = append(pieces, thick(part[i-1], part[i], width))
				if i+1 < len(part) && width > 0.8 {
					pieces = append(pieces, dotLine(part[i], width/2))
				}
			}
		}
	}
	r.polygon(colour, pieces, true)
}

// thick returns the rectangle along a segment.
func thick(p, q point, width float64) polyline {
	d := q.minus(p)
	n := point{-d.y, d.x}.times(width / 2 / max(d.length(), 1e-9))
	return polyline{p.plus(n), q.plus(n), q.minus(n), p.minus(n)}
}

func dotLine(at point, radius float64) (line polyline) {
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) / 8 * 2 * math.Pi)
		line = append(line, point{at.x + cos*radius, at.y + sin*radius})
	}
	return line
}

// dashed cuts a line into dashes.
func dashed(l polyline, dash []float64) (parts []polyline) {
	if len(dash) == 0 {
		return []polyline{l}
	}
	k, left, on := 0, dash[0], true
	part := polyline{l[0]}
	for i := 1; i < len(l); i++ {
		p, q := l[i-1], l[i]
		for length := p.distance(q); length > left; length = p.distance(q) {
			p = p.plus(q.minus(p).times(left / length))
			if on {
				parts = append(parts, append(part, p))
			}
			on, k = !on, (k+1)%len(dash)
			part, left = polyline{p}, dash[k]
		}
		left -= p.distance(q)
		part = append(part, q)
	}
	if on && len(part) > 1 {
		parts = append(parts, part)
	}
	return parts
}
