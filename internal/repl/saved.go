package repl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/motifql/motif"
)

// saveQuery runs :save NAME [QUERY]: it saves the query, or the last one that ran. The parameters that are set tell the
// types of its parameters.
func (sh *Shell) saveQuery(ctx context.Context, arg string) error {
	name, text, _ := strings.Cut(arg, " ")
	text = strings.TrimSpace(text)
	if text == "" {
		text = sh.last
	}
	switch {
	case name == "":
		return errors.New(":save takes a name: :save NAME saves the last query, :save NAME QUERY another")
	case text == "":
		return errors.New("no query has run yet; write one after the name")
	case sh.tx != nil:
		return errOpenTransaction
	}
	name = strings.TrimPrefix(name, "@")
	if err := sh.DB.SaveQuery(ctx, name, text, sh.Params); err != nil {
		return err
	}
	_, err := fmt.Fprintf(sh.Err, "saved; :run %s runs it\n", Visible(name))
	return err
}

var errOpenTransaction = errors.New("a transaction is open; COMMIT or ROLLBACK it first")

// showSaved runs :saved [NAME]: it lists all saved queries with their parameters, or shows the text of one.
func (sh *Shell) showSaved(ctx context.Context, arg string) error {
	list, err := sh.DB.SavedQueries(ctx)
	if err != nil {
		return err
	}
	if arg != "" {
		q, err := findSaved(list, arg)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(sh.Out, VisibleLines(signature(q)+"\n"+q.Text))
		return err
	}
	for i := range list {
		if _, err := fmt.Fprintln(sh.Out, Visible(signature(&list[i]))); err != nil {
			return err
		}
	}
	return nil
}

// signature returns the name of a saved query with its parameters.
func signature(q *motif.SavedQuery) string {
	parts := make([]string, len(q.Params))
	for i, p := range q.Params {
		parts[i] = motif.DescribeParam(p)
	}
	return "@" + q.Name + "(" + strings.Join(parts, ", ") + ")"
}

func (sh *Shell) forgetQuery(ctx context.Context, arg string) error {
	if arg == "" {
		return errors.New(":forget takes the name of a saved query")
	}
	if sh.tx != nil {
		return errOpenTransaction
	}
	return sh.DB.ForgetQuery(ctx, strings.TrimPrefix(arg, "@"))
}

// runSaved runs :run NAME [param=value ...].
func (sh *Shell) runSaved(ctx context.Context, arg string) error {
	fields := strings.Fields(arg)
	if len(fields) == 0 {
		return errors.New(":run takes the name of a saved query, and parameters as name=value")
	}
	q, err := FindSaved(ctx, sh.DB, fields[0])
	if err != nil {
		return err
	}
	return sh.Session.RunSaved(ctx, q, fields[1:])
}

// FindSaved returns the saved query of a name, with or without @.
func FindSaved(ctx context.Context, db *motif.DB, name string) (*motif.SavedQuery, error) {
	list, err := db.SavedQueries(ctx)
	if err != nil {
		return nil, err
	}
	return findSaved(list, name)
}

func findSaved(list []motif.SavedQuery, name string) (*motif.SavedQuery, error) {
	name = strings.TrimPrefix(name, "@")
	names := make([]string, len(list))
	for i := range list {
		if names[i] = list[i].Name; names[i] == name {
			return &list[i], nil
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no query is saved as %s, nor under any other name; :save in the shell saves one", name)
	}
	return nil, fmt.Errorf("no query is saved as %s%s there are %s", name, DidYouMean(name, names), strings.Join(names, ", "))
}

// RunSaved runs a saved query with the session's parameters and those in given, written as name=value. A parameter that
// should be a string becomes one, whatever it looks like.
func (s *Session) RunSaved(ctx context.Context, q *motif.SavedQuery, given []string) error {
	params, err := ParseParams(given)
	if err != nil {
		return err
	}
	for _, p := range q.Params {
		for _, text := range given {
			k, raw, _ := strings.Cut(strings.TrimPrefix(text, "$"), "=")
			if k == p.Name && p.Type == "string" && !strings.HasPrefix(raw, `"`) {
				params[k] = raw
			}
		}
	}
	before := s.Params
	defer func() { s.Params = before }()
	all := motif.Params{}
	maps.Copy(all, before)
	maps.Copy(all, params)
	if err := motif.CheckParams(q, all); err != nil {
		return err
	}
	s.Params = all
	return s.Run(ctx, "@"+q.Name, q.Text)
}
