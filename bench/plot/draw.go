package main

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Colours that differ also for the colour-blind (Okabe and Ito).
var palette = []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}}

var grey = color.Gray{Y: 200}

// newPlot has room around its title and a faint grid.
func newPlot(title string) *plot.Plot {
	plot.DefaultFont.Variant = "Sans"
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = vg.Points(14)
	p.Title.Padding = vg.Points(10)
	p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = vg.Points(11), vg.Points(11)
	p.X.Label.Padding, p.Y.Label.Padding = vg.Points(6), vg.Points(6)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = grey, grey
	p.Add(grid)
	return p
}

// save writes a PNG with a margin around the plot.
func save(p *plot.Plot, width, height vg.Length, file string) error {
	const margin = 12
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(110))}
	p.Draw(draw.Crop(draw.New(c), margin, -margin, margin, -margin))
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.WriterTo(c).WriteTo(f)
	return errors.Join(err, f.Close())
}

// drawGrowth draws a figure of the growth rows over edges, both logarithmic: solid for one worker or all processors,
// dashed for so many as a row says.
func drawGrowth(rows []row, title, label string, of func(row) float64, tick func(float64) string, file string) error {
	lines := make(map[string]plotter.XYs)
	var names []string
	lo, hi, left, right := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, r := range rows {
		y := of(r)
		if r.group != "growth" || y <= 0 || r.edges <= 0 {
			continue
		}
		name := series(r.name)
		if r.workers > 0 {
			name += ": " + threads(r.workers)
		}
		if lines[name] == nil {
			names = append(names, name)
		}
		lines[name] = append(lines[name], plotter.XY{X: r.edges, Y: y})
		lo, hi, left, right = min(lo, y), max(hi, y), min(left, r.edges), max(right, r.edges)
	}
	if len(names) == 0 {
		return nil // nothing was measured: no picture
	}
	p := newPlot(title)
	p.X.Label.Text, p.Y.Label.Text = "edges", label
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = logTicks(plain), logTicks(tick)
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(3)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(10), vg.Points(-6)
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(a, b) })
	var patterns []string
	for _, name := range names {
		if pattern, _, _ := strings.Cut(name, ":"); !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
		points := lines[name]
		slices.SortFunc(points, func(a, b plotter.XY) int { return int(math.Copysign(1, a.X-b.X)) })
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		c := palette[(len(patterns)-1)%len(palette)]
		line.Color, line.Width, marks.Color, marks.Radius = c, vg.Points(1.8), c, vg.Points(3)
		marks.Shape = draw.CircleGlyph{}
		if strings.HasSuffix(name, " threads") {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
			marks.Shape = draw.RingGlyph{}
		}
		p.Add(line, marks)
		p.Legend.Add(name, line, marks)
	}
	p.X.Min, p.X.Max = left/1.3, right*1.3
	p.Y.Min, p.Y.Max = lo/1.6, hi*1.6
	return save(p, vg.Points(640), vg.Points(440), file)
}

func threads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// logTicks labels 1, 2 and 5 times every power of ten, or only the powers where the range is wide.
type logTicks func(float64) string

