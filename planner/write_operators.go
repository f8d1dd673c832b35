package planner

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/lang"
)

// The writing operators. Each handles its input rows one after the other, changes the graph for each and passes the row
// on, extended by what it made. A row that occurs several times is handled so often. Where that would let an operator see
// half of what another does, an Eager stands between.
type (
	// Create makes paths.
	Create struct {
		Input Node
		Paths []WritePath
	}
	// Merge passes a row on for every match of a path. If the path has no match, it makes one.
	Merge struct {
		Input    Node
		Pos      lang.Pos
		Path     WritePath
		OnCreate []SetItem
		OnMatch  []SetItem
	}
	// Set is SET and REMOVE.
	Set struct {
		Input Node
		Items []SetItem
	}
	// Delete deletes nodes, relationships and paths. Nodes go when all rows have come.
	Delete struct {
		Input  Node
		Detach bool
		Exprs  []lang.Expr
	}
	// Foreach puts each element of a list into a slot and runs Body, a chain of writing operators, whose lowest has no
	// Input, for it.
	Foreach struct {
		Input Node
		Slot  int
		List  lang.Expr
		Body  Node
		name  string
	}
	// LoadCSV extends each row by the lines of a file: lists, or maps if it has Headers. Line and File are the slots of the
	// line's number and of the file's path, or -1 if nobody reads them.
	LoadCSV struct {
		Input      Node
		Pos        lang.Pos
		Headers    bool
		From       lang.Expr
		Slot       int
		Line, File int
		Terminator rune
		name       string
	}
	// Eager holds all rows before it passes the first on. With Advance, what is above it sees the graph with all that was
	// written below.
	Eager struct {
		Input   Node
		Advance bool
	}
	// Discard ends a query that returns nothing: it takes rows and gives none.
	Discard struct{ Input Node }
)

// WritePath is a path to create or to merge: len(Nodes) == len(Rels) + 1.
type WritePath struct {
	Slot  int // of the path; -1: none
	Nodes []WriteNode
	Rels  []WriteRel
}

// WriteNode is a node of such a path. One that is Bound comes from its slot, any other goes there.
type WriteNode struct {
	Pos    lang.Pos
	Slot   int // -1: none
	Bound  bool
	Labels []string
	From   lang.Expr // more labels: a string or a list of strings; nil: none
	Props  lang.Expr // a map; nil: none
}

// WriteRel is a relationship of such a path, from the node before it to the one behind or, with Left, the other way
// round. One that is Undirected matches both ways, and is made the first.
type WriteRel struct {
	Pos              lang.Pos
	Slot             int
	Type             string
	From             lang.Expr // the type, if Type is ""
	Left, Undirected bool
	Props            lang.Expr
}

// SetItem is a change of one element. Of gives the node or relationship; of a SetProperty, Key is its key.
type SetItem struct {
	Pos    lang.Pos
	Kind   lang.SetKind
	Of     lang.Expr
	Key    lang.Expr // a string
	Labels []string
	Value  lang.Expr
	Remove bool // the property (Value is nil then) or the labels
}

func (o *Create) Inputs() []Node  { return inputs(o.Input) }
func (o *Merge) Inputs() []Node   { return inputs(o.Input) }
func (o *Set) Inputs() []Node     { return inputs(o.Input) }
func (o *Delete) Inputs() []Node  { return inputs(o.Input) }
func (o *Foreach) Inputs() []Node { return inputs(o.Input) }
func (o *LoadCSV) Inputs() []Node { return inputs(o.Input) }
func (o *Eager) Inputs() []Node   { return inputs(o.Input) }
func (o *Discard) Inputs() []Node { return inputs(o.Input) }

func (o *Create) Notes() []string  { return nil }
func (o *Merge) Notes() []string   { return nil }
func (o *Set) Notes() []string     { return nil }
func (o *Delete) Notes() []string  { return nil }
func (o *Foreach) Notes() []string { return nil }
func (o *LoadCSV) Notes() []string { return nil }
func (o *Discard) Notes() []string { return nil }

// Notes says what the operator is for.
func (o *Eager) Notes() []string {
	if o.Advance {
		return []string{"what follows sees all that was written"}
	}
	return []string{"all rows are read before the first is written for"}
}

func (o *Create) Estimate() float64  { return inputRows(o.Input) }
func (o *Merge) Estimate() float64   { return inputRows(o.Input) }
func (o *Set) Estimate() float64     { return inputRows(o.Input) }
func (o *Delete) Estimate() float64  { return inputRows(o.Input) }
func (o *Foreach) Estimate() float64 { return inputRows(o.Input) }
func (o *LoadCSV) Estimate() float64 { return inputRows(o.Input) * csvLines }
func (o *Eager) Estimate() float64   { return inputRows(o.Input) }
func (o *Discard) Estimate() float64 { return 0 }

// csvLines is a guess at how many lines a file has.
const csvLines = 1000

func (o *Create) Describe() (op, detail string) {
	paths := make([]string, len(o.Paths))
	for i := range o.Paths {
		paths[i] = o.Paths[i].String()
	}
	return "Create", strings.Join(paths, ", ")
}

