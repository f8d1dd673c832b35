package exec

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/motifql/motif/internal/eval"
)

// csvMeter reads a CSV file for a csv.Reader, which holds a whole line, or a whole field with line breaks. The meter charges
// long lines before they are read, and ends the reading with its context.
type csvMeter struct {
	file    io.Reader
	ctx     context.Context
	account *eval.Account
	comma   []byte
	read    int64 // bytes since the last line
	cost    int64 // of these bytes
	charged int64 // the highest cost so far; the csv.Reader keeps its buffers
	err     error
}

const (
	csvBuffer  = 1 << 16
	freeBytes  = 2 * csvBuffer // a line that is shorter is not charged: the buffer holds several
	maxLine    = 1 << 28
	byteCost   = 5   // the csv.Reader has the line and its text, in buffers that grow; and the text becomes a value
	columnCost = 110 // and it has places, strings and values for the columns
)

func (m *csvMeter) Read(p []byte) (int, error) {
	if m.err == nil {
		m.err = m.ctx.Err()
	}
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.file.Read(p)
	if m.read += int64(n); m.read > freeBytes {
		m.cost += byteCost*int64(n) + columnCost*int64(bytes.Count(p[:n], m.comma))
		m.err = m.charge()
	}
	if m.err != nil {
		return 0, m.err
	}
	return n, err
}

func (m *csvMeter) charge() error {
	if m.read > maxLine {
		return fmt.Errorf("a line is longer than %d MiB", maxLine>>20)
	}
	more := m.cost - m.charged
	if more <= 0 {
		return nil
	}
	m.charged = m.cost
	return m.account.Charge(more)
}

// line says that a line ends.
func (m *csvMeter) line() {
	m.read, m.cost = 0, 0
	m.account.Rows++
}
