package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// tree makes a folder with files and links, beside a folder that must stay out of reach.
func tree(t *testing.T) (dir string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "data")
	for _, d := range []string{"data/sub", "data/etc", "data2"} {
		if err := os.MkdirAll(filepath.Join(top, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"data/a.csv": "a", "data/sub/b.csv": "b", "data/with blank.csv": "blank", "data/50%.csv": "half",
		"data/a%62.csv": "percent", "data/..x.csv": "dots", "data2/secret.csv": "secret", "data/é.csv": "accent"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"in.csv": "sub/b.csv", "sub/up.csv": "../a.csv", "out.csv": "../data2/secret.csv", "folder": "../data2",
		"absolute.csv": filepath.Join(top, "data2/secret.csv"), "loop": "loop2", "loop2": "loop", "dangling.csv": "gone.csv",
		"dangling-out.csv": "../gone.csv"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err) // Windows, without the right to make links
		}
	}
	return dir
}

// TestOpen opens every form of a name, and refuses every way out of the folder.
func TestOpen(t *testing.T) {
	dir := tree(t)
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.ToSlash(dir)
	const denied = "DENIED "
	for _, c := range []struct{ name, want string }{ // want: the text of the file, or part of the error
		{"a.csv", "a"},
		{"./a.csv", "a"},
		{"sub/b.csv", "b"},
		{"sub//b.csv", "b"},
		{"sub/../a.csv", "a"},
		{"../data/a.csv", "a"},
		{"..x.csv", "dots"},
		{"é.csv", "accent"},
		{"a%62.csv", "percent"}, // only URLs are decoded
		{filepath.Join(dir, "a.csv"), "a"},
		{dir + "/sub/../a.csv", "a"},
		{"in.csv", "b"},
		{"sub/up.csv", "a"},
		{"file:///a.csv", "a"},
		{"FILE:///a.csv", "a"},
		{"file:/a.csv", "a"},
		{"file:////a.csv", "a"},
		{"file://localhost/sub/b.csv", "b"},
		{"file:///sub%2Fb.csv", "b"},
		{"file:///with%20blank.csv", "blank"},
		{"file:///with blank.csv", "blank"},
		{"file:///50%.csv", "half"},
		{"file:///a%2562.csv", "percent"},
		{"file:///%C3%A9.csv", "accent"},
		{url + "/a.csv", "a"},

		{"../data2/secret.csv", denied + "outside"},
		{"../../x", denied + "outside"},
		{"sub/../../data2/secret.csv", denied + "outside"},
		{filepath.Join(filepath.Dir(dir), "data2", "secret.csv"), denied + "outside"},
		{dir + "2/secret.csv", denied + "outside"},
		{dir + "/../data2/secret.csv", denied + "outside"},
		{"/etc/passwd", denied + "outside"},
		{"//etc/passwd", denied + "outside"},
		{"file:///../data2/secret.csv", denied + "outside"},
		{"file:///%2e%2e/data2/secret.csv", denied + "outside"},
		{"file:///%2e%2e%2fdata2%2fsecret.csv", denied + "outside"},
		{"file:///sub/../../data2/secret.csv", denied + "outside"},
		{url + "2/secret.csv", "no such file"}, // read as a path in the folder
		{"file:///etc/passwd", "no such file"},
		{"out.csv", denied + "symbolic link"},
		{"absolute.csv", denied + "symbolic link"},
		{"folder/secret.csv", denied + "symbolic link"},
		{"file:///folder/secret.csv", denied + "symbolic link"},
		{"dangling-out.csv", denied + "symbolic link"},
		{"dangling.csv", "no such file"},
		{"loop", "symbolic links"},
		{"loop/a.csv", "symbolic links"},

		{"", "empty"},
		{"file://", "another machine"},
		{"file:///", "folder"},
		{".", "folder"},
		{"sub", "folder"},
		{"..", denied + "outside"},
		{"a.csv/x", "not a directory"},
		{"nothing.csv", "no such file in " + dir},
		{"a.csv\x00", "NUL"},
		{"file:///a.csv%00", "NUL"},
		{"a\xff.csv", "UTF-8"},
		{"file:///a%ff.csv", "UTF-8"},
		{strings.Repeat("x", 300), "too long"},
		{"https://example.org/a.csv", "local files only"},
		{"ftp://example.org/a.csv", "local files only"},
		{"file://server/a.csv", "another machine"},
		{"file://server", "another machine"},

		{`C:\a.csv`, denied},
		{`C:a.csv`, denied},
		{"c:/a.csv", denied},
		{"file:///C:/a.csv", denied},
		{`\\server\share\a.csv`, denied},
		{`..\data2\secret.csv`, denied},
		{`\a.csv`, denied},
	} {
		if runtime.GOOS == "windows" && strings.ContainsAny(c.name, `\:`) {
			continue // os.Root has its own tests for these
		}
		if got := read(folder, c.name); got != c.want && !(strings.Contains(got, c.want) && strings.HasPrefix(got, "error: ")) &&
			!(strings.HasPrefix(c.want, denied) && strings.HasPrefix(got, denied) && strings.Contains(got, c.want[len(denied):])) {
			t.Errorf("%q\n got  %s\n want %s", c.name, got, c.want)
		}
	}
}

// read returns the text of a file, or the error of opening it.
func read(fsys fs.FS, name string) string {
	f, err := Open(fsys, name)
	var e *Error
	switch {
	case errors.As(err, &e) && e.Denied && e.Hint == "":
		return "a denied file needs a hint"
	case errors.As(err, &e) && e.Denied:
		return "DENIED " + err.Error()
	case err != nil:
		return "error: " + err.Error()
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(text)
}

// TestOpenFS gives queries the files of any fs.FS; absolute paths have no meaning there.
func TestOpenFS(t *testing.T) {
	fsys := fstest.MapFS{"a.csv": {Data: []byte("a")}, "sub/b.csv": {Data: []byte("b")}, "null": {Mode: fs.ModeDevice | fs.ModeCharDevice}}
	for name, want := range map[string]string{"a.csv": "a", "sub/b.csv": "b", "file:///a.csv": "a", "sub/../a.csv": "a",
		"/a.csv": "DENIED cannot read /a.csv: it is outside of the folder that queries may read",
		"../a":   "DENIED cannot read ../a: it is outside of the folder that queries may read",
		"b.csv":  "error: cannot read b.csv: no such file", "null": "error: cannot read null: it is a device", "sub": "error: cannot read sub: it is a folder"} {
		if got := read(fsys, name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got := read(nil, "a.csv"); got != "DENIED queries may not read files here" {
		t.Error(got)
	}
}

// TestFolderGone names the folder when the folder itself has been deleted.
func TestFolderGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := OpenFolder(dir); err == nil || err.Error() != "there is no folder "+dir {
		t.Error(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if got := read(folder, "a.csv"); got != "error: cannot read a.csv: there is no folder "+dir {
		t.Error(got)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(file); err == nil || !strings.Contains(err.Error(), "it is no folder") {
		t.Error(err)
	}
}

// TestFolderLinked opens a folder by a symbolic link: absolute paths may name it either way.
func TestFolderLinked(t *testing.T) {
	dir := tree(t)
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	folder, err := OpenFolder(link)
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.csv", filepath.Join(link, "a.csv"), filepath.Join(real, "a.csv"), "file://" + real + "/a.csv"} {
		if got := read(folder, name); got != "a" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
