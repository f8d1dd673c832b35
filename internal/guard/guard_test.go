package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
)

// panicked is the error that the tests make of a panic.
type panicked struct {
	in    string
	value any
}

func (p panicked) Error() string { return fmt.Sprintf("%s: %v", p.in, p.value) }

var guarded Guard = func(in string, v any) error { return panicked{in, v} }

// bad panics in every method, or lies about the number of bytes if it is not 0.
type bad struct{ n int }

func (b bad) call(p []byte) (int, error) {
	if b.n == 0 {
		panic("bad")
	}
	return len(p) + b.n, nil
}
func (b bad) Read(p []byte) (int, error)              { return b.call(p) }
func (b bad) ReadAt(p []byte, _ int64) (int, error)   { return b.call(p) }
func (b bad) Write(p []byte) (int, error)             { return b.call(p) }
func (bad) Stat() (fs.FileInfo, error)                { panic("bad") }
func (bad) Close() error                              { panic("bad") }
func (bad) Enabled(context.Context, slog.Level) bool  { panic("bad") }
func (bad) Handle(context.Context, slog.Record) error { panic("bad") }
func (bad) WithAttrs([]slog.Attr) slog.Handler        { panic("bad") }
func (bad) WithGroup(string) slog.Handler             { panic("bad") }

// badFiles is a file system whose files are bad, or nil if none.
type badFiles struct{ none bool }

func (b badFiles) Open(string) (fs.File, error) {
	if b.none {
		return nil, nil
	}
	return bad{}, nil
}

// noFiles panics instead of opening a file.
type noFiles struct{}

func (noFiles) Open(string) (fs.File, error) { panic("bad") }

// TestPanics lets every method of what a program hands in panic.
func TestPanics(t *testing.T) {
	file, err := guarded.FS(badFiles{}).Open("a")
	if err != nil {
		t.Fatal(err)
	}
	second := func(_ any, err error) error { return err }
	reader := guarded.Reader(bad{})
	for in, errs := range map[string][]error{
		"the writer":      {second(guarded.Writer(bad{}).Write([]byte("x")))},
		"the reader":      {second(reader.Read(make([]byte, 1))), reader.Panicked(), second(file.Read(make([]byte, 1)))},
		"a file":          {second(file.Stat()), file.Close(), second(file.(io.ReaderAt).ReadAt(make([]byte, 1), 0))},
		"the file system": {second(guarded.FS(noFiles{}).Open("a")), second(fs.Stat(guarded.FS(noFiles{}), "a")), second(fs.ReadDir(guarded.FS(noFiles{}), "a"))},
		"the logger":      {guarded.Handler(bad{}).Handle(t.Context(), slog.Record{})},
	} {
		for i, err := range errs {
			if err != (panicked{in, "bad"}) {
				t.Errorf("%s, call %d: %v", in, i, err)
			}
		}
	}
	h := guarded.Handler(bad{})
	if h.Enabled(t.Context(), 0) {
		t.Error("a handler that panics is enabled")
	}
	for _, derived := range []slog.Handler{h.WithAttrs(nil), h.WithGroup("g")} {
		if derived.(handler).handler != (bad{}) {
			t.Errorf("a handler that panics goes on as %v", derived)
		}
	}
}

// TestLies has readers and writers say that they moved more or fewer bytes than there are, and a file system open nothing.
func TestLies(t *testing.T) {
	for _, n := range []int{1, -1, -100} {
		if moved, err := guarded.Writer(bad{n}).Write(make([]byte, 10)); !errors.Is(err, io.ErrShortWrite) || moved < 0 || moved > 10 {
			t.Errorf("a writer that is off by %d wrote %d, %v", n, moved, err)
		}
	}
	for _, n := range []int{1, -100} {
		if moved, err := guarded.Reader(bad{n}).Read(make([]byte, 10)); err == nil || moved != 0 {
			t.Errorf("a reader that is off by %d read %d, %v", n, moved, err)
		}
	}
	if _, err := guarded.FS(badFiles{none: true}).Open("a"); err == nil {
		t.Error("a file system opens nothing without an error")
	}
}

// TestPasses checks that nothing changes for what keeps the rules of its interface.
func TestPasses(t *testing.T) {
	files := guarded.FS(fstest.MapFS{"b/c.csv": {Data: []byte("id\n1\n")}})
	data, err := fs.ReadFile(files, "b/c.csv")
	if err != nil || string(data) != "id\n1\n" {
		t.Errorf("the file has %q, %v", data, err)
	}
	list, err := fs.ReadDir(files, "b")
	if info, wrong := fs.Stat(files, "b/c.csv"); err != nil || wrong != nil || len(list) != 1 || list[0].Name() != info.Name() || info.Size() != 5 {
		t.Errorf("the folder has %v, %v; the file is %v, %v", list, err, info, wrong)
	}
	if err := iotest.TestReader(guarded.Reader(strings.NewReader("some text")), []byte("some text")); err != nil {
		t.Error(err)
	}
	var log, direct bytes.Buffer
	text := func(b *bytes.Buffer) slog.Handler {
		return slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})
	}
	for _, h := range []slog.Handler{guarded.Handler(text(&log)), text(&direct)} {
		l := slog.New(h).With("a", 1).WithGroup("g")
		l.Debug("quiet")
		l.Info("said", "b", 2)
	}
	if log.Len() == 0 || log.String() != direct.String() {
		t.Errorf("the log has %q, not %q", &log, &direct)
	}
}

func TestProgress(t *testing.T) {
	calls := 0
	ctx, progress, done := guarded.Progress(t.Context(), func(stage string, n, total uint64) {
		if calls++; stage != "read" || n != 1 || total != 3 {
			panic("bad")
		}
	})
	other := errors.New("other")
	progress("read", 1, 3)
	if ctx.Err() != nil || done(nil) != nil || done(other) != other {
		t.Errorf("after a call in order: %v", ctx.Err())
	}
	progress("build", 0, 0)
	if ctx.Err() == nil || done(nil) != nil || done(ctx.Err()) != (panicked{"the progress function", "bad"}) {
		t.Errorf("after a panic: %v, %v", ctx.Err(), done(ctx.Err()))
	}
	if !errors.As(context.Cause(ctx), new(panicked)) || calls != 2 {
		t.Errorf("the cause is %v after %d calls", context.Cause(ctx), calls)
	}
	_, none, done := guarded.Progress(t.Context(), nil)
	if none("read", 1, 3); done(other) != other {
		t.Error("without a function")
	}
}