// Ticks places them from min to max.
func (label logTicks) Ticks(min, max float64) (ticks []plot.Tick) {
	wide := math.Log10(max/min) > 2.5
	for power := math.Pow(10, math.Floor(math.Log10(min))); power <= max; power *= 10 {
		for _, m := range []float64{1, 2, 3, 4, 5, 6, 7, 8, 9} {
			if x := m * power; x >= min && x <= max {
				t := plot.Tick{Value: x}
				if m == 1 || !wide && (m == 2 || m == 5) {
					t.Label = label(x)
				}
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// plain prints a number with a unit.
func plain(x float64) string { return withUnit(x, []string{"", "k", "M", "G"}, 1000) }

// bytes prints decimal units, since the ticks are powers of ten.
func bytes(x float64) string { return withUnit(x, []string{" B", " kB", " MB", " GB", " TB"}, 1000) }

func withUnit(x float64, units []string, step float64) string {
	i := 0
	for ; x >= step*0.9999 && i < len(units)-1; i++ {
		x /= step
	}
	return fmt.Sprintf("%.3g%s", x, units[i])
}

func seconds(x float64) string {
	switch {
	case x < 0.9999e-3:
		return fmt.Sprintf("%.3g µs", x*1e6)
	case x < 0.9999:
		return fmt.Sprintf("%.3g ms", x*1e3)
	case x >= 999.5:
		return fmt.Sprintf("%.0f s", x)
	}
	return fmt.Sprintf("%.3g s", x)
}

// box fills a bar, and returns the style of what is written behind it.
func box(c draw.Canvas, p *plot.Plot, colour color.Color, left, right, bottom, top vg.Length) text.Style {
	c.FillPolygon(colour, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
	style := p.X.Tick.Label
	style.Font.Size, style.YAlign, style.XAlign = vg.Points(8), text.YCenter, text.XLeft
	return style
}

// bars are horizontal bars of ratios from 1, on a logarithmic axis.
type bars struct {
	ratios []float64 // from the bottom up; 0: no bar
	shift  float64   // of the bar within its row
	half   float64   // half of a bar's height, of a row's
	over   []int     // rows whose bar is a bound: the other was stopped
	alone  []int     // rows whose bar stands in the middle
	colour color.Color
}

// Plot draws them.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, r := range b.ratios {
		if r <= 0 {
			continue
		}
		at := float64(i) + b.shift
		if slices.Contains(b.alone, i) {
			at = float64(i)
		}
		lo, hi := x(min(1, r)), x(max(1, r))
		style := box(c, p, b.colour, lo, hi, y(at-b.half), y(at+b.half))
		at2 := vg.Point{X: hi + vg.Points(3), Y: y(at)}
		if r < 1 {
			style.XAlign, at2.X = text.XRight, lo-vg.Points(3)
		}
		label := factor(r)
		if slices.Contains(b.over, i) {
			label = "< " + label
		}
		c.FillText(style, at2, label)
	}
}

// Thumbnail is the bars' colour in the legend.
func (b bars) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.colour, []vg.Point{{X: c.Min.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Min.X, Y: c.Max.Y}})
}

func factor(r float64) string {
	if r < 1 {
		return fmt.Sprintf("%.2g", r)
	}
	return fmt.Sprintf("%.3g", r)
}

// drawRatios draws, for each row with a reference, Motif's time on one thread over the reference's and over Kùzu's.
func drawRatios(rows []row, file string) error {
	var names []string
	code, kuzu := bars{shift: 0.2, half: 0.18, colour: palette[0]}, bars{shift: -0.2, half: 0.18, colour: palette[4]}
	lo, hi := 0.5, 2.0
	fewest := math.MaxInt
	for _, r := range rows {
		fewest = min(fewest, r.workers)
	}
	alone := []int{} // bars that have no other beside them
	for i := len(rows) - 1; i >= 0; i-- {
		r := rows[i]
		if r.workers != fewest || r.reference <= 0 && r.kuzu <= 0 {
			continue
		}
		names = append(names, strings.TrimSpace(r.name+"  "+r.code))
		for _, of := range []struct {
			b    *bars
			time float64
		}{{&code, r.reference}, {&kuzu, r.kuzu}} {
			ratio := 0.0
			if of.time > 0 {
				ratio = r.seconds / of.time
				lo, hi = min(lo, ratio), max(hi, ratio)
			}
			of.b.ratios = append(of.b.ratios, ratio)
		}
		if r.stopped {
			kuzu.over = append(kuzu.over, len(names)-1)
		}
		if r.kuzu <= 0 || r.reference <= 0 {
			alone = append(alone, len(names)-1)
		}
	}
	if len(names) == 0 {
		return nil
	}
	code.alone, kuzu.alone = alone, alone
	p := newPlot("Motif's time over others', 1 thread")
	p.X.Label.Text = "below 1: Motif is faster"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks(factor)
	one, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.6}, {X: 1, Y: float64(len(names)) - 0.4}})
	if err != nil {
		return err
	}
	p.Add(code, kuzu, one)
	p.Legend.Add("best research code (reference)", code)
	p.Legend.Add("Kùzu 0.11.3 (reference)", kuzu)
	p.Legend.Top, p.Legend.Padding = true, vg.Points(3)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(-8), vg.Points(-6)
	p.NominalY(names...)
	p.X.Min, p.X.Max = lo/2.5, hi*4
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))+1.2
	return save(p, vg.Points(700), vg.Points(110+22*float64(len(names))), file)
}
