// Package graphdiff compares two graphs. Two snapshots go in; a list of differences comes out. It compares by ids where the
// graphs have the same ids, else by structure alone. It never changes a graph.
package graphdiff

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// Ways of telling which node of one graph is which of the other.
const (
	ByID        = "id"        // nodes with the same stable id
	ByExternal  = "external"  // nodes with the same external id
	ByStructure = "structure" // any one-to-one assignment that makes the graphs equal
)

// Ways lists the values that Options.By may have beside "".
var Ways = []string{ByID, ByExternal, ByStructure}

// ErrUndecided says that the graphs look alike up to ids, but no assignment was found within the limits of the search.
var ErrUndecided = errors.New("the graphs look alike up to ids, but which node is which was not found within the limit of the search; compare them by id")

// Options say how graphs are compared.
type Options struct {
	By    string // one of Ways; "": by id, then by external ids where both have them, then up to ids
	Limit int    // differences listed; 0 means 20
}

// Difference is one node or relationship that only one graph has, or that differs.
type Difference struct {
	Sign byte // '-' only in the first, '+' only in the second, '~' in both and different
	Text string
}

func (d Difference) String() string { return string(d.Sign) + " " + d.Text }

// Result is what a comparison found.
type Result struct {
	By    string // how nodes were told
	Equal bool
	Nodes Counts
	Rels  Counts
	List  []Difference // at most Options.Limit of them
	limit int
}

// Counts are of nodes or relationships.
type Counts struct{ Removed, Added, Changed uint64 }

// Total is how many differences there are.
func (r *Result) Total() uint64 {
	return r.Nodes.Removed + r.Nodes.Added + r.Nodes.Changed + r.Rels.Removed + r.Rels.Added + r.Rels.Changed
}

func (r *Result) add(c *Counts, sign byte, text func() string) {
	switch sign {
	case '-':
		c.Removed++
	case '+':
		c.Added++
	default:
		c.Changed++
	}
	if len(r.List) < r.limit {
		r.List = append(r.List, Difference{sign, text()})
	}
}

// Compare compares a and b. Properties are equal if type and value are; NaN equals NaN. Stable ids of relationships,
// and the order of anything, make no difference.
func Compare(ctx context.Context, a, b *csr.Snapshot, opt Options) (*Result, error) {
	if opt.Limit == 0 {
		opt.Limit = 20
	}
	switch opt.By {
	case ByID:
		return byKeys(ctx, a, b, ByID, stableIDs, opt)
	case ByExternal:
		return byKeys(ctx, a, b, ByExternal, externalIDs, opt)
	case ByStructure:
		return byStructure(ctx, a, b, opt)
	case "":
		return automatic(ctx, a, b, opt)
	}
	return nil, fmt.Errorf("unknown way %q to compare graphs; there are %s", opt.By, strings.Join(Ways, ", "))
}

// automatic takes the first way by which the graphs are equal, and else the one that says most.
func automatic(ctx context.Context, a, b *csr.Snapshot, opt Options) (*Result, error) {
	r, err := byKeys(ctx, a, b, ByID, stableIDs, opt)
	if err != nil || r.Equal {
		return r, err
	}
	best := r
	if allExternal(a) && allExternal(b) && a.N() > 0 && b.N() > 0 {
		if r, err = byKeys(ctx, a, b, ByExternal, externalIDs, opt); err != nil || r.Equal {
			return r, err
		}
		if r.Total() < best.Total() {
			best = r
		}
	}
	if a.N() != b.N() || a.M() != b.M() {
		return best, nil
	}
	if r, err = byStructure(ctx, a, b, opt); err != nil || r.Equal {
		return r, err
	}
	if r.Total() < best.Total() {
		best = r
	}
	return best, nil
}

// stableIDs names every vertex by its stable id.
func stableIDs(s *csr.Snapshot) ([]string, error) {
	names := make([]string, s.N())
	for v := range names {
		names[v] = fmt.Sprint(s.NodeID(csr.VertexID(v)))
	}
	return names, nil
}

// externalIDs names every vertex by the ids that its sources gave it.
func externalIDs(s *csr.Snapshot) ([]string, error) {
	names := make([]string, s.N())
	seen := make(map[string]bool)
	for v := range names {
		names[v] = external(s, csr.VertexID(v))
		if names[v] == "" || seen[names[v]] {
			return nil, fmt.Errorf("node %d has no external id of its own; compare by id or structure", s.NodeID(csr.VertexID(v)))
		}
		seen[names[v]] = true
	}
	return names, nil
}

func allExternal(s *csr.Snapshot) bool {
	_, err := externalIDs(s)
	return err == nil
}

