package exec

import (
	"fmt"
	"slices"
	"strconv"
)

// repeated writes a relationship or group that repeats. Groups stand in clauses alone: add says so.
func (g *clauseGen) repeated(add bool) string {
	g.far++
	lo := g.IntN(3)
	hi := max(1, lo+g.IntN(3))
	upper := strconv.Itoa(hi)
	if !g.walks && g.IntN(4) == 0 {
		upper = ""
	}
	quantifier := fmt.Sprintf("{%d,%s}", lo, upper)
	if upper == "" || hi == 1 {
		quantifier = g.pick(quantifier, quantifier, "?")
	}
	if upper == "" {
		quantifier = g.pick(quantifier, "*", "+")
	}
	if add && g.IntN(3) == 0 {
		return g.group(quantifier)
	}
	name, where := "", ""
	if add && g.IntN(3) == 0 {
		name = g.list('l')
		if g.IntN(3) == 0 {
			where = " WHERE " + name + ".x > " + strconv.Itoa(g.IntN(2))
		}
	}
	inner := name + g.pick("", ":R", ":S", ":R|S")
	if g.IntN(2) == 0 {
		inner, quantifier = inner+fmt.Sprintf("*%d..%s", lo, upper), ""
	}
	inner += where
	return g.pick("-["+inner+"]->", "<-["+inner+"]-", "-["+inner+"]-") + quantifier
}

func (g *clauseGen) list(kind byte) string {
	if g.either {
		kind = 'k'
	}
	return g.fresh(kind)
}

// group writes a path in brackets, with a quantifier, or without one and what it repeats inside.
func (g *clauseGen) group(quantifier string) string {
	vars := g.vars
	g.vars = slices.Clone(g.before)
	from := len(g.vars)
	x, y := g.fresh('n'), g.fresh('n')
	rel := g.pick(":R", ":S", "")
	if g.IntN(3) == 0 {
		rel = g.fresh('r') + rel
	}
	once := !g.either && g.IntN(6) == 0
	if once {
		rel, quantifier = rel[len(rel)-min(len(rel), 2):]+"*1..2", ""
		g.vars = g.vars[:from+2]
		if rel[0] != ':' && rel[0] != '*' {
			rel = "*1..2"
		}
	}
	text := "((" + x + ")" + g.pick("-["+rel+"]->", "<-["+rel+"]-", "-["+rel+"]-")
	if g.IntN(5) == 0 {
		text += "()" + g.pick("-->", "--")
	}
	text += "(" + y + g.pick("", "", ":A") + ")"
	if g.IntN(2) == 0 {
		text += " WHERE " + g.pick(x+".x < "+y+".x", x+" <> "+y, g.condition(), g.condition())
	}
	for _, v := range g.vars[from:] {
		switch {
		case once:
		case g.either:
			v.kind = 'k'
		case v.kind == 'n':
			v.kind = 'm'
		case v.kind == 'r':
			v.kind = 'l'
		}
		vars = append(vars, v)
	}
	g.vars = vars
	return text + ")" + quantifier
}

// chosen writes a path with a path mode or a selector.
func (g *clauseGen) chosen() string {
	prefix := g.pick("TRAIL ", "ACYCLIC ", "SIMPLE ", "WALK ", "ALL SHORTEST ", "ANY SHORTEST ", "SHORTEST 2 ", "SHORTEST 2 GROUPS ", "shortestPath", "allShortestPaths")
	kind, rels := byte('p'), 1+g.IntN(2)
	switch prefix {
	case "ANY SHORTEST ", "SHORTEST 2 ", "shortestPath":
		kind, g.either = 'q', true
		defer func() { g.either = false }()
		rels = 1
	case "allShortestPaths":
		rels = 1
	case "WALK ":
		g.walks = true
		defer func(was bool) { g.walks = was }(g.walks)
	}
	g.made++
	name := fmt.Sprintf("%c%d", kind, g.made)
	var text string
	switch prefix {
	case "shortestPath", "allShortestPaths":
		text = prefix + "(" + g.node(true) + g.pick("-[:R*]->", "-[*..3]-", "<-[:R|S*0..2]-", "-[*0..1]->") + g.node(true) + ")"
	default:
		text = prefix + g.node(true)
		for range rels {
			text += g.repeated(true) + g.node(true)
		}
	}
	g.vars = append(g.vars, genVar{name, kind})
	return name + " = " + text
}

