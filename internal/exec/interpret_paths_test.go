package exec

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// walk is an unfinished path of a clause: the row so far, and the nodes and relationships that the path went through.
type walk struct {
	r     bindings
	at    []value.Value // node, relationship, node ...
	spots []spot        // of the pattern's nodes outside of what repeats
}

type spot struct {
	at   int // in walk.at
	name string
}

// pathRun matches one path of a clause beside the paths already matched.
type pathRun struct {
	in    *interpreter
	m     *lang.Match
	mode  lang.PathMode
	other []value.Value // relationships of the other paths
}

// tooLong ends the interpretation of a query with too many steps.
type tooLong struct{}

func (in *interpreter) step() {
	if *in.steps++; *in.steps > 10_000 {
		panic(tooLong{})
	}
}

const longest = 50 // elements of a path: what may repeat can go on for ever

// path returns the matches of a path that its selector takes. Conditions inside the path hold before it selects, WHERE
// after.
func (in *interpreter) path(m *lang.Match, p *lang.PathPattern, r bindings, rels []value.Value, nodes []element) (all []walk) {
	run := &pathRun{in: in, m: m, mode: p.Mode, other: rels}
	if run.mode == lang.NoPathMode || run.mode == lang.WalkMode { // what the clause says
		if run.mode = lang.TrailMode; m.Mode == lang.RepeatableElements {
			run.mode = lang.WalkMode
		}
	}
	for v := range in.s.N() {
		start := walk{r: r, at: []value.Value{value.OfNode(csr.VertexID(v))}}
		run.chain(p, 0, start, true, func(w walk) {
			if !run.allowed(w.at) || !in.inside(&lang.Match{Paths: []*lang.PathPattern{p}}, w.r) {
				return
			}
			if m.Mode == lang.DifferentNodes && !different(slices.Concat(nodes, w.elements())) {
				return
			}
			if p.Name != "" {
				w.r = w.r.with(p.Name, pathValue(w.at))
			}
			all = append(all, w)
		})
	}
	if p.Function != lang.NoPathFunction {
		all = slices.DeleteFunc(all, func(w walk) bool { return !in.accepts(m.Where, w.r) })
	}
	return in.selected(p, all)
}

// accepts tests WHERE for shortestPath() and allShortestPaths(), which look only for paths that satisfy it. They do not
// see subqueries and patterns.
func (in *interpreter) accepts(x lang.Expr, r bindings) bool {
	if b, ok := x.(*lang.Binary); ok && strings.EqualFold(string(b.Op), "AND") {
		return in.accepts(b.L, r) && in.accepts(b.R, r)
	}
	plain := x != nil
	if plain {
		lang.Walk(x, func(x lang.Expr) bool {
			switch x.(type) {
			case *lang.PatternExpr, *lang.PatternComprehension, *lang.Subquery:
				plain = false
			}
			return plain
		})
	}
	return !plain || in.holds(x, r)
}

// chain continues with the i-th node of a path; the walk stands at the node that it must be.
func (c *pathRun) chain(p *lang.PathPattern, i int, w walk, outer bool, then func(walk)) {
	c.in.step()
	n, x := p.Nodes[i], w.at[len(w.at)-1]
	if !may(w.r, n.Name, x) || n.Labels != nil && !eval.ResolveLabels(n.Labels, c.in.s.Labels).Admits(c.in.s.LabelsOf(x.Node())) {
		return
	}
	w.r = w.r.with(n.Name, x)
	if outer {
		w.spots = append(slices.Clone(w.spots), spot{len(w.at) - 1, n.Name})
	}
	if i == len(p.Rels) {
		then(w)
		return
	}
	next := func(w walk) { c.chain(p, i+1, w, outer, then) }
	if rel := p.Rels[i]; rel.Length != nil {
		c.repeat(rel, w, 0, map[string][]value.Value{}, next)
	} else {
		c.once(rel, w, next)
	}
}

// namesIn returns the variables of a relationship or group.
func namesIn(rel *lang.RelPattern) (names []string) {
	if rel.Group == nil {
		if rel.Name != "" {
			names = append(names, rel.Name)
		}
		return names
	}
	for i, n := range rel.Group.Path.Nodes {
		if n.Name != "" && !slices.Contains(names, n.Name) {
			names = append(names, n.Name)
		}
		if i > 0 {
			names = append(names, namesIn(rel.Group.Path.Rels[i-1])...)
		}
	}
	return names
}

