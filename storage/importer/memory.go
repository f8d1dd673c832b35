package importer

import (
	"context"
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/spool"
)

// A load charges what it holds to one budget: text, ids, values that wait for their nodes, and what the csr.Builder holds.
// Whoever allocates charges at once and does not look whether the budget has run out. The load looks after every chunk
// and at the end of every loop, so that its error names the line. What one chunk can add in between is small: the
// chunks become smaller where the budget does.

const (
	minChunk   = 16 << 10
	chunkWorth = 32 // bytes of values that a byte of text can turn into while chunks wait
	mapEntry   = 48 // about what a map takes for an entry of small integers
	pulse      = 1 << 16
)

// ledger is what a load charges to its budget, and the place of its errors.
type ledger struct {
	ctx    context.Context
	mem    *pattern.Memory // nil: no limit
	graph  *csr.Builder
	spec   *Spec
	report *Report
	enough int64 // a limit under which the load would go well; 0: not known
}

// enoughFor is a limit for a load that keeps relationships in a temporary file: for nodes whose ids are integers, and have no other property.
// Of these, writing the graph takes most: what maps ids to nodes, beside both columns of ids.
func enoughFor(nodes int) int64 {
	const node, fixed = 96, 16 << 20
	return node*int64(nodes) + fixed
}

// advise adds to an error of memory which limit would do.
func (l *ledger) advise(e *Error) *Error {
	if l.enough > l.spec.Memory {
		e.Msg += fmt.Sprintf("; about %s are enough", byteSize(l.enough))
	}
	return e
}

// budgetOf is the budget of a load that may hold limit bytes; nil for no limit.
func budgetOf(limit int64) *pattern.Memory {
	if limit <= 0 {
		return nil
	}
	return &pattern.Memory{Limit: limit}
}

// chunkSize is how much text a worker gets at a time.
func chunkSize(limit int64, workers int) int {
	if limit <= 0 {
		return defaultChunk
	}
	waiting := int64(3*workers + 2)
	return int(min(defaultChunk, max(minChunk, limit/(waiting*chunkWorth))))
}

// over reports whether more is charged to m than it has.
func over(m *pattern.Memory) bool { return m != nil && m.Used() > m.Limit }

// take charges n bytes, or gives -n back. The next check notices an overrun.
func (l *ledger) take(n int64) { _ = l.mem.Charge(n) }

// fits gives an error about a place in a file if the load holds more than it may, or if its context has ended.
func (l *ledger) fits(file string, line int) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if over(l.mem) || errors.Is(l.graph.Err(), pattern.ErrMemory) {
		return l.tooMuch(file, line)
	}
	if e, ok := errors.AsType[*spool.Error](l.graph.Err()); ok {
		return e
	}
	return nil
}

// fitsAt is fits for every 64th thousand of i, for loops after the reading of a file.
func (l *ledger) fitsAt(i int) error {
	if i%pulse != 0 {
		return nil
	}
	return l.fits(l.firstFile(), 0)
}

// room gives an error if n bytes more would be too much.
func (l *ledger) room(n int64) error {
	l.take(n)
	err := l.fits(l.firstFile(), 0)
	l.take(-n)
	return err
}

func (l *ledger) firstFile() string {
	switch {
	case len(l.spec.Files) > 0:
		return l.spec.Files[0]
	case len(l.spec.Nodes) > 0:
		return l.spec.Nodes[0].Paths[0]
	case len(l.spec.Relationships) > 0:
		return l.spec.Relationships[0].Paths[0]
	}
	return ""
}

// tooMuch is the error of a load that needs more memory than it may hold.
func (l *ledger) tooMuch(file string, line int) *Error {
	where := "after reading all files, with"
	if line > 0 {
		where = "so far it has"
	}
	held := fmt.Sprintf("%s and %s", plural(l.graph.Vertices(), "node", "nodes"), plural(l.graph.Relationships(), "relationship", "relationships"))
	if l.graph.Vertices()+l.graph.Relationships() == 0 {
		held = plural(l.report.Lines, "line", "lines")
	}
	return l.advise(limitError(file, line, l.spec.Memory, where+" "+held))
}

func limitError(file string, line int, limit int64, what string) *Error {
	return &Error{File: file, Line: line, Err: pattern.ErrMemory,
		Msg: fmt.Sprintf("the load needs more memory than its limit of %s (%s); raise the limit, or load less", byteSize(limit), what)}
}

func byteSize(n int64) string {
	f, unit := float64(n), "bytes"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if f < 1024 {
			break
		}
		f, unit = f/1024, u
	}
	return fmt.Sprintf("%.4g %s", f, unit)
}

// buildError is the error of a Build that did not end well.
func (l *ledger) buildError(err error) error {
	if errors.Is(err, pattern.ErrMemory) {
		return l.advise(limitError(l.firstFile(), 0, l.spec.Memory, fmt.Sprintf("building the graph of %s and %s, with %s, %s and %s",
			plural(l.graph.Vertices(), "node", "nodes"), plural(l.graph.Relationships(), "relationship", "relationships"),
			plural(uint64(l.graph.Labels()), "label", "labels"), plural(uint64(l.graph.Types()), "type", "types"), plural(uint64(l.graph.Keys()), "property key", "property keys"))))
	}
	if _, ok := errors.AsType[*spool.Error](err); ok || l.ctx.Err() != nil {
		return err
	}
	return &Error{File: l.firstFile(), Msg: err.Error(), Err: err}
}

// sized is what a worker makes of a chunk: bytes is the memory it takes beside the chunk.
type sized interface{ bytes() int64 }

// nothing is the value of a chunk that is only looked at.
type nothing struct{}

func (nothing) bytes() int64 { return 0 }

// cellBytes is the memory of cells beside the chunk; the text of a plain string lies in the chunk.
func cellBytes(cells []cellAt) int64 {
	size := int64(cap(cells)) * 48
	for i := range cells {
		if cells[i].cell.Kind == csr.KindEncoded {
			size += int64(len(cells[i].cell.Str))
		}
	}
	return size
}

// takeText charges the text of cells that stands in no chunk.
func (l *ledger) takeText(cells []cellAt) {
	for i := range cells {
		if n := len(cells[i].cell.Str); n > 0 {
			l.take(int64(n) + 16)
		}
	}
}

// keepText says that cells of a chunk go on using its text: it stays charged, with the text of encoded values.
func (l *ledger) keepText(c *chunk, cells []cellAt) {
	for i := range cells {
		switch cells[i].cell.Kind {
		case csr.KindString:
			c.kept = true
		case csr.KindEncoded:
			l.take(int64(len(cells[i].cell.Str)))
		}
	}
}