func (o *Merge) Describe() (op, detail string) {
	detail = o.Path.String()
	if len(o.OnCreate) > 0 {
		detail += " on create set " + describeItems(o.OnCreate)
	}
	if len(o.OnMatch) > 0 {
		detail += " on match set " + describeItems(o.OnMatch)
	}
	return "Merge", detail
}

func (o *Set) Describe() (op, detail string) { return "Set", describeItems(o.Items) }

func (o *Delete) Describe() (op, detail string) {
	list := make([]string, len(o.Exprs))
	for i, x := range o.Exprs {
		list[i] = text(x)
	}
	op = "Delete"
	if o.Detach {
		op = "DetachDelete"
	}
	return op, strings.Join(list, ", ")
}

func (o *Foreach) Describe() (op, detail string) {
	var steps []string
	for n := o.Body; n != nil; {
		op, detail := n.Describe()
		steps = append([]string{op + " " + detail}, steps...)
		in := n.Inputs()
		if len(in) == 0 {
			break
		}
		n = in[0]
	}
	return "Foreach", o.name + " in " + text(o.List) + ": " + strings.Join(steps, "; ")
}

func (o *LoadCSV) Describe() (op, detail string) { return "LoadCSV", text(o.From) + " as " + o.name }
func (o *Eager) Describe() (op, detail string)   { return "Eager", "" }
func (o *Discard) Describe() (op, detail string) { return "Discard", "" }

// String writes the path as a query does, without properties.
func (p *WritePath) String() string {
	var b strings.Builder
	for i := range p.Nodes {
		if i > 0 {
			r := &p.Rels[i-1]
			left, right := "-", "->"
			switch {
			case r.Undirected:
				right = "-"
			case r.Left:
				left, right = "<-", "-"
			}
			typ := r.Type
			if r.From != nil {
				typ = "$(" + text(r.From) + ")"
			}
			fmt.Fprintf(&b, "%s[:%s]%s", left, typ, right)
		}
		n := &p.Nodes[i]
		b.WriteString("(")
		for _, l := range n.Labels {
			b.WriteString(":" + l)
		}
		if n.From != nil {
			b.WriteString(":$(" + text(n.From) + ")")
		}
		b.WriteString(")")
	}
	return b.String()
}

func describeItems(items []SetItem) string {
	list := make([]string, len(items))
	for i, it := range items {
		switch {
		case it.Kind == lang.SetLabels:
			for _, l := range it.Labels {
				list[i] += ":" + l
			}
			if it.Value != nil {
				list[i] += ":$(" + text(it.Value) + ")"
			}
			list[i] = text(it.Of) + list[i]
		case it.Kind == lang.SetMap:
			list[i] = text(it.Of) + " = " + text(it.Value)
		case it.Kind == lang.AddMap:
			list[i] = text(it.Of) + " += " + text(it.Value)
		default:
			list[i] = text(&lang.Index{Of: it.Of, At: it.Key})
			if !it.Remove {
				list[i] += " = " + text(it.Value)
			}
		}
		if it.Remove {
			list[i] = "remove " + list[i]
		}
	}
	return strings.Join(list, ", ")
}

// Sets lists the slots that the operator fills.
func (o *Create) Sets() (slots []int) {
	for i := range o.Paths {
		slots = append(slots, o.Paths[i].sets()...)
	}
	return slots
}
func (o *Merge) Sets() []int   { return o.Path.sets() }
func (o *LoadCSV) Sets() []int { return []int{o.Slot, o.Line, o.File} }

func (p *WritePath) sets() []int {
	slots := []int{p.Slot}
	for _, n := range p.Nodes {
		if !n.Bound {
			slots = append(slots, n.Slot)
		}
	}
	for _, r := range p.Rels {
		slots = append(slots, r.Slot)
	}
	return slots
}

// writeExpressions is expressions for the operators of this file.
func writeExpressions(n Node) (xs []lang.Expr) {
	items := func(list []SetItem) {
		for _, it := range list {
			xs = append(xs, it.Of, it.Key, it.Value)
		}
	}
	path := func(p *WritePath) {
		for _, n := range p.Nodes {
			xs = append(xs, n.From, n.Props)
		}
		for _, r := range p.Rels {
			xs = append(xs, r.From, r.Props)
		}
	}
	switch n := n.(type) {
	case *Create:
		for i := range n.Paths {
			path(&n.Paths[i])
		}
	case *Merge:
		path(&n.Path)
		items(n.OnCreate)
		items(n.OnMatch)
	case *Set:
		items(n.Items)
	case *Delete:
		xs = n.Exprs
	case *Foreach:
		xs = []lang.Expr{n.List}
		for body := n.Body; body != nil; {
			xs = append(xs, writeExpressions(body)...)
			in := body.Inputs()
			if len(in) == 0 {
				break
			}
			body = in[0]
		}
	case *LoadCSV:
		xs = []lang.Expr{n.From}
	}
	return xs
}
