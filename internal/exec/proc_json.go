package exec

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/files"
	"github.com/motifql/motif/internal/value"
)

// loadJSON reads a JSON file: a row for each element of its list, or one row for any other value.
func loadJSON(c *callStage) (source, error) {
	name := c.values[0]
	if name.IsNull() {
		return func() (bool, error) { return true, nil }, nil
	}
	if name.Kind() != value.String {
		return nil, &eval.Error{Code: eval.CodeArgumentType, Msg: "apoc.load.json takes the name of a file, not " + eval.Describe(name), Pos: c.plan.Pos}
	}
	v, err := readJSON(c, name.Str())
	if err != nil {
		return nil, eval.At(c.plan.Pos, err)
	}
	rows := []value.Value{v}
	if v.Kind() == value.List {
		rows = v.List()
	}
	return func() (bool, error) {
		return each(len(rows), func(i int) (bool, error) {
			row := rows[i]
			if row.Kind() != value.Map {
				row = mapOf("result", row)
			}
			return c.give(row)
		})
	}, nil
}

// jsonFactor is about how many times the memory of its text a JSON value takes.
const jsonFactor = 6

func readJSON(c *callStage, name string) (value.Value, error) {
	file, err := files.Open(c.x.pattern.Files, name)
	if err != nil {
		return value.Value{}, fileError(err)
	}
	defer file.Close()
	var text strings.Builder
	r := skipBOM(bufio.NewReader(file))
	for piece := make([]byte, 1<<16); ; {
		n, err := r.Read(piece)
		if err := c.account.Charge(jsonFactor * int64(n)); err != nil {
			return value.Value{}, err
		}
		text.Write(piece[:n])
		if err == io.EOF {
			break
		}
		if err == nil {
			err = c.x.ctx.Err()
		}
		if err != nil {
			return value.Value{}, badCSV(name, err)
		}
	}
	v, err := value.ParseJSON(text.String())
	if err != nil {
		return v, &eval.Error{Code: codeExternal, Msg: fmt.Sprintf("%s is not a JSON file: %v", name, err), Err: err}
	}
	return v, nil
}
