package importer

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/motifql/motif/internal/value"
)

// TestInference loads one column at a time: each row of the table has its values and the cells that come out.
func TestInference(t *testing.T) {
	for _, tt := range []struct{ values, want string }{
		{"1|-2||30", "1 -2 null 30"},
		{"1|2.5|-3e2", "1.0 2.5 -300.0"},
		{"1|2.5|NaN", "1.0 2.5 NaN"},
		{"1|x", "'1' 'x'"},
		{"1|2|007", "'1' '2' '007'"},
		{"0|-0|0.5", "'0' '-0' '0.5'"},
		{"+4930123|1", "'+4930123' '1'"},
		{"9007199254740993|1", "9007199254740993 1"},
		{"9007199254740993|0.5", "'9007199254740993' '0.5'"},
		{"9223372036854775808|1", "'9223372036854775808' '1'"},
		{"1e999|1", "'1e999' '1'"},
		{".5|5.", "0.5 5.0"},
		{"0x10|1", "'0x10' '1'"},
		{"1_000|1", "'1_000' '1'"},
		{`"1,234"|"2"`, "'1,234' '2'"},
		{`"1"|""|"3"`, "1 null 3"},
		{`""||""`, "'' null ''"},
		{"true|FALSE|", "true false null"},
		{"true|1", "'true' '1'"},
		{"t|f", "'t' 'f'"},
		{"2020-01-31|1999-12-01", "date('2020-01-31') date('1999-12-01')"},
		{"2020-01-31|2020-02-30", "'2020-01-31' '2020-02-30'"},
		{"2020-01-31|2020-01-31T10:00", "'2020-01-31' '2020-01-31T10:00'"},
		{"2020-01-31 10:00:01|2020-01-31T10:00", "localdatetime('2020-01-31T10:00:01') localdatetime('2020-01-31T10:00')"},
		{"2020-01-31T10:00:01.5Z|2020-01-31 10:00+02:00", "datetime('2020-01-31T10:00:01.5Z') datetime('2020-01-31T10:00+02:00')"},
		{"10:00:00|11:30:15.25", "localtime('10:00') localtime('11:30:15.25')"},
		{"10:00|1:2", "'10:00' '1:2'"},
		{"01/02/2020|31.12.2020", "'01/02/2020' '31.12.2020'"},
		{"2020|20200131", "2020 20200131"},
		{"1|NA|NULL|\\N|N/A", "1 null null null null"},
		{"x|NA|\\N", "'x' 'NA' null"},
		{"NA|NULL", "'NA' 'NULL'"},
		{`1|"NA"`, "'1' 'NA'"},
		{"NA|NA|1", "null null 1"},
		{" 1 | 2", "1 2"},
		{" a |b", "' a ' 'b'"},
		{"|", "null null"},
	} {
		text := "id,value\n"
		for i, v := range strings.Split(tt.values, "|") {
			text += fmt.Sprintf("%d,%s\n", i, v)
		}
		spec := Spec{FS: memory(map[string]string{"n.csv": text}), Nodes: nodeFiles("N=n.csv")}
		for _, chunk := range []int{defaultChunk, 1, 12, 20} {
			if got := columnX(t, spec, chunk); got != tt.want {
				t.Errorf("%s in chunks of %d: %s, want %s", tt.values, chunk, got, tt.want)
			}
		}
	}
}

// columnX is property value of all nodes.
func columnX(t *testing.T, spec Spec, chunk int) string {
	t.Helper()
	s, _, err := loadChunks(spec, chunk)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	key, ok := s.Keys.Lookup("value")
	for v := range s.N() {
		text := "null"
		if ok {
			if c, ok := s.VertexProps[key].Get(uint64(v)); ok {
				text = value.OfCell(c).String()
			}
		}
		got = append(got, text)
	}
	return strings.Join(got, " ")
}

