package pattern

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// LabelOp is an operator of a label expression.
type LabelOp uint8

const (
	LabelName LabelOp = iota // the vertex carries ID; if Unknown, no vertex does
	LabelAny                 // %: the vertex carries at least one label
	LabelNot                 // !Args[0]
	LabelAnd                 // Args[0] & Args[1] ...
	LabelOr                  // Args[0] | Args[1] ...
)

// Label is a label expression resolved against one snapshot's dictionary. A nil *Label admits every vertex.
type Label struct {
	Op      LabelOp
	ID      csr.LabelID
	Unknown bool // LabelName of a name that the graph does not have
	Name    string
	Args    []*Label
}

// Admits reports whether a vertex with this sorted label set satisfies l.
func (l *Label) Admits(labels []csr.LabelID) bool {
	if l == nil {
		return true
	}
	switch l.Op {
	case LabelName:
		if l.Unknown {
			return false
		}
		_, ok := slices.BinarySearch(labels, l.ID)
		return ok
	case LabelAny:
		return len(labels) > 0
	case LabelNot:
		return !l.Args[0].Admits(labels)
	case LabelAnd:
		for _, a := range l.Args {
			if !a.Admits(labels) {
				return false
			}
		}
		return true
	case LabelOr:
		for _, a := range l.Args {
			if a.Admits(labels) {
				return true
			}
		}
		return false
	}
	panic("pattern: unknown label operator")
}

// String prints l in the query language, without the leading colon.
func (l *Label) String() string {
	if l == nil {
		return ""
	}
	switch l.Op {
	case LabelAny:
		return "%"
	case LabelNot:
		return "!" + l.Args[0].paren()
	case LabelAnd, LabelOr:
		sep := "&"
		if l.Op == LabelOr {
			sep = "|"
		}
		parts := make([]string, len(l.Args))
		for i, a := range l.Args {
			parts[i] = a.paren()
		}
		return strings.Join(parts, sep)
	}
	return l.Name
}

func (l *Label) paren() string {
	if l.Op == LabelAnd || l.Op == LabelOr {
		return "(" + l.String() + ")"
	}
	return l.String()
}

// Required returns the labels that every admitted vertex certainly carries: names joined by &. These are the only
// ones a query vertex may add to a neighbour's signature; alternatives, negations and wildcards add nothing.
func (l *Label) Required() []csr.LabelID {
	if l == nil {
		return nil
	}
	switch l.Op {
	case LabelName:
		if !l.Unknown {
			return []csr.LabelID{l.ID}
		}
	case LabelAnd:
		var ids []csr.LabelID
		for _, a := range l.Args {
			ids = append(ids, a.Required()...)
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	return nil
}
