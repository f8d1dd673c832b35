package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"syscall/js"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/explorer"
)

// memory is what a query may take: a browser gives a page far less than 4 GiB in all.
const memory = 512 << 20

// main answers what the page posts to the worker. Each message is one request: {id, path, body}, or {id, cancel: true}. The answers are
// {id, status, headers}, then {id, chunk} as often as the handler writes, then {id, end: true}.
func main() {
	db, err := motif.OpenSample()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	e := &engine{handler: explorer.Unguarded(db, explorer.Options{Name: "sample graph", Version: "playground", Sample: true, Write: true, Memory: memory}), running: map[int]context.CancelFunc{}}
	js.Global().Call("take", js.FuncOf(func(_ js.Value, args []js.Value) any {
		e.take(args[0].Get("data"))
		return nil
	}))
	js.Global().Call("postMessage", map[string]any{"ready": true})
	select {}
}

// engine answers requests of the page in the process itself, by the handler that answers them over HTTP elsewhere.
type engine struct {
	handler http.Handler
	mu      sync.Mutex
	running map[int]context.CancelFunc // by request
}

// take takes a message. It must not wait: the worker has one thread.
func (e *engine) take(message js.Value) {
	id := message.Get("id").Int()
	e.mu.Lock()
	defer e.mu.Unlock()
	if message.Get("cancel").Truthy() {
		if cancel := e.running[id]; cancel != nil {
			cancel()
		}
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	e.running[id] = cancel
	go e.answer(ctx, id, message.Get("path").String(), message.Get("body"))
}

// answer answers one request.
func (e *engine) answer(ctx context.Context, id int, path string, body js.Value) {
	out := &response{id: id, header: http.Header{}}
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.running[id]()
		delete(e.running, id)
		out.post(map[string]any{"end": true})
	}()
	method, text := http.MethodGet, ""
	if body.Type() == js.TypeString {
		method, text = http.MethodPost, body.String()
	}
	r, err := http.NewRequestWithContext(ctx, method, "/api/"+path, bytes.NewReader([]byte(text)))
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	e.handler.ServeHTTP(out, r)
}

// response is an http.ResponseWriter that posts what is written.
type response struct {
	id     int
	header http.Header
	sent   bool // the head
}

func (r *response) Header() http.Header { return r.header }

func (r *response) WriteHeader(status int) {
	if r.sent {
		return
	}
	r.sent = true
	headers := map[string]any{}
	for name := range r.header {
		headers[name] = r.header.Get(name)
	}
	r.post(map[string]any{"status": status, "headers": headers})
}

func (r *response) Write(data []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	chunk := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(chunk, data)
	r.post(map[string]any{"chunk": chunk}, chunk.Get("buffer"))
	return len(data), nil
}

// Flush does nothing: what is written is posted at once.
func (r *response) Flush() {}

// post posts a message about the request. The buffers go to the page without a copy.
func (r *response) post(message map[string]any, buffers ...any) {
	message["id"] = r.id
	js.Global().Call("postMessage", message, buffers)
}
