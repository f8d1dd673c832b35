package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/motifql/motif"
	"github.com/motifql/motif/draw"
)

// Pictures lists the output formats that are pictures.
var Pictures = draw.Formats()

// OutputFormats lists the formats of rows and of pictures.
var OutputFormats = slices.Concat(Formats, Pictures)

// errTerminalPicture refuses to write a PNG to a terminal.
var errTerminalPicture = errors.New("standard output is a terminal, which shows no PNG; send it to a file: -o png > answer.png")

// PrintPicture writes a picture, and says on errOut what it leaves out.
func PrintPicture(out, errOut io.Writer, p *draw.Picture, format string) error {
	if format == "png" && Width(out) > 0 {
		return errTerminalPicture
	}
	if err := p.Write(out, format); err != nil {
		return err
	}
	tellNotes(errOut, p, format)
	return nil
}

func tellNotes(out io.Writer, p *draw.Picture, format string) {
	for _, note := range p.Notes(format) {
		fmt.Fprintln(out, Fit(Visible(note), Width(out)))
	}
}

// isPicture reports whether answers are drawn.
func (s *Session) isPicture() bool { return slices.Contains(Pictures, s.Format) }

// writePicture draws an answer, or the plan of EXPLAIN and PROFILE.
func (s *Session) writePicture(ctx context.Context, out io.Writer, rows *motif.Rows, plan bool, bar *Bar) (answer, error) {
	defer bar.Close()
	if s.drawn {
		return answer{}, errors.New("one answer is drawn already, and a picture holds one; run the statements one by one")
	}
	p, err := s.picture(ctx, rows, plan)
	if err != nil {
		return answer{}, err
	}
	bar.Close()
	s.drawn = true
	return answer{columns: rows.Columns(), rows: p.Rows}, PrintPicture(out, s.Err, p, s.Format)
}

// picture draws the rest of an answer. Where the answer has no relationships, it draws those between its nodes.
func (s *Session) picture(ctx context.Context, rows *motif.Rows, plan bool) (*draw.Picture, error) {
	if plan {
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return draw.Plan(rows.Summary().Plan, draw.Options{}), nil
	}
	opts, err := s.QueryOptions()
	if err != nil {
		return nil, err
	}
	var db draw.Querier = s.DB
	if s.tx != nil {
		db = s.tx
	}
	return draw.Rows(ctx, rows, draw.Options{Between: draw.Between(ctx, db, opts...)})
}

// subjects are what :draw draws.
var subjects = []string{"answer", "plan", "schema"}

// draw runs :draw [answer|plan|schema] [FILE]: it draws the last answer, its plan, or the schema to a file.
func (sh *Shell) draw(ctx context.Context, arg string) error {
	subject, name, _ := strings.Cut(arg, " ")
	if !slices.Contains(subjects, subject) {
		subject, name = "answer", arg
	}
	name = unquote(strings.TrimSpace(name))
	format := "svg"
	if name != "" {
		format = pictureFormat(name)
		if !slices.Contains(Pictures, format) {
			return fmt.Errorf("no picture has the ending %q; there are %s", filepath.Ext(name), strings.Join(Pictures, ", "))
		}
	}
	ctx, stop := Interruptible(ctx)
	defer stop()
	p, err := sh.drawSubject(ctx, subject)
	if err != nil {
		return err
	}
	f, err := createPicture(subject, name)
	if err != nil {
		return err
	}
	if err := errors.Join(p.Write(f, format), f.Close()); err != nil {
		return err
	}
	tellNotes(sh.Err, p, format)
	sh.tellf("%s is a picture of the %s: %s, %s", Visible(f.Name()), map[string]string{"answer": "last answer", "plan": "plan", "schema": "schema"}[subject],
		count(p.Nodes, map[string]string{"answer": "node", "plan": "operator", "schema": "label"}[subject]), count(p.Relationships, map[string]string{"answer": "relationship", "plan": "arrow", "schema": "connection"}[subject]))
	return nil
}

// pictureFormat returns the format that the ending of a file chooses.
func pictureFormat(name string) string {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), ".")
	switch ending {
	case "gv":
		return "dot"
	case "htm":
		return "html"
	}
	return ending
}

// createPicture makes the file of a picture. Without a name, it takes one that no file has: answer.svg, answer-2.svg.
func createPicture(subject, name string) (*os.File, error) {
	if name != "" {
		return os.Create(name)
	}
	for i := 1; ; i++ {
		name = subject + ".svg"
		if i > 1 {
			name = fmt.Sprintf("%s-%d.svg", subject, i)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) || i == 1000 {
			return f, err
		}
	}
}

// drawSubject draws. For an answer it runs the last statement again.
func (sh *Shell) drawSubject(ctx context.Context, subject string) (*draw.Picture, error) {
	if subject == "schema" {
		schema, err := sh.DB.Schema(ctx)
		if err != nil {
			return nil, err
		}
		return draw.Schema(schema, draw.Options{}), nil
	}
	switch {
	case sh.last == "":
		return nil, errors.New("there is no answer yet; run a query, and then :draw")
	case subject == "answer" && Writes(sh.last, sh.Timeout):
		return nil, errors.New(":draw runs the last statement again, which would write; run a query that only reads")
	}
	opts, err := sh.QueryOptions()
	if err != nil {
		return nil, err
	}
	if subject == "plan" && !isPlan(sh.last) {
		plan, err := sh.DB.Explain(ctx, sh.last, opts...)
		if err != nil {
			return nil, err
		}
		return draw.Plan(plan, draw.Options{}), nil
	}
	query := sh.DB.Query
	if sh.tx != nil {
		query = sh.tx.Query
	}
	rows, err := query(ctx, sh.last, sh.Params, opts...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return sh.picture(ctx, rows, isPlan(sh.last))
}