// external is the external ids of v as text, "" if it has none.
func external(s *csr.Snapshot, v csr.VertexID) string {
	var ids []string
	for _, x := range s.External {
		if c, ok := x.IDs.Get(uint64(v)); ok {
			ids = append(ids, fmt.Sprintf("%q=%s", x.Name, value.OfCell(c)))
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}

// byKeys compares graphs whose nodes have names.
func byKeys(ctx context.Context, a, b *csr.Snapshot, by string, name func(*csr.Snapshot) ([]string, error), opt Options) (*Result, error) {
	inA, err := name(a)
	if err != nil {
		return nil, err
	}
	inB, err := name(b)
	if err != nil {
		return nil, err
	}
	r := &Result{By: by, limit: opt.Limit}
	at := make(map[string]csr.VertexID, len(inB))
	for v, n := range inB {
		at[n] = csr.VertexID(v)
	}
	matched := make([]bool, len(inB))
	for _, v := range order(a) {
		if v%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		w, ok := at[inA[v]]
		if !ok {
			r.add(&r.Nodes, '-', func() string { return Node(a, v) })
			continue
		}
		matched[w] = true
		compareNodes(r, a, b, v, w, by)
	}
	for _, w := range order(b) {
		if !matched[w] {
			r.add(&r.Nodes, '+', func() string { return Node(b, w) })
		}
	}
	if err := compareRels(ctx, r, a, b, inA, inB); err != nil {
		return nil, err
	}
	r.Equal = r.Total() == 0
	return r, nil
}

// order lists the vertices by rising stable id.
func order(s *csr.Snapshot) []csr.VertexID {
	all := make([]csr.VertexID, s.N())
	for v := range all {
		all[v] = csr.VertexID(v)
	}
	slices.SortFunc(all, func(v, w csr.VertexID) int {
		if s.NodeID(v) < s.NodeID(w) {
			return -1
		}
		return 1
	})
	return all
}

func compareNodes(r *Result, a, b *csr.Snapshot, v, w csr.VertexID, by string) {
	la, lb := labels(a, v), labels(b, w)
	pa, pb := nodeProps(a, v), nodeProps(b, w)
	xa, xb := external(a, v), external(b, w)
	if slices.Equal(la, lb) && maps.Equal(pa, pb) && xa == xb {
		return
	}
	r.add(&r.Nodes, '~', func() string {
		var parts []string
		if !slices.Equal(la, lb) {
			parts = append(parts, fmt.Sprintf("labels %s -> %s", labelText(la), labelText(lb)))
		}
		parts = append(parts, changes(pa, pb)...)
		if xa != xb {
			parts = append(parts, fmt.Sprintf("external ids %s -> %s", orNone(xa), orNone(xb)))
		}
		return Node(a, v) + ": " + strings.Join(parts, ", ")
	})
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// changes say which properties differ, by name.
func changes(a, b map[string]string) (parts []string) {
	keys := slices.Sorted(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		x, inA := a[k]
		y, inB := b[k]
		switch {
		case !inA:
			parts = append(parts, fmt.Sprintf("%s added: %s", k, short(y)))
		case !inB:
			parts = append(parts, fmt.Sprintf("%s removed: %s", k, short(x)))
		case x != y:
			parts = append(parts, fmt.Sprintf("%s: %s -> %s", k, short(x), short(y)))
		}
	}
	return parts
}

// labels are sorted by name.
func labels(s *csr.Snapshot, v csr.VertexID) []string {
	var names []string
	for _, l := range s.LabelsOf(v) {
		names = append(names, s.Labels.Name(uint32(l)))
	}
	slices.Sort(names)
	return names
}

func labelText(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return ":" + strings.Join(names, ":")
}

// nodeProps are properties as literals, which tell types apart: 1 from 1.0.
func nodeProps(s *csr.Snapshot, v csr.VertexID) map[string]string {
	return props(s, func(k csr.KeyID) (csr.Cell, bool) { return s.VertexProp(v, k) })
}

func relProps(s *csr.Snapshot, e csr.EdgeID) map[string]string {
	return props(s, func(k csr.KeyID) (csr.Cell, bool) { return s.EdgeProp(e, k) })
}

func props(s *csr.Snapshot, get func(csr.KeyID) (csr.Cell, bool)) map[string]string {
	var m map[string]string
	for k := range uint32(s.Keys.Len()) {
		if c, ok := get(csr.KeyID(k)); ok {
			if m == nil {
				m = make(map[string]string)
			}
			m[s.Keys.Name(k)] = value.OfCell(c).String()
		}
	}
	return m
}

// Node describes a node: (5:Person {name: 'Ana'}).
func Node(s *csr.Snapshot, v csr.VertexID) string {
	text := fmt.Sprintf("(%d", s.NodeID(v))
	if l := labels(s, v); len(l) > 0 {
		text += labelText(l)
	}
	return text + propText(nodeProps(s, v)) + ")"
}

func propText(m map[string]string) string {
	if len(m) == 0 {
		return ""
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+": "+short(m[k]))
	}
	const most = 6
	if len(parts) > most {
		parts = append(parts[:most], "...")
	}
	return " {" + strings.Join(parts, ", ") + "}"
}

// short cuts a literal to a readable length.
func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}
