package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// TestEndColumns loads tables by their names alone: a table whose columns are named like ends becomes relationships with all columns, a
// table of things nodes, and one that may be either is refused.
func TestEndColumns(t *testing.T) {
	for _, tt := range []struct{ table, want string }{
		{"from_account,to_account,amount|A,B,5|B,C,6", "from_account -> to_account"},
		{"txid,fromAccount,toAccount|1,A,B|2,B,C", "fromAccount -> toAccount"},
		{"src_id,dst_id,bytes|1,2,5", "src_id -> dst_id"},
		{"sourceId,targetId,w|1,2,0.5", "sourceId -> targetId"},
		{"sourceid,targetid,w|1,2,0.5", "sourceid -> targetid"},
		{"id,source,target,amount|1,a,b,5", "source -> target"},
		{"target,source,w|b,a,1", "source -> target"},
		{"Source,Target,Type,Id,Label,timeset,Weight|a,b,Undirected,0,,,1.0", "Source -> Target"},
		{"date,sender,receiver|2020-01-01,a,b", "sender -> receiver"},
		{"date,buyer,seller,price|2020-01-01,a,b,5", "buyer -> seller"},
		{"payer,payee,amount|a,b,5", "payer -> payee"},
		{"follower,followee,since|1,2,2010", "follower -> followee"},
		{"start,end,minutes|A,B,5|B,C,5", "start -> end"},
		{"from,to,since|1,2,2010", "from -> to"},
		{"id,from,to,fee|1,A,B,5|2,B,C,5", "from -> to"},
		{"ride,start_station_id,end_station_id,start_station_name,end_station_name,end_lat|r,1,2,A,B,0.5", "start_station_id -> end_station_id"},
		{"flight,origin,destination|AA1,JFK,LAX", "origin -> destination"},
		{"source_id,target_id,start,end|1,2,2020-01-01,2020-02-01", "source_id -> target_id"},

		{"id,title,start,end|1,x,2020-01-01,2020-02-01", "nodes"},
		{"id,title,start,end|1,x,3,9", "nodes"},
		{"chrom,start,end|chr1,3,9", "nodes"},
		{"date,account,debit,credit|2020-01-01,cash,0,5", "nodes"},
		{"employee_id,name,manager_id|1,Ann,2", "nodes"},
		{"id,name,from_date,to_date|1,Ann,2020,2021", "nodes"},

		{"name,from,to|x,Paris,Rome|y,Rome,Oslo", `unclear "from" "to"`},
		{"id,name,from,to|1,x,Paris,Rome", `unclear "from" "to"`},
		{"id,from,to|1,Paris,Rome", `unclear "from" "to"`},
		{"id,name,source,target|1,x,a,b", `unclear "source" "target"`},
		{"From Bank,From Account,To Bank,To Account|1,A,2,B", `unclear "From Bank" "To Bank"`},
		{"name,from,age|Ann,Paris,3", `unclear "name" "from"`},
		{"name,hometown,from,to|Ann,Paris,2010-01-01,2011-01-01", `unclear "name" "hometown"`},

		{"sender,receiver|a,b", "pairs"},
		{"citing,cited|1,2", "pairs"},
		{"user_id,movie_id,rating|1,2,0.5", "pairs"},
	} {
		spec := Spec{FS: memory(map[string]string{"t.csv": strings.ReplaceAll(tt.table, "|", "\n") + "\n"}), Files: []string{"t.csv"}}
		s, r, err := loadChunks(spec, defaultChunk)
		got := ""
		var e *Error
		switch {
		case errors.As(err, &e):
			words := strings.Split(e.Msg, `"`)
			got = fmt.Sprintf("unclear %q %q", words[1], words[3])
			if !strings.Contains(e.Hint, "--nodes T=t.csv makes a node") || !strings.Contains(e.Hint, "--format csv makes") && !strings.Contains(e.Hint, "--rels T=t.csv --types") {
				t.Errorf("%s: hint %s", tt.table, e.Hint)
			}
		case err != nil:
			got = err.Error()
		case r.Format == FormatCSV:
			got = "pairs"
		case s.M() == 0:
			got = "nodes"
		default:
			words := strings.Split(r.Detected, `"`)
			got = words[1] + " -> " + words[3]
			if !strings.Contains(r.Detected, endFlag(words[1], words[3])) {
				t.Errorf("%s: %s", tt.table, r.Detected)
			}
			rows := strings.Split(tt.table, "|")
			names := strings.Split(rows[0], ",")
			var want []string
			for _, row := range rows[1:] {
				fields := strings.Split(row, ",")
				want = append(want, fields[slices.Index(names, words[1])]+" -> "+fields[slices.Index(names, words[3])])
			}
			if have := pairsOf(s); !slices.Equal(have, want) {
				t.Errorf("%s: relationships %q, want %q", tt.table, have, want)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s (%v)", tt.table, got, tt.want, err)
		}
	}
}

// pairsOf lists the relationships by the property id of their ends.
func pairsOf(s *csr.Snapshot) (pairs []string) {
	id, _ := s.Keys.Lookup("id")
	text := func(v csr.VertexID) string {
		cell, _ := s.VertexProps[id].Get(uint64(v))
		return strings.Trim(value.OfCell(cell).String(), "'")
	}
	for e := range csr.EdgeID(s.M()) {
		u, v := s.Endpoints(e)
		pairs = append(pairs, text(u)+" -> "+text(v))
	}
	slices.Sort(pairs)
	return pairs
}

// TestEdgeListByName reads lists of pairs whose ids do not stand in the first two columns.
func TestEdgeListByName(t *testing.T) {
	files := memory(map[string]string{
		"id.csv":    "id,source,target,w\n7,1,2,0.5\n8,2,3,1\n",
		"turn.csv":  "to,from\nb,a\nc,b\n",
		"short.csv": "id,source,target\n7,1\n",
		"event.csv": "a,b,start,end\n1,2,8,9\n",
	})
	checkLoad(t, Spec{FS: files, Files: []string{"id.csv"}, Directed: true, Weight: "w"}, `
(0 {id: 1})
(1 {id: 2})
(2 {id: 3})
(0)-[:EDGE {w: 0.5}]->(1)
(1)-[:EDGE {w: 1.0}]->(2)
`, 0, 0)
	r := checkLoad(t, Spec{FS: files, Files: []string{"turn.csv"}, Directed: true}, `
(0 {id: 'a'})
(1 {id: 'b'})
(2 {id: 'c'})
(0)-[:EDGE]->(1)
(1)-[:EDGE]->(2)
`, 0, 0)
	if want := `turn.csv: took the columns "from" and "to" for the ends`; !slices.Contains(r.Warnings, want) {
		t.Errorf("warnings %q", r.Warnings)
	}
	checkLoad(t, Spec{FS: files, Files: []string{"event.csv"}, Directed: true}, `
(0 {id: 1})
(1 {id: 2})
(0)-[:EDGE]->(1)
`, 0, 0)
	checkError(t, Spec{FS: files, Files: []string{"short.csv"}, Directed: true},
		`short.csv:2:4: found the end of the line after 2 fields, expected an id in field 3 (the file was taken for csv because its name ends in .csv; if it is not, name the format: edges, csv, tve, law, metis, jsonl, graphml, mtx, gml, gexf, pajek, tgf, json, dot)`)
	checkError(t, Spec{FS: files, Files: []string{"id.csv"}, Directed: true, Format: FormatCSV, Weight: "cost"}, `id.csv:1:1: found no column "cost" in the header "id,source,target,w"`)
}
