package exporter

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

const (
	oneStatement = 1000 // nodes and relationships that one statement creates
	batch        = 500  // of either kind, in larger graphs
)

// script writes statements that create the graph in an empty store.
type script struct {
	*export
	out   *output
	row   []byte
	label string // the passing label of every node, in backquotes if need be
	key   string // the passing property that relationships find their ends by
	n     int    // rows of the statement
}

func (x *export) writeScript() error {
	out, err := x.target.create("")
	if err != nil {
		return err
	}
	s := &script{export: x, out: out}
	fmt.Fprintf(out, "// %d nodes and %d relationships. Run it on an empty store: motif run DB FILE\n", x.g.s.N(), x.g.s.M())
	if x.g.s.N()+x.g.s.M() <= oneStatement {
		err = s.small()
	} else {
		err = s.large()
	}
	if err != nil {
		return err
	}
	if _, err := out.WriteString(s.rules()); err != nil {
		return err
	}
	return out.close()
}

// small creates everything by one statement, in which nodes are variables.
func (s *script) small() error {
	err := s.eachNode(func(n *node) error {
		s.begin("CREATE")
		s.row = strconv.AppendUint(append(s.row, "(n"...), uint64(n.id), 10)
		return s.rest(n.labels, n.props)
	})
	if err != nil {
		return err
	}
	err = s.eachRel(func(r *rel) error {
		s.begin("CREATE")
		s.row = strconv.AppendUint(append(s.row, "(n"...), uint64(r.from), 10)
		s.row = append(appendName(append(s.row, ")-[:"...), r.typ), ' ')
		if err := s.props(r.props); err != nil {
			return err
		}
		s.row = append(strconv.AppendUint(append(s.row, "]->(n"...), uint64(r.to), 10), ')')
		_, err := s.out.Write(s.row)
		return err
	})
	if err != nil {
		return err
	}
	return s.end("")
}

// large creates nodes with a passing label and number, by which relationships then find them.
func (s *script) large() error {
	s.label, s.key = "_Import", "_import"
	for s.taken(s.label, s.key) {
		s.label, s.key = s.label+"_", s.key+"_"
	}
	fmt.Fprintf(s.out, "CREATE INDEX %s IF NOT EXISTS FOR (n:%s) ON (n.%s);\n", s.key, s.label, s.key)
	err := s.eachNode(func(n *node) error {
		s.begin("CREATE")
		s.row = append(s.row, '(')
		passing := prop{s.key, csr.IntCell(int64(n.id))}
		if err := s.rest(append(n.labels[:len(n.labels):len(n.labels)], s.label), append(n.props, passing)); err != nil {
			return err
		}
		return s.full("")
	})
	if err == nil {
		err = s.end("")
	}
	if err != nil {
		return err
	}
	typ, tail := "", ""
	err = s.eachRel(func(r *rel) error {
		if r.typ != typ || tail == "" {
			if err := s.end(tail); err != nil {
				return err
			}
			typ = r.typ
			tail = fmt.Sprintf("] AS r\nMATCH (a:%s {%s: r[0]}), (b:%s {%s: r[1]})\nCREATE (a)-[x:%s]->(b) SET x = r[2]", s.label, s.key, s.label, s.key, appendName(nil, typ))
		}
		s.begin("UNWIND [")
		s.row = strconv.AppendUint(append(s.row, '['), uint64(r.from), 10)
		s.row = append(strconv.AppendUint(append(s.row, ", "...), uint64(r.to), 10), ", "...)
		if err := s.props(r.props); err != nil {
			return err
		}
		if _, err := s.out.Write(append(s.row, ']')); err != nil {
			return err
		}
		return s.full(tail)
	})
	if err == nil {
		err = s.end(tail)
	}
	if err == nil {
		_, err = fmt.Fprintf(s.out, "MATCH (n:%s) REMOVE n:%s, n.%s;\nDROP INDEX %s IF EXISTS;\n", s.label, s.label, s.key, s.key)
	}
	return err
}

// taken reports whether the graph knows the label or the key.
func (s *script) taken(label, key string) bool {
	_, l := s.g.s.Labels.Lookup(label)
	_, k := s.g.s.Keys.Lookup(key)
	return l || k
}

