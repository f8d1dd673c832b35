package storage

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// badgerLog hands Badger's messages to slog, one level lower: what Badger finds worth telling seldom is for a user of
// a graph.
type badgerLog struct {
	to *slog.Logger // nil: silent
}

func (l badgerLog) log(level slog.Level, format string, args []any) {
	if l.to != nil && l.to.Enabled(context.Background(), level) {
		l.to.Log(context.Background(), level, strings.TrimSpace(fmt.Sprintf(format, args...)), "from", "badger")
	}
}

func (l badgerLog) Errorf(format string, args ...any) {
	l.log(slog.LevelWarn, format, args)
}

func (l badgerLog) Warningf(format string, args ...any) { l.log(slog.LevelInfo, format, args) }
func (l badgerLog) Infof(format string, args ...any)    { l.log(slog.LevelDebug, format, args) }
func (l badgerLog) Debugf(format string, args ...any)   { l.log(slog.LevelDebug-4, format, args) }

// say logs what the store did by itself.
func (s *Store) say(msg string, args ...any) {
	if s.opt.Logger != nil {
		s.opt.Logger.Warn(msg, args...)
	}
}
