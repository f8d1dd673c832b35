package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/value"
)

// all reads every row.
func all(data []byte, batch int) (names []string, rows []Row, err error) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		return nil, nil, err
	}
	for {
		columns, err := r.Read(batch)
		if err == io.EOF {
			return r.Columns(), rows, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if len(columns) == 0 {
			continue
		}
		for i := range columns[0] {
			row := make(Row, len(columns))
			for c := range columns {
				row[c] = columns[c][i]
			}
			rows = append(rows, row)
		}
	}
}

// text writes rows to compare them; NaN is one value.
func text(rows []Row) string {
	var b []byte
	for _, row := range rows {
		b = append(b, value.OfList(row).String()...)
		b = append(b, '\n')
	}
	return string(b)
}

func randomScalar(rng *rand.Rand, t Type) value.Value {
	switch t {
	case Bool:
		return value.OfBool(rng.IntN(2) == 0)
	case Int:
		return value.OfInt([]int64{0, -1, math.MaxInt64, math.MinInt64, int64(rng.Uint64())}[rng.IntN(5)])
	case Float:
		return value.OfFloat([]float64{0, math.NaN(), math.Inf(-1), rng.NormFloat64()}[rng.IntN(4)])
	}
	return value.OfString([]string{"", "a", "é日本😀", "\x00\n\"", "a longer text that repeats itself a longer text"}[rng.IntN(5)])
}

// What Writer writes Reader reads, for all types, with rows missing in runs and singly.
func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		var columns []Column
		for i := range 1 + rng.IntN(4) {
			columns = append(columns, Column{Name: fmt.Sprintf("c%d", i), Type: Type(rng.IntN(5)), List: rng.IntN(3) == 0, Required: rng.IntN(3) == 0})
		}
		var out bytes.Buffer
		w, err := NewWriter(&out, columns)
		if err != nil {
			t.Fatal(err)
		}
		var rows []Row
		missing := false
		for range rng.IntN(300) {
			row := make(Row, len(columns))
			if rng.IntN(10) == 0 {
				missing = !missing
			}
			for i, c := range columns {
				switch {
				case !c.Required && (missing || rng.IntN(4) == 0):
				case c.List:
					l := []value.Value{}
					for range rng.IntN(4) {
						l = append(l, randomScalar(rng, c.Type))
					}
					row[i] = value.OfList(l)
				default:
					row[i] = randomScalar(rng, c.Type)
				}
			}
			rows = append(rows, row)
			if err := w.Row(row); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(100) == 0 {
				if err := w.flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		names, back, err := all(out.Bytes(), 1+rng.IntN(200))
		if err != nil {
			t.Fatalf("%+v: %v", columns, err)
		}
		if len(names) != len(columns) || text(rows) != text(back) {
			t.Fatalf("%+v: wrote\n%s\nread\n%s", columns, text(rows), text(back))
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		column Column
		v      value.Value
	}{{Column{Type: Int}, value.OfString("x")}, {Column{Type: Int, Required: true}, value.Value{}}, {Column{Type: Int, List: true}, value.OfInt(1)},
		{Column{Type: Int, List: true}, value.OfList([]value.Value{{}})}} {
		w, err := NewWriter(io.Discard, []Column{c.column})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Row(Row{c.v}); err == nil {
			t.Errorf("%+v took %s", c.column, c.v)
		}
	}
}

// A file of each encoding and compression, written by DuckDB (testdata/README.md tells how), holds the same rows.
func TestForeignFiles(t *testing.T) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	want, files := text(foreignRows()), 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".parquet") || strings.HasPrefix(e.Name(), "temporal") {
			continue
		}
		files++
		data, err := os.ReadFile("testdata/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		names, rows, err := all(data, 7)
		if err != nil || len(names) != 12 || names[0] != "id" {
			t.Errorf("%s: %v, %v", e.Name(), names, err)
		} else if diff := cmp.Diff(want, text(rows)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.Name(), diff)
		}
	}
	if files < 5 {
		t.Errorf("%d files", files)
	}
}

