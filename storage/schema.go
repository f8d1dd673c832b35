package storage

import (
	"encoding/binary"
	"fmt"

	"github.com/motifql/motif/internal/csr"
)

// The record "schema" is two lists of rules, indexes and constraints; a rule is its kind, 1 if it is on relationships,
// its name, its label or type, and its property key.

func encodeSchema(s *csr.Schema) []byte {
	var dst []byte
	for _, rules := range [][]csr.Rule{s.Indexes, s.Constraints} {
		dst = binary.AppendUvarint(dst, uint64(len(rules)))
		for _, r := range rules {
			dst = append(dst, byte(r.Kind), 0)
			if r.OnRel {
				dst[len(dst)-1] = 1
			}
			dst = appendString(appendString(appendString(dst, r.Name), r.On), r.Key)
		}
	}
	return dst
}

func decodeSchema(payload []byte) (s csr.Schema, err error) {
	c := cursor{b: payload}
	for _, rules := range []*[]csr.Rule{&s.Indexes, &s.Constraints} {
		for range c.count() {
			r := csr.Rule{Kind: csr.RuleKind(c.byte()), OnRel: c.limited(1, "flags") == 1}
			r.Name, r.On, r.Key = c.str(), c.str(), c.str()
			if c.err == nil && (r.Kind == 0 || r.Kind > csr.RuleExists || (r.Kind == csr.RuleIndex) != (rules == &s.Indexes)) {
				c.fail(fmt.Errorf("rule of kind %d in the wrong list", r.Kind))
			}
			*rules = append(*rules, r)
		}
	}
	return s, c.end()
}
