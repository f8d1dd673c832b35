package importer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nodeFiles parses arguments; a comma after a backslash belongs to the name of a file.
func nodeFiles(args ...string) (files []NodeFile) {
	for _, arg := range args {
		f, err := ParseNodeFile(strings.ReplaceAll(arg, `\,`, "\x00"))
		if err != nil {
			panic(err)
		}
		for i, path := range f.Paths {
			f.Paths[i] = strings.ReplaceAll(path, "\x00", ",")
		}
		files = append(files, f)
	}
	return files
}

func relFiles(args ...string) (files []RelationshipFile) {
	for _, arg := range args {
		f, err := ParseRelationshipFile(arg)
		if err != nil {
			panic(err)
		}
		files = append(files, f)
	}
	return files
}

func TestProperties(t *testing.T) {
	tests := []struct {
		name     string
		files    map[string]string
		nodes    []string
		rels     []string
		spec     Spec
		want     string
		external string
		skipped  uint64
		warnings []string
	}{
		{
			name: "labels, types, id spaces, a multigraph",
			files: map[string]string{
				"person.csv": "id:ID(Person),name:string,age:int,:LABEL\n1,Ann,40,\n2,\"Bob, Jr.\",,Admin;Staff\n",
				"post.csv":   "\xef\xbb\xbf:ID(Post)|text\r\n1|hi\r\np2|\"two\r\nlines, \"\"quoted\"\"\"\r\n",
				"knows.csv":  ":START_ID(Person)\t:END_ID(Person)\tsince:int\n1\t2\t2000\n1\t2\t2001\n2\t2\t\n",
				"wrote.csv":  ":END_ID(Post);:START_ID(Person);:TYPE\n1;1;\np2;2;EDITED",
			},
			nodes: []string{"Person=person.csv", "Message:Post=post.csv"},
			rels:  []string{"KNOWS=knows.csv", "WROTE=wrote.csv"},
			want: `
(0:Person {age: 40, id: 1, name: 'Ann'})
(1:Admin:Person:Staff {id: 2, name: 'Bob, Jr.'})
(2:Message:Post {text: 'hi'})
(3:Message:Post {text: 'two\r\nlines, "quoted"'})
(0)-[:KNOWS {since: 2000}]->(1)
(0)-[:KNOWS {since: 2001}]->(1)
(0)-[:WROTE]->(2)
(1)-[:EDITED]->(3)
(1)-[:KNOWS]->(1)
`,
			external: "\"Person\": 0=1 1=2\n\"Post\": 2='1' 3='p2'\n",
		},
		{
			name: "types",
			files: map[string]string{"n.csv": ":ID,a:int,b:long,c:float,d:double,e:boolean,f:byte,g:short,h:char,i:string,j,k:IGNORE,l:Int\n" +
				"x, 7 ,-9223372036854775808,0.5,1e3,TRUE,1,2,é, s ,\"\",zz,+8\n" +
				"y,,,,,,,,,,,,\n" +
				"z,\"1\",\"\",NaN,-inf,false,0,0,\"\"\"\",a \"b\",\"\",,\n"},
			nodes: []string{"n.csv"},
			want: `
(0 {a: 7, b: -9223372036854775808, c: 0.5, d: 1000.0, e: true, f: 1, g: 2, h: 'é', i: ' s ', j: '', l: 8})
(1)
(2 {a: 1, c: NaN, d: -Infinity, e: false, f: 0, g: 0, h: '"', i: 'a "b"', j: ''})
`,
			external: "\"\": 0='x' 1='y' 2='z'\n",
		},
		{
			name: "arrays, dates and points",
			files: map[string]string{"n.csv": ":ID,s:string[],n:int[],x:double[],b:boolean[],d:date,ds:date[],p:point{crs:WGS-84}\n" +
				"1,a;b c;,1; 2,0.5;1,true;FALSE,2020-01-02,2020-01-02;2020-01-03,\"{latitude: 1, longitude: 2}\"\n2,,,,,,,\n"},
			nodes: []string{"n.csv"},
			want: `
(0 {b: [true, false], d: date('2020-01-02'), ds: [date('2020-01-02'), date('2020-01-03')], n: [1, 2], p: point({x: 2.0, y: 1.0, crs: 'wgs-84'}), s: ['a', 'b c', ''], x: [0.5, 1.0]})
(1)
`,
			external: "\"\": 0=1 1=2\n",
		},
		{
			name:  "quotes inside fields, colons in names",
			files: map[string]string{"n.csv": ":ID,a:b:int,s\n1,5,5\" pipe\n2,,\"two\nlines\"\n3,,x \"y\"\n4,6,\"a\n\"\"\nb\"\n"},
			nodes: []string{"n.csv"},
			want: `
(0 {a:b: 5, s: '5" pipe'})
(1 {s: 'two\nlines'})
(2 {s: 'x "y"'})
(3 {a:b: 6, s: 'a\n"\nb'})
`,
			external: "\"\": 0=1 1=2 2=3 3=4\n",
		},
		{
			name: "header apart, repeated header, labels from several files",
			files: map[string]string{
				"h.csv": "id:ID,n:int\n", "1.csv": "1,1\n2,2\n", "2.csv": "", "3.csv": "id:ID,n:int\r\n3,3", "a,b.csv": "id:ID\n4\n",
				"rh.csv": ":START_ID,:END_ID", "r1.csv": "1,2\n", "r2.csv": "4,3\n",
			},
			nodes:    []string{"A=h.csv,1.csv,2.csv,3.csv", `A:B=a\,b.csv`},
			rels:     []string{"R=rh.csv,r1.csv,r2.csv"},
			want:     "(0:A {id: 1, n: 1})\n(1:A {id: 2, n: 2})\n(2:A {id: 3, n: 3})\n(3:A:B {id: 4})\n(0)-[:R]->(1)\n(3)-[:R]->(2)\n",
			external: "\"\": 0=1 1=2 2=3 3=4\n",
			warnings: []string{"3.csv: its first line repeats the header and was left out"},
		},
		{
			name: "plain headers",
			files: map[string]string{
				"user.csv": "user_id,name\n1,ann\n007,bond\n",
				"r.csv":    "user_id,user_id,since\n1,007,x\n",
			},
			nodes:    []string{"User=user.csv"},
			rels:     []string{"KNOWS=r.csv"},
			want:     "(0:User {name: 'ann', user_id: '1'})\n(1:User {name: 'bond', user_id: '007'})\n(0)-[:KNOWS {since: 'x'}]->(1)\n",
			external: "\"\": 0='1' 1='007'\n",
			warnings: []string{
				`user.csv: took the first column, "user_id", for the node's id (to say so, write user_id:ID in the header)`,
				`r.csv: took the columns "user_id" and "user_id" for the ends of the relationships (to say so, write :START_ID and :END_ID behind their names in the header)`,
			},
		},
		{
			name: "names that say which columns are ids",
			files: map[string]string{
				"user.csv": "name,ID,age\nann,1,36\nbond,2,\n",
				"r.csv":    "since:int,To,From,w\n2010,2,1,0.5\n", "s.csv": "source,target\n1,1\n",
			},
			nodes:    []string{"User=user.csv"},
			rels:     []string{"KNOWS=r.csv", "IS=s.csv"},
			want:     "(0:User {ID: 1, age: 36, name: 'ann'})\n(1:User {ID: 2, name: 'bond'})\n(0)-[:IS]->(0)\n(0)-[:KNOWS {since: 2010, w: 0.5}]->(1)\n",
			external: "\"\": 0=1 1=2\n",
		},
		{
			name: "id types",
			files: map[string]string{
				"a.csv": "id:ID(A){id-type:string}\n1\n", "b.csv": "\"id:ID(B){label:X, id-type: long}\"\n1\n",
			},
			nodes: []string{"a.csv", "b.csv"},
			want:  "(0 {id: '1'})\n(1 {id: 1})\n", external: "\"A\": 0='1'\n\"B\": 1=1\n",
		},
		{
			name:  "nodes without ids",
			files: map[string]string{"n.csv": "name:string\na\n\n\r\nb\n"},
			nodes: []string{"n.csv"}, want: "(0 {name: 'a'})\n(1 {name: 'b'})\n",
		},
		{
			name:     "header only",
			files:    map[string]string{"n.csv": ":ID", "r.csv": ":START_ID,:END_ID\n"},
			nodes:    []string{"n.csv"},
			rels:     []string{"R=r.csv"},
			want:     "",
			external: "",
		},
		{
			name:  "bad rows skipped",
			files: map[string]string{"n.csv": ":ID,x:int\n1,1\n1,2\n2,3\n", "r.csv": ":START_ID,w:int,:END_ID\n1,7,3\n2,8,1\n4,9,1\n"},
			nodes: []string{"n.csv"}, rels: []string{"R=r.csv"}, spec: Spec{SkipBad: true}, skipped: 3,
			want: "(0 {x: 1})\n(1 {x: 3})\n(1)-[:R {w: 8}]->(0)\n", external: "\"\": 0=1 1=2\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.FS = memory(tt.files)
			tt.spec.Nodes = nodeFiles(tt.nodes...)
			tt.spec.Relationships = relFiles(tt.rels...)
			r := checkLoad(t, tt.spec, tt.want, 0, 0)
			if r.Skipped != tt.skipped || !slices.Equal(r.Warnings, tt.warnings) || r.Format != "property graph" {
				t.Errorf("%d skipped, warnings %q, format %q; want %d, %q", r.Skipped, r.Warnings, r.Format, tt.skipped, tt.warnings)
			}
			s, _, err := loadChunks(tt.spec, 5)
			if err != nil {
				t.Fatal(err)
			}
			if got := externals(s); got != tt.external {
				t.Errorf("external ids\n%swant\n%s", got, tt.external)
			}
		})
	}
}

