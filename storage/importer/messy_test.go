package importer

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestMessy loads files that are not as they should be. testdata/messy/golden says of each what is wrong with it, the flags, and what comes
// out: a schema and a graph with warnings, or an error with the way out. -rewrite renews it.
func TestMessy(t *testing.T) {
	datadriven.RunTest(t, "testdata/messy/golden", func(t *testing.T, d *datadriven.TestData) string {
		whole := messyLoad(t, d.Input, defaultChunk)
		for _, chunk := range []int{1, 7, 64} {
			if got := messyLoad(t, d.Input, chunk); got != whole {
				t.Errorf("%s in chunks of %d:\n%swant\n%s", d.Input, chunk, got, whole)
			}
		}
		return whole
	})
}

func messyLoad(t *testing.T, flags string, chunk int) string {
	s, r, err := loadChunks(messySpec(t, flags), chunk)
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
		if e, ok := errors.AsType[*Error](err); ok && e.Hint != "" {
			fmt.Fprintf(&b, "hint: %s\n", e.Hint)
		}
		return b.String()
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	if r.Detected != "" {
		fmt.Fprintf(&b, "format: %s (%s)\n", r.Format, r.Detected)
	}
	for _, row := range r.BadRows {
		fmt.Fprintf(&b, "left out: %v: %q\n", row.Error, row.Row)
	}
	if uint64(len(r.BadRows)) != r.Skipped {
		t.Errorf("%d rows skipped, %d listed", r.Skipped, len(r.BadRows))
	}
	b.WriteString(dump(s))
	return b.String()
}

// messySpec reads the flags of motif load that the table uses.
func messySpec(t *testing.T, flags string) Spec {
	spec := Spec{FS: os.DirFS("testdata/messy"), ListBad: true}
	words := strings.Fields(flags)
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		next := func() string {
			arg := words[0]
			words = words[1:]
			return arg
		}
		switch word {
		case "--nodes":
			spec.Nodes = append(spec.Nodes, nodeFiles(next())...)
		case "--rels":
			spec.Relationships = append(spec.Relationships, relFiles(next())...)
		case "--header":
			spec.Header = strings.Split(next(), ",")
		case "--no-header":
			spec.NoHeader = true
		case "--skip-bad":
			spec.SkipBad = true
		case "--types":
			name, typ, _ := strings.Cut(next(), "=")
			spec.Types = map[string]string{name: typ}
		default:
			if strings.HasPrefix(word, "-") {
				t.Fatalf("unknown flag %s", word)
			}
			spec.Files = append(spec.Files, word)
		}
	}
	return spec
}
