package importer

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// role says what a column of a node or relationship file is for.
type role uint8

const (
	roleProperty role = iota
	roleID
	roleStart
	roleEnd
	roleLabel
	roleType
	roleIgnore
	roleStable   // motif.id:IGNORE: the stable id
	roleExternal // motif.external.KIND.SPACE:IGNORE: an id of an id space
)

var roleNames = map[string]role{"ID": roleID, "START_ID": roleStart, "END_ID": roleEnd, "LABEL": roleLabel, "TYPE": roleType, "IGNORE": roleIgnore}

// column is one header field: name:TYPE(space){options}.
type column struct {
	role     role
	name     string // of the property; "" for a special column without one
	space    string // id space of an ID, START_ID or END_ID
	kind     kind   // of a property
	typ      string // the same as written
	array    bool
	crs      string    // of a point: what {crs: ...} says, or ""
	ids      string    // of an ID: what {id-type: ...} says, int or string, or ""
	key      csr.KeyID // where name is not ""
	shared   bool      // another column is of the same property
	json     bool      // of LABEL and TYPE: the field is JSON
	class    class     // of the values, if inferred
	inferred bool      // the header gives no type: the values do
	spaced   bool      // blanks stand after the delimiters and do not count
	empty    bool      // it has neither a name nor values
	rel      bool      // of a relationship file
	at       int       // offset in the header chunk
}

// header is the first line of a node or relationship file.
type header struct {
	c       *chunk
	line    []byte // as it stands, to recognise its repetition
	delim   byte
	columns []column
	plain   bool                 // no field had a type: the leading columns were taken for the ids
	added   bool                 // the file has no header line: Spec names the columns
	told    bool                 // a plain header, whose names say which columns are the ids
	settled bool                 // every column has its type
	taken   []string             // the columns that are taken for the ends already; nil if none are
	guess   *endGuess            // of a relationship file, where the header does not name the ends
	known   func(id []byte) bool // whether a node has the id; nil if the nodes are not known
}

// readHeader reads the first line of f.
func (l *loader) readHeader(f *file, nodes bool) (*header, error) {
	h, head, err := f.headerLine(nodes)
	if err != nil {
		return nil, err
	}
	r := records{c: h.c, delim: h.delim}
	if _, err := r.next(); err != nil {
		return nil, err
	}
	h.known = l.known
	if ends, ok := l.ends[f.src.file]; ok {
		h.taken = ends[:]
	}
	if err := h.parse(&r, nodes, l.types.of, head); err != nil {
		return nil, err
	}
	h.space()
	if h.plain && !h.added {
		if err := h.checkPlain(head, nodes); err != nil {
			return nil, err
		}
	}
	for i := range h.columns {
		col := &h.columns[i]
		if col.hasName() {
			col.key = l.b.Key(col.name)
		}
		col.inferred, col.rel = col.untyped() && !col.shared, !nodes
	}
	l.warnHeader(f.src.file, h, nodes)
	if l.part {
		head = l.store.addDates(h, head, nodes)
	}
	l.report.Warnings = append(l.report.Warnings, h.localTexts(f.src.file, head)...)
	return h, nil
}

// takeHeader returns the first line that is not blank.
func (f *file) takeHeader() (*chunk, error) {
	c, err := f.takeLine()
	for err == nil && len(bytes.TrimSpace(c.data)) == 0 {
		f.count(c)
		c, err = f.takeLine()
	}
	if err == io.EOF {
		return nil, &Error{File: f.src.file, Msg: "the file is empty, expected a header line"}
	}
	if err == nil {
		f.count(c)
	}
	return c, err
}

// warnHeader says what of the header will not be loaded as it stands.
func (l *loader) warnHeader(path string, h *header, nodes bool) {
	switch {
	case h.told:
	case h.plain && nodes:
		l.warn("%s: took the first column, %q, for the node's id (to say so, write %s:ID in the header)", path, h.columns[0].name, h.columns[0].name)
	case h.guess != nil:
		l.warn("%s: took %s for the ends of the relationships (to say so, %s)", path, h.guess, h.guess.advice())
	}
	for i, col := range h.columns {
		if col.role == roleIgnore && col.empty {
			l.warn("%s: column %d has no name and no values, and was left out", path, i+1)
		}
	}
}

