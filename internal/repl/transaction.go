package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/lang"
)

// transaction returns the word of a statement that begins or ends a transaction, "" for any other statement.
func transaction(text string) string {
	words := strings.Fields(strings.ToUpper(strings.TrimPrefix(strings.TrimRight(text, "; \t\r\n"), ":")))
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

// writingWords are the words of which every statement that changes the graph has one.
var writingWords = []string{"CREATE", "MERGE", "SET", "REMOVE", "DELETE", "DROP"}

// mayWrite reports whether a text has a writing word. It is quick where reading the text takes long.
func mayWrite(text string) bool {
	text = strings.ToUpper(text)
	return slices.ContainsFunc(writingWords, func(w string) bool { return strings.Contains(text, w) })
}

// hasWritingWord reports whether a token of text is a writing word.
func hasWritingWord(text string) bool {
	for p := range lang.TokenPlaces(text) {
		if slices.Contains(writingWords, strings.ToUpper(text[p.Offset:p.Offset+p.Len])) {
			return true
		}
	}
	return false
}

// Writes reads at most so much of a text. That takes less than half a second.
const (
	mostTokens     = 16 << 10 // of a statement that it parses
	mostParsed     = 1000     // statements
	mostStatements = 50_000
	mostText       = 4 << 20 // bytes before a statement
)

// Writes reports whether a statement of text may change the graph. A statement of more than mostTokens tokens may if it has a writing word,
// and so may all that stands behind one of the other limits. Text that does not parse does not, nor does text that takes longer to parse
// than the limit; 0 sets no limit.
func Writes(text string, limit time.Duration) bool {
	if limit <= 0 {
		return writes(context.Background(), text)
	}
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	answer := make(chan bool, 1)
	go func() { answer <- writes(ctx, text) }()
	select {
	case w := <-answer:
		return w
	case <-ctx.Done():
		return false
	}
}

func writes(ctx context.Context, text string) bool {
	seen, parsed := 0, 0
	find := func(from int) (lang.Pos, bool) { return lang.NextStatement(ctx, text, from) }
	for st := range statements(text, true, find) {
		if transaction(st.text) != "" {
			return true
		}
		if seen++; seen > mostStatements || parsed == mostParsed || st.offset > mostText {
			return true
		}
		if !mayWrite(st.text) {
			continue
		}
		parsed++
		script, err := lang.ParseContext(ctx, fromNeo4j(st.text), mostTokens)
		if errors.Is(err, lang.ErrTokens) && hasWritingWord(st.text) {
			return true
		}
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
