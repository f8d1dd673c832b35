package importer

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// direct decides before the reading whether relationships keep their directions, and why. A comment in an edge list may still
// decide otherwise: see heedDirection.
func direct(l *loader) {
	r := &l.report
	r.Fixed = l.format.complete
	switch {
	case l.format.complete: // the reader may know better
		r.Directed, r.Direction = true, l.format.Name+" files are"
	case l.Directed, l.Undirected:
		r.Directed = l.Directed
	case l.format.undirected:
		r.Direction = l.format.Name + " graphs are"
	default:
		r.Direction = "the file does not say"
	}
}

// heedDirection looks for a comment at the beginning of an edge list that says whether the graph is directed. What Spec says
// counts more.
func (f *file) heedDirection() error {
	l := f.l
	if l.Undirected || l.Directed && l.declared == "" {
		return nil
	}
	directed, line, text := declaredDirection(f.rest)
	if line == 0 {
		return nil
	}
	if text == "bip" {
		return &Error{File: f.src.file, Line: line, Msg: `found "bip": the two sides of this graph number their nodes separately, so one id means two nodes; write the ids of the sides differently, such as l1 and r1, and drop this line`}
	}
	why := fmt.Sprintf("%s:%d says %q", f.src.file, line, text)
	if l.declared != "" && directed != l.Directed {
		return &Error{File: f.src.file, Line: line, Msg: fmt.Sprintf("found %q, but %s; load with directed or undirected to choose", text, l.declared)}
	}
	l.Directed, l.declared = directed, why
	l.report.Directed, l.report.Direction = directed, why
	return nil
}

// declaredDirection reads the comments at the beginning of an edge list. SNAP writes "# Directed graph" or
// "# Undirected graph", KONECT writes "% asym unweighted" or "% sym ..." as its first line. line is 0 without such a comment.
func declaredDirection(head []byte) (directed bool, line int, text string) {
	for n := 1; len(head) > 0; n++ {
		end := lineEnd(head, 0)
		row := bytes.TrimSpace(head[:end])
		head = head[min(end+1, len(head)):]
		if len(row) == 0 {
			continue
		}
		if row[0] != '#' && row[0] != '%' {
			break
		}
		words := bytes.Fields(bytes.TrimLeft(row, "#%"))
		if len(words) < 2 {
			continue
		}
		switch first, second := string(bytes.ToLower(words[0])), bytes.ToLower(words[1]); {
		case (first == "directed" || first == "undirected") && bytes.HasPrefix(second, []byte("graph")):
			return first == "directed", n, string(words[0]) + " graph"
		case row[0] == '%' && n == 1 && slices.Contains([]string{"sym", "asym", "bip"}, first):
			return first == "asym", n, first
		}
	}
	return false, 0, ""
}

// pairSums are two sums over the ends of some relationships: of those that rise and of those that fall.
type pairSums struct{ rise, fall [3]uint64 }

func (x *pairSums) add(all ends) {
	for i, u := range all.src {
		switch v := all.dst[i]; {
		case u < v:
			addPair(&x.rise, u, v)
		case u > v:
			addPair(&x.fall, v, u)
		}
	}
}

// reciprocal reports whether every relationship that joins two vertices stands in both directions.
func reciprocal(all ends) bool {
	var sums pairSums
	sums.add(all)
	return sums.reciprocal()
}

func (x *pairSums) reciprocal() bool { return x.rise == x.fall && x.rise[0] > 0 }

// addPair adds a pair to the count of pairs and to two sums of hashes.
func addPair(sum *[3]uint64, u, v uint32) {
	x := uint64(u)<<32 | uint64(v)
	x = (x ^ x>>32) * 0x9e3779b97f4a7c15
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	y := (x ^ x>>31) * 0x94d049bb133111eb
	sum[0]++
	sum[1] += x ^ x>>32
	sum[2] += y ^ y>>30
}

// rise turns the relationships that fall.
func (e ends) rise() {
	for i, u := range e.src {
		if v := e.dst[i]; u > v {
			e.src[i], e.dst[i] = v, u
		}
	}
}

// undirect notes that a file calls relationships directed and lists them in both directions.
func undirect(l *loader) {
	l.Directed, l.report.Directed = false, false
	l.report.Direction = "every pair stands in both directions, though " + l.declared
}

// edgeType returns the type of a relationship, whose repeats are dropped unless the load is directed.
func (l *loader) edgeType(name string) csr.TypeID {
	t := l.b.Type(name)
	if !l.Directed {
		l.b.DropRepeats(t)
	}
	return t
}
