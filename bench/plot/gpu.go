package main

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// measurement is a line of the CSV of `motif bench gpu`.
type measurement struct {
	part, graph, variant, off string
	unit, verified            string
	scale, workers            int
	call, cpu                 float64 // seconds; 0: not measured
	rate                      float64
}

// gpuColumns are those that are read.
var gpuColumns = []string{"part", "graph", "variant", "off", "unit", "verified", "scale", "cpu_workers", "call_ms", "cpu_ms", "rate"}

func readGPU(t *table) (list []measurement, err error) {
	for i := range t.lines {
		m := measurement{part: t.text(i, "part"), graph: t.text(i, "graph"), variant: t.text(i, "variant"), off: t.text(i, "off"), unit: t.text(i, "unit"),
			verified: t.text(i, "verified"), scale: int(t.number(i, "scale")), workers: int(t.number(i, "cpu_workers")),
			call: t.number(i, "call_ms") / 1e3, cpu: t.number(i, "cpu_ms") / 1e3, rate: t.number(i, "rate")}
		if m.verified != "WRONG" { // how fast a wrong answer came is nothing to look at
			list = append(list, m)
		}
	}
	return list, t.err
}

// drawGPU draws what was measured on a GPU. A picture that there are no rows for is left out.
func drawGPU(list []measurement, folder string) error {
	most := 0
	for _, m := range list {
		most = max(most, m.workers)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(m measurement) bool { return m.workers > 0 && m.workers < most }) // rows for one worker repeat others
	return errors.Join(
		drawScales(list, filepath.Join(folder, "gpu-scale.png")),
		drawAblation(list, filepath.Join(folder, "gpu-ablation.png")),
		drawVariants(list, "bfs", "Breadth-first search by way of searching", filepath.Join(folder, "gpu-bfs.png")),
		drawVariants(list, "cores", "Core decomposition by way of peeling", filepath.Join(folder, "gpu-cores.png")),
		drawQueries(list, filepath.Join(folder, "gpu-queries.png")),
		drawDeal(list, filepath.Join(folder, "gpu-deal.png")),
		drawLambda(list, filepath.Join(folder, "gpu-lambda.png")),
		drawLanes(list, filepath.Join(folder, "gpu-lanes.png")))
}

// drawScales draws time over the scale of RMAT graphs, a colour a kind of work: the GPU solid, the CPU dashed. Of the ways to do
// the same, the one that was fastest on the largest graph stands for all.
func drawScales(list []measurement, file string) error {
	byName := make(map[string][]measurement)
	for _, m := range list {
		if m.scale > 0 && m.off == "" && m.call > 0 && m.cpu > 0 {
			byName[m.part+" "+m.variant] = append(byName[m.part+" "+m.variant], m)
		}
	}
	best := make(map[string]string)
	for name, of := range byName {
		slices.SortFunc(of, func(a, b measurement) int { return cmp.Compare(a.scale, b.scale) })
		part := of[0].part
		if part == "cliques" || part == "kcminer" || part == "trusses" || part == "join" || part == "formula" || part == "filter" {
			part = name // these are different works, not ways to do one
		}
		last := func(name string) measurement { return byName[name][len(byName[name])-1] }
		if was, ok := best[part]; !ok || last(name).scale > last(was).scale || last(name).scale == last(was).scale && last(name).call < last(was).call {
			best[part] = name
		}
	}
	p := newPlot("Time by scale of RMAT graphs: GPU (solid) and CPU with all cores (dashed)")
	p.X.Label.Text, p.Y.Label.Text = "scale (2^scale nodes)", "a call, the graph on the card"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks(seconds)
	p.X.Tick.Marker = wholeTicks{}
	lo, hi, left, right := math.Inf(1), 0.0, math.MaxInt, 0
	drawn := 0
	for _, name := range sortedValues(best) {
		of := byName[name]
		if len(of) < 2 || drawn == len(palette) {
			continue
		}
		colour := palette[drawn]
		drawn++
		for i, time := range []func(m measurement) float64{func(m measurement) float64 { return m.call }, func(m measurement) float64 { return m.cpu }} {
			var points plotter.XYs
			for _, m := range of {
				points = append(points, plotter.XY{X: float64(m.scale), Y: time(m)})
				lo, hi, left, right = min(lo, time(m)), max(hi, time(m)), min(left, m.scale), max(right, m.scale)
			}
			line, marks, err := plotter.NewLinePoints(points)
			if err != nil {
				return err
			}
			line.Color, line.Width, marks.Color, marks.Radius, marks.Shape = colour, vg.Points(1.8), colour, vg.Points(3), draw.CircleGlyph{}
			if i == 1 {
				line.Dashes, marks.Shape = []vg.Length{vg.Points(5), vg.Points(3)}, draw.RingGlyph{}
			} else {
				p.Legend.Add(name, line, marks)
			}
			p.Add(line, marks)
		}
	}
	if drawn == 0 {
		return nil
	}
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(3)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(10), vg.Points(-6)
	p.X.Min, p.X.Max = float64(left)-0.3, float64(right)+0.3
	p.Y.Min, p.Y.Max = lo/1.6, hi*math.Pow(hi/lo, 0.2)
	return save(p, vg.Points(640), vg.Points(460), file)
}

