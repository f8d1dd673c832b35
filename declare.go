package motif

import (
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// Declare makes a procedure that CALL runs:
//
//	db.Declare("my.lookup(name :: STRING) :: (id :: INTEGER?, kind :: STRING)", func(args []any) ([][]any, error) { ... })
//
// rows gets the arguments in order, as Row.At gives values, and returns the rows, each with a value for every column, of a kind
// that parameters may have. It is called once for every row before CALL, from several goroutines at once where several
// queries run. A procedure of that name that was declared before is replaced; one of the language's own cannot be.
func (db *DB) Declare(signature string, rows func(args []any) ([][]any, error)) error {
	p, err := lang.ParseSignature(signature)
	if err != nil {
		return err
	}
	if lang.FindProcedure(p.Name) != nil {
		return fmt.Errorf("%s is a procedure of the language", p.Name)
	}
	width := len(p.Columns)
	p.Impl = exec.Declared(func(s *csr.Snapshot, given []value.Value) ([][]value.Value, error) {
		args := make([]any, len(given))
		for i, v := range given {
			args[i] = fromValue(s, v)
		}
		out, err := rows(args)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		return tableOf(p.Name, out, width)
	})
	db.cfg.query.declared.Add(p)
	return nil
}

// tableOf turns rows with so many columns into values.
func tableOf(name string, rows [][]any, width int) ([][]value.Value, error) {
	table := make([][]value.Value, len(rows))
	for i, row := range rows {
		if len(row) != width {
			return nil, fmt.Errorf("%s: row %d has %d values for %d columns", name, i, len(row), width)
		}
		table[i] = make([]value.Value, width)
		for j, x := range row {
			v, err := toValue(x)
			if err != nil {
				return nil, fmt.Errorf("%s: row %d, column %d: %w", name, i, j, err)
			}
			table[i][j] = v
		}
	}
	return table, nil
}