func TestDelimiters(t *testing.T) {
	spec := Spec{Delimiter: '|', ArrayDelimiter: ',', FS: memory(map[string]string{"n.csv": ":ID|a,b:string[]\n1|x,y;z\n"}), Nodes: nodeFiles("n.csv")}
	checkLoad(t, spec, "(0 {a,b: ['x', 'y;z']})\n", 0, 0)
}

func TestMalformedProperties(t *testing.T) {
	const people = ":ID(Person),age:int\n1,40\n2,41\n"
	tests := []struct {
		name, nodes, rels, want string
	}{
		{"empty", "", "", "n.csv: the file is empty, expected a header line"},
		{"blank", "\n\n", "", "n.csv: the file is empty, expected a header line"},
		{"unknown type", ":ID,age:integer\n", "", `n.csv:1:5: found type "integer", expected ID, START_ID, END_ID, LABEL, TYPE, IGNORE or one of int, long, float, double, boolean, byte, short, char, string, json, point, date, localtime, time, localdatetime, datetime, duration, each also with []`},
		{"parentheses", ":ID(A,x\n", "", `n.csv:1:1: found "ID(A", whose parentheses do not match`},
		{"label space", ":ID,:LABEL(x)\n", "", `n.csv:1:5: found an id space after LABEL, which has none`},
		{"unknown option", ":ID{a:b},n:int\n", "", `n.csv:1:1: found unknown option "a:b", expected id-type, label, timezone, crs, encoding or name`},
		{"bad id type", ":ID{id-type:float}\n", "", `n.csv:1:1: found option "id-type:float", expected id-type: int, long or string, of an ID column`},
		{"no name", ":ID,:int\n", "", `n.csv:1:5: found a column without a name, expected name or name:type (:IGNORE leaves a column out)`},
		{"same name", "a:ID,b,a:int\n", "", `n.csv:1:8: found a second column for property "a"`},
		{"two ids", "a:ID,b:ID\n", "", `n.csv:1:6: found a second :ID column, expected one`},
		{"rel column", ":ID,:START_ID\n", "", `n.csv:1:5: found a :START_ID column in a node file`},
		{"header in Latin-1", ":ID,gr\xfc\xdfe\n", "", `n.csv:1:7: found byte 0xFC, which is not UTF-8 text; convert the file to UTF-8 first`},
		{"bad int", ":ID,age:int\n1,40\n2,4x\n", "", `n.csv:3:3: found "4x" in column "age", expected a 64-bit integer`},
		{"huge int", ":ID,age:int\n1,9223372036854775808\n", "", `n.csv:2:3: found "9223372036854775808" in column "age", expected a 64-bit integer`},
		{"bad float", ":ID,x:float\n1,0x1p3\n", "", `n.csv:2:3: found "0x1p3" in column "x", expected a number`},
		{"huge float", ":ID,x:float\n1,1e999\n", "", `n.csv:2:3: found "1e999" in column "x", expected a number`},
		{"bad boolean", ":ID,x:boolean\n1,yes\n", "", `n.csv:2:3: found "yes" in column "x", expected true or false`},
		{"bad char", ":ID,x:char\n1,yes\n", "", `n.csv:2:3: found "yes" in column "x", expected one character`},
		{"bad element", ":ID,x:int[]\n1,1;;2\n", "", `n.csv:2:3: found "" as element 2 of column "x", expected a 64-bit integer (elements are separated by ";")`},
		{"after a quoted line end", ":ID,a,x:int\n1,\"ä\nö\",2 3\n", "", `n.csv:3:4: found "2 3" in column "x", expected a 64-bit integer`},
		{"too few fields", ":ID,a,b:int\n1,x\n", "", `n.csv:2:4: found 2 fields, expected 3 (the next is "b")`},
		{"too many fields", ":ID,a\n1,x,y,z\n", "", `n.csv:2:5: found 4 fields, expected 2; the delimiter is ','`},
		{"two mistakes, the first one seen last", "a:ID\n00\n00\n00,\n", "", `n.csv:3:1: found id "00" a second time in the id space without a name`},
		{"empty id", ":ID,a\n ,x\n", "", `n.csv:2:2: found an empty field, expected an id`},
		{"repeated id", ":ID(Person),a\n7,x\n8,x\n7,y\n", "", `n.csv:4:1: found id "7" a second time in id space Person`},
		{"repeated id of a plain header", "name\nx\nx\n", "", `n.csv:3:1: found id "x" a second time in the id space without a name; the header names no id, so the first column was taken for it (write name:ID for another, or name:string if there is none)`},
		{"id type", ":ID{id-type:int},a\n7,x\n7a,x\n", "", `n.csv:3:1: found id "7a", expected an integer as the header says`},
		{"open quote", ":ID,a\n7,\"x\n8,x\n", "", `n.csv:2:3: found a quoted field without its closing quote`},
		{"wrong id space", people, ":START_ID(Person),:END_ID(Persn)\n1,2\n", `r.csv:1:19: found id space Persn in :END_ID, which no node file declares; there are: id space Person`},
		{"no id space", people, ":START_ID(Person),:END_ID\n1,2\n", `r.csv:1:19: found the id space without a name in :END_ID, which no node file declares; there are: id space Person`},
		{"no ids at all", "name:string\nx\n", ":START_ID,:END_ID\n1,2\n", `r.csv:1:1: found a :START_ID column, but no node file has an :ID column`},
		{"no end", people, ":START_ID(Person),x\n1,2\n", `r.csv:1:1: found header ":START_ID(Person),x", expected a :START_ID and an :END_ID column in a relationship file`},
		{"table", people, "╭───┬───╮\n│ a │ b │\n├───┼───┤\n│ 1 │ 2 │\n╰───┴───╯\n", `r.csv:1:1: found a table drawn for the screen, expected CSV`},
		{"one column", people, "a\n1\n", `r.csv:1:1: found header "a", expected a :START_ID and an :END_ID column in a relationship file`},
		{"label in rel", people, ":START_ID(Person),:END_ID(Person),:LABEL\n", `r.csv:1:35: found a :LABEL column in a relationship file`},
		{"unknown id", people, ":START_ID(Person),:END_ID(Person)\n1,2\n1,\"03\"\n", `r.csv:3:4: found id "03", which no node of id space Person has`},
		{"empty end", people, ":START_ID(Person),:END_ID(Person)\n1,\n", `r.csv:2:3: found an empty field, expected an id`},
		{"bad rel property", people, ":START_ID(Person),:END_ID(Person),w:double\n1,2,heavy\n", `r.csv:2:5: found "heavy" in column "w", expected a number`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := Spec{FS: memory(map[string]string{"n.csv": tt.nodes, "r.csv": tt.rels}), Nodes: nodeFiles("n.csv")}
			if tt.rels != "" {
				spec.Relationships = relFiles("R=r.csv")
			}
			checkError(t, spec, tt.want)
		})
	}
	t.Run("no type", func(t *testing.T) {
		files := memory(map[string]string{"n.csv": people, "r.csv": ":START_ID(Person),:END_ID(Person)\n1,2\n", "t.csv": ":START_ID(Person),:END_ID(Person),:TYPE\n1,2,A\n1,2, \n"})
		checkError(t, Spec{FS: files, Nodes: nodeFiles("n.csv"), Relationships: relFiles("r.csv")}, "r.csv:1:1: found no relationship type; give one (TYPE=FILE) or a :TYPE column")
		checkError(t, Spec{FS: files, Nodes: nodeFiles("n.csv"), Relationships: relFiles("t.csv")}, "t.csv:3:5: found an empty :TYPE, expected a relationship type")
	})
	t.Run("two files that count for themselves", func(t *testing.T) {
		files := memory(map[string]string{"people.csv": "id,name\n1,Ann\n", "companies.csv": "id,name\n1,Acme\n"})
		checkError(t, Spec{FS: files, Nodes: nodeFiles("people.csv", "companies.csv")}, `companies.csv:2:1: found id "1" a second time in the id space without a name; `+
			`an earlier file has it, too (if each file counts for itself, name an id space in each header, as in id:ID(Person), and in the files of relationships, as in :START_ID(Person))`)
	})
	t.Run("id of another space", func(t *testing.T) {
		files := memory(map[string]string{"n.csv": people, "m.csv": ":ID(Post)\nx\n", "r.csv": ":START_ID(Person),:END_ID(Person)\n1,x\n"})
		checkError(t, Spec{FS: files, Nodes: nodeFiles("n.csv", "m.csv"), Relationships: relFiles("R=r.csv")}, `r.csv:2:3: found id "x", which no node of id space Person has; id space Post has it`)
	})
}

