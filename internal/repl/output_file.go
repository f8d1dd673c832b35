package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// outputFile is where :output sends answers.
type outputFile struct {
	file   *os.File
	screen io.Writer // where they went before
	format string    // that was set before
}

// fileFormats are the formats that the ending of a file chooses.
var fileFormats = map[string]string{".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "markdown"}

// setOutput runs :output [FILE]: answers go to a file, whose ending may choose the format, or to the screen again.
func (sh *Shell) setOutput(_ context.Context, arg string) error {
	if arg == "" && sh.output == nil {
		return errors.New("answers go to the screen; :output FILE sends them to a file")
	}
	if err := sh.closeOutput(); err != nil || arg == "" {
		return err
	}
	name := unquote(arg)
	if slices.Contains(Pictures, pictureFormat(name)) {
		return fmt.Errorf("%s would be a picture; :draw %s draws the last answer", Visible(name), Visible(arg))
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	sh.output = &outputFile{file: f, screen: sh.Out, format: sh.Format}
	sh.Out = f
	if format, ok := fileFormats[strings.ToLower(filepath.Ext(name))]; ok {
		sh.Format = format
	}
	sh.tellf("answers go to %s as %s, until :output", Visible(name), sh.Format)
	return nil
}

// closeOutput sends answers to the screen again.
func (sh *Shell) closeOutput() error {
	o := sh.output
	if o == nil {
		return nil
	}
	sh.Out, sh.Format, sh.output = o.screen, o.format, nil
	return o.file.Close()
}