// TestRandomInference compares the types of random columns with a definition made of regular expressions.
func TestRandomInference(t *testing.T) {
	words := []string{"1", "-5", "0", "12", "9007199254740993", "0.5", "1e3", "true", "False", "2020-01-31", "2020-01-31 10:00", "x", "007", "NA", "\\N", "", "", `""`}
	forms := []struct{ typ, form string }{
		{"int", `^-?(0|[1-9]\d*)$`}, {"float", `^-?(0|[1-9]\d{0,14})(\.\d+)?(e\d+)?$`}, {"boolean", `(?i)^(true|false)$`},
		{"date", `^\d{4}-\d\d-\d\d$`}, {"localdatetime", `^\d{4}-\d\d-\d\d \d\d:\d\d$`},
	}
	for round := range 400 {
		rng := rand.New(rand.NewPCG(uint64(round), 7))
		pool := words[:0:0]
		for range 1 + rng.IntN(3) {
			pool = append(pool, words[rng.IntN(len(words))])
		}
		var values []string
		untyped, typed := "id,value\n", "id:ID,value:%s\n"
		for i := range 1 + rng.IntN(30) {
			v := pool[rng.IntN(len(pool))]
			values = append(values, v)
			untyped += strconv.Itoa(i) + "," + v + "\n"
		}
		typ := "string"
		for _, f := range forms {
			fits, some := true, false
			for _, v := range values {
				if v != "NA" && v != `\N` && v != "" && v != `""` {
					some, fits = true, fits && regexp.MustCompile(f.form).MatchString(v)
				}
			}
			if some && fits {
				typ = f.typ
				break
			}
		}
		for i, v := range values {
			if v == `\N` || v == "NA" && typ != "string" {
				v = ""
			}
			typed += strconv.Itoa(i) + "," + strings.Replace(v, " ", "T", 1) + "\n"
		}
		if typ == "string" {
			typed = strings.ReplaceAll(typed, "31T10", "31 10")
		}
		files := map[string]string{"u": untyped, "t": fmt.Sprintf(typed, typ)}
		want := columnX(t, Spec{FS: memory(files), Nodes: nodeFiles("N=t")}, defaultChunk)
		for _, chunk := range []int{defaultChunk, 1, 9, 33} {
			got := columnX(t, Spec{FS: memory(files), Nodes: nodeFiles("N=u"), Workers: 1 + round%3}, chunk)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("round %d, chunks of %d, %s (-want +got):\n%s\n%s", round, chunk, typ, diff, untyped)
			}
		}
	}
}

func TestTypes(t *testing.T) {
	files := memory(map[string]string{
		"n.csv": "name,mail,zip,born:int\nAnn,a@x,12345,1990\nBob,b@x,54321,1980\n",
		"r.csv": "zip,from,to\n1,a@x,b@x\n",
	})
	spec := Spec{FS: files, Nodes: nodeFiles("P=n.csv"), Relationships: relFiles("KNOWS=r.csv"),
		Types: map[string]string{"mail": "ID", "zip": "text", "born": "FLOAT", "from": "START_ID", "to": "END_ID"}}
	checkLoad(t, spec, `
(0:P {born: 1990.0, mail: 'a@x', name: 'Ann', zip: '12345'})
(1:P {born: 1980.0, mail: 'b@x', name: 'Bob', zip: '54321'})
(0)-[:KNOWS {zip: '1'}]->(1)
`, 0, 0)
	for types, want := range map[string]string{
		"name=int":  `n.csv:2:1: found "Ann" in column "name", expected a 64-bit integer`,
		"name=what": `n.csv:1:1: found type "what", expected ID, START_ID, END_ID, LABEL, TYPE, IGNORE or one of int, long, float, double, boolean, byte, short, char, string, json, point, date, localtime, time, localdatetime, datetime, duration, each also with []`,
		"nme=int":   `no CSV file has a column "nme", for which a type is given`,
	} {
		name, typ, _ := strings.Cut(types, "=")
		checkError(t, Spec{FS: files, Nodes: nodeFiles("P=n.csv"), Types: map[string]string{name: typ}}, want)
	}
	checkError(t, Spec{FS: files, Files: []string{"n.csv"}, Format: FormatCSV, Types: spec.Types}, "types of columns apply to node and relationship files only")
}
