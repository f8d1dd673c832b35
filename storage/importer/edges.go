package importer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
)

// pairs is what a worker made of a chunk of an edge list: ids two by two, as integers or, in a list that holds
// any other id, as text.
type pairs struct {
	ints  *idList
	names []string // distinct ids of the chunk, in text mode
	refs  []uint32 // positions in names
	wide  int      // lines with more fields than were read

	weights   weights // of the pairs, if they are read
	weighable bool    // the third field of the first such line is a number
}

func (p pairs) bytes() int64 {
	size := 16*int64(cap(p.names)) + 4*int64(cap(p.refs)) + p.weights.bytes()
	for _, name := range p.names {
		size += int64(len(name)) + 16
	}
	if p.ints != nil {
		size += p.ints.bytes()
	}
	return size
}

// errTextID ends a reading as integers: the list holds an id that is not one, so all ids are text.
var errTextID = errors.New("an id is not an integer")

// edgeReader knows how the lines of an edge list are cut into fields.
type edgeReader struct {
	delim    byte   // 0: blanks
	comments string // lines that start with one of these are skipped
	text     bool
	ends     [2]int // of CSV: the fields that hold the ids
	weight   int    // the field that holds the weight; 0: none
}

// readEdges reads edge lists. It takes all ids for integers; where one is not, it reads again and keeps all as text.
func (l *loader) readEdges(ctx context.Context) error {
	before, done, held := l.report, l.done, int64(0)
	if l.mem != nil {
		held = l.mem.Used()
	}
	parts, err := l.readPairs(ctx, false)
	if err == nil {
		return l.addIntPairs(parts)
	}
	var e *Error
	if errors.As(err, &e) && e.Err == errTextID {
		l.spill.reset(l.b)
		if l.report, l.done = before, done; l.mem != nil {
			l.mem.Release(l.mem.Used() - held)
		}
		l.report.Warnings = slices.Clone(before.Warnings)
		l.warn("%v, so every id is kept as text", e)
		if parts, err = l.readPairs(ctx, true); err == nil {
			err = l.addTextPairs(parts)
		}
	}
	return err
}