// records reads the records of a chunk.
func (h *header) records(c *chunk) *records {
	return &records{c: c, delim: h.delim, fields: make([]field, 0, len(h.columns))}
}

// parse reads the fields of a header. given, if it is not nil, is the type that the caller gives a column.
func (h *header) parse(r *records, nodes bool, given func(name string) string, head tableHead) error {
	typed := false
	h.columns = slices.Grow(h.columns, len(r.fields))
	for _, f := range r.fields {
		col, err := parseColumn(r, f)
		if err != nil {
			return err
		}
		typed = typed || bytes.IndexByte(r.bytes(f), ':') >= 0
		if given != nil && col.name != "" {
			if typ := given(col.name); typ != "" {
				if err := col.parseType(r, typ); err != nil {
					return err
				}
			}
		}
		h.columns = append(h.columns, col)
	}
	h.assume(nodes, !typed, head)
	if err := h.unnamed(head); err != nil {
		return err
	}
	return h.check(nodes)
}

// parseColumn reads one header field.
func parseColumn(r *records, f field) (column, error) {
	text := strings.TrimSpace(r.str(f))
	col := column{at: f.lo, kind: kindString}
	options := ""
	if i := strings.IndexByte(text, '{'); i >= 0 && strings.HasSuffix(text, "}") {
		text, options = strings.TrimSpace(text[:i]), text[i+1:len(text)-1]
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		i = len(text)
	}
	col.name = text[:i]
	typ := strings.TrimPrefix(text[i:], ":")
	if err := col.parseType(r, typ); err != nil {
		return col, err
	}
	if err := col.parseOptions(r, options); err != nil {
		return col, err
	}
	if col.role == roleProperty && col.name == "" && i == len(text) && options == "" {
		return col, nil // see unnamed
	}
	if col.role == roleProperty && col.name == "" && !strings.Contains(options, "name") {
		return col, r.c.errorAt(f.lo, "found a column without a name, expected name or name:type (:IGNORE leaves a column out)")
	}
	if col.role == roleIgnore {
		if err := col.hidden(r); err != nil {
			return col, err
		}
	}
	if col.role != roleProperty && col.role != roleID {
		col.name = ""
	}
	return col, nil
}

// hidden recognises the columns that exports hide from other programs.
func (col *column) hidden(r *records) error {
	if col.name == "motif.id" {
		col.role = roleStable
		return nil
	}
	rest, ok := strings.CutPrefix(col.name, externalPrefix)
	if !ok {
		return nil
	}
	kind, space, _ := strings.Cut(rest, ".")
	name, err := url.QueryUnescape(space)
	if err != nil || kind != "long" && kind != "string" {
		return r.c.errorAt(col.at, "found column %s, expected %slong.SPACE or %sstring.SPACE", shown([]byte(col.name)), externalPrefix, externalPrefix)
	}
	col.role, col.space, col.kind = roleExternal, name, kinds[kind]
	return nil
}

func (col *column) parseType(r *records, typ string) error {
	name, space, spaced := strings.Cut(strings.TrimSuffix(typ, ")"), "(")
	if spaced != strings.HasSuffix(typ, ")") {
		return r.c.errorAt(col.at, "found %s, whose parentheses do not match", shown([]byte(typ)))
	}
	if special, ok := roleNames[name]; ok {
		col.role, col.space = special, space
		if spaced && (special != roleID && special != roleStart && special != roleEnd) {
			return r.c.errorAt(col.at, "found an id space after %s, which has none", name)
		}
		return nil
	}
	if typ == "" {
		return nil
	}
	base, array := strings.CutSuffix(typ, "[]")
	k, ok := kinds[strings.ToLower(base)]
	if !ok {
		return r.c.errorAt(col.at, "found type %s, expected ID, START_ID, END_ID, LABEL, TYPE, IGNORE or one of %s, each also with []", shown([]byte(typ)), strings.Join(kindNames, ", "))
	}
	col.kind, col.typ, col.array = k, typ, array
	return nil
}

