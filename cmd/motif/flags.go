package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif"
)

// byteSize is a number of bytes with or without a unit: 64MiB, 1.5GB, 4096.
type byteSize int64

var byteUnits = map[string]float64{"": 1, "b": 1, "k": 1 << 10, "kb": 1e3, "kib": 1 << 10, "m": 1 << 20, "mb": 1e6, "mib": 1 << 20,
	"g": 1 << 30, "gb": 1e9, "gib": 1 << 30, "t": 1 << 40, "tb": 1e12, "tib": 1 << 40}

// UnmarshalText reads a size.
func (b *byteSize) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	end := strings.LastIndexAny(s, "0123456789.") + 1
	unit, ok := byteUnits[strings.ToLower(strings.TrimSpace(s[end:]))]
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil || !ok || n <= 0 || n*unit >= 1<<63 {
		return fmt.Errorf("%q is not a size such as 64MiB or 2GB", s)
	}
	*b = byteSize(n * unit)
	return nil
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