// ofPaths writes an integer about paths and lists, or "" where there are none.
func (g *clauseGen) ofPaths() string {
	var all []string
	for _, v := range g.vars {
		switch v.kind {
		case 'p':
			all = append(all, "length("+v.name+")", "size(nodes("+v.name+"))")
		case 'q':
			all = append(all, "length("+v.name+")")
		case 'k':
			all = append(all, "size("+v.name+")")
		case 'l', 'm':
			all = append(all, "size("+v.name+")", "head("+v.name+").x", "size([z IN "+v.name+" WHERE z.x > 1])")
		}
	}
	a, b := g.one('n'), g.one('n')
	if a != "" && g.depth < 1 && g.IntN(3) == 0 {
		ends := "((" + a + ")" + g.pick("-[:R*..2]-", "-[*]->", "<-[:S*0..]-") + "(" + b + "))"
		all = append(all, "length(shortestPath"+ends+")", "size(allShortestPaths"+ends+")")
	}
	if len(all) == 0 {
		return ""
	}
	return all[g.IntN(len(all))]
}

// inline writes a condition inside of a node.
func (g *clauseGen) inline(name string) string {
	if !g.long || name == "" || g.IntN(6) > 0 || g.depth > 1 {
		return ""
	}
	vars := g.vars
	defer func() { g.vars = vars }()
	g.vars = append(slices.Clone(g.before), genVar{name, 'n'})
	switch g.IntN(4) {
	case 0:
		return " {x: " + strconv.Itoa(g.IntN(4)) + "}"
	case 1:
		return " WHERE " + name + ".x > " + strconv.Itoa(g.IntN(2))
	case 2:
		return " WHERE " + g.pattern()
	}
	return " WHERE " + g.condition()
}

// member asks whether an element is in a list or path, or "" where there is none.
func (g *clauseGen) member() string {
	var all []string
	n, r := g.one('n'), g.one('r')
	for _, v := range g.vars {
		switch {
		case v.kind == 'p' && n != "":
			all = append(all, n+" IN nodes("+v.name+")")
		case v.kind == 'm' && n != "":
			all = append(all, n+" IN "+v.name, "NOT "+n+" IN "+v.name)
		case v.kind == 'l' && r != "":
			all = append(all, r+" IN "+v.name)
		case v.kind == 'l':
			all = append(all, "all(z IN "+v.name+" WHERE z.x < 3)")
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[g.IntN(len(all))]
}

// unwindPath writes UNWIND of the elements of a path, or "" where there is none.
func (g *clauseGen) unwindPath() string {
	var all []genVar
	for _, v := range g.vars {
		switch v.kind {
		case 'p':
			all = append(all, genVar{"nodes(" + v.name + ")", 'n'}, genVar{"relationships(" + v.name + ")", 'r'})
		case 'm':
			all = append(all, genVar{v.name, 'n'})
		case 'l':
			all = append(all, genVar{v.name, 'r'})
		}
	}
	if len(all) == 0 {
		return ""
	}
	v := all[g.IntN(len(all))]
	return "UNWIND " + v.name + " AS " + g.fresh(v.kind)
}

// inSub writes the inside of COLLECT behind MATCH.
func (g *clauseGen) inSub() string {
	g.depth++
	before, earlier, walks, either := slices.Clone(g.vars), g.before, g.walks, g.either
	g.before, g.walks, g.either = before, false, false
	defer func() { g.vars = before; g.depth--; g.before, g.walks, g.either = earlier, walks, either }()
	text := g.paths() + g.where()
	return text + " RETURN " + g.integer() + " AS sub"
}
