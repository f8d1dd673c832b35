package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
)

// scheme is what the address of a Temporal server begins with.
const scheme = "temporal://"

// dial connects to the engine temporal://HOST:PORT/NAMESPACE. It tries again for as long as patience. The client logs errors only: it warns of
// each poll that a restart of the server ends.
func dial(ctx context.Context, engine string, patience time.Duration) (client.Client, error) {
	address, ok := strings.CutPrefix(engine, scheme)
	if !ok {
		return nil, fmt.Errorf("--engine %s: an engine is temporal://HOST:PORT or temporal://HOST:PORT/NAMESPACE", engine)
	}
	host, namespace, _ := strings.Cut(address, "/")
	o := client.Options{HostPort: host, Namespace: namespace, Logger: sdklog.NewStructuredLogger(slog.New(&ownErrors{logger(slog.LevelError).Handler()}))}
	if err := knock(ctx, host, patience); err != nil {
		return nil, err
	}
	c, err := client.DialContext(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("the Temporal server at %s: %w", host, err)
	}
	return c, nil
}

// knock waits until somebody listens at an address. The client of Temporal would wait for longer between its attempts.
func knock(ctx context.Context, host string, patience time.Duration) error {
	var d net.Dialer
	until := time.Now().Add(patience)
	for {
		conn, err := d.DialContext(ctx, "tcp", host)
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(until) {
			return fmt.Errorf("no Temporal server listens at %s: %w", host, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// logger writes to standard error.
func logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// ownErrors leaves out of the client's log the errors that somebody else is told of: those of a query, which its submitter gets, and the end of
// an activity because its worker stops.
type ownErrors struct{ slog.Handler }

// Handle writes a record, unless it has such an error.
func (h *ownErrors) Handle(ctx context.Context, r slog.Record) error {
	known := false
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		var query *temporal.ApplicationError
		known = ok && (errors.Is(err, errStopping) || errors.As(err, &query) && query.Type() == queryError)
		return !known
	})
	if known {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps the filter.
func (h *ownErrors) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &ownErrors{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the filter.
func (h *ownErrors) WithGroup(name string) slog.Handler { return &ownErrors{h.Handler.WithGroup(name)} }

const slotsMark = " slots="

// identity names a worker at the engine, with its slots.
func identity(slots int) string {
	host, _ := os.Hostname()
	return fmt.Sprintf("motif %s %d%s%d", host, os.Getpid(), slotsMark, slots)
}

// slotsOf adds up the slots of the workers that ask the engine for units.
func slotsOf(ctx context.Context, c client.Client) (slots int, err error) {
	answer, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	if err != nil {
		return 0, err
	}
	const polls = 70 * time.Second // a poll takes up to a minute
	for _, p := range answer.GetPollers() {
		if time.Since(p.GetLastAccessTime().AsTime()) > polls {
			continue
		}
		_, text, _ := strings.Cut(p.GetIdentity(), slotsMark)
		if n, err := strconv.Atoi(text); err == nil {
			slots += n
		}
	}
	return slots, nil
}
