package large

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// result is what a process has made, and what it took.
type result struct {
	answer    string        // the last line that it printed
	messages  string        // what else it said
	took, cpu time.Duration // elapsed; of all processors
	memory    memory        // peaks
	err       error
}

// memory is resident memory in bytes; 0 where it is not known.
type memory struct {
	Anonymous int64 // heap and stacks: only swap space can take it
	File      int64 // pages of mapped files, which the system drops when it needs memory
	Resident  int64 // both at once; Linux notes the peak
}

// run runs a motif command and looks at its memory meanwhile.
func (b *bench) run(ctx context.Context, args ...string) (r result) {
	ctx, stop := context.WithTimeout(ctx, b.o.Timeout)
	defer stop()
	c := exec.CommandContext(ctx, b.o.Program, args...)
	c.Args[0], c.WaitDelay = "motif", time.Second
	var out, messages bytes.Buffer
	c.Stdout, c.Stderr = &out, &messages
	began := time.Now()
	if r.err = c.Start(); r.err != nil {
		return r
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		r.memory = watch(c.Process.Pid, quit)
	}()
	r.err = c.Wait()
	r.took = time.Since(began)
	close(quit)
	<-gone
	r.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	r.answer, r.messages = lastLine(out.String()), messages.String()
	switch why := lastLine(r.messages); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.err = fmt.Errorf("more than %v", b.o.Timeout)
	case r.err != nil && why != "":
		r.err = errors.New(why)
	}
	return r
}

// watch looks at the memory of a process until quit is closed, and returns the largest figures.
func watch(pid int, quit <-chan struct{}) (most memory) {
	const often, share = 10 * time.Millisecond, 50 // a look stops the process at its page faults: it may take a fiftieth of the time
	for {
		began := time.Now()
		now, _ := held(pid)
		most = memory{max(most.Anonymous, now.Anonymous), max(most.File, now.File), max(most.Resident, now.Resident)}
		pause := time.NewTimer(max(often, share*time.Since(began)))
		select {
		case <-pause.C:
		case <-quit:
			pause.Stop()
			return most
		}
	}
}
