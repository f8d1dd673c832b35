package lang

import (
	"slices"
	"strings"
)

// nameIndex is a Catalog that finds a name without a look at all others.
type nameIndex interface {
	HasLabel(name string) bool
	HasType(name string) bool
	HasKey(name string) bool
}

// What a Catalog lists, as messages call it.
const (
	labelName = "label"
	typeName  = "relationship type"
	keyName   = "property key"
)

// names warns of labels, types and property keys that do not occur in the graph.
type names struct {
	cat     Catalog
	created createdNames               // by the statement itself
	sets    map[string]map[string]bool // known names by what they are of; built when first needed
	uses    map[string]int             // how often each word of the statement may be a variable; built when first needed
}

func newNames(cat Catalog) *names { return &names{cat: cat, sets: map[string]map[string]bool{}} }

// maxWarnings is how many unknown names a statement is warned of. Each is compared with all names of the graph.
const maxWarnings = 100

// look warns of name if it is not in the list.
func (n *names) look(c *checker, name Name, code, what string, list func() []string, show func(string) string) {
	if n.known(what, list, name.Text) || n.created[name.Text] {
		return
	}
	if len(c.info.Warnings) >= maxWarnings {
		return
	}
	c.pollNow()
	for _, w := range c.info.Warnings {
		if w.Pos == name.Pos {
			return
		}
	}
	w := c.stmt.errorAt(name.Pos, "Warning."+code, "the "+what+" "+show(name.Text)+" does not occur in the graph")
	if w.Hint = didYouMean(name.Text, list(), show); w.Hint == "" {
		w.Hint = n.otherwise(what, name.Text)
	}
	c.info.Warnings = append(c.info.Warnings, w)
}

// colonless warns of a variable that is used once only and has the name of a label or a type: a colon is missing before it.
func (n *names) colonless(c *checker, name Name, what string, list func() []string, element, form string) {
	if name.Text == "" || !n.known(what, list, name.Text) || len(c.info.Warnings) >= maxWarnings {
		return
	}
	if n.uses == nil {
		n.uses = variableUses(c.stmt.Text)
	}
	if n.uses[name.Text]+n.uses[backticks(name.Text)]+n.uses["*"] != 1 {
		return
	}
	w := c.stmt.errorAt(name.Pos, "Warning.NoColon", "`"+name.Text+"` is a variable here, not a "+what+": it stands for any "+element)
	w.Hint = "for the " + what + " write " + strings.Replace(form, "%s", QuoteKey(name.Text), 1)
	c.info.Warnings = append(c.info.Warnings, w)
}

// variableUses counts the places of a statement where each word may be a variable. RETURN * uses all variables: it counts under "*".
func variableUses(text string) map[string]int {
	uses, before := map[string]int{}, " "
	for _, t := range scan(text) {
		switch {
		case t.Value == "*" && slices.Contains([]string{"RETURN", "WITH", "DISTINCT"}, strings.ToUpper(before)):
			uses["*"]++
		case t.Value != "*" && !strings.Contains(":.|&!", before):
			uses[t.Value]++
		}
		before = t.Value
	}
	return uses
}

// known tells whether the graph has a name.
func (n *names) known(what string, list func() []string, name string) bool {
	if index, ok := n.cat.(nameIndex); ok {
		switch what {
		case labelName:
			return index.HasLabel(name)
		case typeName:
			return index.HasType(name)
		default:
			return index.HasKey(name)
		}
	}
	set := n.sets[what]
	if set == nil {
		set = map[string]bool{}
		for _, known := range list() {
			set[known] = true
		}
		n.sets[what] = set
	}
	return set[name]
}

// otherwise is the hint for a name that the graph has, but as something else, or "".
func (n *names) otherwise(what, name string) string {
	switch lower := strings.ToLower(name); {
	case what == labelName && n.known(keyName, n.cat.Keys, name):
		return "a property follows a dot: n." + QuoteKey(name)
	case what == labelName && n.known(typeName, n.cat.Types, name):
		return "it is a relationship type: -[:" + QuoteKey(name) + "]->"
	case what == typeName && n.known(labelName, n.cat.Labels, name):
		return "it is a label: (n:" + QuoteKey(name) + ")"
	case what != keyName:
		return ""
	case lower == "id":
		return "id(n) is the number that Motif gives an element; :schema in the shell lists the properties"
	case lower == "type":
		return "type(r) is the type of a relationship"
	case lower == "label", lower == "labels":
		return "labels(n) are the labels of a node"
	}
	return ""
}

func colon(name string) string { return ":" + QuoteKey(name) }
func dot(name string) string   { return "." + QuoteKey(name) }

// labels looks up the labels of l.
func (n *names) labels(c *checker, l *LabelExpr) {
	n.each(l, func(name Name) { n.look(c, name, "UnknownLabel", labelName, n.cat.Labels, colon) })
}

// typesOf looks up the types of l, a label expression on a relationship.
func (n *names) typesOf(c *checker, l *LabelExpr) {
	n.each(l, func(name Name) { n.types(c, []Name{name}) })
}

func (n *names) each(l *LabelExpr, visit func(Name)) {
	if l == nil || n.cat == nil {
		return
	}
	if l.Op == LabelName {
		visit(Name{Pos: l.Pos, Text: l.Name})
	}
	for _, arg := range l.Args {
		n.each(arg, visit)
	}
}

func (n *names) types(c *checker, types []Name) {
	if n.cat == nil {
		return
	}
	for _, t := range types {
		n.look(c, t, "UnknownType", typeName, n.cat.Types, colon)
	}
}

func (n *names) key(c *checker, key Name) {
	if n.cat != nil {
		n.look(c, key, "UnknownProperty", keyName, n.cat.Keys, dot)
	}
}