// parseOptions reads what neo4j-admin allows in braces. The type of an id and the coordinate system of points matter here:
// a time zone is in the text of a time, and a label belongs to incremental imports.
func (col *column) parseOptions(r *records, options string) error {
	for option := range strings.SplitSeq(options, ",") {
		if option = strings.TrimSpace(option); option == "" {
			continue
		}
		name, val, _ := strings.Cut(option, ":")
		val = strings.Trim(strings.TrimSpace(val), `"'`)
		switch strings.TrimSpace(name) {
		case "id-type":
			switch k, ok := kinds[strings.ToLower(val)]; {
			case col.role != roleID || !ok || k != kindInt && k != kindString:
				return r.c.errorAt(col.at, "found option %s, expected id-type: int, long or string, of an ID column", shown([]byte(option)))
			case k == kindInt:
				col.ids = "int"
			default:
				col.ids = "string"
			}
		case "encoding":
			if val != "json" || col.role != roleLabel && col.role != roleType {
				return r.c.errorAt(col.at, "found option %s, expected encoding: json of a LABEL or TYPE column", shown([]byte(option)))
			}
			col.json = true
		case "name":
			name, err := url.QueryUnescape(val)
			if err != nil || col.role != roleProperty {
				return r.c.errorAt(col.at, "found option %s, expected the name of a property as in a URL", shown([]byte(option)))
			}
			col.name = name
		case "crs":
			col.crs = val
		case "label", "timezone":
		default:
			return r.c.errorAt(col.at, "found unknown option %s, expected id-type, label, timezone, crs, encoding or name", shown([]byte(option)))
		}
	}
	return nil
}

// check sees that the columns make a node or a relationship.
func (h *header) check(nodes bool) error {
	count := make(map[role]int)
	names := make(map[string][]string)
	for _, col := range h.columns {
		count[col.role]++
		if err := h.name(&col, names); err != nil {
			return err
		}
		once := col.role == roleID || col.role == roleStart || col.role == roleEnd || col.role == roleType || col.role == roleStable
		if once && count[col.role] > 1 {
			return h.c.errorAt(col.at, "found a second :%s column, expected one", col.role)
		}
		wrong := col.role == roleStart || col.role == roleEnd || col.role == roleType || col.role == roleStable
		if !nodes {
			wrong = col.role == roleID || col.role == roleLabel || col.role == roleExternal
		}
		if wrong {
			return h.c.errorAt(col.at, "found a :%s column in a %s file", col.role, fileKind(nodes))
		}
	}
	for i := range h.columns {
		col := &h.columns[i]
		col.shared = col.hasName() && len(names[col.name]) > 1
	}
	if !nodes && (count[roleStart] == 0 || count[roleEnd] == 0) {
		return h.c.errorAt(0, "found header %s, expected a :START_ID and an :END_ID column in a relationship file", shown(h.line))
	}
	return nil
}

// name notes the property that a column sets. A property may have columns of different types, of which a row fills one.
func (h *header) name(col *column, names map[string][]string) error {
	if !col.hasName() {
		return nil
	}
	typ := fmt.Sprint(col.kind, col.array, col.role)
	others := names[col.name]
	if slices.Contains(others, typ) || len(others) > 0 && (col.role == roleID || slices.ContainsFunc(others, func(o string) bool { return strings.HasSuffix(o, fmt.Sprint(roleID)) })) {
		return h.c.errorAt(col.at, "found a second column for property %q", col.name).hint("give it another name, or leave it out with %s:IGNORE", col.name)
	}
	names[col.name] = append(others, typ)
	return nil
}

// hasName reports whether the column sets a property.
func (col *column) hasName() bool {
	return col.role == roleProperty || col.role == roleID && col.name != ""
}

func fileKind(nodes bool) string {
	if nodes {
		return "node"
	}
	return "relationship"
}

func (r role) String() string {
	switch r {
	case roleStable:
		return "motif.id"
	case roleExternal:
		return "motif.external"
	}
	for name, k := range roleNames {
		if k == r {
			return name
		}
	}
	return "property"
}

// find returns the index of the column with this role, or -1.
func (h *header) find(r role) int {
	return slices.IndexFunc(h.columns, func(col column) bool { return col.role == r })
}
