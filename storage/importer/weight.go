package importer

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// weights are the weights of some pairs: integers, or floats from the first weight on that is no 64-bit integer.
type weights struct {
	ints   []int64
	floats []float64
}

func (w *weights) bytes() int64 { return 8 * int64(cap(w.ints)+cap(w.floats)) }

// add appends a weight and reports whether it is a number.
func (w *weights) add(b []byte) bool {
	n, isInt := parseWhole(b)
	if isInt && w.floats == nil {
		w.ints = append(w.ints, n)
		return true
	}
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil || bytes.ContainsAny(b, "_xX") {
		return false
	}
	if w.floats == nil {
		w.floats = make([]float64, len(w.ints), max(2*len(w.ints), 16))
		for i, n := range w.ints {
			w.floats[i] = float64(n)
		}
		w.ints = nil
	}
	w.floats = append(w.floats, x)
	return true
}

// parseWhole parses a 64-bit integer, also one with a sign or leading zeros.
func parseWhole(b []byte) (int64, bool) {
	if n, ok := parseInt(b); ok {
		return n, true
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil
}

// isNumber reports whether a field may be a weight.
func isNumber(b []byte) bool {
	var w weights
	return w.add(b)
}

// weigh adds the weight of the last pair, which stands at the given offset.
func (p *pairParser) weigh(b []byte, at int) error {
	if !p.weights.add(b) {
		return p.c.errorAt(at, "found %s, expected a number as weight", shown(b))
	}
	return nil
}

// weight hands field k, a weight, to p.
func (r *records) weight(k int, p *pairParser) error {
	if len(r.fields) <= k {
		return r.c.errorAt(r.fields[len(r.fields)-1].hi, "found the end of the line after %s, expected a weight", plural(uint64(len(r.fields)), "field", "fields"))
	}
	f := r.fields[k]
	f.lo, f.hi = trimBlanks(r.c.data, f.lo, f.hi)
	if f.lo == f.hi {
		return r.c.errorAt(f.lo, "found an empty field, expected a number as weight")
	}
	return p.weigh(bytes.TrimSpace(r.bytes(f)), f.lo)
}

// findWeight finds the column of weights in the first line of a CSV file: the one of that name, or else the third. It reports
// whether the line is a header: not if a number stands in that column.
func (e *edgeReader) findWeight(r *records, name string) (header bool) {
	for k, f := range r.fields {
		if !slices.Contains(e.ends[:], k) && strings.EqualFold(strings.TrimSpace(string(r.bytes(f))), name) {
			e.weight = k
			return true
		}
	}
	return len(r.fields) <= e.weight || !isNumber(bytes.TrimSpace(r.bytes(r.fields[e.weight])))
}

// addWeights gives the relationships from first on the weights of their pairs: floats, if one of them is a float. err is what
// adding the relationships returned.
func addWeights(l *loader, first uint64, parts []pairs, err error) error {
	if err != nil || l.Weight == "" {
		return err
	}
	key, floats := l.b.Key(l.Weight), false
	for i := range parts {
		floats = floats || parts[i].weights.floats != nil
	}
	e := first
	for i := range parts {
		w := &parts[i].weights
		for j := range max(len(w.ints), len(w.floats)) {
			if err := l.fitsAt(j); err != nil {
				return err
			}
			l.b.SetEdge(e, key, w.cell(j, floats))
			e++
		}
	}
	return l.fits(l.firstFile(), 0)
}

// cell is weight i as a property.
func (w *weights) cell(i int, float bool) csr.Cell {
	switch {
	case w.floats != nil:
		return csr.FloatCell(w.floats[i])
	case float:
		return csr.FloatCell(float64(w.ints[i]))
	}
	return csr.IntCell(w.ints[i])
}
