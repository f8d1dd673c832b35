// Package sample holds the built-in sample graph: a small social network of people who know each other, with their places,
// companies, universities, interests and forums. SOURCE.md says where it comes from.
package sample

import (
	"embed"

	"github.com/motifql/motif/storage/importer"
)

//go:embed *.csv
var files embed.FS

// Spec says how the files make a graph. Labels of places and organisations stand in the files.
func Spec() importer.Spec {
	node := func(label, file string) importer.NodeFile {
		f := importer.NodeFile{Paths: []string{file}}
		if label != "" {
			f.Labels = []string{label}
		}
		return f
	}
	rel := func(kind, file string) importer.RelationshipFile {
		return importer.RelationshipFile{Type: kind, Paths: []string{file}}
	}
	return importer.Spec{
		FS: files,
		Nodes: []importer.NodeFile{
			node("Person", "person.csv"), node("", "place.csv"), node("", "organisation.csv"), node("Tag", "tag.csv"), node("Forum", "forum.csv"),
		},
		Relationships: []importer.RelationshipFile{
			rel("KNOWS", "knows.csv"), rel("HAS_INTEREST", "has_interest.csv"), rel("STUDY_AT", "study_at.csv"), rel("WORK_AT", "work_at.csv"),
			rel("IS_LOCATED_IN", "person_is_located_in.csv"), rel("IS_LOCATED_IN", "organisation_is_located_in.csv"), rel("IS_PART_OF", "is_part_of.csv"),
			rel("HAS_MEMBER", "has_member.csv"), rel("HAS_MODERATOR", "has_moderator.csv"), rel("HAS_TAG", "has_tag.csv"),
		},
	}
}
