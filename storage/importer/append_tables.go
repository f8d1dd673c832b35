package importer

import (
	"fmt"
	"slices"
	"strings"
)

// checkAppended refuses a plain table whose lines an append would take for nodes or for pairs, if the values of two of its columns are
// ids of the store's nodes: the lines are most likely relationships, and nobody has said of which type.
func checkAppended(l *loader, file string, t *tableHead, kind tableKind) error {
	var ends []int
	for i := range t.first {
		if storeShare(l.store, t.columns[i]) >= 0.9 {
			ends = append(ends, i)
		}
	}
	pairs := ""
	switch {
	case len(ends) < 2, kind == tableNodes && ends[0] > 0 && isIDName(t.first[0]):
		return nil
	case kind == tableEnds:
		if _, has := l.store.graph.Types.Lookup(strings.ToUpper(nameOf(file))); has {
			return nil
		}
		pairs = "; --format csv reads them as pairs, and leaves the other columns out"
	case kind == tablePairs:
		if _, has := l.store.graph.Types.Lookup(EdgeType); has {
			return nil
		}
		pairs = "; --format csv reads the first two columns as pairs, and leaves the others out"
	}
	typ := l.store.typeLike(t.first, ends[:2])
	return &Error{File: file, Line: 1, Msg: fmt.Sprintf("found columns %s and %s, whose values are ids of nodes that the store has", shown([]byte(t.first[ends[0]])), shown([]byte(t.first[ends[1]]))),
		Hint: fmt.Sprintf("--rels %[1]s=%[2]s makes a relationship of each line; --nodes %[3]s=%[2]s changes or adds a node for each line%[4]s", typ, file, nameOf(file), pairs)}
}

// storeShare is the share of values that are ids of the store's nodes.
func storeShare(ids *storeIDs, values []string) float64 {
	have, all := 0, 0
	for _, v := range values {
		if v == "" {
			continue
		}
		if all++; ids.knows([]byte(v)) {
			have++
		}
	}
	return float64(have) / float64(max(all, 1))
}

// typeLike returns the relationship type whose properties are most like the columns beside the ends: the only type of the store, or
// the one that has more of them than any other. It returns TYPE if no type stands out.
func (x *storeIDs) typeLike(names []string, ends []int) string {
	types := schemaOf(&x.graph.Data).Types
	best, most, ties := "TYPE", -1, 0
	for i := range types {
		if types[i].Count == 0 {
			continue
		}
		n := 0
		for j, name := range names {
			if !slices.Contains(ends, j) && slices.ContainsFunc(types[i].Properties, func(p PropertySchema) bool { return p.Key == name }) {
				n++
			}
		}
		switch {
		case n > most:
			best, most, ties = types[i].Name, n, 0
		case n == most:
			ties++
		}
	}
	if ties > 0 || strings.ContainsAny(best, "= \t\"'") {
		return "TYPE"
	}
	return best
}

// guessedInStore looks up an id of a table that Motif took for nodes by itself among those of the store that a load adds to.
func (p *properties) guessedInStore(g *idGroup, id key) (uint32, bool) {
	if !p.part || g.from.guess == "" {
		return 0, false
	}
	return p.store.find(g.space.name, id)
}

// changes is the error about a row of a table that Motif took for nodes by itself: the row would change a node of the store.
func (g *idGroup) changes(c errorPlace, id key, at int) error {
	file, label := g.from.Paths[0], strings.Join(g.from.Labels, ":")
	return c.errorAt(at, "found id %q, which a node of the store has, in a table that was not named as one of nodes", id.String()).
		hint("--nodes %s=%s changes the nodes that the store has; --rels TYPE=%[2]s makes a relationship of each line", label, file)
}

// again is the error about an id that a file has a second time.
func (g *idGroup) again(c errorPlace, id key, at int) *Error {
	e := c.errorAt(at, "found id %q a second time in %s%s", id.String(), g.space, g.repeated(id))
	if g.unsure() {
		file := g.from.Paths[0]
		return e.hint("if each line is a relationship, write --rels %s=%s; if it is a node, write --nodes %s=%[2]s and --skip-bad, which keeps the first row of each id",
			strings.ToUpper(nameOf(file)), file, strings.Join(g.from.Labels, ":"))
	}
	return e.hint("--skip-bad keeps the first row of each id, and --bad-rows FILE lists the others too")
}

// unsure reports whether Motif took a table for nodes by itself, and no column is named as an id.
func (g *idGroup) unsure() bool { return g.from.guess != "" && !isIDName(g.col.name) }
