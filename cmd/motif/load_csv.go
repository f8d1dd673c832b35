package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/storage/importer"
)

// csvFlags are the flags of motif load that say how to read tables.
type csvFlags struct {
	Header   []string          `xor:"header" placeholder:"COL,..." help:"Names of the columns of a CSV file without a header line."`
	NoHeader bool              `xor:"header" help:"CSV files have no header line: the columns are id, column2, ..., or from, to, column3, ..."`
	Types    map[string]string `mapsep:"," placeholder:"COLUMN=TYPE,..." help:"Types of columns in CSV files: int, float, boolean, string, date, ... (default: what all values of the column fit)."`
	BadRows  string            `placeholder:"FILE" help:"Skip bad rows, and list them in this CSV file: their places, what is wrong, and their text."`
}

// set copies the flags to a Spec.
func (f *csvFlags) set(spec *importer.Spec) {
	if f.BadRows != "" {
		spec.SkipBad, spec.ListBad = true, true
	}
	spec.Types, spec.Header, spec.NoHeader = f.Types, f.Header, f.NoHeader
}

// badRowsHeader begins every list of bad rows.
const badRowsHeader = "at,reason,row\n"

// checkBadRows refuses a file for bad rows that holds something else.
func (f *csvFlags) checkBadRows() error {
	if f.BadRows == "" {
		return nil
	}
	file, err := os.Open(f.BadRows)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, len(badRowsHeader))
	if n, err := io.ReadFull(file, head); n > 0 && (err != nil || string(head) != badRowsHeader) {
		return fmt.Errorf("%s exists and is no list of bad rows; --bad-rows names a new file", f.BadRows)
	}
	return nil
}

// writeBadRows lists the rows that a load left out.
func (f *csvFlags) writeBadRows(rows []importer.BadRow) error {
	if f.BadRows == "" {
		return nil
	}
	var b bytes.Buffer
	b.WriteString(badRowsHeader)
	w := csv.NewWriter(&b)
	for _, row := range rows {
		if err := w.Write([]string{place(row.Error), row.Error.Msg, row.Row}); err != nil {
			return err
		}
	}
	w.Flush()
	return os.WriteFile(f.BadRows, b.Bytes(), 0o644)
}

// place is the file, line and column of an error.
func place(e *importer.Error) string {
	if e.Line == 0 {
		return e.File
	}
	return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
}

// describeBadRows says which rows a load left out.
func (f *csvFlags) describeBadRows(w io.Writer, r *motif.LoadReport) {
	switch {
	case r.Skipped == 0:
	case f.BadRows != "":
		fmt.Fprintf(w, "left out %s; %s lists them\n", counted(r.Skipped, "bad row"), f.BadRows)
	default:
		fmt.Fprintf(w, "left out %s; --bad-rows FILE lists all\n", counted(r.Skipped, "bad row"))
		for _, row := range r.BadRows {
			fmt.Fprintf(w, "  %s\n", repl.Visible(row.Error.Error()))
		}
	}
}
