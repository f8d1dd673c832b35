package exporter

import (
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// TestTitles names nodes by the properties that people give them.
func TestTitles(t *testing.T) {
	text := func(s string) csr.Cell { return csr.StringCell(s) }
	key := []prop{{"", text("00042")}}
	for want, n := range map[string]node{
		"Ann":     {props: []prop{{"Name", text("Ann")}, {"city", text("York")}, {"member_no", text("00042")}}, external: key},
		"Sea":     {props: []prop{{"author_name", text("Jo")}, {"TITLE", text("Sea")}}},
		"Ann Lee": {props: []prop{{"Full Name", text("Ann Lee")}, {"id", text("7")}}},
		"7":       {props: []prop{{"Id", csr.IntCell(7)}, {"name", text("")}}, external: key},
		"00042":   {props: []prop{{"city", text("York")}, {"member_no", text("00042")}}, external: key},
		"#3":      {id: 3, props: []prop{{"city", text("York")}}},
	} {
		if got := titleOf(&n); got != want {
			t.Errorf("a node with the properties %v is called %q, want %q", n.props, got, want)
		}
	}
}