func TestParseArguments(t *testing.T) {
	for arg, want := range map[string]string{
		"Person=p.csv": "[Person] p.csv", "Message:Post=a.csv,b.csv": "[Message Post] a.csv|b.csv", "p.csv": "[] p.csv", "=p.csv": "[] p.csv", "A=b=c": "[A] b=c",
		"A=": "!", "": "!", ":A=x": "!", "A::B=x": "!",
	} {
		f, err := ParseNodeFile(arg)
		got := "[" + strings.Join(f.Labels, " ") + "] " + strings.Join(f.Paths, "|")
		if err != nil {
			got = "!"
		}
		if got != want {
			t.Errorf("nodes %q: %s (%v), want %s", arg, got, err, want)
		}
	}
	for arg, want := range map[string]RelationshipFile{"KNOWS=k.csv": {"KNOWS", []string{"k.csv"}}, "k.csv": {"", []string{"k.csv"}}, "A=": {}, "": {},
		"A=h.csv,k.csv": {"A", []string{"h.csv", "k.csv"}}} {
		if f, err := ParseRelationshipFile(arg); f.Type != want.Type || !slices.Equal(f.Paths, want.Paths) || (err != nil) != (want.Paths == nil) {
			t.Errorf("relationships %q: %v, %v, want %v", arg, f, err, want)
		}
	}
	comma := filepath.Join(t.TempDir(), "a,b.csv")
	if err := os.WriteFile(comma, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := ParseNodeFile("A=" + comma); err != nil || !slices.Equal(f.Paths, []string{comma}) {
		t.Errorf("a name with a comma: %v, %v", f, err)
	}
}
