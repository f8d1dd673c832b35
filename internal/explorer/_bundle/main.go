// Command _bundle makes internal/explorer/dist from internal/explorer/web: go generate ./internal/explorer runs it. It is a module of its own, so
// that esbuild never becomes a dependency of Motif.
//
// It needs the packages that web/package-lock.json names: npm ci --prefix internal/explorer/web puts them into web/node_modules.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if err := bundle("../web", "../dist"); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// bundle writes one script, one style sheet and the licences of what is in them, and copies the files that need no bundling.
func bundle(web, dist string) error {
	if _, err := os.Stat(filepath.Join(web, "node_modules")); err != nil {
		return fmt.Errorf("%w: run npm ci --prefix internal/explorer/web first", err)
	}
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(web, "app.tsx")}, Outdir: dist, Bundle: true, Write: true,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, Format: api.FormatESModule, Target: api.ES2022,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8, Metafile: true, LogLevel: api.LogLevelWarning,
	})
	if len(built.Errors) > 0 {
		return fmt.Errorf("%d mistakes", len(built.Errors))
	}
	for _, name := range []string{"index.html", "icon.svg"} {
		data, err := os.ReadFile(filepath.Join(web, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dist, name), data, 0o644); err != nil {
			return err
		}
	}
	text, err := licences(web, built.Metafile)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dist, "licences.txt"), []byte(text), 0o644)
}

// packageName matches a file of an npm package.
var packageName = regexp.MustCompile(`node_modules/((?:@[^/]+/)?[^/]+)/`)

// licences returns the licences of the packages that esbuild read, which their authors want to go with each copy.
func licences(web, metafile string) (string, error) {
	var read struct{ Inputs map[string]any }
	if err := json.Unmarshal([]byte(metafile), &read); err != nil {
		return "", err
	}
	var names []string
	for file := range read.Inputs {
		if m := packageName.FindStringSubmatch(file); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	var out strings.Builder
	for _, name := range names {
		files, err := filepath.Glob(filepath.Join(web, "node_modules", name, "LICEN[SC]E*"))
		if err != nil || len(files) == 0 {
			return "", fmt.Errorf("package %s has no licence: %v", name, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s\n\n%s\n\n", name, strings.TrimSpace(strings.ReplaceAll(string(text), "\r", "")))
	}
	return out.String(), nil
}
