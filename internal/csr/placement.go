package csr

import (
	"encoding/binary"
	"slices"
)

// Where vertices go. A snapshot numbers its vertices without gaps, and those of one label set lie in few runs, the
// classes. A draft keeps both with few vertices numbered anew: a new or relabelled vertex takes the place of one that has left
// its class; else the last of the class fills the gap, so that the gaps are at the ends of classes; new vertices
// go there, then the last vertices of the graph; what is new beyond that goes behind them all.

// placement is the numbering of a successor.
type placement struct {
	classes []Class
	n       uint64
	moved   map[VertexID]VertexID // from draft ids: new place, or NoVertex; what is missing stays
	slots   []slot                // places with another vertex than before, or a new one, rising
	renewed []VertexID            // vertices of the base that have a new place or other labels, rising
}

// slot puts a vertex of the draft, of, at a place of the successor.
type slot struct{ at, of VertexID }

// gap is the labels of a run of places that are free.
var gap = []LabelID{NoLabel}

func isGap(c *Class) bool { return len(c.Labels) == 1 && c.Labels[0] == NoLabel }

// pending is the vertices of one label set that need a place.
type pending struct {
	labels []LabelID
	list   []VertexID
}

// placer makes a placement.
type placer struct {
	d      *Draft
	holes  []VertexID // places that were left, rising
	wait   []*pending
	byName map[string]*pending
	of     map[VertexID]VertexID // by place: the vertex of the draft, where it is another than before
	runs   []Class
}

func (d *Draft) place() *placement {
	p := &placer{d: d, byName: map[string]*pending{}, of: map[VertexID]VertexID{}}
	p.collect()
	n := d.base.N()
	if len(p.holes) == 0 && len(d.newNodes) == 0 {
		return &placement{classes: d.base.Classes, n: n}
	}
	p.fillClasses()
	p.fillGaps()
	p.shrink()
	p.appendAll(p.wait)
	p.regroup()
	return p.result()
}

// appendAll puts the vertices of each label set behind all others.
func (p *placer) appendAll(wait []*pending) {
	for _, w := range wait {
		end := VertexID(0)
		if len(p.runs) > 0 {
			end = p.runs[len(p.runs)-1].Hi
		}
		p.settle(w, Range{end, end + VertexID(len(w.list))})
	}
}

// regroup gathers the vertices behind those of the flat base by label set, once they lie in many runs. It tolerates more
// runs in larger graphs, so that each change pays little for it.
func (p *placer) regroup() {
	base := VertexID(p.d.base.N())
	if x := p.d.base.over; x != nil {
		base = VertexID(x.base)
	}
	first := len(p.runs)
	for first > 0 && p.runs[first-1].Lo >= base {
		first--
	}
	zone := p.runs[first:]
	if len(zone) == 0 || len(zone) < mostRuns+int(zone[len(zone)-1].Hi-zone[0].Lo)/32 {
		return
	}
	p.wait, p.byName = nil, map[string]*pending{}
	for _, c := range zone {
		for at := c.Lo; at < c.Hi; at++ {
			p.await(p.vertexAt(at), c.Labels)
			delete(p.of, at)
		}
	}
	p.runs = p.runs[:first]
	p.appendAll(p.wait)
	for at, v := range p.of {
		if _, left := slices.BinarySearch(p.holes, v); at == v && !left && uint64(v) < p.d.base.N() {
			delete(p.of, at) // it stays
		}
	}
}

const mostRuns = 64

// collect finds the places left and the vertices without one.
func (p *placer) collect() {
	d := p.d
	for v, n := range d.nodes {
		if n.dead || n.relabelled && !slices.Equal(n.labels, d.base.LabelsOf(v)) {
			p.holes = append(p.holes, v)
		}
	}
	slices.Sort(p.holes)
	for _, v := range p.holes {
		if n := d.nodes[v]; !n.dead {
			p.await(v, n.labels)
		}
	}
	for i, n := range d.newNodes {
		if !n.dead {
			p.await(VertexID(d.base.N()+uint64(i)), n.labels)
		}
	}
}

func (p *placer) await(v VertexID, labels []LabelID) {
	name := make([]byte, 0, 32)
	for _, l := range labels {
		name = binary.LittleEndian.AppendUint32(name, uint32(l))
	}
	w := p.byName[string(name)]
	if w == nil {
		w = &pending{labels: labels}
		p.byName[string(name)] = w
		p.wait = append(p.wait, w)
	}
	w.list = append(w.list, v)
}

