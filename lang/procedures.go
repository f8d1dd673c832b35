package lang

import "strings"

// Procedure describes a procedure: what CALL runs. It gives rows with a value for every column.
type Procedure struct {
	Name    string // as it is written, dots included
	Help    string // one line
	Columns []ProcedureColumn
	Options []ProcedureOption // of the map that is its last argument; none: it takes no map

	start bool // a node, or a list of nodes, is its first argument
}

// ProcedureColumn is a column of a procedure's rows.
type ProcedureColumn struct {
	Name     string
	Nullable bool

	kinds kinds
}

// Kind says what the column holds.
func (c ProcedureColumn) Kind() VarKind { return c.kinds.varKind() }

// ProcedureOption is a key of the map of options.
type ProcedureOption struct {
	Name, Help string
	Needed     bool
	Words      []string // the strings that it may be, in the case that they are shown in; nil: any
	Least      int64    // the least integer that it may be

	kinds kinds
	names string // "type" or "label": what its strings are names of
}

// Admits says what the option may be.
func (o *ProcedureOption) Admits() string {
	var list []string
	if k := o.kinds &^ kString; o.Words == nil {
		return o.kinds.String()
	} else if k != 0 {
		list = append(list, k.String())
	}
	for _, w := range o.Words {
		list = append(list, quoteString(w))
	}
	return joinOr(list)
}

// Procedures lists the procedures in the order in which the reference presents them.
var Procedures = []Procedure{
	{Name: "db.labels", Help: "the labels in the graph", Columns: cols("label", kString)},
	{Name: "db.relationshipTypes", Help: "the types of relationships in the graph", Columns: cols("relationshipType", kString)},
	{Name: "db.propertyKeys", Help: "the keys of properties in the graph", Columns: cols("propertyKey", kString)},
	{Name: showProcedures, Help: "what can be called; SHOW PROCEDURES is the same",
		Columns: cols("name", kString, "signature", kString, "description", kString)},
	{Name: "algo.kcore", Help: "the coreness of every node: the largest k such that the node is in a part of the graph where each has k neighbours",
		Columns: cols("node", kNode, "core", kInt), Options: typeOptions},
	{Name: "algo.ktruss", Help: "pairs of joined nodes with the largest k such that the pair is in a part of the graph where each is in k-2 triangles",
		Columns: cols("source", kNode, "target", kNode, "truss", kInt), Options: trussOptions},
	{Name: "algo.bfs", Help: "the nodes that can be reached from a node, or from the nearest of a list, each with its distance and the node before it",
		Columns: cols("node", kNode, "depth", kInt, "parent", kNode|kNull), Options: searchOptions, start: true},
	{Name: "algo.cliqueCount", Help: "how many sets of so many nodes are joined pairwise",
		Columns: cols("count", kInt), Options: cliqueOptions},
	{Name: "algo.cliques", Help: "the sets of so many nodes that are joined pairwise, as lists",
		Columns: cols("nodes", kList), Options: cliqueOptions},
}

var typeOptions = []ProcedureOption{
	{Name: "type", Help: "the type of relationships that count; without it, all do", kinds: kString, names: "type"},
	{Name: "types", Help: "several types of relationships", kinds: kList | kString, names: "type"},
}

var trussOptions = append([]ProcedureOption{
	{Name: "k", Help: "only the pairs of the k-truss for this k; 'max': for the largest there is", Words: []string{"max"}, Least: 2, kinds: kInt | kString},
}, typeOptions...)

var searchOptions = append([]ProcedureOption{
	{Name: "maxDepth", Help: "the largest distance; without it, there is no limit", kinds: kInt},
	{Name: "direction", Help: "which way relationships are followed; 'OUT' if it is missing", Words: []string{"OUT", "IN", "BOTH"}, kinds: kString},
}, typeOptions...)

var cliqueOptions = append([]ProcedureOption{
	{Name: "size", Help: "how many nodes", Needed: true, Least: 1, kinds: kInt},
	{Name: "label", Help: "a label that all the nodes have", kinds: kString, names: "label"},
}, typeOptions...)

// showProcedures is the procedure that SHOW PROCEDURES calls.
const showProcedures = "db.procedures"

// cols makes columns of names and kinds in turn.
func cols(of ...any) (list []ProcedureColumn) {
	for i := 0; i < len(of); i += 2 {
		k := of[i+1].(kinds)
		list = append(list, ProcedureColumn{Name: of[i].(string), Nullable: k&kNull != 0, kinds: k &^ kNull})
	}
	return list
}

// FindProcedure returns the procedure called name, in any case, or nil.
func FindProcedure(name string) *Procedure {
	for i := range Procedures {
		if strings.EqualFold(Procedures[i].Name, name) {
			return &Procedures[i]
		}
	}
	return nil
}

// Column is the number of the column called name, or -1.
func (p *Procedure) Column(name string) int {
	for i, c := range p.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Signature is the procedure with its arguments and columns: algo.kcore({type?, types?}) :: node, core.
func (p *Procedure) Signature() string {
	return p.Name + "(" + p.arguments() + ") :: " + strings.Join(p.columnNames(), ", ")
}

// arguments shows what stands between the brackets.
func (p *Procedure) arguments() string {
	var args []string
	if p.start {
		args = append(args, "start")
	}
	var keys []string
	for _, o := range p.Options {
		if keys = append(keys, o.Name); !o.Needed {
			keys[len(keys)-1] += "?"
		}
	}
	if keys != nil {
		args = append(args, "{"+strings.Join(keys, ", ")+"}")
	}
	return strings.Join(args, ", ")
}

func (p *Procedure) columnNames() []string {
	names := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		names[i] = c.Name
	}
	return names
}

// option returns the option called name, or nil.
func (p *Procedure) option(name string) *ProcedureOption {
	for i := range p.Options {
		if p.Options[i].Name == name {
			return &p.Options[i]
		}
	}
	return nil
}

func (p *Procedure) optionNames() []string {
	names := make([]string, len(p.Options))
	for i, o := range p.Options {
		names[i] = o.Name
	}
	return names
}

// arity says how many arguments p takes: at least and at most.
func (p *Procedure) arity() (least, most int) {
	if p.start {
		least, most = 1, 1
	}
	if len(p.Options) > 0 {
		most++
	}
	for _, o := range p.Options {
		if o.Needed {
			least = most
		}
	}
	return least, most
}

func procedureNames() []string {
	names := make([]string, len(Procedures))
	for i := range Procedures {
		names[i] = Procedures[i].Name
	}
	return names
}
