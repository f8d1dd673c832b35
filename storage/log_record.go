package storage

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// The changes of a transaction are one stream of bytes. A change is its kind and the fields that the kind has, in the
// order of the table. Ids are zigzag differences to the node id or relationship id before, since most follow each other.
// A name (of a label, type, property key or rule) is the number of an earlier name of the stream counted from 1, or
// 0 and the text, which gives it the next number.
//
//	create node                   id, count and labels, properties
//	create relationship           id, type, from, to, properties
//	delete node, relationship     id
//	set properties                id, properties
//	add, remove label             id, label
//	create index, constraint      kind of rule, flags, name, label or type, key, and with ruleMore what schema.go says
//	drop index, constraint        name
//
// Properties are a count, and for each its key, the kind of its value (0: removed), and the value: integers as zigzag
// varints, floats as 8 bytes, booleans as one byte, text as length and bytes.

// changeEncoder appends changes to buf.
type changeEncoder struct {
	buf       []byte
	flush     func() error // takes what buf holds too much of; nil: buf holds all
	names     map[string]uint64
	node, rel uint64
}

func newChangeEncoder() *changeEncoder { return &changeEncoder{names: make(map[string]uint64)} }

func (e *changeEncoder) add(c *csr.Change) error {
	e.buf = append(e.buf, byte(c.Kind))
	switch c.Kind {
	case csr.CreateNode:
		e.nodeID(c.ID)
		e.buf = binary.AppendUvarint(e.buf, uint64(len(c.Labels)))
		for _, l := range c.Labels {
			e.name(l)
		}
		return e.props(c.Props)
	case csr.CreateRel:
		e.relID(c.ID)
		e.name(c.Name)
		e.nodeID(uint64(c.From))
		e.nodeID(uint64(c.To))
		return e.props(c.Props)
	case csr.DeleteNode:
		e.nodeID(c.ID)
	case csr.DeleteRel:
		e.relID(c.ID)
	case csr.SetNodeProps:
		e.nodeID(c.ID)
		return e.props(c.Props)
	case csr.SetRelProps:
		e.relID(c.ID)
		return e.props(c.Props)
	case csr.AddLabel, csr.RemoveLabel:
		e.nodeID(c.ID)
		e.name(c.Name)
	case csr.CreateIndex, csr.CreateConstraint:
		return e.rule(c.Rule)
	case csr.DropIndex, csr.DropConstraint:
		e.name(c.Name)
	default:
		return fmt.Errorf("cannot store a %v", c.Kind)
	}
	return nil
}

func (e *changeEncoder) nodeID(id uint64) {
	e.buf = appendVarint(e.buf, int64(id-e.node))
	e.node = id
}

func (e *changeEncoder) relID(id uint64) {
	e.buf = appendVarint(e.buf, int64(id-e.rel))
	e.rel = id
}

func (e *changeEncoder) name(s string) {
	if n := e.names[s]; n > 0 {
		e.buf = binary.AppendUvarint(e.buf, n)
		return
	}
	e.names[s] = uint64(len(e.names)) + 1
	e.buf = appendString(append(e.buf, 0), s)
}

func (e *changeEncoder) props(props []csr.Prop) error {
	e.buf = binary.AppendUvarint(e.buf, uint64(len(props)))
	for i := range props {
		e.name(props[i].Key)
		v := &props[i].Value
		e.buf = append(e.buf, byte(v.Kind))
		switch v.Kind {
		case 0:
		case csr.KindInt:
			e.buf = appendVarint(e.buf, int64(v.Num))
		case csr.KindFloat:
			e.buf = binary.LittleEndian.AppendUint64(e.buf, v.Num)
		case csr.KindBool:
			e.buf = append(e.buf, byte(v.Num&1))
		case csr.KindString, csr.KindEncoded:
			if err := e.text(v.Str); err != nil {
				return err
			}
		default:
			return fmt.Errorf("cannot store a property value of kind %d", v.Kind)
		}
	}
	return nil
}

// text appends a text. A long one goes in pieces, so that buf stays short.
func (e *changeEncoder) text(s string) error {
	e.buf = binary.AppendUvarint(e.buf, uint64(len(s)))
	for e.flush != nil && len(s) > maxLogPart {
		e.buf = append(e.buf, s[:maxLogPart]...)
		s = s[maxLogPart:]
		if err := e.flush(); err != nil {
			return err
		}
	}
	e.buf = append(e.buf, s...)
	return nil
}

func (e *changeEncoder) rule(r *csr.Rule) error {
	if r == nil || r.Kind == 0 || r.Kind > csr.RuleType || len(r.Keys) == 0 {
		return fmt.Errorf("cannot store the rule %+v", r)
	}
	flags := ruleFlags(r)
	e.buf = append(e.buf, byte(r.Kind), flags)
	e.name(r.Name)
	e.name(r.On)
	e.name(r.Keys[0])
	if flags&ruleMore == 0 {
		return nil
	}
	e.buf = binary.AppendUvarint(e.buf, uint64(len(r.Keys)-1))
	for _, k := range r.Keys[1:] {
		e.name(k)
	}
	e.name(r.Type)
	return nil
}

// changeDecoder reads what changeEncoder wrote. It never panics, and what it returns shares no memory with its input.
type changeDecoder struct {
	cursor
	names     []string
	node, rel uint64
}

