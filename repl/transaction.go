package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/motifql/motif/lang"
)

// transaction returns the word of a statement that begins or ends a transaction, "" for any other statement.
func transaction(text string) string {
	words := strings.Fields(strings.ToUpper(strings.TrimRight(text, "; \t\r\n")))
	if len(words) == 0 || len(words) > 2 || len(words) == 2 && words[1] != "TRANSACTION" {
		return ""
	}
	switch words[0] {
	case "BEGIN", "COMMIT", "ROLLBACK":
		return words[0]
	}
	return ""
}

// transact runs a statement that begins or ends a transaction. It reports whether the statement was one.
func (s *Session) transact(ctx context.Context, text string) (bool, error) {
	word := transaction(text)
	switch {
	case word == "":
		return false, nil
	case word == "BEGIN" && s.tx != nil:
		return true, errors.New("a transaction is open already; COMMIT or ROLLBACK it first")
	case word == "BEGIN":
		tx, err := s.DB.BeginWrite(ctx)
		s.tx = tx
		return true, err
	case s.tx == nil:
		return true, fmt.Errorf("no transaction is open: nothing to %s; BEGIN opens one", strings.ToLower(word))
	}
	tx := s.tx
	s.tx = nil
	defer tx.Rollback()
	if word == "ROLLBACK" {
		return true, nil
	}
	return true, tx.Commit(ctx)
}

// Close drops a transaction that is still open, and says so.
func (s *Session) Close() {
	if s.tx == nil {
		return
	}
	s.tx.Rollback()
	s.tx = nil
	fmt.Fprintln(s.Err, "the transaction was not committed; its changes are dropped")
}

// Writes reports whether a statement of text may change the graph. Text that does not parse does not.
func Writes(text string) bool {
	for _, st := range split(text) {
		if transaction(st.text) != "" {
			return true
		}
		script, err := lang.Parse(st.text)
		if err != nil {
			continue
		}
		for _, s := range script.Statements {
			if s.Explain != lang.Explain && s.Writes() {
				return true
			}
		}
	}
	return false
}
