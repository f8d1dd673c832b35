package explorer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang/assist"
)

// Options say what a page may do.
type Options struct {
	Name    string        // of the graph, which the page shows
	Version string        // likewise
	Sample  bool          // it is the sample graph
	Write   bool          // statements may change the graph
	Rows    int64         // of an answer at most; 0 is DefaultRows
	Time    time.Duration // for a query at most; 0 is DefaultTime
	Memory  int64         // bytes for a query at most; 0 is DefaultMemory
	Token   string        // of the URL that opens the page
	Page    fs.FS         // the page's files; nil: only the endpoints answer
}

// The limits where Options set none.
const (
	DefaultRows   = 10_000
	DefaultTime   = 20 * time.Second
	DefaultMemory = 1 << 30
)

// atOnce is how many queries may run at the same time. Each has the memory of Options.
const atOnce = 8

// server answers the requests for one graph.
type server struct {
	db      *motif.DB
	opt     Options
	helper  *assist.Assistant
	running chan struct{} // holds one for each query that runs
}

// New returns the handler of a page. The caller closes db after the last request.
func New(db *motif.DB, opt Options) http.Handler { return newGuard(opt.Token, Unguarded(db, opt)) }

// Unguarded returns a handler that asks nobody who he is. It is for a caller that gives it only its own requests, and never for a network.
func Unguarded(db *motif.DB, opt Options) http.Handler {
	opt.Rows, opt.Time, opt.Memory = cmp.Or(opt.Rows, DefaultRows), cmp.Or(opt.Time, DefaultTime), cmp.Or(opt.Memory, DefaultMemory)
	s := &server{db: db, opt: opt, helper: assist.New(db, nil), running: make(chan struct{}, atOnce)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.file)
	mux.HandleFunc("GET /{name}", s.file)
	mux.HandleFunc("GET /api/schema", get(s.schema))
	mux.HandleFunc("GET /api/saved", get(s.saved))
	mux.HandleFunc("POST /api/check", post(s.check))
	mux.HandleFunc("POST /api/text", post(s.text))
	mux.HandleFunc("POST /api/complete", post(s.complete))
	mux.HandleFunc("POST /api/layout", post(s.layout))
	mux.HandleFunc("POST /api/neighbours", post(s.neighbours))
	mux.HandleFunc("POST /api/shells", post(s.shells))
	mux.HandleFunc("POST /api/save", post(s.save))
	mux.HandleFunc("POST /api/forget", post(s.forget))
	mux.HandleFunc("POST /api/run", s.run)
	mux.HandleFunc("POST /api/export", s.export)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, &failure{Status: http.StatusNotFound, Message: "there is no " + r.Method + " " + r.URL.Path})
	})
	return mux
}

// file serves a file of the page.
func (s *server) file(w http.ResponseWriter, r *http.Request) {
	name := cmp.Or(r.PathValue("name"), "index.html")
	if s.opt.Page == nil || !fs.ValidPath(name) {
		fail(w, &failure{Status: http.StatusNotFound, Message: "there is no file " + name})
		return
	}
	data, err := fs.ReadFile(s.opt.Page, name)
	if err != nil {
		fail(w, &failure{Status: http.StatusNotFound, Message: "there is no file " + name})
		return
	}
	w.Header().Set("Content-Type", cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream"))
	_, _ = w.Write(data) // the browser may have gone
}

// failure is an error as the page gets it.
type failure struct {
	Status  int    `json:"-"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	From    *int   `json:"from,omitempty"` // UTF-16 units
	To      *int   `json:"to,omitempty"`
	Pretty  string `json:"pretty,omitempty"`
}

func (f *failure) Error() string { return f.Message }

// failureOf describes an error of a text.
func failureOf(text string, err error) *failure {
	var f *failure
	var q *motif.QueryError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &q):
		f = &failure{Status: http.StatusUnprocessableEntity, Code: q.Code, Message: q.Message, Hint: q.Hint, Pretty: q.Pretty()}
		if q.Query != text {
			f.Pretty = "" // it shows what was typed with names that were made up
		} else if q.Line > 0 {
			from, to := assist.Place(text, q.Line, q.Column, q.Length)
			from, to = units(text, from), units(text, to)
			f.From, f.To = &from, &to
		}
		return f
	case errors.Is(err, context.Canceled):
		return &failure{Status: http.StatusUnprocessableEntity, Code: "cancelled", Message: "the query was stopped"}
	}
	return &failure{Status: http.StatusUnprocessableEntity, Message: err.Error()}
}

// fail answers with an error.
func fail(w http.ResponseWriter, f *failure) {
	answer(w, cmp.Or(f.Status, http.StatusInternalServerError), map[string]any{"error": f})
}

// answer answers with JSON.
func answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer has no JSON"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the browser may have gone
}

// mostBody is how many bytes a request may have.
const mostBody = 4 << 20

// read reads the JSON of a request.
func read(w http.ResponseWriter, r *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &failure{Status: http.StatusUnsupportedMediaType, Message: "the request must be application/json"}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBody))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return &failure{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the request has more than %d bytes", mostBody)}
		}
		return &failure{Status: http.StatusBadRequest, Message: "the request cannot be read: " + err.Error()}
	}
	if _, err := d.Token(); err != io.EOF {
		return &failure{Status: http.StatusBadRequest, Message: "the request has more than one JSON value"}
	}
	return nil
}

// post returns a handler that reads a request and answers with what f returns.
func post[In any](f func(context.Context, *In) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in := new(In)
		if err := read(w, r, in); err != nil {
			fail(w, failureOf("", err))
			return
		}
		get(func(ctx context.Context) (any, error) { return f(ctx, in) })(w, r)
	}
}

// get returns a handler that answers with what f returns.
func get(f func(context.Context) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := f(r.Context())
		if err != nil {
			fail(w, failureOf("", err))
			return
		}
		answer(w, http.StatusOK, out)
	}
}