func sortedValues(m map[string]string) (list []string) {
	for _, v := range m {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// wholeTicks are at whole numbers.
type wholeTicks struct{}

// Ticks places them.
func (wholeTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for x := math.Ceil(lo); x <= hi; x++ {
		ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprint(int(x))})
	}
	return ticks
}

// drawAblation draws how much longer works take without a technique, a bar a technique, the most important first in each part.
func drawAblation(list []measurement, file string) error {
	full := make(map[string]float64)
	for _, m := range list {
		if m.off == "" && m.call > 0 && m.unit != "lanes" {
			full[m.part+m.graph+m.variant] = m.call
		}
	}
	type bar struct {
		part, name string
		ratio      float64
	}
	var found []bar
	for _, m := range list {
		if base := full[m.part+m.graph+m.variant]; m.off != "" && m.call > 0 && base > 0 && m.unit != "lanes" {
			found = append(found, bar{m.part, fmt.Sprintf("%s %s, %s: %s", m.part, m.variant, m.graph, m.off), m.call / base})
		}
	}
	if len(found) == 0 {
		return nil
	}
	const most = 40 // of them, those that matter most
	slices.SortStableFunc(found, func(a, b bar) int { return cmp.Compare(math.Abs(math.Log(b.ratio)), math.Abs(math.Log(a.ratio))) })
	found = found[:min(most, len(found))]
	slices.SortStableFunc(found, func(a, b bar) int { return cmp.Or(strings.Compare(b.part, a.part), cmp.Compare(a.ratio, b.ratio)) })
	b := bars{half: 0.36, colour: palette[0]}
	var names []string
	lo, hi := 0.9, 1.2
	for _, x := range found {
		names, b.ratios = append(names, x.name), append(b.ratios, x.ratio)
		lo, hi = min(lo, x.ratio), max(hi, x.ratio)
	}
	p := newPlot("Time without a technique over time with all of them")
	p.X.Label.Text = "above 1: the technique helps"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks(factor)
	one, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.6}, {X: 1, Y: float64(len(names)) - 0.4}})
	if err != nil {
		return err
	}
	p.Add(b, one)
	p.NominalY(names...)
	room := math.Pow(hi/lo, 0.1)
	p.X.Min, p.X.Max = lo/room/1.08, hi*room*1.08
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	return save(p, vg.Points(820), vg.Points(100+16*float64(len(names))), file)
}

// clusters are horizontal bars from the left edge in groups of a row each.
type clusters struct {
	values []float64 // by group, from the bottom up; 0: no bar
	shift  float64   // of the bar within its group
	half   float64   // half of a bar's height
	show   func(float64) string
	colour color.Color
}

// Plot draws them with their values behind.
func (b clusters) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, v := range b.values {
		if v <= 0 {
			continue
		}
		at := float64(i) + b.shift
		right := x(v)
		style := box(c, p, b.colour, x(p.X.Min), right, y(at-b.half), y(at+b.half))
		c.FillText(style, vg.Point{X: right + vg.Points(3), Y: y(at)}, b.show(v))
	}
}

// Thumbnail is the bars' colour in the legend.
func (b clusters) Thumbnail(c *draw.Canvas) { bars{colour: b.colour}.Thumbnail(c) }

// cluster is a picture of clusters: values by group and kind of bar.
type cluster struct {
	title, label  string
	groups, kinds []string
	value         map[[2]string]float64
	show          func(float64) string
	logarithmic   bool
}

func (c *cluster) set(group, kind string, v float64) {
	if c.value == nil {
		c.value = make(map[[2]string]float64)
	}
	if !slices.Contains(c.groups, group) {
		c.groups = append(c.groups, group)
	}
	if !slices.Contains(c.kinds, kind) {
		c.kinds = append(c.kinds, kind)
	}
	c.value[[2]string{group, kind}] = v
}

// evenTicks are those of an even axis, labelled as its values are.
type evenTicks func(float64) string

