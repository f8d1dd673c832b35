package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestServe sends a request of every kind and compares the replies as text.
func TestServe(t *testing.T) {
	in := []string{
		`{"op":"reset"}`,
		`{"query":"MATCH (n) RETURN n","params":{}}`,
		`{"query":"MATCH () RETURN $x AS x","params":{"x":1}}`,
		`{"query":"RETURN b","params":{}}`,
		`{"query":"MATCH (n) RETURN n.x + $no","params":{}}`,
		`{"op":"procedure","signature":"my.p(in :: INTEGER?) :: (out :: STRING?)","columns":["in","out"],"rows":[[1,"a"],[2,"b"],[1,"c"]]}`,
		`{"query":"CALL my.p(1)","params":{}}`,
		`{"query":"CALL my.p","params":{"in":2}}`,
		`{"op":"what"}`,
		`no JSON`,
	}
	want := []string{
		`{"ok":true}`,
		`{"columns":["n"],"rows":[]}`,
		`{"columns":["x"],"rows":[]}`,
		`{"error":{"type":"SyntaxError","phase":"compile time","detail":"UndefinedVariable"`,
		`{"error":{"type":"ParameterMissing","phase":"compile time","detail":"MissingParameter"`,
		`{"ok":true}`,
		`{"columns":["out"],"rows":[["a"],["c"]]}`,
		`{"columns":["out"],"rows":[["b"]]}`,
		`{"error":{"type":"","phase":"","detail":"","message":"unknown request \"what\""`,
		`{"error":{"type":"","phase":"","detail":"","message":"invalid`,
	}
	var out bytes.Buffer
	if err := new(server).serve(strings.NewReader(strings.Join(in, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d replies to %d requests: %q", len(got), len(want), got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("to %s\n got  %s\n want %s", in[i], got[i], want[i])
		}
	}
}
