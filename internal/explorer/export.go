package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/motifql/motif"
	picture "github.com/motifql/motif/draw"
	"github.com/motifql/motif/internal/repl"
)

// fileTypes are the formats of files with their types.
var fileTypes = map[string]string{"svg": "image/svg+xml", "png": "image/png", "html": "text/html; charset=utf-8", "dot": "text/vnd.graphviz; charset=utf-8",
	"gexf": "application/gexf+xml", "csv": "text/csv; charset=utf-8", "json": "application/json"}

type exportIn struct {
	runIn
	Format string `json:"format"`
}

// export runs a query again, and answers with a file of its rows or a picture of what they hold.
func (s *server) export(w http.ResponseWriter, r *http.Request) {
	in := new(exportIn)
	err := read(w, r, in)
	if err == nil && fileTypes[in.Format] == "" {
		err = &failure{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("there is no file format %q; there are csv, json, %s", in.Format, strings.Join(picture.Formats(), ", "))}
	}
	var file bytes.Buffer
	var notes []string
	if err == nil {
		notes, err = s.write(r.Context(), in, &file)
	}
	if err != nil {
		fail(w, failureOf(in.Text, err))
		return
	}
	said, err := json.Marshal(append([]string{}, notes...))
	if err != nil {
		said = []byte("[]")
	}
	h := w.Header()
	h.Set("X-Motif-Notes", ascii(said))
	h.Set("Content-Type", fileTypes[in.Format])
	h.Set("Content-Disposition", `attachment; filename="answer.`+in.Format+`"`)
	_, _ = w.Write(file.Bytes()) // the browser may have gone
}

// ascii escapes the letters of JSON that a header cannot hold.
func ascii(data []byte) string {
	var b strings.Builder
	for _, r := range string(data) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// write writes the file, and says what it leaves out.
func (s *server) write(ctx context.Context, in *exportIn, file *bytes.Buffer) (notes []string, err error) {
	if _, err := s.allowed(ctx, in.Text, false); err != nil {
		return nil, err
	}
	end, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	drawn := slices.Contains(picture.Formats(), in.Format)
	opts := s.limits()
	if !drawn { // a picture has limits of its own
		opts = append(opts, motif.WithMaxRows(s.opt.Rows))
	}
	rows, err := s.db.Query(ctx, in.Text, in.params(), opts...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !drawn {
		err := repl.WriteRows(file, rows, in.Format)
		if cut := s.limitOf(err); cut != nil {
			return []string{cut.Message}, nil
		}
		return nil, err
	}
	most := mostPicture
	if in.Format == "png" { // whose size follows that of the picture
		most = picture.DefaultMaxNodes
	}
	p, err := picture.Rows(ctx, rows, picture.Options{MaxNodes: most, Between: picture.Between(ctx, s.db, s.limits()...)})
	if err != nil {
		return nil, err
	}
	return p.Notes(in.Format), p.Write(file, in.Format)
}
