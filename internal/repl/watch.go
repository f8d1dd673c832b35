package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// watchEvery is how often :watch asks.
const watchEvery = 2 * time.Second

// watch runs :watch [SECONDS] [QUERY]: it repeats a query, or the last statement, until Ctrl-C.
func (sh *Shell) watch(ctx context.Context, arg string) error {
	every, text := watchEvery, arg
	word, rest, _ := strings.Cut(arg, " ")
	s := Session{}
	if err := setTimeout(&s, word); word != "" && err == nil {
		every, text = s.Timeout, strings.TrimSpace(rest)
	}
	if text == "" {
		text = sh.last
	}
	switch {
	case text == "":
		return errors.New("no query has run yet; write one after :watch")
	case every < 100*time.Millisecond:
		return errors.New(":watch waits at least 0.1 seconds")
	case Writes(text, sh.Timeout):
		return errors.New(":watch repeats only queries that do not change the graph")
	}
	ctx, stop := Interruptible(ctx)
	defer stop()
	for {
		if Width(sh.Out) > 0 {
			fmt.Fprint(sh.Out, "\x1b[H\x1b[2J")
		}
		fmt.Fprintf(sh.Err, "every %s, last at %s; Ctrl-C ends\n", every, time.Now().Format(time.TimeOnly))
		err := sh.Session.Run(ctx, "", text)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return nil
		}
	}
}
