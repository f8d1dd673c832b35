package main

import (
	"bytes"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/draw"
)

// galleryImage matches a picture of docs/gallery.md.
var galleryImage = regexp.MustCompile(`!\[[^\]]*\]\((img/gallery-(\w+)\.svg)\)`)

// TestGallery draws the pictures of docs/gallery.md: each from the query above it, and the schema.
func TestGallery(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round differently: the places differ in the last digits")
	}
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	page := readPage(t, "docs/gallery.md")
	queries := map[string]string{} // by the offset of the next picture
	images := galleryImage.FindAllStringSubmatchIndex(page, -1)
	for _, b := range blocksOf("docs/gallery.md", page) {
		for _, at := range images {
			if at[0] > b.end {
				queries[page[at[2]:at[3]]] = strings.TrimSuffix(strings.TrimSpace(b.code), ";")
				break
			}
		}
	}
	if len(queries) < 6 || len(images) != len(queries)+1 {
		t.Errorf("%d pictures and %d queries were found", len(images), len(queries))
	}
	for _, at := range images {
		file := page[at[2]:at[3]]
		var got bytes.Buffer
		if err := galleryPicture(t, db, queries[file]).SVG(&got); err != nil {
			t.Fatal(err)
		}
		path := "../../docs/" + file
		if *rewrite {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(want, got.Bytes()) {
			t.Errorf("%s is not what its query gives (%v); write it with: go test ./cmd/motif -run Gallery -rewrite", path, err)
		}
	}
}

// galleryPicture draws the answer of a query, the plan of EXPLAIN, or for no query the schema.
func galleryPicture(t *testing.T, db *motif.DB, query string) *draw.Picture {
	t.Helper()
	if query == "" {
		schema, err := db.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return draw.Schema(schema, draw.Options{})
	}
	if text, ok := strings.CutPrefix(query, "EXPLAIN "); ok {
		plan, err := db.Explain(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		return draw.Plan(plan, draw.Options{})
	}
	rows, err := db.Query(t.Context(), query, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := draw.Rows(t.Context(), rows, draw.Options{Between: draw.Between(t.Context(), db)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
