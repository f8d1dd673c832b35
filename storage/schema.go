package storage

import (
	"encoding/binary"
	"fmt"

	"github.com/motifql/motif/internal/csr"
)

// The record "schema" is two lists of rules, indexes and constraints; a rule is its kind, flags, its name, its label or type, and its
// property key. With the flag ruleMore follow the number of further keys, these, and the type of values.

// The flags of a rule.
const (
	ruleOnRel = 1
	ruleMore  = 2 // since format 4
)

// ruleFlags are the flags that say what follows in r.
func ruleFlags(r *csr.Rule) (flags byte) {
	if r.OnRel {
		flags |= ruleOnRel
	}
	if !r.Plain() {
		flags |= ruleMore
	}
	return flags
}

// formatOf is the first format that has all rules of a schema.
func formatOf(s *csr.Schema) byte {
	if s.Plain() {
		return plainFormat
	}
	return formatVersion
}

func encodeSchema(s *csr.Schema) []byte {
	var dst []byte
	for _, rules := range [][]csr.Rule{s.Indexes, s.Constraints} {
		dst = binary.AppendUvarint(dst, uint64(len(rules)))
		for _, r := range rules {
			flags := ruleFlags(&r)
			dst = append(dst, byte(r.Kind), flags)
			dst = appendString(appendString(appendString(dst, r.Name), r.On), r.Keys[0])
			if flags&ruleMore == 0 {
				continue
			}
			dst = binary.AppendUvarint(dst, uint64(len(r.Keys)-1))
			for _, k := range r.Keys[1:] {
				dst = appendString(dst, k)
			}
			dst = appendString(dst, r.Type)
		}
	}
	return dst
}

func decodeSchema(payload []byte) (s csr.Schema, err error) {
	c := cursor{b: payload}
	for _, rules := range []*[]csr.Rule{&s.Indexes, &s.Constraints} {
		for range c.count() {
			kind, flags := c.byte(), byte(c.limited(ruleOnRel|ruleMore, "flags"))
			r := csr.Rule{Kind: csr.RuleKind(kind), OnRel: flags&ruleOnRel != 0}
			r.Name, r.On, r.Keys = c.str(), c.str(), []string{c.str()}
			if flags&ruleMore != 0 {
				for range c.count() {
					r.Keys = append(r.Keys, c.str())
				}
				r.Type = c.str()
			}
			if c.err == nil && (r.Kind == 0 || r.Kind > csr.RuleType || (r.Kind == csr.RuleIndex) != (rules == &s.Indexes) || ruleFlags(&r) != flags) {
				c.fail(fmt.Errorf("rule of kind %d in the wrong list", r.Kind))
			}
			*rules = append(*rules, r)
		}
	}
	return s, c.end()
}