// repeat continues after done repetitions, whose elements are in lists.
func (c *pathRun) repeat(rel *lang.RelPattern, w walk, done int64, lists map[string][]value.Value, then func(walk)) {
	if c.in.step(); len(w.at) > longest {
		panic(tooLong{})
	}
	names := namesIn(rel)
	if done >= rel.Length.Min {
		all := w
		for _, name := range names {
			all.r = all.r.with(name, value.OfList(slices.Clone(lists[name])))
		}
		then(all)
	}
	if rel.Length.Max >= 0 && done >= rel.Length.Max {
		return
	}
	outside := w.r
	c.once(rel, w, func(w walk) {
		more := map[string][]value.Value{}
		for _, name := range names {
			more[name] = append(slices.Clone(lists[name]), w.r[name])
		}
		w.r = outside
		c.repeat(rel, w, done+1, more, then)
	})
}

// once goes through a relationship or group.
func (c *pathRun) once(rel *lang.RelPattern, w walk, then func(walk)) {
	if rel.Group != nil {
		c.chain(rel.Group.Path, 0, w, false, func(w walk) {
			if c.in.inside(&lang.Match{Paths: []*lang.PathPattern{rel.Group.Path}}, w.r) && (rel.Group.Where == nil || c.in.holds(rel.Group.Where, w.r)) {
				then(w)
			}
		})
		return
	}
	from := w.at[len(w.at)-1].Node()
	for e := range c.in.s.AllEdges() {
		c.in.step()
		y := value.OfRel(e)
		src, dst := c.in.s.Endpoints(e)
		if !may(w.r, rel.Name, y) || !c.in.typed(rel, e) || c.m.Mode != lang.RepeatableElements && slices.Contains(c.other, y) ||
			c.mode != lang.WalkMode && slices.Contains(w.at, y) {
			continue
		}
		var ends []csr.VertexID
		if src == from && rel.Direction != lang.Left {
			ends = append(ends, dst)
		}
		if dst == from && rel.Direction != lang.Right && (src != dst || len(ends) == 0) {
			ends = append(ends, src)
		}
		for _, end := range ends {
			next := walk{w.r.with(rel.Name, y), append(slices.Clone(w.at), y, value.OfNode(end)), w.spots}
			if rel.Where == nil || c.in.holds(rel.Where, next.r) {
				then(next)
			}
		}
	}
}

// allowed reports whether a whole path repeats no node that its mode forbids.
func (c *pathRun) allowed(at []value.Value) bool {
	for i := 0; i < len(at); i += 2 {
		for k := 0; k < i; k += 2 {
			if at[i] == at[k] && (c.mode == lang.AcyclicMode || c.mode == lang.SimpleMode && (k > 0 || i < len(at)-1)) {
				return false
			}
		}
	}
	return true
}

// elements returns the nodes of a match with their variables.
func (w walk) elements() (all []element) {
	for i := 0; i < len(w.at); i += 2 {
		named := false
		for _, p := range w.spots {
			if p.at == i {
				all, named = append(all, element{p.name, w.at[i]}), true
			}
		}
		if !named {
			all = append(all, element{"", w.at[i]})
		}
	}
	return all
}

func (w walk) rels() (all []value.Value) {
	for i := 1; i < len(w.at); i += 2 {
		all = append(all, w.at[i])
	}
	return all
}

func selects(p *lang.PathPattern) bool {
	return p.Function != lang.NoPathFunction || p.Selector.Kind != lang.AllPaths
}

// selected returns the walks that the selector takes, for each choice of the ends.
func (in *interpreter) selected(p *lang.PathPattern, all []walk) (some []walk) {
	if !selects(p) {
		return all
	}
	slices.SortStableFunc(all, func(a, b walk) int { return len(a.at) - len(b.at) })
	k := 1
	if p.Selector.K != nil {
		k = int(in.eval(p.Selector.K, nil).Int())
	}
	groups := p.Function == lang.AllShortestPaths || p.Selector.Kind == lang.AllShortest || p.Selector.Kind == lang.ShortestGroups
	type ends [2]value.Value
	lengths := map[ends][]int{}
	for _, w := range all {
		key := ends{w.at[0], w.at[len(w.at)-1]}
		if seen := lengths[key]; !groups || len(seen) == 0 || seen[len(seen)-1] != len(w.at) {
			lengths[key] = append(seen, len(w.at))
		}
		if len(lengths[key]) <= k {
			some = append(some, w)
		}
	}
	return some
}
