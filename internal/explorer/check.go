package explorer

import (
	"context"
	"net/http"
	"unicode/utf8"

	picture "github.com/motifql/motif/draw"
	"github.com/motifql/motif/lang"
)

// units returns how many UTF-16 units the first bytes of a text have, as browsers count.
func units(text string, bytes int) (n int) {
	for _, r := range text[:max(0, min(bytes, len(text)))] {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// bytesOf returns how many bytes the first UTF-16 units of a text have.
func bytesOf(text string, count int) int {
	for i, r := range text {
		if count <= 0 {
			return i
		}
		if count--; r > 0xFFFF {
			count--
		}
	}
	return len(text)
}

// textIn is a text with the place of the cursor; without a cursor, the first MATCH counts.
type textIn struct {
	Text   string `json:"text"`
	Cursor *int   `json:"cursor"`
}

// cursor returns the byte of the cursor.
func (in *textIn) cursor(without int) int {
	if in.Cursor == nil {
		return without
	}
	return bytesOf(in.Text, *in.Cursor)
}

// valid refuses a text that is not UTF-8: the places in it would be wrong.
func (in *textIn) valid() error {
	if !utf8.ValidString(in.Text) {
		return &failure{Status: http.StatusBadRequest, Message: "the text is not UTF-8"}
	}
	return nil
}

type diagnostic struct {
	From     int    `json:"from"`
	To       int    `json:"to"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	Code     string `json:"code"`
}

type checkOut struct {
	Diagnostics []diagnostic `json:"diagnostics"`
	Pattern     *pattern     `json:"pattern"`
	Reason      string       `json:"reason"` // why the pattern is not drawn, or not whole
	Params      []string     `json:"params"`
	Writes      bool         `json:"writes"`
	Mode        string       `json:"mode"`
}

// check reports the mistakes in a text, and draws its pattern.
func (s *server) check(ctx context.Context, in *textIn) (any, error) {
	if err := in.valid(); err != nil {
		return nil, err
	}
	d := s.helper.Check(ctx, in.Text)
	out := checkOut{Diagnostics: []diagnostic{}, Params: append([]string{}, d.Params...), Writes: d.Writes, Mode: "run"}
	for _, x := range d.Diagnostics {
		out.Diagnostics = append(out.Diagnostics, diagnostic{units(in.Text, x.From), units(in.Text, x.To), string(x.Severity), x.Message, x.Hint, x.Code})
	}
	if d.Script == nil {
		out.Reason = "The text has a mistake, so its pattern is not known."
		return out, nil
	}
	if len(d.Script.Statements) > 0 {
		out.Mode = map[lang.ExplainMode]string{lang.Run: "run", lang.Explain: "explain", lang.Profile: "profile"}[d.Script.Statements[0].Explain]
	}
	out.Pattern, out.Reason = draw(in.Text, d.Script, in.cursor(0))
	out.Pattern.inUnits(in.Text)
	return out, nil
}

// inUnits turns the places of a pattern from bytes into UTF-16 units.
func (p *pattern) inUnits(text string) {
	if p != nil {
		p.From, p.To = units(text, p.From), units(text, p.To)
	}
}

type textOfIn struct {
	textIn
	Pattern pattern `json:"pattern"`
}

// text writes a drawing into a text.
func (s *server) text(_ context.Context, in *textOfIn) (any, error) {
	if err := in.valid(); err != nil {
		return nil, err
	}
	script, err := lang.Parse(in.Text)
	if err != nil {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "the text has a mistake, so a drawing cannot change it", Hint: "mend the text first"}
	}
	c, err := write(in.Text, script, in.cursor(0), &in.Pattern)
	if err != nil {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: err.Error()}
	}
	c.From, c.To = units(in.Text, c.From), units(in.Text, c.To)
	return c, nil
}

// mostOptions is how many words a completion offers.
const mostOptions = 200

type option struct {
	Text  string `json:"text"`
	Kind  string `json:"kind"`
	About string `json:"about"`
}

// complete offers what may stand at the cursor.
func (s *server) complete(ctx context.Context, in *textIn) (any, error) {
	if err := in.valid(); err != nil {
		return nil, err
	}
	cursor := in.cursor(len(in.Text))
	c := s.helper.Complete(ctx, in.Text, cursor)
	from := c.From
	if len(c.Options) == 0 {
		from = cursor
	}
	options := []option{}
	for _, o := range c.Options[:min(len(c.Options), mostOptions)] {
		options = append(options, option{o.Text, o.Kind, o.About})
	}
	return map[string]any{"from": units(in.Text, from), "to": units(in.Text, cursor), "options": options}, nil
}

type layoutIn struct {
	N     int      `json:"n"`
	Edges [][2]int `json:"edges"`
}

// layout finds places for nodes.
func (s *server) layout(ctx context.Context, in *layoutIn) (any, error) {
	places, err := picture.Layout(ctx, in.N, in.Edges)
	if ctx.Err() != nil {
		return nil, err // nobody waits for it
	}
	if err != nil {
		status := http.StatusUnprocessableEntity
		if in.N > picture.MostNodes {
			status = http.StatusRequestEntityTooLarge
		}
		return nil, &failure{Status: status, Message: err.Error(), Hint: "draw fewer rows: add LIMIT or a condition"}
	}
	return map[string]any{"places": places}, nil
}

type nameCount struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

type connection struct {
	From  string `json:"from"`
	Type  string `json:"type"`
	To    string `json:"to"`
	Count uint64 `json:"count"`
}

// schema lists the names in the graph, and what the page may do.
func (s *server) schema(ctx context.Context) (any, error) {
	schema, err := s.db.Schema(ctx)
	if err != nil {
		return nil, err
	}
	nodes, err := s.count(ctx)
	if err != nil {
		return nil, err
	}
	labels, types, connections, relationships := []nameCount{}, []nameCount{}, []connection{}, uint64(0)
	for _, l := range schema.Labels {
		labels = append(labels, nameCount{l.Name, l.Count})
	}
	for _, t := range schema.Types {
		types = append(types, nameCount{t.Name, t.Count})
		relationships += t.Count
	}
	for _, c := range schema.Connections {
		connections = append(connections, connection{c.From, c.Type, c.To, c.Count})
	}
	return map[string]any{"name": s.opt.Name, "sample": s.opt.Sample, "write": s.opt.Write, "version": s.opt.Version,
		"nodes": nodes, "relationships": relationships, "labels": labels, "types": types, "connections": connections,
		"nodeKeys": append([]string{}, schema.NodeKeys...), "relationshipKeys": append([]string{}, schema.RelationshipKeys...),
		"limits": map[string]any{"rows": s.opt.Rows, "seconds": s.opt.Time.Seconds(), "memory": s.opt.Memory, "layoutNodes": picture.MostNodes,
			"pictureNodes": mostPicture, "neighbours": mostNeighbours}}, nil
}
