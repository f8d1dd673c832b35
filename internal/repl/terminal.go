package repl

import (
	"context"
	"os"
	"os/signal"

	"golang.org/x/term"
)

// Width returns the number of columns of the terminal f, 0 if f is none.
func Width(f any) int {
	file, ok := f.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	w, _, err := term.GetSize(int(file.Fd()))
	if err != nil || w <= 0 {
		return 80
	}
	return w
}

// exitInterrupted is the exit status of a process that an interrupt ended.
const exitInterrupted = 130

// Interruptible derives a context that the first Ctrl-C cancels; a second Ctrl-C ends the process. The function it returns
// gives Ctrl-C back.
func Interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt)
	go func() {
		for _, stop := range []func(){cancel, func() { os.Exit(exitInterrupted) }} {
			select {
			case <-signals:
				stop()
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
