package planner

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

const (
	maxClasses = 2000 // more label sets are not searched for one that fits
	maxTriples = 4096 // more connections of a type are not searched
)

// together warns if no node has the labels of n, and tells whether there is such a node. It says nothing of names that the graph does
// not have: the checker warns of those.
func (w *warner) together(n *lang.NodePattern, labels []*lang.LabelExpr) bool {
	if n.Labels == nil || len(w.snap.Classes) > maxClasses || !w.labelsKnown(labels) {
		return len(labels) == 0 || w.labelsKnown(labels)
	}
	for i := range w.snap.Classes {
		c := &w.snap.Classes[i]
		if c.Lo < c.Hi && !slices.Contains(c.Labels, csr.NoLabel) && w.admits(c, labels) {
			return true
		}
	}
	text := labelText(labels)
	if len(labels) == 1 && labels[0].Op == lang.LabelName {
		w.warn("NoSuchNode", n.Labels.Pos, "no node has the label "+text+" any more", "")
	} else {
		w.warn("NoSuchNode", n.Labels.Pos, "no node has the labels "+text, labelHint(labels))
	}
	return false
}

// labelHint suggests | where & or : was written between names.
func labelHint(labels []*lang.LabelExpr) string {
	var names []string
	for _, l := range labels {
		names = appendNames(names, l)
	}
	if names == nil {
		return ""
	}
	return "write | for nodes with one of the labels: (n:" + strings.Join(names, "|") + ")"
}

// appendNames adds the names that l joins by &; it returns nil if l is more than that.
func appendNames(names []string, l *lang.LabelExpr) []string {
	switch l.Op {
	case lang.LabelName:
		return append(names, labelName(l.Name))
	case lang.LabelAnd:
		for _, a := range l.Args {
			if names = appendNames(names, a); names == nil {
				return nil
			}
		}
		return names
	}
	return nil
}

// labelName writes a label with backticks if it needs them.
func labelName(name string) string {
	text := lang.Text(&lang.HasLabels{X: &lang.Var{Name: "n"}, Labels: &lang.LabelExpr{Op: lang.LabelName, Name: name}})
	return strings.TrimPrefix(text, "n:")
}

// labelText writes label expressions that all hold.
func labelText(labels []*lang.LabelExpr) string {
	x := labels[0]
	if len(labels) > 1 {
		x = &lang.LabelExpr{Op: lang.LabelAnd, Args: labels}
	}
	return strings.TrimPrefix(lang.Text(&lang.HasLabels{X: &lang.Var{Name: "n"}, Labels: x}), "n")
}

func (w *warner) labelsKnown(labels []*lang.LabelExpr) bool {
	for _, l := range labels {
		if _, ok := w.snap.Labels.Lookup(l.Name); l.Op == lang.LabelName && !ok || !w.labelsKnown(l.Args) {
			return false
		}
	}
	return true
}

// admits tells whether the nodes of a class satisfy all label expressions.
func (w *warner) admits(c *csr.Class, labels []*lang.LabelExpr) bool {
	for _, l := range labels {
		if !w.admitsOne(c, l) {
			return false
		}
	}
	return true
}

func (w *warner) admitsOne(c *csr.Class, l *lang.LabelExpr) bool {
	one := func(a *lang.LabelExpr) bool { return w.admitsOne(c, a) }
	switch l.Op {
	case lang.LabelName:
		id, ok := w.snap.Labels.Lookup(l.Name)
		return ok && slices.Contains(c.Labels, csr.LabelID(id))
	case lang.LabelAny:
		return len(c.Labels) > 0
	case lang.LabelNot:
		return !one(l.Args[0])
	case lang.LabelAnd:
		return !slices.ContainsFunc(l.Args, func(a *lang.LabelExpr) bool { return !one(a) })
	case lang.LabelOr:
		return slices.ContainsFunc(l.Args, one)
	}
	return true
}

// alternatives are labels of which a node has at least one; nil is no condition.
type alternatives []csr.LabelID

// sides are the conditions on one end of a relationship, of which all hold. There is at least one.
func (w *warner) sides(labels []*lang.LabelExpr) (list []alternatives) {
	for _, l := range labels {
		list = w.addSides(list, l)
	}
	if list == nil {
		return []alternatives{nil}
	}
	return list
}

func (w *warner) addSides(list []alternatives, l *lang.LabelExpr) []alternatives {
	switch l.Op {
	case lang.LabelAnd:
		for _, a := range l.Args {
			list = w.addSides(list, a)
		}
	case lang.LabelName, lang.LabelOr:
		var side alternatives
		for _, a := range choicesOf(l) {
			id, ok := w.snap.Labels.Lookup(a.Name)
			if a.Op != lang.LabelName || !ok {
				return list
			}
			side = append(side, csr.LabelID(id))
		}
		list = append(list, side)
	}
	return list
}

// choicesOf lists what l chooses from: itself, or the operands of |.
func choicesOf(l *lang.LabelExpr) []*lang.LabelExpr {
	if l.Op == lang.LabelOr {
		return l.Args
	}
	return []*lang.LabelExpr{l}
}

