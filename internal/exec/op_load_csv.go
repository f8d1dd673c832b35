package exec

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/files"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

const (
	// codeExternal marks errors about files that a query reads.
	codeExternal = "ExternalResourceFailed.CannotReadFile"
	// codeNotAllowed marks a file that the program does not let queries read.
	codeNotAllowed = "ExternalResourceFailed.FileNotAllowed"
)

// csvStage is LOAD CSV: it extends every row by the lines of a file, one at a time.
type csvStage struct {
	*outlet
	plan *planner.LoadCSV
	from eval.Func
}

func (x *execution) newLoadCSV(n *planner.LoadCSV, out *outlet) (stage, error) {
	for _, slot := range n.Sets() {
		delete(x.compiler.Live, slot)
	}
	if x.pattern.Files == nil { // even if no row comes
		return nil, eval.At(n.From.Position(), fileError(files.ErrNone()))
	}
	x.newAccount("LOAD CSV", out)
	out.account.Unit = "lines"
	k, err := x.compiler.Compile(n.From)
	return &csvStage{outlet: out, plan: n, from: k.Fn}, err
}

func (c *csvStage) push(mult uint64) (bool, error) {
	v, err := c.from(&c.x.input)
	if err != nil {
		return false, err
	}
	if v.Kind() != value.String {
		return false, &eval.Error{Code: eval.CodeArgumentType, Msg: "LOAD CSV takes the name of a file, not " + eval.Describe(v), Pos: c.plan.From.Position()}
	}
	more, err := c.read(v.Str(), mult)
	return more, eval.At(c.plan.From.Position(), err)
}

func (c *csvStage) read(name string, mult uint64) (bool, error) {
	file, err := files.Open(c.x.pattern.Files, name)
	if err != nil {
		return false, fileError(err)
	}
	defer file.Close()
	meter := &csvMeter{file: file, ctx: c.x.ctx, account: c.account, comma: []byte(string(c.plan.Terminator))}
	defer c.account.Release()
	lines := csv.NewReader(skipBOM(bufio.NewReaderSize(meter, csvBuffer)))
	lines.Comma, lines.FieldsPerRecord, lines.LazyQuotes, lines.ReuseRecord = c.plan.Terminator, -1, true, true
	var header []string
	if c.plan.Headers {
		first, err := readText(lines)
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, badCSV(name, err)
		}
		for _, column := range first {
			header = append(header, strings.Clone(column))
		}
		meter.line()
	}
	if c.plan.File >= 0 {
		c.x.row[c.plan.File] = value.OfString(files.Path(name))
	}
	for {
		record, err := readText(lines)
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, badCSV(name, err)
		}
		c.x.row[c.plan.Slot] = lineValue(header, record)
		if c.plan.Line >= 0 {
			line, _ := lines.FieldPos(0)
			c.x.row[c.plan.Line] = value.OfInt(int64(line))
		}
		meter.line()
		if more, err := c.emitSampled(mult); err != nil || !more {
			return more, err
		}
	}
}

// readText reads one record, which must be UTF-8.
func readText(lines *csv.Reader) ([]string, error) {
	record, err := lines.Read()
	if err != nil {
		return nil, err
	}
	for i, field := range record {
		if !utf8.ValidString(field) {
			line, _ := lines.FieldPos(i)
			return nil, fmt.Errorf("line %d is not UTF-8 text; convert the file to UTF-8 first", line)
		}
	}
	return record, nil
}

// lineValue returns a line as a map from the header's names; without a header, as a list. An empty or missing field is
// null.
func lineValue(header, record []string) value.Value {
	list := make([]value.Value, max(len(header), len(record)))
	for i, s := range record {
		if s != "" {
			list[i] = value.OfString(strings.Clone(s))
		}
	}
	if header == nil {
		return value.OfList(list)
	}
	return value.OfMap(&value.MapValue{Keys: header, Values: list[:len(header)]})
}

// fileError gives an error about a file its code.
func fileError(err error) error {
	var e *files.Error
	if !errors.As(err, &e) {
		return err
	}
	code := codeExternal
	if e.Denied {
		code = codeNotAllowed
	}
	return &eval.Error{Code: code, Msg: e.Msg, Hint: e.Hint, Err: e}
}

func skipBOM(r *bufio.Reader) io.Reader {
	if b, err := r.Peek(3); err == nil && string(b) == "\xef\xbb\xbf" {
		_, _ = r.Discard(3) // the three bytes are there
	}
	return r
}

func badCSV(name string, err error) error {
	var stopped *eval.Error // by the memory budget
	if errors.As(err, &stopped) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return &eval.Error{Code: codeExternal, Msg: fmt.Sprintf("cannot read %s: %v", name, failed.Err), Err: err}
	}
	return &eval.Error{Code: codeExternal, Msg: fmt.Sprintf("%s is not a CSV file: %v", name, err), Err: err}
}