// Dates, times and decimals, also written by DuckDB, come as the values they stand for.
func TestForeignTypes(t *testing.T) {
	data, err := os.ReadFile("testdata/temporal.parquet")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, err := all(data, 7)
	want := "[date('2020-02-29'), localtime('12:30:01.5'), localdatetime('2020-02-29T12:30:01.123456'), datetime('2020-02-29T11:30:01.123456Z'), 12.34, -5.0, 'e0ff8a3c-0a3b-4b1e-8b1c-0d8f1a2b3c4d', 4000000000]\n" +
		"[date('1969-12-31'), localtime('00:00'), localdatetime('1969-12-31T23:59:59.999999'), datetime('0001-01-01T00:00Z'), -0.01, 1.0E20, null, 0]\n"
	if diff := cmp.Diff(want, text(rows)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// foreignRows are the rows of the files in testdata.
func foreignRows() (rows []Row) {
	ints := func(n ...int64) value.Value {
		l := []value.Value{}
		for _, x := range n {
			l = append(l, value.OfInt(x))
		}
		return value.OfList(l)
	}
	for i := range int64(300) {
		row := Row{value.OfInt(i), value.OfInt(i % 7), value.OfInt(i * i), value.OfFloat(float64(i) / 8), value.OfFloat(float64(i) / 4),
			value.OfString(fmt.Sprintf("text %d", i%11)), value.OfString(fmt.Sprintf("prefix/common/%d", i)), value.OfBool(i%2 == 0),
			ints(i, i+1, i+2), value.OfList([]value.Value{value.OfString("é")}), value.OfInt(i % 250), value.OfInt(i)}
		if i%5 == 0 {
			row[2] = value.Value{}
		}
		if i%3 == 0 {
			row[5] = value.Value{}
		}
		switch i % 6 {
		case 0:
			row[8] = value.Value{}
		case 1:
			row[8] = ints()
		}
		if i%4 == 0 {
			row[9] = value.OfList([]value.Value{value.OfString("a"), value.OfString("b;c")})
		}
		rows = append(rows, row)
	}
	return rows
}

func TestSharedKuzuParquet(t *testing.T) {
	dir := shared.Unpack(t, "kuzu_small.tar.zst")
	for name, want := range map[string]string{
		"city":     "['Waterloo', 150000]\n['Kitchener', 200000]\n['Guelph', 75000]\n",
		"user":     "['Adam', 30]\n['Karissa', 40]\n['Zhang', 50]\n['Noura', 25]\n",
		"lives-in": "['Adam', 'Waterloo']\n['Karissa', 'Waterloo']\n['Zhang', 'Kitchener']\n['Noura', 'Guelph']\n",
		"follows":  "['Adam', 'Karissa', 2020]\n['Adam', 'Zhang', 2020]\n['Karissa', 'Zhang', 2021]\n['Zhang', 'Noura', 2022]\n",
	} {
		data, err := os.ReadFile(dir + "/dataset/demo-db/parquet/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		if _, rows, err := all(data, 100); err != nil || text(rows) != want {
			t.Errorf("%s: %v\n%s", name, err, text(rows))
		}
	}
}

// sampleFile is a small file of every kind of column.
func sampleFile() []byte {
	var out bytes.Buffer
	w, _ := NewWriter(&out, []Column{{"a", Int, false, true}, {"b", String, false, false}, {"c", Float, true, false}, {"d", Bool, true, true}, {"e", JSON, false, false}})
	for i := range 20 {
		row := Row{value.OfInt(int64(i)), value.OfString("x"), value.OfList([]value.Value{value.OfFloat(1), value.OfFloat(2)}), value.OfList([]value.Value{}), value.OfString("[1]")}
		if i%3 == 0 {
			row[1], row[2] = value.Value{}, value.Value{}
		}
		if i > 15 {
			row[3] = value.OfList([]value.Value{value.OfBool(true)})
		}
		if err := w.Row(row); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Every file cut short, and every byte changed, gives rows or an error.
func TestDamage(t *testing.T) {
	data := sampleFile()
	for n := range len(data) {
		if _, _, err := all(data[:n], 10); err == nil {
			t.Fatalf("%d of %d bytes were read", n, len(data))
		}
	}
	for i := range data {
		for _, b := range []byte{0, 0xff, data[i] ^ 1, data[i] ^ 0x80} {
			bad := slices.Clone(data)
			bad[i] = b
			all(bad, 10)
		}
	}
}

// fuzzFile makes a file of a damaged footer that is as long as it says.
func fuzzFile(body []byte) []byte {
	out := append([]byte(magic), body...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(min(len(body), 1<<20))), magic...)
}

func FuzzReader(f *testing.F) {
	data := sampleFile()
	f.Add(data, false)
	f.Add(data[4:len(data)-8], true)
	entries, _ := os.ReadDir("testdata")
	for _, e := range entries {
		if data, err := os.ReadFile("testdata/" + e.Name()); err == nil && len(data) < 8000 {
			f.Add(data, false)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, footer bool) {
		if footer {
			data = fuzzFile(data)
		}
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			return
		}
		for rows := 0; rows < 100000; {
			columns, err := r.Read(1000)
			if err != nil {
				return
			}
			for _, c := range columns {
				if len(c) == 0 || len(c) != len(columns[0]) {
					t.Fatalf("columns of %d and %d rows", len(c), len(columns[0]))
				}
			}
			rows += 1000
		}
	})
}
