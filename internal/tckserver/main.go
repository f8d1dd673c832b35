// Command tckserver lets a runner of openCypher's compatibility kit drive Motif: it reads requests as JSON objects, one a
// line, from standard input and answers each with one line.
//
//	{"op":"reset"}                                     an empty graph, no declared procedures
//	{"op":"procedure","signature","columns","rows"}    declares a procedure that looks its arguments up in a table
//	{"query","params"}                                 runs a statement
//
// It goes through the embedding API alone, so that what passes here passes for every program.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/motifql/motif"
)

func main() {
	s := &server{}
	if err := s.serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tckserver:", err)
		os.Exit(1)
	}
}

// request is one line of input.
type request struct {
	Op        string                     `json:"op"`
	Query     string                     `json:"query"`
	Params    map[string]json.RawMessage `json:"params"`
	Signature string                     `json:"signature"`
	Columns   []string                   `json:"columns"`
	Rows      [][]json.RawMessage        `json:"rows"`
}

// failure is an error as the kit describes it.
type failure struct {
	Type    string `json:"type"`
	Phase   string `json:"phase"`
	Detail  string `json:"detail"`
	Message string `json:"message"`
}

// queryTimeout ends a statement before the runner loses patience and kills the process.
const queryTimeout = 4 * time.Second

// server answers requests one after the other.
type server struct {
	db    *motif.DB
	dirty bool // something may have been written since the last reset
}

func (s *server) serve(in io.Reader, out io.Writer) error {
	defer s.close()
	lines := bufio.NewReaderSize(in, 1<<20)
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err := enc.Encode(s.answer(line)); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

func (s *server) close() {
	if s.db != nil {
		s.db.Close()
	}
}

// answer is what one line of input gets for a reply.
func (s *server) answer(line []byte) any {
	var req request
	err := json.Unmarshal(line, &req)
	var reply any = map[string]any{"ok": true}
	switch {
	case err != nil:
	case req.Op == "reset":
		err = s.reset()
	case req.Op == "procedure":
		err = s.declare(&req)
	case req.Op != "":
		err = fmt.Errorf("unknown request %q", req.Op)
	default:
		reply, err = s.run(&req)
	}
	if err != nil {
		return map[string]any{"error": describe(err)}
	}
	return reply
}

// reset gives an empty graph. A graph that nothing was written to stays.
func (s *server) reset() error {
	if s.db != nil && !s.dirty {
		return nil
	}
	db, err := motif.Open(":memory:")
	if err != nil {
		return err
	}
	s.close()
	s.db, s.dirty = db, false
	return nil
}

// declare makes a procedure that gives the rows of a table whose first columns are its arguments.
func (s *server) declare(req *request) error {
	if s.db == nil {
		if err := s.reset(); err != nil {
			return err
		}
	}
	s.dirty = true // the next graph has no such procedure
	table := make([][]any, len(req.Rows))
	for i, row := range req.Rows {
		for _, raw := range row {
			v, err := decode(raw)
			if err != nil {
				return err
			}
			table[i] = append(table[i], v)
		}
	}
	return s.db.Declare(req.Signature, func(_ context.Context, call *motif.Call) error {
		args := call.Args()
		for _, row := range table {
			if len(row) < len(args) || !alike(row[:len(args)], args) {
				continue
			}
			if err := call.Emit(row[len(args):]...); err != nil {
				return err
			}
		}
		return nil
	})
}

// alike compares arguments with the cells of a row. An integer will do for a float.
func alike(cells, args []any) bool {
	for i, cell := range cells {
		if n, ok := args[i].(int64); ok {
			if f, ok := cell.(float64); ok && f == float64(n) {
				continue
			}
		}
		if cell != args[i] {
			return false
		}
	}
	return true
}

// writing finds the statements that can leave something in an empty graph.
var writing = regexp.MustCompile(`(?i)\b(create|merge|load|drop)\b`)

func (s *server) run(req *request) (any, error) {
	if s.db == nil {
		if err := s.reset(); err != nil {
			return nil, err
		}
	}
	params := motif.Params{}
	for name, raw := range req.Params {
		v, err := decode(raw)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		params[name] = v
	}
	s.dirty = s.dirty || writing.MatchString(req.Query)
	rows, err := s.db.Query(context.Background(), req.Query, params, motif.WithTimeout(queryTimeout))
	if err != nil {
		return nil, err
	}
	list := [][]any{}
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		cells := make([]any, row.Len())
		for i := range cells {
			cells[i] = encode(row.At(i))
		}
		list = append(list, cells)
	}
	return map[string]any{"columns": append([]string{}, rows.Columns()...), "rows": list}, nil
}

// describe names an error in the kit's terms.
func describe(err error) failure {
	f := failure{Message: err.Error()}
	var q *motif.QueryError
	if errors.As(err, &q) {
		f.Type, f.Detail, _ = strings.Cut(q.Code, ".")
		f.Phase, f.Message = string(q.Phase), q.Pretty()
	}
	return f
}