func (l *loader) readPairs(ctx context.Context, text bool) (parts []pairs, err error) {
	for _, path := range l.Files {
		if err = l.readPairFile(ctx, path, text, &parts); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func (l *loader) readPairFile(ctx context.Context, path string, text bool, parts *[]pairs) error {
	f, err := l.openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.heedDirection(); err != nil {
		return err
	}
	reader := edgeReader{delim: byte(l.Delimiter), comments: "#%", text: text, ends: [2]int{0, 1}}
	if l.Weight != "" {
		reader.weight = 2
	}
	f.quoted, f.delim = reader.delim != 0, reader.delim
	if l.format.Name == FormatCSV {
		if err := l.csvHeader(f, &reader); err != nil {
			return err
		}
	} else if err := l.checkEdgeList(f); err != nil {
		return err
	} else if reader.delim == 0 {
		if err := checkLookalike(f); err != nil {
			return err
		}
	}
	if reader.delim != 0 {
		f.separators = string(rune(reader.delim)) + "\n"
	}
	wide, weighable := 0, false
	parse := reader.parse
	if text {
		parse = func(c *chunk) (pairs, error) { return parseUTF8(c, f.cut, reader.parse) }
	}
	err = inOrder(ctx, l, l.Workers, f.next, parse, func(c *chunk, p pairs) error {
		f.count(c)
		weighable = weighable || p.weighable && wide == 0
		wide += p.wide
		*parts = append(*parts, p)
		l.take(p.bytes())
		return l.spill.pace(l, *parts)
	})
	if err == nil && wide > 0 {
		warnWide(l, path, plural(uint64(wide), "line", "lines"), weighable)
	}
	return err
}

// warnWide says which fields of an edge list were left out, and what keeps them.
func warnWide(l *loader, path, lines string, weighable bool) {
	switch {
	case l.Weight != "":
		l.warn("%s: fields beside the ids and the weight were left out, on %s; node and relationship files can keep them", path, lines)
	case weighable:
		l.warn("%s: fields after the second were left out, on %s; --weight NAME keeps the third as a property, node and relationship files keep all", path, lines)
	default:
		l.warn("%s: fields after the second were left out, on %s; node and relationship files can keep them", path, lines)
	}
}

// checkEdgeList refuses what looks like an edge list but is not one.
func (l *loader) checkEdgeList(f *file) error {
	if len(f.rest) == 0 {
		return emptyFile(f.src.file)
	}
	if bytes.HasPrefix(f.rest, []byte("%%MatrixMarket")) {
		return &Error{File: f.src.file, Line: 1, Column: 1, Msg: "found a file of Matrix Market, expected an edge list; load it as format mtx"}
	}
	return nil
}

// csvHeader reads comments and the header line, if the first line is one: if its first two fields are not both
// integers. It leaves the rest of f to be cut at ends of CSV records.
func (l *loader) csvHeader(f *file, reader *edgeReader) error {
	reader.comments = ""
	first, err := f.skipComments()
	if err != nil {
		return err
	}
	if reader.delim == 0 {
		reader.delim = findDelimiter(first)
	}
	f.quoted, f.delim = true, reader.delim
	r := records{c: &chunk{file: f.src.file, line: f.line, data: first}, delim: reader.delim}
	if ok, err := r.next(); err != nil || !ok {
		return err
	}
	if len(r.fields) < 2 {
		return r.c.errorAt(0, "found a first line with one field, %s, expected two separated by %q", shown(r.line()), reader.delim).
			hint("--nodes %s=%s makes a node of each line; --delimiter names another delimiter, such as space", nameOf(f.src.file), f.src.file)
	}
	if isInt(bytes.TrimSpace(r.bytes(r.fields[0]))) && isInt(bytes.TrimSpace(r.bytes(r.fields[1]))) {
		return nil
	}
	named := reader.findEnds(l, &r)
	if reader.weight > 0 {
		if header := reader.findWeight(&r, l.Weight); !header && !named {
			return nil
		}
		if slices.Contains(reader.ends[:], reader.weight) {
			return r.c.errorAt(0, "found no column %q in the header %s", l.Weight, shown(r.line()))
		}
	}
	if reader.text { // it may as well have been a line like the others
		l.warn("%s:%d: took the first line, %s, for a header", f.src.file, f.line, shown(r.line()))
	}
	c, err := f.takeLine()
	if err == nil {
		f.count(c)
	}
	return err
}

// findEnds finds the columns of ids in the first line of a CSV file: the two whose names say that they are ends, or else the first
// two. It reports whether names say so.
func (e *edgeReader) findEnds(l *loader, r *records) bool {
	h := header{}
	for _, f := range r.fields {
		h.columns = append(h.columns, column{name: strings.TrimSpace(string(r.bytes(f)))})
	}
	pairs := h.endPairs(tableHead{})
	first := slices.ContainsFunc(pairs, func(p endPair) bool { return p.start == 0 && p.end == 1 })
	pairs = slices.DeleteFunc(pairs, func(p endPair) bool { return p.weak && p.start+p.end > 1 })
	if first || len(pairs) != 1 {
		return first
	}
	e.ends = [2]int{pairs[0].start, pairs[0].end}
	l.warn("%s: took the columns %q and %q for the ends", r.c.file, h.columns[e.ends[0]].name, h.columns[e.ends[1]].name)
	return true
}

// skipComments reads up to the first line that is neither blank nor a comment and returns that line, which stays unread.
func (f *file) skipComments() ([]byte, error) {
	for {
		first := f.rest[:lineEnd(f.rest, 0)]
		if text := bytes.TrimSpace(first); len(text) > 0 && text[0] != '#' && text[0] != '%' {
			return first, nil
		}
		c, err := f.takeLine()
		if err == io.EOF {
			return nil, emptyFile(f.src.file)
		}
		if err != nil {
			return nil, err
		}
		f.count(c)
	}
}

// parseRooms has room for the integer ids of a chunk while it is parsed.
var parseRooms = sync.Pool{New: func() any { return new([]int64) }}

// parse reads one chunk.
func (e edgeReader) parse(c *chunk) (pairs, error) {
	p := &pairParser{c: c, text: e.text}
	if e.text {
		p.local = make(map[string]uint32)
	} else {
		room := parseRooms.Get().(*[]int64)
		p.ids = slices.Grow((*room)[:0], len(c.data)/4)
		defer func() {
			*room = p.ids
			parseRooms.Put(room)
		}()
	}
	each := e.eachBlank
	if e.delim != 0 {
		each = e.eachField
	}
	if err := each(c, p); err != nil {
		return pairs{}, err
	}
	if !e.text {
		p.ints = newIDList(p.ids)
	}
	return p.pairs, nil
}

// eachBlank hands the first two words of every line to p.
func (e edgeReader) eachBlank(c *chunk, p *pairParser) error {
	data := c.data
	for i := 0; i < len(data); i++ {
		i = skipBlanks(data, i)
		if i == len(data) {
			return nil
		}
		if data[i] == '\n' {
			continue
		}
		if strings.IndexByte(e.comments, data[i]) >= 0 {
			i = lineEnd(data, i)
			continue
		}
		a := i
		i = wordEnd(data, i)
		aEnd := i
		b := skipBlanks(data, i)
		if i = wordEnd(data, b); i == b {
			return c.errorAt(aEnd, "found the end of the line after one id, expected a second id")
		}
		if err := p.pair(data[a:aEnd], a, data[b:i], b); err != nil {
			return err
		}
		if i = skipBlanks(data, i); e.weight > 0 {
			w := i
			if i = wordEnd(data, w); i == w {
				return c.errorAt(w, "found the end of the line after two ids, expected a weight")
			}
			if err := p.weigh(data[w:i], w); err != nil {
				return err
			}
			i = skipBlanks(data, i)
		}
		if i < len(data) && data[i] != '\n' {
			if p.wide++; p.wide == 1 && e.weight == 0 {
				p.weighable = isNumber(data[i:wordEnd(data, i)])
			}
			i = lineEnd(data, i)
		}
	}
	return nil
}

// eachField hands the first two fields of every record to p.
func (e edgeReader) eachField(c *chunk, p *pairParser) error {
	r := records{c: c, delim: e.delim}
	for {
		ok, err := r.next()
		if err != nil || !ok {
			return err
		}
		if line := bytes.TrimSpace(r.line()); len(line) == 0 || strings.IndexByte(e.comments, line[0]) >= 0 {
			continue
		}
		if len(r.fields) <= max(e.ends[0], e.ends[1]) {
			if n := len(r.fields); n > 1 {
				return c.errorAt(r.fields[n-1].hi, "found the end of the line after %d fields, expected an id in field %d", n, max(e.ends[0], e.ends[1])+1)
			}
			return c.errorAt(r.fields[0].hi, "found the end of the line after one field, expected two ids separated by %q", e.delim)
		}
		if len(r.fields) > 3 || len(r.fields) > 2 && e.weight == 0 {
			if p.wide++; p.wide == 1 && e.weight == 0 {
				p.weighable = e.ends == [2]int{0, 1} && isNumber(bytes.TrimSpace(r.bytes(r.fields[2])))
			}
		}
		u, err := r.id(e.ends[0])
		if err != nil {
			return err
		}
		v, err := r.id(e.ends[1])
		if err != nil {
			return err
		}
		if err := p.pair(u, r.fields[e.ends[0]].lo, v, r.fields[e.ends[1]].lo); err != nil {
			return err
		}
		if e.weight > 0 {
			if err := r.weight(e.weight, p); err != nil {
				return err
			}
		}
	}
}

// id is the content of field k without the blanks around it, which must not be empty.
func (r *records) id(k int) ([]byte, error) {
	f := &r.fields[k]
	if !f.quoted {
		f.lo, f.hi = trimBlanks(r.c.data, f.lo, f.hi)
	}
	if f.lo == f.hi {
		return nil, r.c.errorAt(f.lo, "found an empty field, expected an id")
	}
	return r.bytes(*f), nil
}

// pairParser collects the pairs of one chunk.
type pairParser struct {
	pairs
	c     *chunk
	text  bool
	ids   []int64
	local map[string]uint32 // id -> position in names
}

// pair adds the ids a and b, which stand at the given offsets.
func (p *pairParser) pair(a []byte, aAt int, b []byte, bAt int) error {
	if p.text {
		if err := p.noNUL(a, aAt); err != nil {
			return err
		}
		if err := p.noNUL(b, bAt); err != nil {
			return err
		}
		p.name(a)
		p.name(b)
		return nil
	}
	u, ok := parseInt(a)
	if !ok {
		return p.notInt(a, aAt)
	}
	v, ok := parseInt(b)
	if !ok {
		return p.notInt(b, bAt)
	}
	p.ids = append(p.ids, u, v)
	return nil
}

// noNUL refuses an id with a NUL byte: that is binary data or UTF-16, not text.
func (p *pairParser) noNUL(id []byte, at int) error {
	if i := bytes.IndexByte(id, 0); i >= 0 {
		return p.c.errorAt(at+i, "found a NUL byte in an id, expected text")
	}
	return nil
}

func (p *pairParser) notInt(id []byte, at int) error {
	if err := p.noNUL(id, at); err != nil {
		return err
	}
	err := p.c.errorAt(at, "%s is not a 64-bit integer", shown(id))
	err.Err = errTextID
	return err
}

// name adds one id in text mode. A first use is copied, so that the chunk can go.
func (p *pairParser) name(id []byte) {
	n, ok := p.local[string(id)]
	if !ok {
		n = uint32(len(p.names))
		p.names = append(p.names, string(id))
		p.local[p.names[n]] = n
	}
	p.refs = append(p.refs, n)
}

// addIntPairs numbers the ids and adds vertices and relationships.
func (l *loader) addIntPairs(parts []pairs) error {
	enter(l, stageBuild)
	lists := make([]*idList, len(parts))
	for i := range parts {
		lists[i] = parts[i].ints
	}
	ids, err := l.newIntIDs(lists)
	if err != nil {
		return err
	}
	if l.spill.ids != nil && l.Weight == "" {
		l.enough = enoughFor(ids.len())
	}
	if err := l.addVertices(ids); err != nil {
		return err
	}
	first, rooms := l.b.Relationships(), sync.Pool{New: func() any { return new(idRoom) }}
	err = l.addEnds(len(parts), func(i int) int { return lists[i].len() / 2 }, func(i int, to ends) error {
		room := rooms.Get().(*idRoom)
		defer rooms.Put(room)
		list, err := lists[i].load(room)
		for j := 0; err == nil && j < len(to.src); j++ {
			u, _ := ids.number(list.at(2 * j))
			v, _ := ids.number(list.at(2*j + 1))
			to.set(j, u, v, l.Directed)
		}
		return err
	})
	l.spill.ids.Drop()
	return addWeights(l, first, parts, err)
}

func (l *loader) addTextPairs(parts []pairs) error {
	enter(l, stageBuild)
	names := make([][]string, len(parts))
	for i := range parts {
		names[i] = parts[i].names
	}
	ids, numbers, err := l.newTextIDs(names)
	if err != nil {
		return err
	}
	if err := l.addVertices(ids); err != nil {
		return err
	}
	first := l.b.Relationships()
	err = l.addEnds(len(parts), func(i int) int { return len(parts[i].refs) / 2 }, func(i int, to ends) error {
		for j := range to.src {
			to.set(j, numbers[i][parts[i].refs[2*j]], numbers[i][parts[i].refs[2*j+1]], l.Directed)
		}
		return nil
	})
	return addWeights(l, first, parts, err)
}
