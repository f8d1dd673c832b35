package motif

import (
	"context"
	"embed"
	"os"
	"path/filepath"

	"github.com/motifql/motif/storage/importer"
)

// The sample graph: a small social network of people who know each other, with their places, companies, universities,
// interests and forums. testdata/sample/SOURCE.md says where it comes from.
//
//go:embed testdata/sample/*.csv
var sampleFS embed.FS

// sampleSpec says how the sample's files make a graph. Labels of places and organisations stand in the files.
func sampleSpec() importer.Spec {
	node := func(label, file string) importer.NodeFile {
		f := importer.NodeFile{Path: "testdata/sample/" + file}
		if label != "" {
			f.Labels = []string{label}
		}
		return f
	}
	rel := func(kind, file string) importer.RelFile {
		return importer.RelFile{Type: kind, Path: "testdata/sample/" + file}
	}
	return importer.Spec{
		FS: sampleFS,
		Nodes: []importer.NodeFile{
			node("Person", "person.csv"), node("", "place.csv"), node("", "organisation.csv"), node("Tag", "tag.csv"), node("Forum", "forum.csv"),
		},
		Rels: []importer.RelFile{
			rel("KNOWS", "knows.csv"), rel("HAS_INTEREST", "has_interest.csv"), rel("STUDY_AT", "study_at.csv"), rel("WORK_AT", "work_at.csv"),
			rel("IS_LOCATED_IN", "person_is_located_in.csv"), rel("IS_LOCATED_IN", "organisation_is_located_in.csv"), rel("IS_PART_OF", "is_part_of.csv"),
			rel("HAS_MEMBER", "has_member.csv"), rel("HAS_MODERATOR", "has_moderator.csv"), rel("HAS_TAG", "has_tag.csv"),
		},
	}
}

// OpenSample opens the built-in sample graph in a store of its own, in a temporary folder that Close removes.
func OpenSample() (*DB, error) {
	dir, err := os.MkdirTemp("", "motif-sample-")
	if err != nil {
		return nil, err
	}
	remove := func() { os.RemoveAll(dir) }
	db, err := Open(filepath.Join(dir, "sample"), WithCreate())
	if err != nil {
		remove()
		return nil, err
	}
	db.cleanup = remove
	if _, err := db.Load(context.Background(), sampleSpec(), LoadOptions{}); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
