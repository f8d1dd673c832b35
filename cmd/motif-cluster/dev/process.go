package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// processes are the workers that dev has started. A worker ends with its standard input, so none outlives dev, however that ends.
type processes struct {
	lost  context.CancelCauseFunc // called when no worker is left
	group sync.WaitGroup

	mu     sync.Mutex
	inputs []io.Closer
	ending bool
	left   int
}

// start starts this program with other arguments.
func (p *processes) start(args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self, args...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left++
	p.inputs = append(p.inputs, in)
	p.group.Go(func() { p.ended(c.Process.Pid, c.Wait()) })
	return nil
}

// ended notes the end of a worker.
func (p *processes) ended(pid int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left--
	if p.ending {
		return
	}
	fmt.Fprintf(os.Stderr, "the worker of process %d ended: %v\n", pid, err)
	if p.left == 0 {
		p.lost(errors.New("all workers have ended"))
	}
}

// end ends all workers and waits for them.
func (p *processes) end() {
	p.mu.Lock()
	p.ending = true
	for _, in := range p.inputs {
		in.Close()
	}
	p.mu.Unlock()
	p.group.Wait()
}

// serverCmd runs the server alone, for workers and submitters that other commands start.
type serverCmd struct {
	File string `required:"" placeholder:"FILE" help:"SQLite file for the server's state. The server goes on from what it finds there."`
	IP   string `name:"ip" default:"127.0.0.1" help:"Address of this machine to listen at. Whoever reaches it may use the server."`
	Port int    `default:"7233" help:"Port to listen at."`
}

// Run serves until the context ends.
func (c *serverCmd) Run(ctx context.Context) error {
	file, err := filepath.Abs(c.File)
	if err != nil {
		return err
	}
	server, err := startServer(file, c.IP, c.Port)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "temporal://%s is ready; Ctrl-C ends it\n", address(c.IP, c.Port))
	<-ctx.Done()
	return server.Stop()
}
