package enginetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// The JSON of a value is the same from a row, from a value and from encoding/json, whatever the value is.
func TestValueJSON(t *testing.T) {
	db, err := motif.Open(":memory:", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	if _, err := db.Exec(ctx, `CREATE (:A:B {name: 'Ann "x"', k: [1, 2.0]})-[:R {w: 1e20}]->(:C)`, nil); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"RETURN null AS x":                                           `null`,
		"RETURN true AS x":                                           `true`,
		"RETURN -12 AS x":                                            `-12`,
		"RETURN 9007199254740993 AS x":                               `9007199254740993`,
		"RETURN 2.0 AS x":                                            `2.0`,
		"RETURN -0.0 AS x":                                           `-0.0`,
		"RETURN 1e300 AS x":                                          `1e+300`,
		"RETURN 0.0/0.0 AS x":                                        `"NaN"`,
		"RETURN [1.0/0.0, -1.0/0.0] AS x":                            `["Infinity","-Infinity"]`,
		"RETURN 'a\\n\\u2028<é>\\u0001' AS x":                        `"a\n\u2028<é>\u0001"`,
		"RETURN {b: 1, a: [], ` c`: {}} AS x":                        `{" c":{},"a":[],"b":1}`,
		"RETURN date('2020-02-29') AS x":                             `"2020-02-29"`,
		"RETURN [duration('P1DT2S')] AS x":                           `["P1DT2S"]`,
		"MATCH (x:A) RETURN x":                                       `{"id":0,"labels":["A","B"],"properties":{"k":[1,2.0],"name":"Ann \"x\""}}`,
		"MATCH (:A)-[x]->() RETURN x":                                `{"id":0,"type":"R","start":0,"end":1,"properties":{"w":1e+20}}`,
		"MATCH x = (:C)<--() RETURN x":                               `{"nodes":[{"id":1,"labels":["C"],"properties":{}},{"id":0,"labels":["A","B"],"properties":{"k":[1,2.0],"name":"Ann \"x\""}}],"relationships":[{"id":0,"type":"R","start":0,"end":1,"properties":{"w":1e+20}}]}`,
		"MATCH (n) WITH n ORDER BY id(n) RETURN collect(id(n)) AS x": `[0,1]`,
	} {
		rows, err := db.Query(ctx, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
			if got := string(row.AppendJSON([]byte("-"), 0)); got != "-"+want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
			if got := string(motif.AppendJSON(nil, row.At(0))); got != want {
				t.Errorf("%s: %s by value", text, got)
			}
			switch row.Kind(0) {
			case motif.KindNode, motif.KindRelationship, motif.KindPath:
				got, err := json.Marshal(row.At(0))
				if same, wantErr := compact(want); err != nil || wantErr != nil || string(got) != same {
					t.Errorf("%s: %s, %v by encoding/json", text, got, err)
				}
			}
		}
	}
}

func compact(text string) (string, error) {
	var b bytes.Buffer
	err := json.Compact(&b, []byte(text))
	return b.String(), err
}

// Strings are written as encoding/json writes them without care for HTML.
func FuzzStringJSON(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00\x1f\x7f\"\\/\b\f\n\r\t", "\u2028\u2029\ufffd", "\xff\xc0a\xe2\x80", "日本<&>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := string(motif.AppendJSON(nil, s)); got != strings.TrimSuffix(want.String(), "\n") {
			t.Errorf("%q: %s, want %s", s, got, &want)
		}
	})
}

// WriteJSON writes what AppendJSON appends, also where the value is longer than every buffer.
func TestWriteJSON(t *testing.T) {
	var list []any
	for i := range 60_000 {
		list = append(list, map[string]any{"i": int64(i), "s": fmt.Sprint("é", i), "f": math.Sqrt(float64(i))})
	}
	for _, v := range []any{nil, int64(1), "x", list[:3], list, map[string]any{"a": list[:9000], "b": list}} {
		want := string(motif.AppendJSON(nil, v))
		for _, size := range []int{16, 1 << 16, 1 << 20} {
			var plain, buffered strings.Builder
			out := bufio.NewWriterSize(&buffered, size)
			fmt.Fprint(out, "before ")
			if err := motif.WriteJSON(&plain, v); err != nil {
				t.Fatal(err)
			}
			if err := motif.WriteJSON(out, v); err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(out, " after")
			if out.Flush(); plain.String() != want || buffered.String() != "before "+want+" after" {
				t.Errorf("a value of %d bytes is written differently with a buffer of %d", len(want), size)
			}
		}
	}
	if err := motif.WriteJSON(failing{}, list); err == nil {
		t.Error("the writer's error is lost")
	}
}

// A value that contains itself, or that has no JSON, is null or an error; what other types have as JSON stays.
func TestForeignJSON(t *testing.T) {
	self := map[string]any{}
	self["a"], self["b"] = []any{self}, self
	for _, v := range []any{self, []any{int64(1), make(chan int)}, motif.Node{Props: self}} {
		if got := string(motif.AppendJSON([]byte("x"), v)); got != "xnull" {
			t.Errorf("%.40s", got)
		}
		if err := motif.WriteJSON(io.Discard, v); err == nil {
			t.Error("no error")
		}
	}
	for v, want := range map[any]string{7: "7", int32(-1): "-1", true: "true", [2]string{"a", "b"}: `["a","b"]`, motif.Point{SRID: 7203, X: 1, Y: 2}: `{"x":1.0,"y":2.0,"crs":"cartesian"}`} {
		if got := string(motif.AppendJSON(nil, v)); got != want {
			t.Errorf("%v: %s", v, got)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("full") }
