// Package files opens the files that queries name.
//
// In goes a name as a query writes it, such as people.csv or file:///people.csv, and the files that the program allows. Out
// comes an open regular file, or an error that says what is wrong with the name and what to do.
//
// A name is cheap to open: the package holds no descriptor between two files. It never reads outside of what the program
// allows, and never opens devices, pipes and folders.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Error says why a query may not or cannot read a file.
type Error struct {
	Msg    string
	Hint   string // what to do, or ""
	Denied bool   // the program that runs the query does not allow this file
	Err    error  // of the file system, or nil
}

func (e *Error) Error() string { return e.Msg }

func (e *Error) Unwrap() error { return e.Err }

// ErrNone returns the error for a program that allows no files.
func ErrNone() *Error {
	return &Error{Denied: true, Msg: "queries may not read files here", Hint: "the program that opens the store allows files with motif.WithFiles"}
}

// denied is the error for a name that the program does not allow.
func denied(name, why, hint string) *Error {
	return &Error{Denied: true, Msg: fmt.Sprintf("cannot read %s: %s", name, why), Hint: hint}
}

// Open opens the regular file that a query names. fsys holds the files that the query may read; nil holds none.
func Open(fsys fs.FS, name string) (fs.File, error) {
	if fsys == nil {
		return nil, ErrNone()
	}
	places, err := locate(fsys, name)
	if err != nil {
		return nil, err
	}
	for _, place := range places {
		file, openErr := openRegular(fsys, place)
		if openErr == nil {
			return file, nil
		}
		missing := errors.Is(openErr, fs.ErrNotExist)
		if err == nil || !missing {
			err = explain(fsys, name, openErr)
		}
		if !missing {
			break
		}
	}
	return nil, err
}

// openRegular refuses what is no regular file before it opens it: opening a pipe waits for a writer. It looks again
// afterwards, because the file may have been exchanged.
func openRegular(fsys fs.FS, place string) (fs.File, error) {
	info, err := fs.Stat(fsys, place)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, err
	}
	file, err := fsys.Open(place)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// irregular is the error for a device, a pipe, a socket or a folder.
type irregular string

func (e irregular) Error() string { return string(e) }

func regular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return irregular("it is a folder")
	case mode&fs.ModeNamedPipe != 0:
		return irregular("it is a pipe")
	case mode&fs.ModeSocket != 0:
		return irregular("it is a socket")
	case mode&fs.ModeDevice != 0:
		return irregular("it is a device")
	}
	return irregular("it is no regular file")
}

// explain turns an error of the file system into an *Error about the name.
func explain(fsys fs.FS, name string, err error) *Error {
	e := &Error{Err: err, Msg: fmt.Sprintf("cannot read %s: %v", name, cause(err))}
	var odd irregular
	switch {
	case errors.As(err, &odd):
		e.Hint = "name a regular file"
	case cause(err).Error() == escapes:
		e.Denied = true
		e.Msg = fmt.Sprintf("cannot read %s: a symbolic link leads out of the folder that queries may read%s", name, inside(fsys))
		e.Hint = "a link must be relative and stay in the folder"
	case errors.As(err, new(*folderError)):
		e.Hint = "choose another folder"
	case errors.Is(err, fs.ErrNotExist):
		e.Msg = fmt.Sprintf("cannot read %s: no such file%s", name, within(fsys))
		e.Hint = "a path starts at the folder that queries may read"
	}
	return e
}

// escapes is how os.Root says that a path leads out of its folder. The os package does not export the error.
const escapes = "path escapes from parent"

// cause returns what is wrong with a file, without its name.
func cause(err error) error {
	var p *fs.PathError
	if !errors.As(err, new(*folderError)) && errors.As(err, &p) {
		return p.Err
	}
	return err
}

// locate returns the places in fsys that a name can mean, the likeliest first.
func locate(fsys fs.FS, name string) ([]string, *Error) {
	place, isURL, err := pathOf(name)
	if err != nil {
		return nil, err
	}
	if err := unreadable(name, place); err != nil {
		return nil, err
	}
	if runtime.GOOS == "windows" {
		place = filepath.ToSlash(place)
	} else if strings.Contains(place, `\`) || hasDrive(strings.TrimPrefix(place, "/")) {
		return nil, denied(name, "this is a Windows path", "write the path with / from the folder that queries may read")
	}
	var places []string
	if top := path.Clean(strings.TrimLeft(place, "/")); (isURL || !path.IsAbs(place)) && fs.ValidPath(top) {
		places = append(places, top)
	}
	if f, ok := fsys.(interface{ Rel(string) (string, bool) }); ok {
		if rel, ok := f.Rel(filepath.FromSlash(place)); ok && fs.ValidPath(rel) && (len(places) == 0 || places[0] != rel) {
			places = append(places, rel)
		}
	}
	if len(places) == 0 {
		return nil, denied(name, "it is outside of the folder that queries may read"+inside(fsys), "move or copy the file into the folder")
	}
	return places, nil
}

// unreadable refuses names that no file has. place is the name without file://.
func unreadable(name, place string) *Error {
	switch {
	case place == "":
		return &Error{Msg: "a query needs the name of a file, not an empty string"}
	case strings.ContainsRune(place, 0):
		return &Error{Msg: fmt.Sprintf("cannot read %q: the name of a file has no NUL character", name)}
	case !utf8.ValidString(place):
		return &Error{Msg: fmt.Sprintf("cannot read %q: the name is not valid UTF-8", name), Hint: "rename the file"}
	}
	return nil
}

// Path is the path of a file that Open has opened: its name without file://.
func Path(name string) string {
	place, _, _ := pathOf(name)
	return place
}

// pathOf returns the path behind a name or a file URL.
func pathOf(name string) (place string, isURL bool, err *Error) {
	scheme, rest, ok := strings.Cut(name, ":")
	switch {
	case !ok:
		return name, false, nil
	case strings.EqualFold(scheme, "file") && strings.HasPrefix(rest, "/"):
		if host, found := strings.CutPrefix(rest, "//"); found {
			host, rest, found = strings.Cut(host, "/")
			if rest = "/" + rest; !found || host != "" && !strings.EqualFold(host, "localhost") {
				return "", false, &Error{Msg: fmt.Sprintf("%s names another machine", name), Hint: "write file:///path or the path alone"}
			}
		}
		if decoded, err := url.PathUnescape(rest); err == nil {
			rest = decoded
		}
		return rest, true, nil
	case strings.HasPrefix(rest, "//"):
		return "", false, &Error{Msg: fmt.Sprintf("queries read local files only, not %s", name), Hint: "download the file first and give its path"}
	}
	return name, false, nil
}

// hasDrive reports whether a path begins with the letter of a drive.
func hasDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

// within names the folder, for the end of a sentence; inside puts it in brackets.
func within(fsys fs.FS) string {
	if f, ok := fsys.(fmt.Stringer); ok {
		return " in " + f.String()
	}
	return ""
}

func inside(fsys fs.FS) string {
	if f, ok := fsys.(fmt.Stringer); ok {
		return " (" + f.String() + ")"
	}
	return ""
}
