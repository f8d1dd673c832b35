//go:build !js

// Command playground makes the playground: the page of motif explore with the engine in WebAssembly, as a folder of static files.
//
//	go run ./cmd/playground            serves it on this machine
//	go run ./cmd/playground -o site    writes the files into the folder site
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"
)

func main() {
	folder := flag.String("o", "", "write the files into this `folder`, and serve nothing")
	port := flag.Int("port", 7641, "serve on this port of this machine")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "playground: there are no arguments, only -o and -port")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *folder, *port); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

// run writes the files into a folder. Without one it writes them into a folder of its own, and serves that until ctx ends.
func run(ctx context.Context, folder string, port int) (err error) {
	if folder != "" {
		return write(ctx, folder)
	}
	if folder, err = os.MkdirTemp("", "motif-playground-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := write(ctx, folder); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)))
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(folder)), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
