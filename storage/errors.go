package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/motifql/motif/internal/workgroup"
)

// What can be wrong with a store. Every error that Open and the methods of Store return for one of these reasons is an
// *Error that errors.Is finds the reason in.
var (
	ErrLocked      = errors.New("the store is in use")
	ErrRepair      = errors.New("the store was not closed and has to be repaired")
	ErrNewerFormat = errors.New("the store has a newer format")
	ErrCorrupt     = errors.New("the store is damaged")
	ErrNotStore    = errors.New("not a store")
	ErrNoGraph     = errors.New("the store holds no graph yet")
	ErrNoSpace     = errors.New("no space left")
	ErrPermission  = errors.New("permission denied")
	ErrNotEmpty    = errors.New("the store already holds a graph")
	ErrReadOnly    = errors.New("the store is open read-only")
	ErrClosed      = errors.New("the store is closed")
	ErrIO          = errors.New("reading or writing failed")
)

// Error says what happened to a store, where, and what to do about it.
type Error struct {
	Reason error  // one of the sentinels above
	Path   string // of the store, absolute where possible
	What   string // what happened
	Do     string // what to do
	Err    error  // the cause, if another package reported one
}

// Error is one line: path, what happened, what to do.
func (e *Error) Error() string {
	line := e.Path + ": " + e.What
	if e.Err != nil && e.Err != fs.ErrNotExist { // which What has said already
		line += " (" + strings.Join(strings.Fields(e.Err.Error()), " ") + ")"
	}
	if e.Do != "" {
		line += "; " + e.Do
	}
	return line
}

// Unwrap makes errors.Is and errors.As see the reason and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Err}
}

// showPath is how messages name a store.
func showPath(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil && dir != Memory {
		return abs
	}
	return dir
}

const (
	doReload = "load the graph again into a new directory, or restore a copy of the store"
	doName   = "name the directory of a store, or a new one to load into"
	doSpace  = "free some space on this file system or use another directory"
)

func corrupt(dir, where string, err error) *Error {
	return &Error{Reason: ErrCorrupt, Path: showPath(dir), What: "the store is damaged: " + where, Do: doReload, Err: err}
}

// wrap gives an error of the system or of Badger its reason. Badger turns most causes into text, so text is looked at too.
func wrap(dir, doing string, err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &Error{Reason: ErrIO, Path: showPath(dir), What: doing + " failed", Err: err}
	switch {
	case caused(err, syscall.ENOSPC), caused(err, syscall.EDQUOT):
		e.Reason, e.What, e.Do = ErrNoSpace, doing+" failed: no space left", doSpace
	case caused(err, syscall.EROFS):
		e.Reason, e.What = ErrPermission, doing+" failed: the file system is read-only"
		e.Do = "open the store read-only, or use a copy on another file system"
	case caused(err, syscall.EMFILE), caused(err, syscall.ENFILE):
		e.What, e.Do = doing+" failed: too many files are open", "allow the process more open files (ulimit -n), or close some"
	case errors.Is(err, fs.ErrPermission), caused(err, syscall.EACCES), caused(err, syscall.EPERM):
		e.Reason, e.What = ErrPermission, doing+" failed: permission denied"
		e.Do = "make the directory and its files readable, and writable to load or repair, for this user"
	case databaseClosed(err):
		e.Reason = ErrClosed
	}
	return e
}

// guarded is fn whose panic is an error: a panic in a goroutine that nobody waits for would end the program. Who waits calls passOn.
func guarded(fn func() error) func() error {
	return func() (err error) {
		if p := workgroup.Catch(func() { err = fn() }); p != nil {
			return p
		}
		return err
	}
}

// passOn panics if err is the panic of a guarded function, in the goroutine of a caller that can handle it.
func passOn(err error) error {
	var p *workgroup.Panic
	if errors.As(err, &p) {
		panic(p)
	}
	return err
}

// isSystemError reports whether a call of the system failed, and not what was read.
func isSystemError(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var code syscall.Errno
	return errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &code)
}

func caused(err error, cause syscall.Errno) bool {
	return errors.Is(err, cause) || strings.Contains(err.Error(), cause.Error())
}

// notStore is the error for a path that holds no store.
func notStore(dir, what, do string, err error) *Error {
	return &Error{Reason: ErrNotStore, Path: showPath(dir), What: what, Do: do, Err: err}
}

func newerFormat(dir string, found byte, writer string) *Error {
	what := fmt.Sprintf("the store has format %d; this program reads formats up to %d", found, formatVersion)
	if writer != "" {
		what += " (written by " + writer + ")"
	}
	return &Error{Reason: ErrNewerFormat, Path: showPath(dir), What: what,
		Do: "use a newer motif, or load the graph again with this one into a new directory"}
}
