package exec

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// codeExternal marks errors about files that a query reads.
const codeExternal = "ExternalResourceFailed.CannotReadFile"

// csvStage is LOAD CSV: it extends every row by the lines of a file, one at a time.
type csvStage struct {
	*outlet
	plan *planner.LoadCSV
	from eval.Func
}

func (x *execution) newLoadCSV(n *planner.LoadCSV, out *outlet) (stage, error) {
	delete(x.compiler.Live, n.Slot)
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
	path, err := localPath(name)
	if err != nil {
		return false, err
	}
	file, err := os.Open(path)
	if err != nil {
		return false, &eval.Error{Code: codeExternal, Msg: fmt.Sprintf("cannot read %s: %v", name, cause(err)), Hint: "a path is taken from the current folder", Err: err}
	}
	defer file.Close()
	lines := csv.NewReader(skipBOM(bufio.NewReaderSize(file, 1<<16)))
	lines.Comma, lines.FieldsPerRecord, lines.LazyQuotes, lines.ReuseRecord = c.plan.Terminator, -1, true, true
	var header []string
	if c.plan.Headers {
		first, err := lines.Read()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, badCSV(name, err)
		}
		header = append(header, first...)
	}
	for {
		record, err := lines.Read()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, badCSV(name, err)
		}
		c.x.row[c.plan.Slot] = lineValue(header, record)
		if more, err := c.emitSampled(mult); err != nil || !more {
			return more, err
		}
	}
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

// localPath returns the path behind a file's name or file URL.
func localPath(name string) (string, error) {
	scheme, rest, ok := strings.Cut(name, "://")
	switch {
	case !ok:
		return name, nil
	case strings.EqualFold(scheme, "file"):
		if !strings.HasPrefix(rest, "/") {
			return "", &eval.Error{Code: codeExternal, Msg: fmt.Sprintf("%s names another machine", name), Hint: "write file:///path or the path alone"}
		}
		path, err := url.PathUnescape(rest)
		if err != nil {
			return rest, nil
		}
		return path, nil
	}
	return "", &eval.Error{Code: codeExternal, Msg: fmt.Sprintf("LOAD CSV reads local files only, not %s", name),
		Hint: "download the file first and give its path"}
}

func skipBOM(r *bufio.Reader) io.Reader {
	if b, err := r.Peek(3); err == nil && string(b) == "\xef\xbb\xbf" {
		_, _ = r.Discard(3) // the three bytes are there
	}
	return r
}

func badCSV(name string, err error) error {
	return &eval.Error{Code: codeExternal, Msg: fmt.Sprintf("%s is not a CSV file: %v", name, err), Err: err}
}

// cause returns what is wrong with a file, without its name.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
