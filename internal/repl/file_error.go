package repl

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/motifql/motif"
)

// plainError returns the text of an error, with its cause where the system names only an effect. A line break in a file's name cannot begin a line of its own.
func plainError(err error) string {
	text := err.Error()
	var path *fs.PathError
	var file *motif.FileError
	if errors.As(err, &path) {
		if path.Path == "" {
			return "the name of a file is empty"
		}
		text = strings.ReplaceAll(text, path.Path, Visible(path.Path)) + missingFolder(path)
	}
	if errors.As(err, &file) && file.File != "" {
		text = strings.ReplaceAll(text, file.File, Visible(file.File))
	}
	return text
}

// missingFolder names the folder that is missing where the system says only that a file does not exist.
func missingFolder(e *fs.PathError) string {
	if !errors.Is(e, fs.ErrNotExist) {
		return ""
	}
	if _, err := os.Getwd(); err != nil && !filepath.IsAbs(e.Path) {
		return "; the working directory does not exist any more"
	}
	if dir := filepath.Dir(e.Path); !exists(dir) {
		for up := filepath.Dir(dir); up != dir && !exists(up); up = filepath.Dir(dir) {
			dir = up
		}
		return "; there is no folder " + Visible(dir)
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// fileHint adds the flags of the command that choose the files of queries.
func fileHint(text string, qe *motif.QueryError) string {
	if !strings.HasPrefix(qe.Code, "ExternalResourceFailed.") {
		return text
	}
	without := strings.TrimSuffix(text, "\nhint: "+qe.Hint)
	switch {
	case strings.Contains(qe.Hint, "motif.WithFiles"):
		return without + "\nhint: leave --no-files out; --import DIR allows the files of a folder"
	case strings.Contains(qe.Message+qe.Hint, "folder that queries may read"):
		return text + "; --import DIR chooses that folder"
	}
	return text
}