// Ticks places them.
func (label evenTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	for i := range ticks {
		if ticks[i].Label != "" && ticks[i].Value > 0 {
			ticks[i].Label = label(ticks[i].Value)
		}
	}
	return ticks
}

func (c *cluster) draw(file string) error {
	if len(c.groups) == 0 {
		return nil
	}
	p := newPlot(c.title)
	p.X.Label.Text = c.label
	slices.Reverse(c.groups) // the first one on top
	lo, hi := math.Inf(1), 0.0
	for i, kind := range c.kinds {
		b := clusters{half: 0.4 / float64(len(c.kinds)), shift: 0.4 - (2*float64(i)+1)*0.4/float64(len(c.kinds)), show: c.show, colour: palette[i%len(palette)]}
		for _, g := range c.groups {
			v := c.value[[2]string{g, kind}]
			if b.values = append(b.values, v); v > 0 {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		p.Add(b)
		p.Legend.Add(kind, b)
	}
	p.NominalY(c.groups...)
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, hi*1.15, evenTicks(c.show)
	if c.logarithmic {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks(c.show)
		p.X.Min, p.X.Max = lo/2, hi*math.Pow(hi/lo*2, 0.15)
	}
	p.Y.Min, p.Y.Max = -0.6, float64(len(c.groups))+0.7 // the legend's room: it is as high as a group
	p.Legend.Top, p.Legend.Padding = true, vg.Points(3)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(-8), vg.Points(-6)
	return save(p, vg.Points(700), vg.Points(100+15*float64(len(c.kinds))*(float64(len(c.groups))+1.3)), file)
}

// drawVariants draws a part's ways to do the same by graph, beside the CPU's own choice.
func drawVariants(list []measurement, part, title, file string) error {
	c := cluster{title: title, label: "a call, the graph on the card", show: seconds, logarithmic: true}
	for _, m := range list {
		if m.part == part && m.off == "" && m.call > 0 {
			c.set(m.graph, m.variant, m.call)
		}
	}
	for _, m := range list {
		if m.part == part && m.off == "" && m.cpu > 0 {
			c.set(m.graph, fmt.Sprintf("CPU, %d workers", m.workers), m.cpu)
		}
	}
	return c.draw(file)
}

// drawQueries draws the times of filter, formula and join by query, on the GPU and the CPU.
func drawQueries(list []measurement, file string) error {
	c := cluster{title: "Filter, formula and join by query, five labels", label: "a call, the graph on the card", show: seconds, logarithmic: true}
	for _, kind := range []string{"GPU", "CPU"} {
		for _, m := range list {
			if m.part != "filter" && m.part != "formula" && m.part != "join" || m.off != "" {
				continue
			}
			name, v := kind, m.call
			if kind == "CPU" {
				name, v = fmt.Sprintf("CPU, %d workers", m.workers), m.cpu
			}
			if v > 0 {
				c.set(m.part+", "+m.variant, name, v)
			}
		}
	}
	return c.draw(file)
}

// drawDeal draws how much longer than the mean the longest of several parts takes.
func drawDeal(list []measurement, file string) error {
	c := cluster{title: "Time of the longest part over the mean, cliques dealt to devices", label: "1: all take equally long", show: factor}
	for _, m := range list {
		if m.part == "deal" && m.unit == "max/mean" && m.rate > 0 {
			c.set(m.graph, m.variant, m.rate)
		}
	}
	return c.draw(file)
}

// drawLambda draws the time by the sparsity up to which bitmaps wait for the next level.
func drawLambda(list []measurement, file string) error {
	c := cluster{title: "Cliques one by one, by the sparsity up to which bitmaps wait a level", label: "a call, the graph on the card", show: seconds}
	for _, m := range list {
		if size, lambda, ok := strings.Cut(m.variant, ", lambda "); ok && m.part == "kcminer" && m.call > 0 {
			c.set(m.graph+", "+size, "lambda "+lambda, m.call)
		}
	}
	return c.draw(file)
}

// drawLanes draws how many lanes of a warp are at work on average, with all techniques and without one each.
func drawLanes(list []measurement, file string) error {
	c := cluster{title: "Lanes of a warp at work while cliques are counted one by one", label: "of 32 lanes", show: func(x float64) string { return fmt.Sprintf("%.1f", x) }}
	for _, m := range list {
		if m.unit == "lanes" {
			kind := "with rings"
			if m.off != "" {
				kind = "without " + m.off
			}
			c.set(m.variant+", "+m.graph, kind, m.rate)
		}
	}
	return c.draw(file)
}
