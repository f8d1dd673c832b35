//go:build !js

package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/motifql/motif/internal/explorer"
)

//go:embed worker.js
var worker []byte

// write writes the files of the playground into a folder.
func write(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	files := map[string][]byte{"worker.js": worker}
	if err := page(files); err != nil {
		return err
	}
	if files["wasm_exec.js"], err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js")); err != nil {
		return fmt.Errorf("%w: this installation of Go has no support files for WebAssembly", err)
	}
	licence, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return err
	}
	files["licences.txt"] = fmt.Appendf(files["licences.txt"], "Go\n\n%s\n", bytes.TrimSpace(licence))
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	at, err := filepath.Abs(filepath.Join(folder, "motif.wasm"))
	if err != nil {
		return err
	}
	_, err = output(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", at, "github.com/motifql/motif/cmd/playground")
	return err
}

// output runs a command that builds for WebAssembly, and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// policy is what the page may load: its own files, and the engine.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'">`

// page adds the files of the explorer's page. The mark data-engine tells the page where its engine is.
func page(files map[string][]byte) error {
	dist := explorer.Dist()
	names, err := fs.Glob(dist, "*")
	if err != nil {
		return err
	}
	for _, name := range names {
		if files[name], err = fs.ReadFile(dist, name); err != nil {
			return err
		}
	}
	html := string(files["index.html"])
	for _, change := range [][2]string{{`<html lang="en">`, `<html lang="en" data-engine="worker.js">`}, {`<meta charset="utf-8">`, `<meta charset="utf-8">` + "\n" + policy}} {
		if strings.Count(html, change[0]) != 1 {
			return fmt.Errorf("index.html of the explorer has not one %s", change[0])
		}
		html = strings.Replace(html, change[0], change[1], 1)
	}
	files["index.html"] = []byte(html)
	return nil
}
