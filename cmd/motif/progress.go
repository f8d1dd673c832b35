package main

import (
	"io"

	"github.com/motifql/motif/internal/repl"
)

// stageWords says what a load, an export, a backup or a restore does in each stage. Other stages show their own names.
var stageWords = map[string]string{
	"open": "opening", "read": "reading", "types": "typing", "number": "numbering", "build": "building", "merge": "merging", "cores": "analysing",
	"write": "writing", "sync": "verifying", "publish": "publishing", "clean": "tidying up", "scan": "scanning",
}

// showStage shows stages on a bar in the user's words.
func showStage(bar *repl.Bar) func(stage string, done, total uint64) {
	return func(stage string, done, total uint64) {
		if word, ok := stageWords[stage]; ok {
			stage = word
		}
		bar.Show(stage, done, total)
	}
}

// countedWriter shows on a bar how much went through it.
type countedWriter struct {
	io.Writer
	bar  *repl.Bar
	done uint64
}

func (w *countedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.done += uint64(n)
	w.bar.Show("writing", w.done, 0)
	return n, err
}

// countedReader shows on a bar how much of total went through it, and at its end that the store is written.
type countedReader struct {
	io.Reader
	bar         *repl.Bar
	done, total uint64 // total is 0 if it is not known
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.done += uint64(n)
	if err == io.EOF {
		r.bar.Show("building", 0, 0)
	} else {
		r.bar.Show("reading", r.done, r.total)
	}
	return n, err
}
