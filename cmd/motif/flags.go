package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
)

// counted returns n with the word for one thing or for several: 1 node, 2 nodes.
func counted(n uint64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// graphSize names the numbers of nodes and relationships of a graph.
func graphSize(nodes, relationships uint64) string {
	return counted(nodes, "node") + " and " + counted(relationships, "relationship")
}

// byteSize is a number of bytes with or without a unit: 64MiB, 1.5GB, 4096.
type byteSize int64

// UnmarshalText reads a size.
func (b *byteSize) UnmarshalText(text []byte) error {
	n, err := repl.ParseBytes(string(text))
	*b = byteSize(n)
	return err
}

// techniques are names of techniques, separated by commas.
type techniques string

// UnmarshalText checks the names.
func (m *techniques) UnmarshalText(text []byte) error {
	_, err := motif.ParseOption("without", string(text))
	*m = techniques(text)
	return err
}

// device names what queries run on.
type device string

// UnmarshalText checks the name.
func (d *device) UnmarshalText(text []byte) error {
	_, err := motif.ParseOption("device", string(text))
	*d = device(text)
	return err
}

// delimiter is one character between fields.
type delimiter rune

// UnmarshalText reads the character itself or one of tab, comma, semicolon, pipe and space.
func (d *delimiter) UnmarshalText(text []byte) error {
	named := map[string]rune{"tab": '\t', `\t`: '\t', "comma": ',', "semicolon": ';', "pipe": '|', "space": ' '}
	if r, ok := named[strings.ToLower(string(text))]; ok {
		*d = delimiter(r)
		return nil
	}
	r, n := utf8.DecodeRune(text)
	if r == utf8.RuneError || n != len(text) {
		return fmt.Errorf("%q is not one character (or tab, comma, semicolon, pipe, space)", text)
	}
	*d = delimiter(r)
	return nil
}
