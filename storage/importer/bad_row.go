package importer

import (
	"cmp"
	"errors"
	"slices"
)

// BadRow is a row that a load with Spec.SkipBad left out.
type BadRow struct {
	Error *Error // where it is, and what is wrong
	Row   string // its text; "" of a Parquet file
}

// firstBad is how many bad rows a Report has without Spec.ListBad.
const firstBad = 3

// skips reports whether a load goes on after a mistake in the record of r. It does not where nobody can tell where the next
// record begins, or where the mistake is that a type was guessed wrong.
func (p *properties) skips(r *records, err error) bool {
	return p.SkipBad && !r.broken && !errors.Is(err, errMisfit)
}

// listBad adds the record of r to a list.
func (p *properties) listBad(r *records, err error, to []BadRow) []BadRow {
	row := BadRow{}
	if errors.As(err, &row.Error) {
		row.Row = string(r.line())
	}
	return append(to, row)
}

// idOf is id for rows that can be left out.
func (r *records) idOf(k int) ([]byte, error) {
	b, err := r.id(k)
	if e, ok := errors.AsType[*Error](err); ok {
		err = e.hint(skipHint)
	}
	return b, err
}

// rowAt is the text of the record that begins at a place of a chunk.
func rowAt(c errorPlace, at int) string {
	chunk, ok := c.(*chunk)
	if !ok {
		return ""
	}
	r := records{c: chunk, delim: chunk.from.delim, pos: at}
	if _, err := r.next(); err != nil {
		return ""
	}
	return string(r.line())
}

// leaveOut counts the bad rows of a chunk and lists them in the order of the file.
func leaveOut(l *loader, rows []BadRow) {
	slices.SortStableFunc(rows, func(a, b BadRow) int { return cmp.Compare(a.Error.Line, b.Error.Line) })
	l.report.Skipped += uint64(len(rows))
	if !l.ListBad {
		rows = rows[:max(0, min(len(rows), firstBad-len(l.report.BadRows)))]
	}
	l.take(badBytes(rows))
	l.report.BadRows = append(l.report.BadRows, rows...)
}

// badBytes is about the memory of bad rows.
func badBytes(rows []BadRow) int64 {
	size := int64(0)
	for i := range rows {
		size += 256 + int64(len(rows[i].Row)+len(rows[i].Error.Msg))
	}
	return size
}
