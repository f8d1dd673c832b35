package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/pattern"
)

// readGraph reads Files into the builder.
func (l *loader) readGraph(ctx context.Context) error {
	l.format = formatOf(l.Format)
	if l.format == nil {
		if err := l.detectFormat(); err != nil {
			return err
		}
	}
	l.report.Format = l.format.Name
	if err := l.checkFormat(); err != nil {
		return err
	}
	direct(l)
	err := l.format.read(l, ctx)
	var e *Error
	if l.report.Detected != "" && errors.As(err, &e) && e.Line > 0 && !errors.Is(err, pattern.ErrMemory) {
		e.Msg += fmt.Sprintf(" (the file was taken for %s because %s; if it is not, %s)", l.format.Name, l.report.Detected, formatHint())
	}
	return err
}

func (l *loader) detectFormat() error {
	f, err := l.openFile(l.Files[0])
	if err != nil {
		return err
	}
	head, whole := slices.Clone(f.rest), f.eof
	f.src.Close()
	l.report.Files--
	if named, _ := byName(l.Files[0]); len(bytes.TrimSpace(head)) == 0 && whole && (named == nil || !named.empty) {
		return emptyFile(l.Files[0])
	}
	l.format, l.report.Detected, err = detect(l.Files[0], head, whole)
	return err
}

func emptyFile(path string) *Error { return &Error{File: path, Msg: "the file is empty"} }

// ends are the two ends of some relationships.
type ends struct{ src, dst []uint32 }

func (e ends) bytes() int64 { return 4 * int64(cap(e.src)+cap(e.dst)) }

// set makes relationship i u -> v; undirected puts the smaller first, so that DropRepeats sees both directions as one.
func (e *ends) set(i int, u, v uint32, directed bool) {
	if u > v && !directed {
		u, v = v, u
	}
	e.src[i], e.dst[i] = u, v
}

// add appends u -> v like set.
func (e *ends) add(u, v uint32, directed bool) {
	e.src, e.dst = append(e.src, 0), append(e.dst, 0)
	e.set(len(e.src)-1, u, v, directed)
}

// addEnds adds the relationships of some parts, which workers put side by side: size says how many part i has. It puts only as many at a time
// as may be in memory.
func (l *loader) addEnds(parts int, size func(i int) int, put func(i int, to ends) error) error {
	runs := l.spill.cut(parts, size)
	var all ends
	fill := func(lo, hi int) (err error) {
		all, err = fillEnds(l, all, lo, hi, size, put)
		return err
	}
	defer func() { l.take(-all.bytes()) }()
	turn := false
	if l.Directed && l.declared != "" {
		var sums pairSums
		for i := range len(runs) - 1 {
			if err := fill(runs[i], runs[i+1]); err != nil {
				return err
			}
			sums.add(all)
		}
		if turn = sums.reciprocal(); turn {
			undirect(l)
		}
	}
	t := l.edgeType(l.Type)
	for i := range len(runs) - 1 {
		if err := fill(runs[i], runs[i+1]); err != nil {
			return err
		}
		if turn {
			all.rise()
		}
		if l.b.AddEdges(t, all.src, all.dst); l.b.Err() != nil {
			break
		}
	}
	return l.fits(l.firstFile(), 0)
}

// fillEnds puts the parts from lo up to hi into the room of all.
func fillEnds(l *loader, all ends, lo, hi int, size func(i int) int, put func(i int, to ends) error) (ends, error) {
	first := make([]int, hi-lo+1)
	for i := range hi - lo {
		first[i+1] = first[i] + size(lo+i)
	}
	n := first[hi-lo]
	if n > cap(all.src) {
		l.take(-all.bytes())
		all = ends{}
		held := 8 * int64(n)
		if err := l.room(2 * held); err != nil {
			return all, err
		}
		all = ends{make([]uint32, n), make([]uint32, n)}
		l.take(all.bytes())
	}
	all.src, all.dst = all.src[:n], all.dst[:n]
	errs := make([]error, hi-lo)
	share(l.Workers, hi-lo, func(i int) {
		if errs[i] = l.ctx.Err(); errs[i] == nil {
			errs[i] = put(lo+i, ends{all.src[first[i]:first[i+1]], all.dst[first[i]:first[i+1]]})
		}
	})
	return all, cmp.Or(errs...)
}

// listed joins names for a message.
func listed(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
