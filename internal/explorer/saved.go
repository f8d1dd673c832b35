package explorer

import (
	"context"
	"net/http"
	"strings"
)

type savedParam struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type savedQuery struct {
	Name   string       `json:"name"`
	Text   string       `json:"text"`
	Params []savedParam `json:"params"`
}

// saved lists the saved queries.
func (s *server) saved(ctx context.Context) (any, error) {
	list, err := s.db.SavedQueries(ctx)
	if err != nil {
		return nil, err
	}
	out := []savedQuery{}
	for _, q := range list {
		to := savedQuery{q.Name, q.Text, []savedParam{}}
		for _, p := range q.Params {
			to.Params = append(to.Params, savedParam{p.Name, p.Type})
		}
		out = append(out, to)
	}
	return map[string]any{"queries": out}, nil
}

// writable refuses to change the store unless the page may.
func (s *server) writable() error {
	if s.opt.Write {
		return nil
	}
	return &failure{Status: http.StatusForbidden, Code: "read-only", Message: "a saved query is kept in the store, which this page only reads", Hint: "start motif explore with --write"}
}

type saveIn struct {
	runIn
	Name string `json:"name"`
}

// save keeps a query in the store.
func (s *server) save(ctx context.Context, in *saveIn) (any, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Name) == "" {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "a saved query needs a name"}
	}
	if err := s.db.SaveQuery(ctx, in.Name, in.Text, in.params()); err != nil {
		return nil, failureOf(in.Text, err)
	}
	return struct{}{}, nil
}

type forgetIn struct {
	Name string `json:"name"`
}

// forget drops a saved query.
func (s *server) forget(ctx context.Context, in *forgetIn) (any, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	return struct{}{}, s.db.ForgetQuery(ctx, in.Name)
}
