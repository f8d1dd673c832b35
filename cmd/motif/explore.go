package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/explorer"
	"github.com/motifql/motif/internal/repl"
)

type exploreCmd struct {
	DB        string        `arg:"" optional:"" name:"db" help:"Folder of the store (default: the sample graph)."`
	Write     bool          `help:"Let statements of the page change the graph."`
	Port      uint16        `placeholder:"N" help:"Port of this machine for the page (default: 7640, or a free one)."`
	NoBrowser bool          `name:"no-browser" help:"Print the link only."`
	Rows      int64         `default:"10000" placeholder:"N" help:"Show at most N rows of an answer."`
	Timeout   time.Duration `default:"20s" help:"Stop a query after this long."`
	Memory    byteSize      `default:"1GiB" help:"Stop a query that needs more memory than this. Keep at most as much for later queries."`
	copyFlag
}

// Run serves the page to this machine until it is interrupted. The first line of the output is the link.
func (c *exploreCmd) Run(ctx context.Context) (err error) {
	if c.Rows < 1 || c.Timeout <= 0 || c.Memory < 1 {
		return usageError("--rows, --timeout and --memory must be above 0")
	}
	if c.Write && c.Snapshot {
		return usageError("--write changes the store, and --snapshot reads a copy")
	}
	db, err := c.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	listener, err := c.listen()
	if err != nil {
		return err
	}
	opt := explorer.Options{Name: "sample graph", Version: version(), Sample: c.DB == "", Write: c.Write, Rows: c.Rows, Time: c.Timeout, Memory: int64(c.Memory),
		Token: explorer.NewToken(), Page: explorer.Dist()}
	if c.DB != "" {
		opt.Name = filepath.Base(filepath.Clean(c.DB))
	}
	link := "http://" + listener.Addr().String() + "/?token=" + opt.Token
	fmt.Println(link)
	if !c.NoBrowser {
		if err := browse(link); err != nil {
			fmt.Fprintln(os.Stderr, "No browser could be started. Open the link above; it works once.")
		}
	}
	fmt.Fprintln(os.Stderr, "Ctrl-C ends the explorer.")
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve(ctx, listener, givingMemoryBack(explorer.New(db, opt)))
}

// givingMemoryBack answers by h, and gives memory back to the system while nobody asks.
func givingMemoryBack(h http.Handler) http.Handler {
	idle := &repl.IdleMemory{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer idle.Work()()
		h.ServeHTTP(w, r)
	})
}

// open opens the store without files: queries of a page read none.
func (c *exploreCmd) open() (*motif.DB, error) {
	opts := []motif.Option{motif.WithCache(int64(c.Memory))}
	switch {
	case c.DB == "":
		return motif.OpenSample()
	case c.Write && c.Map:
		return motif.Open(c.DB, append(opts, motif.WithSharing(), motif.WithMapping())...)
	case c.Write:
		return motif.Open(c.DB, append(opts, motif.WithSharing())...)
	}
	return c.copyFlag.open(c.DB, opts)
}

// usualPort is where the page is if nobody asks for another port. A browser keeps the history of queries for each port.
const usualPort = 7640

func (c *exploreCmd) listen() (net.Listener, error) {
	on := func(port int) (net.Listener, error) {
		return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
	if c.Port != 0 {
		return on(int(c.Port))
	}
	listener, err := on(usualPort)
	if err != nil {
		return on(0)
	}
	return listener, nil
}

// serve answers until ctx ends. Then it stops the queries that run.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}

// browse opens a link in the browser of the machine.
func browse(link string) error {
	switch runtime.GOOS {
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", link).Start()
	case "darwin":
		return exec.Command("open", link).Start()
	}
	return exec.Command("xdg-open", link).Start()
}