// direction warns if no relationship of the graph joins such nodes in the direction of the pattern.
func (w *warner) direction(a *lang.NodePattern, r *lang.RelPattern, b *lang.NodePattern) {
	from, to := w.labelsOf(a), w.labelsOf(b)
	types := w.dict.relTypes(r)
	if w.snap.M() == 0 || types != nil && len(types) == 0 || r.TypeExpr != nil || len(types) < len(r.Types) || !w.labelsKnown(from) || !w.labelsKnown(to) {
		return
	}
	if r.Direction == lang.Left {
		from, to = to, from
	}
	src, dst, graph := w.sides(from), w.sides(to), graphConnections{w.snap}
	if r.Length != nil {
		w.ends(r, types, src, dst)
		return
	}
	forward := graph.joined(src, types, dst)
	if forward || r.Direction == lang.Undirected && graph.joined(dst, types, src) {
		return
	}
	name := "relationship"
	if len(r.Types) > 0 {
		name = typeText(r) + " relationship"
	}
	if r.Direction != lang.Undirected && graph.joined(dst, types, src) {
		other := "(" + nodeText(to) + ")-[" + typeText(r) + "]->(" + nodeText(from) + ")"
		w.warn("NoSuchRelationship", r.Pos, "no "+name+" goes from "+endText(from)+" to "+endText(to)+": they go the other way", "write "+other)
		return
	}
	w.warn("NoSuchRelationship", r.Pos, "no "+name+" goes from "+endText(from)+" to "+endText(to), graph.connections(types))
}

// ends warns if a path of at least one relationship cannot begin or cannot end.
func (w *warner) ends(r *lang.RelPattern, types csr.TypeSet, src, dst []alternatives) {
	every, graph := []alternatives{nil}, graphConnections{w.snap}
	begins, finishes := graph.joined(src, types, every), graph.joined(every, types, dst)
	if r.Direction == lang.Undirected {
		begins, finishes = begins || graph.joined(every, types, src), finishes || graph.joined(dst, types, every)
	}
	if r.Length.Min < 1 || begins && finishes {
		return
	}
	w.warn("NoSuchRelationship", r.Pos, "no "+strings.TrimPrefix(typeText(r)+" relationship", " ")+" begins or ends at such nodes", graph.connections(types))
}

func typeText(r *lang.RelPattern) string {
	var names []string
	for _, t := range r.Types {
		names = append(names, labelName(t.Text))
	}
	if names == nil {
		return ""
	}
	return ":" + strings.Join(names, "|")
}

func nodeText(labels []*lang.LabelExpr) string {
	if len(labels) == 0 {
		return ""
	}
	return labelText(labels)
}

func endText(labels []*lang.LabelExpr) string {
	return cmp.Or(nodeText(labels), "any node")
}

// graphConnections asks a snapshot which labels its relationships connect.
type graphConnections struct{ *csr.Snapshot }

// joined tells whether the statistics admit a relationship from a node that satisfies src to one that satisfies dst.
func (g graphConnections) joined(src []alternatives, types csr.TypeSet, dst []alternatives) bool {
	for _, s := range src {
		for _, d := range dst {
			if !g.joins(s, types, d) {
				return false
			}
		}
	}
	return true
}

// joins tells whether a relationship goes from a node with one of the labels src to one with one of dst.
func (g graphConnections) joins(src alternatives, types csr.TypeSet, dst alternatives) bool {
	if g.Types.Len() > maxClasses || len(src)*len(dst) > maxTriples {
		return true
	}
	for t := range csr.TypeID(g.Types.Len()) {
		if !types.Has(t) || int(t) >= len(g.Stats.Types) || g.Stats.Types[t].Edges == 0 {
			continue
		}
		if src == nil && dst == nil {
			return true
		}
		if src == nil {
			if g.anyTriple(csr.Triple{Type: t}, csr.Triple{Type: t + 1}, func(x csr.Triple) bool { return slices.Contains(dst, x.Dst) }) {
				return true
			}
			continue
		}
		for _, s := range src {
			if g.anyTriple(csr.Triple{Type: t, Src: s}, csr.Triple{Type: t, Src: s + 1}, func(x csr.Triple) bool { return dst == nil || slices.Contains(dst, x.Dst) }) {
				return true
			}
		}
	}
	return false
}

// anyTriple tells whether a connection from the first to the last, without the last, satisfies f. Of too many it takes one for granted.
func (g graphConnections) anyTriple(first, last csr.Triple, f func(csr.Triple) bool) bool {
	list := g.triples(first, last)
	if len(list) > maxTriples {
		return true
	}
	return slices.ContainsFunc(list, func(x csr.Triple) bool { return x.Count > 0 && f(x) })
}

func (g graphConnections) triples(first, last csr.Triple) []csr.Triple {
	all := g.Stats.Triples
	at := func(x csr.Triple) int {
		return sort.Search(len(all), func(i int) bool {
			return cmp.Or(cmp.Compare(all[i].Type, x.Type), cmp.Compare(all[i].Src, x.Src), cmp.Compare(all[i].Dst, x.Dst)) >= 0
		})
	}
	return all[at(first):at(last)]
}

// connections says where the relationships of the types are.
func (g graphConnections) connections(types csr.TypeSet) string {
	const most = 3
	var list []csr.Triple
	for _, t := range types {
		some := g.triples(csr.Triple{Type: t}, csr.Triple{Type: t + 1})
		list = append(list, some[:min(len(some), maxTriples)]...)
	}
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b csr.Triple) int { return cmp.Compare(b.Count, a.Count) })
	var texts []string
	for _, x := range list[:min(len(list), most)] {
		texts = append(texts, "("+g.label(x.Src)+")-[:"+labelName(g.Types.Name(uint32(x.Type)))+"]->("+g.label(x.Dst)+")")
	}
	return "the graph has " + strings.Join(texts, ", ")
}

func (g graphConnections) label(l csr.LabelID) string {
	if l == csr.NoLabel {
		return ""
	}
	return ":" + labelName(g.Labels.Name(uint32(l)))
}