// fillClasses closes the holes of every class, by vertices that wait or by its own last ones.
func (p *placer) fillClasses() {
	holes := p.holes
	for _, c := range p.d.base.Classes {
		n, _ := slices.BinarySearch(holes, c.Hi)
		mine := holes[:n]
		holes = holes[n:]
		for _, w := range p.wait {
			if len(mine) > 0 && len(w.list) > 0 && slices.Equal(w.labels, c.Labels) {
				k := min(len(mine), len(w.list))
				for i, v := range w.list[:k] {
					p.of[mine[i]] = v
				}
				w.list, mine = w.list[k:], mine[k:]
			}
		}
		end := c.Hi - VertexID(len(mine))
		last, left := c.Hi, len(mine)-1
		for _, h := range mine {
			if h >= end {
				break
			}
			for last--; mine[left] == last; last-- {
				left--
			}
			p.of[h] = last
		}
		if end > c.Lo {
			p.runs = append(p.runs, Class{c.Labels, Range{c.Lo, end}})
		}
		if end < c.Hi {
			p.runs = append(p.runs, Class{gap, Range{end, c.Hi}})
		}
	}
}

// vertexAt is the vertex of the draft at a place.
func (p *placer) vertexAt(at VertexID) VertexID {
	if v, ok := p.of[at]; ok {
		return v
	}
	return at
}

// fillGaps puts vertices that wait into the gaps.
func (p *placer) fillGaps() {
	runs := p.runs
	p.runs = nil
	for i := range runs {
		c := runs[i]
		for isGap(&c) && len(p.wait) > 0 && c.Lo < c.Hi {
			w := p.wait[0]
			k := min(c.Len(), len(w.list))
			if k > 0 {
				head := &pending{w.labels, w.list[:k]}
				w.list = w.list[k:]
				p.settle(head, Range{c.Lo, c.Lo + VertexID(k)})
				c.Lo += VertexID(k)
			}
			if len(w.list) == 0 {
				p.wait = p.wait[1:]
			}
		}
		if c.Lo < c.Hi {
			p.runs = append(p.runs, c)
		}
	}
}

// settle makes the vertices of w a run of their own.
func (p *placer) settle(w *pending, r Range) {
	if len(w.list) == 0 {
		return
	}
	for i, v := range w.list {
		p.of[r.Lo+VertexID(i)] = v
	}
	p.runs = append(p.runs, Class{w.labels, r})
}

// shrink moves the last vertices of the graph into the gaps that are left.
func (p *placer) shrink() {
	for g := 0; g < len(p.runs); g++ {
		for g < len(p.runs) && isGap(&p.runs[g]) {
			last := &p.runs[len(p.runs)-1]
			if isGap(last) {
				p.runs = p.runs[:len(p.runs)-1]
				continue
			}
			free := &p.runs[g]
			k := VertexID(min(last.Len(), free.Len()))
			for i := range k {
				p.of[free.Lo+i] = p.vertexAt(last.Hi - k + i)
				delete(p.of, last.Hi-k+i)
			}
			filled := Class{last.Labels, Range{free.Lo, free.Lo + k}}
			free.Lo += k
			if last.Hi -= k; last.Hi == last.Lo {
				p.runs = p.runs[:len(p.runs)-1]
			}
			if free.Lo == free.Hi {
				*free = filled
				break
			}
			p.runs = slices.Insert(p.runs, g, filled)
			g++
		}
	}
}

func (p *placer) result() *placement {
	out := &placement{moved: map[VertexID]VertexID{}}
	for i := range p.runs {
		c := &p.runs[i]
		if k := len(out.classes); k > 0 && slices.Equal(out.classes[k-1].Labels, c.Labels) {
			out.classes[k-1].Hi = c.Hi
		} else {
			out.classes = append(out.classes, *c)
		}
		out.n = uint64(c.Hi)
	}
	for _, v := range p.holes {
		out.moved[v] = NoVertex
	}
	n := p.d.base.N()
	for i, x := range p.d.newNodes {
		if x.dead {
			out.moved[VertexID(n+uint64(i))] = NoVertex
		}
	}
	for at, v := range p.of {
		if uint64(v) < n {
			out.renewed = append(out.renewed, v)
		}
		if at == v {
			delete(out.moved, v) // back where it was, if it is not new
		} else {
			out.moved[v] = at
		}
		if at != v || uint64(v) >= n {
			out.slots = append(out.slots, slot{at, v})
		}
	}
	slices.SortFunc(out.slots, func(a, b slot) int { return compare(a.at, b.at) })
	slices.Sort(out.renewed)
	return out
}

// now is where a vertex of the draft is in the successor; NoVertex if it was deleted.
func (p *placement) now(v VertexID) VertexID {
	if at, ok := p.moved[v]; ok {
		return at
	}
	return v
}
