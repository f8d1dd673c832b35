package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif"
)

// typeSample is how many nodes or relationships :schema NAME looks at to tell the types of properties.
const typeSample = 20_000

// elements are the nodes of a label, or the relationships of a type.
type elements struct {
	what    string // node or relationship
	pattern string // binds them to x
	keys    []string
	count   uint64
}

// elementsNamed finds a label and a type of a name, with or without the colon.
func elementsNamed(schema *motif.Schema, word string) (list []elements, names []string) {
	word = strings.Trim(strings.TrimPrefix(word, ":"), "`")
	for _, l := range schema.Labels {
		if l.Name == word {
			list = append(list, elements{"node", "(x:" + Name(l.Name) + ")", schema.NodeKeys, l.Count})
		}
		names = append(names, l.Name)
	}
	for _, t := range schema.Types {
		if t.Name == word {
			list = append(list, elements{"relationship", "()-[x:" + Name(t.Name) + "]->()", schema.RelationshipKeys, t.Count})
		}
		names = append(names, t.Name)
	}
	return list, names
}

// showElements prints the properties of the label or type of a name: the types of their values, and how many elements have them.
func (sh *Shell) showElements(ctx context.Context, schema *motif.Schema, word string) error {
	list, names := elementsNamed(schema, word)
	if len(list) == 0 {
		return fmt.Errorf("the graph has no label and no type %s%s :schema lists them", word, DidYouMean(strings.TrimPrefix(word, ":"), names))
	}
	ctx, stop := Interruptible(ctx)
	defer stop()
	for _, e := range list {
		fills, err := e.fills(ctx, sh.DB)
		if err != nil {
			return err
		}
		types, err := e.types(ctx, sh.DB)
		if err != nil {
			return err
		}
		if err := e.print(sh.Out, fills, types); err != nil {
			return err
		}
	}
	return nil
}

// keysAtOnce is how many properties one query counts.
const keysAtOnce = 100

// fills counts the elements that have each key.
func (e *elements) fills(ctx context.Context, db *motif.DB) (map[string]int64, error) {
	fills := make(map[string]int64)
	for keys := range slices.Chunk(e.keys, keysAtOnce) {
		items := make([]string, len(keys))
		for i, k := range keys {
			items[i] = fmt.Sprintf("count(x.%s) AS c%d", Name(k), i)
		}
		rows, err := db.Query(ctx, "MATCH "+e.pattern+" RETURN "+strings.Join(items, ", "), nil)
		if err != nil {
			return nil, err
		}
		for row, err := range rows.All() {
			if err != nil {
				return nil, err
			}
			for i, k := range keys {
				fills[k], _ = row.At(i).(int64)
			}
		}
	}
	return fills, nil
}

// types counts the types of the values of each key in the first elements.
func (e *elements) types(ctx context.Context, db *motif.DB) (map[string]map[string]int, error) {
	rows, err := db.Query(ctx, fmt.Sprintf("MATCH %s RETURN x LIMIT %d", e.pattern, typeSample), nil)
	if err != nil {
		return nil, err
	}
	types := make(map[string]map[string]int)
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		var props map[string]any
		switch x := row.At(0).(type) {
		case motif.Node:
			props = x.Props
		case motif.Relationship:
			props = x.Props
		}
		for k, v := range props {
			if types[k] == nil {
				types[k] = make(map[string]int)
			}
			types[k][typeName(v)]++
		}
	}
	return types, nil
}

func (e *elements) print(w io.Writer, fills map[string]int64, types map[string]map[string]int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", Visible(e.pattern), plural(int(e.count), e.what, e.what+"s"))
	width := len("property")
	var keys []string
	for k, n := range fills {
		if n > 0 {
			keys = append(keys, k)
			width = max(width, utf8.RuneCountInString(Visible(Name(k))))
		}
	}
	slices.Sort(keys)
	if len(keys) == 0 {
		b.WriteString("  no properties\n")
	}
	for _, k := range keys {
		shown := Visible(Name(k))
		fmt.Fprintf(&b, "  %s%s  %6s  %s\n", shown, strings.Repeat(" ", width-utf8.RuneCountInString(shown)), percent(fills[k], e.count), describeTypes(types[k]))
	}
	if e.count > typeSample && len(keys) > 0 {
		fmt.Fprintf(&b, "  (types of the first %d)\n", typeSample)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// percent never rounds a part to nothing or to all.
func percent(n int64, of uint64) string {
	share := 100 * float64(n) / float64(max(1, of))
	switch {
	case uint64(n) >= of:
		return "100 %"
	case share > 99.9:
		return ">99.9 %"
	case share < 0.1:
		return "<0.1 %"
	case share < 10:
		return fmt.Sprintf("%.1f %%", share)
	}
	return fmt.Sprintf("%.0f %%", min(share, 99))
}

// describeTypes lists types, the most frequent first, with their shares if there are several.
func describeTypes(counts map[string]int) string {
	var names []string
	all := 0
	for t, n := range counts {
		names = append(names, t)
		all += n
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	if len(names) == 1 {
		return names[0]
	}
	for i, t := range names {
		names[i] = t + " " + percent(int64(counts[t]), uint64(all))
	}
	return strings.Join(names, ", ")
}

// typeName names the type of a value as docs/language.md does.
func typeName(v any) string {
	switch v.(type) {
	case bool:
		return "BOOLEAN"
	case int64:
		return "INTEGER"
	case float64:
		return "FLOAT"
	case string:
		return "STRING"
	case []any:
		return "LIST"
	case map[string]any:
		return "MAP"
	case motif.Date:
		return "DATE"
	case motif.LocalTime:
		return "LOCAL TIME"
	case motif.OffsetTime:
		return "TIME"
	case motif.LocalDateTime:
		return "LOCAL DATETIME"
	case motif.DateTime:
		return "DATETIME"
	case motif.Duration:
		return "DURATION"
	case motif.Point:
		return "POINT"
	}
	return "ANY"
}