// begin begins a row, and the statement if it is its first.
func (s *script) begin(word string) {
	s.row = s.row[:0]
	if s.n == 0 {
		s.row = append(s.row, word...)
	} else {
		s.row = append(s.row, ',')
	}
	s.row = append(s.row, "\n  "...)
	s.n++
}

// full ends a statement that has enough rows.
func (s *script) full(tail string) error {
	if s.n < batch {
		return nil
	}
	return s.end(tail)
}

// end ends the statement, if one has begun.
func (s *script) end(tail string) error {
	if s.n == 0 {
		return nil
	}
	s.n = 0
	_, err := s.out.WriteString(tail + ";\n")
	return err
}

// rest writes what follows the name of a node.
func (s *script) rest(labels []string, props []prop) error {
	for _, l := range labels {
		s.row = appendName(append(s.row, ':'), l)
	}
	if len(props) > 0 {
		s.row = append(s.row, ' ')
		if err := s.props(props); err != nil {
			return err
		}
	}
	_, err := s.out.Write(append(s.row, ')'))
	return err
}

// props appends a map of properties.
func (s *script) props(props []prop) (err error) {
	s.row = append(s.row, '{')
	for i, p := range props {
		if i > 0 {
			s.row = append(s.row, ", "...)
		}
		s.row = append(appendName(s.row, p.name), ": "...)
		if s.row, err = appendLiteral(s.row, value.OfCell(p.cell)); err != nil {
			return fmt.Errorf("property %q: %w", p.name, err)
		}
	}
	s.row = append(s.row, '}')
	return nil
}

// rules are the statements that create indexes and constraints.
func (s *script) rules() string {
	var b strings.Builder
	for _, r := range s.g.s.Schema.Indexes {
		fmt.Fprintf(&b, "CREATE INDEX %s FOR %s ON (%s);\n", appendName(nil, r.Name), ruleOn(r), ruleKeys(r))
	}
	for _, r := range s.g.s.Schema.Constraints {
		what := map[csr.RuleKind]string{csr.RuleUnique: "UNIQUE", csr.RuleExists: "NOT NULL", csr.RuleKey: "KEY", csr.RuleType: ":: " + r.Type}[r.Kind]
		keys := ruleKeys(r)
		if len(r.Keys) > 1 {
			keys = "(" + keys + ")"
		}
		fmt.Fprintf(&b, "CREATE CONSTRAINT %s FOR %s REQUIRE %s IS %s;\n", appendName(nil, r.Name), ruleOn(r), keys, what)
	}
	return b.String()
}

func ruleOn(r csr.Rule) string {
	if r.OnRel {
		return "()-[n:" + string(appendName(nil, r.On)) + "]-()"
	}
	return "(n:" + string(appendName(nil, r.On)) + ")"
}

func ruleKeys(r csr.Rule) string {
	var list []string
	for _, k := range r.Keys {
		list = append(list, "n."+string(appendName(nil, k)))
	}
	return strings.Join(list, ", ")
}

// appendName appends a name, in backquotes unless it is of ASCII letters, digits and underscores. Words of the language
// are names too.
func appendName(dst []byte, name string) []byte {
	plain := name != ""
	for i, r := range name {
		plain = plain && (r == '_' || r < 0x80 && (unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r)))
	}
	if plain {
		return append(dst, name...)
	}
	return append(append(append(dst, '`'), strings.ReplaceAll(name, "`", "``")...), '`')
}

// appendLiteral appends an expression that gives v.
func appendLiteral(dst []byte, v value.Value) (_ []byte, err error) {
	switch v.Kind() {
	case value.Int:
		if v.Int() == math.MinInt64 {
			return append(dst, "(-9223372036854775807 - 1)"...), nil
		}
	case value.Float:
		switch f := v.Float(); {
		case math.IsNaN(f):
			return append(dst, "(0.0 / 0.0)"...), nil
		case math.IsInf(f, 1):
			return append(dst, "(1.0 / 0.0)"...), nil
		case math.IsInf(f, -1):
			return append(dst, "(-1.0 / 0.0)"...), nil
		}
	case value.List:
		dst = append(dst, '[')
		for i, e := range v.List() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if dst, err = appendLiteral(dst, e); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case value.Null, value.Bool, value.String, value.Temporal, value.Spatial:
	default:
		return dst, fmt.Errorf("a %s cannot be written in a script", v.Kind())
	}
	return append(dst, v.String()...), nil
}
