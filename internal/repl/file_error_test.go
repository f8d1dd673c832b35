package repl

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestMissingFolder says which folder is missing, down to the working directory itself.
func TestMissingFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "here"), 0o755); err != nil {
		t.Fatal(err)
	}
	missing := func(path string) string {
		return missingFolder(&fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist})
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "here", "a.csv"):      "",
		filepath.Join(dir, "gone", "b", "a.csv"): "; there is no folder " + filepath.Join(dir, "gone"),
	} {
		if got := missing(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if got := missingFolder(&fs.PathError{Op: "open", Path: filepath.Join(dir, "gone", "a"), Err: fs.ErrPermission}); got != "" {
		t.Error(got)
	}
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not delete a working directory")
	}
	t.Chdir(filepath.Join(dir, "here"))
	if err := os.Remove(filepath.Join(dir, "here")); err != nil {
		t.Fatal(err)
	}
	if got, want := missing("a.csv"), "; the working directory does not exist any more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
