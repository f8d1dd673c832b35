package enginetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// What is wrong with a declared procedure is said when it is declared or run.
func TestDeclareErrors(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	none := func(context.Context, *motif.Call) error { return nil }
	for _, signature := range []string{"", "p", "p()", "p(a) :: ()", "p(a :: THING) :: ()", "p() :: () x", "db.labels() :: ()"} {
		if err := db.Declare(signature, none); err == nil {
			t.Errorf("%q was taken", signature)
		}
	}
	short := func(_ context.Context, call *motif.Call) error { return call.Emit(1) }
	if err := db.Declare("my.p(n :: FLOAT) :: (a :: INTEGER, b :: INTEGER?)", short); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"CALL my.p(1)": "1 values for 2 columns", "CALL my.p('x')": "InvalidArgumentType", "CALL my.p": "MissingParameter", "CALL my.p()": "InvalidNumberOfArguments",
		"CALL my.q(1)": "did you mean my.p?", "MATCH (x) CALL my.p(1) RETURN x": "write YIELD a, b",
	} {
		rows, err := db.Query(context.Background(), text, nil)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
		}
		text := fmt.Sprint(err)
		if q, ok := err.(*motif.QueryError); ok {
			text = q.Pretty()
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: %s", want, text)
		}
	}
}
