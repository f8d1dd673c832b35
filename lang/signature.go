package lang

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// ProcedureArgument is an argument that stands for itself, not for an option: those of declared procedures.
type ProcedureArgument struct {
	Name     string
	Nullable bool

	kinds kinds
}

// signatureKinds are the types that a signature may name.
var signatureKinds = map[string]kinds{
	"ANY": kAny &^ kNull, "BOOLEAN": kBool, "INTEGER": kInt, "FLOAT": kFloat, "NUMBER": kNumber, "STRING": kString, "LIST": kList,
	"MAP": kMap, "NODE": kNode, "RELATIONSHIP": kRel, "PATH": kPath,
}

// ParseSignature reads the signature of a procedure that is not one of Procedures:
//
//	my.proc(name :: STRING, id :: INTEGER?) :: (city :: STRING?, code :: INTEGER)
//
// A type with a question mark admits null. A procedure without columns gives no rows.
func ParseSignature(text string) (*Procedure, error) {
	s := scanner{text: text}
	r := signatureReader{toks: s.all()}
	p := &Procedure{Name: r.name(), Brief: "declared", Help: text}
	for _, f := range r.fields() {
		p.Arguments = append(p.Arguments, ProcedureArgument{f.Name, f.Nullable, f.kinds})
	}
	r.expect("::")
	for _, f := range r.fields() {
		p.Columns = append(p.Columns, ProcedureColumn{Name: f.Name, Nullable: f.Nullable, kinds: f.kinds})
	}
	if r.failed || len(r.toks) > 0 {
		return nil, fmt.Errorf("%q is not the signature of a procedure: write name(argument :: TYPE, ...) :: (column :: TYPE, ...)", text)
	}
	return p, nil
}

// signatureReader takes tokens from the front until one does not fit.
type signatureReader struct {
	toks   []lexer.Token
	failed bool
}

func (r *signatureReader) next() string {
	if len(r.toks) == 0 || r.failed {
		r.failed = true
		return ""
	}
	t := r.toks[0]
	r.toks = r.toks[1:]
	return t.Value
}

func (r *signatureReader) is(text string) bool {
	return len(r.toks) > 0 && r.toks[0].Value == text
}

// expect takes the characters of text one by one.
func (r *signatureReader) expect(text string) {
	for _, c := range text {
		if r.next() != string(c) {
			r.failed = true
		}
	}
}

func (r *signatureReader) word() string {
	if len(r.toks) == 0 || !isWord(r.toks[0]) {
		r.failed = true
	}
	return r.next()
}

func (r *signatureReader) name() string {
	name := r.word()
	for r.is(".") {
		r.next()
		name += "." + r.word()
	}
	return name
}

func (r *signatureReader) fields() (list []ProcedureArgument) {
	r.expect("(")
	for !r.failed && !r.is(")") {
		if len(list) > 0 {
			r.expect(",")
		}
		f := ProcedureArgument{Name: r.word()}
		r.expect("::")
		k, ok := signatureKinds[strings.ToUpper(r.word())]
		f.kinds, r.failed = k, r.failed || !ok
		if r.is("?") {
			r.next()
			f.Nullable = true
		}
		list = append(list, f)
	}
	r.expect(")")
	return list
}

// Declared holds the procedures that a program has declared. Its zero value has none, and so has nil.
type Declared struct {
	mu   sync.RWMutex
	list []*Procedure
}

// List returns the procedures, the last one declared first.
func (d *Declared) List() []*Procedure {
	if d == nil {
		return nil
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.list
}

// Add declares p. A procedure of the same name is replaced.
func (d *Declared) Add(p *Procedure) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []*Procedure{p}
	for _, old := range d.list {
		if !strings.EqualFold(old.Name, p.Name) {
			list = append(list, old)
		}
	}
	d.list = list
}

// procedureCatalog is a Catalog that knows of declared procedures.
type procedureCatalog interface {
	// Declared lists the procedures that are there beside those of Procedures.
	Declared() []*Procedure
}

// declared lists the procedures that cat has beside those of the language.
func declared(cat Catalog) []*Procedure {
	if c, ok := cat.(procedureCatalog); ok {
		return c.Declared()
	}
	return nil
}

// find returns the procedure that call is of, or nil.
func (c *checker) find(call *CallClause) *Procedure {
	if p := FindProcedure(call.Name); p != nil {
		return p
	}
	i := slices.IndexFunc(c.declared, func(p *Procedure) bool { return strings.EqualFold(p.Name, call.Name) })
	if i < 0 {
		return nil
	}
	return c.declared[i]
}

// Procedure returns the procedure that c calls with its arguments, nil for an unknown one. The statement has been checked.
func (c *CallClause) Procedure() *Procedure {
	if c.found != nil {
		return c.found
	}
	if p := FindProcedure(c.Name); p != nil {
		return p.With(c.Args)
	}
	return nil
}

// pass gives a call of a declared procedure what the text leaves out: its arguments, if it stands without brackets, and the
// columns of YIELD *.
func (c *CallClause) pass(p *Procedure) {
	c.found = p
	if c.Implicit && len(c.Args) == 0 {
		for _, a := range p.Arguments {
			c.Args = append(c.Args, &Param{Pos: c.NamePos, Name: a.Name})
		}
	}
	if c.Star && c.Yield == nil {
		for _, col := range p.Columns {
			name := Name{Pos: c.NamePos, Text: col.Name}
			c.Yield = append(c.Yield, &YieldItem{Column: name, As: name})
		}
	}
}
