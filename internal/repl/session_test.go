package repl

import (
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// A fault of Motif shows what a report needs: the query and the stack.
func TestDescribeInternalError(t *testing.T) {
	text := Describe(&motif.InternalError{In: "a query", Query: "RETURN 1 AS x", Value: "index out of range", Stack: []byte("goroutine 1 [running]:\n\tmain.go:5")})
	for _, want := range []string{"internal error in a query: index out of range", "please report it", "query: RETURN 1 AS x", "\tmain.go:5"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}