// next reads one change. Whether it went well shows in err.
func (d *changeDecoder) next() (c csr.Change) {
	c.Kind = csr.ChangeKind(d.byte())
	switch c.Kind {
	case csr.CreateNode:
		c.ID = d.nodeID()
		if n := d.count(); n > 0 {
			c.Labels = make([]string, n)
			for i := range c.Labels {
				c.Labels[i] = d.name()
			}
		}
		c.Props = d.props()
	case csr.CreateRel:
		c.ID, c.Name = d.relID(), d.name()
		c.From, c.To = csr.NodeID(d.nodeID()), csr.NodeID(d.nodeID())
		c.Props = d.props()
	case csr.DeleteNode:
		c.ID = d.nodeID()
	case csr.DeleteRel:
		c.ID = d.relID()
	case csr.SetNodeProps:
		c.ID, c.Props = d.nodeID(), d.props()
	case csr.SetRelProps:
		c.ID, c.Props = d.relID(), d.props()
	case csr.AddLabel, csr.RemoveLabel:
		c.ID, c.Name = d.nodeID(), d.name()
	case csr.CreateIndex, csr.CreateConstraint:
		c.Rule = d.rule()
	case csr.DropIndex, csr.DropConstraint:
		c.Name = d.name()
	default:
		d.fail(fmt.Errorf("unknown %v", c.Kind))
	}
	return c
}

func (d *changeDecoder) nodeID() uint64 {
	d.node += uint64(d.varint())
	return d.node
}

func (d *changeDecoder) relID() uint64 {
	d.rel += uint64(d.varint())
	return d.rel
}

func (d *changeDecoder) name() string {
	n := d.uvarint()
	if n == 0 && d.err == nil {
		s := d.str()
		d.names = append(d.names, s)
		return s
	}
	if n == 0 || n > uint64(len(d.names)) {
		d.fail(fmt.Errorf("name %d of %d", n, len(d.names)))
		return ""
	}
	return d.names[n-1]
}

func (d *changeDecoder) props() []csr.Prop {
	n := d.count()
	if n == 0 {
		return nil
	}
	props := make([]csr.Prop, 0, min(n, 64)) // a property is wider than the two bytes that count vouches for
	for i := 0; i < n && d.err == nil; i++ {
		props = append(props, csr.Prop{Key: d.name(), Value: d.cell()})
	}
	return props
}

func (d *changeDecoder) cell() csr.Cell {
	c := csr.Cell{Kind: csr.Kind(d.byte())}
	switch c.Kind {
	case 0:
	case csr.KindInt:
		c.Num = uint64(d.varint())
	case csr.KindFloat:
		c.Num = d.uint64()
	case csr.KindBool:
		if c.Num = uint64(d.byte()); c.Num > 1 {
			d.fail(fmt.Errorf("boolean %d", c.Num))
		}
	case csr.KindString:
		c.Str = d.str()
	case csr.KindEncoded:
		c.Str = d.str()
		if err := value.Check(c.Str); d.err == nil && err != nil {
			d.fail(err)
		}
	default:
		d.fail(fmt.Errorf("property value of unknown kind %d", c.Kind))
	}
	return c
}

func (d *changeDecoder) rule() *csr.Rule {
	kind, flags := d.byte(), byte(d.limited(ruleOnRel|ruleMore, "flags"))
	r := &csr.Rule{Kind: csr.RuleKind(kind), OnRel: flags&ruleOnRel != 0}
	r.Name, r.On, r.Keys = d.name(), d.name(), []string{d.name()}
	if flags&ruleMore != 0 {
		for n := d.count(); n > 0 && d.err == nil; n-- {
			r.Keys = append(r.Keys, d.name())
		}
		r.Type = d.name()
	}
	if d.err == nil && (r.Kind == 0 || r.Kind > csr.RuleType || ruleFlags(r) != flags) {
		d.fail(fmt.Errorf("rule of unknown kind %d", r.Kind))
	}
	return r
}

// The flags of a commit record.
const (
	flagRelaxed = 1
	flagSettled = 2
)

// commitRecord ends a transaction in the log: without it, the parts of the transaction do not count.
type commitRecord struct {
	parts    uint64
	changes  uint64
	bytes    uint64 // of all parts
	sum      uint32 // CRC32C of all parts
	previous uint64 // sequence number of the transaction before; 0 for the first of an epoch
	time     int64  // Unix time in nanoseconds
	relaxed  bool   // not synced: after a loss of power it may be there and one before it not
	settled  bool   // all transactions before it were durable when it was written; not known in format 2
}

func (r *commitRecord) encode() []byte {
	var dst []byte
	flags := uint64(0)
	if r.relaxed {
		flags |= flagRelaxed
	}
	if r.settled {
		flags |= flagSettled
	}
	for _, x := range [...]uint64{r.parts, r.changes, r.bytes, uint64(r.sum), r.previous, flags} {
		dst = binary.AppendUvarint(dst, x)
	}
	return appendVarint(dst, r.time)
}

func decodeCommit(payload []byte) (*commitRecord, error) {
	c := cursor{b: payload}
	r := &commitRecord{parts: c.limited(uint64(lastPart), "parts"), changes: c.uvarint(), bytes: c.uvarint(), sum: uint32(c.limited(math.MaxUint32, "sums")),
		previous: c.uvarint()}
	flags := c.limited(flagRelaxed|flagSettled, "flags")
	r.relaxed, r.settled = flags&flagRelaxed != 0, flags&flagSettled != 0
	r.time = c.varint()
	return r, c.end()
}
