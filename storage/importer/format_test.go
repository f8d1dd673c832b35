package importer

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFormatTable holds every format to what readers expect of one: help, a sample that is detected, a line in the
// package comment and one in docs/loading.md, and no suffix that another format claims.
func TestFormatTable(t *testing.T) {
	sampled := sampleFormats(t)
	comment, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../docs/loading.md")
	if err != nil {
		t.Fatal(err)
	}
	owner := make(map[string]string)
	for _, f := range Formats {
		if f.Name == "" || f.Help == "" || f.read == nil || f.detect == nil && len(f.Suffixes) == 0 {
			t.Errorf("format %q lacks a name, help, a reader or a way to be detected", f.Name)
		}
		if !slices.Contains(sampled, f.Name) {
			t.Errorf("no file in testdata is detected as %s", f.Name)
		}
		if !strings.Contains(string(comment), "\n//\t"+f.Name+" ") {
			t.Errorf("the package comment has no line about %s", f.Name)
		}
		if !strings.Contains(string(guide), "| `"+f.Name+"` |") {
			t.Errorf("docs/loading.md has no line about %s", f.Name)
		}
		for _, suffix := range slices.Concat(f.Suffixes, f.Shared) {
			if !strings.Contains(string(guide), "`"+suffix+"`") {
				t.Errorf("docs/loading.md does not name the suffix %s of %s", suffix, f.Name)
			}
			if suffix != strings.ToLower(suffix) || !strings.HasPrefix(suffix, ".") {
				t.Errorf("%s: suffix %q", f.Name, suffix)
			}
		}
		for _, suffix := range f.Suffixes {
			if owner[suffix] != "" {
				t.Errorf("%s and %s both claim %s", owner[suffix], f.Name, suffix)
			}
			owner[suffix] = f.Name
		}
	}
	for _, f := range Formats {
		for _, suffix := range f.Shared {
			if owner[suffix] != "" {
				t.Errorf("%s shares the suffix %s, which %s claims", f.Name, suffix, owner[suffix])
			}
		}
	}
}

// sampleFormats loads every file of testdata that is a whole graph and returns the formats that were detected.
func sampleFormats(t *testing.T) (formats []string) {
	err := fs.WalkDir(os.DirFS("testdata"), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "README.md" {
			return err
		}
		if d.IsDir() {
			if path != "." {
				return fs.SkipDir
			}
			return nil
		}
		_, r, err := Load(context.Background(), Spec{Files: []string{filepath.Join("testdata", path)}}, nil)
		if err == nil {
			formats = append(formats, r.Format)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return formats
}
